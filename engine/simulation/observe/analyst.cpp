// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/analyst.hpp"

#include "engine/analysis/velocity.hpp"
#include "engine/core/error.hpp"
#include "engine/core/room_for.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace tawara::simulation {
namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN();

/// Calls something when it goes.
template <class F>
struct AtEnd
{
    explicit AtEnd(F f) : call(std::move(f)) {}
    ~AtEnd() { call(); }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    F call;
};

} // namespace

Analyst::Analyst(const Tissue& tissue, const Session& session, std::uint64_t run,
                 std::shared_ptr<AnalystResults> results)
    : tissue_(tissue), on_vertices_(tissue.on_vertices()), run_(run), results_(std::move(results)),
      v_(tissue.mesh->vertex_count()), phase_(tissue), mapper_(tissue, tracks_always()),
      thread_([this](const std::stop_token& stop) { this->run(stop, queue_); }),
      preparing_([this](const std::stop_token& stop) { this->run(stop, preparations_); })
{
    silent(silent_tissue(session, tissue));
    if (tracks_always()) // whichever delay is asked for
        push([this] { phase_.keep_ms(PhasePlane::longest_ms); });
}

Analyst::~Analyst()
{
    {
        std::lock_guard hold(mutex_);
        thread_.request_stop();
        preparing_.request_stop();
        stop_ecg_.request_stop();
    }
    queue_.wake.notify_all();
    preparations_.wake.notify_all();
}

void Analyst::push(Queue& to, Job job)
{
    {
        std::lock_guard hold(mutex_);
        to.jobs.push_back(std::move(job));
    }
    to.wake.notify_all();
}

void Analyst::run(const std::stop_token& stop, Queue& of)
{
    std::unique_lock hold(mutex_);
    for (;;) {
        if (!of.wake.wait(hold, stop, [&] { return !of.jobs.empty(); }) || stop.stop_requested())
            return;
        Job job = std::move(of.jobs.front());
        of.jobs.pop_front();
        of.busy = true;
        hold.unlock();
        try {
            job();
        } catch (const Cancelled&) {
            // the end
        } catch (const std::bad_alloc&) {
            tell("not enough memory");
        } catch (const std::exception& e) {
            tell(e.what());
        } catch (...) {
            tell("an error of an unknown kind");
        }
        job = {}; // what it held is let go before anybody is told
        hold.lock();
        of.busy = false;
        if (of.jobs.empty())
            idle_.notify_all();
    }
}

void Analyst::tell(const char* why) noexcept
{
    if (!fault_ || told_.exchange(true))
        return;
    try {
        fault_(why);
    } catch (...) { // the next one tells
        told_ = false;
    }
}

void Analyst::finish()
{
    std::unique_lock hold(mutex_);
    idle_.wait(hold, [&] { return queue_.idle() && preparations_.idle(); });
}

void Analyst::watch(const Watch& w)
{
    push([this, w] {
        if (w.maps && !watch_.maps && !tracks_always())
            mapper_.follow(true);
        if (!w.maps) {
            if (!tracks_always())
                mapper_.follow(false);
            results_->maps.put(nullptr);
        }
        if (!w.phase) {
            if (!tracks_always())
                phase_.clear();
            results_->phase.put(nullptr);
        }
        if (w.plane != watch_.plane) {
            phase_.plane(w.plane);
            results_->phase.put(nullptr);
        }
        if (!w.volume)
            results_->volume.put(nullptr);
        watch_ = w;
    });
}

void Analyst::restart_ecg()
{
    std::lock_guard hold(results_->ecg_mutex);
    auto& e = results_->ecg;
    e.time_ms.clear();
    e.mV.assign(e.leads.size(), {});
    ++e.generation;
}

void Analyst::take_leads(std::shared_ptr<const EcgField> field, double every_ms)
{
    const auto before = std::exchange(ecg_, std::move(field));
    const auto& now = ecg_->layout();
    std::lock_guard hold(results_->ecg_mutex);
    auto& e = results_->ecg;
    e.electrodes = now.electrodes;
    const bool as_often = std::exchange(e.every_ms, every_ms) == every_ms;
    if (as_often && now.same_leads(before->layout()))
        return;
    const auto was = std::exchange(e.mV, {});
    bool goes_on = false; // one of them, at least
    for (std::size_t k = 0; k < now.leads.size(); ++k) {
        const auto same = as_often ? now.same_lead(k, before->layout()) : std::nullopt;
        goes_on = goes_on || same;
        e.mV.push_back(same ? was[*same] : std::vector<float>(e.time_ms.size(), never));
    }
    e.leads = now.names();
    if (!goes_on) {
        e.time_ms.clear();
        e.mV.assign(e.leads.size(), {});
    }
    ++e.generation;
}

