// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_control.hpp"
#include "engine/simulation/observe/dyad_recording.hpp"
#include "tests/gui/bowl.hpp"
#include "tests/gui/fake_cell.hpp"

#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace tawara::fake {

/// Stands in for the engine: makes a travelling wave, records every command, obeys play, pause,
/// step, reset. Time advances only when the test says so, or by itself with `free_running`.
class FakeEngine : public EngineControl
{
  public:
    struct Shared
    {
        std::mutex mutex;
        std::vector<simulation::Command> commands;
        bool free_running = true;              ///< 1 ms per 10 ms of wall time while playing
        bool hold_loading = false;             ///< a Load stays under way until it is cancelled
        std::string refuse_load;               ///< not empty: Load is refused with this
        std::string refuse_all;                ///< not empty: every other command is
        std::string fail_on_play;              ///< not empty: the run fails when it is played
        std::optional<Vec3> fail_at;           ///< and there
        std::string fail_device;               ///< or because of that device
        std::vector<device::MemoryPlan> plans; ///< that a refused Load is answered with
        std::string refuse_keeping;            ///< not empty: KeepState is refused with this
        bool hold_keeping = false;             ///< states that are kept stay under way
        std::string refuse_tissue;             ///< not empty: SetTissue is refused with this
        bool tell_tissue = false;  ///< SetTissue during the run is told as the engine does
        std::string lose_state;    ///< not empty: MeasureCeilings loses the run's state by this
        std::string fail_export;   ///< not empty: every Export ends with this
        bool hold_exports = false; ///< they stay under way
        std::string export_text;   ///< not empty: what every Export that ends well writes
        bool hold_maps = false;    ///< there are none
        bool phase_known = true;   ///< frames have a phase when it is watched
        bool capture = true;       ///< whether pulses capture: said after every SetStimuli
        int mesh_n = 24;
        std::string refuse_network; ///< not empty: SetPurkinje is refused with this
        bool hold_network = false;  ///< the next SetPurkinje stays under way until it is cancelled
        std::string refuse_dyads;   ///< not empty: WatchDyads is refused with this
        calcium::Grid dyads{40, 5, 5}; ///< of a cell that is watched
        bool dyads_gone = false;       ///< it has none any more
        bool slab = false; ///< of tetrahedra of 4 mm, with a named label; else the bowl, without
        Notices notices;   ///< of what is loaded
    };

    FakeEngine(EventHandler handler, std::shared_ptr<Shared> shared);
    ~FakeEngine() override;
    std::uint64_t post(simulation::Command command) override;
    std::shared_ptr<const simulation::Frame> newest_frame() const override;
    simulation::Status status() const override;
    std::vector<simulation::Trace> traces() const override;
    simulation::Trace trace(std::uint64_t probe, std::size_t from) const override;
    std::shared_ptr<const simulation::MapFrame> newest_maps() const override;
    simulation::Ecg ecg(std::size_t from) const override;
    std::vector<simulation::KernelFigure> kernels() const override;
    std::shared_ptr<const simulation::Partition> partition() const override;
    std::vector<simulation::Beat> beats(std::uint64_t probe) const override;
    std::shared_ptr<const simulation::Recording> recording() const override;

  private:
    void run(const std::stop_token& stop);
    void obey(std::uint64_t id, const simulation::Command& c);
    void load(std::uint64_t id, const simulation::Load& asked);
    void keep(std::uint64_t id, const simulation::KeepState& c);
    void set_state(simulation::Status::State s);
    void tell_tissue(const simulation::SetTissue& c);
    void advance(double ms);
    void end_exports();
    void end_keeping();
    void watch(const simulation::WatchDyads& w);
    /// @return  why not; empty: it is another network
    std::string set_network(const simulation::SetPurkinje& c);
    void publish();
    void answer(std::uint64_t id, bool applied = true, const std::string& reason = {},
                std::uint64_t probe = 0);

    EventHandler handler_;
    std::shared_ptr<Shared> shared_;
    mutable std::mutex mutex_; // of everything below
    std::deque<std::pair<std::uint64_t, simulation::Command>> queue_;
    std::uint64_t next_ = 1, next_probe_ = 1, held_load_ = 0, held_network_ = 0;
    simulation::Status status_;
    std::shared_ptr<const simulation::Frame> frame_;
    std::shared_ptr<const simulation::Scene> scene_;
    std::vector<simulation::Trace> traces_;
    std::int64_t beat_ = 0; ///< of the maps
    bool maps_ = false, phase_ = false;
    std::unique_ptr<FakeCell> cell_; ///< that is watched
    std::vector<std::string> leads_;
    std::uint64_t ecg_generation_ = 0;
    std::deque<simulation::Exported> exports_;  ///< under way; the thread's alone
    std::deque<simulation::StateKept> keeping_; ///< the same
    std::shared_ptr<simulation::Recording> recording_;
    std::shared_ptr<simulation::DyadRecordings> cells_; ///< of it
    std::jthread thread_;                               // last: ends first
};

/// Makes a FakeEngine with those settings and recordings.
EngineMaker maker(const std::shared_ptr<FakeEngine::Shared>& shared);

} // namespace tawara::fake
