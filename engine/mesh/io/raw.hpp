// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/io/memory_bound.hpp"
#include "engine/mesh/io/mesh_io.hpp"

#include <bit>
#include <cstring>

namespace tawara::mesh::io {

/// A mesh as its file has it: coordinates in the file's unit, nothing checked but indices.
struct Raw
{
    TetMesh mesh;
    Directions fibre_at_vertices, sheet_at_vertices, normal_at_vertices;
    std::string format;
    std::optional<LengthUnit> stated;     ///< unit that the file itself names
    std::optional<LengthUnit> convention; ///< unit that the format prescribes
    Notices notices;
    std::optional<MemoryBound> bound; ///< of what take_array() takes
};

/// Cells that are no tetrahedra, counted by type. Points, lines and triangles are ignored with a
/// notice; others are refused.
class OtherCells
{
  public:
    void ignored(const std::string& type) { add(ignored_, type); }
    void refused(const std::string& type) { add(refused_, type); }
    /// @throws MeshError when there are cells that cannot be ignored
    void conclude(const std::string& file, Notices& notices) const;

  private:
    using Counts = std::vector<std::pair<std::string, std::int64_t>>;
    static void add(Counts& to, const std::string& type);
    Counts ignored_, refused_;
};

/// Puts an array of a file where its name says: fibre, sheet and normal directions, region labels,
/// or a field. Names as they are usual in VTK, Gmsh, CARP and FEniCS files; case does not matter.
/// @param values  components * count
/// @throws MeshError beyond the bound, where there is one
void take_array(Raw& raw, const std::string& name, Field::On on, int components,
                const std::vector<double>& values);

/// Scales to mm, averages directions at vertices, checks and cleans.
Loaded finish(Raw raw, const std::string& file, std::optional<LengthUnit> unit,
              const Progress& progress);

/// The number stored at `p`, its bytes reversed when `swap`.
template <class T>
T stored(const char* p, bool swap)
{
    std::array<char, sizeof(T)> b;
    std::memcpy(b.data(), p, sizeof(T));
    if (swap)
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i)
            std::swap(b[i], b[sizeof(T) - 1 - i]);
    return std::bit_cast<T>(b);
}

/// The readers, one per format. With points_only, those of VTK take files without cells, too.
Raw read_carp(const std::filesystem::path& file, const Progress& progress);
/// Fibres and sheets of a .lon or .blon file, one for each tetrahedron of the mesh in its order.
/// @throws MeshError also where their numbers differ
void read_carp_fibres(const std::filesystem::path& file, TetMesh& m);
Raw read_tetgen(const std::filesystem::path& file, const Progress& progress);
Raw read_gmsh(const std::filesystem::path& file, const Progress& progress);
Raw read_vtk_legacy(const std::filesystem::path& file, const Progress& progress,
                    bool points_only = false);
Raw read_vtu(const std::filesystem::path& file, const Progress& progress, bool points_only = false);

} // namespace tawara::mesh::io
