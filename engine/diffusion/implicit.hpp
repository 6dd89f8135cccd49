// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/system.hpp"

#include <memory>
#include <vector>

namespace tawara::diffusion {

/// Diffusion steps that need a linear solve: backward Euler (theta = 1), Crank-Nicolson (theta = 1/2), and the
/// forward Euler step of a consistent mass (theta = 0).
///
///     (M + theta dt K) (v_new - v_old) = -dt K v_old
///
/// by conjugate gradients with Jacobi preconditioning, in double precision, in the System's own order.
/// For fvm, whose operator is not symmetric, a solver for unsymmetric systems is used instead.
/// @thread one at a time
class ImplicitSolver
{
  public:
    /// @param tolerance  on the residual relative to the right-hand side's scale
    ImplicitSolver(const System& system, double dt_ms, double theta, double tolerance = 1e-8);
    ~ImplicitSolver();
    /// Advances v [mV], one value per unknown, by one step.
    /// @return iterations used
    /// @throws Error when it does not converge in 1000 iterations
    int step(std::vector<double>& v);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tawara::diffusion
