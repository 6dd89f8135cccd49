// SPDX-License-Identifier: GPL-3.0-or-later
// What the sites of a study came to: a table and a bull's-eye.
#pragma once
#include "engine/simulation/results/report_page.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/site_record.hpp"

#include <span>

namespace tawara::study {

/// A run that has searched a site.
struct SearchedSite
{
    std::string run;
    std::vector<std::string> values; ///< of the study's paths, as JSON; empty where it sets none
    SiteRecord record;
};

/// Of all runs that are done, in order, from their report.json; none: it is no such study.
/// @param left_out  told of each whose report cannot be read
std::vector<SearchedSite> searched_sites(const Ledger& ledger, const std::filesystem::path& folder,
                                         Notices& left_out);

/// Writes a line for each site: what its run is, what became of the search, and the same after
/// ablation in columns that begin with `after_`.
void write_induction_csv(std::span<const SearchedSite> sites, std::span<const std::string> paths,
                         const std::filesystem::path& file);

/// Adds bull's-eyes, one for each combination of axes before and one after ablation, and a table.
void add_sites(std::span<const SearchedSite> sites, simulation::ReportPage& page);

} // namespace tawara::study
