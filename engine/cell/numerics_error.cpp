// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/numerics_error.hpp"

#include "engine/cell/numerics_advice.hpp"

#include <cstdio>

namespace tawara {
namespace {

std::string text(double t, std::int64_t step, std::int64_t unknown, const std::array<double, 3>& p,
                 double value, const std::string& model)
{
    char at[96], place[160];
    std::snprintf(at, sizeof at, "the solution stopped being finite at %.6g ms (step %lld): ", t,
                  static_cast<long long>(step));
    std::snprintf(place, sizeof place, " at unknown %lld, (%.4g, %.4g, %.4g) mm, model ",
                  static_cast<long long>(unknown), p[0], p[1], p[2]);
    return at + cell::failed_value(value) + place + model + "; " +
           cell::numerics_advice(value, step, cell::smaller_in_tissue);
}

} // namespace

NumericsError::NumericsError(double time_ms_, std::int64_t step_, std::int64_t unknown_,
                             std::array<double, 3> position_mm_, double value_,
                             const std::string& model_)
    : Error(text(time_ms_, step_, unknown_, position_mm_, value_, model_)), time_ms(time_ms_),
      step(step_), unknown(unknown_), position_mm(position_mm_), value(value_), model(model_)
{
}

} // namespace tawara
