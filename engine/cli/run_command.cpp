// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli run: a session from a file to its outputs.
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/few_cores.hpp"
#include "engine/device/ranks/member.hpp"
#include "engine/device/ranks/rank_stepper.hpp"
#include "engine/mpi/ranks.hpp"
#include "engine/simulation/parts/run_parts.hpp"
#include "engine/simulation/results/comparison.hpp"
#include "engine/simulation/results/reproduction.hpp"
#include "engine/simulation/run/run_on.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

struct RunArguments
{
    std::vector<std::string> words; ///< the session, and overrides that follow --set
    std::vector<std::string> set;
    std::string out, resume, report;
    double until_ms = 0, dt_ms = 0;
    CLI::Option *until = nullptr, *dt = nullptr;
    bool counters = false, branch = false, distributed = false, reproduce = false;
    bool fit = false, outlive = false;
    DeviceArguments device;
};

/// `--set` may be given once with several values or several times: whatever is PATH=VALUE and no
/// file is an override, and one word is the session.
void sort_words(RunArguments& a, std::string& session)
{
    for (const auto& w : a.words) {
        std::error_code none;
        if (w.find('=') != std::string::npos && !fs::exists(w, none))
            a.set.push_back(w);
        else if (session.empty())
            session = w;
        else
            throw InputError(w, "is one session too many; one run takes one session");
    }
    if (session.empty())
        throw InputError("tawara-cli run", "names no session; give the path of a session file");
    const auto extension = fs::path(session).extension();
    if (extension == ".mmt" || extension == ".cellml")
        throw InputError(session, "is a cell model, not a session; tawara-cli cell run paces one "
                                  "cell, and a session's tissue.regions name models for tissue");
    for (const char* mesh : {".vtu", ".vtk", ".pts", ".elem", ".node", ".ele", ".msh"})
        if (extension == mesh)
            throw InputError(session, "is a mesh, not a session; write one around it: tawara-cli "
                                      "session OUT.json --mesh " +
                                          session);
}

/// @throws InputError for an end that the session's time.end_ms could not be either
void need_end(double until_ms, double dt_ms)
{
    constexpr double most_steps = 1e15;
    char text[120];
    if (until_ms / dt_ms > most_steps)
        std::snprintf(text, sizeof text,
                      "is %g ms; it should be earlier: the run would have more than 1e15 steps",
                      until_ms);
    else if (until_ms < dt_ms)
        std::snprintf(text, sizeof text,
                      "is %g ms; it should be at least one time step, %g ms (time.dt_ms)", until_ms,
                      dt_ms);
    else
        return;
    throw InputError("--until", text);
}

/// The session of a file, or of the standard input ("-"): what it names is then relative to the
/// working folder.
simulation::Session session_of(const Context& c, std::string& file,
                               const std::vector<std::string>& set)
{
    if (file != "-")
        return simulation::read_session(file, set);
    file = "standard input";
    if (c.console().in == nullptr)
        throw InputError(file, "there is none here; give the path of a session file");
    constexpr std::size_t most = 33U << 20; // parse_session() refuses as much
    std::string text;
    std::array<char, 1U << 16> piece;
    while (text.size() < most && c.console().in->read(piece.data(), piece.size()).gcount() > 0)
        text.append(piece.data(), static_cast<std::size_t>(c.console().in->gcount()));
    if (c.console().stop.stop_requested()) // it may not be whole
        throw Cancelled();
    return simulation::parse_session(text, file, set);
}

/// @throws InputError for another extension
void need_html(const fs::path& report)
{
    if (!report.empty() && report.extension() != ".html")
        throw InputError(report.string(), "reports are written as .html; want that extension");
}

/// Whether a run there would replace the report, or the file that a link of its name leads to.
bool is_folder_of(const fs::path& out, const fs::path& report)
{
    std::error_code none;
    const auto here = fs::absolute(report).parent_path();
    const auto real = fs::weakly_canonical(report, none).parent_path();
    return fs::equivalent(out, here, none) || fs::equivalent(out, real, none) ||
           fs::equivalent(out / "report.json", report, none);
}

