// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/communicator.hpp"
#include "engine/core/progress.hpp"
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

namespace tawara::simulation::parts {

/// Whether a session's mesh is one in parts (NAME.parts).
bool is_in_parts(const Session& session);

/// Runs a session on a mesh in parts to its end: every rank calls it with the same session and
/// options, reads its part and no other, and steps it. The first one writes tables, in the order of
/// the whole mesh, a piece at a time; maps and frames are written by all, a piece each (.pvtu with
/// .vtu). What the first one has and the others have not does not grow with the mesh.
///
/// V is bit for bit that of run_session() on the whole mesh; where fvm's stability is decided by
/// eigenvalues, these are the same but for rounding.
/// @throws InputError, MeshError  in the first rank, for what parts have not and as run_session();
///         NumericsError, DeviceError, Cancelled
/// @return the report; in all but the first an empty one
RunReport run_parts(const Session& session, const RunOptions& options, Communicator& ranks,
                    const Progress& progress = {});

} // namespace tawara::simulation::parts
