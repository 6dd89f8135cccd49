// SPDX-License-Identifier: GPL-3.0-or-later
// Coarse hearts in files that a machine without the readers' and the generator's libraries reads:
// numbers of vertices, tetrahedra and fibres (64 bits), x, y, z (doubles), the four corners (32
// bits) and the fibres' x, y, z (floats), array after array, little-endian.
#pragma once
#include "engine/core/error.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace tawara::bench {

/// Calls f(data, bytes) for each array of a mesh whose arrays have their sizes.
template <class Mesh, class F>
void each_array(Mesh& m, F f)
{
    const auto one = [&](auto& v) { f(v.data(), v.size() * sizeof(v[0])); };
    one(m.x), one(m.y), one(m.z);
    for (auto& c : m.corner)
        one(c);
    one(m.fibre.x), one(m.fibre.y), one(m.fibre.z);
}

/// Sheets and normals are some directions across the fibres.
/// @throws InputError
inline mesh::TetMesh read_heart(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::array<std::int64_t, 3> n{};
    in.read(reinterpret_cast<char*>(n.data()), sizeof n);
    if (!in || n[0] < 4 || n[1] < 1 || (n[2] != 0 && n[2] != n[1]) ||
        static_cast<std::int64_t>(std::filesystem::file_size(file)) !=
            24 + 24 * n[0] + 16 * n[1] + 12 * n[2])
        throw InputError(file.string(), "is no heart of spmv_heart");
    mesh::TetMesh m;
    const auto vertices = static_cast<std::size_t>(n[0]), tets = static_cast<std::size_t>(n[1]);
    m.x.resize(vertices), m.y.resize(vertices), m.z.resize(vertices);
    for (auto& c : m.corner)
        c.resize(tets);
    for (auto* d : {&m.fibre, &m.sheet, &m.normal})
        d->resize(static_cast<std::size_t>(n[2]));
    m.region.assign(tets, 1);
    each_array(m, [&](auto* data, std::size_t size) {
        in.read(reinterpret_cast<char*>(data), static_cast<std::streamsize>(size));
    });
    for (std::size_t t = 0; t < m.fibre.size(); ++t) {
        const auto f = m.fibre[t];
        const Vec3 away = std::abs(f[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
        const auto across = cross(f, away);
        const auto sheet = normalized(across);
        m.sheet.set(t, sheet);
        m.normal.set(t, cross(f, sheet));
    }
    return m;
}

/// @throws InputError where it cannot be written
inline void write_heart(const std::filesystem::path& file, const mesh::TetMesh& m)
{
    std::ofstream out(file, std::ios::binary);
    const std::array<std::int64_t, 3> n{static_cast<std::int64_t>(m.vertex_count()),
                                        static_cast<std::int64_t>(m.tetrahedron_count()),
                                        static_cast<std::int64_t>(m.fibre.size())};
    out.write(reinterpret_cast<const char*>(n.data()), sizeof n);
    each_array(m, [&](const auto* data, std::size_t size) {
        out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    });
    if (!out.flush())
        throw InputError(file.string(), "cannot be written");
}

} // namespace tawara::bench
