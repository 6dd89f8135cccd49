// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pulse_log.hpp"
#include "engine/simulation/session.hpp"

#include <span>

namespace tawara::simulation {

/// What a run's end says of its pulses: where nothing was activated, why that may be; the sites of
/// which a pulse is known not to have captured; refractory periods that were found.
Notices what_pulses_did(const Session& session, std::span<const Pulse> pulses, bool activated,
                        double end_ms);

} // namespace tawara::simulation
