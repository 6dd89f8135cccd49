// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/pacing_panel.hpp"

#include <QtTest>

namespace tawara::fake {

/// A session with one pacing site.
inline simulation::Session paced(simulation::Protocol::Kind kind, double amplitude = 50)
{
    simulation::Session s;
    simulation::Stimulus one;
    one.name = "apex";
    one.region = simulation::Sphere{{0, 0, 0}, 3};
    one.amplitude_pA_per_pF = amplitude;
    one.protocol = simulation::Protocol{};
    one.protocol->kind = kind;
    one.protocol->cycle_ms = 800;
    one.protocol->count = kind == simulation::Protocol::Kind::train ? 0 : 8;
    if (kind == simulation::Protocol::Kind::s1s2)
        one.protocol->extra_ms = {440};
    s.stimuli = {one};
    s.end_ms = 1600;
    return s;
}

/// The panel in a window that has the keyboard.
inline bool shownWith(PacingPanel& panel, const simulation::Session& s)
{
    panel.resize(360, 640);
    panel.setSession(s);
    panel.show();
    if (!QTest::qWaitForWindowExposed(&panel))
        return false;
    QApplication::setActiveWindow(&panel);
    return true;
}

} // namespace tawara::fake
