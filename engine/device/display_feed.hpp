// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

namespace tawara::device {

/// The newest display field in the memory of the GPU that computes it, for whoever draws on a GPU:
/// nothing passes through the host. Of three buffers one is written, one holds the newest field and
/// one may be read, so neither side waits for the other; the order on the GPU is kept by events.
///
/// @thread  one writer (Stepper::publish_display()), one reader (the rest), each on a thread of its
///          own
class DisplayFeed
{
  public:
    struct Field
    {
        std::uint64_t number = 0; ///< counts fields of all feeds of the program; 0: none yet
        std::int64_t step = 0;
        double time_ms = 0;
    };
    /// Where a field is wanted: out[i] = field[vertex[i]], `missing` where that is not finite.
    struct Target
    {
        float* out = nullptr;                 ///< [size], memory of `device`
        const std::int32_t* vertex = nullptr; ///< [size], memory of `device`
        std::size_t size = 0;
        float missing = 0;
        int device = 0;         ///< CUDA's number of a GPU; another than device() is fine
        void* stream = nullptr; ///< a cudaStream_t of that GPU
    };

    virtual ~DisplayFeed() = default;
    virtual int device() const = 0;       ///< CUDA's number of the GPU that holds the fields
    virtual std::size_t size() const = 0; ///< values of a field
    virtual Field newest() const = 0;
    /// Enqueues the writing of the newest field on the target's stream; does not wait for it.
    /// @return which field that is; number 0 where there is none yet, then nothing is enqueued
    /// @throws DeviceError
    virtual Field write(const Target& target) = 0;
};

} // namespace tawara::device
