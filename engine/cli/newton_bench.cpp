// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/newton_bench.hpp"

#include "engine/cli/bench_tissue.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/results/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

struct NewtonBenchArguments : BenchTissue
{
    double end_ms = 30, longest_ms = 0, tolerance_mV = device::NewtonSettings{}.tolerance_mV;
    double explicit_dt_ms = 0.02;
    bool consistent = false;
};

/// A wave by one way of stepping.
struct Wave // NOLINT(bugprone-exception-escape): moves of Json throw nothing
{
    Json json;
    std::vector<double> activation_ms; ///< of each unknown; NaN: never
};

Wave wave(Context& c, const NewtonBenchArguments& a, const simulation::Session& session,
          const simulation::RunOptions& options)
{
    const auto progress = c.progress();
    const auto tissue = simulation::build_tissue(session, progress);
    const auto stepper = device::make_stepper(tissue.problem, options.device, progress);
    for (const auto& s : session.stimuli)
        for (auto& source : sources_of(tissue, s, "bench", "/stimuli"))
            stepper->add_stimulus(std::move(source));
    const auto steps = std::max(1L, std::lround(a.end_ms / session.dt_ms));
    simulation::PhaseTimes phases;
    phases.stepping_s = take_steps(*stepper, steps, progress);
    const auto report = Json::parse(
        simulation::make_report(
            {session, options, tissue, *stepper, phases, 0, "end", stepper->kernels(), "", {}})
            .json);
    Wave w;
    w.activation_ms = stepper->snapshot().activation_ms;
    w.json = {{"device", stepper->device()},
              {"precision", a.device.precision},
              {"dt_ms", session.dt_ms},
              {"time_ms", stepper->time_ms()},
              {"unknowns", tissue.problem.size()},
              {"steps", steps},
              {"seconds", phases.stepping_s}};
    if (const auto n = stepper->newton_counts()) {
        w.json["steps_solved"] = n->steps;
        w.json["newton_iterations"] = n->newton;
        w.json["linear_iterations"] = n->linear;
        w.json["rejected_steps"] = n->rejected;
        w.json["halved_steps"] = n->halved;
    }
    w.json["activated"] = report["activated"];
    w.json["kernels"] = report["kernels"];
    w.json["ceilings"] = report["ceilings"];
    return w;
}

void say(Context& c, const std::string& what, const Json& j)
{
    char line[240];
    const double seconds = j["seconds"].get<double>();
    std::snprintf(line, sizeof line,
                  "%s, %s, %s: %lld unknowns, %g ms in %.3f s; %lld unknowns activated",
                  what.c_str(), j["device"].get<std::string>().c_str(),
                  j["precision"].get<std::string>().c_str(), j["unknowns"].get<long long>(),
                  j["time_ms"].get<double>(), seconds, j["activated"].get<long long>());
    c.say(line);
    if (j.contains("steps_solved")) {
        const auto solved = std::max(1.0, j["steps_solved"].get<double>());
        const double newton = j["newton_iterations"].get<double>();
        std::snprintf(
            line, sizeof line,
            "  %lld steps (%lld were too long, %lld were halved), each of %.2f iterations "
            "of Newton's method, each of those of %.1f of conjugate gradients",
            j["steps_solved"].get<long long>(), j["rejected_steps"].get<long long>(),
            j["halved_steps"].get<long long>(), newton / solved,
            j["linear_iterations"].get<double>() / std::max(1.0, newton));
        c.say(line);
    }
    say_kernels(c, j["kernels"]);
}

/// Root mean square of the difference of two maps, where both have a value.
Json difference(const std::vector<double>& x, const std::vector<double>& y)
{
    double sum = 0;
    std::int64_t both = 0, one = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const bool in_x = std::isfinite(x[k]), in_y = std::isfinite(y[k]);
        one += in_x != in_y ? 1 : 0;
        if (!in_x || !in_y)
            continue;
        sum += (x[k] - y[k]) * (x[k] - y[k]);
        ++both;
    }
    Json j{{"unknowns", both}, {"in_one_alone", one}};
    if (both > 0)
        j["rms_ms"] = std::sqrt(sum / static_cast<double>(both));
    return j;
}

