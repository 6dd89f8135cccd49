// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli bench: measured rates beside the ceilings measured in the same run.
#include "engine/cli/bench_tissue.hpp"
#include "engine/cli/cable_command.hpp"
#include "engine/cli/calcium_command.hpp"
#include "engine/cli/newton_bench.hpp"
#include "engine/cli/spmv_command.hpp"
#include "engine/cli/study_bench.hpp"
#include "engine/core/error.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/results/report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace tawara::cli {
namespace {

struct BenchArguments : BenchTissue
{
    long steps = 200;
    bool counters = false;
    MatrixArguments matrices; ///< of spmv
    TreeArguments trees;      ///< of cable
};

/// Threads of the CPU that are compared or measured.
unsigned threads_of(const Context& c, const BenchArguments& a)
{
    return a.device.threads > 0 ? a.device.threads : c.console().context.threads;
}

/// A kernel's figures less those of the warm-up.
Json since_warm_up(Json k, const device::KernelRecord& warm)
{
    const double whole_ms = k["ms"].get<double>(), ms = std::max(whole_ms - warm.ms, 1e-9);
    const double calls = k["calls"].get<double>();
    const double share = calls > 0 ? 1 - static_cast<double>(warm.calls) / calls : 0;
    const double bytes = share * k["bytes"].get<double>();
    const double flops = share * k["flops"].get<double>();
    k["fraction"] = k["fraction"].get<double>() * whole_ms * share / ms;
    k.erase("remark"); // of the fraction with the warm-up
    k["calls"] = k["calls"].get<std::int64_t>() - warm.calls;
    k["ms"] = ms;
    k["bytes"] = bytes;
    k["flops"] = flops;
    k["GB_per_s"] = bytes / ms / 1e6;
    k["GFLOP_per_s"] = flops / ms / 1e6;
    return k;
}

void say_figures(Context& c, const Json& j)
{
    char line[240];
    std::snprintf(line, sizeof line,
                  "%s, %s: %lld unknowns, %lld steps in %.3f s, %.2f million per second",
                  j["device"].get<std::string>().c_str(), j["precision"].get<std::string>().c_str(),
                  j["unknowns"].get<long long>(), j["steps"].get<long long>(),
                  j["seconds"].get<double>(), j["unknown_steps_per_s"].get<double>() / 1e6);
    c.say(line);
    say_kernels(c, j["kernels"]);
}

/// Bytes by hardware counters beside those of the data structures, or why there are none.
void count_bytes(Context& c, device::Stepper& stepper, long steps, Json& j, Json& kernels)
{
    constexpr int counted_steps = 4;
    const auto why = stepper.advance_counted(counted_steps);
    if (!why.empty()) {
        j["not_counted"] = why;
        c.say("no hardware counters: " + why);
        return;
    }
    const double share = static_cast<double>(steps) / static_cast<double>(stepper.step());
    for (const auto& now : stepper.kernels())
        for (auto& k : kernels)
            if (k["name"] == now.name)
                k["counted_bytes"] = share * now.counted_bytes;
}

/// @throws InputError for counts that cannot be
void check(const BenchArguments& a)
{
    if (a.steps < 1)
        throw InputError("--steps", "is " + std::to_string(a.steps) + "; it should be at least 1");
}

/// Steps the tissue; the figures of all kernels, or of those whose name starts with `only`.
Json measure(Context& c, const BenchArguments& a, const simulation::Session& session,
             const simulation::Tissue& tissue, const simulation::RunOptions& options,
             const std::string& bench, const std::string& only)
{
    const auto progress = c.progress();
    const auto stepper = device::make_stepper(tissue.problem, options.device, progress);
    for (const auto& s : session.stimuli)
        for (auto& source : sources_of(tissue, s, "bench", "/stimuli"))
            stepper->add_stimulus(std::move(source));
    const long warm_up = std::min<long>(20, a.steps);
    take_steps(*stepper, warm_up, progress);
    const auto before = stepper->kernels();
    simulation::PhaseTimes phases;
    phases.stepping_s = take_steps(*stepper, a.steps, progress);
    const auto report = Json::parse(simulation::make_report({session,
                                                             options,
                                                             tissue,
                                                             *stepper,
                                                             phases,
                                                             warm_up,
                                                             "end",
                                                             stepper->kernels(),
                                                             "",
                                                             {}})
                                        .json);

    Json j{{"bench", bench},
           {"device", stepper->device()},
           {"precision", a.device.precision},
           {"scheme", a.scheme},
           {"reaction", a.reaction},
           {"model", session.regions.front().model},
           {"dt_ms", a.dt_ms},
           {"unknowns", tissue.problem.size()},
           {"steps", a.steps}};
    Json kernels = Json::array();
    double seconds = 0;
    for (const auto& k : report["kernels"])
        for (const auto& warm : before)
            if (k["name"] == warm.name && warm.name.starts_with(only)) {
                kernels.push_back(since_warm_up(k, warm));
                seconds += kernels.back()["ms"].get<double>() / 1e3;
            }
    if (only.empty())
        seconds = phases.stepping_s;
    else if (kernels.empty())
        throw InputError("bench " + bench,
                         "this device does not time that part by itself; use bench step");
    if (a.counters)
        count_bytes(c, *stepper, a.steps, j, kernels);
    j["seconds"] = seconds;
    j["unknown_steps_per_s"] =
        static_cast<double>(a.steps) * static_cast<double>(tissue.problem.size()) / seconds;
    j["kernels"] = kernels;
    j["ceilings"] = report["ceilings"];
    j["diffusion"] = report["diffusion"];
    return j;
}

void step(Context& c, const BenchArguments& a, const std::string& bench, const std::string& only)
{
    check(a);
    const auto session = bench_session(c, a);
    auto options = bench_options(a);
    if (!only.empty())
        options.device.tuning.fused = false; // the part as a kernel of its own
    const auto tissue = build_tissue(session, c.progress());
    auto j = measure(c, a, session, tissue, options, bench, only);
    if (bench == "spmv") { // one pass of it
        const auto rows = static_cast<double>(tissue.problem.size());
        const auto entries = static_cast<double>(tissue.problem.system.alpha.column.size());
        const double passes =
            static_cast<double>(a.steps) * std::max(1, tissue.problem.substeps.stages);
        double bytes = 0;
        for (const auto& k : j["kernels"])
            bytes += k["bytes"].get<double>();
        j["nonzeros"] = tissue.problem.system.alpha.column.size();
        j["nonzeros_per_row"] = entries / rows;
        j["bytes_per_row"] = bytes / passes / rows;
        j["ms_per_product"] = 1e3 * j["seconds"].get<double>() / passes;
        j["GB_per_s"] = bytes / j["seconds"].get<double>() / 1e9;
        j["GFLOP_per_s"] = 2 * entries * passes / j["seconds"].get<double>() / 1e9;
    }
    say_figures(c, j);
    c.result(j);
}

/// What is measured one after the other: 1, 2, 4, ... and all of the devices that are named (every
/// CUDA device for "cuda" and "auto"), or threads of the CPU.
std::vector<std::pair<int, device::StepperOptions>> scale(const Context& c, const BenchArguments& a,
                                                          const device::StepperOptions& from)
{
    const device::Devices named(a.device.devices);
    auto numbers = named.numbers;
    if (numbers.empty() && named.kind != device::Devices::Kind::cpu)
        for (const auto& d : device::devices())
            if (d.usable && d.cuda >= 0)
                numbers.push_back(d.cuda);
    const bool gpus = !numbers.empty();
    const int most = gpus ? static_cast<int>(numbers.size()) : static_cast<int>(threads_of(c, a));
    std::vector<std::pair<int, device::StepperOptions>> out;
    for (int n = 1;; n = std::min(2 * n, most)) {
        auto o = from;
        o.devices = "cpu";
        if (gpus) {
            o.devices = device::Devices::cuda({numbers.begin(), numbers.begin() + n});
        } else {
            o.threads = static_cast<unsigned>(n);
        }
        out.emplace_back(n, o);
        if (n == most)
            return out;
    }
}

/// The same tissue on more and more devices. The figures of the object are those of all of them.
void scaling(Context& c, const BenchArguments& a)
{
    check(a);
    const auto session = bench_session(c, a);
    auto options = bench_options(a);
    const auto tissue = build_tissue(session, c.progress());
    Json points = Json::array(), all;
    double one = 0;
    for (const auto& [n, device] : scale(c, a, options.device)) {
        options.device = device;
        all = measure(c, a, session, tissue, options, "scaling", "");
        const double seconds = all["seconds"].get<double>();
        if (points.empty())
            one = seconds;
        points.push_back({{"parts", n},
                          {"devices", device.devices.text()},
                          {"device", all["device"]},
                          {"seconds", seconds},
                          {"ms_per_step", 1e3 * seconds / static_cast<double>(a.steps)},
                          {"unknown_steps_per_s", all["unknown_steps_per_s"]},
                          {"speedup", one / seconds},
                          {"efficiency", one / seconds / n}});
        char line[160];
        std::snprintf(line, sizeof line,
                      "%3d of %s: %.4f ms a step, %.2f times one, efficiency %.3f", n,
                      device.devices.text().c_str(), 1e3 * seconds / static_cast<double>(a.steps),
                      one / seconds, one / seconds / n);
        c.say(line);
    }
    all["points"] = points;
    c.result(all);
}

void ceilings(Context& c, const BenchArguments& a)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    device::Devices which(a.device.devices);
    if (which.kind == device::Devices::Kind::automatic) { // as a run would choose
        which = "cpu";
        for (const auto& d : device::devices())
            if (d.usable && d.cuda >= 0)
                which = "cuda";
    }
    const auto found = device::measure_ceilings(which, threads_of(c, a));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    Json j{{"bench", "ceilings"},
           {"device", which.text()},
           {"precision", a.device.precision},
           {"unknowns", 0},
           {"steps", 0},
           {"seconds", seconds},
           {"unknown_steps_per_s", 0},
           {"kernels", Json::array()},
           {"triad_GB_per_s", found.triad_GB_per_s},
           {"copy_GB_per_s", found.copy_GB_per_s},
           {"fp64_GFLOP_per_s", found.fp64_GFLOP_per_s},
           {"fp32_GFLOP_per_s", found.fp32_GFLOP_per_s}};
    char line[200];
    std::snprintf(line, sizeof line,
                  "triad %.2f GB/s, copy %.2f GB/s, fp64 %.1f GFLOP/s, fp32 %.1f GFLOP/s, a "
                  "multiply-add counted as two",
                  found.triad_GB_per_s, found.copy_GB_per_s, found.fp64_GFLOP_per_s,
                  found.fp32_GFLOP_per_s);
    c.say(line);
    c.result(j);
}

} // namespace

