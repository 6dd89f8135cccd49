// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/engine.hpp"

#include "engine/core/error.hpp"
#include "engine/core/newest.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/tissue.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace tawara::simulation {
namespace {

using Clock = std::chrono::steady_clock;
using State = Status::State;

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

/// Steps are taken in batches of about this wall time, so that a command waits no longer.
constexpr double batch_s = 0.008;
constexpr double rate_window_s = 0.5;
/// Rarely reached reports of loading need no more than this many a second.
constexpr double loading_interval_s = 0.05;

/// A probe of the running simulation.
struct LiveProbe
{
    std::uint64_t id;
    Probe probe;
};

/// A simulation that is loaded: owned and used by the engine's thread alone.
struct Loaded_
{
    Tissue tissue;
    std::unique_ptr<device::Stepper> stepper;
    std::shared_ptr<const Scene> scene;
    device::Gather display;
    std::vector<std::pair<std::size_t, double>> live_stimuli; ///< id and when it is over [ms]
    std::int64_t end_step = 0, until_step = -1;
};

std::string device_text(const device::Stepper& s, Precision p)
{
    return s.device() + ", " + std::string(name(p));
}

} // namespace

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
    std::unique_ptr<Loaded_> sim;
    State state = State::empty;
    std::uint64_t runs = 0, next_probe = 1;
    std::vector<LiveProbe> probes;
    double limit_ms_per_s = 0, frame_interval_s = 0.016;
    Clock::time_point frame_due{}, limit_from{};
    double limit_from_ms = 0;
    std::int64_t batch = 1, frame_step = -1;
    std::uint64_t frame_run = 0;
    Clock::time_point rate_from{};
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
    void set_state(State s);
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
    std::unique_ptr<Loaded_> build(const Session& session, const Progress& progress);
    void adopt(std::unique_ptr<Loaded_> next);
    void make_stepper(Loaded_& s, const Progress& progress, Notices* notices);

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
    void play();
};

void Engine::Impl::set_state(State s)
{
    if (s == state)
        return;
    state = s;
    start_rates();
    publish_status();
    push(StateChanged{s});
}

void Engine::Impl::publish_status()
{
    std::lock_guard hold(status_mutex);
    status.state = state;
    if (sim) {
        status.run = sim->scene->run;
        status.step = sim->stepper->step();
        status.time_ms = sim->stepper->time_ms();
        status.end_ms = static_cast<double>(sim->end_step) * sim->stepper->dt_ms();
    }
}

void Engine::Impl::start_rates()
{
    rate_from = limit_from = Clock::now();
    rate_from_step = sim ? sim->stepper->step() : 0;
    limit_from_ms = sim ? sim->stepper->time_ms() : 0;
    std::lock_guard hold(status_mutex);
    status.ms_per_second = status.steps_per_second = status.cell_steps_per_second = 0;
}

void Engine::Impl::update_rates()
{
    const double took = seconds(Clock::now() - rate_from);
    if (took < rate_window_s)
        return;
    const double rate = static_cast<double>(sim->stepper->step() - rate_from_step) / took;
    rate_from = Clock::now();
    rate_from_step = sim->stepper->step();
    std::lock_guard hold(status_mutex);
    status.steps_per_second = rate;
    status.ms_per_second = rate * sim->stepper->dt_ms();
    status.cell_steps_per_second = rate * static_cast<double>(sim->scene->unknowns);
}

bool Engine::Impl::next(std::pair<std::uint64_t, Command>& out)
{
    std::unique_lock hold(queue_mutex);
    if (state != State::running)
        wake.wait(hold, [&] { return quit || !queue.empty(); });
    if (quit || queue.empty())
        return false;
    out = std::move(queue.front());
    queue.pop_front();
    if (std::holds_alternative<Load>(out.second))
        loading = std::stop_source(); // under the lock: a later post() stops this one
    return true;
}

void Engine::Impl::run()
{
    for (;;) {
        std::pair<std::uint64_t, Command> c;
        while (next(c))
            std::visit([&](auto& command) { apply(c.first, command); }, c.second);
        {
            std::lock_guard hold(queue_mutex);
            if (quit)
                return;
        }
        if (state == State::running)
            work();
    }
}

