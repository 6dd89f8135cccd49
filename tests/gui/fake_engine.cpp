// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/fake_engine.hpp"

#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "tests/gui/fake_network.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>

namespace tawara::fake {

using simulation::Status;

FakeEngine::FakeEngine(EventHandler handler, std::shared_ptr<Shared> shared)
    : handler_(std::move(handler)), shared_(std::move(shared)),
      thread_([this](const std::stop_token& stop) { run(stop); })
{
}

FakeEngine::~FakeEngine()
{
    thread_.request_stop();
}

std::uint64_t FakeEngine::post(simulation::Command command)
{
    std::lock_guard hold(mutex_);
    {
        std::lock_guard also(shared_->mutex);
        shared_->commands.push_back(command);
    }
    queue_.emplace_back(next_, std::move(command));
    return next_++;
}

std::shared_ptr<const simulation::Frame> FakeEngine::newest_frame() const
{
    std::lock_guard hold(mutex_);
    return frame_;
}

Status FakeEngine::status() const
{
    std::lock_guard hold(mutex_);
    return status_;
}

std::vector<simulation::Trace> FakeEngine::traces() const
{
    std::lock_guard hold(mutex_);
    return traces_;
}

simulation::Trace FakeEngine::trace(std::uint64_t probe, std::size_t from) const
{
    std::lock_guard hold(mutex_);
    for (auto t : traces_)
        if (t.probe == probe) {
            const auto n = static_cast<std::ptrdiff_t>(std::min(from, t.time_ms.size()));
            t.time_ms.erase(t.time_ms.begin(), t.time_ms.begin() + n);
            t.V_mV.erase(t.V_mV.begin(), t.V_mV.begin() + n);
            return t;
        }
    return {};
}

std::shared_ptr<const simulation::MapFrame> FakeEngine::newest_maps() const
{
    {
        std::lock_guard also(shared_->mutex);
        if (shared_->hold_maps)
            return {};
    }
    std::lock_guard hold(mutex_);
    if (!maps_ || !scene_)
        return {};
    auto m = std::make_shared<simulation::MapFrame>();
    m->run = status_.run;
    m->step = status_.step;
    m->time_ms = status_.time_ms;
    constexpr float never = std::numeric_limits<float>::quiet_NaN();
    for (auto v : scene_->surface->vertices) {
        const Vec3 p = scene_->mesh->vertex(static_cast<std::size_t>(v));
        const double at = (p[2] + 60) / 0.6;
        m->activation.push_back(at < m->time_ms ? static_cast<float>(at) : never);
        m->repolarisation.push_back(at + 260 < m->time_ms ? static_cast<float>(at + 260) : never);
        m->apd90.push_back(static_cast<float>(260 + p[0]));
        m->period.push_back(never);
        const bool known = at < m->time_ms;
        m->velocity.push_back(known ? std::array{0.0F, 0.0F, 0.6F}
                                    : std::array{never, never, never});
        m->activations.push_back(1);
    }
    m->beats = {{1, 0, 180, 1, false}, {2, 400, 580, 1, false}, {3, 812, 830, 0.034, false}};
    m->beats.back().propagated = false;
    m->beats.front().repolarised = 1;
    m->asked = beat_;
    m->beat = simulation::asked_beat(beat_, m->beats);
    return m;
}

simulation::Ecg FakeEngine::ecg(std::size_t from) const
{
    std::lock_guard hold(mutex_);
    simulation::Ecg e;
    e.generation = ecg_generation_;
    e.every_ms = 1;
    e.leads = leads_;
    e.mV.resize(e.leads.size());
    if (e.leads.empty())
        return e;
    for (std::size_t k = from; static_cast<double>(k) < status_.time_ms; ++k) {
        const double t = static_cast<double>(k);
        e.time_ms.push_back(t);
        for (std::size_t l = 0; l < e.mV.size(); ++l)
            e.mV[l].push_back(static_cast<float>((0.3 + 0.1 * static_cast<double>(l)) *
                                                     std::exp(-std::pow((t - 50) / 12, 2)) +
                                                 0.2 * std::exp(-std::pow((t - 300) / 40, 2))));
    }
    return e;
}

std::vector<simulation::KernelFigure> FakeEngine::kernels() const
{
    std::lock_guard hold(mutex_);
    const auto n = static_cast<double>(status_.step);
    return {
        {"diffusion", "Fake", status_.step, 0.05 * n, 1.2e6 * n, 2e5 * n, 20, 60, 0.7, "memory"},
        {"reaction", "Fake", status_.step, 0.15 * n, 3e6 * n, 6e6 * n, 20, 60, 0.66, "arithmetic"}};
}

std::shared_ptr<const simulation::Partition> FakeEngine::partition() const
{
    std::lock_guard hold(mutex_);
    if (!scene_)
        return {};
    auto p = std::make_shared<simulation::Partition>();
    p->run = status_.run;
    p->shards = 2;
    for (auto v : scene_->surface->vertices) {
        const double x = scene_->mesh->vertex(static_cast<std::size_t>(v))[0];
        p->shard.push_back(x > 0 ? 1 : 0);
        p->separator.push_back(std::abs(x) < 3 ? 1 : 0);
    }
    return p;
}

std::vector<simulation::Beat> FakeEngine::beats(std::uint64_t) const
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {
        {10, 250, -85, 30, 115, 180, 230, 262, none, none, {}, {{"Apex", "S1", 0, 0, true}}},
        {610, 248, -85, 29, 114, 178, 228, 258, 338, 600, {}, {{"Apex", "S1", 600, 600, true}}},
        {1110, 240, -85, 28, 113, 170, 220, 249, 242, 500, {}, {{"Apex", "S2", 1100, 500, {}}}}};
}