/// A run as its arguments describe it.
struct AskedRun
{
    simulation::Session session;
    simulation::RunOptions options;
    simulation::RunOn on;
};

/// The run of a report once more: what the command line says of devices comes before what the
/// report says.
/// @throws InputError for what would make another run of it
AskedRun again(const RunArguments& a, simulation::RecordedRun recorded)
{
    const auto& words = a.words;
    if (!a.set.empty() || !a.resume.empty() || a.branch || a.until->count() + a.dt->count() > 0)
        throw InputError("--reproduce", "does the run of a report again as it was; leave out "
                                        "--set, --until, --dt, --resume and --branch");
    AskedRun out{std::move(recorded.session), std::move(recorded.options), {}};
    auto& o = out.options;
    const auto folder = fs::absolute(words.at(0)).lexically_normal().parent_path();
    o.out = a.out.empty() ? fs::path(folder.string() + "-again") : fs::path(a.out);
    if (is_folder_of(o.out, words.at(0)))
        throw InputError("--out " + o.out.string(),
                         "is the folder of the report, whose files would be lost; give another");
    o.html = a.report;
    need_html(o.html);
    o.counters = a.counters;
    if (a.device.devices_option->count() > 0)
        o.device.devices = a.device.devices;
    if (a.device.precision_option->count() > 0)
        o.device.precision = a.device.parsed_precision();
    if (a.device.threads_option->count() > 0)
        o.device.threads = a.device.threads;
    return out;
}

AskedRun asked_run(Context& c, RunArguments a)
{
    if (a.reproduce) {
        if (a.words.size() != 1)
            throw InputError("--reproduce", "takes one report.json");
        auto recorded = simulation::read_report(a.words[0]);
        for (const auto& n : recorded.notices)
            c.notice(n);
        return again(a, std::move(recorded));
    }
    std::string file;
    sort_words(a, file);
    if (a.distributed && (a.fit || a.outlive))
        throw InputError(a.fit ? "--fit" : "--outlive-devices",
                         "is of one process, and --distributed of several; leave one of them out");
    AskedRun out;
    auto& o = out.options;
    o.device.devices = a.device.devices;
    o.device.precision = a.device.parsed_precision();
    o.device.threads = a.device.threads;
    if (a.until->count() > 0) {
        need_positive("--until", a.until_ms);
        o.until_ms = a.until_ms;
    }
    if (a.dt->count() > 0) {
        need_positive("--dt", a.dt_ms);
        char text[40];
        std::snprintf(text, sizeof text, "time.dt_ms=%.17g", a.dt_ms);
        a.set.emplace_back(text);
    }
    o.html = a.report;
    need_html(o.html);
    const std::string of = file == "-" ? "session" : fs::path(file).replace_extension("").string();
    o.out = a.out.empty() ? of + "-out" : a.out;
    out.session = session_of(c, file, a.set);
    const auto& session = out.session;
    if (a.device.precision_option->count() == 0) // else the command line's comes first
        o.device.precision = simulation::asked_precision(session).value_or(o.device.precision);
    if (a.until->count() > 0)
        need_end(a.until_ms, session.dt_ms);
    o.session_file = file;
    o.resume = a.resume;
    o.branch = a.branch;
    if (a.branch && a.resume.empty())
        throw InputError("--branch", "goes with --resume CHECKPOINT, from which it branches off");
    o.counters = a.counters;
    return out;
}

/// By the ranks that there are where the session's mesh is in parts, one for each.
simulation::RunReport run_asked(const AskedRun& w, const Progress& progress)
{
    auto* ranks = progress.context.ranks;
    if (ranks == nullptr || !simulation::parts::is_in_parts(w.session))
        return run_on(w.session, w.options, w.on, progress);
    if (w.options.session_file == "standard input")
        throw InputError("standard input", "is read by one rank alone, and a mesh in parts needs "
                                           "the session in each; give the path of a file");
    device::ranks::begin_parts(*ranks);
    return simulation::parts::run_parts(w.session, w.options, *ranks, progress);
}

