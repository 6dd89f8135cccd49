// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/meshes.hpp"

#include "engine/mesh/check.hpp"
#include "engine/mesh/uneven_bar.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace tawara::verify {

mesh::TetMesh shaken_box(const Vec3& size, double spacing, double part)
{
    auto m = mesh::slab(size, spacing);
    const auto stars = mesh::vertex_stars(m);
    std::mt19937 random(7);
    auto noise = [&] { return spacing * part * (2.0 * random() / std::mt19937::max() - 1); };
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 x = m.vertex(v);
        bool inner = true;
        for (std::size_t k = 0; k < 3; ++k)
            inner = inner && x[k] > 1e-9 && x[k] < size[k] - 1e-9;
        if (!inner)
            continue;
        for (int attempt = 0; attempt < 20; ++attempt) {
            m.x[v] = x[0] + noise();
            m.y[v] = x[1] + noise();
            m.z[v] = x[2] + noise();
            bool fine = true;
            for (auto e = stars.first[v]; e < stars.first[v + 1]; ++e)
                fine = fine &&
                       m.volume(static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(e)])) >
                           1e-3 * spacing * spacing * spacing;
            if (fine)
                break;
            m.x[v] = x[0];
            m.y[v] = x[1];
            m.z[v] = x[2];
        }
    }
    return m;
}

mesh::TetMesh uneven_cube(int n)
{
    const auto count = static_cast<std::size_t>(n);
    auto m = mesh::uneven_bar(count, count, 1.0);
    for (auto* c : {&m.x, &m.y, &m.z}) {
        const auto [least, most] = std::minmax_element(c->begin(), c->end());
        const double low = *least, size = *most - *least;
        for (auto& x : *c)
            x = (x - low) / size;
    }
    return m;
}

mesh::TetMesh stretched_cube(int n, double factor)
{
    auto m = mesh::slab({1, 1, 1}, 1.0 / n);
    for (auto& z : m.z)
        z *= factor;
    return m;
}

mesh::TetMesh cube_with_slivers(int n, int every, double height)
{
    auto m = mesh::slab({1, 1, 1}, 1.0 / n);
    const auto count = m.tetrahedron_count();
    for (std::size_t t = 0; t < count; t += static_cast<std::size_t>(every)) {
        const auto c = m.corners(t);
        const Vec3 foot = 0.9 * m.vertex(static_cast<std::size_t>(c[1])) +
                          0.05 * (m.vertex(static_cast<std::size_t>(c[2])) +
                                  m.vertex(static_cast<std::size_t>(c[3])));
        const auto added = static_cast<std::int32_t>(m.vertex_count());
        m.add_vertex(foot + height * (m.vertex(static_cast<std::size_t>(c[0])) - foot));
        for (std::size_t k = 0; k < 4; ++k) { // the new vertex in place of each corner in turn
            auto part = c;
            part[k] = added;
            if (k == 0)
                for (std::size_t i = 0; i < 4; ++i)
                    m.corner[i][t] = part[i];
            else
                m.add_tetrahedron(part, 1);
        }
    }
    return m;
}

std::vector<diffusion::Tensor> turning_tensors(const mesh::TetMesh& m, double d, double ratio)
{
    std::vector<diffusion::Tensor> out(m.tetrahedron_count());
    for (std::size_t t = 0; t < out.size(); ++t) {
        const double angle = 2 * std::numbers::pi / 3 * m.centroid(t)[2];
        const double c = std::cos(angle), s = std::sin(angle), across = d / ratio;
        out[t] = {across + (d - across) * c * c,
                  across + (d - across) * s * s,
                  across,
                  (d - across) * c * s,
                  0,
                  0};
    }
    return out;
}

} // namespace tawara::verify
