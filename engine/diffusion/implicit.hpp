// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/system.hpp"

#include <memory>

namespace tawara::diffusion {

/// The matrix of an implicit step in parts, entries in the order of System::alpha: rows of
/// M + theta dt K have `off` and `diagonal`, and dt (K v)_i = -sum_j flow_ij (v_j - v_i).
struct ImplicitMatrix
{
    int sub_steps = 1;            ///< equal parts of dt that are solved for one after the other
    std::vector<double> flow;     ///< dt k_ij of one sub-step [mm3]
    std::vector<double> off;      ///< [mm3]
    std::vector<double> diagonal; ///< [mm3]
};
/// @throws InputError when dt is not positive or theta is outside [0, 1]
ImplicitMatrix implicit_matrix(const System& s, double dt_ms, double theta, ThreadPool& pool);

/// A linear solver that did not reach its tolerance: the step cannot be trusted.
struct SolverError : Error
{
    SolverError(int iterations_, double residual_mV_, std::int64_t unknown_);
    int iterations;
    double residual_mV;   ///< largest entry of the Jacobi-scaled residual
    std::int64_t unknown; ///< where it is, in the System's order
};

/// Advances a System by time steps of one length, with a linear system to solve in each:
///
///     (M + theta dt K) delta = -dt K v,   v <- v + delta,   (K v)_i = -sum_j k_ij (v_j - v_i)
///
/// theta 1: backward Euler; 1/2: Crank-Nicolson; 0: explicit, which needs a solution for consistent
/// mass alone (cut into equal sub-steps where dt exceeds the System's stable step). Conjugate
/// gradients with Jacobi's preconditioner where the matrix is symmetric (p1), stabilised
/// bi-conjugate gradients for fvm; in double precision. Each solution starts from nothing but v, so
/// that a resumed run repeats an unbroken one bit for bit; constants are kept exactly.
class ImplicitSolver
{
  public:
    struct Options
    {
        double tolerance_mV = 1e-7; ///< bound of the Jacobi-scaled residual's largest entry
        int most_iterations = 2000;
        unsigned threads = 1;
    };

    /// @throws InputError when dt is not positive or theta is outside [0, 1]
    ImplicitSolver(const System& s, double dt_ms, double theta);
    ImplicitSolver(const System& s, double dt_ms, double theta, const Options& options);
    ~ImplicitSolver();
    ImplicitSolver(ImplicitSolver&&) noexcept;
    ImplicitSolver& operator=(ImplicitSolver&&) noexcept;

    /// One time step, in the System's order of unknowns. Not finite input comes back unchanged.
    /// @return iterations of the linear solver
    /// @throws SolverError; v is unchanged then
    int step(std::vector<double>& v);

    /// Systems that are solved in one time step; each has one product more, for its right-hand
    /// side.
    int sub_steps() const;

    /// Bytes and floating-point operations of one iteration, for records.
    double bytes_per_iteration() const;
    double flops_per_iteration() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace tawara::diffusion
