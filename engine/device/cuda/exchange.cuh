// SPDX-License-Identifier: GPL-3.0-or-later
// How the shards of a tissue meet: what others read is stored into their halos, and streams wait
// for each other.
#pragma once
#include "engine/device/cuda/rank_link.cuh"
#include "engine/device/cuda/shard_state.cuh"

#include <memory>
#include <string>
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
    /// @param link    to the shares of other processes; null: the whole tissue is here
    explicit Exchange(const Shards<Real>& shards, std::unique_ptr<RankLink<Real>> link = {})
        : shards_(shards), link_(std::move(link)), forked_(shards.at(0)->device)
    {
    }
    /// Whether nothing is read from elsewhere.
    bool single() const { return shards_.size() == 1 && !link_; }
    /// Of a share: whether any process says so; every one calls it at the same step. Else `here`.
    bool any(bool here) const { return link_ != nullptr ? link_->any(here) : here; }
    const RankLink<Real>* link() const { return link_.get(); } ///< null: not of a share
    /// RankLink::meet(); nothing where this is no share.
    std::string meet_others() { return link_ ? link_->meet() : ""; }

    /// Enqueues on a shard's outward stream the copies of its separator to the other shards' halos.
    void to_halos(const ShardState<Real>& s, Vector what, int parity) const;
    /// Of a share: waits for what it gives to other processes, and enqueues on the outward stream
    /// what they have given. Else nothing. Steps call it after each to_halos(), when the interior's
    /// work is enqueued.
    void from_others(Vector what, int parity) const;
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
    std::unique_ptr<RankLink<Real>> link_;
    Event forked_;
};
extern template class Exchange<double>;
extern template class Exchange<float>;

} // namespace tawara::device::cuda