std::shared_ptr<const simulation::Recording> FakeEngine::recording() const
{
    std::lock_guard hold(mutex_);
    return recording_;
}

void FakeEngine::run(const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        for (;;) {
            std::pair<std::uint64_t, simulation::Command> next;
            {
                std::lock_guard hold(mutex_);
                if (queue_.empty())
                    break;
                next = queue_.front();
                queue_.pop_front();
            }
            obey(next.first, next.second);
        }
        end_exports();
        end_keeping();
        bool tick = false;
        {
            std::lock_guard also(shared_->mutex);
            tick = shared_->free_running;
        }
        if (tick && status().state == Status::State::running)
            advance(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void FakeEngine::end_exports()
{
    std::string error, text;
    {
        std::lock_guard also(shared_->mutex);
        if (shared_->hold_exports)
            return;
        error = shared_->fail_export;
        text = shared_->export_text;
    }
    for (; !exports_.empty(); exports_.pop_front()) {
        exports_.front().error = error;
        if (error.empty() && !text.empty())
            std::ofstream(exports_.front().path) << text;
        handler_(exports_.front());
    }
}

void FakeEngine::end_keeping()
{
    {
        std::lock_guard also(shared_->mutex);
        if (shared_->hold_keeping)
            return;
    }
    for (; !keeping_.empty(); keeping_.pop_front())
        handler_(keeping_.front());
}

void FakeEngine::answer(std::uint64_t id, bool applied, const std::string& reason,
                        std::uint64_t probe)
{
    handler_(simulation::Answer{id, applied, reason, probe});
}

void FakeEngine::set_state(Status::State s)
{
    {
        std::lock_guard hold(mutex_);
        if (status_.state == s)
            return;
        status_.state = s;
    }
    handler_(simulation::StateChanged{s});
}

void FakeEngine::load(std::uint64_t id, const simulation::Load& asked)
{
    const auto& session = asked.session;
    double begins_ms = 0; // keep() writes it
    if (!asked.checkpoint.empty())
        std::ifstream(asked.checkpoint) >> begins_ms;
    set_state(Status::State::loading);
    handler_(simulation::Loading{0.25, "Reading the mesh"});
    std::string refuse;
    bool hold_it = false;
    int n = 0;
    bool slab = false;
    Notices notices;
    std::vector<device::MemoryPlan> plans;
    {
        std::lock_guard also(shared_->mutex);
        slab = shared_->slab;
        notices = shared_->notices;
        refuse = asked.plan && !shared_->plans.empty() ? "" : shared_->refuse_load;
        plans = shared_->plans;
        hold_it = shared_->hold_loading;
        n = shared_->mesh_n;
    }
    if (!refuse.empty()) {
        set_state(scene_ ? Status::State::paused : Status::State::empty);
        return handler_(simulation::Answer{id, false, refuse, 0, {}, {}, false, plans});
    }
    if (hold_it) {
        held_load_ = id;
        return;
    }
    auto scene = std::make_shared<simulation::Scene>();
    const Bowl b = slab ? block() : bowl(n);
    {
        std::lock_guard hold(mutex_);
        scene->run = status_.run + 1;
        scene->notices = std::move(notices);
        scene->session = session;
        scene->mesh = b.mesh;
        scene->surface = b.surface;
        scene->device = "Fake, double";
        scene->title = session.name;
        scene->unknowns = static_cast<std::int64_t>(b.mesh->vertex_count());
        scene->dt_ms = 0.02;
        if (session.purkinje->wanted)
            scene->network = network(*session.purkinje);
        scene_ = scene;
        status_.run = scene->run;
        status_.time_ms = begins_ms;
        status_.step = std::lround(begins_ms / 0.02);
        status_.end_ms = session.end_ms;
        traces_.clear();
        cell_.reset();
        for (const auto& p : session.probes)
            traces_.push_back({next_probe_++, p.name, p.position_mm, {}, {}});
    }
    handler_(simulation::Loaded{scene});
    publish();
    set_state(Status::State::paused);
    answer(id);
}

void FakeEngine::tell_tissue(const simulation::SetTissue& c)
{
    {
        std::lock_guard also(shared_->mutex);
        if (!shared_->tell_tissue)
            return;
    }
    std::shared_ptr<simulation::Scene> scene;
    {
        std::lock_guard hold(mutex_);
        scene = std::make_shared<simulation::Scene>(*scene_);
        const auto& s = scene->session;
        scene->tissue_edits.push_back(
            {status_.time_ms,
             simulation::tissue_difference(s.regions, s.drugs, c.regions, c.drugs)});
        scene->session.regions = c.regions;
        scene->session.drugs = c.drugs;
        scene_ = scene;
    }
    handler_(simulation::SceneChanged{scene});
}

void FakeEngine::keep(std::uint64_t id, const simulation::KeepState& c)
{
    {
        std::lock_guard also(shared_->mutex);
        if (!shared_->refuse_keeping.empty())
            return answer(id, false, shared_->refuse_keeping);
    }
    std::ofstream(c.file) << status().time_ms;
    answer(id);
    keeping_.push_back({id, c.file, status().time_ms, {}});
    end_keeping();
}

void FakeEngine::obey(std::uint64_t id, const simulation::Command& c)
{
    if (const auto* l = std::get_if<simulation::Load>(&c))
        return load(id, *l);
    std::string refuse, fail, lost;
    {
        std::lock_guard also(shared_->mutex);
        lost = shared_->lose_state;
        refuse = shared_->refuse_all;
        fail = shared_->fail_on_play;
    }
    if (std::holds_alternative<simulation::CancelLoad>(c)) {
        if (held_load_ != 0) {
            set_state(scene_ ? Status::State::paused : Status::State::empty);
            handler_(simulation::Answer{
                std::exchange(held_load_, 0), false, "loading was cancelled", 0, {}, {}, true});
        }
        return answer(id);
    }
    if (!refuse.empty())
        return answer(id, false, refuse);
    if (std::holds_alternative<simulation::CancelChange>(c) && held_network_ != 0)
        handler_(simulation::Answer{
            std::exchange(held_network_, 0), false, "was cancelled", 0, {}, {}, true});
    if (const auto* n = std::get_if<simulation::SetPurkinje>(&c)) {
        bool hold_it = false;
        {
            std::lock_guard also(shared_->mutex);
            hold_it = std::exchange(shared_->hold_network, false);
        }
        if (hold_it) {
            held_network_ = id;
            return handler_(simulation::Loading{0.4, "searching"});
        }
        const auto why = set_network(*n);
        return answer(id, why.empty(), why);
    }
    std::uint64_t probe = 0;
    if (std::holds_alternative<simulation::SetTissue>(c)) {
        std::string why;
        {
            std::lock_guard also(shared_->mutex);
            why = shared_->refuse_tissue;
        }
        if (!why.empty())
            return answer(id, false, why);
        tell_tissue(*std::get_if<simulation::SetTissue>(&c));
    }
    if (const auto* set = std::get_if<simulation::SetStimuli>(&c)) {
        bool captured = false;
        {
            std::lock_guard also(shared_->mutex);
            captured = shared_->capture;
        }
        for (std::size_t i = 0; i < set->stimuli.size(); ++i)
            handler_(
                simulation::CaptureEvent{static_cast<int>(i), 0, 0, status().time_ms, captured});
    }
    if (const auto* w = std::get_if<simulation::WatchMaps>(&c)) {
        std::lock_guard hold(mutex_);
        maps_ = w->on;
        beat_ = w->beat;
    }
    if (const auto* w = std::get_if<simulation::WatchPhase>(&c)) {
        std::lock_guard hold(mutex_);
        phase_ = w->on;
    }
    if (const auto* w = std::get_if<simulation::WatchDyads>(&c)) {
        std::string why;
        {
            std::lock_guard also(shared_->mutex);
            why = shared_->refuse_dyads;
        }
        if (!why.empty())
            return answer(id, false, why);
        watch(*w);
    }
    if (const auto* e = std::get_if<simulation::SetElectrodes>(&c)) {
        std::lock_guard hold(mutex_);
        leads_.clear(); // of the 12-lead set alone
        if (e->leads.kind == simulation::Leads::Kind::twelve_lead)
            for (const auto& lead : simulation::leads_of(e->electrodes, e->leads))
                leads_.push_back(lead.name);
        ++ecg_generation_;
    }
    if (std::holds_alternative<simulation::MeasureCeilings>(c))
        handler_(simulation::CeilingsMeasured{{20, 18, 60, 120}, "Fake", "it is no GPU", lost});
    if (const auto* k = std::get_if<simulation::KeepState>(&c))
        return keep(id, *k);
    if (const auto* x = std::get_if<simulation::Export>(&c))
        exports_.push_back({id, x->path, {}});
    if (const auto* r = std::get_if<simulation::StartRecording>(&c)) {
        std::lock_guard hold(mutex_);
        simulation::RecordingOptions o;
        o.run = status_.run;
        o.every_ms = r->every_ms;
        o.max_bytes = r->max_bytes;
        if (scene_->network) {
            o.network_values = scene_->network->point.size();
            o.network = scene_->network->network->made;
        }
        recording_ = std::make_shared<simulation::Recording>(scene_->surface->vertices.size(), o);
        cells_ = std::make_shared<simulation::DyadRecordings>(o);
        recording_->keep_cells(cells_);
        status_.recording = true;
    }
    if (std::holds_alternative<simulation::StopRecording>(c)) {
        std::lock_guard hold(mutex_);
        status_.recording = false;
    }
    if (std::holds_alternative<simulation::Play>(c)) {
        set_state(Status::State::running);
        if (!fail.empty()) {
            set_state(Status::State::failed);
            std::unique_lock also(shared_->mutex);
            simulation::Failed failed{fail, shared_->fail_at, shared_->fail_device};
            if (!failed.device.empty()) {
                failed.plan.emplace();
                failed.plan->devices = "cpu";
                failed.plan->words = "the CPU";
            }
            also.unlock();
            handler_(failed);
        }
    } else if (std::holds_alternative<simulation::Pause>(c)) {
        set_state(Status::State::paused);
    } else if (const auto* s = std::get_if<simulation::StepOnce>(&c)) {
        advance(0.02 * s->steps);
    } else if (const auto* u = std::get_if<simulation::RunUntil>(&c)) {
        advance(u->time_ms - status().time_ms);
        set_state(Status::State::paused);
    } else if (std::holds_alternative<simulation::Reset>(c)) {
        {
            std::lock_guard hold(mutex_);
            status_.time_ms = 0;
            status_.step = 0;
            for (auto& t : traces_)
                t.time_ms.clear(), t.V_mV.clear();
        }
        publish();
        set_state(Status::State::paused);
    } else if (const auto* a = std::get_if<simulation::AddProbe>(&c)) {
        std::lock_guard hold(mutex_);
        probe = next_probe_++;
        traces_.push_back({probe, a->name, a->position_mm, {}, {}});
    } else if (const auto* r = std::get_if<simulation::RemoveProbe>(&c)) {
        std::lock_guard hold(mutex_);
        std::erase_if(traces_, [&](const auto& t) { return t.probe == r->probe; });
    }
    answer(id, true, {}, probe);
}

} // namespace tawara::fake
