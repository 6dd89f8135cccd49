// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/report_page.hpp"

// Parts of report_page(), for it alone.
namespace tawara::simulation::page {

/// Thousands apart.
std::string count_text(std::int64_t n);
/// A value with its unit; a dash where it is not finite.
std::string with(double x, int digits, const char* unit);
/// How many lines a text takes where so many letters have room in one.
std::size_t lines(const std::string& text, std::size_t letters);
/// "and 3 more".
std::string and_more(std::size_t n);

/// What holds of all tissue: numbers of the membrane, drugs.
ReportPage::Table tissue(const ExportSource& s);
/// A row per region, in their order; up to 40, others are counted. Where it is known what unknowns
/// are of them, also how many, and the median and the spread of APD90 there.
/// @param apd90_ms  of the unknowns, or at the mesh's vertices
/// @param of        the index into s.cells.regions there
ReportPage::Table regions(const ExportSource& s, std::span<const double> apd90_ms,
                          std::span<const std::int32_t> of);
/// A row per site: what it gave, and whether that captured.
ReportPage::Table pacing(const ExportSource& s);
ReportPage::Table mesh_table(const ExportSource& s);
ReportPage::Table numerics(const ExportSource& s);
/// A row per fascicle of the Purkinje network; in the note its size, delays, activation and QRS.
/// @pre  the source has a network and its times
ReportPage::Table network(const ExportSource& s);

} // namespace tawara::simulation::page
