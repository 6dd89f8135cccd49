// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

namespace tawara::simulation {

/// Runs a session to its end and writes every output of the contract into options.out. What an
/// earlier run has written there is removed before the first step (remove_earlier_outputs()). The
/// folder is locked meanwhile (FolderLock): two runs do not mix in it.
///
/// When the work is cancelled or the solution fails, what was reached is written before the error
/// goes on.
/// @throws InputError, MeshError, NumericsError, DeviceError, Cancelled, TakenOver
RunReport run_session(const Session& session, const RunOptions& options,
                      const Progress& progress = {});

} // namespace tawara::simulation
