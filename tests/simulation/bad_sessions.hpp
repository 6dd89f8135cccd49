// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace bad_sessions {

/// A session that runs a small slab for a moment.
inline const std::string good = R"({
  "schema": 1,
  "name": "small slab",
  "mesh": {"slab_mm": [2, 1, 1], "spacing_mm": 0.5},
  "tissue": {
    "surface_to_volume_per_mm": 140,
    "capacitance_uF_per_cm2": 1.0,
    "regions": [
      {"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
       "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176},
       "parameters": {"g_Ks": 0.392}, "initial": {"V": -85.23}}
    ]
  },
  "diffusion": {"scheme": "fvm", "splitting": "godunov", "stepping": "explicit"},
  "reaction": {"scheme": "rush_larsen_light"},
  "time": {"dt_ms": 0.02, "end_ms": 1},
  "stimuli": [
    {"name": "S1", "region": {"box_mm": [[0, 0, 0], [1, 1, 1]]},
     "start_ms": 0, "duration_ms": 0.5, "amplitude_pA_per_pF": 50, "period_ms": 0, "count": 1}
  ],
  "probes": [{"name": "P1", "position_mm": [1, 0.5, 0.5]}],
  "output": {"activation_threshold_mV": 0, "frames_every_ms": 0, "frames": "vtu"}
})";

/// What is done to the good one, and a part of the line that it must give (the place, mostly).
struct Case
{
    const char* name;
    const char* from; ///< text that is replaced; empty: `to` is the whole file
    const char* to;
    const char* says;
};

