// SPDX-License-Identifier: GPL-3.0-or-later
// The table of session keys. A key that is a member needs no more than its row: it is read,
// checked, written, explained on the page of sessions, and keyBox() makes a field of it.
#include "engine/simulation/session/session_keys.hpp"

#include "engine/cell/cpu_kernel.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_bounds.hpp"
#include "engine/simulation/session/tissue_keys.hpp"

namespace tawara::simulation {
namespace {

constexpr Key::Range at_least_0{.low = 0}, above_0{.low = 0, .above = true},
    angle{.low = -90, .high = 90}, most_often{.low = 1, .high = Protocol::most_pulses};
constexpr Key::Box angle_box{.step = 5, .decimals = 0};
constexpr auto changed = Key::Write::changed;
constexpr auto problem = Key::Fixed::problem, unnamed = Key::Fixed::unnamed,
               negated = Key::Fixed::negated;
using mesh::generator::FibreRules;

template <auto Key>
Member output()
{
    return of<&Session::output, Key>();
}

const Key table[] = {
    Key("/schema", "version of the format: 1", {.needed = "\"schema\": 1"}),
    Key("/name", of<&Session::name>(), "for people", {.left_out = "`untitled`"}),
    Key("/precision", of<&Session::precision>(), "what V and the cells' states are computed in",
        {.words = "double mixed single",
         .first = 1,
         .more = "`mixed` is of GPUs alone; `--precision` comes before it",
         .left_out = "`double`; in the window `single` where its error cannot be seen, which the "
                     "status bar says",
         .write = changed}),
    Key("/mesh", "below", {.needed = "one, e.g. {\"file\": \"heart.vtu\"}", .fixed = problem}),
    Key("/tissue", "below", {.needed = "an object with \"regions\""}),
    Key("/purkinje", "a Purkinje network that excites the tissue: below", {.left_out = "none"}),
    Key("/diffusion", "below", {.left_out = "its defaults"}),
    Key("/reaction", "below", {.left_out = "its defaults"}),
    Key("/time", "below", {.needed = "{\"dt_ms\": .., \"end_ms\": ..}"}),
    Key("/stimuli", {}, {0, most_stimuli}, "stimuli", "a list, below", {.left_out = "empty"}),
    Key("/probes", {}, {0, most_probes}, "probes", "a list, below", {.left_out = "empty"}),
    Key("/output", "below", {.left_out = "its defaults"}),
    Key("/drugs", "a list, below", {.left_out = "empty", .fixed = problem}),
    Key("/ecg", "below", {.left_out = "none is computed"}),
    Key("/view", "the window's own settings; `run` does not look at them",
        {.more = "`phase` in it is the plane of the phase: `{\"plane\": \"delayed\", \"delay_ms\": "
                 "25}` (V and V so long before, 1 to 50 ms) or `{\"plane\": \"recovery\"}`",
         .left_out = "none"}),

    Key("/mesh/file", "VTU, legacy VTK, CARP (.pts or .elem), TetGen, Gmsh 2.2 or 4.1",
        {.more = "relative to the session"}),
    Key("/mesh/length_unit", "of `file`: its unit of length",
        {.words = "um mm cm m",
         .more = "the program says which unit it took",
         .left_out = "what the file says, else its format's usual one where that fits a heart's "
                     "size, else judged by the size"}),
    Key("/mesh/fibres", "of `file`: a file of fibres, or `\"rule-based\"`",
        {.more = "`.vtk` or `.vtu` with vectors at its points, matched by position; CARP's `.lon`, "
                 "one for each tetrahedron; in the window Mesh > Fibres from a file",
         .left_out = "those of `file`"}),
    Key("/mesh/fibre_rule", "of `\"rule-based\"` fibres alone: their angles, below",
        {.more = "`tawara-cli session --fibre-angles 60,-60`, in the window Mesh > Fibres by rule",
         .left_out = "its defaults"}),
    Key("/mesh/slab_mm", {}, above_0, "mm",
        "a box of tetrahedra with fibres along x: its lengths, [x, y, z]",
        {.box = {.step = 1, .decimals = 2, .low = 0.1, .high = 500}}),
    Key("/mesh/spacing_mm", of<&MeshSlab::spacing_mm>(), above_0, "mm",
        "edge of the grid's cubes, each cut into six tetrahedra",
        {.needed = "the edge of the grid's cubes in mm",
         .left_out = "needed with `slab_mm`",
         .box = {.step = 0.1, .decimals = 3, .low = 0.02, .high = 20}}),
    Key("/mesh/heart", "the generator: `shape` (`biventricular`, or `lv`) and the numbers below",
        {.more =
             "all with the defaults of `meshes/default_heart.json`; `meshes/README.md` has the "
             "frame and the labels. Made once by a build of the program, then read from "
             "`~/.cache/tawara/hearts` (`$XDG_CACHE_HOME/tawara/hearts`), the same bit for bit, "
             "which is said; the folder holds 1 GiB at most and may be deleted at any time"}),
    Key("/mesh/embedded", "`true`: the built-in heart"),

    Key("/mesh/fibre_rule/helix_endo_deg", of<&FibreRules::helix_endo_deg>(), angle, "degrees",
        "helix angle at the endocardium, from the circumference towards the base",
        {.box = angle_box}),
    Key("/mesh/fibre_rule/helix_epi_deg", of<&FibreRules::helix_epi_deg>(), angle, "degrees",
        "helix angle at the epicardium, from the circumference towards the base",
        {.box = angle_box}),
    Key("/mesh/fibre_rule/sheet_endo_deg", of<&FibreRules::sheet_endo_deg>(), angle, "degrees",
        "sheet angle at the endocardium, from the direction across the wall, about the fibre",
        {.box = angle_box}),
    Key("/mesh/fibre_rule/sheet_epi_deg", of<&FibreRules::sheet_epi_deg>(), angle, "degrees",
        "sheet angle at the epicardium, from the direction across the wall, about the fibre",
        {.box = angle_box}),

    Key("/diffusion/scheme", of<&Session::scheme>(), "where the unknowns are",
        {.words = "fvm p1",
         .more = "`fvm`: cell-centred finite volumes, an unknown in each tetrahedron; `p1`: linear "
                 "finite elements, on vertices, about a fifth of the unknowns",
         .fixed = problem}),
    Key("/diffusion/mass", of<&Session::mass>(),
        "mass matrix of the finite elements, of `p1` alone",
        {.words = "lumped consistent",
         .more = "`consistent`: a linear system in every step",
         .fixed = problem}),
    Key("/diffusion/currents", of<&Session::currents>(),
        "where ionic currents are computed, of `p1` with lumped mass",
        {.words = "nodal interpolated",
         .more = "below; `interpolated`: of every stepping but `newton`",
         .write = changed,
         .fixed = Key::Fixed::value}),
    Key("/diffusion/mass_scaling", of<&Session::mass_scaling>(), {0, 0.1}, "",
        "part of the volume that may be added to the smallest cells for a longer step of explicit "
        "diffusion",
        {.more = "waves come early for it: measured on a heart of 11.7 million tetrahedra with no "
                 "bound at each cell, 1.6 ms of 200 with 0.18 % added, 0.6 with 0.02 %",
         .zero = "none",
         .fixed = problem}),
    Key("/diffusion/mass_scaling_largest", of<&Session::mass_scaling_largest>(), {1, 1000}, "",
        "however much may be added in all, no place becomes heavier than so many times",
        {.more = "what a cell gets is held against its own volume, or the mean of its neighbours' "
                 "where that is larger (slivers have next to none); where and how much most was "
                 "added is said, in `report.json` and by `mesh check`",
         .fixed = problem}),
    Key("/diffusion/splitting", of<&Session::splitting>(), "how cells and diffusion take turns",
        {.words = "godunov strang", .fixed = problem}),
    Key("/diffusion/stepping", of<&Session::stepping>(), "diffusion in time",
        {.words = "explicit backward_euler crank_nicolson newton",
         .more =
             "`explicit`: with sub-steps, or RKL2 where it needs many; RKL2 is checked against "
             "the operator's complex eigenvalues, and takes more stages where modes would turn "
             "and grow. `backward_euler`, `crank_nicolson`: of `fvm` on the CPU alone. `newton`: "
             "cells and diffusion at once, by backward Euler and Newton's method; of `p1`, in "
             "double precision; `reaction.scheme` and `splitting` have no part in it",
         .fixed = problem}),
    Key("/diffusion/newton", "of stepping `newton` alone: below", {.left_out = "its defaults"}),

    Key("/diffusion/newton/tolerance_mV", of<&Session::newton, &NewtonSettings::tolerance_mV>(),
        {1e-12, 1}, "mV", "the largest residual that a step may leave",
        {.write = changed, .fixed = Key::Fixed::value}),
    Key("/diffusion/newton/iterations", of<&Session::newton, &NewtonSettings::iterations>(),
        {1, 1000}, "", "a step that needs more iterations of Newton's method has failed",
        {.more = "it is halved then; a single time step is cut into at most 64 parts, behind which "
                 "the run ends with an error",
         .write = changed,
         .fixed = Key::Fixed::value}),
    Key("/diffusion/newton/adaptive", of<&Session::newton, &NewtonSettings::adaptive>(),
        "steps of several time steps are taken where V moves slowly and evenly",
        {.more =
             "up to `time.dt_max_ms`, while the local error stays below 0.1 mV and 1 mV/ms2 times "
             "`dt_ms` squared everywhere, so that a wave under way is stepped by single ones",
         .write = changed,
         .fixed = Key::Fixed::value}),

    Key("/reaction/scheme",
        "how cells are stepped: `forward_euler`, `rk4`, `rush_larsen`, `rush_larsen_light`, "
        "`grl1`, `grl2`, `backward_euler_single`, `backward_euler`",
        {.left_out =
             "`rush_larsen_light`; `grl1` or `backward_euler` where a region's model has no "
             "step at which the former was shown to be accurate",
         .fixed = problem}),
    Key("/reaction/rest_tolerance_mV", of<&Session::rest_tolerance_mV>(),
        {0, largest_rest_tolerance_mV}, "mV",
        "unknowns that would move less than this over 0.2 ms take one long step",
        {.more = "what it changes is said below. It wants explicit diffusion, lumped mass, "
                 "godunov splitting, steps up to 0.1 ms and no stepping `newton`, else it is an "
                 "error. Take 0 for "
                 "reference runs",
         .zero = "none do",
         .write = changed,
         .fixed = unnamed,
         .box = {.step = 0.05, .decimals = 3}}),
    Key("/reaction/rest_where_possible", of<&Session::rest_where_possible>(),
        "`true`: where such long steps cannot be taken none are, which is said; else it is an "
        "error",
        {.more = "what sessions that the program makes have", .write = changed}),
    Key("/reaction/tables_mV", of<&Session::tables_mV>(), {0, cell::coarsest_table_mV}, "mV",
        "functions of V are looked up in tables of this step, from 0.001 mV on, on the CPU alone; "
        "not with stepping `newton`",
        {.more = "what it changes is in `tests/bench/records/CELL_MODELS.md`; to compute them is "
                 "as fast or faster",
         .zero = "they are computed",
         .write = changed,
         .fixed = negated}),

    Key("/time/dt_ms", of<&Session::dt_ms>(), {0, 1, true}, "ms",
        "time step of the cells; diffusion takes as many parts of it as its stability asks for",
        {.more = "`cell info` says the steps that are good for a model",
         .needed = "the time step in ms, e.g. 0.02",
         .beyond = "no cell model is stable beyond",
         .fixed = problem,
         .box = {.step = 0.005, .decimals = 4, .low = 0.0001}}),
    Key("/time/dt_max_ms", of<&Session::newton, &NewtonSettings::dt_max_ms>(), {0, 10, true}, "ms",
        "of stepping `newton` alone: the longest step, rounded down to a power of 2 times `dt_ms`",
        {.write = changed,
         .fixed = Key::Fixed::value,
         .box = {.step = 0.1, .decimals = 3, .low = 0.001}}),
    Key("/time/end_ms", of<&Session::end_ms>(), above_0, "ms", "the end of the run",
        {.needed = "the end of the run in ms"}),

    Key("/stimuli/#/name", of<&Stimulus::name>(), "for people, and in `beats.csv`",
        {.left_out = "`S1`, `S2`, .."}),
    Key("/stimuli/#/region", "where it acts: one of those below",
        {.needed = "where it acts, e.g. {\"box_mm\": [[..], [..]]}"}),
    Key("/stimuli/#/start_ms", of<&Stimulus::start_ms>(), at_least_0, "ms",
        "when the first pulse begins", {.box = {.step = 10, .decimals = 1, .high = 1e7}}),
    Key("/stimuli/#/duration_ms", of<&Stimulus::duration_ms>(), above_0, "ms",
        "how long the current of each pulse flows",
        {.needed = "its length in ms",
         .box = {.step = 0.5, .decimals = 1, .low = 0.1, .high = 200}}),
    Key("/stimuli/#/amplitude_uA_per_cm3", {}, {}, "uA/cm3",
        "current per volume; positive depolarises", {.left_out = "one of the two is needed"}),
    Key("/stimuli/#/amplitude_pA_per_pF", {}, {}, "pA/pF",
        "current per membrane capacitance; positive depolarises",
        {.left_out = "one of the two is needed",
         .box = {.step = 5, .decimals = 1, .low = -500, .high = 2000}}),
    Key("/stimuli/#/on", of<&Stimulus::on>(), "`false`: kept, but gives no pulse",
        {.write = changed}),
    Key("/stimuli/#/protocol", "when pulses come, in place of `period_ms` and `count`: below",
        {.left_out = "none"}),
    Key("/stimuli/#/period_ms", of<&Stimulus::period_ms>(), at_least_0, "ms", "from pulse to pulse",
        {.zero = "once"}),
    Key("/stimuli/#/count", of<&Stimulus::count>(), {0, 1e9}, "",
        "number of pulses, a period apart", {.zero = "for ever"}),

    Key("/stimuli/#/region/box_mm", {}, {}, "mm",
        "the unknowns in a box: vertices of `p1`, centroids of `fvm`"),
    Key("/stimuli/#/region/sphere_mm",
        "those in a ball; the nearest one where a small ball holds none"),
    Key("/stimuli/#/region/label", "a region label of the mesh, or a list of them"),
    Key("/stimuli/#/region/surface", "a wall", {.words = "endo_lv endo_rv epi"}),
    Key("/stimuli/#/region/nodes",
        "a list of vertices, from 0; of `fvm` the tetrahedra around them",
        {.more = "one that is listed twice counts once"}),
    Key("/stimuli/#/region/sphere_mm/centre", {}, {}, "mm", "centre of the ball",
        {.needed = "[x, y, z] in mm"}),
    Key("/stimuli/#/region/sphere_mm/radius", of<&Sphere::radius>(), above_0, "mm",
        "radius of the ball",
        {.needed = "a length in mm", .box = {.step = 0.5, .decimals = 1, .low = 0.2, .high = 50}}),

    Key("/stimuli/#/protocol/kind", of<&Protocol::kind>(),
        "one pulse; a train; a train S1, then S2, S3, ..; trains with pauses between",
        {.words = "single train s1s2 burst",
         .needed = "\"single\", \"train\", \"s1s2\" or \"burst\""}),
    Key("/stimuli/#/protocol/cycle_ms", of<&Protocol::cycle_ms>(), above_0, "ms",
        "cycle length: from pulse to pulse",
        {.more = "longer than the pulse",
         .needed = "the time between two pulses in ms",
         .left_out = "needed, except of `single`",
         .box = {.step = 10, .decimals = 1, .low = 5, .high = 1e5}}),
    Key("/stimuli/#/protocol/count", of<&Protocol::count>(), {0, most_often.high}, "",
        "number of pulses, a cycle apart",
        {.more = "0 is of a `train` alone",
         .zero = "for ever",
         .box = {.step = 1, .decimals = 0, .high = 9999}}),
    Key("/stimuli/#/protocol/extra_ms", {}, {}, "ms",
        "of `s1s2`: coupling intervals of S2, S3, .. of one train, e.g. `[320, 280]`",
        {.more = "each is to the pulse before, and longer than the pulse",
         .needed = "the coupling intervals of S2, S3, .. in ms",
         .left_out = "needed for `s1s2`"}),
    Key("/stimuli/#/protocol/decrement_ms", of<&Protocol::decrement_ms>(), at_least_0, "ms",
        "how much shorter the last interval is in each repeat",
        {.more = "of `s1s2` the last coupling, of `burst` the cycle",
         .box = {.step = 5, .decimals = 1, .high = 1e4}}),
    Key("/stimuli/#/protocol/repeats", of<&Protocol::repeats>(), most_often, "",
        "how often it is all done", {.box = {.step = 1, .decimals = 0, .high = 100}}),
    Key("/stimuli/#/protocol/pause_ms", of<&Protocol::pause_ms>(), above_0, "ms",
        "rest between repeats",
        {.more = "longer than the pulse", .box = {.step = 100, .decimals = 1, .high = 1e6}}),

    Key("/probes/#/name", "heads a column of `probes.csv`",
        {.needed = "its name, the column's in probes.csv"}),
    Key("/probes/#/position_mm", {}, {}, "mm", "`[x, y, z]`",
        {.more = "up to two edges outside of the mesh a probe reads the nearest place, with a "
                 "warning; farther away it is an error",
         .needed = "[x, y, z] in mm"}),

    Key("/output/activation_threshold_mV", of<&Session::activation_threshold_mV>(), {-200, 200},
        "mV", "crossed upwards at activation"),
    Key("/output/frames_every_ms", output<&OutputKeys::frames_every_ms>(), at_least_0, "ms",
        "between frames",
        {.zero = "none",
         .interval = true,
         .used = [](const Session& s) { return s.output->frames != FrameFormat::none; }}),
    Key("/output/frames", output<&OutputKeys::frames>(), "format of the frames",
        {.words = "none vtu igb",
         .more = "`vtu`: each file holds V and `region` on the mesh (fibres are in "
                 "`activation.vtu`); `igb`: CARP's format"}),
    Key("/output/checkpoint_every_ms", output<&OutputKeys::checkpoint_every_ms>(), at_least_0, "ms",
        "between checkpoints",
        {.more = "they are written beside the steps; one that cannot be written is said, and the "
                 "run goes on",
         .zero = "none",
         .interval = true}),
    Key("/output/probes_every_ms", output<&OutputKeys::probes_every_ms>(), at_least_0, "ms",
        "between samples of `probes.csv`", {.zero = "every step", .interval = true}),
    Key("/output/checkpoints_kept", output<&OutputKeys::checkpoints_kept>(), {0, 1e6}, "",
        "how many of the newest stay; older ones of the same run are removed",
        {.more = "the one that a run goes on from stays, and so do those that a stop (Ctrl-C, "
                 "SIGTERM) has written between",
         .zero = "all",
         .write = changed}),
    Key("/output/calcium_every_ms", output<&OutputKeys::calcium_every_ms>(), at_least_0, "ms",
        "between rows of `calcium.csv`: the dyads of the cell nearest to each probe",
        {.more = "of probes in tissue of `ohara_rudy_dyads_2011` alone",
         .zero = "none",
         .write = changed,
         .interval = true}),
    Key("/output/purkinje_every_ms", output<&OutputKeys::purkinje_every_ms>(), at_least_0, "ms",
        "between rows of `purkinje_probes.csv`: the potentials at `purkinje.probes`",
        {.zero = "none",
         .write = changed,
         .interval = true,
         .used = [](const Session& s) { return !s.purkinje->probes.empty(); }}),
    Key("/output/maps_from_ms", output<&OutputKeys::maps_from_ms>(), at_least_0, "ms",
        "the maps are of each place's first activation after that time",
        {.more = "in `activation.csv`, `activation.vtu`: of the last beat of a pacing protocol, "
                 "for example",
         .zero = "of the first",
         .write = changed}),

    Key("/drugs/#/name", "the drug's name", {.needed = "the drug's name"}),
    Key("/drugs/#/factors", "factors on parameters, e.g. `{\"g_Kr\": 0.5}`",
        {.needed = "factors, e.g. {\"g_Kr\": 0.5}"}),
    Key("/drugs/#/factors/#", {}, {0, 1000}, "", "factor on the conductance",
        {.box = {.step = 0.05, .decimals = 2, .high = 10}}),

    Key("/ecg/source_conductivity_S_per_m",
        "of healthy tissue as the source: `{\"fibre\": .., \"sheet\": .., \"normal\": ..}`, "
        "`\"tissue\"` or `\"intracellular\"`",
        {.more =
             "in place of the regions' own, which are raised where a mesh is coarse. `\"tissue\"`: "
             "0.17 along the fibres and 0.058 across, as sessions have it that the program makes "
             "(`engine/simulation/session/session.hpp` says why). `\"intracellular\"`: 0.17 and "
             "0.019, sigma_i of Niederer et al. 2011, which makes what runs across the fibres, "
             "thus most of QRS, a third as large. Regions' `conductivity_scale` acts on it",
         .left_out = "the regions'"}),
    Key("/ecg/electrodes", {}, {0, most_electrodes}, "electrodes",
        "`[{\"name\": \"E1\", \"position_mm\": [x, y, z]}]`, outside of the tissue",
        {.left_out = "none"}),
    Key("/ecg/leads", {}, {1, most_leads}, "leads",
        "`\"none\"`, `\"twelve_lead\"`, or weights of `electrodes`: `[{\"name\": \"A\", "
        "\"weights\": {\"E1\": 1, \"E2\": -1}}]`",
        {.more = "`\"none\"`: each electrode's potential; `\"twelve_lead\"`: the twelve, then each "
                 "electrode that is none of theirs against Wilson's central terminal",
         .left_out = "`none`"}),
    Key("/ecg/conductor", of<&Session::leads, &Leads::conductor>(), "what the heart lies in",
        {.words = "torso unbounded",
         .first = static_cast<int>(Leads::Conductor::torso),
         .more = "`torso`: a trunk around the heart, from the hips to the neck, that its skin "
                 "bounds; `unbounded`: the same conductor everywhere",
         .left_out = "`torso` with `twelve_lead` where `electrodes` has none of their nine, else "
                     "`unbounded`",
         .write = changed}),
    Key("/ecg/frame", "the body's axes in the mesh's frame, below",
        {.more = "they place the torso and the electrodes of the twelve",
         .left_out = "from the mesh"}),
    Key("/ecg/every_ms", of<&Session::ecg_every_ms>(), above_0, "ms",
        "between samples; intervals want 2 or less",
        {.interval = true, .used = [](const Session& s) { return s.has_ecg(); }}),
    Key("/ecg/bath_conductivity_S_per_m", of<&Session::bath_conductivity_S_per_m>(), above_0, "S/m",
        "conductivity of the volume conductor around the heart"),

    Key("/ecg/frame/origin_mm", {}, {}, "mm", "centre of the ventricles",
        {.needed = "the centre of the ventricles, [x, y, z] in mm"}),
    Key("/ecg/frame/left", "to the left of the body", {.needed = "a direction, [x, y, z]"}),
    Key("/ecg/frame/posterior", "to the back", {.needed = "a direction, [x, y, z]"}),
    Key("/ecg/frame/superior", "to the head", {.needed = "a direction, [x, y, z]"}),
    Key("/ecg/frame/scale", of<&TorsoFrame::scale>(), {0.01, 100}, "",
        "of the torso: 1 for an adult's heart"),
    Key("/ecg/electrodes/#/name", "the electrode's name", {.needed = "the electrode's name"}),
    Key("/ecg/electrodes/#/position_mm", {}, {}, "mm", "`[x, y, z]`",
        {.needed = "[x, y, z] in mm"}),
    Key("/ecg/leads/#/name", "the lead's name", {.needed = "the lead's name"}),
    Key("/ecg/leads/#/weights", "of electrodes, by their names",
        {.needed = "e.g. {\"LA\": 1, \"RA\": -1}"}),
};

} // namespace

std::span<const Key> session_keys()
{
    static const std::vector<Key> all = [] {
        std::vector<Key> rows;
        for (const Key& key : table) {
            if (key.at == "/diffusion/scheme") { // as files have them
                rows.insert(rows.end(), tissue_keys().begin(), tissue_keys().end());
                rows.insert(rows.end(), purkinje_keys().begin(), purkinje_keys().end());
            }
            rows.push_back(key);
        }
        return rows;
    }();
    return all;
}

} // namespace tawara::simulation
