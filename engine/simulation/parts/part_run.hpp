// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/numerics_error.hpp"
#include "engine/core/batches.hpp"
#include "engine/core/folder_lock.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/device/ranks/member.hpp"
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/parts/part_ecg.hpp"
#include "engine/simulation/parts/part_samples.hpp"
#include "engine/simulation/parts/part_tissue.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/results/run_report.hpp"

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>

namespace tawara::simulation::parts {

/// One run on a mesh in parts, as one process takes part in it.
class PartRun
{
  public:
    /// @throws as run_parts()
    PartRun(const Session& s, const RunOptions& o, Group& group, const Progress& progress);
    RunReport go(const Progress& progress);

  private:
    /// How a run ends before its end, alike in every process.
    struct Stopped
    {
        std::string text;                ///< of what failed; empty: it was cancelled
        std::optional<NumericsError> at; ///< of a step that failed
        std::exception_ptr file = {};    ///< of a frame that could not be written
    };

    void say(Notice::Level level, const std::string& text) const;
    void make_stepper(const Progress& progress);
    void give_stimuli();
    void resume();
    void look_at_places();
    ComingOutputs outputs_to_come() const;
    void begin_folder(const Progress& progress);
    void take_folder();
    std::int64_t next_event(std::int64_t step) const;
    void take_steps(std::optional<Stopped>& stopped, const Progress& progress);
    std::int64_t agree(std::optional<Stopped>& stopped, const Progress& progress);
    Bytes said_here(const std::optional<Stopped>& stopped);
    Bytes decide(const std::vector<Bytes>& all, const Progress& progress);
    void events();
    void write_frame();
    Checkpoint checkpoint_here();
    void write_checkpoint_here();
    RunReport finish(const std::optional<Stopped>& stopped);
    std::exception_ptr write_results(const device::Maps& maps);
    void keep_what_is_here(const std::exception_ptr& why);
    Provenance provenance() const;
    std::string report_text(const std::string& ended, const device::Maps& maps, RunReport& r);
    void remove_old_checkpoints();
    void say_last_checkpoint() const;
    RunReport steps_and_results(std::optional<Stopped>& stopped, const Progress& progress);

    const Session& session_;
    const RunOptions& options_;
    Group& group_;
    std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
    Notices notices_;
    FolderLock lock_;
    OutputFolder folder_;
    std::unique_ptr<PartTissue> tissue_;
    std::optional<device::ranks::RankHalo> halo_;
    std::unique_ptr<device::Stepper> stepper_;
    std::string devices_; ///< what computes, of all ranks
    PartSamples samples_;
    PartEcg ecg_;
    std::string fingerprint_;
    std::int64_t first_step_ = 0, end_step_ = 0, frames_every_ = 0, checkpoints_every_ = 0,
                 ecg_every_ = 0;
    Batches batches_;
    double setup_s_ = 0, stepping_s_ = 0;
    std::vector<ListedFrame> frames_;
    std::vector<std::string> files_;
    std::deque<std::filesystem::path> checkpoints_; ///< of this process, oldest first
    bool checkpoints_failed_ = false;               ///< one at least
};

} // namespace tawara::simulation::parts
