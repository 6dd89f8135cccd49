// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the table of session keys (session_keys.cpp): those of the tissue.
#include "engine/simulation/session/tissue_keys.hpp"

#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_bounds.hpp"

namespace tawara::simulation {
namespace tissue_rows {
namespace {

constexpr Key::Range at_least_0{.low = 0}, above_0{.low = 0, .above = true},
    factor{.low = 1e-6, .high = 1e3}, velocity{.low = 0.05, .high = 5};
constexpr Key::Box conductivity_box{.step = 0.01, .decimals = 4, .low = 0.0001, .high = 10},
    velocity_box{.step = 0.05, .decimals = 2},
    factor_box{.step = 0.05, .decimals = 3, .low = 0.001, .high = 10};
constexpr auto changed = Key::Write::changed;
constexpr auto problem = Key::Fixed::problem;
using diffusion::Conductivity;

const Key rows[] = {
    Key("/tissue/surface_to_volume_per_mm", of<&Session::surface_to_volume_per_mm>(), {0.1, 1e5},
        "1/mm", "chi, the membrane's area in a volume of tissue", {.fixed = problem}),
    Key("/tissue/capacitance_uF_per_cm2", of<&Session::capacitance_uF_per_cm2>(), {1e-3, 1e3},
        "uF/cm2", "capacitance of the membrane", {.fixed = problem}),
    Key("/tissue/prepacing", "before the run each cell type is paced alone, below",
        {.left_out = "none"}),
    Key("/tissue/regions", {}, {1, most_regions}, "regions", "a list, below",
        {.more =
             "later regions lie on earlier ones: one with a `model` replaces what is beneath, one "
             "without changes it. On vertices (`p1`) counts what fills most of the volume around",
         .needed = "a list of at least one region",
         .fixed = problem}),

    Key("/tissue/prepacing/cycle_length_ms", of<&Prepacing::cycle_length_ms>(),
        {Prepacing::shortest_cycle_ms, Prepacing::longest_cycle_ms}, "ms",
        "pacing cycle length: the time from pulse to pulse",
        {.needed = "the time between pulses in ms", .box = {.step = 50, .decimals = 0}}),
    Key("/tissue/prepacing/beats", of<&Prepacing::beats>(),
        {0, static_cast<double>(Prepacing::most_beats)}, "beats",
        "how often each cell is paced; 100 beats and more are usual. More bring it nearer to its "
        "steady rhythm and take longer",
        {.needed = "how many pulses", .box = {.step = 10, .decimals = 0, .low = 1}}),
    Key("/tissue/prepacing/until_steady", of<&Prepacing::until_steady>(),
        "pacing ends earlier, once no state of any cell has more than 1 % to go to its steady "
        "rhythm; the "
        "number of beats is the largest then",
        {.more = "70 beats at least", .write = changed}),

    Key("/tissue/regions/#/label",
        "an integer region label of the mesh, a list of them, or `\"*\"`",
        {.needed = "a region label, a list of them, or \"*\"",
         .left_out = "needed without `where`"}),
    Key("/tissue/regions/#/where", "a place, in place of `label`: below", {.left_out = "none"}),
    Key("/tissue/regions/#/name", of<&Region::name>(), "for people", {.write = changed}),
    Key("/tissue/regions/#/kind", of<&Region::kind>(),
        "for the window, e.g. `border_zone` or `scar_core`",
        {.more =
             "the window outlines insulating tissue and tissue whose cells cannot fire, as neither "
             "g_Na, g_NaL nor g_CaL is left to them, and with a thinner line regions of kind "
             "`border_zone`, and of kind `scar_core` whose cells can fire all the same, which "
             "is said",
         .write = changed}),
    Key("/tissue/regions/#/model",
        "one of `tawara-cli cell list`, or the path of a `.mmt` or `.cellml` file",
        {.more = "units of V, time, stimulus and of CellML's connections are converted; whether "
                 "those inside expressions agree is not checked",
         .needed =
             "the name of a cell model, e.g. \"ten_tusscher_2006\", or a .mmt or .cellml file",
         .left_out = "that of the region beneath"}),
    Key("/tissue/regions/#/model_variables",
        "`{\"membrane_potential\": \"cell.V\", \"stimulus\": .., \"time\": ..}` for a model file "
        "whose text leaves them unclear (component.variable)",
        {.more = "on the command line `--membrane-potential`, `--stimulus`, `--time`",
         .left_out = "what the text says"}),
    Key("/tissue/regions/#/variant",
        "of the model, e.g. `epi`, `m`, `endo`: `tawara-cli cell info MODEL` lists them",
        {.left_out = "the model's own"}),
    Key("/tissue/regions/#/conductivity_S_per_m",
        "`{\"fibre\": .., \"sheet\": .., \"normal\": ..}`, monodomain; or `{\"intracellular\": "
        "{..}, \"extracellular\": {..}}`, of which sigma_i sigma_e / (sigma_i + sigma_e) is taken",
        {.more = "unequal ones want fibres, `sheet` and `normal` apart also sheets. All three 0: "
                 "the region insulates",
         .needed =
             "{\"fibre\": .., \"sheet\": .., \"normal\": ..} in S/m, or velocity_m_per_s in m/s",
         .left_out = "needed with `model`, unless there is `velocity_m_per_s`"}),
    Key("/tissue/regions/#/velocity_m_per_s",
        "in place of `conductivity_S_per_m`: what plane waves should run at, `{\"fibre\": 0.6, "
        "\"sheet\": 0.3, \"normal\": 0.2}`, or one number for all directions",
        {.more = "the program finds conductivities for it, below; needs a `model`",
         .needed = "a velocity in m/s, or {\"fibre\": .., \"sheet\": .., \"normal\": ..}",
         .left_out = "none"}),
    Key("/tissue/regions/#/insulating", of<&Region::insulating>(),
        "no cells and no current there, whatever lies beneath (scar, fat, valves)",
        {.more = "needs no `model`. Its unknowns are left out: on vertices (`p1`) those that touch "
                 "no conducting tetrahedron. Waves go around it, a site must reach tissue that "
                 "conducts, a probe's column and the maps are empty there",
         .write = changed}),
    Key("/tissue/regions/#/conductivity_scale",
        "a factor on the conductivities, 1e-6 to 1000; or one for each direction, `{\"fibre\": 1, "
        "\"sheet\": 0.1, \"normal\": 0.1}`, which wants fibres",
        {.left_out = "1"}),
    Key("/tissue/regions/#/scale",
        "factors on parameters, by the model's own names or those below: 0.5 halves; 0 to 1000",
        {.left_out = "none"}),
    Key("/tissue/regions/#/parameters", "`{\"g_Ks\": 0.392}`: values of the model's own parameters",
        {.more = "without a `model`, names that fit several models do as well",
         .left_out = "the model's"}),
    Key("/tissue/regions/#/initial", "`{\"V\": -85.23}`: values that the model's states begin with",
        {.left_out = "the model's"}),

    Key("/tissue/regions/#/dyads",
        "of cells with stochastic dyads (`ohara_rudy_dyads_2011`): how many along x, y and z of a "
        "cell, e.g. `[100, 10, 10]`, or one multiple of 100, of N / 100 x 10 x 10",
        {.more = "each takes 80 bytes in double precision and 52 in single, on a GPU 89 and 61; a "
                 "step of 10 000 takes a core about 0.1 ms",
         .left_out = "`[100, 10, 10]`"}),
    Key("/tissue/regions/#/seed", of<&Region::dyads, &Dyads::seed>(), {0, Dyads::largest_seed}, "",
        "of cells with stochastic dyads: of their random numbers", {.write = changed}),
    Key("/tissue/regions/#/forced_opening_ms", {}, {}, "ms",
        "of cells with stochastic dyads: when all RyR are held open, e.g. `[[50, 150]]`, from and "
        "until",
        {.more = "without a `model` in place of what the region beneath has. It may differ from a "
                 "checkpoint's, as stimuli may",
         .left_out = "never"}),
    Key("/tissue/regions/#/conductivity_S_per_m/fibre", of<&Conductivity::fibre>(), at_least_0,
        "S/m", "conductivity along the fibres",
        {.needed = "the conductivity in S/m", .box = conductivity_box}),
    Key("/tissue/regions/#/conductivity_S_per_m/sheet", of<&Conductivity::sheet>(), at_least_0,
        "S/m", "conductivity across the fibres within the sheet",
        {.needed = "the conductivity in S/m", .box = conductivity_box}),
    Key("/tissue/regions/#/conductivity_S_per_m/normal", of<&Conductivity::normal>(), at_least_0,
        "S/m", "conductivity across the sheets",
        {.needed = "the conductivity in S/m", .box = conductivity_box}),
    Key("/tissue/regions/#/velocity_m_per_s/fibre", of<&ConductionVelocity::fibre>(), velocity,
        "m/s", "velocity of waves along the fibres",
        {.needed = "a velocity in m/s", .box = velocity_box}),
    Key("/tissue/regions/#/velocity_m_per_s/sheet", of<&ConductionVelocity::sheet>(), velocity,
        "m/s", "velocity of waves across the fibres within the sheet",
        {.needed = "a velocity in m/s", .box = velocity_box}),
    Key("/tissue/regions/#/velocity_m_per_s/normal", of<&ConductionVelocity::normal>(), velocity,
        "m/s", "velocity of waves across the sheets",
        {.needed = "a velocity in m/s", .box = velocity_box}),
    Key("/tissue/regions/#/conductivity_scale/fibre", of<&ConductivityScale::fibre>(), factor, "",
        "factor on the conductivity along the fibres: below 1 slows conduction",
        {.box = factor_box}),
    Key("/tissue/regions/#/conductivity_scale/sheet", of<&ConductivityScale::sheet>(), factor, "",
        "factor on the conductivity across the fibres within the sheet: below 1 slows conduction",
        {.box = factor_box}),
    Key("/tissue/regions/#/conductivity_scale/normal", of<&ConductivityScale::normal>(), factor, "",
        "factor on the conductivity across the sheets: below 1 slows conduction",
        {.box = factor_box}),

    Key("/tissue/regions/#/where/label", "a region label of the mesh, or a list of them"),
    Key("/tissue/regions/#/where/box_mm", {}, {}, "mm",
        "`[[x, y, z], [x, y, z]]`, low corner first: tetrahedra whose centroids lie in the box",
        {.box = {.step = 1, .decimals = 2, .low = -1000, .high = 1000}}),
    Key("/tissue/regions/#/where/sphere_mm",
        "`{\"centre\": [x, y, z], \"radius\": r}`: tetrahedra whose centroids lie in the ball"),
    Key("/tissue/regions/#/where/layer", "a layer of the wall",
        {.words = "endo mid epi", .more = "wants a heart: the mesh's fields, or its walls"}),
    Key("/tissue/regions/#/where/aha_segments", "a list of AHA segments, 1 to 17",
        {.more = "wants a heart: the mesh's fields, or its walls"}),
    Key("/tissue/regions/#/where/tetrahedra",
        "`[3, [10, 20]]`: single ones and ranges, from 0, ends included"),
    Key("/tissue/regions/#/where/sphere_mm/centre", {}, {}, "mm", "centre of the ball",
        {.needed = "[x, y, z] in mm"}),
    Key("/tissue/regions/#/where/sphere_mm/radius", of<&Sphere::radius>(), above_0, "mm",
        "radius of the ball",
        {.needed = "a length in mm", .box = {.step = 1, .decimals = 1, .low = 0.5, .high = 100}}),
};

} // namespace
} // namespace tissue_rows

std::span<const Key> tissue_keys()
{
    return tissue_rows::rows;
}

} // namespace tawara::simulation
