// SPDX-License-Identifier: GPL-3.0-or-later
// How a device's share of a tissue meets the shares of other processes.
#pragma once
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/halo.hpp"
#include "engine/partition/decomposition.hpp"

#include <vector>

namespace tawara::device::cuda {

template <class Real>
class ShardState;

/// Carries V of the unknowns that other processes read from the device to them, and theirs into the
/// shard's halo: through pinned memory of the host, which the device writes itself. The host waits
/// for the values to leave and hands them on, while the device works on what needs no halo.
/// @thread that of the stepper
template <class Real>
class RankLink
{
  public:
    /// @param shard  the only one of this process; its halo is halo.taken(), in that order
    /// @param place  of each unknown
    RankLink(Halo& halo, const ShardState<Real>& shard, const std::vector<partition::Place>& place);

    /// Enqueues that the device gives what others read of a vector.
    void give(StreamRef s, const Real* from) const;
    /// Waits for what give() has enqueued, swaps it for the others' values, and enqueues their copy
    /// behind the slots of the vector.
    /// @param halo  first value of the vector's halo
    void take(StreamRef s, Real* halo) const;
    /// Whether any process says so; every one calls it at the same step.
    bool any(bool here) const { return halo_.any(here); }

  private:
    Halo& halo_;
    Buffer<std::int32_t> given_slots_;
    PinnedBuffer<Real> given_, taken_;
    mutable std::vector<double> give_, take_; ///< where Real is no double
    Event gone_;
};
extern template class RankLink<double>;
extern template class RankLink<float>;

} // namespace tawara::device::cuda
