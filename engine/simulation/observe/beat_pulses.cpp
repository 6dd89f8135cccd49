// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/beat_pulses.hpp"

#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tawara::simulation {
namespace {

constexpr double hair_ms = 1e-6;
constexpr double longest_ms = 500; // of a wave that is the first one from its site
constexpr double later_ms = 100;   // a wave may take twice as long as the one before, and this
constexpr double sooner_ms = 2;    // and half as long as the quickest, less this
constexpr double after_ms = 2;     // an upstroke may end after the pulse that made it
constexpr double usual_speed = 0.6, fastest = 5; // of waves [mm/ms]
constexpr double grid_mm = 1; // a pulse may reach so much further than its extent

std::string name_of(const Pulse& p)
{
    return p.click ? "click" : p.site;
}

/// How long waves have taken from each site to the place.
class Delays
{
  public:
    /// How far a wave of that pulse would be from usual; nothing where it cannot be that wave.
    std::optional<double> unlikely(const Pulse& p, double delay_ms,
                                   const std::optional<Vec3>& place) const
    {
        std::optional<double> mm;
        if (place && p.extent)
            mm = p.extent->distance_mm(*place);
        if (mm && *mm - grid_mm > fastest * delay_ms)
            return std::nullopt;
        const auto known = p.click ? by_site_.end() : by_site_.find(p.site);
        if (known == by_site_.end()) {
            if (delay_ms > longest_ms)
                return std::nullopt;
            return mm ? std::fabs(delay_ms - *mm / usual_speed) : delay_ms;
        }
        const auto [usual, quickest] = known->second;
        if (delay_ms < quickest / 2 - sooner_ms || delay_ms > 2 * usual + later_ms)
            return std::nullopt;
        return std::fabs(delay_ms - usual);
    }
    void took(const Pulse& p, double delay_ms)
    {
        if (p.click)
            return;
        const auto at = by_site_.try_emplace(p.site, Times{delay_ms, delay_ms}).first;
        at->second = {delay_ms, std::min(at->second.quickest, delay_ms)};
    }

  private:
    struct Times
    {
        double usual, quickest; ///< of the newest wave; of all
    };
    std::map<std::string, Times> by_site_;
};

bool of_several_sites(std::span<const Pulse> pulses)
{
    const Pulse* first = nullptr;
    for (const auto& p : pulses) {
        if (p.click)
            continue;
        if (first == nullptr)
            first = &p;
        else if (p.site != first->site)
            return true;
    }
    return false;
}

/// The failed pulse whose current made a beat.
const Pulse* current_at(std::span<const Pulse* const> failed, double ms)
{
    for (const auto* p : failed)
        if (!p->overtaken && ms >= p->time_ms - hair_ms &&
            ms <= p->time_ms + p->duration_ms + after_ms)
            return p;
    return nullptr;
}

} // namespace

std::vector<BeatPulse> pulses_behind(std::span<const Beat> beats, std::span<const Pulse> pulses,
                                     const std::optional<Vec3>& place)
{
    std::vector<const Pulse*> given, failed;
    for (const auto& p : pulses)
        (p.captured.value_or(true) ? given : failed).push_back(&p);
    std::stable_sort(given.begin(), given.end(),
                     [](const Pulse* a, const Pulse* b) { return a->time_ms < b->time_ms; });
    std::vector<BeatPulse> out;
    Delays delays;
    std::size_t from = 0; // pulses before it are those of earlier beats, or older
    for (const auto& b : beats) {
        const Pulse* best = nullptr;
        double least = 0;
        for (auto k = from; k < given.size() && given[k]->time_ms <= b.activation_ms + hair_ms;
             ++k) {
            const auto u = delays.unlikely(*given[k], b.activation_ms - given[k]->time_ms, place);
            if (u && (best == nullptr || *u < least - hair_ms))
                best = given[k], least = *u;
        }
        if (best == nullptr) {
            const auto* p = current_at(failed, b.activation_ms);
            out.push_back({p, p != nullptr ? name_of(*p) : std::string()});
            continue;
        }
        delays.took(*best, b.activation_ms - best->time_ms);
        BeatPulse of{best, name_of(*best)};
        for (; from < given.size() && given[from]->time_ms <= best->time_ms + hair_ms; ++from)
            if (given[from] != best && given[from]->time_ms >= best->time_ms - hair_ms)
                of.stimulus += " + " + name_of(*given[from]);
        out.push_back(std::move(of));
    }
    return out;
}

void note_makers(std::span<Beat> beats, std::span<const Pulse> pulses,
                 const std::optional<Vec3>& place)
{
    const bool several = of_several_sites(pulses);
    auto makers = pulses_behind(beats, pulses, place);
    for (std::size_t k = 0; k < beats.size(); ++k) {
        beats[k].paced_by.reset();
        if (const Pulse* p = makers[k].pulse)
            beats[k].paced_by = PacedBy{std::move(makers[k].stimulus),
                                        p->kind,
                                        p->time_ms,
                                        p->coupling_ms,
                                        p->captured,
                                        several};
    }
}

std::string pulse_columns()
{
    return "stimulus,pulse,pulse_ms,coupling_ms,captured";
}

std::string pulse_fields(const BeatPulse& b)
{
    if (b.pulse == nullptr)
        return ",,,,";
    const Pulse& p = *b.pulse;
    std::string out = csv_field(b.stimulus) + "," + p.kind + ",";
    append_number(out, p.time_ms, 7);
    out += ",";
    if (p.coupling_ms > 0)
        append_number(out, p.coupling_ms, 7);
    out += ",";
    if (p.captured)
        out += *p.captured ? "1" : "0";
    return out;
}

} // namespace tawara::simulation
