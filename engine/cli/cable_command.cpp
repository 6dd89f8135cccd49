// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/cable_command.hpp"

#include "engine/cable/cpu/solver.hpp"
#include "engine/cable/cuda/measure.hpp"
#include "engine/cli/bench_triads.hpp"
#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/device/stepper.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

using namespace cable;

constexpr const char* mixed = "mixed"; ///< the stand-ins in turn

struct Named
{
    std::string name;
    Tree tree;
};

/// @throws InputError for what is no tree
std::vector<Named> trees_of(const std::vector<std::string>& asked)
{
    constexpr std::size_t most = 1'000'000;
    std::vector<Named> out;
    for (const auto& name : asked) {
        if (name == mixed)
            continue;
        const auto before = out.size();
        for (const auto& s : stand_ins())
            if (name == "stand-ins" || name == s.name)
                out.push_back({s.name, random_tree(s.nodes, s.branches, 1)});
        std::size_t nodes = 0;
        if (name.starts_with("chain:")) {
            const auto [end, error] =
                std::from_chars(name.data() + 6, name.data() + name.size(), nodes);
            if (error != std::errc() || end != name.data() + name.size() || nodes < 1 ||
                nodes > most)
                throw InputError("bench cable", "'" + name +
                                                    "' is no chain; it should be chain:N of 1 to " +
                                                    std::to_string(most) + " nodes");
            out.push_back({name, chain(nodes)});
        }
        if (out.size() == before) {
            std::string known = std::string(", ") + mixed;
            for (const auto& s : stand_ins())
                known += ", " + s.name;
            throw InputError("bench cable",
                             "'" + name + "' is no tree; it should be chain:N, stand-ins" + known);
        }
    }
    return out;
}

/// Lines and results of one batch.
struct Found
{
    const Context& c;
    double bytes; ///< that every solver moves at least
    Json ways = Json::array();

    void add(const std::string& device, unsigned threads, const std::string& way, double us,
             double hot_us, double triad, double error)
    {
        const double rate = bytes / us / 1e3;
        ways.push_back({{"device", device},
                        {"threads", threads},
                        {"way", way},
                        {"us", us},
                        {"hot_us", hot_us},
                        {"GB_per_s", rate},
                        {"of_triad", rate / triad},
                        {"error", error}});
        char line[200];
        const auto on = device == "cpu" ? std::to_string(threads) + " x cpu" : device;
        std::snprintf(line, sizeof line,
                      "  %-8s %-50s %12.1f us  %7.1f GB/s  %5.3f of triad  error %.1e", on.c_str(),
                      way.c_str(), us, rate, rate / triad, error);
        c.say(line);
    }
};

template <class Real>
void on_cpu(Found& f, const Tree& t, std::size_t systems, const Triads& triads)
{
    const Batch flat{t.nodes(), systems};
    auto reference = random_systems<double>(t, flat, 1);
    ThreadPool one(1);
    cpu::solve(t, flat, reference, one);
    const Batch batches[]{flat,
                          {t.nodes(), systems, Layout::full_interleaved},
                          {t.nodes(), systems, Layout::block_interleaved, 16}};
    for (const auto& b : batches) {
        const auto given = random_systems<Real>(t, b, 1);
        auto now = given;
        for (const auto& [threads, triad] : triads.cpu) {
            ThreadPool pool(threads);
            const double s =
                least_seconds([&] { cpu::solve(t, b, now, pool); },
                              [&] { now.diagonal = given.diagonal, now.rhs = given.rhs; });
            double most = 1e-300, away = 0;
            for (std::size_t k = 0; k < systems; ++k)
                for (std::size_t i = 0; i < t.nodes(); ++i) {
                    const double wanted = reference.rhs[flat.place(i, k)];
                    most = std::max(most, std::abs(wanted));
                    const double d = std::abs(static_cast<double>(now.rhs[b.place(i, k)]) - wanted);
                    away = d <= away ? away : d;
                }
            f.add("cpu", threads, "sweep, " + std::string(name(b.layout)), 1e6 * s, 0, triad,
                  away / most);
        }
    }
}

MixedBatch stand_ins_in_turn(std::size_t systems)
{
    MixedBatch b;
    for (const auto& s : stand_ins())
        b.trees.push_back(random_tree(s.nodes, s.branches, 1));
    for (std::size_t k = 0; k < systems; ++k)
        b.tree_of.push_back(static_cast<std::uint32_t>(k % b.trees.size()));
    return b;
}

template <class Real>
void mix_on_cpu(Found& f, const MixedBatch& b, const Triads& triads)
{
    auto wanted = random_systems<double>(b, 1);
    ThreadPool one(1);
    cpu::solve(b, wanted, one);
    const auto given = random_systems<Real>(b, 1);
    auto now = given;
    for (const auto& [threads, triad] : triads.cpu) {
        ThreadPool pool(threads);
        const double s = least_seconds([&] { cpu::solve(b, now, pool); },
                                       [&] { now.diagonal = given.diagonal, now.rhs = given.rhs; });
        double most = 1e-300, away = 0;
        for (std::size_t i = 0; i < now.rhs.size(); ++i) {
            most = std::max(most, std::abs(wanted.rhs[i]));
            const double d = std::abs(static_cast<double>(now.rhs[i]) - wanted.rhs[i]);
            away = d <= away ? away : d;
        }
        f.add("cpu", threads, "sweep, flat", 1e6 * s, 0, triad, away / most);
    }
}

