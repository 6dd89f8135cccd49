// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

namespace tawara::simulation {

/// The precision of a window, where neither its user nor the session asks for one: single where its
/// error is below what a screen shows. That was measured for the compiled models of the library, by
/// explicit steps with lumped mass (tests/bench/records/window-speed.jsonl: activation within
/// hundredths of a millisecond, a tenth of a step of the map's colours). Models of files, cells
/// with code of their own and steps that solve linear systems or nonlinear ones are in double.
Precision live_precision(const device::TissueProblem& p);

} // namespace tawara::simulation
