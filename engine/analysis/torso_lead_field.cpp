// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/torso_lead_field.hpp"

#include "engine/core/thread_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tawara::analysis {
namespace {

constexpr double of_distance = 0.25; // between the grid's points
constexpr double least_steps = 12;   // along the tissue's longest side
constexpr double most_points = 2e5;
constexpr std::size_t tets_at_once = 16384;

/// K of all electrodes at one place: [electrode][direction].
using Kernels = std::vector<double>;

/// Sources at a surface's vertices, for several electrodes.
struct Sources
{
    const std::vector<Vec3>* points;
    std::size_t electrodes = 0;
    std::vector<double> strength; ///< [point][electrode]

    void at(const Vec3& y, double* out) const
    {
        std::fill(out, out + 3 * electrodes, 0.0);
        for (std::size_t k = 0; k < points->size(); ++k) {
            const Vec3 d = (*points)[k] - y;
            const double r2 = std::max(dot(d, d), 1e-12), r3 = 1 / (r2 * std::sqrt(r2));
            const double* t = strength.data() + k * electrodes;
            for (std::size_t e = 0; e < electrodes; ++e)
                for (std::size_t c = 0; c < 3; ++c)
                    out[3 * e + c] += t[e] * r3 * d[c];
        }
    }
};

struct Bounds
{
    Vec3 low{}, high{};
};

Bounds bounds_of(const mesh::TetMesh& m)
{
    constexpr double far = std::numeric_limits<double>::infinity();
    Bounds b{{far, far, far}, {-far, -far, -far}};
    for (std::size_t v = 0; v < m.vertex_count(); ++v)
        for (std::size_t c = 0; c < 3; ++c) {
            b.low[c] = std::min(b.low[c], m.vertex(v)[c]);
            b.high[c] = std::max(b.high[c], m.vertex(v)[c]);
        }
    return b;
}

/// The least distance of a surface's vertices from the tissue's.
double nearest(const mesh::TetMesh& m, const std::vector<Vec3>& points)
{
    const std::size_t stride = std::max<std::size_t>(1, m.vertex_count() / 2000);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < m.vertex_count(); v += stride)
        for (const Vec3& p : points) {
            const Vec3 d = p - m.vertex(v);
            least = std::min(least, dot(d, d));
        }
    return std::sqrt(least);
}

/// A grid with two points beyond the tissue on each side, cubic between its points.
class Grid
{
  public:
    Grid(const Bounds& b, double step, const Sources& sources, ThreadPool& pool,
         const Progress& progress)
        : values_(3 * sources.electrodes), step_(step)
    {
        for (std::size_t c = 0; c < 3; ++c) {
            first_[c] = b.low[c] - 1.5 * step;
            n_[c] = static_cast<std::size_t>(std::ceil((b.high[c] - b.low[c]) / step)) + 4;
        }
        k_.resize(n_[0] * n_[1] * n_[2] * values_);
        for (std::size_t z = 0; z < n_[2]; ++z) {
            progress.at(static_cast<double>(z) / static_cast<double>(n_[2]),
                        "computing the torso's lead fields");
            pool.for_range(n_[1], 1, [&](std::size_t begin, std::size_t end, unsigned) {
                for (std::size_t y = begin; y < end; ++y)
                    for (std::size_t x = 0; x < n_[0]; ++x)
                        sources.at(first_ + step * Vec3{static_cast<double>(x),
                                                        static_cast<double>(y),
                                                        static_cast<double>(z)},
                                   k_.data() + index(x, y, z));
            });
        }
    }
    void at(const Vec3& y, double* out) const
    {
        std::array<std::array<double, 4>, 3> w;
        std::array<std::size_t, 3> i;
        for (std::size_t c = 0; c < 3; ++c) {
            const double u = (y[c] - first_[c]) / step_;
            i[c] =
                std::clamp<std::size_t>(static_cast<std::size_t>(std::max(u, 1.0)), 1, n_[c] - 3);
            const double f = u - static_cast<double>(i[c]);
            w[c] = {-f * (f - 1) * (f - 2) / 6, (f + 1) * (f - 1) * (f - 2) / 2,
                    -(f + 1) * f * (f - 2) / 2, (f + 1) * f * (f - 1) / 6};
        }
        std::fill(out, out + values_, 0.0);
        for (std::size_t z = 0; z < 4; ++z)
            for (std::size_t b = 0; b < 4; ++b)
                for (std::size_t a = 0; a < 4; ++a) {
                    const double weight = w[0][a] * w[1][b] * w[2][z];
                    const double* k = k_.data() + index(i[0] + a - 1, i[1] + b - 1, i[2] + z - 1);
                    for (std::size_t v = 0; v < values_; ++v)
                        out[v] += weight * k[v];
                }
    }