void Engine::Impl::work()
{
    const auto now = Clock::now();
    if (limit_ms_per_s > 0) {
        const double due_s = (sim->stepper->time_ms() - limit_from_ms) / limit_ms_per_s;
        const double early = due_s - seconds(now - limit_from);
        if (early > 0.001) {
            std::unique_lock hold(queue_mutex);
            wake.wait_for(hold, std::chrono::duration<double>(std::min(early, batch_s)),
                          [&] { return quit || !queue.empty(); });
            return;
        }
        // A solver slower than the limit must not sprint later to catch up.
        if (early < -0.25) {
            limit_from = now;
            limit_from_ms = sim->stepper->time_ms();
        }
    }
    const auto at = sim->stepper->step();
    std::int64_t n = std::min(batch, sim->end_step - at);
    if (sim->until_step >= 0)
        n = std::min(n, sim->until_step - at);
    if (limit_ms_per_s > 0)
        n = std::min<std::int64_t>(
            n, std::max<std::int64_t>(
                   1, std::llround(limit_ms_per_s * batch_s / sim->stepper->dt_ms())));
    if (n > 0)
        steps(n);
    if (state != State::running)
        return;
    const double took = seconds(Clock::now() - now);
    if (took < batch_s / 2 && n == batch)
        batch = std::min<std::int64_t>(batch * 2, 1024);
    else if (took > batch_s)
        batch = std::max<std::int64_t>(batch / 2, 1);
    update_rates();
    if (sim->until_step >= 0 && sim->stepper->step() >= sim->until_step) {
        sim->until_step = -1;
        publish_frame(true);
        set_state(State::paused);
    } else if (sim->stepper->step() >= sim->end_step) {
        publish_frame(true);
        set_state(State::finished);
    } else {
        publish_frame(false);
    }
}

void Engine::Impl::steps(std::int64_t n)
{
    try {
        sim->stepper->advance(n);
    } catch (const Error& e) {
        take_samples();
        publish_frame(true);
        set_state(State::failed);
        push(Failed{e.what()});
        return;
    }
    take_samples();
    auto& live = sim->live_stimuli;
    for (auto i = live.begin(); i != live.end();)
        if (sim->stepper->time_ms() >= i->second) {
            sim->stepper->remove_stimulus(i->first);
            i = live.erase(i);
        } else {
            ++i;
        }
    publish_status();
}

void Engine::Impl::take_samples()
{
    std::vector<std::int64_t> at;
    std::vector<double> samples;
    sim->stepper->take_samples(at, samples);
    if (at.empty())
        return;
    std::lock_guard hold(trace_mutex);
    for (std::size_t k = 0; k < at.size(); ++k)
        for (std::size_t p = 0; p < probes.size(); ++p) {
            traces[p].time_ms.push_back(static_cast<double>(at[k]) * sim->stepper->dt_ms());
            traces[p].V_mV.push_back(static_cast<float>(samples[k * probes.size() + p]));
        }
}

void Engine::Impl::publish_frame(bool now)
{
    const auto time = Clock::now();
    const auto step = sim->stepper->step();
    if ((!now && time < frame_due) || (step == frame_step && sim->scene->run == frame_run))
        return;
    auto f = std::make_shared<Frame>();
    f->run = sim->scene->run;
    f->step = step;
    f->time_ms = sim->stepper->time_ms();
    f->values.resize(sim->display.size());
    sim->stepper->display(f->values);
    f->made = Clock::now();
    frames.put(std::move(f));
    frame_step = step;
    frame_run = sim->scene->run;
    frame_due = time + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(frame_interval_s));
    std::lock_guard hold(status_mutex);
    status.frames_published = frames.published();
    status.frames_dropped = frames.dropped();
}

void Engine::Impl::install_probes()
{
    take_samples();
    std::vector<Probe> list;
    for (const auto& p : probes)
        list.push_back(p.probe);
    const double dt = sim->stepper->dt_ms();
    sim->stepper->set_probes(
        probe_weights(sim->tissue, list, sim->scene->title),
        std::max<std::int64_t>(1, std::llround(options.trace_sample_ms / dt)));
}

void Engine::Impl::make_stepper(Loaded_& s, const Progress& progress, Notices* notices)
{
    s.stepper = device::make_stepper(
        s.tissue.problem, {options.devices, options.precision, options.threads}, progress, notices);
    s.stepper->set_display(s.display);
    const auto& session = s.scene ? s.scene->session : Session{};
    for (std::size_t k = 0; k < session.stimuli.size(); ++k)
        s.stepper->add_stimulus(source_of(s.tissue, session.stimuli[k], session.name,
                                          "/stimuli/" + std::to_string(k)));
    s.live_stimuli.clear();
    s.until_step = -1;
}

