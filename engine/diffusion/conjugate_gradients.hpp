// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/thread_pool.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace tawara::diffusion {

/// A square matrix: row i has diagonal[i] and off[e] at column[e] for e in [first[i], first[i +
/// 1]).
struct MatrixRows
{
    std::span<const std::int64_t> first;
    std::span<const std::int32_t> column;
    std::span<const double> off, diagonal;
    std::size_t size() const { return diagonal.size(); }
};

/// The largest size among entries of a residual, and where it is; the first that is no number wins.
struct LargestResidual
{
    double most = 0;
    std::size_t where = 0;
    void take(double size, std::size_t at)
    {
        if (!(size <= most) && !std::isnan(most))
            *this = {size, at};
    }
};

/// Conjugate gradients with Jacobi's preconditioner for a symmetric matrix, in double precision.
/// Results do not depend on the number of threads.
/// @thread one at a time
class ConjugateGradients
{
  public:
    ConjugateGradients(std::size_t unknowns, ThreadPool& pool);

    enum class End {
        solved,
        too_many_iterations,
        not_definite ///< p^T A p <= 0 was met: the matrix is not positive definite
    };
    struct Result
    {
        End end = End::solved;
        int iterations = 0;
        LargestResidual residual; ///< over the diagonal, of the last iteration
    };
    /// When a solution is good enough: the largest entry of the residual over the diagonal is no
    /// larger than `absolute`, or than `part` of what it was at x = 0.
    struct Tolerance
    {
        double absolute = 0, part = 0;
    };
    /// Solves A x = b from x = 0.
    /// @param x  where it ends otherwise, what the iterations came to
    Result solve(const MatrixRows& a, std::span<const double> b, const Tolerance& tolerance,
                 int most_iterations, std::span<double> x);

    /// Bytes and floating-point operations of one iteration on a matrix of so many entries off its
    /// diagonal, for records.
    static double bytes_per_iteration(std::size_t unknowns, std::size_t entries);
    static double flops_per_iteration(std::size_t unknowns, std::size_t entries);

  private:
    ThreadPool& pool_;
    std::vector<double> r_, z_, p_, q_, sums_;
    std::vector<LargestResidual> largest_; ///< of each piece of the unknowns
};

} // namespace tawara::diffusion
