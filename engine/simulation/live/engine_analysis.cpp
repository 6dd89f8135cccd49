// SPDX-License-Identifier: GPL-3.0-or-later
// What is computed beside the stepping: maps, phase, electrocardiogram, recordings, ceilings,
// exports.
#include "engine/cable/network/part.hpp"
#include "engine/simulation/live/engine_impl.hpp"
#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/run_notices.hpp"
#include "engine/simulation/session/notice_kinds.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

using Clock = EngineClock;

std::shared_ptr<const Partition> partition_of(LoadedRun& s)
{
    auto p = std::make_shared<Partition>();
    p->run = s.scene->run;
    const auto& vertices = s.tissue().surface->vertices;
    p->shard.assign(vertices.size(), 0);
    p->separator.assign(vertices.size(), 0);
    const auto of = s.stepper().shard_of_unknown();
    if (of.empty())
        return p;
    p->shards = *std::max_element(of.begin(), of.end()) + 1;
    const auto& rows = s.tissue().problem.system.alpha;
    const auto read_by_others = [&](std::size_t u) {
        for (auto k = rows.first[u]; k < rows.first[u + 1]; ++k)
            if (of[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])] != of[u])
                return true;
        return false;
    };
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        auto u = static_cast<std::size_t>(vertices[k]);
        if (!s.tissue().on_vertices())
            u = static_cast<std::size_t>(
                s.tissue().stars.tets[static_cast<std::size_t>(s.tissue().stars.first[u])]);
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
        pulses = s.pacing->shared_log();
    }
    s.analyst = std::make_unique<Analyst>(s.tissue(), s.scene->session, s.scene->run, results);
    s.analyst->on_fault([this, of = s.scene->run](const std::string& why) {
        {
            std::lock_guard hold(queue_mutex);
            finished.emplace_back([this, of, why] {
                if (sim && sim->scene->run == of)
                    note(notice_kind::samples_lost,
                         "maps, phase and ECG lack some samples: " + why);
            });
        }
        wake.notify_all();
    });
    s.feed = std::make_unique<AnalystFeed>(s.simulation, *s.analyst, s.pacing->log(), watch);
    s.feed->maps_interval(maps_interval_s);
    const auto& session = s.scene->session;
    if (session.has_ecg()) {
        s.analyst->electrodes(
            ecg_layout(s.tissue(), session.electrodes, session.leads, session.name),
            s.tissue().patches, session.bath_conductivity_S_per_m, session.ecg_every_ms);
        s.feed->ecg_every(session.ecg_every_ms);
    }
    note_kernels();
}

void Engine::Impl::set_watch(const Analyst::Watch& w)
{
    if (w == watch)
        return;
    watch = w;
    if (!sim)
        return;
    sim->feed->watch(w);
    if (state == Status::State::running)
        return;
    frame_step = -1;
    publish_frame(true);
    publish_analysed();
}

void Engine::Impl::stop_at(Status::State s)
{
    sim->feed->sample_now();
    publish_frame(true);
    note_kernels();
    if (s == Status::State::finished)
        note_unexcited();
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

void Engine::Impl::note_kernels()
{
    auto records = kernels_of_run();
    auto device = sim->stepper().device();
    std::lock_guard hold(shared_mutex);
    kernel_records = std::move(records);
    kernel_device = std::move(device);
    kernel_precision = sim->precision;
}

void Engine::Impl::apply(std::uint64_t id, const WatchDyads& c)
{
    if (!sim)
        return answer(id, "nothing is loaded");
    try {
        if (c.cell_mm) {
            dyads.watch(*c.cell_mm);
            recorder.record_cell();
        } else {
            dyads.stop();
        }
    } catch (const InputError& e) {
        return answer(id, e.reason);
    }
    if (state != Status::State::running) { // nothing else would make another frame
        frame_step = -1;
        publish_frame(true);
    }
    answer(id);
}

void Engine::Impl::apply(std::uint64_t id, const WatchMaps& c)
{
    maps_interval_s = std::max(0.02, c.wall_ms / 1e3);
    if (sim)
        sim->feed->maps_interval(maps_interval_s);
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
    w.plane = c.plane;
    w.plane.delay_ms =
        std::clamp(c.plane.delay_ms, PhasePlane::shortest_ms, PhasePlane::longest_ms);
    std::string why;
    if (c.on && sim)
        why = why_no_phase(w.plane, sim->scene->session.regions);
    w.phase = c.on && why.empty();
    set_watch(w);
    answer(id, why);
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
            layout = ecg_layout(sim->tissue(), c.electrodes, c.leads, session.name);
    } catch (const Error& e) {
        return answer(id, e.what());
    }
    const double every_ms = layout.leads.empty() ? 0 : c.every_ms;
    sim->analyst->electrodes(std::move(layout), sim->tissue().patches,
                             session.bath_conductivity_S_per_m, c.every_ms);
    sim->feed->ecg_every(every_ms);
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
    record_command = id;
    try {
        recorder.start(o);
    } catch (const std::exception& e) {
        return answer(id, e.what());
    }
    publish_status();
    answer(id);
}

