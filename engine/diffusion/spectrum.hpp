// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/system.hpp"

#include <complex>
#include <span>
#include <vector>

namespace tawara::diffusion {

/// Eigenvalues of A (du/dt = A u) at the rim of its spectrum [1/ms]: Ritz values of Arnoldi's
/// method from a fixed start. Those that lie farthest out, of large modulus or imaginary part, come
/// first.
/// @pre    lumped mass
/// @cost   20 to 60 products, and as many vectors in single precision (of 10 million unknowns 20)
/// @throws Cancelled
std::vector<std::complex<double>> rim_of_spectrum(ThreadPool& pool, const System& s,
                                                  const Progress& progress = {});

/// The largest |R_s(dt z)| of an RKL2 super step with s stages for z on the lines from 0 to these
/// eigenvalues, their imaginary parts taken a tenth larger: at most 1 where no mode can grow.
double rkl2_amplification(int stages, double dt_ms, std::span<const std::complex<double>> rim);

/// What choose_substeps() says, made safe for complex eigenvalues: RKL2 is made for real ones, and
/// its stages are raised until none of these can grow; where that costs as much as Euler
/// sub-steps, which hold by row sums whatever the imaginary parts, those are taken.
SubStepping choose_substeps(double dt_ms, double stable_dt_ms,
                            std::span<const std::complex<double>> rim);

} // namespace tawara::diffusion
