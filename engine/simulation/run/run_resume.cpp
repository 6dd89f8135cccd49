// SPDX-License-Identifier: GPL-3.0-or-later
// How a run goes on, or branches off, from a checkpoint.
#include "engine/core/error.hpp"
#include "engine/core/memory.hpp"
#include "engine/device/quiescent_state.hpp"
#include "engine/simulation/results/checkpoint_room.hpp"
#include "engine/simulation/run/run_state.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/output_keys.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
/// @throws InputError  at the checkpoint, which is of a later step than this run's last
void Run::need_end_after(std::int64_t step) const
{
    if (step > end_step_)
        throw InputError(options_.resume.string(),
                         "the checkpoint is at " + ms_text(step) + ", after " +
                             (options_.until_ms >= 0 ? "--until " : "time.end_ms ") +
                             ms_text(end_step_) + "; give a later end");
}

/// @throws InputError  where a periodic one has no room
void Run::say_checkpoint_room() const
{
    const auto every = checkpoints_.every() <= end_step_ ? checkpoints_.every() : 0;
    const auto bytes = checkpoint_bytes(simulation_.tissue().problem, options_.device.precision);
    for (const auto& n : what_checkpoints_take(
             {bytes, static_cast<double>(every) * session_.dt_ms, session_.output->checkpoints_kept,
              available_memory_bytes(), disk_left_bytes(options_.out), options_.out.string()}))
        say(n.level, n.text);
}

void Run::resume()
{
    if (options_.resume.empty())
        return;
    const auto& file = options_.resume;
    const auto mine = here();
    auto c = read_checkpoint(file, [&](const Checkpoint& begun) -> CheckpointBounds {
        if (begun.version > 1 || !options_.branch) // else its layout is not known yet
            differs(begun, mine, options_.branch, file);
        CheckpointBounds bounds{
            simulation_.tissue().problem.size(),
            numbers_per_unknown(simulation_.tissue().problem, options_.device.precision),
            [&](std::int64_t step) { need_end_after(step); }, simulation_.tissue().problem.group};
        bounds.probes = probe_names().size();
        bounds.parts = simulation_.numbers_of_parts();
        for (auto& known = bounds.tables.emplace(); const auto& [name, rows] : tables_)
            known[name] = rows->table().names.size();
        return bounds;
    });
    const bool others = differs(c, mine, options_.branch, file);
    if (c.version == 1)
        say(Notice::Level::info, file.string() + ": is a checkpoint of an earlier version, without "
                                                 "a checksum; all of its content was checked");
    if (others)
        device::end_long_step(c.state);
    if (options_.branch) {
        need_other_folder(options_.out, options_.resume);
        c.branches.push_back(branch_at(static_cast<double>(c.state.step) * session_.dt_ms));
    }
    try {
        simulation_.restore(c.state);
    } catch (const InputError& e) {
        throw InputError(file.string(), e.reason);
    }
    known_ = c.pulses;
    first_step_ = c.state.step;
    if (!options_.branch)
        store_.go_on(file, simulation_.time_ms());
    edits_ = c.branches;
    if (options_.branch) {
        maps_.step = std::max(maps_.step, first_step_);
        session_.output->maps_from_ms =
            std::max(session_.output->maps_from_ms, simulation_.time_ms());
        simulation_.tissue().notices.push_back(
            {Notice::Level::info,
             "branches off at " + ms_text(first_step_) + " from another run: " +
                 (others ? difference(c.fingerprint, here().fingerprint, true)
                         : std::string("nothing differs")) +
                 "; maps begin " +
                 (maps_.step > first_step_ ? "at " + ms_text(maps_.step) : std::string("there"))});
        say(Notice::Level::info, simulation_.tissue().notices.back().text);
    } else {
        go_on_with_maps(c);
    }
    go_on_with_probes(c);
    go_on_with_tables(c);
}

/// Maps hold what the checkpoint's run has recorded, and what this run adds.
void Run::go_on_with_maps(const Checkpoint& c)
{
    maps_.begun_ms = c.maps_from_ms;
    if (const auto begun = std::llround(c.maps_from_ms / session_.dt_ms);
        begun > maps_.step && maps_.step < first_step_) {
        maps_.step = begun;
        session_.output->maps_from_ms = c.maps_from_ms;
        say(Notice::Level::info, "maps begin at " + ms_text(begun) + ", as the checkpoint's do");
    }
    if (maps_.step > 0 && maps_.step < first_step_ &&
        std::any_of(c.state.activation_ms.begin(), c.state.activation_ms.end(),
                    [&](double a) { return a < session_.output->maps_from_ms; })) {
        say(Notice::Level::warning,
            "maps begin at the checkpoint's " + ms_text(first_step_) +
                ": its maps already contain activations before output.maps_from_ms " +
                ms_text(maps_.step));
        maps_.step = first_step_;
    }
    if (const double before = c.threshold_mV; std::isfinite(before) && maps_.step < first_step_ &&
                                              before != session_.activation_threshold_mV)
        say(Notice::Level::warning,
            "maps keep the activations that the checkpoint found at " + number_text(before, 6) +
                " mV (output.activation_threshold_mV); later activations are found at " +
                number_text(session_.activation_threshold_mV, 6) + " mV");
}

void Run::go_on_with_probes(const Checkpoint& c)
{
    if (probe_names().empty())
        return;
    const auto from = " at the checkpoint's " + ms_text(first_step_);
    const bool same = c.probes_of.empty() || c.probes_of == probes_print(session_.probes);
    if (c.probes.names != probe_names() || !same)
        return say(Notice::Level::info,
                   "probes.csv and beats.csv start" + from + ": the checkpoint has other probes");
    traces_.go_on(c.probes);
    if (c.traces.V_mV.size() == probe_names().size() &&
        c.traces.first_step + c.traces.steps() == first_step_ + 1)
        traces_.go_on(c.traces.times_ms(session_.dt_ms), c.traces.V_mV);
    if (const auto from_step = step_traces().first_step; from_step > 1)
        say(Notice::Level::info, "beats.csv starts at " + ms_text(from_step - 1) +
                                     ": the checkpoint has no samples of earlier steps");
}

/// For a checkpoint.
KeptTables Run::tables_so_far() const
{
    KeptTables out;
    for (const auto& [file, rows] : tables_)
        out[file] = {rows->table(), rows->of()};
    return out;
}

/// Each table holds the checkpoint's rows of the same columns, or says why it does not.
void Run::go_on_with_tables(const Checkpoint& c)
{
    if (first_step_ == 0)
        return;
    for (const auto& [file, rows] : tables_) {
        const auto from = file + " starts at the checkpoint's " + ms_text(first_step_) + ": ";
        const auto kept = c.tables.find(file);
        if (kept == c.tables.end() || kept->second.rows.names.empty())
            say(Notice::Level::warning, from + "the checkpoint has no rows of it");
        else if (kept->second.rows.names != rows->table().names || kept->second.of != rows->of())
            say(Notice::Level::warning,
                from + "the checkpoint's rows are of other columns, leads or places");
        else // this run writes the row of the checkpoint's time
            rows->go_on(kept->second.rows, simulation_.time_ms() - 0.5 * session_.dt_ms);
    }
}

} // namespace tawara::simulation
