// SPDX-License-Identifier: GPL-3.0-or-later
// Systems on trees that differ, on a GPU.
#pragma once
#include "engine/cable/batch.hpp"
#include "engine/cable/cuda/solvers.cuh"

#include <vector>

namespace tawara::cable::cuda {

/// Threads that contract a tree of so many nodes, and the longest run that one of them eliminates:
/// what was the fastest for batches of one tree on an H100, or within some percent of it
/// (tests/bench/records/cable-h100.jsonl).
struct ContractionShape
{
    int threads, longest_run;
};
ContractionShape contraction_shape(std::size_t nodes);

/// Contracts each system by a block as large as its tree asks for. Trees that ask for the same go
/// by one kernel, the kernels beside each other: a small tree holds no more shared memory than one
/// of its class.
/// @thread one caller at a time
template <class Real>
class MixedSolver
{
  public:
    /// @throws Error where a tree's numbers have no room in a block's shared memory
    MixedSolver(StreamRef s, const MixedBatch& b);

    /// rhs becomes x, all else stays. Enqueues and does not wait; can be captured.
    /// @param n  of all systems, flat, one after another
    /// @cost  words_per_node a node, and some 6 bytes for where it lies in its tree
    void enqueue(StreamRef s, const DeviceNumbers<Real>& n) const;
    std::size_t classes() const { return classes_.size(); }

  private:
    /// Systems that are contracted alike.
    struct Class
    {
        Class(int device) : stream(device), done(device) {}
        device::cuda::Stream stream;
        device::cuda::Event done;
        int threads = 0, places = 0; ///< the most places of a tree
        Buffer<ContractionView> shapes;
        Buffer<std::uint32_t> shape_of; ///< [systems of the class]
        Buffer<std::int64_t> first;     ///< [systems of the class] where the numbers begin
    };
    std::vector<DeviceContraction> contractions_; ///< of the trees
    std::vector<Class> classes_;
    device::cuda::Event begun_;
};
extern template class MixedSolver<double>;
extern template class MixedSolver<float>;

} // namespace tawara::cable::cuda
