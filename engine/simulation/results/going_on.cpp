// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/going_on.hpp"

#include "engine/core/output_folder.hpp"

#include <cstdio>
#include <system_error>

namespace tawara::simulation {

namespace fs = std::filesystem;

std::string how_to_go_on(const RunOptions& options, const fs::path& checkpoint)
{
    if (!options.go_on_by)
        return "--resume goes on from there";
    const auto command = options.go_on_by(options, checkpoint);
    return command.empty() ? "a run that is reproduced begins anew: the same command does it"
                           : "to go on from there: " + command;
}

std::string no_checkpoint_since(const RunOptions& options, double every_ms, bool failed)
{
    if (!options.resume.empty())
        return "no checkpoint was written since " + options.resume.string() +
               "; the same command goes on from there again";
    return std::string("there is no checkpoint to go on from") +
           (failed         ? ": none could be written"
            : every_ms > 0 ? ": none was due yet (output.checkpoint_every_ms)"
                           : " (output.checkpoint_every_ms writes some)") +
           "; the same command begins anew";
}

fs::path left_checkpoint(const fs::path& folder, int ranks)
{
    if (is_taken(folder / "report.json"))
        return {};
    std::error_code none;
    double newest_ms = -1;
    fs::path out;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        double ms = 0;
        const auto name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "checkpoint-%lfms", &ms) != 1 || !(ms > newest_ms))
            continue;
        const fs::path whole = checkpoint_name(ms);
        if (name == (ranks == 0 ? whole : piece_of_checkpoint(whole, 0, ranks)) &&
            is_plain_file(entry.path())) {
            newest_ms = ms;
            out = entry.path();
        }
    }
    return out;
}

RunBegins begins(const RunOptions& o)
{
    if (o.resume.empty())
        return RunBegins::anew;
    std::error_code none;
    const auto folder = o.resume.has_parent_path() ? o.resume.parent_path() : ".";
    return !o.branch && std::filesystem::equivalent(folder, o.out, none)
               ? RunBegins::at_own_checkpoint
               : RunBegins::elsewhere;
}

} // namespace tawara::simulation
