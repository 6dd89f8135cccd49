// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/calcium/paced_cell.hpp"
#include "engine/cli/command.hpp"

#include <functional>
#include <string>

namespace tawara::cli {

/// Writes the sparks of a run to a CSV file while it runs: a row each, in the order in which all is
/// known of them.
/// @param o    has the finder of sparks while `run` runs
/// @param run  runs the cell with these options
/// @return     their statistics, as `cell run --json` has them
/// @throws InputError when the file cannot be written, else as `run`
Json write_sparks(Context& c, const std::string& file, calcium::PacedCellOptions& o,
                  const std::function<void()>& run);

} // namespace tawara::cli
