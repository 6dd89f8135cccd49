// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/check.hpp"
#include "tests/diffusion/cube.hpp"

#include <random>

namespace tawara::testing {

/// A box whose inner vertices are moved by up to `part` of the spacing in each direction, as long
/// as every tetrahedron keeps a positive volume.
inline mesh::TetMesh shaken_box(const Vec3& size, double spacing, double part)
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

/// D along the fibre, D / ratio across it; fibres in the xy plane turn by 120 degrees along z in
/// [0, 1].
inline std::vector<diffusion::Tensor> turning_tensors(const mesh::TetMesh& m, double d,
                                                      double ratio)
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

} // namespace tawara::testing
