// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/diffusion/shaken.hpp"

namespace tawara::testing {

/// -div(D grad u) + u = f on the unit cube, no flux, with D of turning_tensors(9:1) and
/// u = sin^2(pi x) sin^2(pi y) cos(pi z), whose flux vanishes on every face. Relative L2 error.
inline CubeResult steady_turning(const mesh::TetMesh& m, diffusion::Scheme scheme)
{
    using std::numbers::pi;
    constexpr double along = 0.1, ratio = 9, across = along / ratio;
    diffusion::Options o;
    o.scheme = scheme;
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
        v); // (1 - L) u = f is a backward Euler step of length 1
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

} // namespace tawara::testing