/// Measures systems on trees that differ. @return as a batch of one tree
Json measure_mix(const Context& c, std::size_t systems, Precision precision, const Triads& triads)
{
    const auto b = stand_ins_in_turn(systems);
    const auto nodes = b.first().back();
    Found f{c, words_per_node * (precision == Precision::double_ ? 8 : 4) *
                   static_cast<double>(nodes)};
    c.say("mixed: " + std::to_string(b.trees.size()) + " trees in turn, " +
          std::to_string(systems) + " systems, " + std::to_string(nodes) + " nodes in all");
    if (!triads.cpu.empty())
        precision == Precision::double_ ? mix_on_cpu<double>(f, b, triads)
                                        : mix_on_cpu<float>(f, b, triads);
#if TAWARA_HAVE_CUDA
    if (triads.gpu_number >= 0) {
        const auto m = cable::cuda::measure_mixed(b, precision, triads.gpu_number);
        f.add("cuda:" + std::to_string(triads.gpu_number), 0, m.way, m.cold_us, m.hot_us,
              triads.gpu, m.error);
    }
#endif
    return {{"tree", mixed},
            {"nodes_of_all", nodes},
            {"systems", systems},
            {"words_per_node", words_per_node},
            {"ways", f.ways}};
}

/// @throws InputError where a batch's numbers have no room
void need_room(const Named& t, long systems, double real_bytes, bool cpu)
{
    if (systems < 1 || systems > 100'000'000)
        throw InputError("--systems",
                         "is " + std::to_string(systems) + "; it should be from 1 to 100000000");
    // the CPU holds them given, now, and once more in double precision; a GPU some hundreds
    const double there = available_memory_bytes();
    const double wanted = static_cast<double>(t.tree.nodes()) * static_cast<double>(systems) * 4 *
                          (2 * real_bytes + 8);
    if (cpu && there > 0 && wanted > 0.8 * there)
        throw InputError("--systems",
                         std::to_string(systems) + " systems of " + t.name + " take " +
                             std::to_string(std::lround(wanted / 1e6)) + " MB, and " +
                             std::to_string(std::lround(there / 1e6)) +
                             " MB are free; fewer systems would be right, or --devices cuda");
}

} // namespace

void TreeArguments::declare(CLI::App& app)
{
    app.add_option(
           "trees", trees,
           "stand-ins (trees of published sizes), one of them, mixed (all in turn), or chain:N")
        ->type_name("TREE");
    app.add_option("--systems", systems, "systems of a batch, one or more numbers")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--out", out, "a file for the result as JSON")->type_name("FILE");
}

void measure_trees(Context& c, const TreeArguments& a, const DeviceArguments& device)
{
    const auto precision = device.parsed_precision();
    if (precision == Precision::mixed)
        throw InputError("--precision", "is mixed; it should be double or single for systems");
    const double real_bytes = precision == Precision::double_ ? 8 : 4;
    const auto trees = trees_of(a.trees);
    const bool cpu = device::Devices(device.devices).kind != device::Devices::Kind::cuda;
    const bool with_mixed = std::find(a.trees.begin(), a.trees.end(), mixed) != a.trees.end();
    const auto largest =
        std::max_element(stand_ins().begin(), stand_ins().end(),
                         [](const StandIn& x, const StandIn& y) { return x.nodes < y.nodes; });
    for (const long systems : a.systems) {
        for (const auto& t : trees)
            need_room(t, systems, real_bytes, cpu);
        if (with_mixed) // a system has no more nodes than the largest tree
            need_room({mixed, chain(largest->nodes)}, systems, real_bytes, cpu);
    }
    const unsigned all = device.threads > 0 ? device.threads : c.console().context.threads;
    const Triads triads(c, device, all);
    Json batches = Json::array();
    for (const auto& t : trees)
        for (const long n : a.systems) {
            const auto systems = static_cast<std::size_t>(n);
            Found f{c, words_per_node * real_bytes * static_cast<double>(t.tree.nodes()) *
                           static_cast<double>(systems)};
            c.say(t.name + ": " + std::to_string(t.tree.nodes()) + " nodes, " +
                  std::to_string(branches(t.tree)) + " branches, " + std::to_string(n) +
                  " systems");
            if (!triads.cpu.empty())
                precision == Precision::double_ ? on_cpu<double>(f, t.tree, systems, triads)
                                                : on_cpu<float>(f, t.tree, systems, triads);
#if TAWARA_HAVE_CUDA
            std::vector<std::string> remarks;
            if (triads.gpu_number >= 0)
                for (const auto& m : cable::cuda::measure_solvers(t.tree, systems, precision,
                                                                  triads.gpu_number, remarks))
                    f.add("cuda:" + std::to_string(triads.gpu_number), 0, m.way, m.cold_us,
                          m.hot_us, triads.gpu, m.error);
            for (const auto& r : remarks)
                c.say("  " + r);
#endif
            batches.push_back({{"tree", t.name},
                               {"nodes", t.tree.nodes()},
                               {"branches", branches(t.tree)},
                               {"systems", n},
                               {"words_per_node", words_per_node},
                               {"ways", f.ways}});
        }
    if (with_mixed)
        for (const long n : a.systems)
            batches.push_back(measure_mix(c, static_cast<std::size_t>(n), precision, triads));
    const Json result{{"bench", "cable"},
                      {"version", program_version()},
                      {"built_from", program_commit()},
                      {"precision", device.precision},
                      {"ceilings", triads.json},
                      {"batches", batches}};
    if (!a.out.empty())
        write_whole(a.out, [&](std::ostream& out) { out << result.dump(1) << '\n'; });
    c.result(result);
}

} // namespace tawara::cli
