// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cli/cell_command.hpp"
#include "engine/cli/command.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tawara::cli {

inline constexpr double usual_step_ms = 0.01;

struct CellRunArguments
{
    std::vector<std::string> words; ///< the model, and values that follow --set
    std::vector<std::string> set;
    ModelArguments model;
    std::string variant, scheme = "rush_larsen_light", out, precision = "double";
    double dt_ms = usual_step_ms, bcl_ms = 0, until_ms = 0, every_ms = 1, amplitude = 0,
           duration_ms = 0, tables_mV = 0;
    long beats = 0;
    bool until_steady = false;
    CLI::Option *bcl = nullptr, *until = nullptr, *every = nullptr, *beat_count = nullptr,
                *amplitude_given = nullptr, *duration_given = nullptr, *tables = nullptr,
                *scheme_given = nullptr, *dt_given = nullptr;
    // of cells with dyads alone
    std::vector<int> dyads{100, 10, 10};
    std::vector<double> forced_ms;
    std::string start, sparks;
    std::uint64_t seed = 1;
    unsigned threads = 0;
    std::vector<CLI::Option*> of_dyads;
};

/// Says where rows went and where a stopped run ended, and gives the result.
/// @throws Cancelled where the run was stopped
void end_cell_run(Context& c, Json& result, const std::string& out, std::size_t rows, bool stopped,
                  double reached_ms, double end_ms);

/// Beside a table, what made it: the program, and the run without what was measured: equal
/// runs say the same.
/// @param result  of the command
void write_cell_provenance(const std::string& table, Json result);

/// The options of cells with dyads (engine/calcium).
void declare_dyads(CLI::App& app, const std::shared_ptr<CellRunArguments>& a);
/// tawara-cli cell run ohara_rudy_dyads_2011
void run_dyad_cell(Context& c, const CellRunArguments& a);
/// tawara-cli cell info ohara_rudy_dyads_2011
void info_dyad_cell(Context& c);
/// What cell list says of it.
Json dyad_cell_in_list(Context& c);

} // namespace tawara::cli
