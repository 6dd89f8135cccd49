// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_time.hpp"

#include "engine/simulation/session/session_key_json.hpp"

#include <algorithm>

namespace tawara::simulation {

void read_time(const JsonNode& n, Session& s)
{
    read_keys(n, "/time", s);
    const auto dt = n.at("dt_ms", ""), end = n.at("end_ms", "");
    if (const auto longest = n.find("dt_max_ms")) {
        if (s.stepping != Stepping::newton)
            longest->fail_exclusive("is for diffusion stepping \"newton\" alone; leave it out");
        if (s.newton.dt_max_ms < s.dt_ms)
            longest->fail_value("at least one time step (dt_ms)");
    }
    if (s.dt_ms > s.end_ms)
        end.fail_value("at least one time step (dt_ms)");
    if (s.end_ms / s.dt_ms > 1e15)
        dt.fail_value("longer: the run would have more than 1e15 steps");
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
