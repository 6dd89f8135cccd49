// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes, fibres, cables, matrices.
#include "engine/cable/io/read.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/parallel/files.hpp"
#include "engine/mesh/parallel/sections.hpp"
#include "engine/sparse/matrix_market.hpp"
#include "tests/fuzz/readers.hpp"

#include <cmath>
#include <cstring>
#include <fstream>

namespace tawara::fuzz {
namespace {

namespace fs = std::filesystem;

/// What every mesh holds that was read.
void need_whole(const mesh::TetMesh& m)
{
    const auto vertices = m.vertex_count();
    need(m.y.size() == vertices && m.z.size() == vertices, "as many y and z as x");
    for (std::size_t v = 0; v < vertices; ++v)
        need(std::isfinite(m.x[v] + m.y[v] + m.z[v]), "finite coordinates");
    for (const auto& corners : m.corner)
        for (const auto c : corners)
            need(c >= 0 && static_cast<std::size_t>(c) < vertices, "corners are vertices");
    need(m.region.size() == m.corner[0].size(), "a label for each tetrahedron");
}

void need_mesh(const fs::path& file)
{
    need_whole(mesh::io::read(file).mesh);
}

void need_tree(const fs::path& file)
{
    for (const bool forest : {false, true}) {
        cable::io::ReadOptions o;
        o.several_trees = forest;
        o.radius_um = 1;
        try {
            for (const auto& tree : cable::io::read(file, o).trees)
                for (std::size_t k = 0; k < tree.parent.size(); ++k)
                    need(tree.parent[k] < static_cast<std::int64_t>(k), "parents come first");
        } catch (const InputError&) {
            if (forest)
                throw;
        }
    }
}

/// A part's file with arrays as the bytes have them, and checksums that are right for these.
std::uint32_t put_part(const fs::path& file, std::string_view bytes)
{
    constexpr std::size_t head = 24, name_bytes = 24, array_head = 40;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    mesh::parallel::Sections sections(out, 0, 1);
    for (std::size_t at = head; at + array_head <= bytes.size();) {
        const std::string name(bytes.data() + at, strnlen(bytes.data() + at, name_bytes - 1));
        std::uint64_t size = 0;
        std::memcpy(&size, bytes.data() + at + name_bytes, sizeof size);
        at += array_head;
        size = std::min<std::uint64_t>(size, bytes.size() - at);
        sections.put(name, std::span<const char>(bytes.data() + at, size));
        at += size;
    }
    return sections.checksum();
}

} // namespace

void mesh_vtu(std::string_view bytes, const fs::path& folder)
{
    need_mesh(put(folder / "m.vtu", bytes));
}

void mesh_vtk(std::string_view bytes, const fs::path& folder)
{
    need_mesh(put(folder / "m.vtk", bytes));
}

void mesh_gmsh(std::string_view bytes, const fs::path& folder)
{
    need_mesh(put(folder / "m.msh", bytes));
}

void mesh_carp(std::string_view bytes, const fs::path& folder)
{
    const auto there =
        several_files(bytes, folder, {"m.pts", "m.elem", "m.lon", "m.bpts", "m.belem", "m.blon"});
    need_mesh(folder / (there.empty() ? "m.pts" : there.front()));
}

void mesh_tetgen(std::string_view bytes, const fs::path& folder)
{
    several_files(bytes, folder, {"m.node", "m.ele", "m.face", "m.ortho", "m.axi"});
    need_mesh(folder / "m.node");
}

void mesh_parts(std::string_view bytes, const fs::path& folder)
{
    const auto index = mesh::parallel::read_index(put(folder / "m.parts", bytes));
    need(!index.parts.empty(), "an index names parts");
}

void mesh_part(std::string_view bytes, const fs::path& folder)
{
    several_files(bytes, folder, {"m.parts", "0"});
    auto index = mesh::parallel::read_index(folder / "m.parts");
    const auto at = bytes.find("@@0\n");
    index.parts.resize(1);
    index.parts[0].file = "part";
    index.parts[0].checksum =
        put_part(folder / "part", at == bytes.npos ? "" : bytes.substr(at + 4));
    const auto part = mesh::parallel::read_part(folder / "m.parts", index, 0);
    need_whole(part.mesh);
}

void fibres(std::string_view bytes, const fs::path& folder)
{
    const auto there = several_files(bytes, folder, {"f.vtk", "f.vtu", "f.lon", "f.blon"});
    auto m = mesh::slab({1, 1, 1}, 1);
    mesh::io::attach_fibres(m, folder / (there.empty() ? "f.vtk" : there.front()));
    for (const auto* axis : {&m.fibre.x, &m.fibre.y, &m.fibre.z})
        need(axis->size() == m.region.size(), "a fibre for each tetrahedron");
}

void cable_swc(std::string_view bytes, const fs::path& folder)
{
    need_tree(put(folder / "c.swc", bytes));
}

void cable_table(std::string_view bytes, const fs::path& folder)
{
    need_tree(put(folder / "c.csv", bytes));
}

void cable_lines(std::string_view bytes, const fs::path& folder)
{
    const bool xml = bytes.find("<VTKFile") != bytes.npos;
    need_tree(put(folder / (xml ? "c.vtp" : "c.vtk"), bytes));
}

void matrix_market(std::string_view bytes, const fs::path& folder)
{
    const auto a = sparse::read_matrix_market(put(folder / "a.mtx", bytes));
    for (const auto c : a.column)
        need(c >= 0 && static_cast<std::size_t>(c) < static_cast<std::size_t>(a.columns),
             "columns lie in the matrix");
}

} // namespace tawara::fuzz
