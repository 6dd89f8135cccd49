// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pulse_log.hpp"
#include "engine/simulation/session.hpp"

#include <span>

namespace tawara::simulation {

/// Of a run in which nothing was activated: for each stimulus, why that may be.
Notices why_nothing_activated(const Session& session, double end_ms);

/// A line for each site of which a pulse is known not to have captured.
Notices what_did_not_capture(std::span<const Pulse> pulses);

} // namespace tawara::simulation
