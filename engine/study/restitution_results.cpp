// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/restitution_results.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/curve_chart.hpp"
#include "engine/study/done_runs.hpp"
#include "engine/study/record_text.hpp"
#include "engine/study/restitution.hpp"
#include "engine/study/table_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace tawara::study {
namespace {

using simulation::curve_chart;
using simulation::NamedCurves;

/// An exact number, or nothing where it is not known.
std::string exact_or_empty(double x)
{
    return std::isfinite(x) ? exact(x) : std::string();
}

std::string rounded_or_empty(double x)
{
    return std::isfinite(x) ? rounded(x) : std::string();
}

/// A path's last part and its value; of the protocol the value alone.
std::string title_of(std::span<const std::string> paths, const std::vector<std::string>& values)
{
    std::string out;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        if (values[k].empty())
            continue;
        const auto last = paths[k].rfind('.');
        const auto key = last == std::string::npos ? paths[k] : paths[k].substr(last + 1);
        out += (out.empty() ? "" : ", ") + (paths[k] == protocol_path ? "" : key + " ") +
               plain(values[k]);
    }
    return out;
}

} // namespace

std::vector<MeasuredRun> measured_runs(const Ledger& ledger, const std::filesystem::path& folder,
                                       Notices& left_out)
{
    const auto paths = ledger.paths();
    std::vector<MeasuredRun> out;
    for (auto& run : done_runs(ledger, folder, protocol_path)) {
        MeasuredRun m;
        try {
            use_of_record(run.report, "this is no report of restitution",
                          [&](const nlohmann::ordered_json& report) {
                              for (const auto& b : report.at("restitution_beats"))
                                  m.beats.push_back(restitution_beat(b));
                          });
        } catch (const InputError& e) { // the others are as good as before
            left_out.push_back({Notice::Level::warning, run.name + " is left out: " + e.what()});
            continue;
        }
        m.run = std::move(run.name);
        m.values = std::move(run.values);
        m.title = title_of(paths, m.values);
        out.push_back(std::move(m));
    }
    return out;
}

void write_restitution_csv(std::span<const MeasuredRun> runs, std::span<const std::string> paths,
                           const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& out) {
        out << "run";
        for (const auto& path : paths)
            out << ',' << field(path);
        out << ",interval_ms,beat,probe,captured,diastolic_ms,apd90_ms,apd50_ms,delay_ms,"
               "velocity_m_per_s,first_diastolic_ms\n";
        for (const auto& r : runs)
            for (const auto& b : r.beats) {
                out << r.run;
                for (const auto& value : r.values)
                    out << ',' << field(plain(value));
                out << ',' << exact(b.interval_ms) << ',' << b.beat << ',' << field(b.probe) << ','
                    << (b.captured ? 1 : 0);
                for (const double x : {b.diastolic_ms, b.apd90_ms, b.apd50_ms, b.delay_ms,
                                       b.velocity_m_per_s, b.first_diastolic_ms})
                    out << ',' << exact_or_empty(x);
                out << '\n';
            }
    });
}

void add_restitution(std::span<const MeasuredRun> runs, simulation::ReportPage& page)
{
    NamedCurves apd, velocity;
    simulation::ReportPage::Table table{
        "Restitution",
        {"curve", "probe", "beats", "shortest interval [ms]", "block at [ms]", "largest slope",
         "at DI [ms]", "slope 1 at DI [ms]", "velocity's slope [m/s per 100 ms]", "alternans [ms]"},
        {},
        "DI is the diastolic interval. Slopes are of lines through windows of 40 ms. All beats are "
        "in restitution.csv."};
    for (const auto& r : runs)
        for (const auto& beats : by_probe(r.beats)) {
            const auto& probe = beats.front().probe;
            const auto title = r.title + ", " + probe;
            const auto s = summary_of(beats, probe);
            if (auto c = apd_curve(beats, probe); !c.empty())
                apd[title] = std::move(c);
            if (auto c = velocity_curve(beats, probe); !c.empty())
                velocity[title] = std::move(c);
            table.rows.push_back(
                {r.title, probe,
                 std::to_string(s.beats) + " of " + std::to_string(s.beats + s.lost),
                 rounded_or_empty(s.shortest_ms), rounded_or_empty(s.block_ms),
                 rounded_or_empty(s.slope), rounded_or_empty(s.slope_at_ms),
                 rounded_or_empty(s.slope_1_ms), rounded_or_empty(s.velocity_slope),
                 rounded_or_empty(s.alternans_ms)});
        }
    if (auto svg = curve_chart(apd, "diastolic interval [ms]"); !svg.empty())
        page.sections.push_back({"APD90 by diastolic interval [ms]", std::move(svg), {}});
    if (auto svg = curve_chart(velocity, "diastolic interval at the first probe [ms]");
        !svg.empty())
        page.sections.push_back({"Velocity by diastolic interval [m/s]", std::move(svg), {}});
    page.wide.push_back(std::move(table));
}

} // namespace tawara::study
