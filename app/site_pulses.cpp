// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/site_pulses.hpp"

#include "engine/simulation/pacing/refractory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tawara {
namespace {

using namespace simulation;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// For each site of now which one of before it was: the same one, else that of its name, else that
/// of its place where none came or went.
std::vector<std::size_t> matched(const SitePulses::Stimuli& before, const SitePulses::Stimuli& now)
{
    std::vector<std::size_t> of(now.size(), none);
    std::vector<char> taken(before.size(), 0);
    const auto match = [&](const auto& fits) {
        for (std::size_t i = 0; i < now.size(); ++i)
            for (std::size_t k = 0; k < before.size() && of[i] == none; ++k)
                if (taken[k] == 0 && fits(i, k))
                    of[i] = k, taken[k] = 1;
    };
    match([&](auto i, auto k) { return sameStimulus(now[i], before[k]); });
    match([&](auto i, auto k) { return now[i].name == before[k].name; });
    if (before.size() == now.size())
        match([](auto i, auto k) { return i == k; });
    return of;
}

} // namespace

bool sameStimulus(const Stimulus& a, const Stimulus& b, bool named)
{
    return (!named || a.name == b.name) && a.region == b.region && a.start_ms == b.start_ms &&
           a.duration_ms == b.duration_ms && a.amplitude_pA_per_pF == b.amplitude_pA_per_pF &&
           a.period_ms == b.period_ms && a.count == b.count && a.on == b.on &&
           a.protocol == b.protocol;
}

bool hasSurroundings(const Stimulus& s, const mesh::TetMesh& mesh)
{
    const auto* ball = std::get_if<Sphere>(&s.region);
    const auto* box = std::get_if<Box>(&s.region);
    if ((ball == nullptr && box == nullptr) || mesh.x.empty())
        return true;
    for (std::size_t v = 0; v < mesh.x.size(); ++v) {
        const Vec3 p{mesh.x[v], mesh.y[v], mesh.z[v]};
        if (ball != nullptr && std::hypot(p[0] - ball->centre[0], p[1] - ball->centre[1],
                                          p[2] - ball->centre[2]) > ball->radius)
            return true;
        for (std::size_t k = 0; box != nullptr && k < 3; ++k)
            if (p[k] < box->low[k] || p[k] > box->high[k])
                return true;
    }
    return false;
}

void SitePulses::forgetPast()
{
    m_past.assign(m_states.size(), {});
    m_removed.clear();
    m_given.clear();
    m_atOnce.clear();
}

void SitePulses::open(const Stimuli& s)
{
    m_states.assign(s.size(), {});
    forgetPast();
    m_given.set(s, 0);
}

void SitePulses::restart(const Stimuli& s)
{
    for (auto& c : m_states) {
        CaptureState anew;
        anew.lowestCaptured = c.lowestCaptured;
        anew.highestFailed = c.highestFailed;
        anew.refractory = c.refractory;
        anew.refractoryBefore = true;
        anew.surrounded = c.surrounded;
        c = anew;
    }
    forgetPast();
    m_given.set(s, 0);
}

/// What is known of a site that has changed goes over to what it is now.
void SitePulses::takeOver(std::size_t site, const Stimulus& was, CaptureState state, Past past,
                          const Stimulus& is, double nowMs)
{
    auto& now = m_states[site];
    if (sameStimulus(was, is, false)) {
        now = state;
    } else {
        const bool searches = same_search(is, was);
        const Refractory found = state.refractory;
        const bool before = state.refractoryBefore;
        past.push_back({was, std::move(state)});
        const auto again = std::find_if(past.begin(), past.end(), [&](const Former& f) {
            return sameStimulus(f.stimulus, is, false);
        });
        if (again != past.end()) {
            now = again->state;
            past.erase(again);
        }
        if (searches)
            now.refractory = found, now.refractoryBefore = before;
        now.sinceMs = nowMs;
        now.formerPulses = now.formerCaptured = 0;
        for (const Former& f : past)
            now.formerPulses += f.state.pulses, now.formerCaptured += f.state.captured;
    }
    m_past[site] = std::move(past);
}

void SitePulses::edited(const Stimuli& before, const Stimuli& now, double nowMs)
{
    auto states = std::exchange(m_states, {});
    auto pasts = std::exchange(m_past, {});
    states.resize(before.size());
    pasts.resize(before.size());
    CaptureState fresh;
    fresh.sinceMs = nowMs;
    m_states.assign(now.size(), fresh);
    m_past.assign(now.size(), {});
    const auto of = matched(before, now);
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (of[i] != none) {
            takeOver(i, before[of[i]], states[of[i]], std::move(pasts[of[i]]), now[i], nowMs);
            continue;
        }
        const auto back = std::find_if(m_removed.begin(), m_removed.end(), [&](const Removed& r) {
            return sameStimulus(r.stimulus, now[i]);
        });
        if (back == m_removed.end())
            continue;
        m_states[i] = back->state;
        m_states[i].sinceMs = nowMs; // what it would have given meanwhile was not
        m_past[i] = std::move(back->past);
        m_removed.erase(back);
    }
    for (std::size_t k = 0; k < before.size(); ++k)
        if (std::find(of.begin(), of.end(), k) == of.end())
            m_removed.push_back({before[k], states[k], std::move(pasts[k])});
    m_given.set(now, nowMs);
}

void SitePulses::forgetRefractory()
{
    const auto forget = [](CaptureState& c) {
        c.refractory = {}, c.told = c.refractoryBefore = false;
    };
    for (auto& c : m_states)
        forget(c);
    for (auto& past : m_past)
        for (auto& f : past)
            forget(f.state);
    for (auto& r : m_removed) {
        forget(r.state);
        for (auto& f : r.past)
            forget(f.state);
    }
}

void SitePulses::atOnce(double ms)
{
    m_atOnce.push_back(ms);
}

std::optional<double> SitePulses::lastPulse(double nowMs) const
{
    constexpr double hair_ms = 1e-6;
    double newest = -1;
    for (double ms : m_atOnce)
        if (ms < nowMs - hair_ms) // else it is still to come, also when the run has ended
            newest = std::max(newest, ms);
    if (const auto times = m_given.times(0, nowMs); !times.empty())
        newest = std::max(newest, times.back());
    return newest >= 0 ? std::optional(newest) : std::nullopt;
}

} // namespace tawara
