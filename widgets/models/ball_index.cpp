// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/ball_index.hpp"

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr int most_cells = 200; // along an axis

}

BallIndex::BallIndex(const mesh::TetMesh& m, double cell_mm)
{
    Vec3 high{};
    const std::size_t n = m.tetrahedron_count();
    std::vector<Vec3> middle(n);
    for (std::size_t t = 0; t < n; ++t) {
        middle[t] = m.centroid(t);
        for (std::size_t k = 0; k < 3; ++k) {
            m_low[k] = t == 0 ? middle[t][k] : std::min(m_low[k], middle[t][k]);
            high[k] = t == 0 ? middle[t][k] : std::max(high[k], middle[t][k]);
        }
    }
    double widest = 0;
    for (std::size_t k = 0; k < 3; ++k)
        widest = std::max(widest, high[k] - m_low[k]);
    m_size = std::max(cell_mm, widest / most_cells);
    for (std::size_t k = 0; k < 3; ++k)
        m_count[k] = static_cast<int>((high[k] - m_low[k]) / m_size) + 1;
    const auto cells = static_cast<std::size_t>(m_count[0]) * static_cast<std::size_t>(m_count[1]) *
                       static_cast<std::size_t>(m_count[2]);
    m_first.assign(cells + 1, 0);
    for (const Vec3& p : middle)
        ++m_first[cell(at(p)) + 1];
    for (std::size_t c = 0; c < cells; ++c)
        m_first[c + 1] += m_first[c];
    m_tetrahedra.resize(n);
    m_centroids.resize(n);
    auto next = m_first;
    for (std::size_t t = 0; t < n; ++t) {
        const std::size_t i = next[cell(at(middle[t]))]++;
        m_tetrahedra[i] = static_cast<std::int64_t>(t);
        for (std::size_t k = 0; k < 3; ++k)
            m_centroids[i][k] = static_cast<float>(middle[t][k]);
    }
}

std::array<int, 3> BallIndex::at(const Vec3& p) const
{
    std::array<int, 3> k{};
    for (std::size_t i = 0; i < 3; ++i)
        k[i] =
            std::clamp(static_cast<int>(std::floor((p[i] - m_low[i]) / m_size)), 0, m_count[i] - 1);
    return k;
}

std::size_t BallIndex::cell(const std::array<int, 3>& k) const
{
    return (static_cast<std::size_t>(k[2]) * static_cast<std::size_t>(m_count[1]) +
            static_cast<std::size_t>(k[1])) *
               static_cast<std::size_t>(m_count[0]) +
           static_cast<std::size_t>(k[0]);
}

std::vector<std::int64_t> BallIndex::within(const Vec3& centre, double radius_mm) const
{
    return within(centre, radius_mm, {0, 0, 1}, radius_mm);
}

std::vector<std::int64_t> BallIndex::within(const Vec3& centre, double radius_mm, const Vec3& axis,
                                            double depth_mm) const
{
    std::vector<std::int64_t> out;
    const double far = std::max(radius_mm, depth_mm);
    const Vec3 r{far, far, far};
    const auto low = at(centre - r), high = at(centre + r);
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int x = low[0]; x <= high[0]; ++x) {
                const std::size_t c = cell({x, y, z});
                for (std::size_t i = m_first[c]; i < m_first[c + 1]; ++i) {
                    const auto& q = m_centroids[i];
                    const Vec3 d = Vec3{q[0], q[1], q[2]} - centre;
                    const double along = dot(d, axis), across = norm(d - along * axis);
                    if (std::hypot(across / radius_mm, along / depth_mm) <= 1)
                        out.push_back(m_tetrahedra[i]);
                }
            }
    return out;
}

} // namespace tawara
