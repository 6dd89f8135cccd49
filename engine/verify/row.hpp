// SPDX-License-Identifier: GPL-3.0-or-later
// A row of the verification table.
#pragma once
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tawara::verify {

/// What a figure has to be: between both, bounds included. Infinite where there is none.
struct Bound
{
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool operator==(const Bound&) const = default;
};
constexpr Bound at_least(double x)
{
    return {x, std::numeric_limits<double>::infinity()};
}
constexpr Bound at_most(double x)
{
    return {-std::numeric_limits<double>::infinity(), x};
}
constexpr Bound within(double least, double most)
{
    return {least, most};
}
/// The bound in words, e.g. "at least 1.9", "0.57 to 0.61 m/s"; empty where there is none.
/// @param unit  may be empty
std::string text(const Bound& b, const std::string& unit);

enum class Verdict { passed, missed, skipped };
std::string name(Verdict v);

/// Passed where the figure is finite and within the bound, else missed.
Verdict judged(double figure, const Bound& bound);

/// What a row has a chart of: points (x, y) of each curve by its name.
struct Chart
{
    std::string title, x_title, y_title;
    std::map<std::string, std::vector<std::pair<double, double>>> curves;
};

/// One requirement and the figure that was found.
struct Row
{
    std::string id;          ///< e.g. "diffusion.cube.fvm": group, what, which
    std::string group;       ///< of Group::name
    std::string check;       ///< that makes it, as --only takes it: "diffusion.cube"
    std::string what;        ///< what was measured, in one sentence
    std::string requirement; ///< where the bound comes from, in one sentence
    std::string source;      ///< paper, program or formula that has it
    Bound bound;
    double figure = std::numeric_limits<double>::quiet_NaN();
    std::string unit; ///< of figure and bound; may be empty
    Verdict verdict = Verdict::skipped;
    std::string reason; ///< why it was skipped, or what went wrong; else empty
    double seconds = 0; ///< that it took
    std::vector<Chart> charts;
};

} // namespace tawara::verify
