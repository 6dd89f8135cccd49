// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace tawara::cell {

/// V where the solution stopped being finite, for a message: "V = 1e+05 mV, beyond +-1000 mV".
std::string failed_value(double V_mV);

/// What may help where a step of the tissue was too long.
inline constexpr const char* smaller_in_tissue =
    "try a smaller step (time.dt_ms, --dt) or another scheme of the cells (reaction.scheme)";

/// What may help there, the likeliest first: what fails in the first step, or leaves +-1000 mV, is
/// most often given wrongly.
/// @param step     whose end it was; 0: the initial values
/// @param smaller  what may help where the step was too long, e.g. "try a smaller step (--dt)";
///                 empty: no step is to blame
std::string numerics_advice(double V_mV, std::int64_t step, const std::string& smaller);

} // namespace tawara::cell
