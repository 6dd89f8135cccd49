// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/uneven_bar.hpp"

#include "engine/core/random.hpp"
#include "engine/mesh/measure.hpp"

#include <algorithm>

namespace tawara::mesh {
namespace {

constexpr double moved = 0.2; ///< of a cube's edge, at most, along each axis

/// Between -1 and 1, by vertex and axis.
double chance(std::size_t vertex, std::size_t axis)
{
    const auto words = philox({{static_cast<std::uint32_t>(vertex), 0, 0, 0}}, 2026, 0);
    return static_cast<double>(words[static_cast<int>(axis)]) / 2147483648.0 - 1;
}

class Lattice
{
  public:
    Lattice(std::size_t along, std::size_t across) : n_{along, across, across} {}

    TetMesh made()
    {
        vertices();
        for (std::size_t k = 0; k < n_[2]; ++k)
            for (std::size_t j = 0; j < n_[1]; ++j)
                for (std::size_t i = 0; i < n_[0]; ++i)
                    cube({i, j, k});
        const auto nt = m_.tetrahedron_count();
        for (auto* d : {&m_.fibre, &m_.sheet, &m_.normal})
            d->resize(nt);
        std::fill(m_.fibre.x.begin(), m_.fibre.x.end(), 1.0F);
        std::fill(m_.sheet.y.begin(), m_.sheet.y.end(), 1.0F);
        std::fill(m_.normal.z.begin(), m_.normal.z.end(), 1.0F);
        return std::move(m_);
    }

  private:
    using At = std::array<std::size_t, 3>;

    std::int32_t corner(const At& at) const
    {
        return static_cast<std::int32_t>(at[0] + (n_[0] + 1) * (at[1] + (n_[1] + 1) * at[2]));
    }
    std::int32_t centre(const At& at) const
    {
        const std::size_t corners = (n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1);
        return static_cast<std::int32_t>(corners + at[0] + n_[0] * (at[1] + n_[1] * at[2]));
    }
    void vertices()
    {
        for (std::size_t k = 0; k <= n_[2]; ++k)
            for (std::size_t j = 0; j <= n_[1]; ++j)
                for (std::size_t i = 0; i <= n_[0]; ++i)
                    add({i, j, k}, 0);
        for (std::size_t k = 0; k < n_[2]; ++k)
            for (std::size_t j = 0; j < n_[1]; ++j)
                for (std::size_t i = 0; i < n_[0]; ++i)
                    add({i, j, k}, 0.5);
    }
    void add(const At& at, double half)
    {
        Vec3 x{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool on_boundary = half == 0 && (at[axis] == 0 || at[axis] == n_[axis]);
            x[axis] = static_cast<double>(at[axis]) + half +
                      (on_boundary ? 0 : moved * chance(m_.vertex_count(), axis));
        }
        m_.add_vertex(x);
    }
    void tetrahedron(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d)
    {
        m_.add_tetrahedron({a, b, c, d}, 1);
        if (m_.volume(m_.tetrahedron_count() - 1) < 0)
            std::swap(m_.corner[2].back(), m_.corner[3].back());
    }
    /// The tetrahedra around its three upper faces, and those of its faces on the boundary.
    void cube(const At& at)
    {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            face(at, axis, at);
            if (at[axis] + 1 == n_[axis]) {
                At upper = at;
                ++upper[axis];
                face(at, axis, upper);
            }
        }
    }
    /// Between a cube and the one before it along an axis, or the boundary.
    /// @param low  the face's lowest corner
    void face(const At& at, std::size_t axis, const At& low)
    {
        const std::size_t u = (axis + 1) % 3, w = (axis + 2) % 3;
        std::array<std::int32_t, 4> ring{};
        At c = low;
        ring[0] = corner(c);
        ++c[u];
        ring[1] = corner(c);
        ++c[w];
        ring[2] = corner(c);
        --c[u];
        ring[3] = corner(c);
        if (low[axis] == 0 || low[axis] == n_[axis]) {
            tetrahedron(centre(at), ring[0], ring[1], ring[2]);
            tetrahedron(centre(at), ring[0], ring[2], ring[3]);
            return;
        }
        At before = at;
        --before[axis];
        for (std::size_t k = 0; k < 4; ++k)
            tetrahedron(centre(at), centre(before), ring[k], ring[(k + 1) % 4]);
    }

    At n_;
    TetMesh m_;
};

} // namespace

TetMesh uneven_bar(std::size_t along, std::size_t across, double edge_mm)
{
    TetMesh m = Lattice(along, across).made();
    const double unit = edge_mm / mean_edge_mm(m);
    for (auto* x : {&m.x, &m.y, &m.z})
        for (double& at : *x)
            at *= unit;
    return m;
}

} // namespace tawara::mesh
