// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/simulation/inbox.hpp"

#include <QtTest>

#include <algorithm>

namespace tawara::simulation::test {

/// A small bar that nobody paces, 12 x 2 x 2 mm.
inline Session bar(double end_ms = 1000)
{
    Session s;
    s.name = "bar";
    s.mesh = MeshSlab{{12, 2, 2}, 0.5};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].variant = "epi";
    s.reaction = cell::Scheme::rush_larsen; // bears pulses into tissue that is up
    s.end_ms = end_ms;
    s.probes.push_back({"near", {2, 1, 1}});
    s.probes.push_back({"far", {10, 1, 1}});
    return s;
}

/// Small problems: a second thread would wait more than it computes.
inline EngineOptions one_thread()
{
    EngineOptions o;
    o.devices = "cpu";
    o.threads = 1;
    return o;
}

inline Stimulus end_of_bar(double start_ms, double amplitude = 50)
{
    Stimulus s;
    s.name = "S1";
    s.region = Box{{0, 0, 0}, {1, 2, 2}};
    s.start_ms = start_ms;
    s.amplitude_pA_per_pF = amplitude;
    return s;
}

/// Runs to a time and waits until it pauses there.
inline void run_to(Engine& e, Inbox& in, double ms)
{
    in.clear();
    e.post(RunUntil{ms});
    const bool there = in.wait_state(Status::State::paused);
    const auto now = e.status();
    QVERIFY2(there, qPrintable(QString("state %1 at %2 ms").arg(int(now.state)).arg(now.time_ms)));
}

/// Of the V that a probe has seen [mV].
inline float highest(const Engine& e, std::size_t probe)
{
    const auto v = e.traces().at(probe).V_mV;
    return *std::max_element(v.begin(), v.end());
}

} // namespace tawara::simulation::test
