// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace tawara::device::cuda {

/// Counts the bytes between a device and its memory in ranges of work, by the hardware counters
/// that CUPTI's range profiler reads. The library is looked for when one is made; nothing links it.
/// @pre    the device is current, and what a range is about is complete at its end
/// @thread that of the device's work
class MemoryCounters
{
  public:
    struct Bytes
    {
        double read = 0, written = 0;
    };

    /// @param most_ranges  that will be counted
    /// @throws DeviceError where counters cannot be read, saying why (no CUPTI, no permission, ...)
    MemoryCounters(int device, std::size_t most_ranges);
    ~MemoryCounters();
    MemoryCounters(const MemoryCounters&) = delete;
    MemoryCounters& operator=(const MemoryCounters&) = delete;

    void begin();
    void end();
    /// What each range counted, in their order; no range can begin after it.
    std::vector<Bytes> finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace tawara::device::cuda
