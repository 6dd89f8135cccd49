// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/measure.hpp"
#include "engine/simulation/session/session.hpp"

#include <memory>

/// Meshes that are made here: generated hearts, slabs, refinements. For the command line and the
/// window alike.
namespace tawara::simulation {

/// A mesh whose tetrahedra are each cut into eight, `times` over (1 to most_refinements).
struct Refinement
{
    std::shared_ptr<const mesh::TetMesh> mesh;
    int times = 1;
    bool lower = true; ///< conductivities of the session that goes along: lower_conductivities()
};
inline constexpr int most_refinements = 6;

using MeshRecipe = std::variant<mesh::generator::HeartParameters, MeshSlab, Refinement>;

/// What a recipe will give, before it is followed.
struct MeshForecast
{
    std::int64_t vertices = 0, tetrahedra = 0;
    double edge_mm = 0;   ///< mesh::mean_edge_mm(), about
    double seconds = 0;   ///< that making takes, about; 0: next to nothing
    bool counted = false; ///< the counts are exact; else within some percent
    std::int64_t unknowns(diffusion::Scheme s) const
    {
        return s == diffusion::Scheme::fvm ? tetrahedra : vertices;
    }
};
/// @throws InputError when the recipe cannot be followed, naming the value and what is allowed
/// @thread any
/// @cost   some 50 ms for a heart, linear in the mesh for a refinement
MeshForecast forecast(const MeshRecipe& recipe, const Progress& progress = {});

/// Memory that the program takes at most with a session on such a mesh, on the CPU in double
/// precision [bytes]: by measurement with ten Tusscher's model on 80 and 650 thousand tetrahedra,
/// explicit steps; good to some 20 %.
double session_bytes(const MeshForecast& mesh, diffusion::Scheme scheme);
/// The machine's [bytes]; 0 where it does not say.
double machine_bytes();

/// Refuses a mesh whose run the free memory cannot hold. A system without memory would end the
/// program, and say nothing. Refused is what takes more than is free by 0.8 of session_bytes() (p1)
/// or 0.63 of it (fvm): runs in single precision take less than session_bytes(), and what fits is
/// not to be refused.
/// @param key         what the length `edge_mm` is called where the mesh was asked for
/// @param edge_mm     of its edges or cubes; tetrahedra go with its inverse cubed
/// @param free_bytes  available_memory_bytes(); 0: not known, nothing is refused
/// @throws InputError `key` with the tetrahedra, what they take, and the length that fits
void need_memory(const MeshForecast& mesh, diffusion::Scheme scheme, const std::string& key,
                 double edge_mm, double free_bytes);
/// Refuses a refinement whose mesh alone the free memory cannot hold: 100 bytes for each of the
/// 8^times tetrahedra that a tetrahedron becomes. How many times fit is counted by 200 bytes, which
/// is what `mesh refine` was measured to take (180 to 220).
/// @param tetrahedra  of the mesh that is refined
/// @param free_bytes  as of need_memory()
/// @param key         what `times` is called where the refinement was asked for
/// @throws InputError `key` with the tetrahedra, what they take, and how many times fit
void need_memory_to_refine(double tetrahedra, int times, double free_bytes,
                           const std::string& key = "times");

/// @throws InputError as forecast(); Cancelled
mesh::TetMesh make_mesh(const MeshRecipe& recipe, const Progress& progress = {});

/// Makes the mesh, writes it to `file` (mesh/io formats) and gives a session on it: of a refinement
/// `current` carried over, what was painted and chosen by vertices included, its raised
/// conductivities lowered where that is asked for; else a fresh one as session_for_mesh().
/// @param lost  gets what the file's format has no place for (mesh::io::lost_in()); may be null
/// @throws InputError, MeshError, Cancelled; nothing is left written then
Session session_on_new_mesh(const MeshRecipe& recipe, const std::filesystem::path& file,
                            const Session& current, const Progress& progress = {},
                            Notices* lost = nullptr);

/// The session on the mesh that refine() made of its own (once): places that count tetrahedra or
/// vertices are translated. The mesh that it names is left as it is.
/// @param fine  in the order in which refine() leaves it
Session carried_over(Session session, const mesh::TetMesh& fine);

/// The session as it has to be written into another folder: its relative paths start from there.
Session moved_to(Session session, const std::filesystem::path& folder);

} // namespace tawara::simulation
