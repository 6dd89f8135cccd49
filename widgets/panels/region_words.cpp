// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/region_words.hpp"

#include <QCoreApplication>
#include <QRegularExpression>

namespace tawara {

QString inRegionNames(const std::string& said, std::span<const simulation::Region> regions)
{
    const QString text = QString::fromStdString(said);
    static const QRegularExpression place(
        QStringLiteral("^[^\\n]*?:/tissue/regions/(\\d{1,6})(?:/([^\\s:]+))?: "));
    const auto found = place.match(text);
    if (!found.hasMatch())
        return text;
    const auto index = found.captured(1).toUInt();
    const QString name =
        index < regions.size() ? QString::fromStdString(regions[index].name) : QString();
    QString words =
        name.isEmpty()
            ? QCoreApplication::translate("tawara::RegionWords", "Region %1").arg(index + 1)
            : QCoreApplication::translate("tawara::RegionWords", "Region “%1”").arg(name);
    if (const QString member = found.captured(2); !member.isEmpty())
        words += QStringLiteral(", ") + member;
    return words + QStringLiteral(": ") + text.mid(found.capturedEnd());
}

} // namespace tawara
