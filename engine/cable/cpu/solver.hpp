// SPDX-License-Identifier: GPL-3.0-or-later
// Systems on trees on the CPU, by vectors over systems and by several threads.
#pragma once
#include "engine/cable/batch.hpp"
#include "engine/core/thread_pool.hpp"

namespace tawara::cable::cpu {

/// Solves all systems of a batch: rhs becomes x, diagonal is lost. Layouts that interleave go by
/// vectors over the systems, flat systems go one by one.
/// @param n       [b.size()] each
/// @pre   b.nodes are the tree's; blocks of a multiple of 16 systems
/// @thread one caller at a time for a pool
/// @cost  reads and writes nine numbers a node where a piece of systems does not stay in a core's
///        cache, else words_per_node and the diagonal's
template <class Real>
void solve(const Tree& t, const Batch& b, BatchNumbers<Real>& n, ThreadPool& pool);
extern template void solve(const Tree&, const Batch&, BatchNumbers<double>&, ThreadPool&);
extern template void solve(const Tree&, const Batch&, BatchNumbers<float>&, ThreadPool&);

/// The same of systems on trees that differ, one by one.
template <class Real>
void solve(const MixedBatch& b, BatchNumbers<Real>& n, ThreadPool& pool);
extern template void solve(const MixedBatch&, BatchNumbers<double>&, ThreadPool&);
extern template void solve(const MixedBatch&, BatchNumbers<float>&, ThreadPool&);

} // namespace tawara::cable::cpu
