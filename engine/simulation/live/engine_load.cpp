// SPDX-License-Identifier: GPL-3.0-or-later
// Loading: what was there before stays until the new simulation is ready.
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/live/live_precision.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/model_digests.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

using Clock = EngineClock;
using State = Status::State;

/// Between the probes' samples, of which TraceThinner keeps some. One costs an H200 about 2 us.
constexpr double finest_sample_ms = 0.01;
/// Reports of loading, at most so often.
constexpr double loading_interval_s = 0.05;

/// Where a checkpoint has the cells' states, none are paced.
Session without_pacing(Session s)
{
    s.prepacing = {};
    return s;
}

Notice no_beginning(const std::string& why)
{
    return {Notice::Level::warning,
            "begins at its start, since its checkpoint cannot be taken: " + why};
}

/// Maps of a run that begins with a state of another are those of that, and what comes.
void begin_maps(LoadedRun& run, double from_ms, Notices& notices)
{
    if (!(from_ms > 0) || !run.stepper().keeps_maps())
        return;
    run.maps_from_ms = from_ms;
    notices.push_back({Notice::Level::info,
                       "maps begin at " + number_text(from_ms, 7) + " ms, as the checkpoint's do",
                       notice_kind::maps_begin});
}

std::int64_t finest_steps(double dt_ms)
{
    return std::max<std::int64_t>(1, std::llround(finest_sample_ms / dt_ms));
}

} // namespace

std::string device_text(const device::Stepper& s, Precision p)
{
    return s.device() + ", " + std::string(name(p));
}

Precision Engine::Impl::precision_of(const Session& session, const device::TissueProblem& p,
                                     Notices& notices) const
{
    if (options.precision)
        return *options.precision;
    if (const auto asked = asked_precision(session))
        return *asked;
    if (!options.choose_precision)
        return Precision::double_;
    const auto chosen = live_precision(p);
    if (chosen == Precision::single)
        notices.push_back({Notice::Level::info,
                           "computed in single precision, which is faster; it was measured to move "
                           "activation and repolarisation by less than a picture shows. "
                           "\"precision\": \"double\" in the session (Run > Numerics) or "
                           "--precision double changes that"});
    return chosen;
}

std::optional<Beginning> Engine::Impl::beginning(const Load& c, const Tissue& tissue,
                                                 Notices& notices) const
{
    if (c.checkpoint.empty())
        return {};
    try {
        return read_beginning(c.checkpoint, c.session, tissue,
                              options.precision ? options.precision : asked_precision(c.session));
    } catch (const InputError& e) {
        notices.push_back(no_beginning(e.what()));
        return {};
    }
}

std::unique_ptr<LoadedRun> Engine::Impl::build(const Load& c, const Progress& progress)
{
    const Session& session = c.session;
    auto tissue =
        build_tissue(c.checkpoint.empty() ? session : without_pacing(session), progress, true);
    auto scene = std::make_shared<Scene>();
    scene->run = ++runs;
    scene->session = session;
    scene->models_sha256 = model_digests(tissue, session.folder);
    scene->tuned = tissue.patches.tuned;
    scene->mesh = tissue.mesh;
    scene->surface = tissue.surface;
    scene->title = session.name.empty() ? tissue.mesh_title : session.name;
    scene->unknowns = static_cast<std::int64_t>(tissue.problem.size());
    scene->dt_ms = session.dt_ms;
    const auto& sub = tissue.problem.substeps;
    scene->substeps = session.stepping == Stepping::newton ? "steps by Newton's method"
                      : sub.stages == 1                    ? "1 diffusion step"
                      : sub.kind == diffusion::SubStepping::Kind::euler
                          ? std::to_string(sub.stages) + " diffusion sub-steps"
                          : std::to_string(sub.stages) + " RKL2 stages";
    scene->notices = tissue.notices;
    if (tissue.network)
        scene->network = shape_of(tissue.network);
    const auto placed = ecg_notices(tissue, session.electrodes, session.leads, session.name);
    scene->notices.insert(scene->notices.end(), placed.begin(), placed.end());
    auto begun = beginning(c, tissue, scene->notices);
    const auto precision = begun    ? begun->precision
                           : c.plan ? c.plan->precision
                                    : precision_of(session, tissue.problem, scene->notices);
    const auto devices = c.plan ? c.plan->devices : device::Devices(options.devices);
    const bool maps = !c.plan || c.plan->maps;
    auto s = std::make_unique<LoadedRun>(Simulation(std::move(tissue),
                                                    {devices, precision, options.threads, {}, maps},
                                                    progress, &scene->notices));
    s->precision = precision;
    s->devices = devices;
    s->maps = maps;
    if (!s->stepper().keeps_maps())
        scene->notices.push_back({Notice::Level::warning, device::no_maps_text});
    s->scene = scene;
    s->display = display_weights(s->tissue());
    s->stepper().set_display(s->display);
    s->pacing = std::make_unique<Pacing>(s->simulation, session.name, finest_steps(session.dt_ms),
                                         [this](const CaptureEvent& e) {
                                             if (e.stimulus != CaptureWatch::former)
                                                 push(of_its_site(e));
                                         });
    if (begun)
        try {
            s->simulation.restore(begun->checkpoint.state);
            begin_maps(*s, begun->checkpoint.maps_from_ms, scene->notices);
        } catch (const InputError& e) {
            scene->notices.push_back(no_beginning(c.checkpoint.string() + ": " + e.reason));
            begun.reset();
        }
    s->pacing_due = !c.checkpoint.empty() && !begun && session.prepacing != Prepacing{};
    s->pacing->begin(session.stimuli,
                     begun ? begun->checkpoint.pulses : std::vector<KnownPulses>());
    // A session with a probe or electrode that cannot be placed is refused as a whole.
    (void)probe_weights(s->tissue(), session.probes, session.name);
    if (session.has_ecg())
        (void)ecg_layout(s->tissue(), session.electrodes, session.leads, session.name);
    scene->device = device_text(s->stepper(), precision);
    scene->precision = precision;
    scene->on_cpu = s->stepper().ceiling_device().kind == device::Devices::Kind::cpu;
    s->end_step = std::llround(session.end_ms / session.dt_ms);
    return s;
}

