// SPDX-License-Identifier: GPL-3.0-or-later
// The ports of a tissue on its devices, and the parts that are joined there.
#pragma once
#include "engine/device/cuda/exchange.cuh"
#include "engine/device/ports.hpp"

#include <vector>

namespace tawara::device::cuda {

/// Parts live on the first shard's device and step on a stream of their own there, beside the
/// tissue. In each step, from the potential at its start:
///
///     every shard     its terms' potentials go to the parts' device
///     parts' device   port k: v_k = sum of weight * V, its current by the part's law; each part
///                     advances
///     every shard     stimulus of a driven slot = its sources' + sum of weight * current
///
/// On one shard where no slot is driven by two ports, one kernel does both. Where its step is one
/// kernel that needs the currents, all but the parts' advance is done ahead of it in the tissue's
/// own stream, and it is launched early: its blocks start beside those of the ports, and wait where
/// they read the stimulus of a driven slice.
/// All sums are made in an order that does not depend on the shards. Nothing here waits on the
/// host; all of it can be captured.
/// @thread that of the stepper
template <class Real>
class PortSet
{
  public:
    PortSet(const Shards<Real>& shards, const std::vector<partition::Place>& place);
    ~PortSet();

    /// Joins a part. @return it, as long as the set lives
    Part& add(const Ports& ports, const PartMaker& make);
    bool any() const { return !parts_.empty(); }
    /// The shards' stimulus vectors hold the sources' alone: marks the driven slots and keeps what
    /// the sources give them.
    void sources_changed() const;

    /// Enqueues one step's work behind what the shards' streams hold.
    /// @param offset  as in Moment
    /// @param needed_first  the step's first kernel needs the currents: on one shard they are made
    ///                      ahead of it in its stream, not beside it
    void enqueue(int parity, int offset, double dt_ms, bool needed_first);
    /// The same in two: the currents, and the parts' own step, which is not enqueued where the
    /// tissue's has failed.
    void enqueue_currents(int parity, bool needed_first);
    void enqueue_parts(int offset, double dt_ms);
    /// A stream that uses a shard's stimulus waits for the currents, where enqueue() made some
    /// since join().
    void wait_for_currents(StreamRef s, std::size_t shard) const
    {
        if (under_way_ && !in_line_)
            s.wait(here_[shard].driven);
    }
    /// Whether the currents of the step under way were made in the tissue's stream. The kernel
    /// behind them may then be launched early: all kernels ahead of the ports' have ended when it
    /// starts.
    bool in_line() const { return under_way_ && in_line_; }
    /// The shards' main streams wait for the parts.
    void join();
    void synchronize() const;

    /// After how many steps, at most `most`, parts need the host.
    std::int64_t prepare(std::int64_t step, std::int64_t most) const;
    std::vector<std::vector<double>> snapshot() const;
    void restore(const std::vector<std::vector<double>>& parts) const;
    std::vector<std::size_t> sizes() const; ///< of each part's snapshot

  private:
    /// Of one shard.
    struct Here
    {
        explicit Here(int device) : stream(device, true), read(device), driven(device) {}
        Stream stream;
        Event read, driven;                   ///< terms are with the parts; currents are in
        Buffer<std::int32_t> term_slot, term; ///< terms of this shard, and their numbers
        Buffer<std::int32_t> slot;            ///< driven ones, each once
        Buffer<std::int32_t> first, port;     ///< rows of them
        Buffer<float> weight;
        Buffer<Real> sources; ///< what the sources give them
    };
    struct Joined
    {
        Ports ports;
        std::unique_ptr<Part> part;
        std::size_t first = 0; ///< port
    };
    void lay_out();
    void follow_tissue();
    void gather(StreamRef home, int parity);
    void drive();

    const Shards<Real>& shards_;
    const std::vector<partition::Place>& place_;
    std::vector<Here> here_;
    std::vector<Joined> parts_;
    Event computed_, advanced_;
    Buffer<double> terms_; ///< potentials, by the number of the term
    Buffer<std::int32_t> first_, term_;
    Buffer<float> weight_;
    Buffer<double> v_, current_;
    std::int64_t ports_ = 0;
    bool under_way_ = false;
    bool drives_itself_ = false; ///< the kernel that computes the currents drives the slots, too
    bool in_line_ = false;       ///< the step's currents are made in the tissue's stream
};
extern template class PortSet<double>;
extern template class PortSet<float>;

} // namespace tawara::device::cuda
