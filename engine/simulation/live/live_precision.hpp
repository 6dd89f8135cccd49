// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

namespace tawara::simulation {

/// The precision of a window, where neither its user nor the session asks for one: single where its
/// error is below what a screen shows. That was measured for ten Tusscher's cells stepped
/// explicitly with lumped mass (tests/bench/records/window-speed.jsonl: activation within
/// hundredths of a millisecond, a tenth of a step of the map's colours). All else is in double:
/// other models drift by single precision over hundreds of beats
/// (tests/bench/records/CELL_MODELS.md).
Precision live_precision(const device::TissueProblem& p);

} // namespace tawara::simulation