/// Says how a run that was done again compares with its report.
void say_comparison(Context& c, const RunArguments& a, const simulation::RunOptions& o,
                    const simulation::RunReport& report)
{
    const fs::path before = a.words.at(0);
    const auto compared = simulation::compare_reports(simulation::read_report(before).json,
                                                      before.parent_path(), report.json, o.out);
    Json j = Json::parse(report.json);
    auto& result = j["reproduced"];
    result = {{"same", compared.same()},
              {"results", Json::array()},
              {"remarks", compared.remarks},
              {"changed_files", compared.changed}};
    for (const auto& r : compared.results) {
        result["results"].push_back({{"what", r.what}, {"same", r.same}, {"how", r.how}});
        c.say(r.what + ": " + (r.same ? "the same bits" : "DIFFERS") +
              (r.how.empty() ? "" : ", " + r.how));
    }
    for (const auto& remark : compared.remarks)
        c.say(remark);
    std::string last = compared.same() ? "reproduced: all that was compared has the bits of "
                                       : "not reproduced: results differ from those of ";
    last += before.string();
    if (compared.changed == 1)
        last += "; 1 file beside it is not what that run had written";
    else if (compared.changed > 1)
        last += "; " + std::to_string(compared.changed) +
                " files beside it are not what that run had written";
    c.say(last);
    c.result(j);
    if (!compared.same())
        c.end_with(some_failed);
}

/// A word as a shell takes it.
std::string quoted(const std::string& word)
{
    const bool plain = !word.empty() &&
                       word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./,:@%") == std::string::npos;
    if (plain)
        return word;
    std::string out = "'";
    for (const char ch : word)
        out += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
    return out + "'";
}

/// The words of a command line without these options and what they are given.
std::vector<std::string> without(std::span<const std::string> words,
                                 std::initializer_list<std::string_view> options)
{
    std::vector<std::string> out;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const auto is = [&](std::string_view o) { return words[k] == o; };
        const auto gives = [&](std::string_view o) {
            return words[k].starts_with(std::string(o) + "=");
        };
        if (std::any_of(options.begin(), options.end(), is))
            ++k;
        else if (std::none_of(options.begin(), options.end(), gives))
            out.push_back(words[k]);
    }
    return out;
}

/// The command that goes on from a checkpoint of this one: on what computes it now, which may be
/// other than what was asked for (RunOn). Empty: none does.
std::string go_on_command(const Context& c, const RunArguments& a,
                          const device::StepperOptions& asked, const device::StepperOptions& now,
                          int ranks, const fs::path& checkpoint)
{
    if (a.reproduce) // with a checkpoint it would be another run
        return {};
    const bool moved = now.devices != asked.devices || now.precision != asked.precision;
    auto words = moved ? without(c.words(), {"--resume", "--devices", "--precision"})
                       : without(c.words(), {"--resume"});
    std::erase(words, "--branch");
    // the checkpoint may be one that an earlier run left, after the end of this run
    if (double at_ms = 0;
        a.until->count() > 0 &&
        std::sscanf(checkpoint.filename().c_str(), "checkpoint-%lfms.tcp", &at_ms) == 1 &&
        at_ms >= a.until_ms)
        words = without(words, {"--until"});
    if (moved)
        words.insert(words.end(), {"--devices", now.devices.text(), "--precision",
                                   std::string(name(now.precision))});
    words.insert(words.end(), {"--resume", checkpoint.string()});
    std::string out = "tawara-cli";
    if (a.distributed && ranks > 1)
        out = "mpirun -n " + std::to_string(ranks) + " " + out;
    for (const auto& word : words)
        out += " " + quoted(word);
    return out;
}

