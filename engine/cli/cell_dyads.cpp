// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli cell run ohara_rudy_dyads_2011: one cell with stochastic dyads.
#include "engine/calcium/paced_cell.hpp"
#include "engine/cli/cell_run.hpp"
#include "engine/cli/cell_sparks.hpp"
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

using namespace tawara::calcium;

/// NaN and infinity as null.
Json number_or_null(double v)
{
    return std::isfinite(v) ? Json(v) : Json(nullptr);
}

std::string digits(double v)
{
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), v).ptr};
}

/// What is asked for and does not go with dyads.
void need_no_others(const CellRunArguments& a)
{
    const auto refuse = [](const std::string& option, const char* why) {
        throw InputError(option, std::string("does not go with ") + dyad_model + ": " + why);
    };
    if (a.scheme_given->count() > 0)
        refuse("--scheme", "it has steps of its own (Rush-Larsen gates, drawn channels)");
    if (a.tables->count() > 0)
        refuse("--tables", "it looks nothing up");
    if (a.until_steady)
        refuse("--until-steady", "its beats differ by chance");
    if (a.precision != "double" && a.precision != "mixed")
        throw InputError("--precision", "is '" + a.precision +
                                            "'; with dyads it should be double "
                                            "or mixed");
}

Protocol protocol_of(const CellRunArguments& a)
{
    Protocol p;
    if (a.bcl->count() > 0) {
        need_positive("--bcl", a.bcl_ms);
        p.period_ms = a.bcl_ms;
    }
    if (a.duration_given->count() > 0) {
        need_positive("--duration", a.duration_ms);
        p.duration_ms = a.duration_ms;
    }
    if (p.duration_ms > p.period_ms)
        throw InputError("--bcl", "is " + digits(p.period_ms) +
                                      " ms; it should be at least as long as the stimulus, " +
                                      digits(p.duration_ms) + " ms (--duration)");
    if (a.amplitude_given->count() > 0) {
        if (!std::isfinite(a.amplitude))
            throw InputError("--amplitude", "is " + digits(a.amplitude) +
                                                "; it should be a finite number of pA/pF");
        p.amplitude_pA_per_pF = a.amplitude;
    }
    if (a.beat_count->count() > 0) {
        if (a.beats < 1)
            throw InputError("--beats",
                             "is " + std::to_string(a.beats) + "; it should be at least 1");
        p.beats = a.beats;
    }
    if (!a.forced_ms.empty()) {
        p.forced_from_ms = a.forced_ms[0];
        p.forced_until_ms = a.forced_ms[1];
        if (!(p.forced_from_ms >= 0) || !(p.forced_until_ms > p.forced_from_ms))
            throw InputError("--force-open",
                             "needs a time from 0 and a later one, e.g. --force-open 50,150");
    }
    return p;
}

PacedCellOptions options_of(Context& c, const CellRunArguments& a)
{
    need_no_others(a);
    PacedCellOptions o;
    const Variant& variant = variant_named(a.variant);
    o.parameters = parameters_of(variant);
    o.protocol = protocol_of(a);
    o.parameters.refractory = 0.95 * o.protocol.period_ms;
    for (const auto& text : a.set) {
        const auto [name, value] = assignment("--set", text);
        set_parameter(o.parameters, name, value);
    }
    o.grid = grid_of(a.dyads);
    o.start = &start_named(a.start.empty() ? variant.start : a.start);
    o.mixed = a.precision == "mixed";
    o.seed = a.seed;
    if (a.dt_given->count() > 0)
        o.dt_ms = a.dt_ms;
    need_positive("--dt", o.dt_ms);
    o.end_ms = static_cast<double>(std::max(1L, o.protocol.beats)) * o.protocol.period_ms;
    if (a.until->count() > 0)
        o.end_ms = a.until_ms;
    need_positive("--until", o.end_ms);
    need_positive("--every", a.every_ms);
    o.sample_every_ms = a.every_ms;
    if (a.out.empty() && a.every->count() > 0)
        c.notice({Notice::Level::info,
                  "--every sets the interval of the traces; give --out TRACES.csv as well"});
    membrane_constants(o.parameters, o.grid, o.dt_ms); // says what is wrong with the grid, the step
    return o;
}

std::size_t bytes(const PacedCellOptions& o)
{
    return o.mixed ? bytes_of_cell<float>(o.grid) : bytes_of_cell<double>(o.grid);
}

