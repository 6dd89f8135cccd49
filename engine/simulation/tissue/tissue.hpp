// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/mesh/locator.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/tissue/regions.hpp"

#include <memory>
#include <optional>
#include <span>

namespace tawara::simulation {

/// Groups and types of cells, and those of each region of a RegionMap.
struct CellTable
{
    std::vector<device::CellGroup> groups;
    std::vector<std::uint8_t> group_of;
    std::vector<cell::TypeIndex> type_of;
};

struct PurkinjeNetwork; // purkinje.hpp

/// A session made ready to run: mesh, boundary, operator and cells. Plain values but for the
/// locator.
struct Tissue
{
    std::shared_ptr<const mesh::TetMesh> mesh;
    std::vector<std::array<std::int32_t, 4>> neighbours;
    std::shared_ptr<const mesh::Surface> surface;
    std::shared_ptr<const mesh::Locator> locator; ///< of `mesh`
    mesh::VertexStars stars;
    RegionMap patches;
    std::vector<std::int32_t> region_of_unknown; ///< of `patches`
    CellTable cells;
    device::TissueProblem problem;
    std::shared_ptr<const PurkinjeNetwork> network; ///< null: the session has none
    Notices notices;
    std::optional<Notice> prepaced; ///< what prepace() says; among the notices of build_tissue()
    std::string mesh_title;         ///< file name or kind
    bool on_vertices() const { return problem.system.scheme == diffusion::Scheme::p1; }
};

struct LoadedMesh
{
    mesh::TetMesh mesh;
    std::vector<std::array<std::int32_t, 4>> neighbours; ///< face_neighbours()
};

/// The mesh that a session names, checked and cleaned.
/// @throws InputError, MeshError, Cancelled
LoadedMesh load_mesh(const Session& s, Notices& notices, const Progress& progress = {});

/// @param for_viewing  also adds a heart's coordinates (coordinates.hpp) where that takes about a
/// second
/// @throws InputError, MeshError, Cancelled
Tissue build_tissue(const Session& s, const Progress& progress = {}, bool for_viewing = false);

/// The same on a mesh that is there; what the session says of its mesh is for titles and notices.
Tissue tissue_on(LoadedMesh mesh, const Session& s, const Progress& progress = {},
                 bool for_viewing = false);

/// Makes regions, operator and cells anew on the mesh that is there; adds to the notices.
/// @throws InputError, MeshError, Cancelled
void make_problem(const Session& s, Tissue& t, const Progress& progress = {});

/// Takes over changed parameters alone: groups' types, patches. The unknowns' groups and types
/// stay.
/// @pre    same_places() of the session's regions
/// @return false, and nothing changed, when conductivities change or cells would be grouped
/// otherwise
/// @throws InputError; then nothing changed
bool update_types(const Session& s, Tissue& t);

/// Unknowns (fvm: tetrahedra by centroid; p1: vertices) that a stimulus region holds. A ball too
/// small to hold any takes the unknown nearest to its centre.
/// Those without cells are left out.
/// @throws InputError when the region holds none, naming `what` (a JSON pointer)
std::vector<std::int32_t> unknowns_in(const Tissue& t, const StimulusRegion& region,
                                      const std::string& file, const std::string& what);

/// Weights that interpolate V linearly at points: p1 by barycentric coordinates; fvm by the
/// least-squares gradient over the cell and its face neighbours' neighbours. Points outside take
/// the nearest point of the mesh. In insulating tissue V has no value: NaN.
/// @throws InputError when a point is farther outside than the mesh's mean edge, naming the probe
/// and the box
device::Gather probe_weights(const Tissue& t, std::span<const Probe> probes,
                             const std::string& file);

/// Weights that carry V to the vertices of the surface: p1 the vertex itself, fvm the
/// inverse-distance mean of the tetrahedra around it that have cells; NaN where none has.
device::Gather display_weights(const Tissue& t);

/// A stimulus's pulses that start at from_ms or later.
std::vector<PulseRun> pulses_from(const Stimulus& s, double from_ms);

/// Pulses of a stimulus for a device, one source per run.
std::vector<device::StimulusSource> sources_of(const Stimulus& s,
                                               const std::vector<std::int32_t>& unknowns,
                                               std::span<const PulseRun> runs);

/// All of a session's stimulus for a device, from time 0 on; none when it is off.
std::vector<device::StimulusSource> sources_of(const Tissue& t, const Stimulus& s,
                                               const std::string& file, const std::string& what);

/// The state in which a stepper of that precision begins.
device::Snapshot initial_snapshot(const device::TissueProblem& p,
                                  Precision precision = Precision::double_);

/// How many numbers a snapshot of a stepper of that precision has for an unknown beside V.
std::size_t numbers_per_unknown(const device::TissueProblem& p, Precision precision);

/// The state of one problem carried to another on the same unknowns: V, maps and the states of
/// cells that keep their model (device::same_cells()); others take their initial states.
/// @param precision  of the steppers of both
device::Snapshot carried(const device::Snapshot& state, const device::TissueProblem& from,
                         const device::TissueProblem& to, Precision precision = Precision::double_);

} // namespace tawara::simulation
