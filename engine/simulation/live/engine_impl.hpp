// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/latest_value.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/live/beginning.hpp"
#include "engine/simulation/live/engine.hpp"
#include "engine/simulation/observe/analyst.hpp"
#include "engine/simulation/observe/analyst_feed.hpp"
#include "engine/simulation/observe/dyad_watch.hpp"
#include "engine/simulation/observe/network_frame.hpp"
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/observe/probe_traces.hpp"
#include "engine/simulation/observe/recorder.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/simulation.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

// What Engine is made of: its loop (engine.cpp), loading (engine_load.cpp), commands
// (engine_commands.cpp, engine_tissue.cpp), what is computed beside the stepping
// (engine_analysis.cpp) and what becomes of failures (engine_faults.cpp).
namespace tawara::simulation {

/// A simulation that is loaded: owned and used by the engine's thread alone.
struct LoadedRun
{
    explicit LoadedRun(Simulation s) : simulation(std::move(s)) {}
    device::Stepper& stepper() { return simulation.stepper(); }
    Tissue& tissue() { return simulation.tissue(); }

    Simulation simulation;
    Precision precision = Precision::double_; ///< of the stepper
    device::Devices devices;                  ///< that were asked for
    bool maps = true;                         ///< that the stepper keeps them was asked for
    double maps_from_ms = 0; ///< what came before is not in the maps: the run began with a state
    std::shared_ptr<const Scene> scene;
    device::Gather display;
    std::unique_ptr<Pacing> pacing;
    /// The tissue that the last step was taken in, known once it was changed at `step`.
    struct
    {
        std::int64_t step = -1;
        Session before;                ///< of that tissue and its network
        std::vector<TissueEdit> edits; ///< before that
        std::string read;              ///< model files that were read anew at it, in words
    } stepped;
    bool pacing_due = false; ///< initial states are not those of the session's prepacing
    std::int64_t end_step = 0, until_step = -1;
    std::unique_ptr<Analyst> analyst; ///< after the tissue that it reads
    std::unique_ptr<AnalystFeed> feed;
};

/// Why a command is refused: the values of an Answer.
struct Refusal
{
    Refusal() = default;
    Refusal(std::string line_) : line(std::move(line_)) {}
    Refusal(const char* line_) : line(line_) {}
    Refusal(const std::exception& e) : line(e.what())
    {
        if (const auto* input = dynamic_cast<const InputError*>(&e)) {
            where = input->where;
            fault = input->reason;
        }
    }
    static Refusal cancel(std::string line_)
    {
        Refusal out(std::move(line_));
        out.cancelled = true;
        return out;
    }

    std::string line;
    std::string where, fault; ///< of an InputError
    bool cancelled = false;
    std::vector<device::MemoryPlan> plans; ///< where a device has no memory
};

/// A tissue that is being prepared while the run goes on.
struct TissueChange
{
    std::uint64_t command = 0;
    Session session;
    Tissue tissue; ///< mesh and its like shared or copied, the problem new
    std::unique_ptr<device::Stepper> stepper;
    Refusal refused;
    /// What becomes of the network. searches: it changes, by a resistance that is to be found.
    enum class Network { stays, changes, searches, replaces } network = Network::stays;
    bool cells_stay = false;                        ///< no stepper is made
    std::shared_ptr<const PurkinjeNetwork> changed; ///< where it changes or a search was
};

using EngineClock = std::chrono::steady_clock;

/// "CPU, 2 threads, AVX-512, double"
std::string device_text(const device::Stepper& s, Precision p);

/// In words that a user reads.
std::string text_of(const std::exception& e);

inline double seconds(EngineClock::duration d)
{
    return std::chrono::duration<double>(d).count();
}

struct Engine::Impl
{
    Impl(Handler h, EngineOptions o)
        : handler(std::move(h)), options(std::move(o)), traces({options.trace_sample_ms, 0}),
          recorder([this](std::string why) { recording_ended(std::move(why)); })
    {
        thread = std::thread([this] { guarded_run(); });
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
        workers.clear(); // asks them to stop and waits
    }

    // Shared with other threads.
    Handler handler;
    EngineOptions options;
    std::mutex queue_mutex;
    std::condition_variable wake;
    std::deque<std::pair<std::uint64_t, Command>> queue;
    std::vector<std::uint64_t> overflowed; ///< commands for which the queue was too long
    std::uint64_t next_command = 1;
    std::deque<std::function<void()>> finished; ///< what workers brought, for the engine's thread
    bool quit = false;
    std::stop_source loading;
    LatestValue<Frame> frames;
    mutable std::mutex status_mutex;
    Status status;
    ProbeTraces traces;
    Recorder recorder;
    mutable std::mutex shared_mutex; ///< of the next lines
    std::shared_ptr<AnalystResults> results = std::make_shared<AnalystResults>();
    std::vector<device::KernelRecord> kernel_records;
    std::string kernel_device;
    Precision kernel_precision = Precision::double_;
    std::optional<device::Ceilings> ceilings;
    std::shared_ptr<const Partition> cut;
    std::shared_ptr<const PulseLog> pulses; ///< of the run
    std::atomic<bool> kernels_asked{false}; ///< since they were noted
    std::thread thread;

