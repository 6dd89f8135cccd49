// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/study_bench.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/study/scheduler.hpp"

#include <algorithm>
#include <cstdio>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

struct StudyBenchArguments
{
    std::string study, out = "bench-study";
    int runs = 12;
    double end_ms = 100;
    std::vector<unsigned> at_once;
    DeviceArguments device;
};

/// A study of runs of the built-in heart that cost the same, since nothing is tuned or compiled
/// anew: the stimulus is stronger by a little from run to run. @return its file
fs::path write_study(const StudyBenchArguments& a)
{
    auto session = simulation::default_session();
    session.end_ms = a.end_ms;
    Json amplitudes = Json::array();
    for (int k = 0; k < a.runs; ++k)
        amplitudes.push_back(session.stimuli.at(0).amplitude_pA_per_pF + 0.01 * k);
    const Json study{{"schema", 1},
                     {"name", "runs that cost the same"},
                     {"session", "session.json"},
                     {"axes", {{"stimuli.0.amplitude_pA_per_pF", amplitudes}}},
                     {"keep", Json::array()}};
    const fs::path folder(a.out);
    simulation::write_session(session, folder / "session.json");
    write_whole(folder / "study.json", [&](std::ostream& o) { o << study.dump(2) << '\n'; });
    return folder / "study.json";
}

/// Whole studies, one after the other: run_study() from an empty folder to the last table, after
/// one run by itself, which fills the caches.
void bench(Context& c, StudyBenchArguments a)
{
    if (std::error_code none; fs::exists(a.out, none))
        throw InputError("--out", "'" + a.out +
                                      "' exists; what is in it would count as computed. "
                                      "Remove it, or name another folder");
    need_writable_folder(a.out);
    c.say_new_folder(a.out);
    const auto s = study::read_study(a.study.empty() ? write_study(a) : fs::path(a.study));
    study::StudyOptions o;
    o.device.devices = a.device.devices;
    o.device.precision = a.device.parsed_precision();
    o.device.threads = a.device.threads;
    o.precision_given = a.device.precision_option->count() > 0;
    const unsigned threads = c.console().context.threads;
    if (a.at_once.empty()) {
        const bool on_cpu =
            study::slots_of(o, threads, 0, 1).front().devices.kind == device::Devices::Kind::cpu;
        a.at_once = on_cpu ? std::vector{1U, threads} : std::vector{1U, 2U, 4U, 8U};
    }
    // what is found or compiled once for all studies is not timed
    o.share = {0, static_cast<std::int64_t>(s.runs.size())};
    o.out = fs::path(a.out) / "first-run";
    study::run_study(s, o, c.progress());
    o.share = {};
    Json cases = Json::array();
    double first_s = 0;
    for (const unsigned n : a.at_once) {
        o.at_once = n;
        o.out = fs::path(a.out) / ("at-once-" + std::to_string(n));
        if (fs::exists(o.out)) // it was asked for twice, or the CPU has one thread
            continue;
        const auto outcome = study::run_study(s, o, c.progress());
        c.end_progress();
        if (outcome.done != outcome.runs)
            throw Error(outcome.failed.empty() ? "not all runs of the study were done"
                                               : outcome.failed.front().name +
                                                     " failed: " + outcome.failed.front().reason);
        if (first_s == 0)
            first_s = outcome.seconds;
        const auto runs = static_cast<double>(outcome.runs);
        char line[160];
        std::snprintf(line, sizeof line,
                      "%u at once: %lld runs in %.2f s, %.3f a second, %.2f times the first", n,
                      static_cast<long long>(outcome.runs), outcome.seconds, runs / outcome.seconds,
                      first_s / outcome.seconds);
        c.say(line);
        cases.push_back({{"at_once", n},
                         {"runs", outcome.runs},
                         {"seconds", outcome.seconds},
                         {"runs_per_s", runs / outcome.seconds},
                         {"times_the_first", first_s / outcome.seconds}});
    }
    c.result({{"bench", "study"},
              {"study", s.name},
              {"devices", o.device.devices.text()},
              {"out", a.out},
              {"cases", cases}});
}

} // namespace

void declare_study_bench(const Declaration& d, CLI::App& parent)
{
    auto a = std::make_shared<StudyBenchArguments>();
    auto* sub = d.command(parent, "study",
                          "a study from its start to its last table, with so many runs at once",
                          [a](Context& c) { bench(c, *a); });
    sub->add_option("study", a->study, "study file; else runs of the built-in heart")
        ->type_name("STUDY.json")
        ->option_text("STUDY.json");
    sub->add_option("--runs", a->runs, "of the built-in heart")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    sub->add_option("--end", a->end_ms, "of each of them [ms]")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    sub->add_option("--at-once", a->at_once,
                    "runs at once, on each GPU or on the CPU; else 1, 2, 4, 8 on GPUs, and one and "
                    "as many as threads on the CPU")
        ->delimiter(',')
        ->check(CLI::Range(1U, 256U))
        ->type_name("N,..");
    sub->add_option("--out", a->out, "a new folder for the runs, which stay there")
        ->type_name("DIR")
        ->capture_default_str();
    a->device.declare(*sub);
}

} // namespace tawara::cli
