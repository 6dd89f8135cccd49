// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/cell/numerics_error.hpp"

namespace tawara::cell {

/// The solution of a cell alone stopped being finite: a NumericsError without a place in a mesh.
struct CellNumericsError : NumericsError
{
    /// @param model    its name, and what else is to be said of it
    /// @param smaller  as numerics_advice() has it
    /// @param left     the concentration that left its range (left_range()); empty: V is to blame
    CellNumericsError(double time_ms_, std::int64_t step_, double V_mV, const std::string& model_,
                      const std::string& smaller, const std::string& left = "");
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

/// A concentration of a cell in tissue left its range; its value is NaN.
struct ConcentrationError : NumericsError
{
    /// @param at    where and when, and of which model
    /// @param left  which (left_range())
    ConcentrationError(const NumericsError& at, const std::string& left);
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

/// The concentration of which V after a step tells that it has left its range, for a message
/// (compiler/equations/ranges.hpp); empty when it tells of none.
std::string left_range(const CellType& type, double V_mV);

/// Throws what V of a cell in tissue tells: at.value [mV] is that V.
[[noreturn]] void fail_in_tissue(const NumericsError& at, const CellType& type);

} // namespace tawara::cell