void Engine::Impl::adopt(std::unique_ptr<LoadedRun> next)
{
    drop_change("another session was loaded");
    for (auto& w : workers)
        w.thread.request_stop();
    workers.clear(); // waits: they may read what is there now
    if (sim)
        samples_dropped += sim->feed->refused();
    sim = std::move(next);
    batch = 1;
    other_kernels.clear();
    const auto& session = sim->scene->session;
    auto& s = sim->simulation;
    traces.begin(s, session.probes, sim->scene->title, finest_steps(s.dt_ms()),
                 [of = sim->pacing.get()](auto unknowns, double from_ms, double to_ms) {
                     return of->current_in(unknowns, from_ms, to_ms);
                 });
    recorder.begin(s, sim->display.size(), &dyads);
    recorder.set_network(sim->scene->network);
    dyads.begin(s);
    start_analysis(*sim);
    for (Observer* o : std::initializer_list<Observer*>{&traces, sim->pacing.get(), sim->feed.get(),
                                                        &recorder, &dyads})
        s.add(*o);
    s.plan_samples();
    sim->feed->sample_now();
}

void Engine::Impl::apply(std::uint64_t id, const Load& c)
{
    load(id, c);
}

Progress Engine::Impl::loading_progress()
{
    Progress progress{{}, {}, options.context};
    progress.report = [this, last = Clock::time_point{}](double fraction,
                                                         std::string_view stage) mutable {
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
    std::lock_guard hold(queue_mutex);
    progress.stop = loading.get_token();
    return progress;
}

void Engine::Impl::load(std::uint64_t id, const Load& c)
{
    const State before = state;
    Refusal refused;
    const Progress progress = loading_progress();
    {
        std::lock_guard hold(queue_mutex);
        // Commands that came while this one waited: a newer Load makes this one pointless.
        for (const auto& [other, later] : queue)
            if (std::holds_alternative<Load>(later) || std::holds_alternative<CancelLoad>(later))
                loading.request_stop();
    }
    set_state(State::loading);
    try {
        adopt(build(c, progress));
    } catch (const Cancelled&) {
        refused = Refusal::cancel("loading was cancelled");
    } catch (const std::bad_alloc&) {
        refused = "not enough memory for this mesh; use a coarser one";
    } catch (const device::NoMemory& e) {
        refused = e;
        refused.plans = e.plans;
    } catch (const std::exception& e) {
        refused = e;
    }
    if (!refused.line.empty()) { // what was there before stays
        set_state(sim ? (before == State::running ? State::paused : before) : State::empty);
        answer(id, refused);
        return;
    }
    push(Loaded{sim->scene});
    frame_step = -1;
    publish_frame(true);
    start_rates();
    set_state(sim->simulation.step() > 0 && sim->simulation.step() >= sim->end_step
                  ? State::finished
                  : State::paused);
    answer(id);
}

} // namespace tawara::simulation
