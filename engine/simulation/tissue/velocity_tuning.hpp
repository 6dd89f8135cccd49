// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/session/session.hpp"

#include <exception>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// What errors of velocities name where others name a file (InputError::file): they lie in none.
inline constexpr const char* no_velocity_file = "velocity";
/// Whether an error is of a velocity that lies in no file.
bool of_velocity(const InputError& e);

/// Conductivities with which waves run at wanted velocities on a mesh.
struct TunedConductivity
{
    diffusion::Conductivity conductivity_S_per_m; ///< for the mesh
    /// With which waves run as fast where a mesh resolves them (velocity_on_fine()).
    diffusion::Conductivity on_fine_S_per_m;
    ConductionVelocity wanted, reached; ///< [m/s]; reached: on strips of the mesh's elements
    double edge_mm = 0;                 ///< the mesh's mean edge
    bool even = true;                   ///< mesh::Grain::even of it and of the strips
    int strips = 0;                     ///< that the search asked for, some twice
};

/// The largest conductivity that is tried [S/m]: tissue has 0.01 to 1.
inline constexpr double most_tuned_S_per_m = 5;
/// Of a velocity, that is near enough.
inline constexpr double tuning_tolerance = 0.01;

/// Finds the conductivities of a region with velocity_m_per_s. Along each direction a plane wave
/// runs along a strip of tetrahedra like the mesh's, four cubes wide (velocity_on_mesh()), with
/// the session's scheme, mass, splitting, stepping, reaction and time step, on the CPU in single
/// precision (Newton's method: double) whatever device the session will run on. All directions are
/// searched for at once (joint_search.hpp), until all velocities are within half of
/// tuning_tolerance, from what meshes of that grain want about: the conductivity of a fine mesh
/// times (edge / front's width)^0.9. Where that fails one direction is searched for after the other
/// (conductivity_search.hpp), until all are within tuning_tolerance, or it is known why not.
/// Conductivities are rounded to four figures, so that other vector units find the same. Equal
/// velocities have equal conductivities.
///
/// Found for the region's model, variant, parameters and initial states; its factors (`scale`,
/// `conductivity_scale`), drugs and prepacing act on the tissue that was tuned, and are not looked
/// at.
///
/// What was found is kept in memory, and in velocities in cache_folder() for programs of the same
/// build; what was found for the sessions that ship with the program ships with it
/// (tuning_store.hpp).
/// @param region   with a model of its own and velocity_m_per_s
/// @throws InputError (of_velocity()) where a velocity cannot be reached, NumericsError, Cancelled
/// @thread any; three threads of its own
/// @cost   some seconds: about ten strips; nothing where it was found before
TunedConductivity tune_conductivity(const Session& session, const Region& region,
                                    const mesh::Grain& grain, const Progress& progress = {});

/// The same, found anew in any case, and kept nowhere.
TunedConductivity find_conductivity(const Session& session, const Region& region,
                                    const mesh::Grain& grain, const Progress& progress = {});

/// What was found for one of several regions, or why nothing was.
struct Tuning
{
    TunedConductivity found;
    std::exception_ptr failed;
    /// @throws what tune_conductivity() threw
    const TunedConductivity& get() const;
};

/// tune_conductivity() for several regions at once, on as many threads as the context has.
/// @return as many, in their order
/// @throws Cancelled
std::vector<Tuning> tune_all(const Session& session, std::span<const Region* const> regions,
                             const mesh::Grain& grain, const Progress& progress);

/// All that tune_conductivity() looks at, as a text.
std::string tuning_key(const Session& session, const Region& region, const mesh::Grain& grain);

/// What was found for a session's region.
struct TunedRegion
{
    std::size_t region = 0; ///< of the session
    std::string key;        ///< tuning_key()
    TunedConductivity found;
};

/// Those of all regions with velocity_m_per_s that conduct; a remark for each that says what was
/// found.
/// @throws InputError naming the region by JSON pointer; Cancelled
std::vector<TunedRegion> tune_regions(const Session& session, const mesh::Grain& grain,
                                      Notices& notices, const Progress& progress = {});

/// Whether these are still those of the session's regions, whatever else has changed.
bool still_tuned(const Session& session, std::span<const TunedRegion> tuned);

/// A remark that says what was found for a region.
Notice tuning_notice(const Session& session, const TunedRegion& t);

/// What is to be said of directions in which waves run faster than wanted by however little
/// conductivity; empty: there are none.
std::string too_fast_words(const TunedConductivity& f);

/// "0.6, 0.3, 0.2"
std::string velocity_text(const ConductionVelocity& v);

} // namespace tawara::simulation
