// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/analyst_feed.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::simulation {
namespace {

constexpr double watch_every_ms = 1;   ///< of maps, phase and volume, in simulated time
constexpr double sampling_share = 0.1; ///< of the wall time that copying samples may take

double seconds(std::chrono::steady_clock::duration d)
{
    return std::chrono::duration<double>(d).count();
}

} // namespace

AnalystFeed::AnalystFeed(Simulation& s, Analyst& analyst, const PulseLog& pulses,
                         const Analyst::Watch& watch)
    : simulation_(s), analyst_(analyst), pulses_(pulses), watch_(watch)
{
    analyst_.watch(watch);
    plan();
}

bool AnalystFeed::watching() const
{
    return watch_.maps || watch_.phase || watch_.volume || analyst_.tracks_always();
}

void AnalystFeed::watch(const Analyst::Watch& w)
{
    watch_ = w;
    analyst_.watch(w);
    plan();
    maps_due_ = {};
    sample(true);
}

void AnalystFeed::ecg_every(double ms)
{
    ecg_every_ = ms > 0 ? std::max<std::int64_t>(1, std::llround(ms / simulation_.dt_ms())) : 0;
    plan();
}

void AnalystFeed::restart()
{
    told_ms_ = 0;
    analyst_.restart();
    due_ = 0;
    sample(true);
}

void AnalystFeed::plan()
{
    every_ = 0;
    if (watching()) {
        const double dt = simulation_.dt_ms();
        every_ = std::max<std::int64_t>(1, std::llround(watch_every_ms / dt));
        // Not more often than copying V may cost.
        const double least = cost_s_ * rate_ / sampling_share;
        const auto affordable = static_cast<std::int64_t>(std::ceil(std::min(least, 1e9)));
        // ... unless beats were lost by it
        const auto longest = std::max<std::int64_t>(1, std::llround(Analyst::most_gap_ms / dt));
        every_ =
            std::max(every_, analyst_.tracks_always() ? std::min(affordable, longest) : affordable);
    }
    const auto step = simulation_.step();
    due_ = 0;
    for (const auto every : {every_, ecg_every_})
        if (every > 0) {
            const auto next = next_multiple(step, every);
            due_ = due_ == 0 ? next : std::min(due_, next);
        }
}

std::int64_t AnalystFeed::due_after(std::int64_t step) const
{
    return due_ > step ? due_ : never;
}

void AnalystFeed::sample(bool now)
{
    const auto step = simulation_.step();
    const bool ecg = ecg_every_ > 0 && step % ecg_every_ == 0;
    const bool due = due_ > 0 && step >= due_;
    if (!due && !(now && (watching() || (ecg && step == 0))))
        return;
    const auto start = Clock::now();
    auto& stepper = simulation_.stepper();
    Sample s;
    s.step = step;
    s.time_ms = simulation_.time_ms();
    analyst_.pulses(pulses_.times(told_ms_, s.time_ms));
    told_ms_ = std::max(told_ms_, s.time_ms);
    s.ecg = ecg && (due || step == 0);
    s.v.resize(simulation_.tissue().problem.size());
    stepper.potential(s.v);
    if (watch_.phase && watch_.plane.kind == PhasePlane::Kind::recovery)
        s.recovery = recovery_now(simulation_.tissue().problem, stepper);
    if (watch_.maps && stepper.keeps_maps() && (now || start >= maps_due_)) {
        s.first = stepper.maps();
        const auto took = Clock::now() - start;
        const auto interval = std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(maps_interval_s_));
        maps_due_ = Clock::now() + std::max(interval, 20 * took);
    } else {
        // A mean, in which one sample that the system interrupted counts little.
        const double took = seconds(Clock::now() - start);
        cost_s_ += 0.1 * (std::min(took, cost_s_ > 0 ? 4 * cost_s_ : took) - cost_s_);
    }
    if (!analyst_.submit(std::move(s), now))
        ++refused_;
    plan();
}

} // namespace tawara::simulation
