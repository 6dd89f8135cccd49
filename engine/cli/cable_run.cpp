// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli cable run: trees with cells, stimulated and looked at.
#include "engine/cli/cable_run.hpp"
#include "engine/cable/measures.hpp"
#include "engine/core/error.hpp"
#include "engine/core/folder_lock.hpp"
#include "engine/core/memory.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace tawara::cli {
namespace {

using namespace cable;

std::vector<std::string> split_at(const std::string& text, char at)
{
    std::vector<std::string> out{""};
    for (const char c : text)
        if (c == at)
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

/// A cell type by a model's name and values of its parameters and states.
cell::CellType membrane_type(const std::string& option, const std::string& model,
                             const std::string& variant, const std::vector<std::string>& set)
{
    const auto key = cell::model_key(model, {});
    cell::require_model(key, option);
    const auto& info = cell::model_info(key, option);
    std::vector<std::pair<std::string, double>> parameters, initial;
    for (const auto& text : set) {
        const auto pair = assignment(option == "--model" ? "--set" : option, text);
        const auto is = [&](const auto& items) {
            return std::any_of(items.begin(), items.end(), [&](const auto& i) {
                return i.name == pair.first || i.full_name == pair.first;
            });
        };
        // what is neither is refused by make_cell_type(), which knows the nearest
        (is(info.states) && !is(info.parameters) ? initial : parameters).push_back(pair);
    }
    auto type = cell::make_cell_type(key, variant, parameters, initial, option);
    if (!type.system)
        throw InputError(option, model + " is no compiled model, which cables need; tawara-cli "
                                         "cell list names those");
    return type;
}

/// Which kinds have which membrane; -1: all others.
std::map<std::int32_t, cell::CellType> membranes_of(const CableRunArguments& a)
{
    std::map<std::int32_t, cell::CellType> out;
    out[-1] = membrane_type("--model", a.model, a.variant, a.set);
    for (const auto& text : a.membranes) {
        auto words = split_at(text, ',');
        const auto equals = words[0].find('=');
        if (equals == std::string::npos)
            throw InputError("--membrane", "'" + text +
                                               "' names no model; KIND=MODEL[,NAME=VALUE...] is "
                                               "due, e.g. axon=hodgkin_huxley_1952,g_Na=240");
        const auto kind = cable_kind("--membrane", words[0].substr(0, equals));
        const auto model = words[0].substr(equals + 1);
        out[kind] = membrane_type("--membrane", model, "", {words.begin() + 1, words.end()});
    }
    return out;
}

/// "at=root,amplitude=0.5,start=5,duration=1".
CurrentPulses pulses_of(const std::string& text, const NamedCable& c)
{
    CurrentPulses p;
    p.start_ms = 1;
    bool amplitude = false, to = false;
    for (const auto& word : split_at(text, ',')) {
        const auto equals = word.find('=');
        const auto key = word.substr(0, equals);
        if (key == "at" && equals != std::string::npos) {
            p.node = c.node("--stimulus", word.substr(equals + 1));
            continue;
        }
        const std::map<std::string, double*> known{{"amplitude", &p.nA},
                                                   {"to", &p.nA_of_last_copy},
                                                   {"start", &p.start_ms},
                                                   {"duration", &p.duration_ms},
                                                   {"period", &p.period_ms}};
        const auto found = known.find(key);
        if (found == known.end())
            throw InputError("--stimulus",
                             "'" + word +
                                 "' is not known; at=root, amplitude=NA, to=NA (of the last copy), "
                                 "start=MS, duration=MS and period=MS are, with commas between");
        *found->second = assignment("--stimulus", word).second;
        amplitude = amplitude || key == "amplitude";
        to = to || key == "to";
    }
    if (!amplitude)
        throw InputError("--stimulus", "'" + text + "' has no amplitude; amplitude=NA is due [nA]");
    if (!to)
        p.nA_of_last_copy = p.nA;
    if (!(p.duration_ms > 0) || !(p.start_ms >= 0) || !(p.period_ms >= 0))
        throw InputError("--stimulus", "'" + text +
                                           "' has a start or period below 0, or a duration that is "
                                           "not above 0");
    return p;
}

std::vector<NamedCable> read_cables(Context& c, const CableRunArguments& a,
                                    const Progress& progress)
{
    std::vector<NamedCable> out;
    for (const auto& file : a.files) {
        auto loaded = a.how.read(c, file, progress, false, a.files.size() > 1);
        NamedCable cable;
        cable.name = std::filesystem::path(file).stem().string();
        const Material m{a.resistivity, a.capacitance};
        if (measure(loaded.trees[0]).length_um <= 0)
            throw InputError(file, "has no length; a cable is at least one piece");
        cable.compartments = a.how.cut(loaded.trees[0], m);
        cable.number = std::move(loaded.number[0]);
        for (const auto& other : out)
            if (other.name == cable.name)
                cable.name += "_" + std::to_string(out.size());
        out.push_back(std::move(cable));
    }
    return out;
}

/// The step, and what is to be said of it.
double cable_step(Context& c, const CableRunArguments& a, const cell::ModelInfo& m,
                  cell::Scheme scheme)
{
    need_positive("--dt", a.dt_ms);
    const double largest = cell::largest_step(m, scheme);
    if (a.dt_given->count() == 0)
        return largest > 0 ? std::min(a.dt_ms, largest) : a.dt_ms;
    if (const auto advice = cell::step_advice(m, scheme, a.dt_ms); !advice.empty())
        c.notice({Notice::Level::warning, advice});
    return a.dt_ms;
}

/// What memory has no room for is refused before it is asked for.
void need_room_for_copies(const CableRunArguments& a, const std::vector<NamedCable>& cables,
                          std::size_t states)
{
    double nodes = 0;
    for (const auto& c : cables)
        nodes += static_cast<double>(c.compartments.nodes());
    const double wanted = nodes * static_cast<double>(a.copies) * static_cast<double>(states + 1) *
                          (a.precision == "double" ? 8 : 4);
    const double there = available_memory_bytes();
    if (there > 0 && wanted > 0.8 * there)
        throw InputError("--copies", std::to_string(a.copies) + " copies take " +
                                         std::to_string(std::llround(wanted / 1e6)) + " MB, and " +
                                         std::to_string(std::llround(there / 1e6)) +
                                         " MB are free; fewer copies or a longer --space-step "
                                         "would be right");
}

/// Membranes by node: types, and which each node has.
void give_membranes(const CableRunArguments& a, const std::map<std::int32_t, cell::CellType>& of,
                    const Compartments& c, CablesDescription& d)
{
    std::map<std::int32_t, cell::TypeIndex> index;
    for (const auto& [kind, type] : of) {
        index[kind] = static_cast<cell::TypeIndex>(d.types.size());
        d.types.push_back(type);
    }
    std::vector<bool> used(d.types.size(), false);
    for (const auto kind : c.kind) {
        const auto it = index.find(kind);
        d.type_of_node.push_back(it == index.end() ? index.at(-1) : it->second);
        used[d.type_of_node.back()] = true;
    }
    for (const auto& [kind, k] : index)
        if (kind >= 0 && !used[k] && a.files.size() == 1)
            throw InputError("--membrane", "the cable has no " + kind_name(kind) +
                                               "; tawara-cli cable info lists its kinds");
}

/// The folder of the outputs, which no other run writes into meanwhile, and this one through no
/// link.
class CableFolder
{
  public:
    /// @param out  empty: none @throws InputError while another run writes there
    explicit CableFolder(const std::string& out) : out_(out)
    {
        if (!out_.empty())
            lock_.take(out_);
    }
    /// Makes it, before the first step. @throws InputError where files cannot be written later
    void begin()
    {
        if (out_.empty())
            return;
        std::error_code none;
        std::filesystem::create_directories(out_, none); // else OutputFolder says why not
        lock_.take(out_);
        folder_ = OutputFolder(out_);
        simulation::ComingOutputs coming;
        coming.files = {"traces.csv", "spikes.csv", "report.json"};
        simulation::need_places(out_, coming);
    }

  private:
    std::filesystem::path out_;
    FolderLock lock_;
    OutputFolder folder_;
};

template <class Real>
void run_as(Context& c, const CableRunArguments& a, const std::vector<NamedCable>& cables,
            const std::map<std::int32_t, cell::CellType>& membranes, CableFolder& folder,
            const Progress& progress)
{
    const auto& info = cell::model_info(membranes.at(-1).model);
    const auto scheme = a.scheme.empty() ? usual_cable_scheme(info, a.second_order)
                                         : cell::scheme_by_name(a.scheme);
    const double dt = cable_step(c, a, info, scheme);
    std::vector<RunningCables<Real>> running;
    std::vector<std::vector<std::int32_t>> probes;
    auto named = cables;
    for (auto& cable : named) {
        CablesDescription d;
        d.compartments = cable.compartments;
        d.copies = static_cast<std::size_t>(a.copies);
        d.dt_ms = dt;
        d.scheme = scheme;
        d.second_order = a.second_order;
        give_membranes(a, membranes, cable.compartments, d);
        std::vector<CurrentPulses> pulses;
        for (const auto& s : a.stimuli)
            pulses.push_back(pulses_of(s, cable));
        cable.probe_names = a.probes;
        probes.emplace_back();
        for (const auto& p : a.probes)
            probes.back().push_back(cable.node("--probe", p));
        running.push_back({Cables<Real>(std::move(d)), std::move(pulses), probes.back()});
    }
    CablesRunOptions o;
    o.end_ms = a.until_ms;
    o.sample_every_ms = a.every_ms;
    o.traced_copies = static_cast<std::size_t>(a.traced);
    o.spike_mV = a.spike_mV;
    folder.begin();
    const auto r = run_cables(running, o, progress);
    auto report = cable_report(a, named, probes, dt, std::string(cell::name(scheme)), r);
    if (!a.out.empty()) {
        write_cable_tables(a, named, r);
        write_whole(std::filesystem::path(a.out) / "report.json",
                    [&](std::ostream& to) { to << report.dump(1) << "\n"; });
    }
    say_cables(c, a, report);
    if (!a.out.empty())
        c.say("report.json, traces.csv and spikes.csv written to " + a.out);
    if (r.stopped)
        c.say("stopped at " + shortest_text(static_cast<double>(r.steps) * dt) + " of " +
              shortest_text(a.until_ms) + " ms");
    c.result(report);
    if (r.stopped)
        throw Cancelled();
}

void run_cable_command(Context& c, CableRunArguments a)
{
    if (a.copies < 1 || a.copies > 100'000'000)
        throw InputError("--copies",
                         "is " + std::to_string(a.copies) + "; it should be from 1 to 100000000");
    if (a.traced < 0)
        throw InputError("--traces",
                         "is " + std::to_string(a.traced) + "; it should be at least 0");
    if (a.precision != "double" && a.precision != "single")
        throw InputError("--precision", "is '" + a.precision + "'; it should be double or single");
    for (const auto& [option, value] :
         {std::pair<const char*, double>{"--resistivity", a.resistivity},
          {"--capacitance", a.capacitance},
          {"--until", a.until_ms},
          {"--every", a.every_ms}})
        need_positive(option, value);
    if (a.probes.empty())
        a.probes = {"root"};
    if (!a.out.empty()) {
        need_writable_folder(a.out);
        c.say_new_folder(a.out);
    }
    CableFolder folder(a.out);
    auto progress = c.progress();
    progress.context.threads = a.threads > 0 ? a.threads : c.console().context.threads;
    const auto membranes = membranes_of(a);
    const auto cables = read_cables(c, a, progress);
    std::size_t states = 0;
    for (const auto& [kind, type] : membranes)
        states = std::max(states, type.initial.size());
    need_room_for_copies(a, cables, states);
    if (a.stimuli.empty())
        c.notice({Notice::Level::info, "no stimulus is given; --stimulus at=root,amplitude=0.5 "
                                       "gives one [nA]"});
    a.precision == "double" ? run_as<double>(c, a, cables, membranes, folder, progress)
                            : run_as<float>(c, a, cables, membranes, folder, progress);
}

} // namespace

void declare_cable_run(const Declaration& d, CLI::App& parent)
{
    auto a = std::make_shared<CableRunArguments>();
    auto* sub = d.command(parent, "run", "copies of cables with cells, by any model",
                          [a](Context& c) { run_cable_command(c, *a); });
    sub->add_option("files", a->files, "SWC, VTK lines, or tables of x y z radius parent")
        ->type_name("FILE")
        ->required();
    sub->add_option("--model", a->model, "library name, .mmt or .cellml file, of all branches")
        ->type_name("MODEL")
        ->required();
    declare_imports(*sub);
    sub->add_option("--variant", a->variant, "cell type, e.g. epi");
    sub->add_option("--set", a->set, "a parameter or an initial state, e.g. temperature=18.5")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    sub->add_option("--membrane", a->membranes,
                    "another model or other values for a kind of branch: soma, axon, basal, "
                    "apical or SWC's number")
        ->type_name("KIND=MODEL[,NAME=VALUE...]")
        ->allow_extra_args(false);
    sub->add_option("--copies", a->copies, "of each cable")->type_name("N")->capture_default_str();
    sub->add_option("--stimulus", a->stimuli,
                    "current clamp: at=root or a point's number, amplitude=NA, and to=NA (of the "
                    "last copy), start=MS, duration=MS, period=MS")
        ->type_name("at=root,amplitude=NA,...")
        ->allow_extra_args(false);
    sub->add_option("--probe", a->probes,
                    "root or a point's number: V is written and spikes are counted there")
        ->type_name("AT")
        ->allow_extra_args(false);
    sub->add_option("--resistivity", a->resistivity, "axial, R_i [ohm cm]")->capture_default_str();
    sub->add_option("--capacitance", a->capacitance, "of the membrane, C_m [uF/cm2]")
        ->capture_default_str();
    sub->add_option("--until", a->until_ms, "end [ms]")->capture_default_str();
    a->dt_given = sub->add_option("--dt", a->dt_ms, "time step [ms]")->capture_default_str();
    sub->add_option("--scheme", a->scheme,
                    "how states other than V are stepped; else the model's usual scheme");
    sub->add_flag("--second-order", a->second_order,
                  "V by Crank-Nicolson, states by grl2 half a step behind it; else backward Euler, "
                  "first order");
    sub->add_option("--every", a->every_ms, "between rows of the traces [ms]")
        ->capture_default_str();
    sub->add_option("--traces", a->traced, "copies of each cable with traces")
        ->type_name("N")
        ->capture_default_str();
    sub->add_option("--spike", a->spike_mV, "what V has to rise through to count [mV]")
        ->capture_default_str();
    sub->add_option("--precision", a->precision, "double or single")->capture_default_str();
    sub->add_option("--threads", a->threads, "of the CPU; 0: all")->capture_default_str();
    sub->add_option("--out", a->out, "folder for report.json, traces.csv and spikes.csv")
        ->type_name("DIR");
    a->how.declare(*sub);
}

} // namespace tawara::cli
