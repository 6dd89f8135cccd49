// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/numerics_advice.hpp"

#include <cmath>
#include <cstdio>

namespace tawara::cell {
namespace {

bool beyond(double V_mV)
{
    return std::isfinite(V_mV) && !(std::abs(V_mV) < 1000);
}

} // namespace

std::string failed_value(double V_mV)
{
    char text[64];
    std::snprintf(text, sizeof text, "V = %g mV%s", V_mV, beyond(V_mV) ? ", beyond +-1000 mV" : "");
    return text;
}

std::string numerics_advice(double V_mV, std::int64_t step, const std::string& smaller)
{
    const std::string check =
        "check the initial values, the units and the strength of the stimulus";
    if (step <= 1 || smaller.empty())
        return check;
    return beyond(V_mV) ? check + "; where these are right, " + smaller : smaller;
}

} // namespace tawara::cell
