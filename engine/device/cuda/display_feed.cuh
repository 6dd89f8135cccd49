// SPDX-License-Identifier: GPL-3.0-or-later
// The display field on its way from the shards of a stepper to the one who draws it.
#pragma once
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/display_feed.hpp"

#include <array>
#include <mutex>
#include <optional>

namespace tawara::device::cuda {

/// Three buffers on one GPU. The writer: begin(), then either the whole field by a kernel of its
/// own (direct()) or add() for each shard, then end().
class CudaDisplayFeed final : public DisplayFeed
{
  public:
    /// @param rows  per shard, the value of the field to which each of its rows adds
    CudaDisplayFeed(std::size_t size, int device,
                    const std::vector<const std::vector<std::size_t>*>& rows);

    int device() const override { return device_; }
    std::size_t size() const override { return size_; }
    Field newest() const override;
    Field write(const Target& target) override;

    /// Whether the rows of the only shard are the field as it is.
    bool direct() const { return outputs_.empty(); }
    /// The buffer to write; the stream waits until nobody reads it any more. Zero unless direct().
    /// @param s  a stream of device()
    float* begin(StreamRef s);
    /// field[output of row i] += values[i]; called in the order of the shards, so that sums are
    /// those that the host would get.
    /// @param values  memory that device() can read
    void add(std::size_t shard, const float* values, StreamRef s);
    /// What was enqueued since begin() becomes the newest field.
    void end(StreamRef s, std::int64_t step, double time_ms);

  private:
    struct Slot
    {
        explicit Slot(std::size_t n, int device) : values(n, device), ready(device) {}
        Buffer<float> values;
        Event ready;
        std::optional<Event> read; ///< of a reader's stream, on the device below
        int read_on = -1;
        Field field;
    };

    std::size_t size_;
    int device_;
    std::vector<Buffer<std::int32_t>> outputs_; ///< per shard; none where direct()
    std::vector<Slot> slots_;
    Buffer<float> staged_; ///< of the reader, where it draws on another GPU
    mutable std::mutex mutex_;
    int newest_ = -1, reading_ = -1, writing_ = -1; ///< slots; the first two under the mutex
};

} // namespace tawara::device::cuda
