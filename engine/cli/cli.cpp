// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/cli.hpp"

#include "engine/cell/imports.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/newton.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string_view>

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

/// The option whose value the parser refused; null: it is about something else.
const CLI::Option* refused_option(const CLI::App& command, const std::string& what)
{
    for (const auto* option : command.get_options()) {
        const auto name = option->get_name();
        if (what.starts_with(name + ":") || what.starts_with("Could not convert: " + name + " ="))
            return option;
    }
    return nullptr;
}

/// What an option's value should be: "a number of ms", "a whole number", else its name in the help.
std::string wanted_value(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const std::string& about = option.get_description();
    const auto open = about.find('['), close = about.find(']');
    const bool whole = type.starts_with("INT") || type.starts_with("UINT");
    const bool unit = open != std::string::npos && close != std::string::npos && open < close;
    if (!whole && !unit && !type.starts_with("FLOAT"))
        return type;
    const int count = option.get_items_expected_max();
    return (whole       ? "a whole number (digits alone)"
            : count > 1 ? std::to_string(count) + " numbers"
                        : "a number") +
           (unit ? " of " + about.substr(open + 1, close - open - 1) : "");
}

/// Why the parser refused an option's value, in this program's words.
std::string value_error(const CLI::Option& option, const std::string& what)
{
    const auto& given = option.results();
    const auto count = static_cast<int>(given.size()), most = option.get_items_expected_max();
    const std::string is = option.get_name() + ": ";
    if (most == 0)
        return is + "takes no value; give it alone";
    if (count == 0)
        return is + "is given without a value; want " + wanted_value(option);
    if (most == 1 && count > 1)
        return is + "is given " + (count == 2 ? "twice" : std::to_string(count) + " times") + " (" +
               CLI::detail::join(given, ", ") + "); give it once";
    if (count > most || count < option.get_items_expected_min())
        return is + "takes " + std::to_string(most) + " values, and " + std::to_string(count) +
               (count == 1 ? " is" : " are") + " given";
    std::string should = "it should be ";
    constexpr std::string_view range = " not in range ";
    double low = 0, high = 0;
    if (const auto at = what.find(range);
        at != std::string::npos && // as the parser says it up to 2.1, and since
        (std::sscanf(what.c_str() + at + range.size(), "%lf to %lf", &low, &high) == 2 ||
         std::sscanf(what.c_str() + at + range.size(), "[%lf - %lf]", &low, &high) == 2)) {
        char text[80];
        std::snprintf(text, sizeof text, "a%s number from %g to %g",
                      option.get_type_name().starts_with("UINT") ? " whole" : "", low, high);
        should += text;
    } else {
        should += wanted_value(option);
    }
    return is + "is '" + CLI::detail::join(given, " ") + "'; " + should;
}

/// The names of the commands that were given, one within the other.
std::string path_of(const CLI::App& app)
{
    std::string path = "tawara-cli";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
        at = at->get_subcommands().front();
        path += " " + at->get_name();
    }
    return path;
}

/// What is said of a word that is known nowhere.
/// @param before  it stands before the command
std::string unknown_word(const CLI::App& app, const std::string& given, bool before)
{
    const CLI::App& command = innermost(app);
    const std::string path = path_of(app), word = given.substr(0, given.find('='));
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

/// The command that help or the version was asked with, where there is no such one; else empty.
std::string no_such_command(const CLI::App& app)
{
    const CLI::App& command = innermost(app);
    if (!known_words(command, false).empty())
        for (const auto& word : command.remaining())
            if (!word.starts_with("-"))
                return unknown_word(app, word, false);
    return {};
}

/// Why the parser refused the line, and what would be right.
std::string argument_error(const CLI::App& app, const CLI::ParseError& e)
{
    const CLI::App& command = innermost(app);
    const std::string path = path_of(app);
    if (const auto* option = refused_option(command, e.what()))
        return value_error(*option, e.what());
    if (const auto extra = command.remaining(true); !extra.empty())
        return unknown_word(app, extra.front(), false);
    if (const auto extra = app.remaining(true); !extra.empty())
        return unknown_word(app, extra.front(), true);
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

/// Each word of the usage stands for one argument: words of --set that the parser lets follow the
/// session or the model are no part of it.
struct Help : CLI::Formatter
{
    std::string make_option_usage(const CLI::Option* option) const override
    {
        const auto name = make_option_name(option, true);
        return option->get_required() ? name : "[" + name + "]";
    }
};

/// Help or the version.
int show(const CLI::App& app, const CLI::Success& asked, const Console& console)
{
    if (const auto wrong = no_such_command(app); !wrong.empty())
        return fail(console, bad_input, wrong);
    try {
        errno = 0;
        app.exit(asked, console.out, console.err);
        need_written(console);
    } catch (const InputError& e) {
        return fail(console, bad_input, e.what());
    }
    return done;
}

int obeyed(std::span<const std::string> args, const Console& console)
{
    CLI::App app("Cardiac electrophysiology: tissue runs, meshes, cells, benchmarks.",
                 "tawara-cli");
    cell::allow_imports_anywhere(false);
    bool json = false;
    Action chosen;
    const Declaration d{app, json, chosen};
    app.formatter(std::make_shared<Help>()); // commands take it over
    app.require_subcommand(1);
    app.set_version_flag("-v,--version", "tawara " TAWARA_VERSION);
    declare_run(d);
    declare_study(d);
    declare_session(d);
    declare_export(d);
    declare_provenance(d);
    declare_mesh(d);
    declare_cell(d);
    declare_cable(d);
    declare_purkinje(d);
    declare_bench(d);
    declare_verify(d);
    declare_devices(d);
    try {
        // The parser takes the arguments from the back.
        std::vector<std::string> words(args.rbegin(), args.rend());
        if (!words.empty() && words.back() == "help") { // "help run" is "run --help"
            words.pop_back();
            words.insert(words.begin(), "--help");
        }
        app.parse(std::move(words));
    } catch (const CLI::Success& e) {
        return show(app, e, console);
    } catch (const CLI::ParseError& e) {
        return fail(console, bad_input, argument_error(app, e));
    }
    Context context(console, json, args);
    const auto ended = [&](int status, const std::string& what) {
        context.show_notices();
        return fail(console, status, what);
    };
    try {
        need_values(innermost(app));
        chosen(context);
        context.show_notices();
        return context.status();
    } catch (const InputError& e) {
        context.end_progress();
        return fail(console, bad_input, e.what());
    } catch (const NumericsError& e) {
        return ended(not_finite, e.what());
    } catch (const diffusion::SolverError& e) { // a step has no solution that could be found
        return ended(not_finite, e.what());
    } catch (const diffusion::NewtonError& e) {
        return ended(not_finite, e.what());
    } catch (const DeviceError& e) {
        return ended(device_failed, e.what());
    } catch (const Cancelled&) {
        context.show_notices();
        console.err << "stopped\n" << std::flush;
        return stopped;
    } catch (const std::bad_alloc&) {
        return ended(device_failed,
                     "cpu: not enough memory for this size: a coarser mesh (mesh.spacing_mm), "
                     "--precision single or p1 in place of fvm take less");
    } catch (const std::exception& e) {
        return ended(1, std::string("internal: ") + e.what());
    }
}

} // namespace

int run(std::span<const std::string> args, const Console& console)
{
    try {
        return obeyed(args, console);
    } catch (const std::bad_alloc&) { // before a command began, or while its end was told
        console.err << "error: not enough memory\n" << std::flush;
        return device_failed;
    }
}

} // namespace tawara::cli
