// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/results/cell_map.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace tawara::simulation {

/// What a run's start says of its tissue, and report.json, too: probes outside, electrodes at an
/// adult's places, a mass matrix that takes time.
/// @param unpaced  the session's prepacing does not count, since a checkpoint has the states
Notices what_run_will_be(const Session& session, const Tissue& tissue, bool unpaced);

/// What a run's start says of its session: steps beyond all time, regions that change nothing,
/// conductances below 0, values that look like another unit's, a threshold that no action potential
/// crosses; of its outputs: intervals that are no whole number of steps, frames that have an
/// interval but no format.
Notices what_outputs_will_be(const Session& session);

/// Probes that lie outside the tissue, by more than a tenth of an edge, and show the nearest place.
Notices probes_outside(const Tissue& tissue, std::span<const Probe> probes);

/// Of a run that ended long after its last wave, of which less than half of the tissue was
/// activated: until when, and how much.
Notices where_waves_ended(std::int64_t unknowns, std::int64_t activated, double last_ms,
                          double end_ms);

/// Where more than half of the cells was activated at once, as far as hearts can tell: what was is
/// 5 mm across or more, and waves were faster than 10 m/s over all of it and in most places.
/// @param activation_ms  of all unknowns; NaN: not activated
Notices where_waves_are_too_fast(const Tissue& tissue, std::span<const double> activation_ms);

/// Of each region in which most activated unknowns have no APD90 though they are back at rest at
/// the run's end: their rest lies above APD90's level, since the cells began below it (ischaemia).
/// @param v_mV  of all unknowns, at end_ms
Notices where_rest_is_above(const CellMap& cells, const device::Maps& maps,
                            std::span<const double> v_mV, double end_ms);

/// What a run's end says of its pulses: where nothing was activated, why that may be, which the
/// potentials tell if it was the threshold; the sites of which a pulse is known not to have
/// captured; refractory periods that were found.
/// @param branched_ms  when the run branched off, if above 0: maps may begin there, and refractory
///                     periods are of the tissue since then
Notices what_pulses_did(const Session& session, std::span<const Pulse> pulses, bool activated,
                        double end_ms, const PotentialRange& seen = {}, double branched_ms = 0);

} // namespace tawara::simulation
