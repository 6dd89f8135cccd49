// SPDX-License-Identifier: GPL-3.0-or-later
// Products y = A x on the CPU, by vectors and by several threads.
#pragma once
#include "engine/core/aligned.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/sparse/csr.hpp"
#include "engine/sparse/ell_warp.hpp"

#include <memory>
#include <span>

namespace tawara::sparse::cpu {

/// The layout for vectors of this machine: a place's 32 lanes side by side, columns in 16 bits
/// where they go, long rows in front of a matrix whose rows are very unlike each other.
/// @param renumber  as of choose()
WarpOptions options_for(const Csr& a, bool renumber);

/// A laid out matrix in the CPU's memory: bits are those of multiply(WarpLayout), whatever the
/// vectors' width and the number of threads, if sums_are_fused().
template <class Stored, class Real = Stored>
class WarpProduct
{
  public:
    /// @param layout  kept alive by the caller as long as this
    /// @param value   of the matrix's entries, in the order of its rows
    /// @throws Error for a layout with packs, runs or rows of several warps
    WarpProduct(const WarpLayout& layout, std::span<const double> value, ThreadPool& pool);
    /// @pre    x [columns], y [rows], as of multiply(WarpLayout); they do not overlap
    /// @thread one caller at a time for a pool
    /// @cost   memory traffic of WarpLayout::bytes(sizeof(Stored)); two operations a place
    void multiply(std::span<const Real> x, std::span<Real> y, ThreadPool& pool) const;
    double bytes() const;

  private:
    const WarpLayout& layout_;
    AlignedVector<Stored> value_;
};

/// Compressed rows, in pieces of as many entries for each thread; bits are those of multiply(Csr).
void multiply(const Csr& a, std::span<const double> x, std::span<double> y, ThreadPool& pool);

/// This machine's vectors multiply and add with one rounding (all but old processors).
bool sums_are_fused();

} // namespace tawara::sparse::cpu
