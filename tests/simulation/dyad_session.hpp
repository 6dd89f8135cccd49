// SPDX-License-Identifier: GPL-3.0-or-later
// A small bar, half of it of cells with stochastic dyads. No program of its own.
#pragma once
#include "engine/simulation/session/session.hpp"

#include <string>

namespace dyad_session {

inline constexpr const char* text = R"({
  "schema": 1, "name": "dyads",
  "mesh": {"slab_mm": [3, 1, 1], "spacing_mm": 0.5},
  "tissue": {"regions": [
    {"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
     "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2}},
    {"where": {"box_mm": [[1.5, 0, 0], [3, 1, 1]]}, "model": "ohara_rudy_dyads_2011",
     "variant": "low_IK1", "dyads": [5, 4, 3], "seed": 7,
     "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2},
     "parameters": {"sums_over_all": 0, "refractory": 400}, "initial": {"V": -86, "c_nsr": 2.5},
     "forced_opening_ms": [[3, 5], [8, 8.5]]}]},
  "diffusion": {"scheme": "p1"},
  "reaction": {"scheme": "rush_larsen"},
  "time": {"dt_ms": 0.05, "end_ms": 6},
  "stimuli": [{"region": {"box_mm": [[0, 0, 0], [0.5, 1, 1]]}, "duration_ms": 1,
               "amplitude_pA_per_pF": 80}],
  "probes": [{"name": "plain", "position_mm": [0.5, 0.5, 0.5]},
             {"name": "dyads", "position_mm": [2.5, 0.5, 0.5]}],
  "output": {"frames": "none", "frames_every_ms": 0, "probes_every_ms": 0.5,
             "calcium_every_ms": 0.5}
})";

/// The same with one text in place of another.
inline std::string with(const std::string& from, const std::string& to)
{
    std::string out = text;
    return out.replace(out.find(from), from.size(), to);
}

inline tawara::simulation::Session session(const std::string& of = text)
{
    return tawara::simulation::parse_session(of, "dyads.json");
}

} // namespace dyad_session
