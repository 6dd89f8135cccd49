// SPDX-License-Identifier: GPL-3.0-or-later
// What the members of a population came to.
#pragma once
#include "engine/simulation/results/report_page.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/population.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::study {

/// A run of a population.
struct MemberRun
{
    const LedgerRow* row = nullptr;
    std::string member, others; ///< settings: which member, and what else the run differs by
    std::string control;        ///< others without the drug and its concentration
    bool dosed = false;         ///< with a concentration above 0
};

/// Of all runs, in the ledger's order; empty: the study has no population.
/// @param values  of each run, by `paths`, as JSON
/// @param ledger  the file, for errors
/// @throws InputError  where a concentration is no number
std::vector<MemberRun> member_runs(std::span<const LedgerRow> rows,
                                   std::span<const std::string> paths,
                                   std::span<const std::vector<std::string>> values,
                                   const std::filesystem::path& ledger);

/// Whether each run's member is within the limits. Where there are doses, a member is what its run
/// without a drug is; else each run is what itself is. Nothing: that run is not done, or there are
/// no limits.
std::vector<std::optional<bool>> accepted(std::span<const MemberRun> runs, const Calibration& c);

/// Adds to the page how many are accepted, a histogram of each result that differs by more than
/// a thousandth, and a table of percentiles of those that are (of all, without limits).
/// @param titles  results that are told, with their titles
void add_population(std::span<const MemberRun> runs, std::span<const std::optional<bool>> accepted,
                    const Calibration& c,
                    std::span<const std::pair<std::string, std::string>> titles,
                    simulation::ReportPage& page);

/// Between two values of a sorted list, linearly. @param part from 0 to 1 @pre the list has some
double percentile(std::span<const double> sorted, double part);

} // namespace tawara::study
