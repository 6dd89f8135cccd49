// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace tawara {

/// The solution stopped being finite (or left its bounds). Exit status 3.
struct NumericsError : Error
{
    NumericsError(double time_ms_, std::int64_t step_, std::int64_t unknown_,
                  std::array<double, 3> position_mm_, double value_, const std::string& model_);
    double time_ms;
    std::int64_t step;
    std::int64_t unknown;              ///< index in the mesh's own order
    std::array<double, 3> position_mm; ///< where that unknown lies
    double value;                      ///< [mV], often NaN
    std::string model;
};

} // namespace tawara