void Analyst::electrodes(EcgLayout layout, const RegionMap& patches, double bath_S_per_m,
                         double every_ms)
{
    std::stop_token stop;
    {
        std::lock_guard hold(mutex_);
        stop_ecg_.request_stop(); // of weights that nobody will want
        stop_ecg_ = {};
        stop = stop_ecg_.get_token();
    }
    push([this, none = layout.leads.empty()] {
        leads_due_ = !none;
        for_leads_.clear();
    });
    push(preparations_, [this, layout = std::move(layout), patches, bath_S_per_m, every_ms, stop] {
        Progress progress;
        progress.stop = stop;
        layout_ = layout;
        bath_ = bath_S_per_m;
        try {
            auto field = std::make_shared<const EcgField>(
                *tissue_.mesh, tissue_.stars, on_vertices_, patches, layout_, bath_, progress);
            push([this, field, every_ms, stop] {
                if (stop.stop_requested())
                    return;
                take_leads(field, every_ms);
                leads_due_ = false;
                for (const auto& s : for_leads_)
                    lead_sample(*s);
                for_leads_.clear();
            });
        } catch (const Cancelled&) {
            // newer electrodes, or the end
        }
    });
}

void Analyst::conductivities(const RegionMap& patches)
{
    std::stop_token stop;
    {
        std::lock_guard hold(mutex_);
        stop = stop_ecg_.get_token();
    }
    push(preparations_, [this, patches, stop] {
        Progress progress;
        progress.stop = stop;
        try {
            if (layout_.leads.empty())
                return;
            auto field = std::make_shared<const EcgField>(
                *tissue_.mesh, tissue_.stars, on_vertices_, patches, layout_, bath_, progress);
            push([this, field, stop] {
                if (!stop.stop_requested())
                    ecg_ = field;
            });
        } catch (const Cancelled&) {
            // newer electrodes, or the end
        }
    });
}

void Analyst::silent(SilentTissue t)
{
    push([this, now = std::move(t), stop = thread_.get_stop_token()]() mutable {
        phase_.silent(std::move(now), std::move(stop));
    });
}

void Analyst::restart()
{
    push([this] {
        told_ = false;
        mapper_.clear();
        phase_.clear();
        for_leads_.clear();
        results_->maps.put(nullptr);
        results_->phase.put(nullptr);
        restart_ecg();
    });
}

void Analyst::pulses(std::vector<double> time_ms)
{
    if (time_ms.empty())
        return;
    push([this, more = std::move(time_ms)] { mapper_.pulses(more); });
}

bool Analyst::submit(Sample s, bool always)
{
    {
        std::unique_lock hold(mutex_);
        const auto room = [this] { return samples_waiting_ < waiting; };
        if (!room() && !always) {
            // a millisecond more than this gap would be the next sample's
            const bool needed =
                tracks_always() && std::abs(s.time_ms - taken_ms_) > most_gap_ms - 1;
            if (!needed || !room_.wait_for(hold, patience, room)) {
                hold.unlock();
                submit_row(std::move(s));
                return false;
            }
        }
        ++samples_waiting_;
        taken_ms_ = s.time_ms;
    }
    const auto done = [this] {
        {
            std::lock_guard hold(mutex_);
            --samples_waiting_;
        }
        room_.notify_one();
    };
    try {
        push([this, done, shared = std::make_shared<const Sample>(std::move(s))] {
            const AtEnd whatever_happens(done);
            take(shared);
        });
    } catch (...) { // there is no room even to wait
        done();
        throw;
    }
    return true;
}

void Analyst::submit_row(Sample s)
{
    const std::size_t bytes = s.v.size() * sizeof(double);
    {
        std::lock_guard hold(mutex_);
        if (!s.ecg || rows_waiting_ + bytes > most_rows_bytes)
            return;
        rows_waiting_ += bytes;
    }
    s.first.reset();
    const auto done = [this, bytes] {
        std::lock_guard hold(mutex_);
        rows_waiting_ -= bytes;
    };
    try {
        push([this, done, shared = std::make_shared<const Sample>(std::move(s))] {
            const AtEnd whatever_happens(done);
            row(shared);
        });
    } catch (...) {
        done();
        throw;
    }
}

void Analyst::to_vertices(std::span<const double> v, std::span<float> out) const
{
    if (on_vertices_) {
        std::transform(v.begin(), v.end(), out.begin(),
                       [](double x) { return static_cast<float>(x); });
        return;
    }
    const auto& m = *tissue_.mesh;
    const auto& stars = tissue_.stars;
    for (std::size_t k = 0; k < out.size(); ++k) {
        double sum = 0, weight = 0;
        const Vec3 x = m.vertex(k);
        for (auto s = stars.first[k]; s < stars.first[k + 1]; ++s) {
            const auto tet = static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(s)]);
            if (std::isnan(v[tet])) // no cells
                continue;
            const double w = 1 / std::max(norm(m.centroid(tet) - x), 1e-9);
            sum += w * v[tet];
            weight += w;
        }
        out[k] = static_cast<float>(sum / weight);
    }
}

