// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/study_results.hpp"

#include "engine/core/output_folder.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/curve_chart.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/study/done_runs.hpp"
#include "engine/study/induction_results.hpp"
#include "engine/study/population_results.hpp"
#include "engine/study/restitution_results.hpp"
#include "engine/study/table_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;
using simulation::curve_chart;
using simulation::NamedCurves;
using simulation::ReportPage;

/// Parts of a report, and what is taken of each as it stands.
constexpr std::array compared{"unknowns_with_cells",
                              "activated",
                              "last_activation_ms",
                              "apd90_ms",
                              "conduction_velocity_m_per_s",
                              "ecg",
                              "newton",
                              "induction",
                              "restitution",
                              "rest",
                              "seconds",
                              "cell_steps_per_s"};

void add_numbers(const std::string& name, const Json& value, Results& out)
{
    if (value.is_number())
        out[name] = value.get<double>();
    else if (value.is_object())
        for (const auto& [key, inner] : value.items())
            add_numbers(name + "." + key, inner, out);
    else if (value.is_array() && !value.empty() && value.back().is_object())
        add_numbers(name + ".last", value.back(), out); // of beats
}

/// What was asked for and what came of it, run by run.
struct Sheet
{
    std::vector<std::string> paths, names;
    std::vector<LedgerRow> rows;
    std::vector<std::vector<std::string>> values; ///< [run][path] JSON, or empty
    std::vector<MemberRun> members;               ///< [run]; empty: the study has no population
    Calibration limits;
    std::vector<std::optional<bool>> in_limits; ///< [run] of a population
};

Sheet sheet_of(const Ledger& ledger)
{
    Sheet s;
    s.paths = ledger.paths();
    s.rows = ledger.rows();
    std::set<std::string> names;
    for (const auto& row : s.rows) {
        s.values.push_back(values_of(ledger, row, s.paths));
        for (const auto& [name, value] : row.results)
            names.insert(name);
    }
    s.names.assign(names.begin(), names.end());
    s.members = member_runs(s.rows, s.paths, s.values, ledger.file());
    if (!s.members.empty()) // which they are of
        s.limits = ledger.calibration();
    s.in_limits = accepted(s.members, s.limits);
    return s;
}

void write_csv(const Sheet& s, const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        out << "run,state";
        for (const auto& path : s.paths)
            out << ',' << field(path);
        if (!s.limits.empty())
            out << ",accepted";
        for (const auto& name : s.names)
            out << ',' << field(name);
        out << ",wall_s,reason\n";
        for (std::size_t r = 0; r < s.rows.size(); ++r) {
            const auto& row = s.rows[r];
            out << row.name << ',' << name(row.state);
            for (const auto& value : s.values[r])
                out << ',' << field(plain(value));
            if (!s.limits.empty())
                out << ',' << (!s.in_limits[r] ? "" : *s.in_limits[r] ? "1" : "0");
            for (const auto& name : s.names) {
                const auto at = row.results.find(name);
                out << ',' << (at == row.results.end() ? std::string() : exact(at->second));
            }
            out << ',' << (row.seconds > 0 ? exact(row.seconds) : std::string()) << ','
                << field(row.reason) << '\n';
        }
    });
}

/// The first path whose values are numbers, two at least; -1: there is none.
int axis_of(const Sheet& s)
{
    for (std::size_t p = 0; p < s.paths.size(); ++p) {
        if (s.paths[p] == member_path) // numbers that name
            continue;
        std::set<double> distinct;
        bool all = true;
        for (const auto& values : s.values) {
            const auto v = Json::parse(values[p].empty() ? "null" : values[p], nullptr, false);
            all = all && v.is_number();
            if (v.is_number())
                distinct.insert(v.get<double>());
        }
        if (all && distinct.size() > 1)
            return static_cast<int>(p);
    }
    return -1;
}

/// A path's last two parts, which mostly say what it is.
std::string tail(const std::string& path)
{
    const auto last = path.rfind('.');
    const auto before = last == std::string::npos || last == 0 ? last : path.rfind('.', last - 1);
    return before == std::string::npos ? path : path.substr(before + 1);
}

/// A path as the title of an axis.
std::string axis_title(const std::string& path)
{
    return path == "doses.times_cmax"         ? "concentration / C_max"
           : path == "doses.concentration_nM" ? "concentration [nM]"
                                              : path;
}

/// The other settings of a run, as a curve is named by them.
std::string others(const Sheet& s, std::size_t run, std::size_t axis)
{
    std::string out;
    for (std::size_t p = 0; p < s.paths.size(); ++p)
        if (p != axis && !s.values[run][p].empty())
            out += (out.empty() ? "" : ", ") +
                   (s.paths[p] == drug_path ? "" : tail(s.paths[p]) + " ") +
                   plain(s.values[run][p]);
    return out;
}

/// A result over an axis, a curve for each combination of what else differs.
std::string chart(const Sheet& s, std::size_t axis, const std::string& result)
{
    NamedCurves curves;
    for (std::size_t r = 0; r < s.rows.size(); ++r)
        if (const auto at = s.rows[r].results.find(result);
            at != s.rows[r].results.end() && std::isfinite(at->second))
            curves[others(s, r, axis)].emplace_back(Json::parse(s.values[r][axis]).get<double>(),
                                                    at->second);
    return curve_chart(curves, axis_title(s.paths[axis]));
}

