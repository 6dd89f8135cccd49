// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pulse_log.hpp"
#include "engine/simulation/session.hpp"
#include "engine/simulation/tissue.hpp"

#include <cstdint>
#include <span>

namespace tawara::simulation {

/// Time steps between two events that happen every `every_ms`; at least 1.
std::int64_t steps_of(double every_ms, double dt_ms);

/// What a run's start says of its session: steps beyond all time, regions that change nothing,
/// conductances below 0; of its outputs: intervals that are no whole number of steps, frames that
/// have an interval but no format.
Notices what_outputs_will_be(const Session& session);

/// Probes that lie outside the tissue, by more than a tenth of an edge, and show the nearest place.
Notices probes_outside(const Tissue& tissue, std::span<const Probe> probes);

/// What a run's end says of its pulses: where nothing was activated, why that may be; the sites of
/// which a pulse is known not to have captured; refractory periods that were found.
Notices what_pulses_did(const Session& session, std::span<const Pulse> pulses, bool activated,
                        double end_ms);

} // namespace tawara::simulation
