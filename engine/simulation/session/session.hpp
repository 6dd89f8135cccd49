// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/core/held.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/device/problem.hpp"
#include "engine/diffusion/system.hpp"
#include "engine/mesh/generator/fibres.hpp"
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/surface.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tawara::simulation {

/// Value of `fibres` that asks for fibres by rule (mesh/generator/fibres.hpp) in place of a file's.
inline constexpr std::string_view rule_based = "rule-based";

struct MeshFile
{
    std::string file;               ///< as written in the session; relative to the session file
    std::optional<LengthUnit> unit; ///< `length_unit`
    std::string fibres; ///< optional: a file of fibres, matched by coordinates, or `rule_based`
    mesh::generator::FibreRules rule{}; ///< angles of fibres that are `rule_based`
    bool operator==(const MeshFile&) const = default;
};
struct MeshSlab
{
    Vec3 size_mm{};
    double spacing_mm = 0.5;
    bool operator==(const MeshSlab&) const = default;
};
struct MeshHeart
{
    mesh::generator::HeartParameters parameters;
    bool operator==(const MeshHeart&) const = default;
};
/// The embedded default heart (`{"embedded": true}`).
struct MeshEmbedded
{
    bool operator==(const MeshEmbedded&) const = default;
};
using MeshSource = std::variant<MeshEmbedded, MeshFile, MeshSlab, MeshHeart>;

struct Box
{
    Vec3 low{}, high{};
    bool operator==(const Box&) const = default;
};
struct Sphere
{
    Vec3 centre{};
    double radius = 1;
    bool operator==(const Sphere&) const = default;
};
struct Label
{
    std::vector<std::int32_t> labels;
    bool operator==(const Label&) const = default;
};
struct SurfaceRegion
{
    mesh::Wall wall = mesh::Wall::epi;
    bool operator==(const SurfaceRegion&) const = default;
};
struct Nodes
{
    std::vector<std::int64_t> nodes;
    bool operator==(const Nodes&) const = default;
};
/// Where a stimulus acts: a box or sphere [mm], tetrahedra of a label, a part of the boundary,
/// vertices.
using StimulusRegion = std::variant<Box, Sphere, Label, SurfaceRegion, Nodes>;

/// A layer of the wall, from the mesh's field "layer" (0, 1, 2) or "transmural" (thirds).
struct Layer
{
    enum class Kind { endo, mid, epi };
    Kind kind = Kind::endo;
    bool operator==(const Layer&) const = default;
};
/// AHA segments 1 to 17, from the mesh's field "aha_segment", else by geometry
/// (analysis/segments.hpp).
struct Segments
{
    std::vector<int> segments;
    bool operator==(const Segments&) const = default;
};
/// Tetrahedra one by one: what was painted on the heart.
struct Tetrahedra
{
    std::vector<std::int64_t> tetrahedra;
    bool operator==(const Tetrahedra&) const = default;
};
/// Where a region of tissue is. A box or sphere holds the tetrahedra whose centroids lie in it.
using Where = std::variant<Label, Box, Sphere, Layer, Segments, Tetrahedra>;

/// Factors on conductivities along fibre, sheet and normal, each above 0; one number is all three.
struct ConductivityScale
{
    double fibre = 1, sheet = 1, normal = 1;
    constexpr ConductivityScale() = default;
    constexpr ConductivityScale(double all) : fibre(all), sheet(all), normal(all) {}
    constexpr ConductivityScale(double f, double s, double n) : fibre(f), sheet(s), normal(n) {}
    bool operator==(const ConductivityScale&) const = default;
    /// The same in all directions.
    constexpr bool even() const { return fibre == sheet && fibre == normal; }
    friend constexpr ConductivityScale operator*(const ConductivityScale& a,
                                                 const ConductivityScale& b)
    {
        return {a.fibre * b.fibre, a.sheet * b.sheet, a.normal * b.normal};
    }
    friend constexpr diffusion::Conductivity operator*(const ConductivityScale& a,
                                                       const diffusion::Conductivity& c)
    {
        return {a.fibre * c.fibre, a.sheet * c.sheet, a.normal * c.normal};
    }
};

/// Velocities of plane waves along fibre, sheet and normal [m/s]. The default is of ventricles:
/// 0.67, 0.30 and 0.17 m/s were measured in the left ventricle of pigs (Caldwell et al., Circ
/// Arrhythm Electrophysiol 2:433, 2009); 0.6, 0.3 and 0.2 are what the openCARP community tunes to
/// for that (its tutorial tuneCV).
struct ConductionVelocity
{
    double fibre = 0.6, sheet = 0.3, normal = 0.2;
    bool operator==(const ConductionVelocity&) const = default;
    constexpr bool even() const { return fibre == sheet && fibre == normal; }
};

/// The stochastic dyads of a region's cells (model calcium::dyad_model).
struct Dyads
{
    static constexpr std::int64_t most = std::int64_t{1} << 28; ///< in a cell
    static constexpr double largest_seed = 4294967295;          ///< of 32 bits
    int nx = 100, ny = 10, nz = 10;                             ///< along x, y and z of a cell
    std::int64_t seed = 1;                                      ///< of random numbers
    bool operator==(const Dyads&) const = default;
};

/// From when to when all RyR of a region's cells are held open [ms].
struct ForcedOpening
{
    double from_ms = 0, until_ms = 0;
    bool operator==(const ForcedOpening&) const = default;
};

/// Cells and conductivities of a part of the tissue. The last region that holds a tetrahedron wins.
///
/// A region without a model of its own (`model` empty) changes what lies beneath it: the
/// tetrahedron keeps model, variant, parameters and conductivities of the region before it in the
/// list; its `parameters` are set on top (canonical names that the model lacks are passed over),
/// then `scale` and `conductivity_scale` multiply. Scars and ischaemia are of this kind.
struct Region
{
    std::vector<std::int32_t> labels; ///< empty: "*"; not looked at when `where` is set
    std::string model = "ten_tusscher_2006", variant;
    diffusion::Conductivity conductivity_S_per_m{0.1334, 0.0176,
                                                 0.0176}; ///< unused without a model
    std::vector<std::pair<std::string, double>> parameters, initial;
    std::string name; ///< for people
    std::string kind; ///< for the window: "", "scar_core", "border_zone", "ischaemia", ...
    std::optional<Where> where; ///< in place of labels
    ConductivityScale conductivity_scale;
    /// Factors on parameters: by a model's own name ("g_Kr") or a canonical one (presets.hpp).
    /// Names that the model does not have are passed over, so that one list fits several models.
    std::vector<std::pair<std::string, double>> scale;
    /// What waves should run at, in place of conductivities: these are found for the mesh
    /// (tissue/velocity_tuning.hpp) and are those of a RegionMap; conductivity_S_per_m does not
    /// count. Of regions with a model alone.
    std::optional<ConductionVelocity> velocity_m_per_s;
    /// No cells and no current: what lies beneath does not count. So does a conductivity of 0 in
    /// all directions. Needs no model, nor a region before it.
    bool insulating = false;
    Dyads dyads; ///< where the model has them
    /// Of a region with a model that has dyads; of one without a model in place of what is beneath.
    std::optional<std::vector<ForcedOpening>> forced_opening_ms;
    bool inherits() const { return model.empty(); }
    bool operator==(const Region&) const = default;
};

/// Whether a region's own model has stochastic dyads.
bool has_dyads(const Region& r);

/// A drug: factors on parameters of every region whose model has them, by canonical name: g_Na,
/// g_CaL, g_Kr, g_Ks, g_K1, g_to and others of canonical_parameters() (presets.hpp).
struct Drug
{
    std::string name;
    std::vector<std::pair<std::string, double>> factors;
    bool operator==(const Drug&) const = default;
};

/// When a stimulus repeats in another way than every period_ms.
///
/// single: once. train: `count` pulses, `cycle_ms` apart (0: for ever). s1s2: `count` pulses S1
/// `cycle_ms` apart, then one pulse after each of extra_ms (S2, S3, ..: coupling to the pulse
/// before); all of it `repeats` times, `pause_ms` after the last pulse, each time with the last
/// coupling shorter by decrement_ms. burst: `count` pulses `cycle_ms` apart, `repeats` times,
/// `pause_ms` after the last pulse, each time with a cycle shorter by decrement_ms. A repeat whose
/// interval would not be longer than the pulse ends the protocol.
struct Protocol
{
    static constexpr std::int64_t most_pulses = 1'000'000; ///< and repeats
    enum class Kind { single, train, s1s2, burst };
    Kind kind = Kind::single;
    double cycle_ms = 600;
    int count = 8;
    std::vector<double> extra_ms;
    double decrement_ms = 0;
    int repeats = 1;
    double pause_ms = 1000;
    bool operator==(const Protocol&) const = default;
};

struct Stimulus
{
    std::string name;
    StimulusRegion region;
    double start_ms = 0, duration_ms = 2;
    double amplitude_pA_per_pF = 50; ///< positive depolarises; from uA/cm3 by 1e-3 / (chi Cm)
    std::optional<double> amplitude_uA_per_cm3; ///< set when the session gave it so
    double period_ms = 0;                       ///< 0: once
    int count = 1;                              ///< pulses; 0 with a period: for ever
    bool on = true;
    std::optional<Protocol> protocol; ///< in place of period_ms and count; starts at start_ms
};

/// Pulses that are evenly apart.
struct PulseRun
{
    double start_ms = 0, period_ms = 0; ///< period 0: one pulse
    std::int64_t count = 1;             ///< 0 with a period: for ever
};
/// A stimulus's pulses, in order of time; empty when it is off.
std::vector<PulseRun> pulse_runs(const Stimulus& s);
/// When its pulses start, up to and without end_ms. [ms]
std::vector<double> pulse_times(const Stimulus& s, double end_ms);

struct Probe
{
    std::string name;
    Vec3 position_mm{};
};

/// An electrode of the electrocardiogram, in the mesh's frame; outside of the tissue.
struct Electrode
{
    std::string name;
    Vec3 position_mm{};
    bool operator==(const Electrode&) const = default;
};
/// A lead: sum of weight * potential of electrodes, by their names.
struct Lead
{
    std::string name;
    std::vector<std::pair<std::string, double>> weights;
    bool operator==(const Lead&) const = default;
};
/// The body's axes in the mesh's frame. Unit vectors, orthogonal.
struct TorsoFrame
{
    Vec3 origin_mm{};        ///< centre of the ventricles
    Vec3 left{1, 0, 0};      ///< to the left of the body
    Vec3 posterior{0, 1, 0}; ///< to the back
    Vec3 superior{0, 0, 1};  ///< to the head
    double scale = 1;        ///< of the torso: 1 for an adult's heart
    bool operator==(const TorsoFrame&) const = default;
};
/// Leads. none: one for each electrode, its own potential. twelve_lead: I, II, III, aVR, aVL, aVF,
/// V1 to V6 from electrodes RA, LA, LL, V1 .. V6; where the list of electrodes lacks those, they
/// are placed by the frame, and without a frame by twelve_lead_frame() (ecg.hpp). Each other
/// electrode has a lead of its own after the twelve (leads_of()).
///
/// Conductor. torso: a trunk around the heart, bounded by its skin. unbounded: the same conductor
/// everywhere. usual: torso where the program places all nine electrodes, else unbounded
/// (in_torso()).
struct Leads
{
    enum class Kind { none, twelve_lead, list };
    enum class Conductor { usual, torso, unbounded };
    Kind kind = Kind::none;
    Conductor conductor = Conductor::usual;
    std::optional<TorsoFrame> frame;
    std::vector<Lead> list;
    bool operator==(const Leads&) const = default;
};

/// What V and the cells' states are computed in. usual: what the driver takes where the session
/// says nothing: double in `run`, in the window see live_precision() (live/precision.hpp).
enum class SessionPrecision { usual, double_, mixed, single };

using device::IonicCurrents;
using device::NewtonSettings;
using device::Splitting;
using device::Stepping;
enum class FrameFormat { none, vtu, igb };

/// Cells paced alone before the tissue starts, one of each type, from their initial states: the
/// tissue then starts near the limit cycle of that rhythm.
struct Prepacing
{
    static constexpr std::int64_t most_beats = 10000;
    static constexpr double shortest_cycle_ms = 50, longest_cycle_ms = 10000;
    std::int64_t beats = 0; ///< 0: none; with until_steady: at most
    double cycle_length_ms = 1000;
    bool until_steady = false; ///< ends before, where nothing drifts any more (cell::PaceOptions)
    bool operator==(const Prepacing&) const = default;
};

/// Above it, what resting saves is small and its error is not (resources/sessions/README.md).
inline constexpr double largest_rest_tolerance_mV = 0.5;

/// Healthy tissue as the source of an electrocardiogram [S/m]. Along the fibres the intracellular
/// conductivity (0.17, Niederer et al. 2011). Across, so much less as the step of the extracellular
/// potential at a front is, sigma_i / (sigma_i + sigma_e) of a bidomain: 0.17 / 0.79 along and
/// 0.019 / 0.259 across. The medium around the sources is one of a single conductivity, which the
/// heart is not.
inline constexpr diffusion::Conductivity source_of_tissue{0.17, 0.058, 0.058};
/// The intracellular conductivities themselves (Niederer et al., Phil Trans R Soc A 369:4331,
/// 2011).
inline constexpr diffusion::Conductivity source_intracellular{0.17, 0.019, 0.019};

struct OutputKeys;   // output_keys.hpp
struct PurkinjeKeys; // purkinje_keys.hpp

} // namespace tawara::simulation

