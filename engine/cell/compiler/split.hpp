// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

namespace tawara::cell::compiler {

/// A program as several, run one after the other on the same cells. Each has the states of the
/// whole and, behind them, `passed` more: values that one part leaves for later ones. A state is
/// overwritten by the part after which nothing needs its old value. Conditions are not passed but
/// computed again.
struct Split
{
    std::vector<Program> parts; ///< with the table of the whole
    std::vector<int> times;     ///< so often each in a row
    /// Of each part Part::until: no further rounds once all cells have such a value.
    std::vector<std::optional<std::size_t>> until;
    std::size_t passed = 0;
};

/// Cuts the order of a program's operations (depth_first()) where the fewest values are alive,
/// within 0.3 of a part's size around equal sizes by estimated instructions.
/// A program that has parts of its own is cut into these, whatever `parts` is.
/// @throws InputError for programs with tables
/// @param parts  1 to 16; fewer come out of a program that is too short
Split split_program(const Program& p, std::size_t parts);

} // namespace tawara::cell::compiler
