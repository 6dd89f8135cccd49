// SPDX-License-Identifier: GPL-3.0-or-later
// What the fake engine computes and shows.
#include "engine/core/error.hpp"
#include "tests/gui/fake_engine.hpp"
#include "tests/gui/fake_network.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::fake {

using simulation::Status;

std::string FakeEngine::set_network(const simulation::SetPurkinje& c)
{
    {
        std::lock_guard also(shared_->mutex);
        if (!shared_->refuse_network.empty())
            return shared_->refuse_network;
    }
    auto scene = std::make_shared<simulation::Scene>(*scene_);
    scene->session.purkinje = c.keys;
    try {
        scene->network = c.keys->wanted ? network(*c.keys) : nullptr;
    } catch (const InputError& e) {
        return e.what();
    }
    {
        std::lock_guard hold(mutex_);
        scene_ = scene;
    }
    handler_(simulation::SceneChanged{scene});
    publish();
    return {};
}

void FakeEngine::watch(const simulation::WatchDyads& w)
{
    {
        std::lock_guard hold(mutex_);
        std::lock_guard also(shared_->mutex);
        cell_ = w.cell_mm ? std::make_unique<FakeCell>(shared_->dyads, *w.cell_mm) : nullptr;
    }
    publish();
}

void FakeEngine::advance(double ms)
{
    {
        std::lock_guard hold(mutex_);
        const double from = status_.time_ms;
        status_.time_ms += ms;
        status_.step += static_cast<std::int64_t>(std::lround(ms / 0.02));
        status_.ms_per_second = 100;
        status_.steps_per_second = 5000;
        for (auto& t : traces_)
            for (double at = std::floor(from / 0.5) * 0.5 + 0.5; at <= status_.time_ms; at += 0.5) {
                t.time_ms.push_back(at);
                t.V_mV.push_back(wave_mV(t.position_mm, at));
            }
    }
    publish();
}

void FakeEngine::publish()
{
    bool phase_known = false, dyads_gone = false;
    {
        std::lock_guard also(shared_->mutex);
        phase_known = shared_->phase_known;
        dyads_gone = shared_->dyads_gone;
    }
    std::lock_guard hold(mutex_);
    auto f = std::make_shared<simulation::Frame>();
    f->run = status_.run;
    f->step = status_.step;
    f->time_ms = status_.time_ms;
    for (auto v : scene_->surface->vertices)
        f->values.push_back(wave_mV(scene_->mesh->vertex(static_cast<std::size_t>(v)), f->time_ms));
    f->made = std::chrono::steady_clock::now();
    if (scene_->network)
        f->network = network_frame(*scene_->network, f->time_ms);
    if (phase_ && phase_known) {
        auto phase = std::make_shared<std::vector<float>>();
        for (auto v : scene_->surface->vertices) {
            const Vec3 p = scene_->mesh->vertex(static_cast<std::size_t>(v));
            phase->push_back(static_cast<float>(
                std::remainder(std::atan2(p[1], p[0]) + f->time_ms / 40, 2 * std::numbers::pi)));
        }
        f->phase = phase;
        f->phase_time_ms = f->time_ms;
    }
    if (cell_ && !dyads_gone) {
        cell_->run_to(f->time_ms);
        f->dyads = cell_->frame();
    }
    if (status_.recording && recording_) {
        auto values = f->values;
        if (recording_->network() > 0)
            values.insert(values.end(), f->network->V_mV.begin(), f->network->V_mV.end());
        recording_->append(f->time_ms, values);
        if (f->dyads)
            cells_->append(*f->dyads);
    }
    frame_ = f;
    ++status_.frames_published;
}

EngineMaker maker(const std::shared_ptr<FakeEngine::Shared>& shared)
{
    return [shared](EventHandler handler) {
        return std::make_unique<FakeEngine>(std::move(handler), shared);
    };
}

} // namespace tawara::fake
