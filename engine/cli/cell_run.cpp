// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli cell run: one cell, paced.
#include "engine/cli/cell_run.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/cli/cell_command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

namespace compiler = cell::compiler;

constexpr double most_steady_beats = 2000; // of --until-steady without --beats

/// NaN as null.
Json value(double v)
{
    return std::isfinite(v) ? Json(v) : Json(nullptr);
}

/// The cell type that --variant and --set ask for; a name may be a parameter's or a state's, short
/// or component.variable.
cell::CellType cell_type(const CellRunArguments& a, const std::string& name,
                         const compiler::Model& model)
{
    std::vector<std::pair<std::string, double>> parameters, initial;
    const auto& m = model.info;
    const auto has = [](const auto& items, const std::string& key) {
        return std::any_of(items.begin(), items.end(),
                           [&](const auto& i) { return i.name == key || i.full_name == key; });
    };
    for (const auto& text : a.set) {
        const auto pair = assignment("--set", text);
        if (has(m.parameters, pair.first)) {
            parameters.push_back(pair);
        } else if (has(m.states, pair.first)) {
            initial.push_back(pair);
        } else {
            std::vector<std::string> known;
            for (const auto& p : m.parameters)
                known.push_back(p.name);
            for (const auto& s : m.states)
                known.push_back(s.name);
            throw InputError("--set " + text, "'" + pair.first + "' is no parameter or state of " +
                                                  m.name + hint(pair.first, known) +
                                                  "; tawara-cli cell info lists all");
        }
    }
    return a.model.type(model, name, a.variant, parameters, initial);
}

std::string csv(double v)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), v).ptr;
    return {text.data(), end};
}

void write_traces(const cell::ModelInfo& m, const cell::SingleCellResult& r,
                  const std::string& file)
{
    write_whole(file, [&](std::ostream& out) {
        out << "time_ms";
        for (const auto& s : m.states)
            out << "," << s.full_name;
        out << "\n";
        for (std::size_t k = 0; k < r.time_ms.size(); ++k) {
            out << csv(r.time_ms[k]);
            for (const auto& state : r.states)
                out << "," << csv(state[k]);
            out << "\n";
        }
    });
}

/// Who stimulates: without --bcl and an amplitude the file does, as it says; else pulses like the
/// file's, where it has any.
void choose_stimulus(Context& c, const CellRunArguments& a, const std::string& name,
                     cell::SingleCellOptions& o)
{
    const auto own = a.model.find(name, true);
    const auto pulse = compiler::own_stimulus(own->system);
    const bool outside = a.bcl->count() > 0 || a.amplitude_given->count() > 0;
    if (pulse) {
        o.stimulus_pA_per_pF = pulse->amplitude_pA_per_pF;
        o.stimulus_duration_ms = pulse->duration_ms;
        o.stimulus_period_ms = pulse->period_ms;
    }
    if (!outside) {
        if (a.duration_given->count() > 0)
            throw InputError("--duration", "applies to an external stimulus; give --bcl as well");
        if (pulse) {
            o.own_stimulus = true;
            o.stimulus_start_ms = pulse->start_ms;
        } else {
            o.stimulus_pA_per_pF = 0;
            o.stimulus_period_ms = 0;
            c.notice({Notice::Level::info, own->info.name + " has no stimulus of its own; give "
                                                            "--bcl to pace it"});
        }
    }
    if (a.bcl->count() > 0) {
        need_positive("--bcl", a.bcl_ms);
        o.stimulus_period_ms = a.bcl_ms;
    }
    if (a.amplitude_given->count() > 0) {
        if (!std::isfinite(a.amplitude))
            throw InputError("--amplitude",
                             "is " + csv(a.amplitude) + "; it should be a finite number of pA/pF");
        o.stimulus_pA_per_pF = a.amplitude;
    }
    if (a.duration_given->count() > 0) {
        need_positive("--duration", a.duration_ms);
        o.stimulus_duration_ms = a.duration_ms;
    }
    if (a.bcl->count() > 0 && o.stimulus_duration_ms > o.stimulus_period_ms)
        throw InputError("--bcl", "is " + csv(a.bcl_ms) +
                                      " ms; it should be at least as long as the stimulus, " +
                                      csv(o.stimulus_duration_ms) + " ms (--duration)");
    const auto model = o.own_stimulus ? own : a.model.find(name, false);
    o.type = cell_type(a, name, *model);
    if (o.own_stimulus)
        return;
    if (const auto left = compiler::stimulus_left_on(model->system, o.type.parameters);
        !left.empty())
        c.notice({Notice::Level::warning, left});
}