std::unique_ptr<Loaded_> Engine::Impl::build(const Session& session, const Progress& progress)
{
    auto s = std::make_unique<Loaded_>();
    s->tissue = build_tissue(session, progress);
    s->display = display_weights(s->tissue);
    auto scene = std::make_shared<Scene>();
    scene->run = ++runs;
    scene->session = session;
    scene->mesh = s->tissue.mesh;
    scene->surface = s->tissue.surface;
    scene->title = session.name.empty() ? s->tissue.mesh_title : session.name;
    scene->unknowns = static_cast<std::int64_t>(s->tissue.problem.size());
    scene->dt_ms = session.dt_ms;
    const auto& sub = s->tissue.problem.substeps;
    scene->substeps = sub.stages == 1 ? "1 diffusion step"
                      : sub.kind == diffusion::SubStepping::Kind::euler
                          ? std::to_string(sub.stages) + " diffusion sub-steps"
                          : std::to_string(sub.stages) + " RKL2 stages";
    scene->notices = s->tissue.notices;
    s->scene = scene;
    make_stepper(*s, progress, &scene->notices);
    // A session with a probe that cannot be placed is refused as a whole.
    (void)probe_weights(s->tissue, session.probes, session.name);
    scene->device = device_text(*s->stepper, options.precision);
    s->end_step = std::llround(session.end_ms / session.dt_ms);
    return s;
}

void Engine::Impl::adopt(std::unique_ptr<Loaded_> next)
{
    sim = std::move(next);
    batch = 1;
    probes.clear();
    {
        std::lock_guard hold(trace_mutex);
        traces.clear();
        for (const auto& p : sim->scene->session.probes) {
            probes.push_back({next_probe, p});
            traces.push_back({next_probe++, p.name, p.position_mm, {}, {}});
        }
    }
    install_probes();
}

void Engine::Impl::load(std::uint64_t id, Session session)
{
    const State before = state;
    std::string refused;
    Clock::time_point last{};
    Progress progress;
    {
        std::lock_guard hold(queue_mutex);
        progress.stop = loading.get_token();
        // Commands that came while this one waited: a newer Load makes this one pointless.
        for (const auto& [other, c] : queue)
            if (std::holds_alternative<Load>(c) || std::holds_alternative<CancelLoad>(c))
                loading.request_stop();
    }
    progress.report = [&](double fraction, std::string_view stage) {
        if (seconds(Clock::now() - last) < loading_interval_s && fraction < 1)
            return;
        last = Clock::now();
        {
            std::lock_guard hold(status_mutex);
            status.loading_fraction = fraction;
            status.loading_stage = stage;
        }
        push(Loading{fraction, std::string(stage)});
    };
    set_state(State::loading);
    try {
        adopt(build(session, progress));
    } catch (const Cancelled&) {
        refused = "loading was cancelled";
    } catch (const std::bad_alloc&) {
        refused = "not enough memory for this mesh; use a coarser one";
    } catch (const Error& e) {
        refused = e.what();
    }
    if (!refused.empty()) { // what was there before stays
        set_state(sim ? (before == State::running ? State::paused : before) : State::empty);
        answer(id, refused);
        return;
    }
    push(Loaded{sim->scene});
    publish_frame(true);
    set_state(State::paused);
    answer(id);
}

void Engine::Impl::play()
{
    start_rates();
    set_state(State::running);
}