/// Intervals of the newest beat, or why there is none.
void say_ecg(Context& c, const Json& ecg)
{
    const auto& beats = ecg.at("beats");
    if (beats.empty())
        return c.say("ECG: " + ecg.value("no_beats", "no beat"));
    const auto& last = beats.back();
    std::string text;
    for (const auto& [name, key] : {std::pair{"QRS", "qrs_ms"},
                                    {"QT", "qt_ms"},
                                    {"QTcF", "qtc_fridericia_ms"},
                                    {"RR", "rr_ms"}})
        if (last.at(key).is_number())
            text += (text.empty() ? "" : ", ") + std::string(name) + " " +
                    simulation::number_text(last.at(key).get<double>(), 4) + " ms";
    if (text.empty())
        text = "no interval of the beat is known; report.json says why";
    c.say("ECG: " +
          (beats.size() > 1 ? "the last of " + std::to_string(beats.size()) + " beats: "
                            : std::string()) +
          text);
}

/// What a run was, in some lines.
void say_report(Context& c, const simulation::RunReport& report)
{
    char line[256], solved[2][40] = {"", ""};
    if (report.solved_steps >= 0) { // a long step passes through several time steps
        std::snprintf(solved[0], sizeof solved[0], " (%lld solved)",
                      static_cast<long long>(report.solved_steps));
        std::snprintf(solved[1], sizeof solved[1], " (%.2f million solved)",
                      report.cell_steps_solved_per_s / 1e6);
    }
    std::snprintf(line, sizeof line,
                  "%lld unknowns, %lld steps%s in %.2f s: %.2f million cell-steps per second%s",
                  static_cast<long long>(report.unknowns), static_cast<long long>(report.steps),
                  solved[0], report.seconds, report.cell_steps_per_s / 1e6, solved[1]);
    c.say(line);
    if (report.activated > 0)
        std::snprintf(line, sizeof line, "%lld of them activated, the last at %.3f ms",
                      static_cast<long long>(report.activated), report.last_activation_ms);
    else
        std::snprintf(line, sizeof line, "%s",
                      report.maps_known ? "none of them was activated"
                                        : "how many of them were activated is not known");
    c.say(line);
    if (const auto& v = report.velocity_m_per_s; std::isfinite(v[1])) {
        std::snprintf(line, sizeof line,
                      "conduction velocity: median %.2f m/s (5 %% below %.2f, 5 %% above %.2f)",
                      v[1], v[0], v[2]);
        c.say(line);
    }
    if (const auto j = Json::parse(report.json); j.contains("ecg"))
        say_ecg(c, j.at("ecg"));
}

void run_command(Context& c, const RunArguments& a, const Progress& progress)
{
    auto w = asked_run(c, a);
    auto& o = w.options;
    c.say_new_folder(o.out);
    if (!o.html.empty() && o.html.parent_path().lexically_normal() != o.out.lexically_normal())
        c.say_new_folder(o.html);
    w.on = {a.fit, a.outlive};
    o.notice = [&c](const Notice& n) { c.notice(n); };
    const int ranks = progress.context.ranks != nullptr ? progress.context.ranks->size() : 1;
    o.go_on_by = [&c, &a, asked = o.device, ranks](const simulation::RunOptions& now,
                                                   const fs::path& checkpoint) {
        return go_on_command(c, a, asked, now.device, ranks, checkpoint);
    };
    const auto report = run_asked(w, progress);
    if (!a.reproduce)
        c.result(Json::parse(report.json));
    say_report(c, report);
    c.say("outputs in " + o.out.string());
    if (a.reproduce)
        say_comparison(c, a, o, report);
}

/// What a rank that is not the first does of a session whose mesh is in parts.
void take_part(Context& c, const RunArguments& a, Communicator& ranks, const Progress& progress)
{
    AskedRun w;
    try {
        w = asked_run(c, a);
    } catch (...) { // the first one has read it
        ranks.fail();
        throw;
    }
    simulation::parts::run_parts(w.session, w.options, ranks, progress);
}

