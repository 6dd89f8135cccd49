// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/bowl.hpp"

#include "engine/mesh/check.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tawara::fake {

Bowl bowl(int n, double radius_mm, double length_mm, double wall_mm)
{
    Bowl b{std::make_shared<mesh::TetMesh>(), std::make_shared<mesh::Surface>()};
    const int around = 4 * n;
    auto& m = *b.mesh;
    auto& s = *b.surface;
    const auto shell = [&](double shrink) {
        std::vector<std::vector<std::int32_t>> rings;
        for (int i = 0; i <= n; ++i) { // from the apex up to the base
            const double polar = 0.5 * std::numbers::pi * i / n;
            std::vector<std::int32_t> ring;
            for (int k = 0; k < (i == 0 ? 1 : around); ++k) {
                const double turn = 2 * std::numbers::pi * k / around;
                const double r = (radius_mm - shrink) * std::sin(polar);
                ring.push_back(static_cast<std::int32_t>(m.vertex_count()));
                m.add_vertex({r * std::cos(turn), r * std::sin(turn),
                              -(length_mm - shrink) * std::cos(polar)});
            }
            rings.push_back(ring);
        }
        return rings;
    };
    const auto outer = shell(0), inner = shell(wall_mm);
    const auto add = [&](std::int32_t p, std::int32_t q, std::int32_t r, bool flip, mesh::Wall w) {
        s.triangles.push_back(flip ? std::array{p, r, q} : std::array{p, q, r});
        s.wall.push_back(w);
        s.tetrahedron.push_back(0);
    };
    const auto skin = [&](const auto& rings, bool flip, mesh::Wall w) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            for (std::size_t k = 0; k < static_cast<std::size_t>(around); ++k) {
                const std::size_t l = (k + 1) % static_cast<std::size_t>(around);
                const auto &low = rings[i], &high = rings[i + 1];
                const auto a = low[i == 0 ? 0 : k], c = low[i == 0 ? 0 : l];
                add(a, high[l], high[k], flip, w);
                if (i > 0)
                    add(a, c, high[l], flip, w);
            }
    };
    skin(outer, false, mesh::Wall::epi);
    skin(inner, true, mesh::Wall::endo_lv);
    const auto &o = outer.back(), &e = inner.back();
    for (std::size_t k = 0; k < o.size(); ++k) {
        const std::size_t l = (k + 1) % o.size();
        add(o[k], o[l], e[l], false, mesh::Wall::base);
        add(o[k], e[l], e[k], false, mesh::Wall::base);
    }
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        s.vertices.push_back(static_cast<std::int32_t>(v));
    return b;
}

float wave_mV(const Vec3& at, double time_ms, double length_mm)
{
    const double bend = 4 * std::sin(3 * std::atan2(at[1], at[0]));
    const double since = time_ms - (at[2] + length_mm + bend) / 0.6;
    if (since < 0)
        return -85.0F;
    const double up = 1 - std::exp(-since / 0.8), down = 1 / (1 + std::exp((since - 260) / 25));
    return static_cast<float>(-85 + (115 - 0.1 * std::min(since, 260.0)) * up * down);
}

Bowl block()
{
    Bowl b{std::make_shared<mesh::TetMesh>(mesh::slab({40, 20, 12}, 4)),
           std::make_shared<mesh::Surface>()};
    b.mesh->label_names[b.mesh->region.front()] = "myocardium";
    *b.surface = mesh::surface(*b.mesh, mesh::face_neighbours(*b.mesh));
    return b;
}

} // namespace tawara::fake
