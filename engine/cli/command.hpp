// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cli/cli.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/units.hpp"
#include "engine/diffusion/system.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::cli {

using Json = nlohmann::ordered_json;

/// What the commands of one command line share.
class Context
{
  public:
    Context(const Console& console, bool json, std::span<const std::string> words)
        : console_(console), json_(json), words_(words)
    {
    }
    const Console& console() const { return console_; }
    bool json() const { return json_; }
    /// The command line without the program's name.
    std::span<const std::string> words() const { return words_; }

    /// For people on `out`, unless --json is given.
    void say(const std::string& line) const;
    /// The result as one JSON object, when --json is given.
    void result(const Json& object) const;
    /// A remark on `err`, kept back until it is clear that the input is good: a bad one gives its
    /// error's line alone.
    void notice(const Notice& n) const;
    void notices(const Notices& list) const;
    /// A remark where the folder that a file or a folder will lie in has to be made: a slip in its
    /// name would make one, too.
    void say_new_folder(const std::filesystem::path& of) const;
    /// Shows the remarks kept back.
    void show_notices() const;
    /// Shows work on `err` with the time left: one line that is redrawn on a terminal, else a line
    /// every few seconds. Cancelled when Ctrl-C was pressed.
    Progress progress() const;
    /// What was asked for is there, and the program ends with another status than `done`.
    void end_with(Status s) const { status_ = s; }
    Status status() const { return status_; }
    /// Ends the redrawn line, if there is one.
    void end_progress() const;

  private:
    const Console& console_;
    bool json_;
    std::span<const std::string> words_;
    mutable Status status_ = Status::done;
    mutable bool line_open_ = false;
    mutable bool running_ = false; ///< from then on a notice is shown at once
    mutable Notices kept_;
};

/// Flushes what was written to `out`. @pre errno was 0 before. @throws InputError when it could not
/// be written
void need_written(const Console& console);

/// Commands are declared with an action, which is kept until the line has been parsed.
using Action = std::function<void(Context&)>;
/// Declares options on `app`, and calls `chosen` with what to do when the command is picked.
struct Declaration
{
    CLI::App& app;
    bool& json;
    Action& chosen;

    /// A command with --json and help; `action` is what it does.
    CLI::App* command(CLI::App& parent, const std::string& name, const std::string& what,
                      Action action) const;
};
void declare_run(const Declaration& d);
void declare_study(const Declaration& d);
void declare_session(const Declaration& d);
void declare_export(const Declaration& d);
void declare_provenance(const Declaration& d);
void declare_mesh(const Declaration& d);
void declare_cell(const Declaration& d);
void declare_cable(const Declaration& d);
void declare_purkinje(const Declaration& d);
void declare_bench(const Declaration& d);
void declare_verify(const Declaration& d);
void declare_devices(const Declaration& d);

/// Options that several commands have.
struct DeviceArguments
{
    std::string devices = "auto", precision = "double";
    unsigned threads = 0;
    /// They count whether they were given.
    const CLI::Option *devices_option = nullptr, *precision_option = nullptr,
                      *threads_option = nullptr;

    void declare(CLI::App& app);
    /// @throws InputError for an unknown word
    Precision parsed_precision() const;
};

/// The option --imports-anywhere (cell/imports.hpp).
void declare_imports(CLI::App& app);

/// @throws InputError "--OPTION" unless the number is finite and above 0
void need_positive(const std::string& option, double value);

/// "NAME=VALUE" with a finite number as VALUE.
/// @throws InputError naming the option
std::pair<std::string, double> assignment(const std::string& option, const std::string& text);

} // namespace tawara::cli
