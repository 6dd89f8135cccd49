// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/simulation/live_bar.hpp"

namespace tawara::simulation::test {

/// A thin sheet in which a spiral turns from about 300 ms on, once in 160 ms.
inline Session sheet()
{
    Session s;
    s.name = "sheet";
    s.mesh = MeshSlab{{60, 60, 1}, 1};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].model = "aliev_panfilov_1996";
    s.regions[0].conductivity_S_per_m = {0.14, 0.14, 0.14};
    s.regions[0].parameters = {{"t_unit", 4}};
    s.dt_ms = 0.1;
    s.end_ms = 900;
    Stimulus s1 = end_of_bar(0, 30), s2 = end_of_bar(210, 30);
    s1.region = Box{{0, 0, 0}, {3, 60, 1}};
    s2.region = Box{{0, 0, 0}, {60, 30, 1}};
    s1.duration_ms = s2.duration_ms = 3;
    s.stimuli = {s1, s2};
    return s;
}

} // namespace tawara::simulation::test
