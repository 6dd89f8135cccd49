// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/population_results.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/results/curve_chart.hpp"
#include "engine/study/table_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace tawara::study {
namespace {

using simulation::histogram;

constexpr double parts_told[]{0.05, 0.25, 0.5, 0.75, 0.95};

bool is_concentration(const std::string& path)
{
    return path == "doses.times_cmax" || path == "doses.concentration_nM";
}

/// Whether that is above 0. @param value JSON
bool is_dose(const std::string& value, const std::string& path, const LedgerRow& row,
             const std::filesystem::path& ledger)
{
    const auto number = nlohmann::json::parse(value, nullptr, false);
    if (!number.is_number())
        throw InputError(ledger.string(),
                         "has " + value + " as " + path + " of " + row.name +
                             "; want a number. Put the ledger back from a copy, or run the study "
                             "into another folder by --out");
    return number.get<double>() > 0;
}

/// A result of those that count, and of the others.
struct Split
{
    std::vector<double> counted, others;

    /// Whether they differ by more than a thousandth.
    bool differ() const
    {
        constexpr double part = 1e-3;
        double low = INFINITY, high = -INFINITY;
        for (const auto* values : {&counted, &others})
            for (const double x : *values)
                low = std::min(low, x), high = std::max(high, x);
        return high - low > part * std::max(std::abs(low), std::abs(high));
    }
};

} // namespace

std::vector<MemberRun> member_runs(std::span<const LedgerRow> rows,
                                   std::span<const std::string> paths,
                                   std::span<const std::vector<std::string>> values,
                                   const std::filesystem::path& ledger)
{
    std::vector<MemberRun> out;
    if (std::find(paths.begin(), paths.end(), member_path) == paths.end())
        return out;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        MemberRun m;
        m.row = &rows[r];
        for (std::size_t p = 0; p < paths.size(); ++p) {
            const auto& value = values[r][p];
            if (value.empty())
                continue;
            if (paths[p] == member_path) {
                m.member = value;
                continue;
            }
            const auto key = paths[p].substr(paths[p].rfind('.') + 1); // all, without a dot
            const auto text = (paths[p] == drug_path ? "" : key + " ") + plain(value);
            m.others += (m.others.empty() ? "" : ", ") + text;
            if (is_concentration(paths[p]))
                m.dosed = is_dose(value, paths[p], rows[r], ledger);
            else if (paths[p] != drug_path)
                m.control += (m.control.empty() ? "" : ", ") + text;
        }
        out.push_back(std::move(m));
    }
    return out;
}

std::vector<std::optional<bool>> accepted(std::span<const MemberRun> runs, const Calibration& c)
{
    std::map<std::pair<std::string, std::string>, bool> control;
    const bool doses = std::any_of(runs.begin(), runs.end(), [](const auto& m) { return m.dosed; });
    for (const auto& m : runs)
        if (m.row->state == State::done && !m.dosed)
            control.try_emplace({m.member, m.control}, within(c, m.row->results));
    std::vector<std::optional<bool>> out;
    for (const auto& m : runs) {
        out.emplace_back();
        if (c.empty() || m.row->state != State::done)
            continue;
        const auto at = control.find({m.member, m.control});
        if (at != control.end())
            out.back() = doses ? at->second : within(c, m.row->results);
    }
    return out;
}

double percentile(std::span<const double> sorted, double part)
{
    const double at = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void add_population(std::span<const MemberRun> runs, std::span<const std::optional<bool>> accepted,
                    const Calibration& c,
                    std::span<const std::pair<std::string, std::string>> titles,
                    simulation::ReportPage& page)
{
    if (!c.empty()) {
        const auto in = std::count(accepted.begin(), accepted.end(), std::optional(true)),
                   out = std::count(accepted.begin(), accepted.end(), std::optional(false));
        std::string limits;
        for (const auto& l : c)
            limits += (limits.empty() ? "" : "; ") + l.result + " from " + rounded(l.low) + " to " +
                      rounded(l.high);
        page.key.push_back({std::to_string(in), "runs of accepted members",
                            std::to_string(out) + " rejected: " + limits});
        for (const auto& l : c)
            if (std::none_of(runs.begin(), runs.end(),
                             [&](const auto& m) { return m.row->results.contains(l.result); }))
                page.remarks.push_back(
                    {Notice::Level::warning, "no run has the result '" + l.result +
                                                 "' that population.calibrate limits; "
                                                 "results.csv has the names of those there are"});
    }
    simulation::ReportPage::Table table{
        "Population",
        {"result", "runs", "n", "5 %", "25 %", "median", "75 %", "95 %"},
        {},
        c.empty() ? "" : "Of accepted members. Rejected ones are pale in the histograms."};
    for (const auto& [result, title] : titles) {
        std::map<std::string, Split> groups;
        for (std::size_t k = 0; k < runs.size(); ++k) {
            const auto& results = runs[k].row->results;
            const auto at = results.find(result);
            if (at == results.end() || !std::isfinite(at->second))
                continue;
            auto& g = groups[runs[k].others];
            (accepted[k].value_or(c.empty()) ? g.counted : g.others).push_back(at->second);
        }
        for (auto& [others, g] : groups) {
            if (auto svg = histogram(g.counted, g.others, title); g.differ() && !svg.empty())
                page.sections.push_back(
                    {title + (others.empty() ? "" : ": " + others), std::move(svg), {}});
            std::sort(g.counted.begin(), g.counted.end());
            std::vector<std::string> row{title, others, std::to_string(g.counted.size())};
            if (!g.counted.empty())
                for (const double part : parts_told)
                    row.push_back(rounded(percentile(g.counted, part)));
            table.rows.push_back(std::move(row));
        }
    }
    page.wide.push_back(std::move(table));
}

} // namespace tawara::study