inline const std::vector<Case> cases{
    {"empty file", "", " ", ": is empty"},
    {"no JSON", "", "hello", ":1: is not JSON"},
    {"a list", "", "[1, 2]", "should be an object"},
    {"truncated", R"("output": {"activation_threshold_mV": 0, "frames_every_ms": 0, "frames": "vtu"}
})",
     "", ": is not JSON"},
    {"comma missing in line 3", R"("schema": 1,)", R"("schema": 1)", ":2: is not JSON"},
    {"NaN", R"("dt_ms": 0.02)", R"("dt_ms": NaN)", ":16: is not JSON"},
    {"binary", "small slab", "small \x01 slab", ":3: is not JSON"},
    {"infinite number", R"("end_ms": 1)", R"("end_ms": 1e999)", "number"},
    {"key twice", R"("name": "small slab",)", R"("name": "a", "name": "b",)", "twice"},
    {"schema missing", R"("schema": 1,)", "", ":/schema: is missing"},
    {"schema 2", R"("schema": 1,)", R"("schema": 2,)", ":/schema: is 2"},
    {"schema as text", R"("schema": 1,)", R"("schema": "1",)", ":/schema: is \"1\""},
    {"unknown key", R"("stimuli":)", R"("stimulii":)", "nearest known is 'stimuli'"},
    {"unknown key inside", R"("dt_ms")", R"("dt_m")",
     ":/time/dt_m: unknown key 'dt_m'; the nearest known is 'dt_ms'"},
    {"mesh missing", R"("mesh": {"slab_mm": [2, 1, 1], "spacing_mm": 0.5},)", "",
     ":/mesh: is missing"},
    {"mesh without a kind", R"("slab_mm": [2, 1, 1], "spacing_mm": 0.5)", "",
     ":/mesh: names no mesh"},
    {"two meshes", R"("spacing_mm": 0.5)", R"("spacing_mm": 0.5, "file": "a.vtu")",
     ":/mesh: names more than one"},
    {"mesh file missing", R"("slab_mm": [2, 1, 1], "spacing_mm": 0.5)", R"("file": "nowhere.vtu")",
     "nowhere.vtu"},
    {"length unit", R"("slab_mm": [2, 1, 1], "spacing_mm": 0.5)",
     R"("file": "a.vtu", "length_unit": "inch")", ":/mesh/length_unit: is \"inch\""},
    {"slab negative", "[2, 1, 1]", "[2, -1, 1]", ":/mesh/slab_mm"},
    {"slab of two", "[2, 1, 1]", "[2, 1]", ":/mesh/slab_mm: is a list of 2"},
    {"slab of text", "[2, 1, 1]", R"([2, "1", 1])", ":/mesh/slab_mm/1: is \"1\""},
    {"spacing zero", R"("spacing_mm": 0.5)", R"("spacing_mm": 0)", ":/mesh/spacing_mm: is 0"},
    {"spacing tiny", R"("spacing_mm": 0.5)", R"("spacing_mm": 1e-9)", ":/mesh/spacing_mm"},
    {"embedded false", R"("slab_mm": [2, 1, 1], "spacing_mm": 0.5)", R"("embedded": false)",
     ":/mesh/embedded"},
    {"heart out of range", R"("slab_mm": [2, 1, 1], "spacing_mm": 0.5)",
     R"("heart": {"lv_wall_mm": -3})", ":/mesh/heart/lv_wall_mm: is -3"},
    {"no regions", R"("label": "*", "model")", R"("label": "all", "model")",
     ":/tissue/regions/0/label"},
    {"label of no tetrahedron", R"("label": "*", "model")", R"("label": 77, "model")", "77"},
    {"label fractional", R"("label": "*", "model")", R"("label": 1.5, "model")",
     ":/tissue/regions/0/label: is 1.5"},
    {"unknown model", "ten_tusscher_2006", "ten_tuscher_2006", "'ten_tusscher_2006'"},
    {"unknown variant", R"("variant": "epi")", R"("variant": "ep")", ":/tissue/regions/0/variant"},
    {"unknown parameter", R"("g_Ks": 0.392)", R"("g_KS2": 0.392)",
     ":/tissue/regions/0/parameters/g_KS2"},
    {"parameter as text", R"("g_Ks": 0.392)", R"("g_Ks": "0.392")",
     ":/tissue/regions/0/parameters/g_Ks"},
    {"unknown state", R"("V": -85.23)", R"("U": -85.23)", ":/tissue/regions/0/initial/U"},
    {"conductivity negative", R"("sheet": 0.0176)", R"("sheet": -0.0176)",
     ":/tissue/regions/0/conductivity_S_per_m/sheet"},
    {"conductivity missing", R"("sheet": 0.0176,)", "",
     ":/tissue/regions/0/conductivity_S_per_m/sheet: is missing"},
    {"conductivity and velocity", R"("parameters":)", R"("velocity_m_per_s": 0.6, "parameters":)",
     ":/tissue/regions/0: has both \"conductivity_S_per_m\" and \"velocity_m_per_s\""},
    {"velocity of an insulator",
     R"("conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176})",
     R"("insulating": true, "velocity_m_per_s": 0.6)",
     ":/tissue/regions/0/velocity_m_per_s: is given beside \"insulating\": true"},
    {"velocity zero",
     R"("conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176})",
     R"("velocity_m_per_s": {"fibre": 0, "sheet": 0.3, "normal": 0.2})",
     ":/tissue/regions/0/velocity_m_per_s/fibre: is 0"},
    {"velocity of text",
     R"("conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176})",
     R"("velocity_m_per_s": "fast")", ":/tissue/regions/0/velocity_m_per_s: is \"fast\""},
    {"velocity missing",
     R"("conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176})",
     R"("velocity_m_per_s": {"fibre": 0.6, "sheet": 0.3})",
     ":/tissue/regions/0/velocity_m_per_s/normal: is missing"},
    {"ratio zero", R"("surface_to_volume_per_mm": 140)", R"("surface_to_volume_per_mm": 0)",
     ":/tissue/surface_to_volume_per_mm"},
    {"ratio absurd", R"("surface_to_volume_per_mm": 140)", R"("surface_to_volume_per_mm": 1e300)",
     ":/tissue/surface_to_volume_per_mm: is 1e+300; it should be a number from 0.1 to 100000"},
    {"capacitance null", R"("capacitance_uF_per_cm2": 1.0)", R"("capacitance_uF_per_cm2": null)",
     ":/tissue/capacitance_uF_per_cm2: is null"},
    {"diffusion scheme", R"("scheme": "fvm")", R"("scheme": "fem")", "(nearest: \"fvm\")"},
    {"mass with fvm", R"("scheme": "fvm",)", R"("scheme": "fvm", "mass": "lumped",)",
     ":/diffusion/mass"},
    {"currents with fvm", R"("scheme": "fvm",)", R"("scheme": "fvm", "currents": "nodal",)",
     ":/diffusion/currents: is for scheme \"p1\" alone"},
    {"currents of no kind", R"("scheme": "fvm",)", R"("scheme": "p1", "currents": "gauss",)",
     ":/diffusion/currents"},
    {"currents with consistent mass", R"("scheme": "fvm",)",
     R"("scheme": "p1", "mass": "consistent", "currents": "interpolated",)",
     ":/diffusion/mass: does not go with interpolated currents; take mass \"lumped\""},
    {"splitting", R"("godunov")", R"("lie")", ":/diffusion/splitting"},
    {"stepping", R"("explicit")", R"("implicit")", ":/diffusion/stepping"},
    {"reaction scheme", R"("rush_larsen_light")", R"("rush_larson_light")", "'rush_larsen_light'"},
    {"rest", R"("scheme": "rush_larsen_light")", R"("rest_tolerance_mV": -1)",
     ":/reaction/rest_tolerance_mV"},
    {"rest too far", R"("scheme": "rush_larsen_light")", R"("rest_tolerance_mV": 0.6)",
     ":/reaction/rest_tolerance_mV"},
    {"scaling below 1", R"("scheme": "fvm")", R"("scheme": "fvm", "mass_scaling_largest": 0.9)",
     ":/diffusion/mass_scaling_largest"},
    {"tables too fine", R"("scheme": "rush_larsen_light")", R"("tables_mV": 1e-6)",
     ":/reaction/tables_mV"},
    {"tables too coarse", R"("scheme": "rush_larsen_light")", R"("tables_mV": 5)",
     ":/reaction/tables_mV"},
    {"reaction of single cells", R"("rush_larsen_light")", R"("cvode")", ":/reaction/scheme"},
    {"step negative", R"("dt_ms": 0.02)", R"("dt_ms": -0.02)", ":/time/dt_ms: is -0.02"},
    {"step as text", R"("dt_ms": 0.02)", R"("dt_ms": "0.02")", ":/time/dt_ms: is \"0.02\""},
    {"step too long", R"("dt_ms": 0.02)", R"("dt_ms": 2)", ":/time/dt_ms: is 2"},
    {"end missing", R"(, "end_ms": 1)", "", ":/time/end_ms: is missing"},
    {"end before a step", R"("end_ms": 1)", R"("end_ms": 0.01)", ":/time/end_ms"},
    {"probes an object", R"("probes": [{"name": "P1", "position_mm": [1, 0.5, 0.5]}])",
     R"("probes": {})", ":/probes: is an object"},
    {"stimulus without region", R"("region": {"box_mm": [[0, 0, 0], [1, 1, 1]]},)", "",
     ":/stimuli/0/region: is missing"},
    {"stimulus in two regions", R"([[0, 0, 0], [1, 1, 1]])",
     R"([[0, 0, 0], [1, 1, 1]], "label": 1)", ":/stimuli/0/region: names 2"},
    {"stimulus box swapped", R"([[0, 0, 0], [1, 1, 1]])", R"([[1, 1, 1], [0, 0, 0]])",
     ":/stimuli/0/region/box_mm"},
    {"stimulus outside", R"([[0, 0, 0], [1, 1, 1]])", R"([[50, 0, 0], [51, 1, 1]])", "/stimuli/0"},
    {"stimulus on a wall unknown", R"("box_mm": [[0, 0, 0], [1, 1, 1]])", R"("surface": "endo")",
     ":/stimuli/0/region/surface"},
    {"stimulus node negative", R"("box_mm": [[0, 0, 0], [1, 1, 1]])", R"("nodes": [-1])",
     ":/stimuli/0/region/nodes/0"},
    {"stimulus node too large", R"("box_mm": [[0, 0, 0], [1, 1, 1]])", R"("nodes": [100000])",
     "100000"},
    {"radius zero", R"("box_mm": [[0, 0, 0], [1, 1, 1]])",
     R"("sphere_mm": {"centre": [0, 0, 0], "radius": 0})", ":/stimuli/0/region/sphere_mm/radius"},
    {"two amplitudes", R"("amplitude_pA_per_pF": 50)",
     R"("amplitude_pA_per_pF": 50, "amplitude_uA_per_cm3": 5)", ":/stimuli/0: has two amplitudes"},
    {"no amplitude", R"("amplitude_pA_per_pF": 50, )", "", ":/stimuli/0: has no amplitude"},
    {"duration negative", R"("duration_ms": 0.5)", R"("duration_ms": -1)",
     ":/stimuli/0/duration_ms"},
    {"start negative", R"("start_ms": 0)", R"("start_ms": -1)", ":/stimuli/0/start_ms"},
    {"period too short", R"("period_ms": 0)", R"("period_ms": 0.1)", ":/stimuli/0/period_ms"},
    {"count without period", R"("count": 1)", R"("count": 3)", ":/stimuli/0/count"},
    {"probe without position", R"(, "position_mm": [1, 0.5, 0.5])", "",
     ":/probes/0/position_mm: is missing"},
    {"probe outside", "[1, 0.5, 0.5]", "[100, 0, 0]", "P1"},
    {"probe twice", R"({"name": "P1", "position_mm": [1, 0.5, 0.5]})",
     R"({"name": "P1", "position_mm": [1, 0.5, 0.5]}, {"name": "P1", "position_mm": [1, 0.5, 0.5]})",
     ":/probes/1/name"},
    {"threshold", R"("activation_threshold_mV": 0)", R"("activation_threshold_mV": 1000)",
     ":/output/activation_threshold_mV"},
    {"frame interval", R"("frames_every_ms": 0)", R"("frames_every_ms": -5)",
     ":/output/frames_every_ms"},
    {"frame format", R"("frames": "vtu")", R"("frames": "vtk")", ":/output/frames: is \"vtk\""},
};

/// The bad file's text.
inline std::string text_of(const Case& c)
{
    std::string text = good;
    if (c.from[0] == 0)
        return c.to;
    const auto at = text.find(c.from);
    if (at == std::string::npos)
        return {};
    return text.replace(at, std::string(c.from).size(), c.to);
}

} // namespace bad_sessions
