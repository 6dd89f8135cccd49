// SPDX-License-Identifier: GPL-3.0-or-later
// What the runs of a study came to, side by side.
#pragma once
#include "engine/study/ledger.hpp"

#include <filesystem>
#include <string>

namespace tawara::study {

/// The numbers of a run's report that a study compares: what was activated and when, durations,
/// velocity, ECG, seconds; names are paths in report.json with dots.
Results results_of(const std::string& report_json);

/// Writes results.csv (a row a run: its name, state, settings, results, seconds, reason) and
/// report.html (the same as a page, with each result over the first axis of numbers).
/// @throws InputError where they cannot be written
void write_results(const Ledger& ledger, const std::filesystem::path& folder);

} // namespace tawara::study
