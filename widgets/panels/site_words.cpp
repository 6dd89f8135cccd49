// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/site_words.hpp"

#include "engine/simulation/late_pulses.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/pacing_panel.hpp"

#include <QRegularExpression>

#include <cmath>

namespace tawara {

using simulation::Protocol;
using simulation::Stimulus;

Protocol protocolOf(const Stimulus& s)
{
    if (s.protocol)
        return *s.protocol;
    Protocol p;
    p.kind = s.period_ms > 0 ? Protocol::Kind::train : Protocol::Kind::single;
    if (s.period_ms > 0)
        p.cycle_ms = s.period_ms, p.count = s.count;
    return p;
}

QString protocolText(const Stimulus& s)
{
    const Protocol p = protocolOf(s);
    switch (p.kind) {
    case Protocol::Kind::single:
        return PacingPanel::tr("single");
    case Protocol::Kind::train:
        return p.count == 0 ? PacingPanel::tr("%1 ms").arg(p.cycle_ms)
                            : PacingPanel::tr("%1 × %2 ms").arg(p.count).arg(p.cycle_ms);
    case Protocol::Kind::s1s2:
        return PacingPanel::tr("S1-S%1, %2 ms").arg(p.extra_ms.size() + 1).arg(p.cycle_ms);
    case Protocol::Kind::burst:
        return PacingPanel::tr("burst %1 ms").arg(p.cycle_ms);
    }
    return {};
}

std::optional<std::vector<double>> intervalsOf(const QString& text, QString* notTaken)
{
    static const QRegularExpression apart(QStringLiteral("[,;\\s]+"));
    std::vector<double> ms;
    for (const QString& part : text.split(apart, Qt::SkipEmptyParts)) {
        bool number = false;
        const double v = part.toDouble(&number);
        if (!number || !std::isfinite(v) || v <= 0) {
            if (notTaken != nullptr)
                *notTaken = part;
            return {};
        }
        ms.push_back(v);
    }
    return ms.empty() ? std::nullopt : std::optional(ms);
}

QString intervalsText(const std::vector<double>& ms)
{
    QStringList text;
    for (double v : ms)
        text << QString::number(v);
    return text.join(QStringLiteral(", "));
}

QString lateText(const Stimulus& s, double endMs)
{
    const auto late = simulation::first_late_pulse(s, endMs);
    if (!late)
        return {};
    QString name = QString::fromStdString(late->name);
    name[0] = name[0].toUpper();
    const QString at = spacedNumber(late->at_ms), end = spacedNumber(endMs);
    return late->more > 0
               ? PacingPanel::tr("%1 at %2 ms and %3 after it come after the end of the run (%4 "
                                 "ms).")
                     .arg(name, at)
                     .arg(late->more)
                     .arg(end)
               : PacingPanel::tr("%1 at %2 ms comes after the end of the run (%3 ms).")
                     .arg(name, at, end);
}

} // namespace tawara
