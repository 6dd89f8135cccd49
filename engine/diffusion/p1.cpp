// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/p1.hpp"

#include "engine/diffusion/chunks.hpp"

#include <numeric>

namespace tawara::diffusion {

namespace {

/// 6 V times the gradients of the four linear shape functions; and V.
struct Gradients
{
    std::array<Vec3, 4> g;
    double volume;
};

Gradients gradients(const mesh::TetMesh& m, std::size_t t)
{
    const auto c = m.corners(t);
    std::array<Vec3, 4> p;
    for (std::size_t k = 0; k < 4; ++k)
        p[k] = m.vertex(static_cast<std::size_t>(c[k]));
    Gradients out;
    out.volume = m.volume(t);
    for (std::size_t k = 0; k < 4; ++k) {
        // Face k's normal points out, the gradient of shape function k points in.
        const auto& f = mesh::face_corners[k];
        const auto a = static_cast<std::size_t>(f[0]), b = static_cast<std::size_t>(f[1]),
                   d = static_cast<std::size_t>(f[2]);
        out.g[k] = -1.0 * cross(p[b] - p[a], p[d] - p[a]);
    }
    return out;
}

Vec3 times(const Tensor& d, const Vec3& a)
{
    return {d[0] * a[0] + d[3] * a[1] + d[4] * a[2], d[3] * a[0] + d[1] * a[1] + d[5] * a[2],
            d[4] * a[0] + d[5] * a[1] + d[2] * a[2]};
}

/// A row of the stiffness and of the mass matrix while it is put together, columns ascending.
/// Tetrahedra that do not conduct are left out of both: they hold no cells.
struct VertexRow
{
    std::vector<std::int32_t> column;
    std::vector<double> stiffness, mass;
    double diagonal_mass = 0, lumped = 0;

    /// The other vertices of the tetrahedra around v.
    void pattern(const mesh::TetMesh& m, const mesh::VertexStars& stars,
                 std::span<const Tensor> diffusivity, std::size_t v)
    {
        column.clear();
        for (auto e = stars.first[v]; e < stars.first[v + 1]; ++e) {
            const auto t = static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(e)]);
            if (!conducts(diffusivity[t]))
                continue;
            for (const auto& corner : m.corner)
                if (corner[t] != static_cast<std::int32_t>(v))
                    column.push_back(corner[t]);
        }
        std::sort(column.begin(), column.end());
        column.erase(std::unique(column.begin(), column.end()), column.end());
    }

    void fill(const mesh::TetMesh& m, const mesh::VertexStars& stars,
              std::span<const Tensor> diffusivity, std::size_t v)
    {
        stiffness.assign(column.size(), 0);
        mass.assign(column.size(), 0);
        diagonal_mass = lumped = 0;
        for (auto e = stars.first[v]; e < stars.first[v + 1]; ++e) {
            const auto t = static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(e)]);
            if (!conducts(diffusivity[t]))
                continue;
            const auto c = m.corners(t);
            const Gradients g = gradients(m, t);
            diagonal_mass += g.volume / 10;
            lumped += g.volume / 4;
            const auto self = static_cast<std::size_t>(
                std::find(c.begin(), c.end(), static_cast<std::int32_t>(v)) - c.begin());
            const Vec3 flux = times(diffusivity[t], g.g[self]);
            for (std::size_t k = 0; k < 4; ++k) {
                if (k == self)
                    continue;
                const auto at = static_cast<std::size_t>(
                    std::lower_bound(column.begin(), column.end(), c[k]) - column.begin());
                stiffness[at] -= dot(flux, g.g[k]) / (36 * g.volume);
                mass[at] += g.volume / 20;
            }
        }
    }
};

} // namespace

System assemble_p1(ThreadPool& pool, const mesh::TetMesh& m, std::span<const Tensor> diffusivity,
                   const Options& options, const Progress& progress)
{
    const std::size_t n = m.vertex_count();
    const bool consistent = options.mass == Mass::consistent;
    const auto stars = mesh::vertex_stars(m);
    System s;
    s.mass = options.mass;
    s.volume.resize(n);
    s.alpha.first.assign(n + 1, 0);
    for_each_index(pool, n, progress, {"assembling diffusion", 0, 0.4}, [&](std::size_t v) {
        thread_local VertexRow row;
        row.pattern(m, stars, diffusivity, v);
        s.alpha.first[v + 1] = static_cast<std::int64_t>(row.column.size());
    });
    std::partial_sum(s.alpha.first.begin(), s.alpha.first.end(), s.alpha.first.begin());
    const auto entries = static_cast<std::size_t>(s.alpha.first[n]);
    s.alpha.column.resize(entries);
    s.alpha.value.resize(entries);
    if (consistent) {
        s.mass_rows.value.resize(entries);
        s.mass_diagonal.resize(n);
    }
    for_each_index(pool, n, progress, {"assembling diffusion", 0.4, 1}, [&](std::size_t v) {
        thread_local VertexRow row;
        row.pattern(m, stars, diffusivity, v);
        row.fill(m, stars, diffusivity, v);
        const auto at = s.alpha.first[v];
        std::copy(row.column.begin(), row.column.end(), s.alpha.column.begin() + at);
        std::copy(row.stiffness.begin(), row.stiffness.end(), s.alpha.value.begin() + at);
        s.volume[v] = row.lumped;
        if (consistent) {
            std::copy(row.mass.begin(), row.mass.end(), s.mass_rows.value.begin() + at);
            s.mass_diagonal[v] = row.diagonal_mass;
        }
    });
    if (consistent) {
        s.mass_rows.first = s.alpha.first;
        s.mass_rows.column = s.alpha.column;
    }
    s.stability.proven_cell_by_cell = true; // K is symmetric and positive semi-definite
    s.stability.notices.push_back(
        {Notice::Level::info, "diffusion (p1): symmetric, stable on every mesh"});
    return s;
}

} // namespace tawara::diffusion