void declare_bench(const Declaration& d)
{
    auto* bench = d.app.add_subcommand("bench", "measured rates beside measured ceilings");
    bench->require_subcommand(1);
    auto a = std::make_shared<BenchArguments>();
    const auto add = [&](const std::string& name, const std::string& what, Action action) {
        auto* sub = d.command(*bench, name, what, std::move(action));
        a->declare(*sub);
        sub->add_option("--steps", a->steps, "time steps measured")->capture_default_str();
        sub->add_option("--scheme", a->scheme, "diffusion: fvm or p1")->capture_default_str();
        sub->add_option("--reaction", a->reaction, "reaction scheme")->capture_default_str();
        sub->add_flag(
            "--counters", a->counters,
            "also the bytes that a GPU's hardware counters count, where they may be read");
        return sub;
    };
    add("step", "whole tissue steps", [a](Context& c) { step(c, *a, "step", ""); });
    add("reaction", "the cells alone", [a](Context& c) { step(c, *a, "reaction", "reaction"); });
    add("diffusion", "diffusion alone", [a](Context& c) { step(c, *a, "diffusion", "diffusion"); });
    add("ceilings", "what this machine reaches", [a](Context& c) { ceilings(c, *a); });
    auto* spmv = add("spmv", "products with matrices, or with the diffusion one as a step makes it",
                     [a](Context& c) {
                         if (!a->matrices.matrices.empty())
                             return measure_matrices(c, a->matrices, a->device);
                         for (const auto& [key, file] :
                              {std::pair("--out", a->matrices.out), {"--page", a->matrices.page}})
                             if (!file.empty())
                                 throw InputError(key, "is for matrices, and none is named");
                         step(c, *a, "spmv", "diffusion");
                     });
    a->matrices.declare(*spmv);
    add("scaling", "whole steps on 1, 2, 4, ... devices, or threads of the CPU",
        [a](Context& c) { scaling(c, *a); });
    declare_newton_bench(d, *bench);
    declare_calcium_bench(d, *bench);
    declare_study_bench(d, *bench);
    auto* cable = d.command(*bench, "cable", "batches of systems on trees, as cables have them",
                            [a](Context& c) { measure_trees(c, a->trees, a->device); });
    a->trees.declare(*cable);
    a->device.declare(*cable);
}

} // namespace tawara::cli
