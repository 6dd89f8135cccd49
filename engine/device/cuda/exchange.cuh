// SPDX-License-Identifier: GPL-3.0-or-later
// How the shards of a tissue meet: what others read is stored into their halos, and streams wait
// for each other.
#pragma once
#include "engine/device/cuda/shard_state.cuh"

#include <memory>
#include <vector>

namespace tawara::device::cuda {

template <class Real>
using Shards = std::vector<std::unique_ptr<ShardState<Real>>>;

/// @thread that of the stepper; what it enqueues can be captured, synchronize() apart
template <class Real>
class Exchange
{
  public:
    /// @param shards  stay where they are as long as this lives; the first one's main stream is the
    ///                one that graphs are captured and launched on
    explicit Exchange(const Shards<Real>& shards) : shards_(shards), forked_(shards.at(0)->device)
    {
    }

    /// Enqueues on a shard's outward stream the copies of its separator to the other shards' halos.
    void to_halos(const ShardState<Real>& s, Vector what, int parity) const;
    /// The same of all shards, done on return.
    void all_halos(Vector what, int parity) const;
    /// The same of all shards, behind what their main streams hold.
    void to_halos_after_main(Vector what, int parity) const;
    /// A stream waits for all that is on its way to halos.
    void wait_for_halos(StreamRef s) const
    {
        for (const auto& o : shards_)
            s.wait(o->sent);
    }
    /// All streams of all shards follow the first main stream.
    void fork() const;
    /// The first main stream waits for all others; each shard learns of the others' failures.
    void join() const;
    void synchronize() const;

  private:
    const Shards<Real>& shards_;
    Event forked_;
};
extern template class Exchange<double>;
extern template class Exchange<float>;

} // namespace tawara::device::cuda
