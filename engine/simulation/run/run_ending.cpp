// SPDX-License-Identifier: GPL-3.0-or-later
// What a run has left, and what it keeps and says where it does not come to its end.
#include "engine/core/error.hpp"
#include "engine/simulation/results/going_on.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/run/run_state.hpp"

#include <exception>

namespace tawara::simulation {

/// The first of them, when it is known; the run goes on.
void Run::say_failed_checkpoints()
{
    const auto why = store_.take_failure();
    if (why.empty())
        return;
    simulation_.tissue().notices.push_back(
        {Notice::Level::warning,
         "a checkpoint could not be written, and the run went on without: " + why});
    say(Notice::Level::warning, simulation_.tissue().notices.back().text);
}

/// After a run that did not come to its end.
void Run::say_last_checkpoint()
{
    store_.flush();
    say_failed_checkpoints();
    const auto last = store_.newest();
    if (options_.left && !last.empty())
        options_.left(last);
    say(Notice::Level::info,
        last.empty()
            ? no_checkpoint_since(options_,
                                  static_cast<double>(checkpoints_.every()) * session_.dt_ms,
                                  store_.failed() > 0)
            : "the last checkpoint is " + last.string() + "; " + how_to_go_on(options_, last));
}

/// So that a run that was stopped can go on from where it was.
void Run::keep_what_was_reached()
{
    const auto step = simulation_.step();
    const auto file = options_.out / checkpoint_name(simulation_.time_ms());
    try {
        simulation_.collect();
        if (step > first_step_ && !checkpoints_.at(step))
            write_checkpoint_here();
        store_.flush();
    } catch (const std::exception& e) {
        say(Notice::Level::warning, "the run cannot go on from here: " + run_error_text(e));
        return;
    }
    if (store_.newest() != file)
        return say_last_checkpoint();
    if (step > first_step_)
        say(Notice::Level::info, "stopped at " + ms_text(step) + ", kept in " + file.string() +
                                     "; " + how_to_go_on(options_, file));
}

/// What the run has left, for its report.
std::vector<std::string> Run::files_and_report()
{
    auto files = files_;
    files.emplace_back("report.json");
    for (auto& f : frames_.writer().files())
        files.push_back(std::move(f));
    return files;
}

/// What a run that failed has reached; what cannot be written then is said, and the failure goes
/// on.
void Run::finish_after(const std::string& ended)
{
    try {
        finish(ended);
    } catch (const std::exception& e) {
        say(Notice::Level::warning, "some results could not be written: " + run_error_text(e));
    }
    say_last_checkpoint();
}

} // namespace tawara::simulation
