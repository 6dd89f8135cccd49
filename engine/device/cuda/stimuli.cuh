// SPDX-License-Identifier: GPL-3.0-or-later
// The currents into the tissue that change with time alone.
#pragma once
#include "engine/device/cuda/exchange.cuh"

#include <limits>
#include <vector>

namespace tawara::device::cuda {

/// Keeps what every source adds in its shards' stimulus vectors.
/// @thread that of the stepper
template <class Real>
class Stimuli
{
  public:
    Stimuli(const Shards<Real>& shards, const std::vector<partition::Place>& place, double dt_ms)
        : shards_(shards), place_(place), dt_ms_(dt_ms)
    {
    }
    std::size_t add(StimulusSource source);
    void remove(std::size_t id);
    /// The vectors hold nothing that is known.
    void forget() { applied_.assign(1, std::numeric_limits<double>::quiet_NaN()); }

    /// Sets the vectors for the step, where they hold something else; then waits for all shards.
    /// @return whether they were set
    bool apply(std::int64_t step, const Exchange<Real>& exchange);
    /// Whether a source is on, by the last apply().
    bool on() const { return on_; }
    /// Steps from here, at most `most`, over which every source stays as it was applied.
    std::int64_t steady(std::int64_t step, std::int64_t most) const;

  private:
    struct Source
    {
        StimulusSource values; ///< of a share's may be without unknowns here
        bool removed = false;
        std::vector<Buffer<std::int32_t>> slots; ///< per shard
    };
    double overlap(const Source& s, std::int64_t step) const
    {
        return s.values.overlap(static_cast<double>(step) * dt_ms_, dt_ms_);
    }

    const Shards<Real>& shards_;
    const std::vector<partition::Place>& place_;
    double dt_ms_;
    std::vector<Source> sources_;
    std::vector<double> applied_; ///< overlap of each source that the vectors hold
    bool on_ = false;
};
extern template class Stimuli<double>;
extern template class Stimuli<float>;

/// The slots of unknowns on each shard.
std::vector<std::vector<std::int32_t>> slots_of(const std::vector<std::int32_t>& unknowns,
                                                const std::vector<partition::Place>& place,
                                                std::size_t shards);

} // namespace tawara::device::cuda