void Engine::Impl::recording_ended(std::string why)
{
    publish_status();
    push(Exported{record_command, {}, std::move(why)});
}

void Engine::Impl::stop_recording()
{
    recorder.stop();
    publish_status();
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
             try {
                 auto result = work(stop);
                 std::lock_guard hold(queue_mutex);
                 finished.push_back(std::move(result));
             } catch (...) { // each kind of work tells its own errors; there was no room for that
                 work_lost = true;
             }
             {
                 std::lock_guard hold(queue_mutex); // whoever waits has looked before, or looks now
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
    const auto device = sim->stepper().ceiling_device();
    const auto threads = sim->stepper().threads();
    in_background([this, device, threads](const std::stop_token&) -> std::function<void()> {
        std::optional<device::Ceilings> found;
        try {
            found = device::measure_ceilings(device, threads);
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
            push(CeilingsMeasured{found.value_or(device::Ceilings{}), device.text(),
                                  counted.not_counted, counted.not_restored});
        };
    });
}

CountedKernels Engine::Impl::count_bytes(const device::Devices& device)
{
    const auto because = [](const std::string& why) { return CountedKernels{{}, why, {}}; };
    if (!sim)
        return because("nothing is loaded");
    if (device.kind != device::Devices::Kind::cuda) // spares the snapshot
        return because("hardware counters are read on NVIDIA GPUs alone");
    try {
        return count_kernels(sim->stepper());
    } catch (const Error& e) { // the next step says what is wrong with the device
        return because(e.what());
    }
}

void Engine::Impl::note_unexcited()
{
    forget(notice_kind::unexcited); // of an end before
    std::string lost;
    const auto maps = maps_or_none(sim->stepper(), sim->tissue().problem.size(), &lost);
    if (!lost.empty() || sim->maps_from_ms > 0) // nobody knows of all of the run
        return;
    if (!std::all_of(maps.activation_ms.begin(), maps.activation_ms.end(),
                     [](double ms) { return std::isnan(ms); }))
        return;
    auto scene = std::make_shared<Scene>(*sim->scene);
    for (auto& n : what_pulses_did(scene->session, {}, false, sim->simulation.time_ms(),
                                   sim->simulation.seen())) {
        n.kind = notice_kind::unexcited;
        scene->notices.push_back(std::move(n));
    }
    sim->scene = scene;
    push(SceneChanged{scene});
}

void Engine::Impl::note_lost_state(const std::string& why)
{
    auto scene = std::make_shared<Scene>(*sim->scene);
    replace_kind(scene->notices, {Notice::Level::warning, why, notice_kind::state_lost});
    sim->scene = scene;
    push(SceneChanged{scene});
    if (state == Status::State::running) // no more samples and frames of what it has become
        set_state(Status::State::paused);
}

void Engine::Impl::forget(Notice::Kind kind)
{
    if (!has_kind(sim->scene->notices, kind))
        return;
    auto scene = std::make_shared<Scene>(*sim->scene);
    remove_kind(scene->notices, kind);
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
    source->on_vertices = sim->tissue().on_vertices();
    source->time_ms = sim->simulation.time_ms();
    source->potential.resize(sim->tissue().problem.size());
    sim->stepper().potential(source->potential);
    source->maps = sim->stepper().maps();
    source->maps_from_ms = sim->maps_from_ms;
    source->cells = cell_map(sim->scene->session, sim->tissue());
    source->traces = traces.traces();
    source->switched_ms = traces.switched_ms();
    {
        std::lock_guard hold(results->ecg_mutex);
        source->ecg = results->ecg;
    }
    source->pulses = sim->pacing->log().until(source->time_ms);
    source->recording = recorder.newest();
    if (const auto* part = sim->simulation.network()) {
        source->network = sim->tissue().network;
        source->network_times = std::make_shared<const cable::NetworkTimes>(part->times());
    }
    for (const auto& k : kernels_of_run())
        source->kernels.push_back(
            figure(k, sim->stepper().device(), ceilings, sim->precision == Precision::single));
    source->wall_s = sim->simulation.stepping_s();
    source->steps = sim->simulation.step();
    source->newton = sim->stepper().newton_counts();
    answer(id);
    const auto write = [this, id, kind = *kind, path = c.path,
                        source](const std::stop_token& stop) -> std::function<void()> {
        Exported e{id, path, {}};
        try {
            const auto written = export_results(*source, kind, path, {{}, stop, options.context});
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
    const auto with = [this, id, path = c.path, source, write, asked](BeatMaps m) {
        if (!m.failed.empty()) {
            {
                std::lock_guard hold(queue_mutex);
                finished.emplace_back([this, e = Exported{id, path, m.failed}] { push(e); });
            }
            return wake.notify_all();
        }
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
    if (source->maps.activation_ms.empty()) // no beat either: those begin with the maps
        return in_background(write);
    sim->analyst->with_beat(asked, source->maps, with);
}

} // namespace tawara::simulation
