// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli verify: the verification table.
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/verify/verify.hpp"

#include <algorithm>
#include <cstdio>

namespace tawara::cli {
namespace {

struct VerifyArguments
{
    bool short_form = false, list = false;
    std::vector<std::string> only;
    std::string out, data, devices = "auto";
    unsigned threads = 0;
};

void list(const Context& c, const std::vector<verify::Group>& groups)
{
    Json j{{"groups", Json::array()}};
    for (const auto& g : groups) {
        c.say(g.name + ": " + g.what);
        Json checks = Json::array();
        for (const auto& check : g.checks) {
            char line[200];
            std::snprintf(line, sizeof line, "  %-18s %-5s  %s", check.id.c_str(),
                          check.in_short ? "short" : "", check.what.c_str());
            c.say(line);
            checks.push_back({{"id", check.id}, {"what", check.what}, {"short", check.in_short}});
        }
        j["groups"].push_back({{"name", g.name}, {"what", g.what}, {"checks", checks}});
    }
    c.result(j);
}

void verify_command(Context& c, const VerifyArguments& a)
{
    const auto groups = verify::chosen(verify::groups(), a.only);
    if (a.list) {
        list(c, groups);
        return;
    }
    const auto any_in_short = [](const verify::Group& g) {
        return std::ranges::any_of(g.checks, &verify::Check::in_short);
    };
    if (a.short_form && std::ranges::none_of(groups, any_in_short)) {
        std::string only = "--only";
        for (const auto& name : a.only)
            only += ' ' + name;
        throw InputError(only, "has nothing in the short form; leave --short out");
    }
    verify::Settings s;
    s.short_form = a.short_form;
    s.devices = device::Devices(a.devices);
    s.data = a.data;
    s.only = a.only;
    if (!a.data.empty() && !std::filesystem::is_directory(a.data))
        throw InputError("--data " + a.data,
                         "is no folder; give the folder that the references are unpacked in");
    if (!a.out.empty()) {
        verify::need_place(a.out);
        std::error_code none;
        if (std::filesystem::exists(std::filesystem::path(a.out) / "verify.json", none))
            c.notice({Notice::Level::info, "replaces the table that is in " + a.out});
        c.say_new_folder(std::filesystem::path(a.out) / "verify.json");
    }
    auto progress = c.progress();
    if (a.threads > 0)
        progress.context.threads = a.threads;
    const auto t = verify::make_table(s, groups, progress,
                                      [&c](const verify::Row& r) { c.say(verify::line(r)); });
    if (!a.out.empty())
        verify::write(t, a.out);
    c.result(Json::parse(verify::json(t)));
    for (const auto& r : t.rows)
        if (r.verdict == verify::Verdict::missed)
            c.say("missed: " + r.id + " (alone: --only " + r.check + "): " + r.what +
                  (r.requirement.empty() ? "" : "; required: " + r.requirement) +
                  (r.reason.empty() ? "" : "; " + r.reason));
    c.say(verify::summary(t));
    if (!a.out.empty())
        c.say("verify.json and verify.html in " + a.out);
    const bool nothing = t.count(verify::Verdict::passed) + t.count(verify::Verdict::missed) == 0;
    if (nothing && !t.stopped)
        c.say("nothing was checked: every row was skipped");
    if (t.stopped)
        c.end_with(stopped);
    else if (nothing || t.count(verify::Verdict::missed) > 0)
        c.end_with(some_failed);
}

} // namespace

void declare_verify(const Declaration& d)
{
    auto a = std::make_shared<VerifyArguments>();
    auto* verify = d.command(d.app, "verify", "the verification table: requirements and figures",
                             [a](Context& c) { verify_command(c, *a); });
    verify->footer("Exit status: 0 every row passed or was skipped, and one at least passed; 2 bad "
                   "input; 5 rows were missed, or every row was skipped; 130 stopped by Ctrl-C.");
    verify->add_flag("--short", a->short_form, "what takes 1 to 2 minutes on two cores");
    verify
        ->add_option("--only", a->only,
                     "these groups and checks alone, e.g. cells.order (--list names them)")
        ->type_name("GROUP[.CHECK]");
    verify->add_flag("--list", a->list, "names groups and checks, and measures nothing");
    verify->add_option("--out", a->out, "folder of verify.json and verify.html")->type_name("DIR");
    verify
        ->add_option(
            "--data", a->data,
            "folder of another program's traces: DIR/cellml/chaste/MODEL.cellml of "
            "github.com/Chaste/cellml, DIR/cellml_reference/MODEL/GraphState/outputs_state.csv of "
            "test/data/historic in github.com/ModellingWebLab/weblab-fc; without it rows of "
            "CellML files are skipped, and those of the library are of fewer samples")
        ->type_name("DIR");
    verify->add_option("--devices", a->devices, "which GPUs are looked at: cpu (none), cuda, auto")
        ->capture_default_str();
    verify->add_option("--threads", a->threads, "threads of the CPU; 0: all")
        ->check(CLI::Range(0U, 1024U))
        ->capture_default_str();
}

} // namespace tawara::cli
