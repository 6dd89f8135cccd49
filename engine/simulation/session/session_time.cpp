// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_time.hpp"

#include <algorithm>

namespace tawara::simulation {

void read_time(const JsonNode& n, Session& s)
{
    n.only({"dt_ms", "end_ms"});
    const auto dt = n.at("dt_ms", "the time step in ms, e.g. 0.02");
    const auto end = n.at("end_ms", "the end of the run in ms");
    s.dt_ms = dt.positive("ms");
    s.end_ms = end.positive("ms");
    if (s.dt_ms > 1)
        dt.fail_value("at most 1 ms: no cell model is stable beyond");
    if (s.dt_ms > s.end_ms)
        end.fail_value("at least one time step (dt_ms)");
    if (s.end_ms / s.dt_ms > 1e15)
        dt.fail_value("longer: the run would have more than 1e15 steps");
}

void read_output(const JsonNode& n, Session& s)
{
    n.only({"activation_threshold_mV", "frames_every_ms", "frames", "checkpoint_every_ms",
            "probes_every_ms", "maps_from_ms", "checkpoints_kept"});
    if (const auto x = n.find("activation_threshold_mV"))
        s.activation_threshold_mV = x->within(-200, 200, "mV");
    if (const auto x = n.find("frames_every_ms"))
        s.frames_every_ms = x->not_negative("ms");
    if (const auto x = n.find("frames"))
        s.frames = static_cast<FrameFormat>(x->word({"none", "vtu", "igb"}));
    if (const auto x = n.find("checkpoint_every_ms"))
        s.checkpoint_every_ms = x->not_negative("ms");
    if (const auto x = n.find("checkpoints_kept"))
        s.checkpoints_kept = x->integer(0, 1'000'000);
    if (const auto x = n.find("probes_every_ms"))
        s.probes_every_ms = x->not_negative("ms");
    if (const auto x = n.find("maps_from_ms"))
        s.maps_from_ms = x->not_negative("ms");
}

void need_few_pulses(const JsonNode& list, const Session& s)
{
    constexpr double most = 100'000;
    double runs = 0;
    for (const auto& x : s.stimuli)
        if (x.protocol)
            runs += static_cast<double>(x.protocol->extra_ms.size() + 1) *
                    std::max(1, x.protocol->repeats);
    if (runs > most)
        list.fail("has protocols of more than 100000 trains and extra pulses in all (extra_ms, "
                  "repeats); give fewer");
}

void need_few_tetrahedra(const JsonNode& region, const Region& r, std::size_t& named)
{
    if (!r.where)
        return;
    if (const auto* t = std::get_if<Tetrahedra>(&*r.where))
        named += t->tetrahedra.size();
    if (named > static_cast<std::size_t>(most_named_tetrahedra))
        region.fail("is one of several that name more than " +
                    std::to_string(most_named_tetrahedra) +
                    " tetrahedra in all; give labels or shapes");
}

} // namespace tawara::simulation
