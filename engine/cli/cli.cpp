// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/cli.hpp"

#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <new>

namespace tawara::cli {
namespace {

/// One line, whatever the text holds.
std::string one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 32; }, ' ');
    return text;
}

int fail(const Console& console, int status, const std::string& what)
{
    console.err << "error: " << one_line(what) << "\n" << std::flush;
    return status;
}

/// Words that would be understood at this place: commands, and options with their dashes.
std::vector<std::string> known_words(const CLI::App& app, bool options)
{
    std::vector<std::string> out;
    if (!options)
        for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            out.push_back(sub->get_name());
    else
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames())
                out.push_back("--" + name);
    return out;
}

/// The innermost command that was named.
const CLI::App& innermost(const CLI::App& app)
{
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty())
        at = at->get_subcommands().front();
    return *at;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t k = 0; k < words.size(); ++k)
        out += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
    return out;
}

/// What a command wants and was not given, by the names that its help has.
std::string missing(const CLI::App& command)
{
    for (const auto* option : command.get_options())
        if (option->get_required() && option->count() == 0) {
            const bool dashed = !option->get_lnames().empty();
            return "no " + (dashed ? "--" + option->get_lnames()[0] + " " : std::string()) +
                   option->get_type_name() + " is given (" + option->get_description() + ")";
        }
    return "";
}

/// A command directly below that has this option.
const CLI::App* knows(const CLI::App& app, const std::string& option)
{
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (sub->get_option_no_throw(option) != nullptr)
            return sub;
    return nullptr;
}

/// Why the parser refused the line, and what would be right.
std::string argument_error(const CLI::App& app, const CLI::ParseError& e)
{
    const CLI::App& command = innermost(app);
    std::string path = "tawara-cli";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
        at = at->get_subcommands().front();
        path += " " + at->get_name();
    }
    auto extra = command.remaining(true);
    const bool before = extra.empty(); // what stands before the command is left with the program
    if (before)
        extra = app.remaining(true);
    if (!extra.empty()) {
        const std::string word = extra.front().substr(0, extra.front().find('='));
        const bool option = word.starts_with("-");
        const CLI::App& taken_by = before || &command == &app ? app : command;
        if (const auto* owner = option && &taken_by == &app ? knows(app, word) : nullptr)
            return word + ": is an option of commands; give it after one, e.g. tawara-cli " +
                   owner->get_name() + " " + word;
        const auto words = known_words(command, option);
        const auto near = likely(word, words);
        const std::string kind = option ? "option" : words.empty() ? "argument" : "command";
        const std::string help = path + " --help names all";
        return word + ": unknown " + kind + " of " + path + "; " +
               (!near.empty()       ? "the nearest known is " + near
                : kind == "command" ? "want " + joined(words) + "; " + help
                                    : help);
    }
    const auto known = known_words(command, false);
    if (!known.empty() && dynamic_cast<const CLI::RequiredError*>(&e) != nullptr)
        return path + ": names no command; want one of " + joined(known) + "; see " + path +
               " --help";
    std::string what = missing(command);
    if (what.empty())
        what = e.what();
    return path + ": " + what + "; see " + path + " --help";
}

/// Refuses an option whose value is an empty text, as a shell variable that is not set leaves it.
void need_values(const CLI::App& command)
{
    for (const auto* option : command.get_options())
        if (const auto& given = option->results();
            std::find(given.begin(), given.end(), "") != given.end())
            throw InputError(option->get_name(),
                             "is given an empty text (a shell variable that is not set?); give " +
                                 option->get_type_name() + ", or leave it out");
}

} // namespace

int run(std::span<const std::string> args, const Console& console)
{
    CLI::App app("Cardiac electrophysiology: tissue runs, meshes, cells, benchmarks.",
                 "tawara-cli");
    bool json = false;
    Action chosen;
    const Declaration d{app, json, chosen};
    app.require_subcommand(1);
    app.set_version_flag("-v,--version", "tawara " TAWARA_VERSION);
    declare_run(d);
    declare_session(d);
    declare_export(d);
    declare_mesh(d);
    declare_cell(d);
    declare_bench(d);
    declare_devices(d);
    try {
        // The parser takes the arguments from the back.
        std::vector<std::string> words(args.rbegin(), args.rend());
        if (!words.empty() && words.back() == "help") { // "help run" is "run --help"
            words.pop_back();
            words.insert(words.begin(), "--help");
        }
        app.parse(std::move(words));
    } catch (const CLI::Success& e) { // help or version
        app.exit(e, console.out, console.err);
        return done;
    } catch (const CLI::ParseError& e) {
        return fail(console, bad_input, argument_error(app, e));
    }
    Context context(console, json);
    const auto ended = [&](int status, const std::string& what) {
        context.show_notices();
        return fail(console, status, what);
    };
    try {
        need_values(innermost(app));
        chosen(context);
        context.show_notices();
        return done;
    } catch (const InputError& e) {
        context.end_progress();
        return fail(console, bad_input, e.what());
    } catch (const NumericsError& e) {
        return ended(not_finite, e.what());
    } catch (const DeviceError& e) {
        return ended(device_failed, e.what());
    } catch (const Cancelled&) {
        context.show_notices();
        console.err << "stopped\n" << std::flush;
        return stopped;
    } catch (const std::bad_alloc&) {
        return ended(device_failed, "cpu: not enough memory for this size");
    } catch (const std::exception& e) {
        return ended(1, std::string("internal: ") + e.what());
    }
}

} // namespace tawara::cli
