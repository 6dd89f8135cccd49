// SPDX-License-Identifier: GPL-3.0-or-later
// How a device's share of a tissue meets the shares of other processes.
#pragma once
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/halo.hpp"
#include "engine/device/problem.hpp"
#include "engine/partition/decomposition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tawara::device::cuda {

template <class Real>
class ShardState;

/// Host memory of others' making that a device copies from and stores to at full speed, as long as
/// this lives.
class RegisteredMemory
{
  public:
    explicit RegisteredMemory(int device) : device_(device) {}
    ~RegisteredMemory();
    RegisteredMemory(const RegisteredMemory&) = delete;
    RegisteredMemory& operator=(const RegisteredMemory&) = delete;
    /// Memory that lies side by side is taken as one. @return false: it cannot be had
    bool add(std::vector<std::span<std::byte>> memory);

  private:
    int device_;
    std::vector<void*> taken_;
};

/// Carries V of the unknowns that other processes read from the device to them, and theirs into the
/// shard's halo. The device stores them in the host's memory itself: where all processes see it
/// (Halo::shelves()) the others' devices copy them from there, else Halo::swap() hands them on. The
/// host waits meanwhile, and the device works on what needs no halo.
/// @thread that of the stepper
template <class Real>
class RankLink
{
  public:
    /// @param shard  the only one of this process; its halo is halo.taken(), in that order
    /// @param place  of each unknown
    RankLink(Halo& halo, const ShardState<Real>& shard, const std::vector<partition::Place>& place);

    /// The processes agree on how they meet: each calls it, once, before give() and take().
    /// @return for people, where values go through Halo::swap(): that, and why
    std::string meet();
    /// Enqueues that the device gives what others read of a vector.
    void give(StreamRef s, const Real* from);
    /// Waits for what give() has enqueued, and until the others have given; enqueues the copy of
    /// theirs to the vector's halo.
    void take(StreamRef s, Real* halo);
    /// What the host has spent in take() behind the device's own values, waiting for others
    /// included.
    KernelRecord record() const;
    /// Whether any process says so; every one calls it at the same step.
    bool any(bool here) { return halo_.any(here); }

  private:
    Halo& halo_;
    Buffer<std::int32_t> given_slots_;
    int device_;
    bool met_ = false;
    RegisteredMemory registered_;
    std::optional<Halo::Shelves> shelves_;
    std::size_t set_ = 0;              ///< of the shelves, whose turn it is
    PinnedBuffer<Real> given_, taken_; ///< without shelves
    std::vector<double> give_, take_;  ///< the same, where Real is no double
    double spent_s_ = 0;
    std::int64_t times_ = 0;
    Event gone_;
};
extern template class RankLink<double>;
extern template class RankLink<float>;

} // namespace tawara::device::cuda