/// The scheme and the step. Those that are not given are the usual ones, or what the model's file
/// says is good for it.
void choose_step(Context& c, const CellRunArguments& a, const cell::ModelInfo& m,
                 cell::SingleCellOptions& o)
{
    using cell::Scheme;
    o.scheme = cell::scheme_by_name(a.scheme);
    need_positive("--dt", a.dt_ms);
    o.dt_ms = a.dt_ms;
    const bool chosen = a.scheme_given->count() > 0;
    if (!chosen && a.dt_given->count() == 0 && !m.largest_step_ms.empty())
        for (const Scheme s : {Scheme::rush_larsen_light, Scheme::rush_larsen, Scheme::grl1,
                               Scheme::grl2, Scheme::backward_euler})
            if (cell::largest_step(m, s) > 0) {
                o.scheme = s;
                break;
            }
    if (const double largest = cell::largest_step(m, o.scheme);
        a.dt_given->count() == 0 && largest > 0)
        o.dt_ms = std::min(usual_step_ms, largest);
    if (const auto advice = cell::step_advice(m, o.scheme, o.dt_ms); !advice.empty())
        c.notice({Notice::Level::warning, advice});
    else if (o.scheme != cell::scheme_by_name(a.scheme) || o.dt_ms != a.dt_ms)
        c.notice({Notice::Level::info,
                  m.name + ": stepped by " + std::string(cell::name(o.scheme)) + " with " +
                      csv(o.dt_ms) + " ms, as its file says; --scheme and --dt choose others"});
}

/// Options of the run; what is not given is the model's own.
cell::SingleCellOptions options_of(Context& c, const CellRunArguments& a, const std::string& name)
{
    cell::SingleCellOptions o;
    choose_step(c, a, a.model.find(name, false)->info, o);
    if (a.precision != "double" && a.precision != "single")
        throw InputError("--precision", "is '" + a.precision + "'; it should be double or single");
    o.single_precision = a.precision == "single";
    if (a.tables->count() > 0) {
        need_positive("--tables", a.tables_mV);
        o.table_step_mV = a.tables_mV;
    }
    choose_stimulus(c, a, name, o);
    const double beat = o.stimulus_period_ms > 0 ? o.stimulus_period_ms : 1000;
    o.end_ms = beat;
    if (a.beat_count->count() > 0) {
        if (a.beats < 1)
            throw InputError("--beats",
                             "is " + std::to_string(a.beats) + "; it should be at least 1");
        o.beats = a.beats;
        o.end_ms = o.stimulus_start_ms + static_cast<double>(a.beats) * beat;
    }
    o.until_steady = a.until_steady;
    if (o.until_steady && (o.own_stimulus || a.bcl->count() == 0))
        throw InputError("--until-steady", "applies to an external stimulus; give --bcl as well");
    if (o.until_steady && a.beat_count->count() == 0)
        o.end_ms = o.stimulus_start_ms + most_steady_beats * beat;
    if (a.until->count() > 0) {
        need_positive("--until", a.until_ms);
        if (o.beats > 0 && a.until_ms < o.end_ms)
            c.notice({Notice::Level::warning,
                      "--until holds: the run ends at " + simulation::number_text(a.until_ms, 9) +
                          " ms, before the end of --beats " + std::to_string(o.beats) + " (" +
                          simulation::number_text(o.end_ms, 9) + " ms)"});
        o.end_ms = a.until_ms;
    }
    need_positive("--every", a.every_ms);
    o.sample_every_ms = a.every_ms;
    if (o.scheme == cell::Scheme::cvode && a.every->count() == 0)
        o.sample_every_ms = o.dt_ms;
    if (a.out.empty() && a.every->count() > 0)
        c.notice({Notice::Level::info,
                  "--every sets the interval of the traces; give --out TRACES.csv as well"});
    const double steps = o.sample_every_ms / o.dt_ms, whole = std::max(1.0, std::round(steps));
    if (!a.out.empty() && std::abs(steps - whole) > 1e-6 * whole)
        c.notice({Notice::Level::warning, "rows of " + a.out + " come every " +
                                              simulation::number_text(whole * o.dt_ms, 6) +
                                              " ms, in whole steps of " +
                                              simulation::number_text(o.dt_ms, 6) + " ms, not " +
                                              simulation::number_text(o.sample_every_ms, 6)});
    return o;
}

