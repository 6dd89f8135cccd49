// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/imports.hpp"
#include "engine/cli/command.hpp"
#include "engine/core/batches.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tawara::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string duration(double s)
{
    char text[48];
    if (s < 100)
        std::snprintf(text, sizeof text, "%.0f s", s);
    else if (s < 6000)
        std::snprintf(text, sizeof text, "%.0f min %02.0f s", std::floor(s / 60), std::fmod(s, 60));
    else
        std::snprintf(text, sizeof text, "%.0f h %02.0f min", std::floor(s / 3600),
                      std::floor(std::fmod(s, 3600) / 60));
    return text;
}

} // namespace

void declare_imports(CLI::App& app)
{
    app.add_flag_callback(
        "--imports-anywhere", [] { cell::allow_imports_anywhere(true); },
        "CellML files may import files that lie outside their folder");
}

void need_written(const Console& console)
{
    console.out.flush();
    if (!console.out)
        throw InputError("standard output", std::string("cannot be written: ") +
                                                std::strerror(errno ? errno : EIO) +
                                                "; send it elsewhere");
}

void Context::say(const std::string& line) const
{
    show_notices();
    if (json_)
        return;
    errno = 0;
    console_.out << line << "\n";
    need_written(console_);
}

void Context::result(const Json& object) const
{
    show_notices();
    if (!json_)
        return;
    errno = 0;
    console_.out << object.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    need_written(console_);
}

void Context::notice(const Notice& n) const
{
    kept_.push_back(n);
    if (running_)
        show_notices();
}

void Context::show_notices() const
{
    end_progress();
    for (const auto& n : std::exchange(kept_, {}))
        console_.err << (n.level == Notice::Level::warning ? "warning: " : "note: ") << n.text
                     << "\n"
                     << std::flush;
}

void Context::notices(const Notices& list) const
{
    for (const auto& n : list)
        notice(n);
}

void Context::say_new_folder(const std::filesystem::path& of) const
{
    const auto name = of.lexically_normal(); // "a/b/" is a/b
    const auto folder = (name.has_filename() ? name : name.parent_path()).parent_path();
    std::error_code none;
    if (!folder.empty() && !std::filesystem::exists(folder, none))
        notice({Notice::Level::info,
                "makes the folder " + folder.string() + ", which is not there yet"});
}

void Context::end_progress() const
{
    if (line_open_)
        console_.err << "\r\033[K" << std::flush;
    line_open_ = false;
}

namespace {

/// "7 of 17 runs done" and "8 of 17 runs done" are one stage.
std::string without_digits(std::string_view stage)
{
    std::string out(stage);
    std::erase_if(out, [](char c) { return c >= '0' && c <= '9'; });
    return out;
}

} // namespace

Progress Context::progress() const
{
    struct State
    {
        std::string stage;
        double from = 0; ///< the fraction that it began with
        Clock::time_point start = Clock::now(), shown = Clock::now();
    };
    auto state = std::make_shared<State>();
    const auto report = [this, state](double fraction, std::string_view stage) {
        const auto now = Clock::now();
        const double interval_s = console_.err_is_terminal ? 0.1 : 5;
        if (stage != state->stage) {
            if (without_digits(stage) != without_digits(state->stage)) {
                state->start = now;
                state->from = fraction;
            }
            state->stage = stage;
            if (stage == "running") { // all input has been read and found good
                show_notices();
                running_ = true;
            }
            if (console_.results_begun &&
                (stage == "running" || stage == "writing" || stage == stage_of_outputs))
                *console_.results_begun = true;
        }
        if (std::chrono::duration<double>(now - state->shown).count() < interval_s)
            return;
        state->shown = now;
        const double spent_s = std::chrono::duration<double>(now - state->start).count();
        char percent[16];
        std::snprintf(percent, sizeof percent, "%.0f %%", 100 * fraction);
        std::string line = state->stage + ": " + percent;
        if (const double done = fraction - state->from; done > 0.005 && spent_s > 1)
            line += ", " + duration(spent_s / done * (1 - fraction)) + " left";
        if (console_.err_is_terminal) {
            console_.err << "\r" << line << "\033[K" << std::flush;
            line_open_ = true;
        } else {
            console_.err << line << "\n" << std::flush;
        }
    };
    return {report, console_.stop, console_.context};
}

CLI::App* Declaration::command(CLI::App& parent, const std::string& name, const std::string& what,
                               Action action) const
{
    auto* sub = parent.add_subcommand(name, what);
    sub->add_flag("--json", json, "print one JSON object and nothing else");
    sub->final_callback(
        [this_chosen = &chosen, action = std::move(action)] { *this_chosen = action; });
    return sub;
}

void DeviceArguments::declare(CLI::App& app)
{
    devices_option =
        app.add_option("--devices", devices, "cpu, cuda, cuda:0,1 or auto")->capture_default_str();
    precision_option =
        app.add_option("--precision", precision, "double, mixed (on GPUs alone) or single")
            ->capture_default_str();
    threads_option =
        app.add_option("--threads", threads,
                       "threads of the CPU; 0: as many as the tissue keeps busy, at most all")
            ->check(CLI::Range(0U, 1024U))
            ->capture_default_str();
}

Precision DeviceArguments::parsed_precision() const
{
    const std::vector<std::string> known{"double", "single", "mixed"};
    for (auto p : {Precision::double_, Precision::single, Precision::mixed})
        if (name(p) == precision)
            return p;
    const auto has = [&](const char* part) { return precision.find(part) != std::string::npos; };
    const bool is_double = has("64") || has("dp"); // float64, fp64
    const bool is_single = has("32") || has("float") || has("sp");
    const std::string near = is_double ? "double" : is_single ? "single" : likely(precision, known);
    throw InputError("--precision", "is '" + precision + "'; it should be double, mixed or single" +
                                        (near.empty() ? "" : " (nearest: " + near + ")"));
}

void need_positive(const std::string& option, double value)
{
    if (!(value > 0) || !std::isfinite(value)) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", value);
        throw InputError(option, std::string("is ") + text + "; it should be a number above 0");
    }
}

std::pair<std::string, double> assignment(const std::string& option, const std::string& text)
{
    const auto equals = text.find('=');
    double value = 0;
    char rest = 0;
    if (equals == std::string::npos || equals == 0 ||
        std::sscanf(text.c_str() + equals + 1, "%lf%c", &value, &rest) != 1 ||
        !std::isfinite(value))
        throw InputError(option + " " + text, "should be NAME=VALUE with a finite number as VALUE");
    return {text.substr(0, equals), value};
}

} // namespace tawara::cli