/// The first of the ranks that mpirun has started runs the session; the others take their shares of
/// its tissue, or their parts of its mesh.
void run_distributed(Context& c, const RunArguments& a)
{
    const auto ranks = mpi::join(c.console().stop);
    auto progress = c.progress();
    auto& machine = progress.context;
    machine.threads =
        a.device.threads > 0
            ? a.device.threads
            : std::max(1U, machine.threads / static_cast<unsigned>(ranks->on_this_machine()));
    if (ranks->rank() > 0) {
        if (c.console().results_begun != nullptr) // a signal is the first one's matter
            *c.console().results_begun = true;
        const Progress silent{{}, {}, machine};
        while (device::ranks::serve(*ranks, silent))
            take_part(c, a, *ranks, silent);
        return;
    }
    if (auto text = few_cores(machine.threads,
                              "may step with " + std::to_string(machine.threads) + " threads");
        !text.empty())
        c.notice({Notice::Level::warning, std::move(text)});
    if (ranks->size() == 1)
        c.notice({Notice::Level::warning,
                  "--distributed has one rank alone; mpirun -n 4 tawara-cli run SESSION.json "
                  "--distributed has four"});
    struct Dismiss
    {
        Communicator& ranks;
        ~Dismiss() { device::ranks::dismiss(ranks); }
    } const at_the_end{*ranks};
    machine.ranks = ranks.get();
    run_command(c, a, progress);
}

} // namespace

void declare_run(const Declaration& d)
{
    auto a = std::make_shared<RunArguments>();
    auto* run = d.command(d.app, "run", "run a session file to its outputs", [a](Context& c) {
        if (a->distributed)
            run_distributed(c, *a);
        else
            run_command(c, *a, c.progress());
    });
    run->add_option("session", a->words, "session file, or - for the standard input")
        ->type_name("SESSION.json")
        ->option_text("SESSION.json REQUIRED")
        ->required();
    run->add_option("--out", a->out, "folder of the outputs; else SESSION-out")->type_name("DIR");
    run->add_option(
           "--set", a->set,
           "overrides a key of the session, e.g. time.dt_ms=0.01; PATH=null takes a key out")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    a->until = run->add_option("--until", a->until_ms, "ends there, in place of time.end_ms [ms]")
                   ->type_name("MS");
    a->dt = run->add_option("--dt", a->dt_ms, "time step, in place of time.dt_ms [ms]")
                ->type_name("MS");
    run->add_option("--resume", a->resume, "goes on from a checkpoint")->type_name("CHECKPOINT");
    run->add_flag(
        "--branch", a->branch,
        "with --resume: parameters, drugs, conductivities, reaction schemes and precision may "
        "be others than the checkpoint's; maps begin there, --out is another folder");
    run->add_option("--report", a->report,
                    "also a report of one page; its path is as typed, not within --out")
        ->type_name("FILE.html");
    run->add_flag("--counters", a->counters,
                  "also the bytes that a GPU's hardware counters count, where they may be read");
    run->add_flag("--fit", a->fit,
                  "where a GPU has no memory for it: the first way that has room, by more GPUs, "
                  "in mixed or single precision, without activation maps, or on the CPU; a run "
                  "that has begun goes on from its newest checkpoint, in its precision; it is "
                  "said which");
    run->add_flag("--outlive-devices", a->outlive,
                  "where a GPU fails: goes on from the last checkpoint on the others, else on the "
                  "CPU; it is said when");
    run->add_flag("--distributed", a->distributed,
                  "one heart over the ranks that mpirun has started: on their CPUs, or with "
                  "--devices cuda on a GPU each");
    run->add_flag("--reproduce", a->reproduce,
                  "in place of the session a report.json: does its run again, into REPORT's "
                  "folder with -again, and compares; exit status 5 where results differ");
    declare_imports(*run);
    a->device.declare(*run);
}

} // namespace tawara::cli
