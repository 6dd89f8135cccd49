// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli cell: the cell models, what is in them, what the compiler makes of them; one cell
// paced.
#include "engine/cli/cell_command.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/cell/compiler/equations/recognise.hpp"
#include "engine/cell/compiler/optimise/placement.hpp"
#include "engine/cell/compiler/optimise/tabulate.hpp"
#include "engine/cell/compiler/split.hpp"
#include "engine/cli/cell_run.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace tawara::cli {
namespace {

namespace compiler = cell::compiler;

struct InfoArguments
{
    std::string name, scheme = "rush_larsen_light";
    ModelArguments model;
    bool optimise = false;
    double tables_mV = 0;
};

std::string joined(const Json& names)
{
    std::string out;
    for (const auto& n : names)
        out += (out.empty() ? "" : ", ") + n.get<std::string>();
    return out.empty() ? "none" : out;
}

/// The year at the end of a library name; 0 when there is none.
int year_of(const std::string& name)
{
    if (name.size() < 5 || name[name.size() - 5] != '_')
        return 0;
    const auto digits = name.substr(name.size() - 4);
    return digits.find_first_not_of("0123456789") == std::string::npos ? std::stoi(digits) : 0;
}

/// Lines of a description as one.
std::string one_line(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        const bool space = c == '\n' || c == ' ' || c == '\t';
        if (!space)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    return out;
}

Json variants_of(const cell::ModelInfo& m)
{
    Json names = Json::array();
    for (const auto& v : m.variants)
        names.push_back(v.name);
    return names;
}

void list(Context& c)
{
    Json models = Json::array();
    char line[200];
    for (const auto& name : cell::model_names()) {
        const auto& m = cell::model_info(name);
        Json j{{"name", name}, {"title", m.title}, {"states", m.states.size()}};
        j["parameters"] = m.parameters.size();
        j["variants"] = variants_of(m);
        const int year = year_of(name);
        j["year"] = year ? Json(year) : Json(nullptr);
        j["source"] = one_line(m.source);
        std::snprintf(line, sizeof line, "%-26s %3zu states  ", name.c_str(), m.states.size());
        c.say(line + m.title +
              (m.variants.empty() ? "" : " (variants: " + joined(j["variants"]) + ")"));
        models.push_back(std::move(j));
    }
    models.push_back(dyad_cell_in_list(c));
    c.result({{"models", models}});
}

Json counts(const compiler::Operations& o, std::size_t nodes)
{
    return {
        {"nodes", nodes}, {"add", o.add}, {"mul", o.mul},     {"div", o.div},
        {"exp", o.exp},   {"log", o.log}, {"other", o.other}, {"instructions", o.instructions()}};
}

/// Values that do not fit the registers, and what cutting the program would pass on.
void add_placement(Context& c, Json& o, const compiler::Program& program)
{
    const unsigned registers = compiler::widest_vectors().first == 64 ? 32 : 16;
    char line[200];
    const auto& g = program.graph;
    const auto add = [&](const char* order, const char* eviction, const compiler::Traffic& t) {
        o["placement"].push_back({{"order", order},
                                  {"eviction", eviction},
                                  {"registers", registers},
                                  {"loads", t.loads},
                                  {"stores", t.stores},
                                  {"most_alive", t.most_alive}});
        std::snprintf(line, sizeof line,
                      "%u registers, %s, %s leaves: %zu loads, %zu stores of values "
                      "(at most %zu alive)",
                      registers, order, eviction, t.loads, t.stores, t.most_alive);
        c.say(line);
    };
    using compiler::Eviction;
    const auto placed = [&](auto order, Eviction eviction) {
        compiler::Traffic sum;
        for (const auto& part : program.parts()) {
            const auto t = place_values(g, order(g, part.next), registers, eviction);
            const auto rounds = static_cast<std::size_t>(usual_rounds(part));
            sum.loads += t.loads * rounds;
            sum.stores += t.stores * rounds;
            sum.most_alive = std::max(sum.most_alive, t.most_alive);
        }
        return sum;
    };
    add("as written", "oldest", placed(compiler::depth_first, Eviction::oldest_use));
    add("as written", "farthest use", placed(compiler::depth_first, Eviction::farthest_use));
    add("larger side first", "farthest use",
        placed(compiler::larger_first, Eviction::farthest_use));
    for (const std::size_t parts : {2u, 3u}) {
        const auto split = split_program(program, parts);
        o["in_parts"].push_back({{"parts", split.parts.size()}, {"passed", split.passed}});
        std::snprintf(line, sizeof line, "in %zu parts (off): %zu values passed on",
                      split.parts.size(), split.passed);
        c.say(line);
        if (!program.before.empty()) // its own parts, however many are asked for
            break;
    }
}

/// Errors of the functions of V that would be looked up with this step.
void add_tables(Context& c, Json& o, const cell::CellType& type, cell::Scheme scheme, double step)
{
    const auto system = compiler::system_of(type);
    auto options = compiler::processor_options(*system, false);
    options.table_step_mV = step;
    const auto program = compiler::compile(*system, scheme, options);
    double worst = 0;
    Json list = Json::array();
    for (const auto& e :
         compiler::table_errors(program.graph, program.lookups, type.parameters, step)) {
        list.push_back(
            {{"absolute", e.absolute}, {"relative", e.relative}, {"largest_value", e.largest}});
        worst = std::max(worst, e.largest > 0 ? e.absolute / e.largest : 0);
    }
    char line[200];
    std::snprintf(line, sizeof line,
                  "tables of functions of V, step %g mV: %zu, largest error %.2g of the function's "
                  "largest value",
                  step, list.size(), worst);
    c.say(line);
    o["tables"] = {{"step_mV", step}, {"errors", std::move(list)}};
}

/// What each pass of the compiler did, and what its code costs.
void add_optimisation(Context& c, Json& j, const cell::CellType& type, cell::Scheme scheme,
                      double tables_mV)
{
    const auto system = compiler::system_of(type);
    const auto plain = compiler::compile(*system, scheme, compiler::no_optimisation());
    const auto program =
        compiler::shared_program(system, scheme, compiler::processor_target(false)); // the CPU's
    const compiler::JitStep<double> code(*program);
    Json o{{"scheme", std::string(cell::name(scheme))}};
    char line[200];
    c.say("passes, scheme " + std::string(cell::name(scheme)) + ":");
    o["passes"] = Json::array();
    for (const auto& p : program->report) {
        o["passes"].push_back({{"pass", p.pass}, {"changes", p.changes}, {"nodes", p.nodes}});
        std::snprintf(line, sizeof line, "  %-32s %4d changes, %5zu operations left",
                      p.pass.c_str(), p.changes, p.nodes);
        c.say(line);
    }
    const auto size = [](const compiler::Program& p) {
        std::size_t sum = 0;
        for (const auto& part : p.parts())
            sum += reachable(p.graph, part.next).size();
        return sum;
    };
    o["before"] = counts(count_operations(plain), size(plain));
    o["after"] = counts(count_operations(*program), size(*program));
    o["table"] = program->table.size();
    o["target"] = code.target();
    for (const char* when : {"before", "after"}) {
        const auto& n = o[when];
        std::snprintf(line, sizeof line,
                      "%-6s %d add, %d mul, %d div, %d exp, %d log, %d others; about %d "
                      "floating-point instructions a step",
                      when, n["add"].get<int>(), n["mul"].get<int>(), n["div"].get<int>(),
                      n["exp"].get<int>(), n["log"].get<int>(), n["other"].get<int>(),
                      n["instructions"].get<int>());
        c.say(line);
    }
    std::snprintf(line, sizeof line,
                  "%zu constants per cell type; machine code for %s made in %.0f ms",
                  program->table.size(), code.target().c_str(), code.compile_ms());
    c.say(line);
    add_placement(c, o, *program);
    if (tables_mV > 0)
        add_tables(c, o, type, scheme, tables_mV);
    j["optimise"] = std::move(o);
    j["compile_ms"] = code.compile_ms();
}

/// The parameters in the order of the file.
std::vector<cell::ParameterInfo> in_file_order(std::vector<cell::ParameterInfo> parameters,
                                               const compiler::ModelText& file)
{
    std::map<std::string, std::size_t> place;
    for (const auto& v : file.variables)
        place.emplace(v.name, place.size());
    std::stable_sort(parameters.begin(), parameters.end(), [&](const auto& a, const auto& b) {
        return place[a.full_name] < place[b.full_name];
    });
    return parameters;
}

void say_names(Context& c, const cell::ModelInfo& m)
{
    char line[240];
    c.say("states:");
    for (const auto& s : m.states) {
        std::snprintf(line, sizeof line, "  %-16s %14.8g %s%s", s.name.c_str(), s.initial,
                      s.unit.c_str(), s.gate ? "  gate" : "");
        c.say(line);
    }
    c.say("parameters:");
    for (const auto& p : m.parameters) {
        std::snprintf(line, sizeof line, "  %-16s %14.8g %-10s %s", p.name.c_str(), p.value,
                      p.unit.c_str(), p.description.c_str());
        c.say(line);
    }
}

void say_steps(Context& c, const cell::ModelInfo& m)
{
    if (m.largest_step_ms.empty())
        return;
    std::string text =
        "largest steps with which V stays within 1.5 % RRMS of the reference, in one beat and "
        "after hundreds at 300 to 2000 ms (upstroke, peak and APD30 may be off by more), and "
        "finite after pulses of 10 to 80 pA/pF [ms]: ";
    char item[60];
    for (std::size_t k = 0; k < m.largest_step_ms.size(); ++k) {
        const auto& [scheme, ms] = m.largest_step_ms[k];
        std::snprintf(item, sizeof item, "%s%s %.4g", k > 0 ? ", " : "",
                      std::string(cell::name(scheme)).c_str(), ms);
        text += item;
    }
    c.say(text);
}

void say_own_stimulus(Context& c, const compiler::OwnStimulus& s)
{
    char line[200];
    std::snprintf(line, sizeof line, "own stimulus: %.4g pA/pF over %.4g ms from %.4g ms",
                  s.amplitude_pA_per_pF, s.duration_ms, s.start_ms);
    std::string text = line;
    if (s.period_ms > 0) {
        std::snprintf(line, sizeof line, ", every %.6g ms", s.period_ms);
        text += line;
    }
    c.say(text);
}

void info(Context& c, const InfoArguments& a)
{
    if (a.name == calcium::dyad_model)
        return info_dyad_cell(c);
    const auto scheme = cell::scheme_by_name(a.scheme);
    const auto model = a.model.find(a.name, false);
    const auto text = compiler::read_model(model->system.file);
    auto m = model->info;
    m.parameters = in_file_order(std::move(m.parameters), text);
    Json j{{"name", m.name}, {"title", m.title}, {"source", one_line(m.source)}};
    j["file"] = model->system.file;
    j["states"] = Json::array();
    j["gates"] = Json::array();
    for (const auto& s : m.states) {
        j["states"].push_back({{"name", s.name},
                               {"full_name", s.full_name},
                               {"unit", s.unit},
                               {"initial", s.initial},
                               {"gate", s.gate}});
        if (s.gate)
            j["gates"].push_back(s.name);
    }
    j["parameters"] = Json::array();
    for (const auto& p : m.parameters)
        j["parameters"].push_back({{"name", p.name},
                                   {"full_name", p.full_name},
                                   {"unit", p.unit},
                                   {"value", p.value},
                                   {"description", p.description}});
    j["variants"] = variants_of(m);
    j["schemes"] = Json::array();
    for (auto s : m.schemes)
        j["schemes"].push_back(std::string(cell::name(s)));
    j["schemes"].push_back(std::string(cell::name(cell::Scheme::cvode)));
    j["largest_step_ms"] = m.largest_step_ms.empty() ? Json(nullptr) : Json::object();
    for (const auto& [by, ms] : m.largest_step_ms)
        j["largest_step_ms"][std::string(cell::name(by))] = ms;
    j["operations"] = m.flops_per_step;
    const auto& s = model->system;
    const auto or_null = [](const std::string& t) { return t.empty() ? Json(nullptr) : Json(t); };
    j["membrane_potential"] = s.potential;
    j["stimulus_current"] = or_null(s.stimulus);
    j["time"] = or_null(s.time);
    const auto paced = compiler::pacing(text);
    j["pace"] = nullptr;
    if (paced)
        j["pace"] = {{"variable", paced->variable}, {"drives", paced->drives}};
    const auto own = compiler::own_stimulus(a.model.find(a.name, true)->system);
    j["own_stimulus"] = nullptr;
    if (own)
        j["own_stimulus"] = {{"amplitude_pA_per_pF", own->amplitude_pA_per_pF},
                             {"start_ms", own->start_ms},
                             {"duration_ms", own->duration_ms},
                             {"period_ms", own->period_ms}};
    c.say(m.title + (m.source.empty() ? "" : "\n" + one_line(m.source)));
    c.say("variants: " + joined(j["variants"]) + "\nschemes: " + joined(j["schemes"]) +
          "\ngates: " + joined(j["gates"]));
    const auto or_none = [](const std::string& t) { return t.empty() ? std::string("none") : t; };
    c.say("membrane potential: " + s.potential + ", stimulus current: " + or_none(s.stimulus) +
          ", time: " + or_none(s.time));
    if (paced)
        c.say("pace: " + paced->variable + " drives " + joined(Json(paced->drives)));
    if (s.stimulus.empty())
        c.say("a stimulus from outside is added to dV/dt; --stimulus COMPONENT.VARIABLE says which "
              "variable it takes the place of");
    if (own)
        say_own_stimulus(c, *own);
    if (const auto left = compiler::stimulus_left_on(s); !left.empty())
        c.notice({Notice::Level::warning, left});
    say_steps(c, m);
    c.say("operations per step: about " + std::to_string(m.flops_per_step));
    if (a.optimise)
        add_optimisation(c, j, a.model.type(*model, a.name, "", {}), scheme, a.tables_mV);
    else
        say_names(c, m);
    c.result(j);
}

} // namespace