/// Results that pictures are made of, where runs have them.
struct Pictured
{
    const char *result, *title;
};
constexpr std::array<Pictured, 4> pictured{
    {{"last_activation_ms", "Last activation [ms]"},
     {"apd90_ms.median", "APD90, median [ms]"},
     {"conduction_velocity_m_per_s.median", "Velocity, median [m/s]"},
     {"ecg.beats.last.qrs_ms", "QRS of the last beat [ms]"}}};

/// What is pictured of a population: what its limits are of, then the same as of others, where runs
/// have it.
std::vector<std::pair<std::string, std::string>> told_of_population(const Sheet& s)
{
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&](const std::string& result, const std::string& title) {
        if (std::find(s.names.begin(), s.names.end(), result) != s.names.end() &&
            std::none_of(out.begin(), out.end(), [&](const auto& o) { return o.first == result; }))
            out.emplace_back(result, title);
    };
    for (const auto& l : s.limits) {
        const auto known = std::find_if(pictured.begin(), pictured.end(),
                                        [&](const auto& p) { return l.result == p.result; });
        add(l.result, known != pictured.end() ? known->title : l.result);
    }
    for (const auto& p : pictured)
        add(p.result, p.title);
    add("restitution.slope", "Largest slope of restitution");
    return out;
}

void write_page(const Ledger& ledger, const Sheet& s, const std::filesystem::path& folder)
{
    ReportPage page;
    page.title = ledger.study_name();
    std::array<std::size_t, 4> count{};
    double wall = 0;
    for (const auto& row : s.rows)
        ++count[static_cast<std::size_t>(row.state)], wall += row.seconds;
    page.subtitle = std::to_string(s.rows.size()) + " runs of one session";
    page.key = {{std::to_string(count[2]), "done", rounded(wall) + " s of runs in all"},
                {std::to_string(count[3]), "failed", ""},
                {std::to_string(count[0] + count[1]), "to come", ""}};
    auto charts = pictured;
    if (std::find(s.paths.begin(), s.paths.end(), drug_path) != s.paths.end())
        std::stable_partition(charts.begin(), charts.end(), [](const Pictured& p) {
            return std::string_view(p.result) == "apd90_ms.median"; // what doses are for
        });
    if (const int axis = axis_of(s); axis >= 0)
        for (const auto& p : charts)
            if (auto svg = chart(s, static_cast<std::size_t>(axis), p.result); !svg.empty())
                page.sections.push_back({p.title, std::move(svg), {}});
    std::vector<Pictured> shown;
    std::copy_if(pictured.begin(), pictured.end(), std::back_inserter(shown), [&](const auto& p) {
        return std::find(s.names.begin(), s.names.end(), p.result) != s.names.end();
    });
    ReportPage::Table table{"Runs", {"run", "state"}, {}, "All numbers are in results.csv."};
    for (const auto& path : s.paths)
        table.head.push_back(tail(path));
    for (const auto& p : shown)
        table.head.emplace_back(p.title);
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
        const auto& row = s.rows[r];
        std::vector<std::string> cells{row.name, name(row.state)};
        for (const auto& value : s.values[r])
            cells.push_back(plain(value));
        for (const auto& p : shown) {
            const auto at = row.results.find(p.result);
            cells.push_back(at == row.results.end() ? "" : rounded(at->second));
        }
        table.rows.push_back(std::move(cells));
        if (row.state == State::failed)
            page.remarks.push_back({Notice::Level::warning, row.name + " failed: " + row.reason});
    }
    if (const auto sites = searched_sites(ledger, folder, page.remarks); !sites.empty()) {
        write_induction_csv(sites, s.paths, folder / "induction.csv");
        add_sites(sites, page);
    }
    if (const auto measured = measured_runs(ledger, folder, page.remarks); !measured.empty()) {
        write_restitution_csv(measured, s.paths, folder / "restitution.csv");
        add_restitution(measured, page);
    }
    if (!s.members.empty())
        add_population(s.members, s.in_limits, s.limits, told_of_population(s), page);
    page.wide.push_back(std::move(table));
    write_whole(folder / "report.html", [&](std::ostream& out) { out << to_html(page); });
}

} // namespace

Results results_of(const std::string& report_json)
{
    Results out;
    const auto report = Json::parse(report_json);
    for (const char* part : compared)
        if (report.contains(part))
            add_numbers(part, report[part], out);
    return out;
}

void write_results(const Ledger& ledger, const std::filesystem::path& folder)
{
    const auto s = sheet_of(ledger);
    const OutputFolder own(folder); // links in it are replaced
    std::error_code none;
    std::filesystem::remove(folder / "results.csv.provenance.json", none); // of the table before
    write_csv(s, folder / "results.csv");
    auto by = Json::parse(program_provenance());
    by["study"] = (folder / "study.sqlite").string();
    simulation::write_provenance_beside(folder / "results.csv",
                                        by.dump(-1, ' ', false, Json::error_handler_t::replace));
    write_page(ledger, s, folder);
}

} // namespace tawara::study
