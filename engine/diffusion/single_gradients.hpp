// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/diffusion/conjugate_gradients.hpp"
#include "engine/diffusion/system.hpp"
#include "engine/sparse/cpu/product.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tawara::diffusion {

/// Rows of a System in the layout of sparse::WarpLayout, for values that change.
class RowsInWarps
{
  public:
    RowsInWarps(const Rows& pattern, ThreadPool& pool);
    const sparse::WarpLayout& layout() const { return layout_; }

  private:
    sparse::WarpLayout layout_;
};

/// Conjugate gradients with Jacobi's preconditioner in single precision, for corrections that need
/// no more: a part of 1e-6 of what there was is the least that can be asked for. Sums are made in
/// double precision, and results do not depend on the number of threads.
/// @thread one at a time
class SingleGradients
{
  public:
    /// @param rows  stays as long as this
    SingleGradients(const RowsInWarps& rows, ThreadPool& pool);
    /// Off-diagonals, in the order of the pattern's entries.
    void set_off(std::span<const double> off);
    /// Solves A x = b from x = 0 until the largest entry of the residual over the diagonal is no
    /// larger than this part of what it was.
    /// @pre  set_off()
    /// @param x  where it ends otherwise, what the iterations came to
    ConjugateGradients::Result solve(std::span<const double> diagonal, std::span<const double> b,
                                     double part, int most_iterations, std::span<double> x);

    /// Of one iteration, for records.
    double bytes_per_iteration() const;

  private:
    const RowsInWarps& rows_;
    ThreadPool& pool_;
    std::optional<sparse::cpu::WarpProduct<float>> off_;
    std::vector<float> d_, inverse_, r_, p_, q_, x_;
    std::vector<double> sums_;
    std::vector<float> largest_; ///< of each block
};

} // namespace tawara::diffusion