void ModelArguments::declare(CLI::App& app)
{
    declare_imports(app);
    app.add_option("--membrane-potential,--v", potential,
                   "which state is the membrane potential, when that is unclear")
        ->type_name("COMPONENT.VARIABLE");
    app.add_option("--stimulus", stimulus, "which variable is the stimulus current")
        ->type_name("COMPONENT.VARIABLE");
    app.add_option("--time", time, "which variable is the time")->type_name("COMPONENT.VARIABLE");
}

std::shared_ptr<const compiler::Model> ModelArguments::find(const std::string& name,
                                                            bool own_stimulus) const
{
    if (cell::is_file(name) || name.find('/') != std::string::npos)
        if (const auto kind = no_plain_file(name); !kind.empty())
            throw InputError(name, kind);
    std::error_code none;
    if (cell::is_file(name) && !std::filesystem::exists(name, none))
        throw InputError(name,
                         "there is no such file; give a .mmt or .cellml file that is there, or "
                         "a name of tawara-cli cell list");
    cell::require_model(name, "tawara-cli cell");
    return compiler::shared_model(name, {potential, stimulus, time, own_stimulus});
}

cell::CellType ModelArguments::type(const compiler::Model& model, const std::string& name,
                                    const std::string& variant,
                                    std::span<const std::pair<std::string, double>> parameters,
                                    std::span<const std::pair<std::string, double>> initial) const
{
    auto t = compiler::cell_type(model.system, variant, parameters, initial, "--variant");
    t.model = name;
    t.system = {model.shared_from_this(), &model.system};
    return t;
}

void declare_cell(const Declaration& d)
{
    auto* cell = d.app.add_subcommand("cell", "cell models: list, info, run");
    cell->require_subcommand(1);
    d.command(*cell, "list", "the models that ship with the program", list);
    auto a = std::make_shared<InfoArguments>();
    auto* sub = d.command(*cell, "info", "states, parameters, variants of a model",
                          [a](Context& c) { info(c, *a); });
    sub->add_option("model", a->name, "library name, .mmt or .cellml file")
        ->type_name("MODEL")
        ->required();
    a->model.declare(*sub);
    sub->add_flag("--optimise", a->optimise, "what each pass of the compiler did");
    sub->add_option(
           "--tables", a->tables_mV,
           "with --optimise: errors of functions of V that are looked up, by this step [mV]")
        ->type_name("MV")
        ->check(CLI::Range(0.001, 10.0));
    sub->add_option("--scheme", a->scheme, "the scheme that --optimise compiles")
        ->capture_default_str();
    declare_cell_run(d, *cell);
}

} // namespace tawara::cli