/// What --set gave: names and values.
Json settings(const CellRunArguments& a)
{
    Json out = Json::object();
    for (const auto& text : a.set) {
        const auto [name, value] = assignment("--set", text);
        out[name] = value;
    }
    return out;
}

/// Of each beat whether V had not yet come back to APD90's level when it began: often the stimulus
/// only lifts the plateau of the beat before.
std::vector<bool> begun_early(const std::vector<cell::ActionPotential>& beats)
{
    std::vector<bool> early;
    double level_mV = 0; // of the last beat that began in time
    for (const auto& b : beats) {
        early.push_back(!early.empty() && b.rest_mV > level_mV);
        if (!early.back())
            level_mV = b.peak_mV - 0.9 * (b.peak_mV - b.rest_mV);
    }
    return early;
}

/// Of a run without action potentials: where V ends, and why that may be.
std::string no_beats(const cell::SingleCellOptions& o, const std::string& V, double V_mV,
                     double end_ms)
{
    std::string text = "no action potential by " + simulation::number_text(end_ms, 9) + " ms; " +
                       V + " ends at " + simulation::number_text(V_mV, 6) + " mV";
    if (o.stimulus_pA_per_pF < 0)
        text += std::string("; the stimulus") + (o.own_stimulus ? " of the file" : "") + " (" +
                simulation::number_text(o.stimulus_pA_per_pF, 6) +
                " pA/pF) hyperpolarises: it lowers V; " +
                (o.own_stimulus ? "give --bcl and a positive --amplitude"
                                : "give a positive --amplitude, which depolarises");
    return text;
}

/// Action potentials, for people and as JSON.
Json beats_of(Context& c, const cell::SingleCellResult& r)
{
    Json beats = Json::array();
    char line[200];
    const auto duration = [](double ms) { // a beat may be cut off by the end
        char text[24] = "not reached";
        if (std::isfinite(ms))
            std::snprintf(text, sizeof text, "%.1f ms", ms);
        return std::string(text);
    };
    const auto early = begun_early(r.beats);
    for (const auto& b : r.beats) {
        const bool begins_early = early[beats.size()];
        beats.push_back({{"activation_ms", value(b.activation_ms)},
                         {"upstroke_mV_per_ms", value(b.upstroke_mV_per_ms)},
                         {"rest_mV", value(b.rest_mV)},
                         {"peak_mV", value(b.peak_mV)},
                         {"apd30_ms", value(b.apd30_ms)},
                         {"apd50_ms", value(b.apd50_ms)},
                         {"apd90_ms", value(b.apd90_ms)},
                         {"begins_before_last_was_over", begins_early},
                         {"reaches_0_mV", b.peak_mV >= 0}});
        std::snprintf(line, sizeof line,
                      "beat at %9.2f ms: rest %.2f mV, peak %.2f mV, upstroke %.1f V/s, APD30 %s, "
                      "APD50 %s, APD90 %s",
                      b.activation_ms, b.rest_mV, b.peak_mV, b.upstroke_mV_per_ms,
                      duration(b.apd30_ms).c_str(), duration(b.apd50_ms).c_str(),
                      duration(b.apd90_ms).c_str());
        c.say(line +
              std::string(begins_early ? "; begins before the last one was over (APD90)" : "") +
              (b.peak_mV < 0 ? "; no full action potential: V stays below 0 mV" : ""));
    }
    return beats;
}

