// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli cell: the built-in cell models, and one cell paced.
#include "engine/cell/single_cell.hpp"
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/whole_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

struct Arguments
{
    std::vector<std::string> words; ///< the model, and values that follow --set
    std::vector<std::string> set;
    std::string variant, scheme = "rush_larsen_light", out, precision = "double";
    double dt_ms = 0.01, bcl_ms = 0, until_ms = 0, every_ms = 1, amplitude = 0, duration_ms = 0;
    long beats = 0;
    CLI::Option *bcl = nullptr, *until = nullptr, *every = nullptr, *beat_count = nullptr,
                *amplitude_given = nullptr, *duration_given = nullptr;
};

const cell::ModelInfo& model(const std::string& name)
{
    const auto extension = std::filesystem::path(name).extension();
    if (extension == ".cellml" || extension == ".mmt")
        throw InputError(name, "model files cannot be read in this version; use a built-in model "
                               "(tawara-cli cell list)");
    return cell::model_info(name, "MODEL");
}

/// V, not -0; NaN as null.
Json value(double v)
{
    return std::isfinite(v) ? Json(v) : Json(nullptr);
}

void list(Context& c)
{
    Json models = Json::array();
    for (const auto& name : cell::model_names()) {
        const auto& m = cell::model_info(name);
        models.push_back({{"name", m.name}, {"title", m.title}, {"states", m.states.size()}});
        c.say(m.name + "  " + m.title + ", " + std::to_string(m.states.size()) + " states");
    }
    c.result({{"models", models}});
}

void info(Context& c, const std::string& name)
{
    const auto& m = model(name);
    Json j{{"name", m.name}, {"title", m.title}, {"source", m.source}};
    j["states"] = Json::array();
    j["gates"] = Json::array();
    for (const auto& s : m.states) {
        j["states"].push_back({{"name", s.name}, {"unit", s.unit}, {"initial", s.initial}});
        if (s.gate)
            j["gates"].push_back(s.name);
    }
    j["parameters"] = Json::array();
    for (const auto& p : m.parameters)
        j["parameters"].push_back({{"name", p.name},
                                   {"unit", p.unit},
                                   {"value", p.value},
                                   {"description", p.description}});
    j["variants"] = Json::array();
    for (const auto& v : m.variants)
        j["variants"].push_back(v.name);
    j["schemes"] = Json::array();
    for (auto s : m.schemes)
        j["schemes"].push_back(std::string(cell::name(s)));
    j["operations"] = m.flops_per_step;
    const auto joined = [](const Json& names) {
        std::string out;
        for (const auto& n : names)
            out += (out.empty() ? "" : ", ") + n.get<std::string>();
        return out;
    };
    c.say(m.title + "\n" + m.source);
    c.say("variants: " + joined(j["variants"]) + "\nschemes: " + joined(j["schemes"]));
    if (m.flops_per_step > 0)
        c.say("operations per step: " + std::to_string(m.flops_per_step));
    char line[160];
    c.say("states:");
    for (const auto& s : m.states) {
        std::snprintf(line, sizeof line, "  %-10s %14.8g %s%s", s.name.c_str(), s.initial,
                      s.unit.c_str(), s.gate ? "  gate" : "");
        c.say(line);
    }
    c.say("parameters:");
    for (const auto& p : m.parameters) {
        std::snprintf(line, sizeof line, "  %-14s %14.8g %-10s %s", p.name.c_str(), p.value,
                      p.unit.c_str(), p.description.c_str());
        c.say(line);
    }
    c.result(j);
}

/// The cell type that --variant and --set ask for; a name may be a parameter's or a state's.
cell::CellType cell_type(const Arguments& a, const cell::ModelInfo& m)
{
    std::vector<std::pair<std::string, double>> parameters, initial;
    std::vector<std::string> known;
    for (const auto& p : m.parameters)
        known.push_back(p.name);
    const auto parameter_count = known.size();
    for (const auto& s : m.states)
        known.push_back(s.name);
    for (const auto& text : a.set) {
        const auto pair = assignment("--set", text);
        const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), pair.first) -
                                                 known.begin());
        if (at == known.size())
            throw InputError("--set " + text, "'" + pair.first + "' is no parameter or state of " +
                                                  m.name + "; the nearest known is '" +
                                                  nearest(pair.first, known) + "'");
        (at < parameter_count ? parameters : initial).push_back(pair);
    }
    return cell::make_cell_type(m.name, a.variant, parameters, initial, "--variant");
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
            out << "," << s.name;
        out << "\n";
        for (std::size_t k = 0; k < r.time_ms.size(); ++k) {
            out << csv(r.time_ms[k]);
            for (const auto& state : r.states)
                out << "," << csv(state[k]);
            out << "\n";
        }
    });
}

