// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/unpaced_words.hpp"

#include "widgets/panels/field_note.hpp"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr std::size_t counted = 3; // activations
constexpr std::size_t named = 4;   // probes

struct Turning
{
    QString probe;
    double cycle_ms = 0, last_ms = 0;
};

QString ms(double x)
{
    return spacedNumber(std::round(x));
}

std::optional<Turning> turningAt(const BeatsPanel::Entry& e, std::optional<double> lastPulseMs)
{
    std::vector<double> at;
    for (const auto& b : e.beats)
        if (!lastPulseMs || b.activation_ms > *lastPulseMs)
            at.push_back(b.activation_ms);
    const std::size_t of_pulse = lastPulseMs ? 1 : 0;
    if (at.size() < counted + of_pulse)
        return std::nullopt;
    return Turning{e.probe, (at.back() - at[at.size() - counted]) / (counted - 1), at.back()};
}

QString cyclesText(std::vector<Turning> all)
{
    QStringList text;
    if (all.size() <= named) {
        for (const auto& t : all)
            text << BeatsPanel::tr("%1 ms at %2").arg(ms(t.cycle_ms), t.probe);
        return text.join(QStringLiteral(", "));
    }
    std::sort(all.begin(), all.end(),
              [](const Turning& a, const Turning& b) { return a.cycle_ms < b.cycle_ms; });
    const QString least = ms(all.front().cycle_ms), most = ms(all.back().cycle_ms);
    return least == most ? BeatsPanel::tr("%1 ms at %2 probes").arg(least).arg(all.size())
                         : BeatsPanel::tr("%1 to %2 ms at %3 probes, median %4 ms")
                               .arg(least, most)
                               .arg(all.size())
                               .arg(ms(all[all.size() / 2].cycle_ms));
}

QString centresText(const std::optional<Centres>& c)
{
    if (!c)
        return BeatsPanel::tr("filaments are counted while a view shows them or the phase (View)");
    QStringList all;
    if (c->filaments > 0)
        all << (c->filaments == 1 ? BeatsPanel::tr("1 filament")
                                  : BeatsPanel::tr("%1 filaments").arg(c->filaments));
    if (c->obstacles > 0)
        all << (c->obstacles == 1 ? BeatsPanel::tr("a wave around 1 obstacle")
                                  : BeatsPanel::tr("waves around %1 obstacles").arg(c->obstacles));
    if (all.isEmpty())
        return BeatsPanel::tr("no filament now");
    const QString now = BeatsPanel::tr("%1 now").arg(all.join(BeatsPanel::tr(" and ")));
    return c->turned > 0 ? now : BeatsPanel::tr("%1, no full turn seen yet").arg(now);
}

} // namespace

QString unpacedText(const std::vector<BeatsPanel::Entry>& entries,
                    std::optional<double> lastPulseMs, double nowMs,
                    const std::optional<Centres>& centres)
{
    std::vector<Turning> all;
    double last = 0;
    bool goesOn = false;
    for (const auto& e : entries)
        if (const auto t = turningAt(e, lastPulseMs)) {
            all.push_back(*t);
            last = std::max(last, t->last_ms);
            goesOn = goesOn || nowMs < t->last_ms + 1.5 * t->cycle_ms;
        }
    if (all.empty())
        return {};
    const QString since =
        lastPulseMs ? BeatsPanel::tr(" since %1 ms").arg(ms(*lastPulseMs)) : QString();
    if (!goesOn)
        return BeatsPanel::tr("Waves without pacing%1 have ended: the last activation of a probe "
                              "was at %2 ms; cycle length until then %3.")
            .arg(since, ms(last), cyclesText(std::move(all)));
    const QString what = centres && centres->turned > 0 ? BeatsPanel::tr("Re-entry, without pacing")
                                                        : BeatsPanel::tr("Waves without pacing");
    return BeatsPanel::tr("%1%2: cycle length %3 (last %4 activations); %5.")
        .arg(what, since, cyclesText(std::move(all)), QString::number(counted),
             centresText(centres));
}

} // namespace tawara
