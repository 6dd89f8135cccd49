// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli study: many simulations of one session.
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/study/scheduler.hpp"
#include "engine/study/study_results.hpp"
#include "engine/study/watch.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

struct StudyArguments
{
    std::string file, out, part;
    std::vector<std::string> set;
    unsigned at_once = 0;
    bool again = false;
    DeviceArguments device;
};

/// "K/N", the Kth of N parts, from 1.
study::Share share_of(const std::string& text)
{
    if (text.empty())
        return {};
    study::Share s;
    const char* const end = text.data() + text.size();
    const auto part = std::from_chars(text.data(), end, s.part);
    if (part.ec == std::errc() && part.ptr != end && *part.ptr == '/') {
        const auto parts = std::from_chars(part.ptr + 1, end, s.parts);
        if (parts.ec == std::errc() && parts.ptr == end && s.part >= 1 && s.part <= s.parts)
            return {s.part - 1, s.parts};
    }
    throw InputError("--part", "is '" + text + "'; want K/N, the Kth of N parts, as 3/16");
}

Json json_of(const study::LedgerRow& r)
{
    Json o{{"run", r.name}, {"state", study::name(r.state)}, {"seconds", r.seconds}};
    if (!r.reason.empty())
        o["reason"] = r.reason;
    if (!r.owner.empty())
        o["owner"] = r.owner;
    if (!r.results.empty())
        o["results"] = r.results;
    return o;
}

void run_command(Context& c, const StudyArguments& a)
{
    const auto s = study::read_study(a.file, a.set);
    study::StudyOptions o;
    o.out = a.out.empty() ? study::usual_folder(a.file) : fs::path(a.out);
    o.device.devices = a.device.devices;
    o.device.precision = a.device.parsed_precision();
    o.device.threads = a.device.threads;
    o.precision_given = a.device.precision_option->count() > 0;
    o.at_once = a.at_once;
    o.share = share_of(a.part);
    o.failed_again = a.again;
    o.notice = [&c](const Notice& n) {
        if (n.level == Notice::Level::warning)
            c.notice(n);
    };
    need_writable_folder(o.out);
    c.say_new_folder(o.out);
    const auto outcome = study::run_study(s, o, c.progress());
    c.end_progress();
    Json failed = Json::array();
    for (const auto& r : outcome.failed)
        failed.push_back(json_of(r));
    c.result({{"study", s.name},
              {"out", o.out.string()},
              {"runs", outcome.runs},
              {"done", outcome.done},
              {"failed", failed},
              {"planned", outcome.planned},
              {"running", outcome.running},
              {"seconds", outcome.seconds}});
    char line[160];
    std::snprintf(line, sizeof line, "%lld of %lld runs done in %.1f s",
                  static_cast<long long>(outcome.done), static_cast<long long>(outcome.runs),
                  outcome.seconds);
    c.say(line);
    if (outcome.running > 0)
        c.say(std::to_string(outcome.running) + " are under way by other programs");
    if (outcome.planned > 0)
        c.say(std::to_string(outcome.planned) + " are left to other parts");
    for (const auto& r : outcome.failed)
        c.say(r.name + " failed: " + r.reason);
    c.say("results in " + (o.out / "results.csv").string() + ", a page in " +
          (o.out / "report.html").string());
    if (!outcome.failed.empty())
        c.end_with(Status::some_failed);
}

void status_command(Context& c, const std::string& folder)
{
    const auto ledger = study::Ledger::to_look_at(fs::path(folder) / "study.sqlite");
    const auto rows = ledger.rows();
    Json all = Json::array();
    std::array<long long, 4> count{};
    for (const auto& r : rows) {
        ++count[static_cast<std::size_t>(r.state)];
        all.push_back(json_of(r));
    }
    c.result({{"study", ledger.study_name()}, {"runs", all}});
    char line[160];
    std::snprintf(line, sizeof line,
                  "%s: %zu runs: %lld done, %lld running, %lld failed, %lld planned",
                  ledger.study_name().c_str(), rows.size(), count[2], count[1], count[3], count[0]);
    c.say(line);
    for (const auto& r : rows)
        if (r.state == study::State::failed)
            c.say(r.name + " failed: " + r.reason);
        else if (r.state == study::State::running)
            c.say(
                r.name + " is computed by " + study::owner_text(r.owner) +
                (study::has_ended(r.owner) ? ", which has ended; study run goes on with it" : ""));
}

void report_command(Context& c, const std::string& folder)
{
    const auto ledger = study::Ledger::to_look_at(fs::path(folder) / "study.sqlite");
    study::write_results(ledger, folder);
    const auto page = (fs::path(folder) / "report.html").string();
    const auto table = (fs::path(folder) / "results.csv").string();
    c.result({{"results", table}, {"report", page}});
    c.say("results in " + table + ", a page in " + page);
}

} // namespace

void declare_study(const Declaration& d)
{
    auto* all = d.app.add_subcommand("study", "many simulations of one session");
    all->require_subcommand(1);
    auto a = std::make_shared<StudyArguments>();
    auto* run = d.command(*all, "run",
                          "run all simulations of a study that are not done; the same command goes "
                          "on where it was stopped",
                          [a](Context& c) { run_command(c, *a); });
    run->add_option("study", a->file, "study file")
        ->type_name("STUDY.json")
        ->option_text("STUDY.json REQUIRED")
        ->required();
    run->add_option("--out", a->out, "folder of the study; else STUDY-study")->type_name("DIR");
    run->add_option("--set", a->set, "overrides a key of the session of all runs")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    run->add_option("--part", a->part,
                    "takes the Kth of N parts of the runs alone, as job arrays do")
        ->type_name("K/N");
    run->add_option("--at-once", a->at_once,
                    "runs at once, on each GPU or on the CPU; else two, and one a thread")
        ->type_name("N")
        ->check(CLI::Range(1U, 256U));
    run->add_flag("--again", a->again, "runs that failed are tried again");
    declare_imports(*run);
    a->device.declare(*run);
    auto folder = std::make_shared<std::string>();
    const auto of_folder = [&](CLI::App* sub) {
        sub->add_option("folder", *folder, "folder of a study")
            ->type_name("DIR")
            ->option_text("DIR REQUIRED")
            ->required();
    };
    of_folder(d.command(*all, "status", "say what is planned, running, done and failed",
                        [folder](Context& c) { status_command(c, *folder); }));
    of_folder(d.command(*all, "report", "write results.csv and report.html of what is done so far",
                        [folder](Context& c) { report_command(c, *folder); }));
}

} // namespace tawara::cli
