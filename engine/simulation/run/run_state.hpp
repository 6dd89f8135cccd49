// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/folder_lock.hpp"
#include "engine/core/units.hpp"
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/observe/probe_samples.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/results/run_notices.hpp"

#include <chrono>
#include <exception>

namespace tawara::simulation {

/// One run under way: what it steps and what it writes.
class Run
{
  public:
    Run(const Session& s, const RunOptions& o, const Progress& progress);
    /// @param lock  of the outputs' folder, taken when that is there
    RunReport go(FolderLock& lock, const Progress& progress);

  private:
    void say(Notice::Level level, const std::string& text) const;
    void resume();
    void need_end_after(std::int64_t step) const;
    void go_on_with_maps(const Checkpoint& c);
    Checkpoint here() const;
    void go_on_with_probes(const Checkpoint& c);
    void go_on_with_ecg(const Checkpoint& c);
    std::string ms_text(std::int64_t step) const;
    void watch_capture();
    std::vector<KnownPulses> known_now() const;
    void set_probes();
    void restart_maps();
    void collect();
    void outputs_at(std::int64_t step);
    void write_checkpoint_here();
    void keep_what_was_reached();
    std::exception_ptr write_results();
    RunReport finish(std::string ended);
    void write_beats(const std::filesystem::path& file);
    ComingOutputs outputs_to_come() const;
    void begin_folder(FolderLock& lock);

    Session session_;
    const RunOptions& options_;
    std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
    Tissue tissue_;
    std::unique_ptr<device::Stepper> stepper_;
    FrameWriter frames_;
    std::vector<std::string> files_; ///< written, relative to the folder; frames aside
    ProbeTable probes_, ecg_;
    StepTraces traces_; ///< beats are measured on them, however seldom probes.csv has a row
    EcgField ecg_field_;
    CaptureWatch capture_;
    PulseLog pulses_;
    std::uint64_t first_pulses_ = 0;      ///< number of the first stimulus there
    std::vector<std::string> pulse_keys_; ///< stimulus_key() of each stimulus
    std::vector<KnownPulses> known_;      ///< at the checkpoint
    std::vector<TissueEdit> edits_;       ///< where the run branched off
    std::vector<double> v_;
    std::int64_t probe_every_ = 1; ///< steps between rows of probes.csv
    std::int64_t end_step_ = 0, first_step_ = 0, frame_every_ = 0, checkpoint_every_ = 0,
                 ecg_every_ = 0;
    std::int64_t maps_step_ = 0; ///< maps are of what is activated after it
    double maps_begun_ms_ = 0;   ///< those so far
    PotentialRange range_;       ///< that was seen, as far as anybody looked
    PhaseTimes phases_;
};

} // namespace tawara::simulation
