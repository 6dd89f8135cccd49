// SPDX-License-Identifier: GPL-3.0-or-later
// Problems of diffusion whose solution is known.
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/system.hpp"

#include <cstdint>
#include <vector>

namespace tawara::verify {

/// out = L v = sum_j alpha_ij (v_j - v_i).
void apply(ThreadPool& pool, const diffusion::System& s, const std::vector<double>& v,
           std::vector<double>& out);

/// n forward Euler steps of dt.
/// @throws Cancelled
void euler(ThreadPool& pool, const diffusion::System& s, std::vector<double>& v, double dt,
           std::int64_t n, const Progress& progress = {});

/// One RKL2 super step of length dt.
void rkl2_step(ThreadPool& pool, const diffusion::System& s, std::vector<double>& v, double dt,
               int stages);

/// What a problem on the cube came to.
struct CubeResult
{
    std::size_t tetrahedra = 0, unknowns = 0;
    double dx = 0;    ///< (6 sqrt 2 / N)^(1/3), N tetrahedra
    double error = 0; ///< relative
    double dt_ms = 0;
    std::int64_t steps = 0, repaired = 0;
    double assemble_seconds = 0, step_seconds = 0;
};

/// u_t = D lap u on the unit cube to t = 1, D = 1 / (12 pi^2), no flux, from
///
///     u = cos 2 pi x cos 2 pi y cos 2 pi z,   which decays to u / e.
///
/// The error is sqrt(sum V_i^2 (u_i - v_i)^2) / sqrt(sum V_i^2 u_i^2). Lumped mass is stepped
/// explicitly at the largest stable step, consistent mass by Crank-Nicolson at the same.
/// @throws Cancelled
CubeResult cosine_mode(ThreadPool& pool, const mesh::TetMesh& m, diffusion::Scheme scheme,
                       diffusion::Mass mass, double mass_scaling, const Progress& progress = {});

/// -div(D grad u) + u = f on the unit cube, no flux, with D of turning_tensors(9:1) and
/// u = sin^2(pi x) sin^2(pi y) cos(pi z), whose flux vanishes on every face: (M + K) u = M f with
/// the mass M. Relative L2 error.
CubeResult steady_turning(const mesh::TetMesh& m, diffusion::Scheme scheme,
                          diffusion::Mass mass = diffusion::Mass::lumped);

/// The order of convergence: slope of log error over log dx by least squares, from result `from`
/// on.
/// @pre two results at least
double order(const std::vector<CubeResult>& r, std::size_t from = 0);

} // namespace tawara::verify
