// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/purkinje_keys.hpp"

#include "engine/simulation/session/session_bounds.hpp"

template class tawara::Held<tawara::simulation::PurkinjeKeys>;

namespace tawara::simulation {
namespace {

constexpr auto if_changed = Key::Write::changed;
using cable::GrowthParameters;

const Key network_rows[] = {
    Key("/purkinje/file",
        "a network from a file, or a list of files: VTU, legacy VTK or VTP lines, SWC, a table; or "
        "`grow`",
        {.more = "relative to the session; what was mended is said. Each tree in them has a root "
                 "that is stimulated",
         .left_out = "one of the two is needed"}),
    Key("/purkinje/length_unit", "of `file`: its unit of length",
        {.words = "um mm cm m", .left_out = "what the file says, else judged by the size"}),
    Key("/purkinje/grow",
        "a network that grows on the endocardia: the numbers below, `{}` for their defaults",
        {.more = "`tawara-cli purkinje grow MESH OUT.vtu` makes the same tree; where it grows and "
                 "by which rule is in `engine/NUMERICS.md`"}),
    Key("/purkinje/model", of<&PurkinjeKeys::model>(),
        "cell model, as `tawara-cli cell list` has them, or a model file",
        {.left_out = "`stewart_2009`"}),
    Key("/purkinje/variant", of<&PurkinjeKeys::variant>(), "of the model",
        {.left_out = "the model's first", .write = if_changed}),
    Key("/purkinje/conductivity_S_per_m", of<&PurkinjeKeys::conductivity_S_per_m>(), {1e-3, 100},
        "S/m", "along the fibres of the network, within them",
        {.more = "the velocity goes with the root of it times the radius"}),
    Key("/purkinje/radius_um", of<&PurkinjeKeys::radius_um>(), {0.1, 5000}, "um",
        "radius of a fibre"),
    Key("/purkinje/fibres", of<&PurkinjeKeys::fibres>(), {1, 1e6}, "",
        "fibres that lie side by side in a strand of the network",
        {.more = "each has the network's potential and gives its part of a junction's current: "
                 "one fibre alone cannot excite the wall"}),
    Key("/purkinje/space_step_mm", of<&PurkinjeKeys::space_step_mm>(), {0.01, 5}, "mm",
        "the longest distance of two nodes along the network",
        {.more = "with the other defaults its wave is 1.2 % slower at 0.5 mm than along a fine "
                 "cable, and 0.3 % at 0.25 mm"}),
    Key("/purkinje/his_ms", {}, {0, 1e9}, "ms",
        "when the network's root is stimulated: a time; or `{\"start_ms\": .., \"protocol\": ..}` "
        "with a protocol as stimuli have it; or `\"none\"`",
        {.left_out = "0"}),
    Key("/purkinje/junctions", "where the network's ends meet the wall: below",
        {.left_out = "its defaults"}),
    Key("/purkinje/cut",
        "branches that do not conduct: names of fascicles (`his`, `left_bundle`, `anterior`, "
        "`septal`, `posterior`, `right_bundle`, `moderator_band`, `right_septal`, "
        "`right_free_wall`), or branches' numbers",
        {.more = "`[\"left_bundle\"]` makes a left bundle branch block; `purkinje.csv` has the "
                 "numbers",
         .left_out = "none"}),
    Key("/purkinje/probes", {}, {0, most_probes}, "probes",
        "`[{\"name\": \"P1\", \"position_mm\": [x, y, z]}]`: potentials of the nearest nodes, "
        "columns of `purkinje_probes.csv`",
        {.left_out = "none"}),

    Key("/purkinje/his_ms/start_ms", {}, {0, 1e9}, "ms", "when the first pulse begins",
        {.left_out = "0"}),
    Key("/purkinje/his_ms/protocol", "when pulses come: as `stimuli[].protocol`",
        {.needed = "when pulses come, e.g. {\"kind\": \"train\", \"cycle_ms\": 800}"}),
    Key("/purkinje/probes/#/name", "the probe's name", {.needed = "the probe's name"}),
    Key("/purkinje/probes/#/position_mm", {}, {}, "mm", "`[x, y, z]`",
        {.needed = "[x, y, z] in mm"}),

    Key("/purkinje/junctions/resistance_kOhm", of<&PurkinjeKeys::resistance_kOhm>(), {1e-3, 1e9},
        "kOhm", "between an end of the network and the wall around it",
        {.more = "the larger it is, the later the wall is excited, up to a block",
         .box = {.step = 0.1, .decimals = 4}}),
    Key("/purkinje/junctions/radius_mm", of<&PurkinjeKeys::junction_radius_mm>(), {0.01, 20}, "mm",
        "an end meets the unknowns within this distance, by their volumes",
        {.more = "the nearest one where it holds none; an end farther from the wall has no "
                 "junction, which is said"}),
    Key("/purkinje/junctions/antegrade_ms", of<&PurkinjeKeys::antegrade_ms>(), {0, 50}, "ms",
        "the delay that is wanted from an end to the wall, in place of a resistance",
        {.more = "the resistance is searched for around some of this mesh's own junctions",
         .zero = "`resistance_kOhm` counts",
         .write = if_changed,
         .box = {.step = 0.5, .decimals = 2}}),
    Key("/purkinje/grow/seed", of<&GrowthParameters::seed>(), {0, GrowthParameters::largest_seed},
        "", "of chance: the same seed, the same tree",
        {.box = {.step = 1, .decimals = 0, .high = 1e9}}),
    Key("/purkinje/grow/branch_mm", of<&GrowthParameters::branch_mm>(), {0.5, 100}, "mm",
        "mean length of a branch", {.box = {.step = 0.5, .decimals = 2}}),
    Key("/purkinje/grow/branch_spread_mm", of<&GrowthParameters::branch_spread_mm>(), {0, 50}, "mm",
        "standard deviation of that length", {.box = {.step = 0.25, .decimals = 2}}),
    Key("/purkinje/grow/segment_mm", of<&GrowthParameters::segment_mm>(), {0.05, 10}, "mm",
        "pieces that a branch grows by", {.box = {.step = 0.1, .decimals = 2}}),
    Key("/purkinje/grow/angle_deg", of<&GrowthParameters::angle_deg>(), {1, 90}, "degrees",
        "of a branch from the one before", {.box = {.step = 1, .decimals = 1}}),
    Key("/purkinje/grow/repulsion", of<&GrowthParameters::repulsion>(), {0, 10}, "",
        "how far a piece turns away from the nearest branch: weight beside its own direction",
        {.box = {.step = 0.05, .decimals = 2}}),
    Key("/purkinje/grow/clearance_mm", of<&GrowthParameters::clearance_mm>(), {0.05, 50}, "mm",
        "a branch that comes so near to another one ends", {.box = {.step = 0.1, .decimals = 2}}),
    Key("/purkinje/grow/generations", of<&GrowthParameters::generations>(), {1, 40}, "",
        "how often branches fork at most", {.box = {.step = 1, .decimals = 0}}),
    Key("/purkinje/grow/base_margin_mm", of<&GrowthParameters::base_margin_mm>(), {0, 100}, "mm",
        "no branch grows so near to the base", {.box = {.step = 0.5, .decimals = 2}}),
    Key("/purkinje/grow/reach_mm", of<&GrowthParameters::reach_mm>(), {0, 100}, "mm",
        "places of the wall that are farther from all ends get a twig",
        {.zero = "no twigs", .box = {.step = 0.5, .decimals = 2}}),
    Key("/purkinje/grow/his_mm", of<&GrowthParameters::his_mm>(), {0.5, 50}, "mm",
        "length of the bundle of His above the base", {.box = {.step = 1, .decimals = 1}}),
    Key("/purkinje/grow/left_bundle_mm", of<&GrowthParameters::left_bundle_mm>(), {0.5, 100}, "mm",
        "down the septum, to where the left bundle forks", {.box = {.step = 1, .decimals = 1}}),
    Key("/purkinje/grow/fascicle_mm", of<&GrowthParameters::fascicle_mm>(), {0.5, 200}, "mm",
        "of the anterior and the posterior fascicle, before they branch",
        {.box = {.step = 1, .decimals = 1}}),
    Key("/purkinje/grow/fascicle_angle_deg", of<&GrowthParameters::fascicle_angle_deg>(), {0, 120},
        "degrees", "of these two from the way down to the apex",
        {.box = {.step = 5, .decimals = 1}}),
    Key("/purkinje/grow/septal_fascicle_mm", of<&GrowthParameters::septal_fascicle_mm>(),
        {0.5, 100}, "mm", "of the septal fascicle, before it branches",
        {.box = {.step = 1, .decimals = 1}}),
    Key("/purkinje/grow/right_bundle", of<&GrowthParameters::right_bundle>(), {0.05, 0.95}, "",
        "how far down the septum's right face the right bundle runs, of the way to the apex",
        {.box = {.step = 0.05, .decimals = 2}}),
    Key("/purkinje/grow/moderator_band", of<&GrowthParameters::moderator_band>(),
        "a moderator band crosses the right cavity from there to the free wall"),
};

} // namespace

std::span<const Key> purkinje_keys()
{
    return network_rows;
}

std::vector<PulseRun> PurkinjeKeys::his_pulses() const
{
    if (!his)
        return {};
    Stimulus s;
    s.start_ms = his_ms;
    s.duration_ms = his_duration_ms;
    s.protocol = his_protocol;
    return pulse_runs(s);
}

} // namespace tawara::simulation
