// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench: times tissue and prints one JSON record a line.
//     tawara-bench [--cubes N] [--spacing MM] [--thin X] [--stimulated MM] [--mesh FILE]
//                  [--refine N] [--sigma F,S,N]
//                  [--scheme fvm|p1] [--types N] [--stages N] CASE...
//     CASE: BENCH,DEVICES,PRECISION,STEPS[,option...]   e.g. step,cuda:0;1,single,1000,metis
// BENCH is one of bench() or beat, whose STEPS are milliseconds of a whole beat. ';' in DEVICES
// stands for ','. Options: metis, fused, unfused, compiled, nograph, graph=STEPS,
//     shares=A;B (of each device);
// fvm, p1; check (the stability analysis);
// untimed (no kernel by kernel timing), counters (bytes by hardware counters); p1: cn, be, newton,
// newton=MS (steps of several time steps up to so long), consistent, interpolated (currents);
// dt=MS, eta=X (mass scaling), rest=MV, rest_ms=MS (the longest step at rest), types=N; keep=NAME
// (beat: keep the maps), threads=N (of the CPU); ports=N (a chain of passive cells joined at N
// places of 30 unknowns each), network=N (of N nodes, stewart_2009, joined at N / 20 such places);
// against=NAME
// (compare with kept maps; those of fvm are carried to the vertices). The tissue is a slab of N x N
// x N cubes of 6 tetrahedra, of which two layers may be thinner, or a mesh, refined.
#include "engine/cable/network/cuda/network.hpp"
#include "engine/core/error.hpp"
#include "engine/device/bench.hpp"
#include "tests/bench/beat.hpp"
#include "tests/bench/built_from.hpp"
#include "tests/cable/some_network.hpp"
#include "tests/device/chain_part.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace tawara;
using nlohmann::ordered_json;

