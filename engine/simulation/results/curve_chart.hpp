// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of a report: curves, and how often values are seen.
#pragma once
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::simulation {

/// Points (x, y) of each curve, in any order, by its name.
using NamedCurves = std::map<std::string, std::vector<std::pair<double, double>>>;

/// Curves with axes. Up to twelve are named below, if there are several; more of them are thin.
/// @param x_title, y_title  may be empty
/// @return SVG, ReportPage::width wide; empty where there are no two different x, or what lies
///         between the least and the largest is no number
std::string curve_chart(const NamedCurves& curves, const std::string& x_title,
                        const std::string& y_title = {});

/// How often values lie in each of at most `most_bars` equal parts of their span; those that do not
/// count are drawn pale on top.
/// @return SVG, ReportPage::width wide; empty where no value is finite, or their span is not
std::string histogram(std::span<const double> counted, std::span<const double> others,
                      const std::string& x_title);

} // namespace tawara::simulation
