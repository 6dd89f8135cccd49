// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The unit cube by TetGen, a plain explicit stepper, and the error of the cosine mode.
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/permute.hpp"
#include "engine/diffusion/system.hpp"
#include "engine/partition/partition.hpp"

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numbers>

namespace tawara::testing {

inline bool have_tetgen()
{
    return !QStandardPaths::findExecutable("tetgen").isEmpty();
}

/// The unit cube in tetrahedra of at most that volume; an empty mesh when TetGen fails.
inline mesh::TetMesh tetgen_cube(const std::string& switches)
{
    mesh::TetMesh m;
    QTemporaryDir dir;
    std::ofstream(dir.filePath("cube.smesh").toStdString())
        << "8 3 0 0\n0 0 0 0\n1 1 0 0\n2 1 1 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 1 1 1\n7 0 1 1\n"
           "6 0\n4 0 1 2 3\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n0\n0\n";
    QProcess p;
    p.setWorkingDirectory(dir.path());
    p.start("tetgen", {QString::fromStdString(switches), "cube.smesh"});
    if (!p.waitForFinished(600000) || p.exitCode() != 0)
        return m;
    std::ifstream nodes(dir.filePath("cube.1.node").toStdString());
    std::size_t n = 0;
    int dimensions = 0, attributes = 0, markers = 0, id = 0;
    nodes >> n >> dimensions >> attributes >> markers;
    for (std::size_t i = 0; i < n; ++i) {
        Vec3 x;
        nodes >> id >> x[0] >> x[1] >> x[2];
        m.add_vertex(x);
        if (markers)
            nodes >> id;
    }
    std::ifstream tets(dir.filePath("cube.1.ele").toStdString());
    tets >> n >> dimensions >> attributes;
    for (std::size_t t = 0; t < n; ++t) {
        std::array<std::int32_t, 4> c;
        tets >> id >> c[0] >> c[1] >> c[2] >> c[3];
        m.add_tetrahedron(c, 1);
        if (m.volume(t) < 0) {
            std::swap(c[2], c[3]);
            for (std::size_t k = 0; k < 4; ++k)
                m.corner[k][t] = c[k];
        }
    }
    return m;
}

/// out = L v = sum_j alpha_ij (v_j - v_i).
inline void apply(ThreadPool& pool, const diffusion::System& s, const std::vector<double>& v,
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

/// n forward Euler steps.
inline void euler(ThreadPool& pool, const diffusion::System& s, std::vector<double>& v, double dt,
                  std::int64_t n)
{
    std::vector<double> l(v.size());
    for (std::int64_t k = 0; k < n; ++k) {
        apply(pool, s, v, l);
        pool.for_range(v.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                v[i] += dt * l[i];
        });
    }
}

/// One RKL2 super step of length dt.
inline void rkl2_step(ThreadPool& pool, const diffusion::System& s, std::vector<double>& v,
                      double dt, int stages)
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

struct CubeResult
{
    std::size_t tetrahedra = 0, unknowns = 0;
    double dx = 0; ///< (6 sqrt 2 / N)^(1/3), N tetrahedra
    double error = 0;
    double dt_ms = 0;
    std::int64_t steps = 0, repaired = 0;
    double assemble_seconds = 0, step_seconds = 0;
};

inline double seconds_since(std::chrono::steady_clock::time_point t)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

/// u_t = D lap u on the cube to t = 1 from the cosine mode, D = 1 / (12 pi^2); relative error.
inline CubeResult cosine_mode(ThreadPool& pool, const mesh::TetMesh& m, diffusion::Scheme scheme,
                              diffusion::Mass mass, double mass_scaling)
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
        euler(pool, s, v, r.dt_ms, r.steps);
    } else {
        diffusion::ImplicitSolver solver(s, r.dt_ms, 0.5);
        for (std::int64_t k = 0; k < r.steps; ++k)
            solver.step(v);
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

} // namespace tawara::testing
