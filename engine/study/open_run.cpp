// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/open_run.hpp"

#include "engine/study/run_folder.hpp"

#include <numeric>

namespace tawara::study {

simulation::Session session_to_watch(const Study& s, const PlannedRun& run, const SiteRecord* site)
{
    auto out = session_of(s, run);
    if (!run.site)
        return out;
    const auto& i = *s.induction;
    const auto& planned = i.sites.at(*run.site);
    out.name = s.name + ", " + planned.name;
    out.stimuli.clear();
    const auto place = site != nullptr ? std::optional(site->place_mm) : planned.place_mm;
    if (!place)
        return out;
    simulation::Stimulus pulse;
    pulse.name = planned.name;
    pulse.region = simulation::Sphere{*place, i.radius_mm};
    pulse.duration_ms = i.duration_ms;
    pulse.amplitude_pA_per_pF = i.amplitude_pA_per_pF;
    simulation::Protocol p;
    p.kind = simulation::Protocol::Kind::s1s2;
    p.cycle_ms = i.cycle_ms;
    p.count = i.count;
    if (site != nullptr)
        p.extra_ms = site->before.worst.couplings_ms;
    pulse.protocol = p;
    out.stimuli.push_back(std::move(pulse));
    out.end_ms = std::accumulate(p.extra_ms.begin(), p.extra_ms.end(), (i.count - 1) * i.cycle_ms) +
                 i.sustained_ms;
    return out;
}

std::filesystem::path checkpoint_of(const PlannedRun& run, const std::filesystem::path& folder)
{
    if (run.site || run.protocol)
        return {};
    const auto all = checkpoints_in(folder / run.name);
    return all.empty() ? std::filesystem::path() : all.front();
}

} // namespace tawara::study
