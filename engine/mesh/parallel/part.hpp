// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh in parts: what each process of several reads of a mesh that none of them holds whole.
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::mesh::parallel {

/// Where unknowns are, for which a part has what their rows need.
enum class Unknowns : std::uint8_t {
    vertices = 1,  ///< every tetrahedron around an own vertex
    tetrahedra = 2 ///< of an own tetrahedron the neighbours, and theirs
};

/// One part of a mesh. Vertices and tetrahedra lie in the order of the whole mesh, own ones and
/// those of other parts together, so that sums over them are made in the order of the whole.
/// Plain values.
struct Part
{
    std::int32_t number = 0, parts = 1;
    TetMesh mesh;
    Surface surface; ///< of the whole mesh, as far as its tetrahedra are here
    std::vector<std::int64_t> vertex, tetrahedron;             ///< numbers in the whole, ascending
    std::vector<std::int32_t> vertex_owner, tetrahedron_owner; ///< parts
    /// Of each tetrahedron: the bits of the Unknowns that it is here for.
    std::vector<std::uint8_t> needed_by;
};

/// What a part gives to another and takes from it: unknowns by their numbers in the part, in the
/// order of the whole, so that what one gives is what the other takes.
struct Border
{
    std::int32_t part = 0;
    std::vector<std::int32_t> give; ///< own ones that the other part's rows read
    std::vector<std::int32_t> take; ///< the other part's that own rows read
    bool operator==(const Border&) const = default;
};

/// The borders of a part, by the other part's number. What lies on them follows from the owners of
/// what the part holds, alike on both sides.
/// @param neighbours  of face_neighbours() of the part's mesh; of `tetrahedra` alone
/// @cost  linear
std::vector<Border> borders_of(const Part& p, Unknowns of,
                               std::span<const std::array<std::int32_t, 4>> neighbours);

/// Takes out what is not needed for these unknowns.
void keep_for(Part& p, Unknowns of);

/// A mesh cut into parts: who owns each vertex and each tetrahedron.
struct Cut
{
    std::int32_t parts = 1;
    std::vector<std::int32_t> vertex, tetrahedron;
};

/// Cuts a mesh into parts of about the same number of vertices (METIS k-way on the graph of edges).
/// A tetrahedron belongs to the part that owns most of its corners; of several the one that owns
/// the first such corner. Deterministic.
/// @throws InputError where there are more parts than vertices, or a part would own no tetrahedron
/// @cost   METIS: about 5 s and 400 bytes of scratch per vertex for a million vertices
Cut cut(const TetMesh& m, int parts, const Progress& progress = {});

/// Makes the parts of a mesh, one at a time: so no more than one is in memory beside the mesh.
class Cutter
{
  public:
    /// Views, nothing owned.
    Cutter(const TetMesh& m, std::span<const std::array<std::int32_t, 4>> neighbours,
           const Surface& surface, const Cut& cut);
    /// @cost  linear in the part
    Part part(std::int32_t number) const;

  private:
    void choose(std::int32_t number, std::vector<std::int32_t>& tets,
                std::vector<std::uint8_t>& needed_by) const;

    const TetMesh& mesh_;
    std::span<const std::array<std::int32_t, 4>> neighbours_;
    const Surface& surface_;
    const Cut& cut_;
    std::vector<std::int64_t> first_;  ///< of each part in tets_
    std::vector<std::int32_t> tets_;   ///< that have a vertex of the part, ascending
    std::vector<std::int32_t> by_tet_; ///< triangles of the surface in the order of tetrahedra
};

} // namespace tawara::mesh::parallel