/// Options of the run; what is not given is the model's own.
cell::SingleCellOptions options_of(const Arguments& a, const cell::ModelInfo& m)
{
    cell::SingleCellOptions o;
    o.scheme = cell::scheme_by_name(a.scheme);
    o.type = cell_type(a, m);
    if (a.precision != "double" && a.precision != "single")
        throw InputError("--precision", "is '" + a.precision + "'; it should be double or single");
    o.single_precision = a.precision == "single";
    need_positive("--dt", a.dt_ms);
    o.dt_ms = a.dt_ms;
    if (a.bcl->count() > 0) {
        need_positive("--bcl", a.bcl_ms);
        o.stimulus_period_ms = a.bcl_ms;
    }
    if (a.beat_count->count() > 0) {
        if (a.beats < 1)
            throw InputError("--beats",
                             "is " + std::to_string(a.beats) + "; it should be at least 1");
        o.beats = a.beats;
        o.end_ms = static_cast<double>(a.beats) * o.stimulus_period_ms;
    } else {
        o.end_ms = o.stimulus_period_ms > 0 ? o.stimulus_period_ms : 1000;
    }
    if (a.until->count() > 0) {
        need_positive("--until", a.until_ms);
        o.end_ms = a.until_ms;
    }
    need_positive("--every", a.every_ms);
    o.sample_every_ms = a.every_ms;
    if (a.amplitude_given->count() > 0)
        o.stimulus_pA_per_pF = a.amplitude;
    if (a.duration_given->count() > 0) {
        need_positive("--stimulus-duration", a.duration_ms);
        o.stimulus_duration_ms = a.duration_ms;
    }
    return o;
}

void run(Context& c, Arguments a)
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
    const auto& m = model(name);
    auto o = options_of(a, m);
    if (a.out.empty())
        o.sample_every_ms = 0;
    const auto progress = c.progress();
    o.progress = [&](double t) {
        progress.at(std::min(1.0, t / o.end_ms), "running");
        return true;
    };
    const auto r = cell::run_single_cell(o);
    if (!a.out.empty())
        write_traces(m, r, a.out);
    Json j{{"model", m.name},
           {"variant", a.variant},
           {"scheme", std::string(cell::name(o.scheme))},
           {"precision", a.precision},
           {"dt_ms", o.dt_ms},
           {"bcl_ms", o.stimulus_period_ms},
           {"end_ms", o.end_ms},
           {"steps", r.steps}};
    j["beats"] = Json::array();
    char line[200];
    for (const auto& b : r.beats) {
        j["beats"].push_back({{"activation_ms", value(b.activation_ms)},
                              {"upstroke_mV_per_ms", value(b.upstroke_mV_per_ms)},
                              {"rest_mV", value(b.rest_mV)},
                              {"peak_mV", value(b.peak_mV)},
                              {"apd30_ms", value(b.apd30_ms)},
                              {"apd50_ms", value(b.apd50_ms)},
                              {"apd90_ms", value(b.apd90_ms)}});
        std::snprintf(line, sizeof line,
                      "beat at %9.2f ms: rest %.2f mV, peak %.2f mV, upstroke %.1f V/s, APD30 %.1f "
                      "ms, APD50 %.1f ms, APD90 %.1f ms",
                      b.activation_ms, b.rest_mV, b.peak_mV, b.upstroke_mV_per_ms, b.apd30_ms,
                      b.apd50_ms, b.apd90_ms);
        c.say(line);
    }
    j["final_state"] = Json::object();
    for (std::size_t s = 0; s < m.states.size(); ++s)
        j["final_state"][m.states[s].name] = r.final_state[s];
    if (!a.out.empty()) {
        j["file"] = a.out;
        c.say(std::to_string(r.time_ms.size()) + " rows written to " + a.out);
    }
    c.result(j);
}

} // namespace

void declare_cell(const Declaration& d)
{
    auto* cell = d.app.add_subcommand("cell", "cell models: list, info, run");
    cell->require_subcommand(1);
    d.command(*cell, "list", "the built-in models", list);
    auto name = std::make_shared<std::string>();
    d.command(*cell, "info", "states, parameters, variants of a model",
              [name](Context& c) { info(c, *name); })
        ->add_option("model", *name, "built-in name")
        ->type_name("MODEL")
        ->required();
    auto a = std::make_shared<Arguments>();
    auto* sub = d.command(*cell, "run", "one cell, paced", [a](Context& c) { run(c, *a); });
    sub->add_option("model", a->words, "built-in name")->type_name("MODEL");
    sub->add_option("--variant", a->variant, "cell type, e.g. epi");
    sub->add_option("--scheme", a->scheme, "how the equations are stepped");
    sub->add_option("--precision", a->precision, "double or single");
    sub->add_option("--dt", a->dt_ms, "time step [ms]");
    a->bcl = sub->add_option("--bcl", a->bcl_ms, "pacing cycle length [ms]; else the model's own");
    a->beat_count = sub->add_option("--beats", a->beats, "stimuli");
    a->until = sub->add_option("--until", a->until_ms, "end [ms]; else the last beat's");
    a->every = sub->add_option("--every", a->every_ms, "between rows of the traces [ms]");
    a->amplitude_given =
        sub->add_option("--stimulus", a->amplitude, "[pA/pF], positive depolarises");
    a->duration_given = sub->add_option("--stimulus-duration", a->duration_ms, "[ms]");
    sub->add_option("--set", a->set, "a parameter or an initial state, e.g. g_Ks=0.2")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    sub->add_option("--out", a->out, "traces of all states")->type_name("TRACES.csv");
}

} // namespace tawara::cli
