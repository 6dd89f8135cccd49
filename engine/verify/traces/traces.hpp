// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of cells that other programs have written.
#pragma once
#include "engine/cell/compiler/equations/system.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tawara::verify {

/// A trace by another program against ours: all states, matched by the first row.
struct TraceComparison
{
    std::string model;
    std::size_t states = 0, columns = 0, matched = 0;
    double potential_mV = 0;      ///< largest difference of V
    double potential_percent = 0; ///< RRMS of V
    double worst_percent = 0;     ///< largest difference of a state over its range, of all states
    double worst_rrms_percent = 0;
    std::string worst_state, worst_rrms_state;
};

/// Rows of a comma-separated table, '#' lines left out: one at least, all of the same length.
/// @throws InputError with the line
std::vector<std::vector<double>> read_table(const std::filesystem::path& file);

/// Initial values of a model; where all states but one are found in a row and one value is left
/// over, that value is the one's (the file was changed since).
std::vector<double> start_of(const cell::compiler::CellSystem& s, const std::vector<double>& row);

/// Solves a model by CVODE as its file stands and compares with a table of all states every 1 ms.
/// States that start alike are told apart by what fits best.
/// @param tolerance  relative; absolute a tenth of it
/// @throws InputError, NumericsError
TraceComparison compare_traces(const std::filesystem::path& model,
                               const std::filesystem::path& table, bool own_stimulus,
                               double tolerance = 1e-8);

/// A model of the library, and what another program's trace of another text of it has.
struct LibraryTrace
{
    const char *model, *variant;
    /// Our states in the trace's order, by spaces; "Cai*1e-3" in another unit, "V+10" where the
    /// trace's zero is 10 higher.
    const char* columns;
    double stimulus_pA_per_pF, start_ms, duration_ms; ///< the pulse that the trace has
    /// What the library's text has once, and what that program's text has in its place; empty:
    /// nothing.
    const char *ours = "", *theirs = "";
};

/// Solves a model of the library by CVODE from a trace's first row on, with its pulse, and compares
/// with the trace: a second, all states at even times. What the trace's text has otherwise is put
/// in the place of the library's (LibraryTrace::ours).
/// @throws InputError, NumericsError
TraceComparison compare_library(const LibraryTrace& t, const std::filesystem::path& table);

} // namespace tawara::verify
