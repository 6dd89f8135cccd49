// SPDX-License-Identifier: GPL-3.0-or-later
// By how much the tables of two runs differ.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tawara::simulation {

/// How far two lists of numbers are apart; NaN stands for "never".
struct Difference
{
    double rms = 0, largest = 0; ///< where both have a number
    std::size_t both = 0;        ///< places where both have one
    std::size_t alone = 0;       ///< where one has a number, and the other none
    bool none() const { return largest == 0 && alone == 0; }
};
/// @pre as many values in both
Difference difference(std::span<const double> before, std::span<const double> now);

/// "RMS 0.1 ms, at most 0.4 ms; 3 values are in one run alone".
/// @param unit  of both; may be empty
std::string words(const Difference& d, const std::string& unit);

/// By how much two tables of comma-separated values differ, column by column, or why that is not
/// known: "far: RMS 0.1 mV, at most 0.4 mV". A column's unit is its name's ending, else `unit`.
/// @param column  of this one alone, without its name; empty: of all that differ
std::string table_difference(const std::filesystem::path& before, const std::filesystem::path& now,
                             const std::string& unit, const std::string& column = {});

} // namespace tawara::simulation
