// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli bench spmv MATRIX...: products with sparse matrices beside ceilings of the same run.
#pragma once
#include "engine/cli/command.hpp"

namespace tawara::cli {

struct MatrixArguments
{
    /// "heart" (the built-in one; "heart:1", "heart:2": refined), names of stand-ins or
    /// "stand-ins", .mtx files, meshes.
    std::vector<std::string> matrices;
    std::string out;  ///< a file for the result as JSON; empty: none
    std::string page; ///< a file for a page with plots; empty: none

    void declare(CLI::App& app);
};

/// @throws InputError for what is no matrix
void measure_matrices(Context& c, const MatrixArguments& a, const DeviceArguments& device);

} // namespace tawara::cli