void Engine::Impl::apply(std::uint64_t id, const Play&)
{
    if (!sim)
        return answer(id, "nothing is loaded; open a mesh or a session first");
    if (state == State::failed)
        return answer(id, "the run failed; reset it first");
    if (state == State::finished)
        return answer(id, "the run has reached its end; reset it or give it a later end");
    sim->until_step = -1;
    play();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Pause&)
{
    if (state == State::running) {
        publish_frame(true);
        set_state(State::paused);
    }
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const StepOnce& c)
{
    if (!sim || state != State::paused)
        return answer(id, "only a paused simulation can be stepped");
    steps(std::min<std::int64_t>(std::max(c.steps, 1), sim->end_step - sim->stepper->step()));
    if (state == State::paused) {
        publish_frame(true);
        if (sim->stepper->step() >= sim->end_step)
            set_state(State::finished);
    }
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Reset&)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    make_stepper(*sim, {}, nullptr);
    {
        std::lock_guard hold(trace_mutex);
        for (auto& t : traces) {
            t.time_ms.clear();
            t.V_mV.clear();
        }
    }
    install_probes();
    frame_step = -1;
    start_rates();
    publish_frame(true);
    publish_status();
    set_state(State::paused);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const Stimulate& c)
{
    if (!sim || state == State::failed)
        return answer(id, "nothing runs that could be stimulated");
    if (!(c.radius_mm > 0) || !(c.duration_ms > 0) || !std::isfinite(c.amplitude_pA_per_pF))
        return answer(id, "a stimulus needs a positive radius and duration");
    device::StimulusSource source;
    try {
        source.unknowns =
            unknowns_in(sim->tissue, Sphere{c.position_mm, c.radius_mm}, sim->scene->title, "stimulus");
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    source.amplitude_pA_per_pF = c.amplitude_pA_per_pF;
    source.start_ms = sim->stepper->time_ms();
    source.duration_ms = c.duration_ms;
    const double over = source.start_ms + source.duration_ms;
    sim->live_stimuli.emplace_back(sim->stepper->add_stimulus(std::move(source)), over);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const AddProbe& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    const std::uint64_t probe = next_probe++;
    take_samples();
    probes.push_back({probe, {c.name, c.position_mm}});
    {
        std::lock_guard hold(trace_mutex);
        traces.push_back({probe, c.name, c.position_mm, {}, {}});
    }
    try {
        install_probes();
    } catch (const Error& e) {
        probes.pop_back();
        {
            std::lock_guard hold(trace_mutex);
            traces.pop_back();
        }
        return answer(id, e.what());
    }
    answer(id, {}, probe);
}

void Engine::Impl::apply(std::uint64_t id, const RemoveProbe& c)
{
    const auto at = std::find_if(probes.begin(), probes.end(),
                                 [&](const LiveProbe& p) { return p.id == c.probe; });
    if (at == probes.end())
        return answer(id, "there is no such probe");
    take_samples();
    {
        std::lock_guard hold(trace_mutex);
        traces.erase(traces.begin() + (at - probes.begin()));
    }
    probes.erase(at);
    install_probes();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const LimitSpeed& c)
{
    limit_ms_per_s = std::max(0.0, c.ms_per_second);
    start_rates();
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const FrameInterval& c)
{
    frame_interval_s = std::max(0.0, c.wall_ms / 1e3);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const RunUntil& c)
{
    if (!sim || state == State::failed)
        return answer(id, "nothing is loaded that can run");
    const auto step = std::llround(c.time_ms / sim->stepper->dt_ms());
    if (step > sim->end_step)
        sim->end_step = step;
    if (step <= sim->stepper->step()) {
        publish_frame(true);
        set_state(State::paused);
        return answer(id);
    }
    sim->until_step = step;
    play();
    answer(id);
}

Engine::Engine(Handler handler, EngineOptions options)
    : impl_(std::make_unique<Impl>(std::move(handler), std::move(options)))
{
}

Engine::~Engine() = default;

std::uint64_t Engine::post(Command command)
{
    std::uint64_t id = 0;
    {
        std::lock_guard hold(impl_->queue_mutex);
        id = impl_->next_command++;
        if (std::holds_alternative<Load>(command) || std::holds_alternative<CancelLoad>(command))
            impl_->loading.request_stop();
        impl_->queue.emplace_back(id, std::move(command));
    }
    impl_->wake.notify_all();
    return id;
}

std::shared_ptr<const Frame> Engine::newest_frame() const { return impl_->frames.newest(); }

Status Engine::status() const
{
    std::lock_guard hold(impl_->status_mutex);
    return impl_->status;
}

std::vector<Trace> Engine::traces() const
{
    std::lock_guard hold(impl_->trace_mutex);
    return impl_->traces;
}

Trace Engine::trace(std::uint64_t probe, std::size_t from) const
{
    std::lock_guard hold(impl_->trace_mutex);
    for (const auto& t : impl_->traces)
        if (t.probe == probe) {
            const auto n = std::min(from, t.time_ms.size());
            Trace out{t.probe, t.name, t.position_mm, {}, {}};
            out.time_ms.assign(t.time_ms.begin() + static_cast<std::ptrdiff_t>(n), t.time_ms.end());
            out.V_mV.assign(t.V_mV.begin() + static_cast<std::ptrdiff_t>(n), t.V_mV.end());
            return out;
        }
    return {};
}

} // namespace tawara::simulation
