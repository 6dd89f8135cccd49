// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

namespace full_session {

/// A session that uses every key beyond the plain ones.
inline constexpr const char* full = R"({
  "schema": 1, "name": "full",
  "mesh": {"slab_mm": [4, 2, 2], "spacing_mm": 0.5},
  "tissue": {"regions": [
    {"label": "*", "name": "healthy", "model": "ten_tusscher_2006", "variant": "epi",
     "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1}, "parameters": {"g_Ks": 0.4}},
    {"where": {"box_mm": [[0, 0, 0], [2, 2, 2]]}, "kind": "border_zone", "name": "zone",
     "conductivity_scale": 0.5, "scale": {"g_Na": 0.5, "g_Ks": 0.5}},
    {"where": {"sphere_mm": {"centre": [1, 1, 1], "radius": 1}}, "parameters": {"g_Kr": 0.1},
     "scale": {"g_Ks": 0.5}},
    {"where": {"tetrahedra": [0, [3, 9], 12, 13]}, "conductivity_scale": 0.01}]},
  "time": {"dt_ms": 0.02, "end_ms": 10},
  "stimuli": [
    {"name": "a", "region": {"box_mm": [[0, 0, 0], [1, 1, 1]]}, "duration_ms": 2,
     "amplitude_pA_per_pF": 50, "on": false,
     "protocol": {"kind": "s1s2", "cycle_ms": 500, "count": 4, "extra_ms": [300, 250],
                  "decrement_ms": 10, "repeats": 3, "pause_ms": 900}},
    {"name": "b", "region": {"box_mm": [[0, 0, 0], [1, 1, 1]]}, "duration_ms": 2,
     "amplitude_pA_per_pF": 50, "protocol": {"kind": "train", "cycle_ms": 400, "count": 0}}],
  "drugs": [{"name": "dofetilide-like", "factors": {"g_Kr": 0.5}}],
  "ecg": {"electrodes": [{"name": "A", "position_mm": [20, 1, 1]}, {"name": "B", "position_mm": [-20, 1, 1]}],
          "leads": [{"name": "AB", "weights": {"A": 1, "B": -1}}], "every_ms": 2, "conductor": "torso",
          "source_conductivity_S_per_m": "intracellular",
          "frame": {"origin_mm": [0, 0, 0], "left": [2, 0, 0], "posterior": [0, 1, 0], "superior": [0, 0, 1]}},
  "view": {"camera": [1.5, 2, {"x": null}], "map": "inferno"}
})";

/// What is done to it, and the place that the error must name.
struct Case
{
    const char *name, *from, *to, *says;
};

inline const std::vector<Case> cases{
    {"two places", R"({"tetrahedra": [0,)", R"({"layer": "endo", "tetrahedra": [0,)",
     "/tissue/regions/3/where"},
    {"label and where", R"({"where": {"box)", R"({"label": 1, "where": {"box)",
     "/tissue/regions/1/label"},
    {"bad layer", R"({"tetrahedra": [0, [3, 9], 12, 13]})", R"({"layer": "end"})",
     "/tissue/regions/3/where/layer"},
    {"segment 18", R"({"tetrahedra": [0, [3, 9], 12, 13]})", R"({"aha_segments": [18]})",
     "/tissue/regions/3/where/aha_segments/0"},
    {"run backwards", "[3, 9]", "[9, 3]", "/where/tetrahedra/1/1"},
    {"negative factor", R"("g_Na": 0.5)", R"("g_Na": -1)", "/tissue/regions/1/scale/g_Na"},
    {"no conduction", R"("conductivity_scale": 0.01)", R"("conductivity_scale": 0)",
     "/tissue/regions/3/conductivity_scale"},
    {"first inherits", R"("model": "ten_tusscher_2006", "variant": "epi",
     "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1})",
     R"("scale": {})", "/tissue/regions/0"},
    {"variant without model", R"("kind": "border_zone",)", R"("variant": "epi",)",
     "/tissue/regions/1/variant"},
    {"velocity without model", R"("kind": "border_zone",)", R"("velocity_m_per_s": 0.6,)",
     "/tissue/regions/1/velocity_m_per_s"},
    {"protocol and period", R"("on": false,)", R"("period_ms": 100,)", "/stimuli/0/period_ms"},
    {"kind", R"("kind": "s1s2")", R"("kind": "s1s3")", "/stimuli/0/protocol/kind"},
    {"short cycle", R"("cycle_ms": 500)", R"("cycle_ms": 1)", "/stimuli/0/protocol/cycle_ms"},
    {"short coupling", "[300, 250]", "[300, 2]", "/stimuli/0/protocol/extra_ms/1"},
    {"train with pause", R"("cycle_ms": 400, "count": 0)", R"("cycle_ms": 400, "pause_ms": 100)",
     "/stimuli/1/protocol/pause_ms"},
    {"on as number", R"("on": false)", R"("on": 0)", "/stimuli/0/on"},
    {"drug factor", R"("factors": {"g_Kr": 0.5})", R"("factors": {"g_Kr": "half"})",
     "/drugs/0/factors/g_Kr"},
    {"drug on nothing", R"("factors": {"g_Kr": 0.5})", R"("factors": {"g_Krr": 0.5})",
     "/drugs/0/factors/g_Krr: unknown parameter 'g_Krr'; the nearest known is 'g_Kr'"},
    {"drug far from any", R"("factors": {"g_Kr": 0.5})", R"("factors": {"potency": 0.5})",
     "/drugs/0/factors/potency: unknown parameter 'potency'; known of any model are g_Na, "},
    {"scale of nothing", R"("scale": {"g_Na": 0.5, "g_Ks": 0.5})", R"("scale": {"gNa": 0.5})",
     "/tissue/regions/1/scale/gNa: unknown parameter 'gNa'; the nearest known is 'g_Na'"},
    {"unknown electrode", R"("A": 1, "B": -1)", R"("A": 1, "C": -1)",
     "/ecg/leads/0/weights/C: names no electrode of \"electrodes\"; known are A, B"},
    {"electrode twice", R"("name": "B")", R"("name": "A")", "/ecg/electrodes/1/name"},
    {"skew axes", R"("posterior": [0, 1, 0])", R"("posterior": [1, 1, 0])", "/ecg/frame"},
    {"leads", R"("leads": [{"name": "AB", "weights": {"A": 1, "B": -1}}])", R"("leads": "12")",
     "/ecg/leads"},
    {"view", R"("view": {"camera": [1.5, 2, {"x": null}], "map": "inferno"})", R"("view": 3)",
     "/view"},
};

} // namespace full_session