void Analyst::lead_sample(const Sample& s)
{
    const auto mV = ecg_->leads(s.v);
    std::lock_guard hold(results_->ecg_mutex);
    auto& e = results_->ecg;
    if (!e.time_ms.empty() && e.time_ms.back() == s.time_ms)
        return; // another sample of the same step
    if (e.time_ms.empty())
        e.activated = s.time_ms > 1e-9; // what was before is not known
    e.activated = e.activated || std::any_of(s.v.begin(), s.v.end(), [&](double v) {
                      return v >= tissue_.problem.activation_threshold_mV;
                  });
    room_for(e.time_ms, 1); // of all leads, or of none
    for (auto& lead : e.mV)
        room_for(lead, 1);
    e.time_ms.push_back(s.time_ms);
    for (std::size_t k = 0; k < mV.size(); ++k)
        e.mV[k].push_back(mV[k]);
}

void Analyst::row(const std::shared_ptr<const Sample>& s)
{
    if (!s->ecg)
        return;
    if (!leads_due_ && !ecg_->empty())
        lead_sample(*s);
    if (!leads_due_)
        return;
    // without the maps that it may have
    for_leads_.push_back(
        s->first ? std::make_shared<const Sample>(Sample{s->step, s->time_ms, s->v, {}, true, {}})
                 : s);
    if (for_leads_.size() * s->v.size() * sizeof(double) > most_rows_bytes)
        for_leads_.pop_front();
}

void Analyst::take(const std::shared_ptr<const Sample>& shared)
{
    const Sample& s = *shared;
    row(shared);
    if (!watch_.maps && !watch_.phase && !watch_.volume && !tracks_always())
        return;
    to_vertices(s.v, v_);
    if (watch_.maps || tracks_always())
        mapper_.sample(s.time_ms, v_);
    if (watch_.phase || tracks_always())
        phase(s);
    if (watch_.volume) {
        auto out = std::make_shared<AnalystResults::Volume>();
        out->time_ms = s.time_ms;
        out->v = std::make_shared<const std::vector<float>>(v_);
        results_->volume.put(std::move(out));
    }
    if (s.first && watch_.maps)
        publish(s);
}

void Analyst::phase(const Sample& s)
{
    std::vector<float> recovery;
    if (!s.recovery.empty()) {
        recovery.resize(v_.size());
        to_vertices(s.recovery, recovery);
    }
    auto found = phase_.sample(s.time_ms, v_, recovery, watch_.phase);
    if (!found) {
        results_->phase.put(nullptr); // none, or no longer
        return;
    }
    auto surface = std::make_shared<std::vector<float>>();
    for (auto v : tissue_.surface->vertices)
        surface->push_back(found->phase[static_cast<std::size_t>(v)]);
    auto out = std::make_shared<AnalystResults::Phase>();
    out->time_ms = s.time_ms;
    out->surface = std::move(surface);
    out->singularities = std::move(found->singularities);
    if (watch_.volume)
        out->volume = std::make_shared<const std::vector<float>>(std::move(found->phase));
    results_->phase.put(std::move(out));
}

void Analyst::with_beat(std::int64_t number, device::Maps first, std::function<void(BeatMaps)> f)
{
    push([this, number, first = std::move(first), f = std::move(f)] {
        BeatMaps maps;
        try {
            maps = mapper_.beat(number, first);
        } catch (const std::bad_alloc&) {
            maps.failed = "not enough memory";
        } catch (const std::exception& e) {
            maps.failed = e.what();
        }
        f(std::move(maps));
    });
}

void Analyst::publish(const Sample& s)
{
    auto out = std::make_shared<MapFrame>();
    out->run = run_;
    out->step = s.step;
    out->time_ms = s.time_ms;
    const auto& first = *s.first;
    out->unknowns = static_cast<std::int64_t>(first.activation_ms.size());
    for (std::size_t u = 0; u < first.activation_ms.size(); ++u) {
        out->activated += std::isfinite(first.activation_ms[u]);
        out->repolarised += std::isfinite(first.repolarisation_ms[u]);
    }
    auto maps = mapper_.beat(watch_.beat, first);
    out->beats = std::move(maps.beats);
    out->beat = maps.beat;
    out->asked = watch_.beat;
    const auto& vertices = tissue_.surface->vertices;
    const auto on_wall = [&](const std::vector<float>& all) {
        std::vector<float> wall(vertices.size());
        for (std::size_t i = 0; i < wall.size(); ++i)
            wall[i] = all[static_cast<std::size_t>(vertices[i])];
        return wall;
    };
    out->activation = on_wall(maps.at.activation);
    out->repolarisation = on_wall(maps.at.repolarisation);
    out->apd90 = on_wall(maps.at.apd90);
    out->period = on_wall(maps.at.period);
    for (auto v : vertices)
        out->activations.push_back(mapper_.activations(v));
    out->velocity =
        analysis::conduction_velocity(*tissue_.mesh, tissue_.stars, maps.at.activation, vertices);
    if (watch_.volume)
        out->volume = std::make_shared<const VolumeMaps>(std::move(maps.at));
    results_->maps.put(std::move(out));
}

} // namespace tawara::simulation
