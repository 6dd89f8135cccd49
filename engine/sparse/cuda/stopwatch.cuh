// SPDX-License-Identifier: GPL-3.0-or-later
// How long products take on a GPU, with a cache that holds nothing of theirs and with one that
// holds what it can.
#pragma once
#include "engine/sparse/cuda/product.cuh"

#include <functional>
#include <vector>

namespace tawara::sparse::cuda {

/// Medians [us] and what they are of.
struct ProductTimes
{
    double cold_us = 0; ///< a product after the second-level cache was filled with something else
    double hot_us = 0;  ///< a product after the same one; 0: not measured
    double many_us = 0; ///< of a hundred in a row, a graph of them launched as one; 0: not measured
    std::vector<double> cold_samples_us;
};

class Stopwatch
{
  public:
    /// Takes memory of four times the second-level cache.
    explicit Stopwatch(StreamRef s);

    /// @param work    enqueues what is timed on the stream
    /// @param times   of which medians are taken
    /// @param all     also hot_us and many_us, else cold_us alone
    ProductTimes measure(const std::function<void()>& work, int times, bool all) const;
    /// The time of a kernel that does nothing, measured in the same way [us].
    double nothing_us() const;
    /// Seconds of host and device together until `work` is done on the device; the least of some.
    double least_seconds(const std::function<void()>& work, int times) const;

  private:
    void flush() const;

    StreamRef s_;
    Buffer<double2> other_;
    Buffer<double> kept_;
};

} // namespace tawara::sparse::cuda
