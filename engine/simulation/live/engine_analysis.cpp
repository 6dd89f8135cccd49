// SPDX-License-Identifier: GPL-3.0-or-later
// What is computed beside the stepping: maps, phase, electrocardiogram, recordings, ceilings,
// exports.
#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/figures.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

using Clock = EngineClock;

constexpr double watch_every_ms = 1;   ///< of maps, phase and volume, in simulated time
constexpr double sampling_share = 0.1; ///< of the wall time that copying samples may take

Clock::duration wall(double s)
{
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

std::shared_ptr<const Partition> partition_of(const LoadedRun& s)
{
    auto p = std::make_shared<Partition>();
    p->run = s.scene->run;
    const auto& vertices = s.tissue.surface->vertices;
    p->shard.assign(vertices.size(), 0);
    p->separator.assign(vertices.size(), 0);
    const auto of = s.stepper->shard_of_unknown();
    if (of.empty())
        return p;
    p->shards = *std::max_element(of.begin(), of.end()) + 1;
    const auto& rows = s.tissue.problem.system.alpha;
    const auto read_by_others = [&](std::size_t u) {
        for (auto k = rows.first[u]; k < rows.first[u + 1]; ++k)
            if (of[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])] != of[u])
                return true;
        return false;
    };
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        auto u = static_cast<std::size_t>(vertices[k]);
        if (!s.tissue.on_vertices())
            u = static_cast<std::size_t>(
                s.tissue.stars.tets[static_cast<std::size_t>(s.tissue.stars.first[u])]);
        p->shard[k] = of[u];
        p->separator[k] = read_by_others(u);
    }
    return p;
}

} // namespace

void Engine::Impl::start_analysis(LoadedRun& s)
{
    {
        std::lock_guard hold(shared_mutex);
        results = std::make_shared<AnalystResults>();
        cut = partition_of(s);
        recorded.reset();
    }
    s.analyst = std::make_unique<Analyst>(s.tissue, s.scene->run, results);
    s.analyst->watch(watch);
    const auto& session = s.scene->session;
    ecg_every = 0;
    if (session.has_ecg()) {
        s.analyst->electrodes(ecg_layout(s.tissue, session.electrodes, session.leads, session.name),
                              s.tissue.patches, session.bath_conductivity_S_per_m,
                              session.ecg_every_ms);
        ecg_every =
            std::max<std::int64_t>(1, std::llround(session.ecg_every_ms / s.stepper->dt_ms()));
    }
    sample_due = 0;
    sample_cost_s = 0;
    maps_due = {};
    plan_samples();
    note_kernels();
    sample(true);
}

void Engine::Impl::set_watch(const Analyst::Watch& w)
{
    if (w == watch)
        return;
    watch = w;
    if (!sim)
        return;
    sim->analyst->watch(w);
    plan_samples();
    maps_due = {};
    sample(true);
    if (state == Status::State::running)
        return;
    frame_step = -1;
    publish_frame(true);
    publish_analysed();
}

void Engine::Impl::stop_at(Status::State s)
{
    sample(true);
    publish_frame(true);
    note_kernels();
    set_state(s);
    publish_analysed();
}

void Engine::Impl::publish_analysed()
{
    if (!watch.phase && !watch.volume)
        return;
    sim->analyst->then([this, of = sim->scene->run] {
        {
            std::lock_guard hold(queue_mutex);
            finished.emplace_back([this, of] {
                if (!sim || sim->scene->run != of || state == Status::State::running)
                    return;
                frame_step = -1;
                publish_frame(true);
            });
        }
        wake.notify_all();
    });
}

void Engine::Impl::plan_samples()
{
    const bool watching =
        watch.maps || watch.phase || watch.volume || sim->analyst->tracks_always();
    sample_every = 0;
    if (watching) {
        const double dt = sim->stepper->dt_ms();
        sample_every = std::max<std::int64_t>(1, std::llround(watch_every_ms / dt));
        // Not more often than copying V may cost.
        const double rate = status.steps_per_second; // written by this thread alone
        const double least = sample_cost_s * rate / sampling_share;
        const auto affordable = static_cast<std::int64_t>(std::ceil(std::min(least, 1e9)));
        // ... unless beats were lost by it
        const auto longest = std::max<std::int64_t>(1, std::llround(Analyst::most_gap_ms / dt));
        sample_every =
            std::max(sample_every,
                     sim->analyst->tracks_always() ? std::min(affordable, longest) : affordable);
    }
    const auto step = sim->stepper->step();
    sample_due = 0;
    for (const auto every : {sample_every, ecg_every})
        if (every > 0) {
            const auto next = (step / every + 1) * every;
            sample_due = sample_due == 0 ? next : std::min(sample_due, next);
        }
}

