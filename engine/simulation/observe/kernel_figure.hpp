// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace tawara::simulation {

/// A kernel against its ceiling. Sums since the load or the last Reset; a window takes differences.
struct KernelFigure
{
    std::string name, device;
    std::int64_t calls = 0;
    double ms = 0, bytes = 0, flops = 0;
    double ceiling_GB_per_s = 0, ceiling_GFLOP_per_s = 0; ///< 0 until MeasureCeilings was answered
    /// Of the ceiling that bounds it: the larger of (bytes / ms) / ceiling and (flops / ms) /
    /// ceiling.
    double fraction = 0;
    std::string bound_by; ///< "memory", "arithmetic", "" while unknown
    /// To and from the device's memory by its hardware counters, as `bytes` are by the data
    /// structures; 0: not counted. MeasureCeilings has them counted where that is possible.
    double counted_bytes = 0;
};

} // namespace tawara::simulation
