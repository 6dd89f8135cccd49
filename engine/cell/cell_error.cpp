// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/cell_error.hpp"

#include "engine/core/numerics_advice.hpp"

#include <cstdio>

namespace tawara::cell {

CellNumericsError::CellNumericsError(double time_ms_, std::int64_t step_, double V_mV,
                                     const std::string& model_, const std::string& smaller)
    : NumericsError(time_ms_, step_, 0, {0, 0, 0}, V_mV, model_)
{
    char at[96];
    std::snprintf(at, sizeof at,
                  "the solution stopped being finite at %.6g ms (step %lld): ", time_ms_,
                  static_cast<long long>(step_));
    text_ = at + failed_value(V_mV) + ", model " + model_ + "; " +
            numerics_advice(V_mV, step_, smaller);
}

} // namespace tawara::cell