  private:
    std::size_t index(std::size_t x, std::size_t y, std::size_t z) const
    {
        return ((z * n_[1] + y) * n_[0] + x) * values_;
    }
    std::size_t values_;
    double step_;
    Vec3 first_{};
    std::array<std::size_t, 3> n_{};
    std::vector<double> k_; ///< [z][y][x][electrode][direction]
};

double step_of(const Bounds& b, double distance, std::size_t& points)
{
    const Vec3 side = b.high - b.low;
    const double longest = std::max({side[0], side[1], side[2]});
    const auto count = [&](double step) {
        double n = 1;
        for (const double s : side)
            n *= std::ceil(s / step) + 4;
        return n;
    };
    double step = std::min(of_distance * distance, longest / least_steps);
    while (count(step) > most_points)
        step *= 1.05;
    points = static_cast<std::size_t>(count(step));
    return step;
}

/// What a tetrahedron adds to its corners' weights: [electrode][corner].
void corner_weights(const mesh::TetMesh& m, std::size_t t, double scale,
                    const ConductivityTensor& s, const Kernels& k, double* out)
{
    const auto g = gradients(m, t);
    const double v = scale * m.volume(t);
    for (std::size_t e = 0; 3 * e < k.size(); ++e) {
        const double* q = k.data() + 3 * e;
        const Vec3 flow{v * (s[0] * q[0] + s[3] * q[1] + s[4] * q[2]),
                        v * (s[3] * q[0] + s[1] * q[1] + s[5] * q[2]),
                        v * (s[4] * q[0] + s[5] * q[1] + s[2] * q[2])};
        for (std::size_t i = 0; i < 4; ++i)
            out[4 * e + i] = dot(flow, g[i]);
    }
}

} // namespace

std::vector<std::vector<double>> torso_lead_fields(const mesh::TetMesh& m,
                                                   std::span<const ConductivityTensor> tensors,
                                                   std::span<const Vec3> electrodes_mm,
                                                   const VolumeConductor& body, double bath_S_per_m,
                                                   const Progress& progress)
{
    const auto& points = body.surface().points;
    std::vector<std::vector<double>> out;
    Sources sources{&points, electrodes_mm.size(),
                    std::vector<double>(points.size() * electrodes_mm.size())};
    for (std::size_t e = 0; e < electrodes_mm.size(); ++e) {
        const auto t = body.transfer(electrodes_mm[e]);
        for (std::size_t k = 0; k < points.size(); ++k)
            sources.strength[k * sources.electrodes + e] = t.at_points[k];
        out.push_back(t.own != 0 ? lead_field(m, tensors, electrodes_mm[e], bath_S_per_m, progress)
                                 : std::vector<double>(m.vertex_count(), 0.0));
    }
    const auto bounds = bounds_of(m);
    std::size_t grid_points = 0;
    const double step = step_of(bounds, nearest(m, points), grid_points);
    const bool by_grid = grid_points < m.tetrahedron_count();
    ThreadPool pool(progress.context.threads);
    const Grid grid(by_grid ? bounds : Bounds{}, by_grid ? step : 1, sources, pool, progress);
    const double scale = -1 / (4 * std::numbers::pi * bath_S_per_m);
    // Weights of many tetrahedra's corners at once, [tetrahedron][electrode][corner]; they are
    // added in the mesh's order, whatever the number of threads.
    const std::size_t per_tet = 4 * sources.electrodes;
    std::vector<double> weights(std::min(m.tetrahedron_count(), tets_at_once) * per_tet);
    for (std::size_t from = 0; from < m.tetrahedron_count(); from += tets_at_once) {
        progress.at(static_cast<double>(from) / static_cast<double>(m.tetrahedron_count()),
                    "computing the torso's lead fields");
        const std::size_t n = std::min(tets_at_once, m.tetrahedron_count() - from);
        pool.for_range(n, 256, [&](std::size_t begin, std::size_t end, unsigned) {
            Kernels k(3 * sources.electrodes);
            for (std::size_t t = begin; t < end; ++t) {
                const Vec3 y = m.centroid(from + t);
                by_grid ? grid.at(y, k.data()) : sources.at(y, k.data());
                corner_weights(m, from + t, scale, tensors[from + t], k,
                               weights.data() + t * per_tet);
            }
        });
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t e = 0; e < sources.electrodes; ++e)
                    out[e][static_cast<std::size_t>(m.corner[i][from + t])] +=
                        weights[t * per_tet + 4 * e + i];
    }
    return out;
}

} // namespace tawara::analysis