void Engine::Impl::sample(bool now)
{
    const auto step = sim->stepper->step();
    const bool watching =
        watch.maps || watch.phase || watch.volume || sim->analyst->tracks_always();
    const bool ecg = ecg_every > 0 && step % ecg_every == 0;
    const bool due = sample_due > 0 && step >= sample_due;
    if (!due && !(now && (watching || (ecg && step == 0))))
        return;
    const auto start = Clock::now();
    Sample s;
    s.step = step;
    s.time_ms = sim->stepper->time_ms();
    sim->analyst->pulses(sim->pulses.times(sim->pulses_told_ms, s.time_ms));
    sim->pulses_told_ms = std::max(sim->pulses_told_ms, s.time_ms);
    s.ecg = ecg && (due || step == 0);
    s.v.resize(sim->tissue.problem.size());
    sim->stepper->potential(s.v);
    if (watch.maps && (now || start >= maps_due)) {
        s.first = sim->stepper->maps();
        const auto took = Clock::now() - start;
        maps_due = Clock::now() + std::max(wall(maps_interval_s), 20 * took);
    } else {
        // A mean, in which one sample that the system interrupted counts little.
        const double took = seconds(Clock::now() - start);
        sample_cost_s +=
            0.1 * (std::min(took, sample_cost_s > 0 ? 4 * sample_cost_s : took) - sample_cost_s);
    }
    if (!sim->analyst->submit(std::move(s), now)) {
        std::lock_guard hold(status_mutex);
        ++status.samples_dropped;
    }
    plan_samples();
}

void Engine::Impl::note_kernels()
{
    auto records = kernels_of_run();
    auto device = sim->stepper->device();
    std::lock_guard hold(shared_mutex);
    kernel_records = std::move(records);
    kernel_device = std::move(device);
}

void Engine::Impl::apply(std::uint64_t id, const WatchMaps& c)
{
    maps_interval_s = std::max(0.02, c.wall_ms / 1e3);
    auto w = watch;
    w.maps = c.on;
    w.beat = std::max(WatchMaps::newest_repolarised, c.beat);
    set_watch(w);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const WatchVolume& c)
{
    auto w = watch;
    w.volume = c.on;
    set_watch(w);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const WatchPhase& c)
{
    auto w = watch;
    w.phase = c.on;
    set_watch(w);
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const SetElectrodes& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    if (!(c.every_ms > 0) || !std::isfinite(c.every_ms))
        return answer(id, "samples must be a positive time apart");
    Session session = sim->scene->session;
    session.electrodes = c.electrodes;
    session.leads = c.leads;
    session.ecg_every_ms = c.every_ms;
    EcgLayout layout;
    try {
        if (session.has_ecg())
            layout = ecg_layout(sim->tissue, c.electrodes, c.leads, session.name);
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    ecg_every = layout.leads.empty()
                    ? 0
                    : std::max<std::int64_t>(1, std::llround(c.every_ms / sim->stepper->dt_ms()));
    sim->analyst->electrodes(std::move(layout), sim->tissue.patches,
                             session.bath_conductivity_S_per_m, c.every_ms);
    plan_samples();
    edited(std::move(session));
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const StartRecording& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    if (!(c.every_ms > 0) || !std::isfinite(c.every_ms))
        return answer(id, "recorded frames must be a positive time apart");
    RecordingOptions o;
    o.run = sim->scene->run;
    o.every_ms = c.every_ms;
    o.max_bytes = c.max_bytes;
    try {
        auto fresh = std::make_shared<Recording>(sim->display.size(), o);
        std::lock_guard hold(shared_mutex);
        recorded = std::move(fresh);
    } catch (const std::exception& e) {
        return answer(id, e.what());
    }
    record_every = std::max<std::int64_t>(1, std::llround(c.every_ms / sim->stepper->dt_ms()));
    record_command = id;
    {
        std::lock_guard hold(status_mutex);
        status.recording = true;
    }
    record(true);
    answer(id);
}

void Engine::Impl::record(bool now)
{
    if (record_every == 0)
        return;
    const auto step = sim->stepper->step();
    if (now || step >= record_due) {
        std::vector<float> values(sim->display.size());
        sim->stepper->display(values);
        try {
            recorded->append(sim->stepper->time_ms(), values);
        } catch (const std::exception& e) {
            const auto command = record_command;
            stop_recording();
            push(Exported{command, {}, std::string("recording ended: ") + e.what()});
            return;
        }
    }
    record_due = (step / record_every + 1) * record_every;
}

void Engine::Impl::stop_recording()
{
    record_every = record_due = 0;
    std::lock_guard hold(status_mutex);
    status.recording = false;
}

void Engine::Impl::apply(std::uint64_t id, const StopRecording&)
{
    stop_recording();
    answer(id);
}

void Engine::Impl::in_background(std::function<std::function<void()>(const std::stop_token&)> work)
{
    std::erase_if(workers, [](const Worker& w) { return w.done->load(); });
    auto done = std::make_shared<std::atomic<bool>>(false);
    workers.push_back(
        {done, std::jthread([this, done, work = std::move(work)](const std::stop_token& stop) {
             auto result = work(stop);
             {
                 std::lock_guard hold(queue_mutex);
                 finished.push_back(std::move(result));
             }
             wake.notify_all();
             *done = true;
         })});
}

void Engine::Impl::apply(std::uint64_t id, const MeasureCeilings&)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    answer(id);
    if (measuring)
        return;
    measuring = true;
    const auto device = sim->stepper->ceiling_device();
    in_background([this, device](const std::stop_token&) -> std::function<void()> {
        std::optional<device::Ceilings> found;
        try {
            found = device::measure_ceilings(device, options.threads);
        } catch (const std::exception&) { // a device that failed: there are no ceilings to tell
        }
        return [this, device, found] {
            measuring = false;
            start_rates();
            if (found) {
                std::lock_guard hold(shared_mutex);
                ceilings = found;
            }
            const auto counted = count_bytes(device);
            if (!counted.not_restored.empty())
                note_lost_state(counted.not_restored);
            push(CeilingsMeasured{found.value_or(device::Ceilings{}), device, counted.not_counted,
                                  counted.not_restored});
        };
    });
}

