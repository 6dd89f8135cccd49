// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/surface.hpp"

#include "engine/mesh/wall_split.hpp"

namespace tawara::mesh {

std::string_view name(Wall w)
{
    switch (w) {
    case Wall::other:
        return "other";
    case Wall::epi:
        return "epi";
    case Wall::endo_lv:
        return "endo_lv";
    case Wall::endo_rv:
        return "endo_rv";
    case Wall::base:
        return "base";
    }
    return "other";
}

Surface surface(const TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                Notices* notices)
{
    Surface s;
    std::vector<std::int32_t> to(m.vertex_count(), -1);
    for (std::size_t t = 0; t < neighbours.size(); ++t)
        for (std::size_t k = 0; k < 4; ++k) {
            if (neighbours[t][k] >= 0)
                continue;
            std::array<std::int32_t, 3> tri{};
            for (std::size_t i = 0; i < 3; ++i) {
                tri[i] = m.corner[static_cast<std::size_t>(face_corners[k][i])][t];
                to[static_cast<std::size_t>(tri[i])] = 0;
            }
            s.triangles.push_back(tri);
            s.tetrahedron.push_back(static_cast<std::int32_t>(t));
        }
    for (std::size_t v = 0; v < to.size(); ++v)
        if (to[v] == 0) {
            to[v] = static_cast<std::int32_t>(s.vertices.size());
            s.vertices.push_back(static_cast<std::int32_t>(v));
        }
    for (auto& tri : s.triangles)
        for (auto& v : tri)
            v = to[static_cast<std::size_t>(v)];
    s.wall.assign(s.triangles.size(), Wall::other);
    split_walls(m, neighbours, s, notices);
    return s;
}

} // namespace tawara::mesh
