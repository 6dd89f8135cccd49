// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/vtk_cells.hpp"

#include "engine/mesh/mesh_error.hpp"

namespace tawara::mesh::io {
namespace {

constexpr std::int64_t tetrahedron = 10;

std::string type_name(std::int64_t type)
{
    switch (type) {
    case 1:
        return "vertex";
    case 2:
        return "poly-vertex";
    case 3:
        return "line";
    case 4:
        return "polyline";
    case 5:
        return "triangle";
    case 6:
        return "triangle strip";
    case 7:
        return "polygon";
    case 8:
        return "pixel";
    case 9:
        return "quadrilateral";
    case 11:
        return "voxel";
    case 12:
        return "hexahedron";
    case 13:
        return "wedge";
    case 14:
        return "pyramid";
    case 21:
        return "quadratic edge";
    case 22:
        return "quadratic triangle";
    case 24:
        return "quadratic tetrahedron";
    case 25:
        return "quadratic hexahedron";
    case 42:
        return "polyhedron";
    default:
        return "cell of VTK type " + std::to_string(type);
    }
}

bool ignorable(std::int64_t type)
{
    return (type >= 1 && type <= 5) || type == 21 || type == 22;
}

} // namespace

std::size_t count_of(const VtkCells& cells, const std::string& file)
{
    const std::size_t n = cells.types.size();
    if (cells.offsets.size() != n + 1 && !(n == 0 && cells.offsets.empty()))
        throw MeshError(file,
                        "has " + std::to_string(n) + " cell types, but " +
                            std::to_string(cells.offsets.empty() ? 0 : cells.offsets.size() - 1) +
                            " cells");
    return n;
}

std::pair<std::int64_t, std::int64_t> entries_of(const VtkCells& cells, std::size_t cell,
                                                 const std::string& file)
{
    const auto from = cells.offsets[cell], to = cells.offsets[cell + 1];
    const auto total = static_cast<std::int64_t>(cells.connectivity.size());
    if (from < 0 || to < from || to > total)
        throw MeshError(file, "the offsets of cell " + std::to_string(cell) + " (" +
                                  std::to_string(from) + " to " + std::to_string(to) +
                                  ") do not lie in the " + std::to_string(total) +
                                  " entries of the connectivity");
    return {from, to};
}

std::vector<std::size_t> add_cells(Raw& raw, const VtkCells& cells, const std::string& file)
{
    const std::size_t n = count_of(cells, file);
    std::vector<std::size_t> kept;
    OtherCells others;
    TetMesh& m = raw.mesh;
    for (std::size_t i = 0; i < n; ++i) {
        const auto [from, to] = entries_of(cells, i, file);
        if (cells.types[i] != tetrahedron) {
            const auto name = type_name(cells.types[i]);
            ignorable(cells.types[i]) ? others.ignored(name) : others.refused(name);
            continue;
        }
        if (to - from != 4)
            throw MeshError(file, "tetrahedron " + std::to_string(i) + " has " +
                                      std::to_string(to - from) + " vertices; it must have 4");
        std::array<std::int32_t, 4> c{};
        for (std::size_t k = 0; k < 4; ++k) {
            const auto v = cells.connectivity[static_cast<std::size_t>(from) + k];
            if (v < 0 || v >= static_cast<std::int64_t>(m.vertex_count()))
                throw MeshError(file, "cell " + std::to_string(i) + " names point " +
                                          std::to_string(v) + ", but there are " +
                                          std::to_string(m.vertex_count()));
            c[k] = static_cast<std::int32_t>(v);
        }
        for (std::size_t k = 0; k < 4; ++k)
            m.corner[k].push_back(c[k]);
        kept.push_back(i);
    }
    others.conclude(file, raw.notices);
    return kept;
}

void take_vtk_array(Raw& raw, const std::string& name, Field::On on, int components,
                    std::vector<double> values, const std::vector<std::size_t>& kept,
                    std::size_t cells_in_file, const std::string& file)
{
    const auto c = static_cast<std::size_t>(components);
    const bool at_points = on == Field::On::vertices;
    const std::size_t expected = (at_points ? raw.mesh.vertex_count() : cells_in_file) * c;
    if (components < 1 || values.size() != expected)
        throw MeshError(file, "array " + name + " has " + std::to_string(values.size()) +
                                  " values where " + std::to_string(expected) + " are due");
    if (!at_points && kept.size() != cells_in_file) {
        for (std::size_t i = 0; i < kept.size(); ++i)
            for (std::size_t k = 0; k < c; ++k)
                values[i * c + k] = values[kept[i] * c + k];
        values.resize(kept.size() * c);
    }
    take_array(raw, name, on, components, values);
}

} // namespace tawara::mesh::io
