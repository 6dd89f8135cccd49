// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/report_page.hpp"

#include "engine/mesh/measure.hpp"
#include "engine/simulation/csv.hpp"
#include "engine/simulation/report.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace tawara::simulation {
namespace {

using Row = std::vector<std::string>;

std::string count_text(std::int64_t n)
{
    std::string digits = std::to_string(n), out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            out += "\u202f"; // narrow space
        out += digits[i];
    }
    return out;
}

std::string with(double x, int digits, const char* unit)
{
    return std::isfinite(x) ? number_text(x, digits) + " " + unit : "–";
}

std::string range_text(const std::array<double, 3>& p, int digits, const char* unit)
{
    if (!std::isfinite(p[1]))
        return "–";
    return number_text(p[1], digits) + " " + unit + " (" + number_text(p[0], digits) + " to " +
           number_text(p[2], digits) + ")";
}

/// 5th, 50th and 95th percentile of the finite values; NaN without any.
std::array<double, 3> percentiles(std::vector<double> x)
{
    std::erase_if(x, [](double v) { return !std::isfinite(v); });
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 3> out{none, none, none};
    if (x.empty())
        return out;
    std::sort(x.begin(), x.end());
    const double at[] = {0.05, 0.5, 0.95};
    for (std::size_t k = 0; k < 3; ++k)
        out[k] = x[static_cast<std::size_t>(at[k] * static_cast<double>(x.size() - 1))];
    return out;
}

ReportPage::Table results(const ExportSource& s)
{
    ReportPage::Table t{"Results", {}, {}};
    t.rows.push_back({"Simulated", with(s.time_ms, 6, "ms")});
    const auto n = s.maps.activation_ms.size();
    double first = std::numeric_limits<double>::infinity(), last = -first;
    std::int64_t activated = 0;
    for (double a : s.maps.activation_ms)
        if (std::isfinite(a)) {
            ++activated;
            first = std::min(first, a);
            last = std::max(last, a);
        }
    if (n == 0)
        return t;
    t.rows.push_back(
        {"Activated",
         count_text(activated) + " of " + count_text(static_cast<std::int64_t>(n)) + " (" +
             number_text(100.0 * static_cast<double>(activated) / static_cast<double>(n), 4) +
             " %)"});
    if (activated > 0) {
        t.rows.push_back({"First, last activation",
                          number_text(first, 5) + ", " + number_text(last, 5) + " ms"});
        t.rows.push_back(
            {"Conduction velocity, median (5 to 95 %)",
             range_text(conduction_velocity(*s.scene->mesh, s.on_vertices, s.maps.activation_ms), 3,
                        "mm/ms")});
    }
    std::vector<double> apd(n);
    for (std::size_t u = 0; u < n; ++u)
        apd[u] = s.maps.apd90(u);
    t.rows.push_back(
        {"APD90, median (5 to 95 %)", range_text(percentiles(std::move(apd)), 4, "ms")});
    for (const auto& trace : s.traces)
        if (!trace.V_mV.empty()) {
            const auto [low, high] = std::minmax_element(trace.V_mV.begin(), trace.V_mV.end());
            t.rows.push_back(
                {"V at " + trace.name, number_text(static_cast<double>(*low), 4) + " to " +
                                           number_text(static_cast<double>(*high), 4) + " mV"});
        }
    return t;
}

std::string model_text(const Region& r)
{
    std::string out = r.inherits() ? "as beneath" : r.model;
    if (!r.variant.empty())
        out += ", " + r.variant;
    if (!r.inherits()) {
        const auto& c = r.conductivity_S_per_m;
        out += "; " + number_text(c.fibre, 4) + ", " + number_text(c.sheet, 4) + ", " +
               number_text(c.normal, 4) + " S/m";
    }
    if (r.conductivity_scale != 1)
        out += "; conductivities × " + number_text(r.conductivity_scale, 4);
    for (const auto& [name, value] : r.parameters)
        out += "; " + name + " = " + number_text(value, 5);
    for (const auto& [name, value] : r.scale)
        out += "; " + name + " × " + number_text(value, 4);
    return out;
}

std::string region_name(const Region& r)
{
    if (!r.name.empty())
        return r.name;
    if (r.where)
        return r.kind.empty() ? "region" : r.kind;
    if (r.labels.empty())
        return "all tissue";
    std::string out = "label";
    for (auto l : r.labels)
        out += " " + std::to_string(l);
    return out;
}

std::string stimulus_text(const Stimulus& s)
{
    if (!s.on)
        return "off";
    std::string out = number_text(s.amplitude_pA_per_pF, 4) + " pA/pF for " +
                      number_text(s.duration_ms, 4) + " ms from " + number_text(s.start_ms, 6) +
                      " ms";
    if (s.protocol)
        switch (s.protocol->kind) {
        case Protocol::Kind::single:
            break;
        case Protocol::Kind::train:
            out += ", train every " + number_text(s.protocol->cycle_ms, 5) + " ms";
            break;
        case Protocol::Kind::s1s2:
            out += ", S1 every " + number_text(s.protocol->cycle_ms, 5) + " ms";
            for (std::size_t k = 0; k < s.protocol->extra_ms.size(); ++k)
                out += ", S" + std::to_string(k + 2) + " after " +
                       number_text(s.protocol->extra_ms[k], 5) + " ms";
            break;
        case Protocol::Kind::burst:
            out += ", burst every " + number_text(s.protocol->cycle_ms, 5) + " ms";
            break;
        }
    else if (s.period_ms > 0)
        out += ", every " + number_text(s.period_ms, 5) + " ms";
    return out;
}

