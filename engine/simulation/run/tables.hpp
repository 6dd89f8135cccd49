// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/observe/table_rows.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tawara::simulation {

/// What tables are made of.
struct TableSource
{
    const Session& session;
    const Tissue& tissue;
    const std::string& session_file; ///< for errors
    const Progress& progress;
};

/// A table of a run under way.
struct Table
{
    std::string file; ///< its name in the outputs' folder, and in checkpoints
    std::unique_ptr<TableRows> rows;
};
using Tables = std::vector<Table>;

/// Those that the session wants, and that have columns.
/// @throws InputError
Tables make_tables(const TableSource& source);

} // namespace tawara::simulation