namespace {

/// One case of the command line.
struct Case
{
    std::string text, keep;
    std::vector<std::string> against;
    device::BenchOptions options;
    bench::Choice choice;
    int ports = 0;
    std::size_t network = 0; ///< nodes
};

/// Unknowns around places all over the tissue, as junctions have them: the nearest by rows of the
/// operator that no other place has.
device::Ports ports_of(const device::TissueProblem& p, int count)
{
    constexpr std::size_t of_each = 30;
    const auto& rows = p.system.alpha;
    std::vector<bool> taken(p.size(), false);
    device::Ports ports;
    for (int k = 0; k < count; ++k) {
        const auto seed = static_cast<std::size_t>(k) * p.size() / static_cast<std::size_t>(count);
        std::vector<std::int32_t> reached{static_cast<std::int32_t>(seed)}, place;
        std::set<std::int32_t> seen(reached.begin(), reached.end());
        for (std::size_t i = 0; i < reached.size() && place.size() < of_each; ++i) {
            const auto u = static_cast<std::size_t>(reached[i]);
            if (!taken[u])
                place.push_back(reached[i]);
            for (auto e = rows.first[u]; e < rows.first[u + 1]; ++e)
                if (const auto to = rows.column[static_cast<std::size_t>(e)];
                    seen.insert(to).second)
                    reached.push_back(to);
        }
        for (auto* g : {&ports.potential, &ports.current}) {
            for (const auto u : place) {
                taken[static_cast<std::size_t>(u)] = true;
                g->unknown.push_back(u);
                g->weight.push_back(1.0F / static_cast<float>(place.size()));
            }
            g->first.push_back(static_cast<std::int64_t>(g->unknown.size()));
        }
    }
    return ports;
}

std::string driver()
{
    std::ifstream f("/proc/driver/nvidia/version");
    std::string line;
    std::getline(f, line);
    return line;
}

Case parse(const std::string& text, const bench::Choice& from)
{
    std::vector<std::string> words;
    std::stringstream s(text);
    for (std::string w; std::getline(s, w, ',');)
        words.push_back(w);
    if (words.size() < 4)
        throw InputError("CASE",
                         "'" + text + "' is none; use BENCH,DEVICES,PRECISION,STEPS[,option...]");
    Case c{text, "", {}, {}, from};
    auto& o = c.options;
    o.bench = words[0];
    std::replace(words[1].begin(), words[1].end(), ';', ',');
    o.stepper.devices = words[1];
    o.stepper.precision = words[2] == "single"  ? Precision::single
                          : words[2] == "mixed" ? Precision::mixed
                                                : Precision::double_;
    o.steps = std::stoll(words[3]);
    for (std::size_t k = 4; k < words.size(); ++k) {
        const auto cut = words[k].find('=');
        const std::string key = words[k].substr(0, cut),
                          value = cut == std::string::npos ? "" : words[k].substr(cut + 1);
        if (key == "metis")
            o.stepper.tuning.ordering = partition::Ordering::metis;
        else if (key == "unfused" || key == "fused")
            o.stepper.tuning.fused = key == "fused";
        else if (key == "model")
            c.choice.model = value;
        else if (key == "reaction")
            c.choice.reaction = cell::scheme_by_name(value);
        else if (key == "nograph")
            o.stepper.tuning.graph_steps = 0;
        else if (key == "graph")
            o.stepper.tuning.graph_steps = std::stoi(value);
        else if (key == "shares") { // of each device, e.g. shares=0.26;0.25;0.24;0.25
            std::stringstream list(value);
            for (std::string share; std::getline(list, share, ';');)
                o.stepper.tuning.shares.push_back(std::stod(share));
        } else if (key == "untimed")
            o.stepper.tuning.timed_every = 0;
        else if (key == "counters")
            o.counted = 4;
        else if (key == "cn" || key == "be")
            c.choice.stepping = key;
        else if (key == "newton") {
            c.choice.stepping = key;
            c.choice.newton_dt_max_ms = value.empty() ? 0 : std::stod(value);
        } else if (key == "consistent")
            c.choice.consistent = true;
        else if (key == "interpolated")
            c.choice.interpolated = true;
        else if (key == "fvm" || key == "p1")
            c.choice.scheme = key;
        else if (key == "check")
            c.choice.check = true;
        else if (key == "dt")
            c.choice.dt_ms = std::stod(value);
        else if (key == "eta")
            c.choice.mass_scaling = std::stod(value);
        else if (key == "rest")
            c.choice.rest_tolerance_mV = std::stod(value);
        else if (key == "rest_ms")
            c.choice.longest_quiescent_ms = std::stod(value);
        else if (key == "types")
            c.choice.types = std::stoi(value);
        else if (key == "threads")
            o.stepper.threads = static_cast<unsigned>(std::stoul(value));
        else if (key == "ports")
            c.ports = std::stoi(value);
        else if (key == "network")
            c.network = std::stoul(value);
        else if (key == "keep")
            c.keep = value;
        else if (key == "against")
            c.against.push_back(value);
        else
            throw InputError("CASE", "unknown option '" + words[k] + "' in '" + text + "'");
    }
    return c;
}

ordered_json mesh_of(bench::Bench& b, const device::TissueProblem& p)
{
    const auto& place = b.place();
    ordered_json j;
    if (place.file.empty()) {
        j = {{"kind", "slab"}, {"cubes", place.cubes}, {"spacing_mm", place.spacing_mm}};
        if (place.thin != 1)
            j["thin"] = place.thin;
    } else {
        j = {{"kind", "file"},
             {"file", place.file.substr(place.file.find_last_of('/') + 1)},
             {"refined", place.refine}};
    }
    j["tetrahedra"] = b.mesh().tetrahedron_count();
    j["vertices"] = b.mesh().vertex_count();
    j["sigma_S_per_m"] = {place.sigma.fibre, place.sigma.sheet, place.sigma.normal};
    j["operator_hash"] = bench::operator_hash(p.system.alpha);
    return j;
}

/// What every record begins with.
ordered_json head(bench::Bench& b, const Case& c, const device::TissueProblem& p)
{
    ordered_json j;
    j["schema"] = 1;
    j["commit"] = bench::built_from;
    j["compiler"] = TAWARA_COMPILER;
    j["driver"] = driver();
    j["case"] = c.text;
    j["bench"] = c.options.bench;
    j["precision"] = std::string(name(c.options.stepper.precision));
    j["mesh"] = mesh_of(b, p);
    j["scheme"] = c.choice.scheme;
    j["model"] = c.choice.model;
    j["cell_types"] = c.choice.types;
    j["reaction_scheme"] = std::string(cell::name(c.choice.reaction));
    j["dt_ms"] = p.dt_ms;
    j["mass_scaling"] = c.choice.mass_scaling;
    j["added_volume_fraction"] = p.system.added_volume_fraction;
    j["rest_tolerance_mV"] = p.rest_tolerance_mV;
    if (p.rest_tolerance_mV > 0)
        j["longest_quiescent_ms"] = p.longest_quiescent_ms;
    if (c.choice.interpolated)
        j["currents"] = "interpolated";
    j["stable_dt_ms"] = p.system.stable_dt_ms;
    j["diffusion_stages"] = p.substeps.stages;
    if (p.stepping == device::Stepping::newton) {
        j["stepping"] = "newton";
        j["mass"] = std::string(diffusion::name(p.system.mass));
        j["newton_tolerance_mV"] = p.newton.tolerance_mV;
        j["longest_step_ms"] = p.newton.adaptive ? p.newton.dt_max_ms : p.dt_ms;
    }
    if (device::needs_solver(p)) {
        j["stepping"] = c.choice.stepping.empty() ? "explicit" : c.choice.stepping;
        j["mass"] = std::string(diffusion::name(p.system.mass));
        j["solver_tolerance_mV"] = p.solver_tolerance_mV;
    }
    if (c.choice.check)
        j["stability"] = {{"stable", p.system.stability.stable},
                          {"proven_cell_by_cell", p.system.stability.proven_cell_by_cell},
                          {"proven_by_patches", p.system.stability.proven_by_patches},
                          {"smallest_m", p.system.stability.smallest_m},
                          {"repaired_cells", p.system.stability.repaired_cells},
                          {"largest_growth", p.system.stability.largest_growth}};
    j["nonzeros_per_row"] =
        static_cast<double>(p.system.alpha.column.size()) / static_cast<double>(p.size());
    j["unknowns"] = p.size();
    return j;
}

ordered_json errors(const bench::TimeErrors& e)
{
    return {{"both", e.both},  {"one", e.one},      {"rms_ms", e.rms},
            {"max_ms", e.max}, {"mean_ms", e.mean}, {"percentile99_ms", e.percentile99}};
}

std::vector<double> apd90(const device::Maps& m)
{
    std::vector<double> a(m.activation_ms.size());
    for (std::size_t u = 0; u < a.size(); ++u)
        a[u] = m.apd90(u);
    return a;
}

ordered_json beat_record(bench::Bench& b, const Case& c)
{
    static std::map<std::string, std::pair<device::Maps, std::vector<double>>> kept;
    const auto& p = b.problem(c.choice);
    auto j = head(b, c, p);
    auto r = bench::run_beat(b, p, c.options.stepper, static_cast<double>(c.options.steps));
    j["device"] = r.device;
    j["simulated_ms"] = r.simulated_ms;
    j["seconds"] = r.seconds;
    j["processor_seconds"] = r.processor_seconds;
    j["seconds_per_simulated_second"] = 1e3 * r.seconds / r.simulated_ms;
    j["unknown_steps_per_s"] =
        static_cast<double>(r.unknowns) * r.simulated_ms / p.dt_ms / r.seconds;
    if (p.rest_tolerance_mV > 0)
        j["share_at_rest"] = r.share_quiescent; // of the steps of all unknowns
    j["activated"] = r.activated;
    j["repolarised"] = r.repolarised;
    j["last_activation_ms"] = r.last_activation_ms;
    if (r.newton)
        j["newton"] = {
            {"steps", r.newton->steps},         {"newton", r.newton->newton},
            {"linear", r.newton->linear},       {"rejected", r.newton->rejected},
            {"halved", r.newton->halved},       {"most_newton", r.newton->most_newton},
            {"questions", r.newton->questions}, {"host_decides", r.newton->host_decides}};
    for (const auto& name : c.against) {
        const auto& k = kept.at(name);
        const bool same = k.second.size() == r.maps.activation_ms.size();
        const auto apd = apd90(r.maps);
        const auto& maps = k.first;
        j["against"][name] = {
            {"activation",
             errors(bench::compare(r.maps.activation_ms,
                                   same ? maps.activation_ms : b.at_vertices(maps.activation_ms)))},
            {"apd90", errors(bench::compare(apd, same ? k.second : b.at_vertices(k.second)))}};
    }
    for (const auto& k : r.kernels) {
        j["kernels"].push_back({{"name", k.name},
                                {"calls", k.calls},
                                {"ms", k.ms},
                                {"bytes", k.bytes},
                                {"flops", k.flops}});
        if (k.tetrahedra > 0)
            j["kernels"].back()["tetrahedra"] = k.tetrahedra;
    }
    j["seconds_of_setup"] = {{"operator", b.seconds_of_operator()}, {"case", r.setup_seconds}};
    if (!c.keep.empty()) {
        auto apd = apd90(r.maps);
        kept[c.keep] = {std::move(r.maps), std::move(apd)};
    }
    return j;
}

/// A network of cables, joined at every twentieth node.
void add_network(device::Stepper& stepper, const device::TissueProblem& p, std::size_t nodes)
{
    test::NetworkShape shape;
    shape.nodes = nodes, shape.branches = nodes / 10 | 1U;
    shape.junctions = static_cast<int>(nodes / 20);
    const auto d = test::some_network(shape, p.dt_ms);
    stepper.add_part(ports_of(p, shape.junctions),
                     [&](int device) -> std::unique_ptr<device::Part> {
                         return device < 0 ? cable::make_cpu_network(d)
                                           : cable::cuda::make_cuda_network(d, device);
                     });
}

ordered_json record(bench::Bench& b, const Case& c)
{
    const auto& p = b.problem(c.choice);
    const auto start = std::chrono::steady_clock::now();
    auto options = c.options;
    options.source = b.stimulus(p);
    if (c.ports > 0)
        options.prepare = [&](device::Stepper& stepper) {
            test::ChainValues chain;
            chain.ports = c.ports, chain.cells = c.ports, chain.junction = 0.01;
            stepper.add_part(ports_of(p, c.ports), test::chain_maker(chain, chain.rest_mV));
        };
    if (c.network > 0)
        options.prepare = [&](device::Stepper& stepper) { add_network(stepper, p, c.network); };
    const auto r = device::bench(p, options);
    const double total =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    auto j = head(b, c, p);
    j["device"] = r.device;
    if (r.parts.size() > 1)
        j["parts"] = r.parts;
    j["steps"] = r.steps;
    j["activated"] = r.activated;
    j["seconds"] = r.seconds;
    j["unknown_steps_per_s"] = r.unknown_steps_per_s;
    j["median_ms"] = r.median_ms;
    j["samples_ms"] = r.samples_ms;
    j["seconds_per_simulated_second"] = r.median_ms / p.dt_ms;
    j["ceilings"] = {{"triad_GB_per_s", r.ceilings.triad_GB_per_s},
                     {"copy_GB_per_s", r.ceilings.copy_GB_per_s},
                     {"fp64_GFLOP_per_s", r.ceilings.fp64_GFLOP_per_s},
                     {"fp32_GFLOP_per_s", r.ceilings.fp32_GFLOP_per_s}};
    // The bound of NUMERICS.md, 5: 216 B per cell and sub-step over triad, 305 B per cell over
    // copy; half of the bytes in single precision but for the indices and types (144 and 153).
    // Mixed: the matrix in single precision alone.
    const bool single = r.precision == "single";
    const double row = single ? 144 : r.precision == "mixed" ? 152 : 216;
    const double bound = static_cast<double>(r.unknowns) * 1e-6 *
                         (row * r.diffusion_stages / r.ceilings.triad_GB_per_s +
                          (single ? 153 : 305) / r.ceilings.copy_GB_per_s);
    j["memory_bound_ms"] = bound;
    j["times_memory_bound"] = r.median_ms / bound;
    for (const auto& k : r.kernels)
        j["kernels"].push_back({{"name", k.name},
                                {"ms", k.ms},
                                {"bytes", k.bytes},
                                {"flops", k.flops},
                                {"GB_per_s", k.bytes / k.ms * 1e-6},
                                {"ceiling_GB_per_s", k.ceiling_GB_per_s},
                                {"fraction", k.fraction},
                                {"bound_by", k.bound_by}});
    for (std::size_t k = 0; c.options.counted > 0 && r.not_counted.empty() && k < r.kernels.size();
         ++k) {
        j["kernels"][k]["counted_bytes"] = r.kernels[k].counted_bytes;
        j["kernels"][k]["counted_over_modelled"] = r.kernels[k].counted_bytes / r.kernels[k].bytes;
    }
    if (!r.not_counted.empty())
        j["not_counted"] = r.not_counted;
    j["seconds_of_setup"] = {{"operator", b.seconds_of_operator()}, {"case", total - r.seconds}};
    return j;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        bench::Place place;
        bench::Choice choice;
        std::vector<std::string> cases;
        for (int i = 1; i < argc; ++i) {
            const std::string a = argv[i];
            const auto value = [&] {
                if (++i >= argc)
                    throw InputError(a, "needs a value");
                return std::string(argv[i]);
            };
            if (a == "--cubes")
                place.cubes = std::stoi(value());
            else if (a == "--spacing")
                place.spacing_mm = std::stod(value());
            else if (a == "--thin")
                place.thin = std::stod(value());
            else if (a == "--stimulated")
                place.stimulated_mm = std::stod(value());
            else if (a == "--mesh")
                place.file = value();
            else if (a == "--refine")
                place.refine = std::stoi(value());
            else if (a == "--sigma") {
                std::stringstream s(value());
                char comma = 0;
                s >> place.sigma.fibre >> comma >> place.sigma.sheet >> comma >> place.sigma.normal;
            } else if (a == "--scheme")
                choice.scheme = value();
            else if (a == "--types")
                choice.types = std::stoi(value());
            else if (a == "--stages")
                choice.stages = std::stoi(value());
            else
                cases.push_back(a);
        }
        bench::Bench b(place);
        for (const auto& text : cases) {
            const auto c = parse(text, choice);
            std::cout << (c.options.bench == "beat" ? beat_record(b, c) : record(b, c)).dump()
                      << std::endl;
        }
        return 0;
    } catch (const InputError& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 4;
    }
}