ReportPage::Table tissue(const ExportSource& s)
{
    const auto& session = s.scene->session;
    ReportPage::Table t{"Tissue and pacing", {}, {}};
    for (const auto& r : session.regions)
        t.rows.push_back({region_name(r), model_text(r)});
    for (const auto& d : session.drugs) {
        std::string text;
        for (const auto& [name, factor] : d.factors)
            text += (text.empty() ? "" : ", ") + name + " × " + number_text(factor, 4);
        t.rows.push_back({"Drug: " + d.name, text});
    }
    for (const auto& x : session.stimuli)
        t.rows.push_back({x.name.empty() ? "stimulus" : x.name, stimulus_text(x)});
    return t;
}

ReportPage::Table numerics(const ExportSource& s)
{
    const auto& session = s.scene->session;
    const auto& m = *s.scene->mesh;
    double volume = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        volume += m.volume(t);
    const double edge = mesh::mean_edge_mm(m);
    ReportPage::Table t{"Mesh and numerics", {}, {}};
    t.rows = {
        {"Mesh", s.scene->title},
        {"Vertices, tetrahedra", count_text(static_cast<std::int64_t>(m.vertex_count())) + ", " +
                                     count_text(static_cast<std::int64_t>(m.tetrahedron_count()))},
        {"Volume, mean edge", with(volume, 5, "mm³") + ", " + with(edge, 3, "mm")},
        {"Diffusion", std::string(diffusion::name(session.scheme)) +
                          (session.splitting == Splitting::strang ? ", Strang" : ", Godunov") +
                          (s.scene->substeps.empty() ? "" : "; " + s.scene->substeps)},
        {"Reaction", std::string(cell::name(session.reaction))},
        {"Time step", with(s.scene->dt_ms, 6, "ms")},
        {"Surface to volume, capacitance", with(session.surface_to_volume_per_mm, 5, "/mm") + ", " +
                                               with(session.capacitance_uF_per_cm2, 4, "µF/cm²")}};
    return t;
}

ReportPage::Table speed(const ExportSource& s)
{
    ReportPage::Table t{"Performance", {}, {}};
    t.rows.push_back({"Device", s.scene->device});
    if (s.wall_s > 0 && s.steps > 0) {
        const double steps = static_cast<double>(s.steps);
        t.rows.push_back({"Steps, wall time", count_text(s.steps) + ", " + with(s.wall_s, 4, "s")});
        t.rows.push_back({"Slower than real time",
                          number_text(s.wall_s * 1e3 / (steps * s.scene->dt_ms), 3) + " times"});
        t.rows.push_back(
            {"Cell-steps per second",
             number_text(steps * static_cast<double>(s.scene->unknowns) / s.wall_s / 1e6, 4) +
                 " million"});
    }
    return t;
}

ReportPage::Table kernels(const ExportSource& s)
{
    ReportPage::Table t{
        "Kernels",
        {"kernel", "device", "calls", "ms a call", "GB/s", "GFLOP/s", "of its ceiling", "bound by"},
        {}};
    for (const auto& k : s.kernels) {
        if (k.calls == 0 || !(k.ms > 0))
            continue;
        t.rows.push_back({k.name, k.device, count_text(k.calls),
                          number_text(k.ms / static_cast<double>(k.calls), 3),
                          number_text(k.bytes / k.ms / 1e6, 4),
                          number_text(k.flops / k.ms / 1e6, 4),
                          k.fraction > 0 ? number_text(100 * k.fraction, 3) + " %" : "–",
                          k.bound_by.empty() ? "–" : k.bound_by});
    }
    return t;
}

ReportPage::Table electrocardiogram(const ExportSource& s)
{
    ReportPage::Table t{"Electrocardiogram", {"lead", "lowest mV", "highest mV", "at ms"}, {}};
    for (std::size_t l = 0; l < s.ecg.leads.size() && l < s.ecg.mV.size(); ++l) {
        const auto& v = s.ecg.mV[l];
        if (v.empty())
            continue;
        const auto [low, high] = std::minmax_element(v.begin(), v.end());
        const auto& peak = std::fabs(*low) > std::fabs(*high) ? low : high;
        t.rows.push_back(
            {s.ecg.leads[l], number_text(static_cast<double>(*low), 3),
             number_text(static_cast<double>(*high), 3),
             number_text(s.ecg.time_ms[static_cast<std::size_t>(peak - v.begin())], 5)});
    }
    return t;
}

std::string now_text()
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

} // namespace

ReportPage report_page(const ExportSource& s)
{
    ReportPage p;
    p.title = s.scene->session.name.empty() ? s.scene->title : s.scene->session.name;
    p.subtitle = s.scene->title + " · " + now_text();
    p.figures = {results(s), speed(s)};
    p.settings = {numerics(s), tissue(s)};
    for (auto t : {electrocardiogram(s), kernels(s)})
        if (!t.rows.empty())
            p.wide.push_back(std::move(t));
    for (const auto& n : s.scene->notices)
        if (n.level == Notice::Level::warning)
            p.remarks.push_back(n.text);
    p.foot = "Tawara " + program_version() + " · for research; not a medical device";
    return p;
}

} // namespace tawara::simulation
