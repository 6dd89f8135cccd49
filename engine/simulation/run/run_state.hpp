// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/folder_lock.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/units.hpp"
#include "engine/device/memory_plan.hpp"
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/observe/probe_traces.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/frames_observer.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/run_notices.hpp"
#include "engine/simulation/run/checkpoint_store.hpp"
#include "engine/simulation/run/checkpoints.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/run/tables.hpp"

#include <chrono>
#include <exception>
#include <optional>

namespace tawara::simulation {

/// In words that a user reads.
std::string run_error_text(const std::exception& e);

/// What a run will write, as far as its session and options tell by themselves: what is asked
/// before the mesh is read.
ComingOutputs outputs_by_name(const Session& s, const RunOptions& o);

/// One run under way: what it steps and what it writes.
class Run
{
  public:
    /// @param need  what the tissue takes, as soon as that is known
    Run(const Session& s, const RunOptions& o, const Progress& progress,
        std::optional<device::MemoryNeed>& need);
    /// @param lock  of the outputs' folder, taken when that is there
    RunReport go(FolderLock& lock, const Progress& progress);

  private:
    void say(Notice::Level level, const std::string& text) const;
    Simulation make_simulation(const Session& s, const Progress& progress,
                               std::optional<device::MemoryNeed>& need) const;
    void resume();
    void need_end_after(std::int64_t step) const;
    void go_on_with_maps(const Checkpoint& c);
    Checkpoint here() const;
    const Provenance& provenance();
    void go_on_with_probes(const Checkpoint& c);
    void go_on_with_tables(const Checkpoint& c);
    KeptTables tables_so_far() const;
    StepTraces step_traces() const;
    std::string ms_text(std::int64_t step) const;
    void take_steps(const Progress& progress);
    void say_checkpoint_room() const;
    void write_checkpoint_here();
    void keep_what_was_reached();
    void say_failed_checkpoints();
    void say_last_checkpoint();
    void finish_after(const std::string& ended);
    template <class Work>
    void guarded(std::exception_ptr& failed, Work&& work);
    std::exception_ptr write_results();
    void draw(std::span<const double> activation_ms, const std::filesystem::path& file);
    std::vector<std::string> files_and_report();
    void write_report(const std::string& ended, std::optional<RunReport>& made);
    RunReport finish(std::string ended);
    void write_beats(const std::filesystem::path& file);
    ComingOutputs outputs_to_come() const;
    void begin_folder(FolderLock& lock, const Progress& progress);
    const std::vector<std::string>& probe_names() const { return traces_.table().names; }

    Session session_;
    const RunOptions& options_;
    OutputFolder folder_; ///< of the outputs, from begin_folder() on
    std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
    Simulation simulation_;
    std::optional<Provenance> provenance_; ///< once it was asked for
    MapsStart maps_;
    ProbeTraces traces_; ///< beats are measured on them, however seldom probes.csv has a row
    Pacing pacing_;
    FramesObserver frames_;
    Tables tables_;
    CheckpointsDue checkpoints_;
    CheckpointStore store_;
    std::vector<KnownPulses> known_; ///< at the checkpoint
    std::vector<TissueEdit> edits_;  ///< where the run branched off
    std::vector<std::string> files_; ///< written, relative to the folder; frames aside
    std::int64_t end_step_ = 0, first_step_ = 0;
    double setup_s_ = 0, results_s_ = 0; ///< wall time
};

} // namespace tawara::simulation
