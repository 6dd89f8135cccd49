// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"

#include <cmath>
#include <span>
#include <string>

namespace tawara::verify {

/// The value furthest from 0 of a lead's samples in [from_ms, until_ms), with its sign; NaN where a
/// sample there is.
/// @param lead  its name, for the error
/// @throws Error for a lead that has no samples there, or nothing but 0
inline double largest_deflection(const std::string& lead, std::span<const double> t_ms,
                                 std::span<const float> mV, double from_ms, double until_ms)
{
    double peak = 0;
    for (std::size_t k = 0; k < mV.size() && k < t_ms.size(); ++k) {
        if (t_ms[k] < from_ms || t_ms[k] >= until_ms)
            continue;
        const auto v = static_cast<double>(mV[k]);
        if (std::isnan(v))
            return v;
        if (std::abs(v) > std::abs(peak))
            peak = v;
    }
    if (peak == 0)
        throw Error("lead " + lead + " has no deflection there");
    return peak;
}

} // namespace tawara::verify
