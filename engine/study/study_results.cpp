// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/study_results.hpp"

#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/drawing.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/study/induction_results.hpp"
#include "engine/study/table_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;
using simulation::Drawing;
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

std::string rounded(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.5g", x);
    return text;
}

/// What was asked for and what came of it, run by run.
struct Sheet
{
    std::vector<std::string> paths, names;
    std::vector<LedgerRow> rows;
    std::vector<std::vector<std::string>> values; ///< [run][path] JSON, or empty
};

Sheet sheet_of(const Ledger& ledger)
{
    Sheet s;
    s.paths = ledger.paths();
    s.rows = ledger.rows();
    std::set<std::string> names;
    for (const auto& row : s.rows) {
        const PlannedRun run{row.number, row.name, ledger.settings(row.number)};
        auto& values = s.values.emplace_back();
        for (const auto& path : s.paths)
            values.push_back(setting_of(run, path));
        for (const auto& [name, value] : row.results)
            names.insert(name);
    }
    s.names.assign(names.begin(), names.end());
    return s;
}

void write_csv(const Sheet& s, const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        out << "run,state";
        for (const auto& path : s.paths)
            out << ',' << field(path);
        for (const auto& name : s.names)
            out << ',' << field(name);
        out << ",wall_s,reason\n";
        for (std::size_t r = 0; r < s.rows.size(); ++r) {
            const auto& row = s.rows[r];
            out << row.name << ',' << name(row.state);
            for (const auto& value : s.values[r])
                out << ',' << field(plain(value));
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

/// The other settings of a run, as a curve is named by them.
std::string others(const Sheet& s, std::size_t run, std::size_t axis)
{
    std::string out;
    for (std::size_t p = 0; p < s.paths.size(); ++p)
        if (p != axis && !s.values[run][p].empty())
            out += (out.empty() ? "" : ", ") + s.paths[p] + " " + plain(s.values[run][p]);
    return out;
}

using Curve = std::vector<std::pair<double, double>>;

/// A result over an axis, a curve for each combination of what else differs.
std::string chart(const Sheet& s, std::size_t axis, const std::string& result)
{
    std::map<std::string, Curve> curves;
    double x0 = INFINITY, x1 = -x0, y0 = x0, y1 = x1;
    for (std::size_t r = 0; r < s.rows.size(); ++r)
        if (const auto at = s.rows[r].results.find(result);
            at != s.rows[r].results.end() && std::isfinite(at->second)) {
            const double x = Json::parse(s.values[r][axis]).get<double>(), y = at->second;
            curves[others(s, r, axis)].emplace_back(x, y);
            x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
        }
    if (curves.empty() || x0 == x1)
        return {};
    if (y1 - y0 < 1e-9 * std::max(1.0, std::abs(y1)))
        y0 -= 0.5 * std::max(1.0, std::abs(y1)), y1 += 0.5 * std::max(1.0, std::abs(y1));
    constexpr int width = ReportPage::width, tall = 190, left = 70, right = 20, top = 12, foot = 34,
                  line = 14;
    constexpr std::size_t most_names = 12;
    const bool named = curves.size() > 1 && curves.size() <= most_names;
    const int bottom = top + tall;
    Drawing d(width, bottom + foot + (named ? line * static_cast<int>(curves.size()) : 0));
    const auto px = [&](double x) { return left + (width - left - right) * (x - x0) / (x1 - x0); };
    const auto py = [&](double y) { return bottom - (tall - 8) * (y - y0) / (y1 - y0) - 4; };
    const double dx = simulation::round_step(x1 - x0, 8), dy = simulation::round_step(y1 - y0, 5);
    for (double x = std::ceil(x0 / dx) * dx; x <= x1 + 1e-9 * dx; x += dx) {
        d.line(px(x), top, px(x), bottom, simulation::pale, 1);
        d.text(px(x), bottom + 13, rounded(x), "middle", simulation::grey);
    }
    for (double y = std::ceil(y0 / dy) * dy; y <= y1 + 1e-9 * dy; y += dy) {
        d.line(left, py(y), width - right, py(y), simulation::pale, 1);
        d.text(left - 6, py(y) + 3.5, rounded(y), "end", simulation::grey);
    }
    d.text((left + width - right) / 2.0, bottom + 28, s.paths[axis], "middle", simulation::grey);
    std::size_t k = 0;
    for (auto& [name, curve] : curves) {
        std::sort(curve.begin(), curve.end());
        const char* ink = simulation::inks[k % simulation::inks.size()];
        std::string path;
        for (const auto& [x, y] : curve) {
            path +=
                (path.empty() ? "M" : " L") + simulation::num(px(x)) + " " + simulation::num(py(y));
            d.dot(px(x), py(y), 3, ink, true);
        }
        d.path(path, ink, 1.2);
        if (named) {
            const double at = bottom + foot + line * static_cast<double>(k) + 6;
            d.dot(left, at, 3.5, ink, true);
            d.text(left + 8, at + 3.5, name, "start", simulation::black);
        }
        ++k;
    }
    return d.done();
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

/// A path's last two parts, which mostly say what it is.
std::string tail(const std::string& path)
{
    const auto last = path.rfind('.');
    const auto before = last == std::string::npos || last == 0 ? last : path.rfind('.', last - 1);
    return before == std::string::npos ? path : path.substr(before + 1);
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
    if (const int axis = axis_of(s); axis >= 0)
        for (const auto& p : pictured)
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
    if (const auto sites = searched_sites(ledger, folder); !sites.empty()) {
        write_induction_csv(sites, s.paths, folder / "induction.csv");
        add_sites(sites, page);
    }
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
    write_csv(s, folder / "results.csv");
    write_page(ledger, s, folder);
}

} // namespace tawara::study
