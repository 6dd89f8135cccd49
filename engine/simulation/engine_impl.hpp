// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/newest.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/engine.hpp"
#include "engine/simulation/tissue.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

// What Engine is made of: its loop (engine.cpp), loading (engine_load.cpp) and commands
// (engine_commands.cpp).
namespace tawara::simulation {

/// A probe of the running simulation.
struct LiveProbe
{
    std::uint64_t id;
    Probe probe;
};

/// A simulation that is loaded: owned and used by the engine's thread alone.
struct LoadedRun
{
    Tissue tissue;
    std::unique_ptr<device::Stepper> stepper;
    std::shared_ptr<const Scene> scene;
    device::Gather display;
    std::vector<std::pair<std::size_t, double>> live_stimuli; ///< id and when it is over [ms]
    std::int64_t end_step = 0, until_step = -1;
};

using EngineClock = std::chrono::steady_clock;

inline double seconds(EngineClock::duration d)
{
    return std::chrono::duration<double>(d).count();
}

struct Engine::Impl
{
    Impl(Handler h, EngineOptions o) : handler(std::move(h)), options(std::move(o))
    {
        thread = std::thread([this] { run(); });
    }
    ~Impl()
    {
        {
            std::lock_guard hold(queue_mutex);
            quit = true;
            loading.request_stop();
        }
        wake.notify_all();
        thread.join();
    }

    // Shared with other threads.
    Handler handler;
    EngineOptions options;
    std::mutex queue_mutex;
    std::condition_variable wake;
    std::deque<std::pair<std::uint64_t, Command>> queue;
    std::uint64_t next_command = 1;
    bool quit = false;
    std::stop_source loading;
    Newest<Frame> frames;
    mutable std::mutex status_mutex;
    Status status;
    mutable std::mutex trace_mutex;
    std::vector<Trace> traces;
    std::thread thread;

    // The engine's thread alone.
    std::unique_ptr<LoadedRun> sim;
    Status::State state = Status::State::empty;
    std::uint64_t runs = 0, next_probe = 1;
    std::vector<LiveProbe> probes;
    double limit_ms_per_s = 0, frame_interval_s = 0.016;
    EngineClock::time_point frame_due{}, limit_from{};
    double limit_from_ms = 0;
    std::int64_t batch = 1, frame_step = -1;
    std::uint64_t frame_run = 0;
    EngineClock::time_point rate_from{};
    std::int64_t rate_from_step = 0;

    void push(const Event& e)
    {
        if (handler)
            handler(e);
    }
    void answer(std::uint64_t id, const std::string& refused = {}, std::uint64_t probe = 0)
    {
        push(Answer{id, refused.empty(), refused, probe});
    }
    void set_state(Status::State s);
    void publish_status();
    void start_rates();
    void update_rates();
    void run();
    bool next(std::pair<std::uint64_t, Command>& out);
    void work();
    void steps(std::int64_t n);
    void take_samples();
    void publish_frame(bool now);
    void install_probes();
    void load(std::uint64_t id, Session session);
    std::unique_ptr<LoadedRun> build(const Session& session, const Progress& progress);
    void adopt(std::unique_ptr<LoadedRun> next);
    void make_stepper(LoadedRun& s, const Progress& progress, Notices* notices);

    void apply(std::uint64_t id, Load& c) { load(id, std::move(c.session)); }
    void apply(std::uint64_t id, const Play&);
    void apply(std::uint64_t id, const Pause&);
    void apply(std::uint64_t id, const StepOnce&);
    void apply(std::uint64_t id, const Reset&);
    void apply(std::uint64_t id, const Stimulate&);
    void apply(std::uint64_t id, const AddProbe&);
    void apply(std::uint64_t id, const RemoveProbe&);
    void apply(std::uint64_t id, const LimitSpeed&);
    void apply(std::uint64_t id, const FrameInterval&);
    void apply(std::uint64_t id, const RunUntil&);
    void apply(std::uint64_t id, const CancelLoad&) { answer(id); } // post() has done it
    void apply(std::uint64_t id, const SetStimuli&) { not_yet(id); }
    void apply(std::uint64_t id, const SetTissue&) { not_yet(id); }
    void apply(std::uint64_t id, const SetElectrodes&) { not_yet(id); }
    void apply(std::uint64_t id, const WatchMaps&) { not_yet(id); }
    void apply(std::uint64_t id, const WatchVolume&) { not_yet(id); }
    void apply(std::uint64_t id, const WatchPhase&) { not_yet(id); }
    void apply(std::uint64_t id, const SetEnd&) { not_yet(id); }
    void apply(std::uint64_t id, const StartRecording&) { not_yet(id); }
    void apply(std::uint64_t id, const StopRecording&) { not_yet(id); }
    void apply(std::uint64_t id, const MeasureCeilings&) { not_yet(id); }
    void apply(std::uint64_t id, const Export&) { not_yet(id); }
    void not_yet(std::uint64_t id) { answer(id, "this engine does not know this command"); }
    void play();
};

} // namespace tawara::simulation
