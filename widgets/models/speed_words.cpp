// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/speed_words.hpp"

#include <QObject>

namespace tawara {

QString rateText(double msPerSecond)
{
    const int decimals = msPerSecond < 1 ? 2 : msPerSecond < 100 ? 1 : 0;
    return QObject::tr("%1 ms/s").arg(msPerSecond, 0, 'f', decimals);
}

QString ratioText(double msPerSecond)
{
    if (!(msPerSecond > 0))
        return {};
    const double slower = 1000 / msPerSecond;
    if (slower > 1.05)
        return QObject::tr("%1 × slower").arg(slower, 0, 'f', slower < 10 ? 1 : 0);
    if (slower < 0.95)
        return QObject::tr("%1 × faster").arg(1 / slower, 0, 'f', 1);
    return QObject::tr("real time");
}

QString speedText(double msPerSecond)
{
    if (!(msPerSecond > 0))
        return {};
    const QString rate = rateText(msPerSecond), ratio = ratioText(msPerSecond);
    return ratio.contains(QChar(0xd7)) ? QObject::tr("%1  ·  %2 than real time").arg(rate, ratio)
                                       : QObject::tr("%1  ·  %2").arg(rate, ratio);
}

} // namespace tawara
