// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"

namespace tawara::cell {

/// The solution of a cell alone stopped being finite: a NumericsError without a place in a mesh.
struct CellNumericsError : NumericsError
{
    /// @param model    its name, and what else is to be said of it
    /// @param smaller  as numerics_advice() has it
    CellNumericsError(double time_ms_, std::int64_t step_, double V_mV, const std::string& model_,
                      const std::string& smaller);
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

} // namespace tawara::cell