/// The model among the words; NAME=VALUE ones join --set's.
std::string model_of(const Context& c, CellRunArguments& a)
{
    std::string name;
    for (const auto& w : a.words)
        if (w.find('=') != std::string::npos)
            a.set.push_back(w);
        else if (name.empty())
            name = w;
        else
            throw InputError(w, "is one model too many; a run takes one");
    if (name.empty())
        throw InputError("tawara-cli cell run", "names no model; see tawara-cli cell list");
    if (!a.out.empty()) {
        need_writable_file(a.out);
        c.say_new_folder(a.out);
        std::error_code none;
        if (std::filesystem::equivalent(name, a.out, none))
            throw InputError("--out", a.out + " is the model's own file; give another name");
    }
    return name;
}

/// What was run, for --json.
Json run_of(const CellRunArguments& a, const std::string& name, const cell::SingleCellOptions& o,
            const cell::SingleCellResult& r)
{
    return {
        {"model", name},
        {"variant", a.variant},
        {"scheme", std::string(cell::name(o.scheme))},
        {"precision", a.precision},
        {"tables_mV", o.table_step_mV > 0 ? Json(o.table_step_mV) : Json(nullptr)},
        {"dt_ms", o.dt_ms},
        {"bcl_ms", o.stimulus_period_ms},
        {"stimulus", o.own_stimulus              ? "own"
                     : o.stimulus_pA_per_pF != 0 ? "pulses"
                                                 : "none"},
        {"stimulus_pA_per_pF", o.stimulus_pA_per_pF},
        {"stimulus_start_ms", o.stimulus_start_ms},
        {"stimulus_duration_ms", o.stimulus_duration_ms},
        {"set", settings(a)},
        {"end_ms", o.end_ms},
        {"until_steady", o.until_steady},
        {"stopped_at_ms", r.stopped ? Json(static_cast<double>(r.steps) * o.dt_ms) : Json(nullptr)},
        {"every_ms", o.sample_every_ms > 0 ? Json(o.sample_every_ms) : Json(nullptr)},
        {"steps", r.steps}};
}

/// How far from its steady rhythm a paced cell still is.
void say_drift(Context& c, const cell::SingleCellOptions& o, const cell::SingleCellResult& r,
               Json& j)
{
    if (o.until_steady)
        j["settled"] = r.settled;
    j["drift"] = nullptr;
    if (!r.drift.known())
        return;
    j["drift"] = {{"state", r.drift.state},
                  {"percent_a_beat", value(r.drift.per_beat_percent)},
                  {"percent_left", value(r.drift.left_percent)},
                  {"steady", r.drift.steady()}};
    std::string text = r.drift.steady() ? "steady: " : "not steady: ";
    if (o.until_steady && !r.settled && r.drift.steady())
        text = "not steady for long enough to be sure: ";
    c.notice(
        {o.until_steady && !r.settled && !r.stopped ? Notice::Level::warning : Notice::Level::info,
         text + r.drift.words()});
}

void run(Context& c, CellRunArguments a)
{
    const std::string name = model_of(c, a);
    if (name == calcium::dyad_model)
        return run_dyad_cell(c, a);
    for (const auto* option : a.of_dyads)
        if (option->count() > 0)
            throw InputError(option->get_name(), std::string("applies to ") + calcium::dyad_model +
                                                     " alone, not to " + name);
    auto o = options_of(c, a, name);
    const auto m = compiler::describe(*o.type.system);
    if (a.out.empty())
        o.sample_every_ms = 0;
    const auto progress = c.progress();
    o.stop = progress.stop;
    o.progress = [&](double t) {
        progress.report(std::min(1.0, t / o.end_ms), "running");
        return true;
    };
    const auto r = cell::run_single_cell(o);
    const double end_ms =
        r.stopped || r.settled ? static_cast<double>(r.steps) * o.dt_ms : o.end_ms;
    if (!a.out.empty())
        write_traces(m, r, a.out);
    char text[80];
    std::snprintf(text, sizeof text, "compiled in %.0f ms", r.compile_ms);
    c.notice({Notice::Level::info, text});
    Json j = run_of(a, name, o, r);
    j["beats"] = beats_of(c, r);
    say_drift(c, o, r, j);
    if (r.beats.empty())
        c.say(no_beats(o, m.states[0].name, r.final_state[0], end_ms));
    j["final_state"] = Json::object();
    for (std::size_t s = 0; s < m.states.size(); ++s)
        j["final_state"][m.states[s].name] = r.final_state[s];
    j["compile_ms"] = r.compile_ms;
    end_cell_run(c, j, a.out, r.time_ms.size(), r.stopped, end_ms, o.end_ms);
}

} // namespace

