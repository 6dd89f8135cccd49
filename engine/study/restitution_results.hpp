// SPDX-License-Identifier: GPL-3.0-or-later
// What the runs of a study with restitution came to: a table of beats, curves and their slopes.
#pragma once
#include "engine/simulation/results/report_page.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/restitution_record.hpp"

#include <span>

namespace tawara::study {

/// A run that is done.
struct MeasuredRun
{
    std::string run;
    std::vector<std::string> values;    ///< of the study's paths, as JSON; empty where it sets none
    std::string title;                  ///< what it differs by, for people: "s1s2"
    std::vector<RestitutionBeat> beats; ///< longest interval first
};

/// Of all runs that are done, in order, from their report.json; none: it is no such study.
/// @param left_out  told of each whose report cannot be read
std::vector<MeasuredRun> measured_runs(const Ledger& ledger, const std::filesystem::path& folder,
                                       Notices& left_out);

/// Writes a line for each measured beat and probe: what its run is, the interval, the numbers of
/// the beat (RestitutionBeat).
void write_restitution_csv(std::span<const MeasuredRun> runs, std::span<const std::string> paths,
                           const std::filesystem::path& file);

/// Adds APD90 and velocity over the diastolic interval, and a table with a row for each run and
/// probe.
void add_restitution(std::span<const MeasuredRun> runs, simulation::ReportPage& page);

} // namespace tawara::study
