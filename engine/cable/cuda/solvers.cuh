// SPDX-License-Identifier: GPL-3.0-or-later
// Systems on trees on a GPU. All enqueue on the stream and do not wait.
#pragma once
#include "engine/cable/batch.hpp"
#include "engine/cable/contraction.hpp"
#include "engine/device/cuda/runtime.cuh"

#include <memory>

namespace tawara::cable::cuda {

using device::cuda::Buffer;
using device::cuda::StreamRef;

/// The numbers of a batch in a device's memory, [Batch::size()] each.
template <class Real>
struct DeviceNumbers
{
    Real *upper, *lower, *diagonal, *rhs;
};

/// A thread a system goes through Hines' two sweeps, in any layout: rhs becomes x, diagonal is
/// lost.
/// @param parent  [nodes] on the device
/// @param block   threads of a block
/// @cost  9 to 10 words a node, with the addresses of 32 systems side by side where the layout
///        interleaves
template <class Real>
void sweep(StreamRef s, const std::int32_t* parent, const Batch& b, const DeviceNumbers<Real>& n,
           int block);

/// The same for blocks that keep rhs in shared memory (Valero-Lara and others 2018, section 3.1).
/// @pre layout block_interleaved, b.block a multiple of 32 up to 1024
/// @throws Error where rhs of b.block systems has no room in a block's shared memory
template <class Real>
void sweep_shared(StreamRef s, const std::int32_t* parent, const Batch& b,
                  const DeviceNumbers<Real>& n);

/// What the kernel reads of a tree's contraction.
struct ContractionView
{
    int nodes, places, runs, rest, rounds;
    const std::uint16_t* place; ///< [nodes]
    const ushort4* run;         ///< [runs] length, parent, child, turn
    const std::uint16_t* row;
    const ushort2* steps;
    const std::int32_t* first; ///< [rounds + 1]
};

/// A tree's contraction in a device's memory.
class DeviceContraction
{
  public:
    DeviceContraction(StreamRef s, const Contraction& c);
    ContractionView view() const;

  private:
    int places_, rest_, rounds_;
    Buffer<std::uint16_t> place_, row_;
    Buffer<ushort4> runs_;
    Buffer<ushort2> steps_;
    Buffer<std::int32_t> first_;
};

/// A block a system: all of a tree's numbers lie in shared memory while it is contracted. rhs
/// becomes x, all else stays.
/// @param threads  of a block: 32, 64, 128 or 256
/// @pre   layout flat
/// @throws Error where four numbers a place have no room in a block's shared memory
/// @cost  words_per_node a node and no more; runs and rounds wait for each other, what belongs to
///        one of them does not
template <class Real>
void contract(StreamRef s, const DeviceContraction& c, const Batch& b, const DeviceNumbers<Real>& n,
              int threads);

/// Copies `systems` flat systems again and again into a batch's layout.
template <class Real>
void lay_out(StreamRef s, const Real* flat, std::size_t systems, const Batch& b, Real* to);

} // namespace tawara::cable::cuda
