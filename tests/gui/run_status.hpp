// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

namespace tawara::fake {

/// What the engine says of a run that is so far.
inline simulation::Status status(simulation::Status::State state, double now_ms, double end_ms,
                                 double ms_per_second)
{
    simulation::Status s;
    s.state = state;
    s.time_ms = now_ms;
    s.end_ms = end_ms;
    s.ms_per_second = ms_per_second;
    s.steps_per_second = 50 * ms_per_second;
    return s;
}

} // namespace tawara::fake