CountedKernels Engine::Impl::count_bytes(const std::string& device)
{
    const auto because = [](const std::string& why) { return CountedKernels{{}, why, {}}; };
    if (!sim)
        return because("nothing is loaded");
    if (device.rfind("cuda", 0) != 0) // spares the snapshot
        return because("hardware counters are read on NVIDIA GPUs alone");
    try {
        return count_kernels(*sim->stepper);
    } catch (const Error& e) { // the next step says what is wrong with the device
        return because(e.what());
    }
}

void Engine::Impl::note_lost_state(const std::string& why)
{
    forget_lost_state();
    sim->state_lost = why;
    auto scene = std::make_shared<Scene>(*sim->scene);
    scene->notices.push_back({Notice::Level::warning, why});
    sim->scene = scene;
    push(SceneChanged{scene});
    if (state == Status::State::running) // no more samples and frames of what it has become
        set_state(Status::State::paused);
}

void Engine::Impl::forget_lost_state()
{
    if (sim->state_lost.empty())
        return;
    auto scene = std::make_shared<Scene>(*sim->scene);
    std::erase_if(scene->notices, [&](const Notice& n) { return n.text == sim->state_lost; });
    sim->state_lost.clear();
    sim->scene = scene;
    push(SceneChanged{scene});
}

void Engine::Impl::apply(std::uint64_t id, const Export& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    const auto kind = export_kind(c.kind);
    if (!kind) {
        std::string known;
        for (const auto& k : export_choices())
            known += (known.empty() ? "" : ", ") + std::string(k.name);
        return answer(id, "there is no export '" + c.kind + "'; there are " + known);
    }
    auto source = std::make_shared<ExportSource>();
    source->scene = sim->scene;
    source->on_vertices = sim->tissue.on_vertices();
    source->time_ms = sim->stepper->time_ms();
    source->potential.resize(sim->tissue.problem.size());
    sim->stepper->potential(source->potential);
    source->maps = sim->stepper->maps();
    {
        std::lock_guard hold(trace_mutex);
        const auto shown = shown_traces();
        source->traces.assign(shown.begin(), shown.end());
        source->switched_ms = switched_ms;
    }
    {
        std::lock_guard hold(results->ecg_mutex);
        source->ecg = results->ecg;
    }
    source->pulses = sim->pulses.until(source->time_ms);
    source->recording = recorded;
    for (const auto& k : kernels_of_run())
        source->kernels.push_back(
            figure(k, sim->stepper->device(), ceilings, options.precision == Precision::single));
    source->wall_s = stepping_s;
    source->steps = sim->stepper->step();
    answer(id);
    const auto write = [this, id, kind = *kind, path = c.path,
                        source](const std::stop_token& stop) -> std::function<void()> {
        Exported e{id, path, {}};
        try {
            Progress progress;
            progress.stop = stop;
            const auto written = export_results(*source, kind, path, progress);
            if (!written.empty())
                e.path = written.front();
        } catch (const std::exception& error) {
            e.error = error.what();
        }
        return [this, e] { push(e); };
    };
    constexpr ExportKind of_beat[] = {ExportKind::maps_csv,       ExportKind::maps_vtu,
                                      ExportKind::activation_dat, ExportKind::repolarisation_dat,
                                      ExportKind::apd90_dat,      ExportKind::report_html};
    if (std::find(std::begin(of_beat), std::end(of_beat), *kind) == std::end(of_beat))
        return in_background(write);
    // of the beat that the maps show; a report wants all of one
    auto asked = watch.beat;
    if (asked == WatchMaps::newest && *kind == ExportKind::report_html)
        asked = WatchMaps::newest_repolarised;
    const auto with = [this, source, write, asked](Analyst::BeatMaps m) {
        if (m.beat > 0) {
            MapFrame of;
            of.beat = m.beat;
            of.asked = asked;
            of.beats = std::move(m.beats);
            source->beat_label = beat_label(of);
            for (const auto& b : of.beats)
                if (b.number == of.beat)
                    source->beat_span = b;
            source->beat = std::move(m.at);
        }
        {
            std::lock_guard hold(queue_mutex);
            finished.emplace_back([this, write] { in_background(write); });
        }
        wake.notify_all();
    };
    sim->analyst->with_beat(asked, source->maps, with);
}

} // namespace tawara::simulation
