// SPDX-License-Identifier: GPL-3.0-or-later
// What `bench spmv MATRIX...` found, as a page with plots: after figures 4, 12 and 13 of Wong, Kuhl
// and Darve 2015.
#pragma once
#include "engine/cli/command.hpp"

#include <string>

namespace tawara::cli {

/// One HTML file that needs nothing else: rates of all products beside triad, for each device; what
/// the layout costs, in products; lengths of rows.
/// @param result  as measure_matrices() makes it
std::string spmv_page(const Json& result);

} // namespace tawara::cli