    // The engine's thread alone.
    std::unique_ptr<LoadedRun> sim;
    Status::State state = Status::State::empty;
    std::uint64_t runs = 0;
    double limit_ms_per_s = 0, frame_interval_s = 0.016;
    EngineClock::time_point frame_due{}, limit_from{};
    double limit_from_ms = 0;
    std::int64_t batch = 1, frame_step = -1;
    std::uint64_t frame_run = 0;
    FrameValues frame_values;
    EngineClock::time_point rate_from{};
    std::int64_t rate_from_step = 0;
    Analyst::Watch watch;
    DyadWatch dyads;
    double maps_interval_s = 0.25;
    std::uint64_t record_command = 0;
    std::uint64_t samples_dropped = 0;          ///< of simulations before the present one
    std::shared_ptr<std::stop_source> changing; ///< of the TissueChange under way
    std::uint64_t changing_command = 0;
    std::optional<Session> changing_to;         ///< that the change under way is to lead to
    bool changing_network = false;              ///< the change is of the network, too
    bool measuring = false;                     ///< ceilings: no steps meanwhile
    std::shared_ptr<std::atomic<bool>> keeping; ///< whether a state is being written
    /// Of steppers that were replaced since then; less than nothing: what the present one did
    /// before the reset.
    std::vector<device::KernelRecord> other_kernels;
    std::vector<device::KernelRecord> kernels_of_run() const
    {
        return added(sim->stepper().kernels(), other_kernels);
    }
    struct Worker
    {
        std::shared_ptr<std::atomic<bool>> done;
        std::jthread thread;
    };
    std::vector<Worker> workers;

    /// Nothing that the handler throws goes further: a notice tells it (engine_faults.cpp).
    void push(const Event& e) noexcept;
    void answer(std::uint64_t id, const Refusal& refused = {}, std::uint64_t probe = 0)
    {
        answering = answering == id ? 0 : answering;
        push(Answer{id, refused.line.empty(), refused.line, probe, refused.where, refused.fault,
                    refused.cancelled, refused.plans});
    }

    // Faults (engine_faults.cpp).
    /// The top of the engine's thread.
    void guarded_run() noexcept;
    /// Commands, what workers brought, some steps. @return false: the end
    bool round();
    /// After an exception that nobody caught: the command that was applied is refused; a run that
    /// it came in fails, with what was reached on show. Says what happened.
    void fault(const std::exception& e) noexcept;
    /// What became of the run, with the place or the device where one is to blame.
    Failed failure_of(const std::exception& e) const;
    /// Ends the run as failed: publishes what was reached and says why.
    void fail_run(const Failed& why);
    void publish_reached() noexcept;
    /// A warning among the scene's notices, in place of an earlier one of its kind.
    void note(Notice::Kind kind, const std::string& text);
    void answer_overflowed();
    /// Of a handler that threw, of a worker that could not even say what happened to it.
    void take_faults();
    std::uint64_t answering = 0; ///< the command that is being applied; 0: none, or it is answered
    bool handler_threw = false;
    std::atomic<bool> work_lost{false};
    void set_state(Status::State s);
    void publish_status();
    void start_rates();
    void update_rates();
    bool next(std::pair<std::uint64_t, Command>& out);
    void work();
    /// @return how many were taken
    std::int64_t steps(std::int64_t n);
    void publish_frame(bool now);
    void attach(Frame& f);
    void load(std::uint64_t id, const Load& c);
    /// Said by Loading events; ended by a CancelLoad or another Load.
    Progress loading_progress();
    /// What a session is computed in; a notice where the engine has chosen it.
    Precision precision_of(const Session& session, const device::TissueProblem& p,
                           Notices& notices) const;
    std::unique_ptr<LoadedRun> build(const Load& c, const Progress& progress);
    /// What a Load's checkpoint has; nothing, and a warning, where it cannot be taken.
    std::optional<Beginning> beginning(const Load& c, const Tissue& tissue, Notices& notices) const;
    void adopt(std::unique_ptr<LoadedRun> next);