Json beats_of(Context& c, const PacedCellResult& r)
{
    Json beats = Json::array();
    char line[320];
    for (const auto& b : r.calcium) {
        const auto ap =
            std::find_if(r.beats.begin(), r.beats.end(), [&](const cell::ActionPotential& x) {
                const auto* next = &b + 1;
                return x.activation_ms >= b.start_ms &&
                       (next == r.calcium.data() + r.calcium.size() ||
                        x.activation_ms < next->start_ms);
            });
        const double apd90 = ap == r.beats.end() ? NAN : ap->apd90_ms;
        beats.push_back({{"start_ms", b.start_ms},
                         {"apd90_ms", number_or_null(apd90)},
                         {"v_least_mV", number_or_null(b.v_least_mV)},
                         {"v_most_mV", number_or_null(b.v_most_mV)},
                         {"upstroke_mV_per_ms", b.upstroke_mV_per_ms},
                         {"c_myo_rest_uM", number_or_null(b.c_myo_rest_uM)},
                         {"c_myo_peak_uM", b.c_myo_peak_uM},
                         {"peak_after_ms", b.peak_after_ms},
                         {"c_jsr_most_mM", b.c_jsr_most_mM},
                         {"c_jsr_least_mM", number_or_null(b.c_jsr_least_mM)},
                         {"i_CaL_peak_uA_per_uF", b.i_CaL_peak},
                         {"release_uM", b.release_uM},
                         {"influx_uM", b.influx_uM},
                         {"active_percent", b.active_percent},
                         {"largest_c_d_uM", b.largest_c_d_uM}});
        const std::string apd90_words =
            std::isfinite(apd90) ? digits(std::round(10 * apd90) / 10) + " ms" : "not known";
        std::snprintf(line, sizeof line,
                      "from %8.2f ms: V %.1f to %.1f mV, APD90 %s; c_myo %.3f to %.3f uM after "
                      "%.1f ms, c_jsr %.2f to %.2f mM, I_CaL %.2f uA/uF, release %.1f uM, %.0f %% "
                      "of the dyads active",
                      b.start_ms, b.v_least_mV, b.v_most_mV, apd90_words.c_str(), b.c_myo_rest_uM,
                      b.c_myo_peak_uM, b.peak_after_ms, b.c_jsr_most_mM, b.c_jsr_least_mM,
                      b.i_CaL_peak, b.release_uM, b.active_percent);
        c.say(line);
    }
    return beats;
}

} // namespace