void write_cell_provenance(const std::string& table, Json result)
{
    for (const char* measured :
         {"beats", "drift", "settled", "final_state", "sparks", "compile_ms"})
        result.erase(measured);
    auto j = Json::parse(program_provenance());
    j["device"] = "CPU";
    j["options"] = std::move(result);
    simulation::write_provenance_beside(table,
                                        j.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void end_cell_run(Context& c, Json& result, const std::string& out, std::size_t rows, bool stopped,
                  double reached_ms, double end_ms)
{
    if (!out.empty()) {
        write_cell_provenance(out, result);
        result["file"] = out;
        c.say(std::to_string(rows) + " rows written to " + out);
    }
    if (stopped)
        c.say("stopped at " + simulation::number_text(reached_ms, 9) + " of " +
              simulation::number_text(end_ms, 9) + " ms");
    c.result(result);
    if (stopped)
        throw Cancelled();
}

void declare_cell_run(const Declaration& d, CLI::App& parent)
{
    auto a = std::make_shared<CellRunArguments>();
    auto* sub = d.command(parent, "run", "one cell, paced", [a](Context& c) { run(c, *a); });
    sub->add_option("model", a->words, "library name, .mmt or .cellml file")
        ->type_name("MODEL")
        ->option_text("MODEL REQUIRED")
        ->required();
    a->model.declare(*sub);
    sub->add_option("--variant", a->variant, "cell type, e.g. epi");
    a->scheme_given = sub->add_option(
        "--scheme", a->scheme,
        "how the equations are stepped; else as the model's file says, with its step "
        "(cell info: with which steps that is good); cvode: the reference");
    sub->add_option("--precision", a->precision, "double or single; of dyads double or mixed")
        ->capture_default_str();
    a->tables = sub->add_option("--tables", a->tables_mV,
                                "functions of V are looked up in tables of this step [mV]; changes "
                                "results a little (see cell info --optimise --tables)");
    a->dt_given = sub->add_option("--dt", a->dt_ms, "time step [ms]")->capture_default_str();
    a->bcl = sub->add_option("--bcl", a->bcl_ms,
                             "pacing cycle length [ms]; else the model's own stimulus");
    a->beat_count = sub->add_option("--beats", a->beats, "how many stimuli; else one");
    sub->add_flag("--until-steady", a->until_steady,
                  "end with the beat after which no state has more than 1 % to go to its steady "
                  "rhythm; --beats is the most then, else 2000");
    a->until = sub->add_option("--until", a->until_ms, "end [ms]; else the last beat's");
    a->every = sub->add_option("--every", a->every_ms, "between rows of the traces [ms]")
                   ->capture_default_str();
    a->amplitude_given = sub->add_option("--amplitude", a->amplitude,
                                         "of the stimulus [pA/pF], positive depolarises");
    a->duration_given =
        sub->add_option("--duration", a->duration_ms, "of the stimulus [ms]; else the model's own");
    sub->add_option("--set", a->set, "a parameter or an initial state, e.g. g_Ks=0.2")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    sub->add_option("--out", a->out, "traces of all states")->type_name("TRACES.csv");
    declare_dyads(*sub, a);
}

} // namespace tawara::cli
