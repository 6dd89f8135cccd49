// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::mesh {
namespace {

std::array<std::size_t, 3> grid(const Vec3& size_mm, double spacing_mm)
{
    if (!(spacing_mm > 0) || !std::isfinite(spacing_mm))
        throw InputError("", "/mesh/spacing_mm", "must be a positive length");
    std::array<std::size_t, 3> n{};
    double cubes = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(size_mm[i] > 0) || !std::isfinite(size_mm[i]))
            throw InputError("", "/mesh/slab_mm", "must be three positive lengths");
        const double count = std::max(1.0, std::round(size_mm[i] / spacing_mm));
        cubes *= count;
        if (!(cubes < 1e8))
            throw InputError("", "/mesh/spacing_mm",
                             "is too small for this slab: more than 600 million "
                             "tetrahedra; choose a larger one");
        n[i] = static_cast<std::size_t>(count);
    }
    return n;
}

} // namespace

TetMesh slab(const Vec3& size_mm, double spacing_mm)
{
    const auto n = grid(size_mm, spacing_mm);
    TetMesh m;
    const std::size_t nv = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), nt = 6 * n[0] * n[1] * n[2];
    m.x.reserve(nv), m.y.reserve(nv), m.z.reserve(nv);
    const auto coordinate = [&](std::size_t axis, std::size_t i) {
        return size_mm[axis] * static_cast<double>(i) / static_cast<double>(n[axis]);
    };
    for (std::size_t k = 0; k <= n[2]; ++k)
        for (std::size_t j = 0; j <= n[1]; ++j)
            for (std::size_t i = 0; i <= n[0]; ++i)
                m.add_vertex({coordinate(0, i), coordinate(1, j), coordinate(2, k)});

    // Kuhn: one tetrahedron per order in which the axes are walked from corner 000 to corner 111;
    // odd orders are turned
    constexpr std::array<std::array<std::size_t, 3>, 6> walks{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}};
    const std::array<std::size_t, 3> stride{1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
    for (auto& c : m.corner)
        c.reserve(nt);
    m.region.reserve(nt);
    for (std::size_t k = 0; k < n[2]; ++k)
        for (std::size_t j = 0; j < n[1]; ++j)
            for (std::size_t i = 0; i < n[0]; ++i)
                for (std::size_t w = 0; w < 6; ++w) {
                    std::array<std::int32_t, 4> c{};
                    std::size_t at = i * stride[0] + j * stride[1] + k * stride[2];
                    c[0] = static_cast<std::int32_t>(at);
                    for (std::size_t s = 0; s < 3; ++s)
                        c[s + 1] = static_cast<std::int32_t>(at += stride[walks[w][s]]);
                    if (w >= 3)
                        std::swap(c[1], c[2]);
                    m.add_tetrahedron(c, 1);
                }
    m.fibre.x.assign(nt, 1), m.fibre.y.assign(nt, 0), m.fibre.z.assign(nt, 0);
    m.sheet.x.assign(nt, 0), m.sheet.y.assign(nt, 1), m.sheet.z.assign(nt, 0);
    m.normal.x.assign(nt, 0), m.normal.y.assign(nt, 0), m.normal.z.assign(nt, 1);
    return m;
}

} // namespace tawara::mesh