    void apply(std::uint64_t id, const Load& c);
    void apply(std::uint64_t id, const Play&);
    void apply(std::uint64_t id, const Pause&);
    void apply(std::uint64_t id, const StepOnce&);
    void apply(std::uint64_t id, const Reset&);
    void apply(std::uint64_t id, const Stimulate&);
    /// A live Stimulate's event with the index of the site that gave it, where that is listed.
    CaptureEvent of_its_site(CaptureEvent e) const;
    void apply(std::uint64_t id, const AddProbe&);
    void apply(std::uint64_t id, const RemoveProbe&);
    void apply(std::uint64_t id, const LimitSpeed&);
    void apply(std::uint64_t id, const FrameInterval&);
    void apply(std::uint64_t id, const FrameValues&);
    void apply(std::uint64_t id, const RunUntil&);
    void apply(std::uint64_t id, const CancelLoad&) { answer(id); } // post() has done it
    void apply(std::uint64_t id, const SetStimuli&);
    void apply(std::uint64_t id, const SetTissue&);
    void apply(std::uint64_t id, const SetPurkinje&);
    void apply(std::uint64_t id, const CancelChange&);
    void apply(std::uint64_t id, const SetElectrodes&);
    void apply(std::uint64_t id, const WatchMaps&);
    void apply(std::uint64_t id, const WatchVolume&);
    void apply(std::uint64_t id, const WatchPhase&);
    void apply(std::uint64_t id, const WatchDyads&);
    void apply(std::uint64_t id, const SetEnd&);
    void apply(std::uint64_t id, const StartRecording&);
    void apply(std::uint64_t id, const StopRecording&);
    void apply(std::uint64_t id, const MeasureCeilings&);
    CountedKernels count_bytes(const device::Devices& device);
    /// Says in the scene's notices that the run's state is not what it was, and pauses it.
    void note_lost_state(const std::string& why);
    /// At the run's end: why nothing was activated, if nothing was.
    void note_unexcited();
    /// Takes notices of a kind back: they are true no more.
    void forget(Notice::Kind kind);
    void apply(std::uint64_t id, const Export&);
    /// What a Load of the session as it is now can begin with (engine_keep.cpp).
    Checkpoint checkpoint_now();
    void apply(std::uint64_t id, const KeepState&);

    // Tissue (engine_tissue.cpp) and its network (engine_network.cpp).
    /// Cells and network beside the run; the change under way, whose session this one goes on
    /// from, is dropped.
    void prepare_tissue(std::uint64_t id, Session session);
    void build_change(TissueChange& c, const Tissue& present, const device::StepperOptions& asked,
                      const Progress& progress) const;
    /// The network of a change, in the tissue that was made for it.
    static void build_network(TissueChange& c, const Progress& progress);
    TissueChange::Network network_change(const Session& next) const;
    void adopt_tissue(TissueChange& c);
    /// Takes over the change's cells and network.
    /// @return the model files that were read anew, in words
    std::string take_over(TissueChange& c);
    /// The scene shows the simulation's network; its recording begins with the next one.
    void show_network();
    /// The present session, or the one that the change under way leads to.
    const Session& wanted_session() const { return changing ? *changing_to : sim->scene->session; }
    /// Probes whose cells have another model in a problem that is to take the present one's place.
    std::vector<std::size_t> switched_probes(const device::TissueProblem& next) const;
    void drop_change(const Refusal& reason);
    /// At step 0, after its state has become another: samples, maps and the picture begin with it.
    void show_start();
    /// At the start: paces the cells where that is due, and starts from the states reached; the
    /// engine is left loading.
    /// @return false, having answered, where that was cancelled or refused; then it is paused
    bool pace_cells(std::uint64_t id);

    // What is computed beside the stepping (engine_analysis.cpp).
    void start_analysis(LoadedRun& s);
    void set_watch(const Analyst::Watch& w);
    /// Pauses or ends the run with all that is shown being of this step.
    void stop_at(Status::State s);
    /// Another frame when what is being computed is there: while nothing runs, nothing else would
    /// bring it.
    void publish_analysed();
    void note_kernels();
    void stop_recording();
    void recording_ended(std::string why);
    /// Runs `work` on a thread; what it returns is called on the engine's.
    void in_background(std::function<std::function<void()>(const std::stop_token&)> work);
    void edited(Session session);
    /// Says in the scene's notices that results before now are of another tissue than that of
    /// `fresh`; what was said before, if `fresh` goes back to the tissue that the last step was
    /// taken in.
    /// @param read  the model files that have another text now, in words; empty: none
    void note_tissue_change(const Session& fresh, const std::string& read);
    void play();
};

/// Takes back what note_tissue_change() said: the run starts anew. @return whether it had said it
bool forget_tissue_change(Scene& scene);

} // namespace tawara::simulation
