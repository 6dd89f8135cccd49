// SPDX-License-Identifier: GPL-3.0-or-later
// The table as text, as JSON and as a page.
#include "engine/core/error.hpp"
#include "engine/core/machine.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/curve_chart.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/verify.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

namespace tawara::verify {
namespace {

using Json = nlohmann::ordered_json;
using simulation::ReportPage;

constexpr const char* json_name = "verify.json";
constexpr const char* page_name = "verify.html";

Json known(double x)
{
    return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::string with_unit(double x, const std::string& unit)
{
    return unit.empty() || !std::isfinite(x) ? number(x) : number(x) + " " + unit;
}

std::string seconds_text(double s)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", s);
    return text;
}

Json row_json(const Row& r)
{
    Json j = Json::object();
    j["id"] = r.id;
    j["group"] = r.group;
    j["check"] = r.check;
    j["verdict"] = name(r.verdict);
    j["what"] = r.what;
    j["requirement"] = r.requirement;
    if (!r.source.empty())
        j["source"] = r.source;
    j["least"] = known(r.bound.least);
    j["most"] = known(r.bound.most);
    j["figure"] = known(r.figure);
    j["unit"] = r.unit;
    if (!r.reason.empty())
        j["reason"] = r.reason;
    j["seconds"] = r.seconds;
    if (!r.charts.empty())
        j["charts"] = Json::array();
    for (const auto& c : r.charts) {
        Json chart{{"title", c.title}, {"x", c.x_title}, {"y", c.y_title}};
        chart["curves"] = Json::object();
        for (const auto& [curve, points] : c.curves)
            for (const auto& [x, y] : points)
                chart["curves"][curve].push_back({known(x), known(y)});
        j["charts"].push_back(std::move(chart));
    }
    return j;
}

/// Rows of one group as a table of the page.
ReportPage::Table group_table(const Table& t, const std::string& group)
{
    ReportPage::Table out;
    out.title = group;
    out.head = {"row", "what was measured", "figure", "required", "", "time"};
    for (const auto& r : t.rows)
        if (r.group == group)
            out.rows.push_back(
                {r.id.substr(group.size() + 1),
                 r.what + (r.requirement.empty() ? "" : " – " + r.requirement) +
                     (r.source.empty() ? "" : " (" + r.source + ")") +
                     (r.reason.empty() ? "" : " – " + name(r.verdict) + ": " + r.reason),
                 with_unit(r.figure, r.unit), text(r.bound, r.unit),
                 r.verdict == Verdict::missed ? "MISSED" : name(r.verdict),
                 seconds_text(r.seconds)});
    return out;
}

} // namespace

std::string line(const Row& r)
{
    char text_of[400];
    if (r.verdict == Verdict::skipped || !std::isfinite(r.figure))
        std::snprintf(text_of, sizeof text_of, "%-7s  %-41s  %s", name(r.verdict).c_str(),
                      r.id.c_str(), r.reason.empty() ? "no figure" : r.reason.c_str());
    else
        std::snprintf(text_of, sizeof text_of, "%-7s  %-41s  %-12s  %-20s  %8s",
                      name(r.verdict).c_str(), r.id.c_str(), with_unit(r.figure, r.unit).c_str(),
                      text(r.bound, r.unit).c_str(), seconds_text(r.seconds).c_str());
    return text_of;
}

namespace {

/// What of the table was made: a part of it is no verification of all.
std::string form(const Settings& s)
{
    std::string out = s.short_form ? "short form" : "whole table";
    if (!s.only.empty())
        out = "of the " + out + " only";
    for (const auto& name : s.only)
        out += " " + name;
    return out;
}

/// The devices that there are.
std::vector<std::string> machine()
{
    std::vector<std::string> out;
    for (const auto& d : device::devices())
        if (d.usable)
            out.push_back(d.id == "cpu" ? d.name + ", " + processor_name() : d.name);
    return out;
}

} // namespace

std::string summary(const Table& t)
{
    char text_of[160];
    std::snprintf(text_of, sizeof text_of, "%zu passed, %zu missed, %zu skipped in %.0f s%s",
                  t.count(Verdict::passed), t.count(Verdict::missed), t.count(Verdict::skipped),
                  t.seconds, t.stopped ? "; stopped before the end" : "");
    return text_of;
}

std::string json(const Table& t)
{
    Json j = Json::object();
    j["program"] = "tawara";
    j["version"] = program_version();
    j["built_from"] = program_commit().empty() ? Json(nullptr) : Json(program_commit());
    j["begun"] = t.begun;
    j["form"] = t.settings.short_form ? "short" : "whole";
    if (!t.settings.only.empty())
        j["only"] = t.settings.only;
    j["machine"] = machine();
    j["devices"] = t.settings.devices.text();
    j["stopped"] = t.stopped;
    for (const auto v : {Verdict::passed, Verdict::missed, Verdict::skipped})
        j[name(v)] = t.count(v);
    j["seconds"] = t.seconds;
    j["rows"] = Json::array();
    for (const auto& r : t.rows)
        j["rows"].push_back(row_json(r));
    return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string page(const Table& t)
{
    ReportPage p;
    p.title = "Verification";
    p.subtitle = program_text() + ", " + t.begun + ", " + form(t.settings) + ", " + summary(t);
    for (const auto& name : machine())
        p.subtitle += "; " + name;
    for (const auto v : {Verdict::passed, Verdict::missed, Verdict::skipped})
        p.key.push_back({std::to_string(t.count(v)), name(v), ""});
    if (t.settings.short_form)
        p.remarks.push_back({Notice::Level::info,
                             "The short form leaves out rows of the whole table, and among them "
                             "those that the program is known to miss (tests/bench/FIGURES.md)."});
    std::vector<std::string> groups;
    for (const auto& r : t.rows) {
        if (groups.empty() || groups.back() != r.group)
            groups.push_back(r.group);
        if (r.verdict == Verdict::missed)
            p.remarks.push_back(
                {Notice::Level::warning, "missed: " + r.id + ", " + with_unit(r.figure, r.unit) +
                                             ", " + text(r.bound, r.unit) + " is required" +
                                             (r.reason.empty() ? "" : " (" + r.reason + ")")});
        for (const auto& c : r.charts)
            if (auto svg = simulation::curve_chart(c.curves, c.x_title, c.y_title); !svg.empty())
                p.sections.push_back({c.title, std::move(svg), {}});
    }
    for (const auto& g : groups)
        p.wide.push_back(group_table(t, g));
    p.foot = "Written by tawara-cli verify. Each row has a requirement and the figure that this "
             "program reached on this machine. In brackets is the paper, the program or the "
             "formula that the requirement is of.";
    return simulation::to_html(p);
}

void need_place(const std::filesystem::path& folder)
{
    need_writable_folder(folder);
    std::error_code none;
    for (const char* name : {json_name, page_name}) {
        if (std::filesystem::is_directory(folder / name, none))
            throw InputError((folder / name).string(),
                             "is a folder, and the table is written to a file of that name; move "
                             "it, or choose another folder");
        need_writable_file(folder / name);
    }
}

void write(const Table& t, const std::filesystem::path& folder)
{
    write_whole(folder / json_name, [&](std::ostream& o) { o << json(t) << "\n"; });
    write_whole(folder / page_name, [&](std::ostream& o) { o << page(t); });
}

} // namespace tawara::verify