extern template class tawara::Held<tawara::simulation::OutputKeys>;
extern template class tawara::Held<tawara::simulation::PurkinjeKeys>;

namespace tawara::simulation {

/// A simulation's description, as a session file holds it (contract: "schema": 1). Plain values.
struct Session
{
    std::string name = "untitled";
    SessionPrecision precision = SessionPrecision::usual;
    MeshSource mesh;
    double surface_to_volume_per_mm = 140, capacitance_uF_per_cm2 = 1;
    std::vector<Region> regions{Region{}};
    Prepacing prepacing;
    Held<PurkinjeKeys> purkinje; ///< the network that starts beats; most sessions have none
    diffusion::Scheme scheme = diffusion::Scheme::fvm;
    diffusion::Mass mass = diffusion::Mass::lumped;
    IonicCurrents currents = IonicCurrents::nodal;
    double mass_scaling = 1e-3, mass_scaling_largest = 1.2; ///< of diffusion::Options
    Splitting splitting = Splitting::godunov;
    Stepping stepping = Stepping::explicit_;
    NewtonSettings newton; ///< of Stepping::newton
    cell::Scheme reaction = cell::Scheme::rush_larsen_light;
    double rest_tolerance_mV = 0; ///< of device::TissueProblem; 0: off
    /// Where long steps cannot be taken none are, which is said; else that is an error.
    bool rest_where_possible = false;
    double tables_mV = 0; ///< table_step_mV of device::TissueProblem; 0: none
    double dt_ms = 0.02, end_ms = 1000;
    std::vector<Stimulus> stimuli;
    std::vector<Probe> probes;
    double activation_threshold_mV = 0;
    Held<OutputKeys> output;
    std::vector<Drug> drugs;
    std::vector<Electrode> electrodes;
    Leads leads;
    double ecg_every_ms = 1;
    double bath_conductivity_S_per_m = 0.2; ///< of the volume conductor around the heart
    /// Of healthy tissue as the electrocardiogram's source, in place of the regions' own: these are
    /// raised where a mesh is coarse. Regions' conductivity_scale acts on it.
    std::optional<diffusion::Conductivity> source_conductivity_S_per_m;
    std::string view; ///< JSON text of the window's own settings, kept as it is; empty: none
    std::filesystem::path folder; ///< what relative paths start from; not written
    bool has_ecg() const { return !electrodes.empty() || leads.kind == Leads::Kind::twelve_lead; }
};

/// The precision that a session asks for; nothing where it leaves that open.
inline std::optional<Precision> asked_precision(const Session& s)
{
    switch (s.precision) {
    case SessionPrecision::double_:
        return Precision::double_;
    case SessionPrecision::mixed:
        return Precision::mixed;
    case SessionPrecision::single:
        return Precision::single;
    case SessionPrecision::usual:
        break;
    }
    return {};
}

/// Reads a session file; strict: unknown keys, wrong types and impossible values are errors that
/// name the place by JSON pointer and, for keys, the nearest known one.
/// @param overrides  "PATH=VALUE", e.g. "time.dt_ms=0.01", "regions.0.variant=endo" (tissue. may be
/// left out
///                   only if the contract says so); applied before checking
/// @throws InputError
Session read_session(const std::filesystem::path& file,
                     std::span<const std::string> overrides = {});
/// The same from text; `file` is named in errors.
Session parse_session(const std::string& text, const std::string& file,
                      std::span<const std::string> overrides = {});
/// JSON text, pretty-printed, that parse_session() reads back to the same values.
std::string to_json(const Session& s);
void write_session(const Session& s, const std::filesystem::path& file);

/// Reads generator parameters (`mesh heart PARAMS.json`), strict like a session.
mesh::generator::HeartParameters read_heart_parameters(const std::filesystem::path& file);

/// The session that the workstation opens with: the embedded heart, paced at its apex.
Session default_session();
/// A runnable session around a mesh file: its own fibres, TT06 epicardial, one stimulus at the
/// apex-most part of the mesh.
Session session_for_mesh(const std::filesystem::path& mesh_file, const Progress& progress = {});

} // namespace tawara::simulation
