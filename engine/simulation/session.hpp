// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/device/problem.hpp"
#include "engine/diffusion/system.hpp"
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
    std::string file;                     ///< as written in the session; relative to the session file
    std::optional<LengthUnit> unit;       ///< `length_unit`
    std::string fibres; ///< optional: a file of fibres, matched by coordinates, or `rule_based`
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

struct Region
{
    std::vector<std::int32_t> labels; ///< empty: "*"
    std::string model = "ten_tusscher_2006", variant;
    diffusion::Conductivity conductivity_S_per_m{0.1334, 0.0176, 0.0176};
    std::vector<std::pair<std::string, double>> parameters, initial;
};

struct Box { Vec3 low{}, high{}; };
struct Sphere { Vec3 centre{}; double radius = 1; };
struct Label { std::vector<std::int32_t> labels; };
struct SurfaceRegion { mesh::Wall wall = mesh::Wall::epi; };
struct Nodes { std::vector<std::int64_t> nodes; };
/// Where a stimulus acts: a box or sphere [mm], tetrahedra of a label, a part of the boundary, vertices.
using StimulusRegion = std::variant<Box, Sphere, Label, SurfaceRegion, Nodes>;

struct Stimulus
{
    std::string name;
    StimulusRegion region;
    double start_ms = 0, duration_ms = 2;
    double amplitude_pA_per_pF = 50; ///< positive depolarises; from uA/cm3 by 1e-3 / (chi Cm)
    std::optional<double> amplitude_uA_per_cm3; ///< set when the session gave it so
    double period_ms = 0;            ///< 0: once
    int count = 1;                   ///< pulses; 0 with a period: for ever
};

struct Probe
{
    std::string name;
    Vec3 position_mm{};
};

using device::Splitting;
using device::Stepping;
enum class FrameFormat { none, vtu };

/// A simulation's description, as a session file holds it (contract: "schema": 1). Plain values.
struct Session
{
    std::string name = "untitled";
    MeshSource mesh;
    double surface_to_volume_per_mm = 140, capacitance_uF_per_cm2 = 1;
    std::vector<Region> regions{Region{}};
    diffusion::Scheme scheme = diffusion::Scheme::fvm;
    diffusion::Mass mass = diffusion::Mass::lumped;
    double mass_scaling = 1e-3;
    Splitting splitting = Splitting::godunov;
    Stepping stepping = Stepping::explicit_;
    cell::Scheme reaction = cell::Scheme::rush_larsen_light;
    double dt_ms = 0.02, end_ms = 1000;
    std::vector<Stimulus> stimuli;
    std::vector<Probe> probes;
    double activation_threshold_mV = 0;
    double frames_every_ms = 0;  ///< 0: none
    FrameFormat frames = FrameFormat::vtu;
    double checkpoint_every_ms = 0;
    double probes_every_ms = 0;  ///< 0: every step
    std::filesystem::path folder; ///< what relative paths start from; not written
};

/// Reads a session file; strict: unknown keys, wrong types and impossible values are errors that name the
/// place by JSON pointer and, for keys, the nearest known one.
/// @param overrides  "PATH=VALUE", e.g. "time.dt_ms=0.01", "regions.0.variant=endo" (tissue. may be left out
///                   only if the contract says so); applied before checking
/// @throws InputError
Session read_session(const std::filesystem::path& file, std::span<const std::string> overrides = {});
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
/// A runnable session around a mesh file: its own fibres, TT06 epicardial, one stimulus at the apex-most
/// part of the mesh.
Session session_for_mesh(const std::filesystem::path& mesh_file);

} // namespace tawara::simulation
