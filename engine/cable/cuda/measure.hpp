// SPDX-License-Identifier: GPL-3.0-or-later
// Systems on trees solved on a GPU: for tests and other callers with numbers on the host, and timed
// beside cuSPARSE's routines for chains.
#pragma once
#include "engine/cable/batch.hpp"
#include "engine/core/units.hpp"

#include <string>
#include <vector>

namespace tawara::cable::cuda {

/// How a batch is solved on a GPU.
struct Way
{
    enum class Kind : std::uint8_t {
        sweep,        ///< a thread a system, any layout
        sweep_shared, ///< the same, rhs in shared memory, block_interleaved
        contract      ///< a block of threads a system, flat
    } kind = Kind::sweep;
    int threads = 128;   ///< of a block (sweep), or of a tree (contract)
    int longest_run = 0; ///< of contract: nodes that one thread eliminates in turn; 0: none
};

/// rhs becomes x; what else is changed depends on the way.
/// @param device  CUDA's number
/// @throws Error where the way cannot be had for such trees, DeviceError
template <class Real>
void solve(const Tree& t, const Batch& b, BatchNumbers<Real>& n, const Way& way, int device);

/// The same of systems on trees that differ.
template <class Real>
void solve(const MixedBatch& b, BatchNumbers<Real>& n, int device);

struct MeasuredSolver
{
    std::string way;
    double cold_us = 0; ///< median, after the second-level cache was filled with something else
    double hot_us = 0;  ///< median, where the numbers were just written
    double error = 0;   ///< largest difference from the CPU's x in double, of the largest x
};

/// Every way and layout, and for a chain cuSPARSE's two routines for batches.
/// @param remarks  what was left out, and why
/// @throws DeviceError
std::vector<MeasuredSolver> measure_solvers(const Tree& t, std::size_t systems, Precision precision,
                                            int device, std::vector<std::string>& remarks);

/// Systems on trees that differ, by MixedSolver.
/// @throws DeviceError, Error where a tree is too large for a block
MeasuredSolver measure_mixed(const MixedBatch& b, Precision precision, int device);

} // namespace tawara::cable::cuda
