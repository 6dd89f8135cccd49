// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/cell_error.hpp"

#include "engine/cell/compiler/equations/ranges.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/numerics_advice.hpp"
#include "engine/cell/own_model.hpp"

#include <cstdio>
#include <limits>

namespace tawara::cell {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string begin(double time_ms, std::int64_t step, const std::string& left)
{
    char at[112];
    std::snprintf(at, sizeof at, "%s at %.6g ms (step %lld): ",
                  left.empty() ? "the solution stopped being finite"
                               : "a concentration left its range",
                  time_ms, static_cast<long long>(step));
    return at + left;
}

} // namespace

CellNumericsError::CellNumericsError(double time_ms_, std::int64_t step_, double V_mV,
                                     const std::string& model_, const std::string& smaller,
                                     const std::string& left)
    : NumericsError(time_ms_, step_, 0, {0, 0, 0}, left.empty() ? V_mV : none, model_)
{
    text_ = begin(time_ms_, step_, left) + (left.empty() ? failed_value(V_mV) : "") + ", model " +
            model_ + "; " + numerics_advice(value, step_, smaller);
}

ConcentrationError::ConcentrationError(const NumericsError& at, const std::string& left)
    : NumericsError(at.time_ms, at.step, at.unknown, at.position_mm, none, at.model)
{
    char place[160];
    const auto& p = position_mm;
    std::snprintf(place, sizeof place, " at unknown %lld, (%.4g, %.4g, %.4g) mm, model ",
                  static_cast<long long>(unknown), p[0], p[1], p[2]);
    text_ = begin(time_ms, step, left) + place + model + "; " +
            numerics_advice(value, step, smaller_in_tissue);
}

std::string left_range(const CellType& type, double V_mV)
{
    return is_own(type) ? std::string() : compiler::left_range(*compiler::system_of(type), V_mV);
}

void fail_in_tissue(const NumericsError& at, const CellType& type)
{
    if (const auto left = left_range(type, at.value); !left.empty())
        throw ConcentrationError(at, left);
    throw at;
}

} // namespace tawara::cell
