// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/conjugate_gradients.hpp"
#include "engine/diffusion/newton_progress.hpp"
#include "engine/diffusion/single_gradients.hpp"
#include "engine/diffusion/system.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tawara::diffusion {

/// Newton's method did not find the end of a step, however short.
struct NewtonError : Error
{
    /// @param v_mV  V there, of the last iteration
    NewtonError(double time_ms_, double dt_ms, int iterations, double residual_mV_,
                std::int64_t unknown_, const std::array<double, 3>& position_mm, double v_mV);
    double time_ms, residual_mV;
    std::int64_t unknown; ///< where the residual is largest, in the mesh's own order
};

struct NewtonResult
{
    bool converged = false;
    int iterations = 0, linear_iterations = 0;
    std::vector<double> residuals_mV; ///< at the start, and after each iteration
    double residual_mV() const { return residuals_mV.empty() ? 0 : residuals_mV.back(); }
};

/// What Newton's method asks of a system R(V) = 0, wherever its vectors lie: V, a correction x, and
/// a trial, which is V at first.
class NewtonSystem
{
  public:
    virtual ~NewtonSystem() = default;
    /// @return the largest residual of the trial [mV]
    virtual double residual() = 0;
    /// The trial becomes V.
    virtual void accept() = 0;
    /// x by the matrix and the residual of V, which the last residual() was of.
    /// @param part        of the linear system's residual over the diagonal that it may leave
    /// @param iterations  those of the linear solver are added
    /// @return whether it is a correction that can be made
    virtual bool correct(double part, int& iterations) = 0;
    virtual double largest_correction() = 0; ///< largest |x| [mV]
    /// The trial is V + share x.
    virtual void attempt(double share) = 0;
};

/// Newton's method from where V is, as NewtonProgress decides. Linear systems are solved as
/// accurately as the iteration deserves, and a correction that does not lessen the residual is
/// halved.
NewtonResult solve(NewtonSystem& system, const NewtonOptions& options);

/// A step of backward Euler of  M dV/dt = m F(V) - K V  by Newton's method (NUMERICS.md, 6):
///
///     R(V) = M (V - V_0) / dt + K V - m F(V) = 0,   V <- V + x,   (M / dt + K - m F') x = -R
///
/// K: stiffness; M: mass, consistent or lumped, as the System has it; m: lumped mass, that is the
/// vertex rule for the cells' part, so that the matrix is symmetric and changes on its diagonal
/// alone from one iteration to the next. F and F' come from the cells, whose other states follow V
/// (cell::make_source_kernel). Where the matrix is not positive definite, since cells drive
/// themselves on faster than the step, F' counts where it is negative alone.
///
/// Corrections are found in single precision, unless a part of less than 1e-5 is to be left of
/// them; all else is in double. Residuals are in mV: |R| dt / m. Results do not depend on the
/// number of threads.
/// @thread one at a time
class NewtonSolver
{
  public:
    /// What the cells make of V: F [mV/ms] and F' [1/ms]. Both come with what the last call left,
    /// so that it may stay where V has not moved.
    using Cells = std::function<void(std::span<const double> v, std::span<double> rate,
                                     std::span<double> slope)>;

    struct Result : NewtonResult
    {
        std::size_t where = 0; ///< of the largest residual, in the System's order
    };

    /// @param s  symmetric (p1); stays as it is as long as this lives
    /// @throws InputError otherwise
    NewtonSolver(const System& s, const NewtonOptions& options, ThreadPool& pool);

    /// One step of length dt.
    /// @param start  V_0
    /// @param v      in: where to begin; out: V, or what was found where it did not converge
    Result step(std::span<const double> start, std::span<double> v, double dt_ms,
                const Cells& cells);

    struct Work
    {
        double ms = 0, bytes = 0, flops = 0;
    };
    Work assembly, solver; ///< what residuals and matrices took so far, and what the systems did

  private:
    class Step;
    void set_step(double dt_ms);
    void set_start(std::span<const double> start);
    /// minus_r_ = -R dt. @return the largest residual
    LargestResidual residual(std::span<const double> v, const Cells& cells);
    /// diagonal_ of the matrix with all slopes, or with those below 0. @return whether it is
    /// positive
    bool set_diagonal(bool all_slopes);
    bool correct(double part, int& iterations);
    ConjugateGradients::Result solution(double part);
    /// The largest body(begin, end) of all blocks of the rows.
    template <class Body>
    double largest_of_blocks(const Body& body);

    const System& s_;
    NewtonOptions options_;
    ThreadPool& pool_;
    RowsInWarps rows_;
    std::optional<sparse::cpu::WarpProduct<double>> product_; ///< off-diagonals of M + dt K
    SingleGradients single_;
    std::optional<ConjugateGradients> double_; ///< where single precision would not do
    double dt_ = 0;
    std::vector<double> off_, fixed_diagonal_, diagonal_; ///< M + dt K; with - dt m F'
    std::vector<double> turned_;                          ///< off-diagonals times V
    std::vector<double> at_start_;                        ///< M V_0
    std::vector<double> per_volume_;                      ///< 1 / m; 0 where there is no tissue
    std::vector<double> rate_, slope_, minus_r_, x_, v_, trial_;
    std::vector<double> largest_; ///< of each block
};

} // namespace tawara::diffusion