void bench(Context& c, NewtonBenchArguments a)
{
    need_positive("--end", a.end_ms);
    need_positive("--tolerance", a.tolerance_mV);
    if (!std::isfinite(a.longest_ms) || (a.longest_ms != 0 && a.longest_ms < a.dt_ms))
        throw InputError("--longest", "is " + std::to_string(a.longest_ms) +
                                          "; it should be 0 (all steps are as long as --dt) or at "
                                          "least --dt");
    if (!std::isfinite(a.explicit_dt_ms) || a.explicit_dt_ms < 0)
        throw InputError("--explicit-dt", "is " + std::to_string(a.explicit_dt_ms) +
                                              "; it should be a time step in ms, or 0 for none");
    if (a.end_ms < a.dt_ms)
        throw InputError("--end", "is shorter than one step; it should be at least --dt");
    auto session = bench_session(c, a);
    const auto options = bench_options(a);
    if (a.consistent)
        session.mass = diffusion::Mass::consistent;
    session.stepping = simulation::Stepping::newton;
    session.newton.tolerance_mV = a.tolerance_mV;
    session.newton.adaptive = a.longest_ms > 0;
    if (a.longest_ms > 0)
        session.newton.dt_max_ms = a.longest_ms;
    const auto implicit = wave(c, a, session, options);
    say(c, "Newton's method", implicit.json);
    Json j{{"bench", "newton"},
           {"model", session.regions.front().model},
           {"mass", a.consistent ? "consistent" : "lumped"},
           {"tolerance_mV", a.tolerance_mV},
           {"longest_step_ms", a.longest_ms > 0 ? a.longest_ms : a.dt_ms}};
    for (const auto& [key, value] : implicit.json.items())
        j[key] = value;
    if (a.explicit_dt_ms > 0) {
        auto peer = session;
        peer.stepping = simulation::Stepping::explicit_;
        peer.mass = diffusion::Mass::lumped; // explicit steps have no other
        peer.newton = {};
        peer.dt_ms = a.explicit_dt_ms;
        auto e = wave(c, a, peer, options);
        const auto differ = difference(implicit.activation_ms, e.activation_ms);
        say(c, "explicit steps", e.json);
        char line[200];
        const double times = implicit.json["seconds"].get<double>() /
                             std::max(e.json["seconds"].get<double>(), 1e-9);
        std::snprintf(line, sizeof line, "Newton's method takes %.3g times as long", times);
        std::string text = line;
        if (differ.contains("rms_ms")) {
            std::snprintf(line, sizeof line, "; activation differs by %.3g ms RMS",
                          differ["rms_ms"].get<double>());
            text += line;
        }
        c.say(text);
        e.json.erase("ceilings");
        j["explicit"] = e.json;
        j["times_explicit"] = times;
        j["activation_difference"] = differ;
    }
    c.result(j);
}

} // namespace

void declare_newton_bench(const Declaration& d, CLI::App& parent)
{
    auto a = std::make_shared<NewtonBenchArguments>();
    a->scheme = "p1", a->model = "aliev_panfilov_1996";
    a->size = 20'000, a->dt_ms = 0.1;
    auto* sub =
        d.command(parent, "newton", "a wave by implicit finite elements, and by explicit ones",
                  [a](Context& c) { bench(c, *a); });
    a->declare(*sub);
    sub->add_option("--end", a->end_ms, "of the wave [ms]")->capture_default_str();
    sub->add_option("--longest", a->longest_ms,
                    "longest step, chosen by its error [ms]; 0: all are as long as --dt")
        ->capture_default_str();
    sub->add_option("--tolerance", a->tolerance_mV, "of Newton's method [mV]")
        ->capture_default_str();
    sub->add_flag("--consistent", a->consistent, "the consistent mass matrix, not the lumped one");
    sub->add_option("--explicit-dt", a->explicit_dt_ms,
                    "step of the explicit peer [ms]; 0: it is left out")
        ->capture_default_str();
}

} // namespace tawara::cli