void declare_dyads(CLI::App& app, const std::shared_ptr<CellRunArguments>& a)
{
    const auto only = [&](CLI::Option* option) {
        a->of_dyads.push_back(option);
        option->group(std::string("Of ") + dyad_model);
        return option;
    };
    only(app.add_option("--dyads", a->dyads, "how many dyads, or along x, y, z"))
        ->delimiter(',')
        ->expected(1, 3)
        ->type_name("N|NX,NY,NZ")
        ->capture_default_str();
    only(app.add_option("--seed", a->seed, "of random numbers"))
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{4'294'967'295}))
        ->capture_default_str();
    only(app.add_option("--start", a->start, "state to begin with; cell info lists them"))
        ->type_name("NAME");
    only(app.add_option("--force-open", a->forced_ms, "all RyR are held open from, until [ms]"))
        ->delimiter(',')
        ->expected(2)
        ->type_name("FROM,UNTIL");
    only(
        app.add_option("--sparks", a->sparks, "calcium sparks, a row each (written while it runs)"))
        ->type_name("FILE.csv");
    only(app.add_option("--threads", a->threads, "threads of the CPU; 0: all"));
}

void run_dyad_cell(Context& c, const CellRunArguments& a)
{
    auto o = options_of(c, a);
    char text[160];
    std::snprintf(text, sizeof text, "%lld dyads take %.2f MB",
                  static_cast<long long>(o.grid.count()), static_cast<double>(bytes(o)) / 1e6);
    c.notice({Notice::Level::info, text});
    auto progress = c.progress();
    if (a.threads > 0)
        progress.context.threads = a.threads;
    const auto columns = trace_columns();
    std::vector<std::vector<double>> rows;
    PacedCellResult r;
    const auto run = [&] {
        r = run_paced_cell(o, progress, [&](const Sample& s) {
            if (a.out.empty())
                return;
            auto& row = rows.emplace_back(1, s.t_ms);
            for (const auto& column : columns)
                row.push_back(column.value(s));
        });
    };
    Json sparks;
    if (a.sparks.empty())
        run();
    else
        sparks = write_sparks(c, a.sparks, o, run);
    if (!a.out.empty())
        write_whole(a.out, [&](std::ostream& out) {
            out << "time_ms";
            for (const auto& column : columns)
                out << "," << column.name;
            for (const auto& row : rows)
                for (std::size_t k = 0; k < row.size(); ++k)
                    out << (k == 0 ? "\n" : ",") << digits(row[k]);
            out << "\n";
        });
    const double end_ms = static_cast<double>(r.steps) * o.dt_ms;
    Json j{{"model", dyad_model},
           {"variant", variant_named(a.variant).name},
           {"start", o.start->name},
           {"precision", a.precision},
           {"dyads", {o.grid.nx, o.grid.ny, o.grid.nz}},
           {"seed", o.seed},
           {"dt_ms", o.dt_ms},
           {"bcl_ms", o.protocol.period_ms},
           {"end_ms", o.end_ms},
           {"stopped_at_ms", r.stopped ? Json(end_ms) : Json(nullptr)},
           {"forced_ms", a.forced_ms.empty() ? Json(nullptr) : Json(a.forced_ms)},
           {"steps", r.steps},
           {"bytes", bytes(o)},
           {"instruction_set", instruction_set()}};
    j["set"] = Json::object();
    for (const auto& row : parameter_table())
        if (o.parameters.*row.value != Parameters{}.*row.value)
            j["set"][row.name] = o.parameters.*row.value;
    j["beats"] = beats_of(c, r);
    if (!a.sparks.empty()) {
        write_cell_provenance(a.sparks, j);
        j["sparks"] = sparks;
    }
    end_cell_run(c, j, a.out, rows.size(), r.stopped, end_ms, o.end_ms);
}

void info_dyad_cell(Context& c)
{
    Json j{{"name", dyad_model}, {"title", dyad_model_title}};
    j["parameters"] = Json::array();
    j["variants"] = Json::array();
    j["starts"] = Json::array();
    j["columns"] = Json::array();
    c.say(dyad_model_title);
    c.say("O'Hara et al. 2011, Gaur & Rudy 2011, Lan et al. 2015, Altanaite & Langguth 2018; the "
          "parameters come from a public code of the same family of models");
    char line[400];
    c.say("variants:");
    for (const auto& v : variants()) {
        j["variants"].push_back(v.name);
        std::snprintf(line, sizeof line, "  %-16s %s; begins with %s", v.name, v.what, v.start);
        c.say(line);
    }
    c.say("states to begin with (--start):");
    for (const auto& s : starts()) {
        j["starts"].push_back(s.name);
        std::snprintf(line, sizeof line, "  %-16s %s", s.name, s.what);
        c.say(line);
    }
    c.say("parameters (--set):");
    for (const auto& p : parameter_table()) {
        const double usual = Parameters{}.*p.value;
        j["parameters"].push_back(
            {{"name", p.name}, {"unit", p.unit}, {"value", usual}, {"description", p.what}});
        std::snprintf(line, sizeof line, "  %-20s %14.8g %-7s %s", p.name, usual, p.unit, p.what);
        c.say(line);
    }
    c.say("traces (--out):");
    for (const auto& column : trace_columns()) {
        j["columns"].push_back(column.name);
        c.say("  " + column.name);
    }
    c.result(j);
}

Json dyad_cell_in_list(Context& c)
{
    Json names = Json::array();
    std::string text;
    for (const auto& v : variants()) {
        names.push_back(v.name);
        text += (text.empty() ? "" : ", ") + std::string(v.name);
    }
    char line[400];
    std::snprintf(line, sizeof line, "%-26s %3d states  %s (variants: %s)", dyad_model,
                  CellState::count, dyad_model_title, text.c_str());
    c.say(
        line +
        std::string(
            "; 12 more for each of its dyads; in cell run, and of a region of tissue in sessions"));
    return {{"name", dyad_model},
            {"title", dyad_model_title},
            {"states", CellState::count},
            {"parameters", parameter_table().size()},
            {"variants", names},
            {"year", 2011},
            {"source", "O'Hara et al. 2011; Gaur & Rudy 2011"}};
}

} // namespace tawara::cli
