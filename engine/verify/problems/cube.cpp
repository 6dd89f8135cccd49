// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/cube.hpp"

#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/permute.hpp"
#include "engine/partition/partition.hpp"
#include "engine/verify/problems/meshes.hpp"

#include <chrono>
#include <cmath>
#include <numbers>

namespace tawara::verify {
namespace {

double seconds_since(std::chrono::steady_clock::time_point t)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

} // namespace

void apply(ThreadPool& pool, const diffusion::System& s, const std::vector<double>& v,
           std::vector<double>& out)
{
    pool.for_range(s.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
            double sum = 0;
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                sum += s.alpha.value[k] * (v[static_cast<std::size_t>(s.alpha.column[k])] - v[i]);
            }
            out[i] = sum;
        }
    });
}

void euler(ThreadPool& pool, const diffusion::System& s, std::vector<double>& v, double dt,
           std::int64_t n, const Progress& progress)
{
    std::vector<double> l(v.size());
    for (std::int64_t k = 0; k < n; ++k) {
        progress.at(static_cast<double>(k) / static_cast<double>(n), "running");
        apply(pool, s, v, l);
        pool.for_range(v.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                v[i] += dt * l[i];
        });
    }
}

void rkl2_step(ThreadPool& pool, const diffusion::System& s, std::vector<double>& v, double dt,
               int stages)
{
    const auto c = diffusion::rkl2(stages);
    std::vector<double> y0 = v, before = v, l0(v.size()), l(v.size()), y(v.size());
    apply(pool, s, v, l0);
    for (std::size_t i = 0; i < v.size(); ++i)
        v[i] += c.mu_tilde[0] * dt * l0[i];
    for (std::size_t j = 1; j < static_cast<std::size_t>(stages); ++j) {
        apply(pool, s, v, l);
        for (std::size_t i = 0; i < v.size(); ++i)
            y[i] = c.mu[j] * v[i] + c.nu[j] * before[i] + (1 - c.mu[j] - c.nu[j]) * y0[i] +
                   c.mu_tilde[j] * dt * l[i] + c.gamma_tilde[j] * dt * l0[i];
        before.swap(v);
        v.swap(y);
    }
}

CubeResult cosine_mode(ThreadPool& pool, const mesh::TetMesh& m, diffusion::Scheme scheme,
                       diffusion::Mass mass, double mass_scaling, const Progress& progress)
{
    using std::numbers::pi;
    const double d = 1 / (12 * pi * pi);
    diffusion::Options o;
    o.scheme = scheme;
    o.mass = mass;
    o.mass_scaling = mass_scaling;
    CubeResult r;
    r.tetrahedra = m.tetrahedron_count();
    r.dx = std::cbrt(6 * std::numbers::sqrt2 / static_cast<double>(r.tetrahedra));
    auto clock = std::chrono::steady_clock::now();
    const std::vector<diffusion::Tensor> tensors(r.tetrahedra, {d, d, d, 0, 0, 0});
    auto s = diffusion::assemble(m, mesh::face_neighbours(m), tensors, o);
    r.assemble_seconds = seconds_since(clock);
    const auto order = partition::cluster_order({s.alpha.first, s.alpha.column},
                                                std::vector<std::int32_t>(s.size(), 0), {});
    s = diffusion::permuted(s, order.old_of, order.new_of); // neighbours near in memory
    r.unknowns = s.size();
    r.repaired = s.stability.repaired_cells;

    auto place = [&](std::int32_t old) {
        return static_cast<std::size_t>(order.new_of[static_cast<std::size_t>(old)]);
    };
    std::vector<double> weight(s.size(), 0.0), u(s.size());
    const bool cells = scheme == diffusion::Scheme::fvm;
    for (std::size_t t = 0; t < r.tetrahedra; ++t)
        if (cells)
            weight[place(static_cast<std::int32_t>(t))] = m.volume(t);
        else
            for (auto v : m.corners(t))
                weight[place(v)] += m.volume(t) / 4;
    for (std::size_t i = 0; i < u.size(); ++i) {
        const auto old = static_cast<std::size_t>(order.old_of[i]);
        const Vec3 x = cells ? m.centroid(old) : m.vertex(old);
        u[i] = std::cos(2 * pi * x[0]) * std::cos(2 * pi * x[1]) * std::cos(2 * pi * x[2]);
    }
    std::vector<double> v = u;
    r.steps = static_cast<std::int64_t>(std::ceil(1 / s.stable_dt_ms));
    r.dt_ms = 1 / static_cast<double>(r.steps);
    clock = std::chrono::steady_clock::now();
    if (mass == diffusion::Mass::lumped) {
        euler(pool, s, v, r.dt_ms, r.steps, progress);
    } else {
        diffusion::ImplicitSolver solver(s, r.dt_ms, 0.5);
        for (std::int64_t k = 0; k < r.steps; ++k) {
            progress.at(static_cast<double>(k) / static_cast<double>(r.steps), "running");
            solver.step(v);
        }
    }
    r.step_seconds = seconds_since(clock);
    double wrong = 0, whole = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double exact = std::exp(-1.0) * u[i], w = weight[i] * weight[i];
        wrong += w * (exact - v[i]) * (exact - v[i]);
        whole += w * exact * exact;
    }
    r.error = std::sqrt(wrong / whole);
    return r;
}

CubeResult steady_turning(const mesh::TetMesh& m, diffusion::Scheme scheme, diffusion::Mass mass)
{
    using std::numbers::pi;
    constexpr double along = 0.1, ratio = 9, across = along / ratio;
    diffusion::Options o;
    o.scheme = scheme;
    o.mass = mass;
    o.mass_scaling = 0;
    const auto s =
        diffusion::assemble(m, mesh::face_neighbours(m), turning_tensors(m, along, ratio), o);
    std::vector<double> exact(s.size()), v(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        const Vec3 x = scheme == diffusion::Scheme::p1 ? m.vertex(i) : m.centroid(i);
        auto f = [](double a) { return std::sin(pi * a) * std::sin(pi * a); };
        auto f1 = [](double a) { return pi * std::sin(2 * pi * a); };
        auto f2 = [](double a) { return 2 * pi * pi * std::cos(2 * pi * a); };
        const double angle = 2 * pi / 3 * x[2], c = std::cos(angle), n = std::sin(angle);
        const double xx = across + (along - across) * c * c, yy = across + (along - across) * n * n,
                     xy = (along - across) * c * n, z = std::cos(pi * x[2]);
        exact[i] = f(x[0]) * f(x[1]) * z;
        v[i] =
            exact[i] * (1 + across * pi * pi) -
            z * (xx * f2(x[0]) * f(x[1]) + yy * f(x[0]) * f2(x[1]) + 2 * xy * f1(x[0]) * f1(x[1]));
    }
    diffusion::ImplicitSolver(s, 1, 1).step(
        v); // (M + K) u = M f is a backward Euler step of length 1
    CubeResult r;
    r.tetrahedra = m.tetrahedron_count();
    r.unknowns = s.size();
    r.dx = std::cbrt(6 * std::numbers::sqrt2 / static_cast<double>(r.tetrahedra));
    r.repaired = s.stability.repaired_cells;
    double wrong = 0, whole = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        wrong += s.volume[i] * (v[i] - exact[i]) * (v[i] - exact[i]);
        whole += s.volume[i] * exact[i] * exact[i];
    }
    r.error = std::sqrt(wrong / whole);
    return r;
}

double order(const std::vector<CubeResult>& r, std::size_t from)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t k = from; k < r.size(); ++k) {
        const double x = std::log(r[k].dx), y = std::log(r[k].error);
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

} // namespace tawara::verify
