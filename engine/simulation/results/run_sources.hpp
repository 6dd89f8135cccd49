// SPDX-License-Identifier: GPL-3.0-or-later
// What a run reads stays, whatever the run replaces.
#pragma once
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

#include <filesystem>
#include <vector>

namespace tawara::simulation {

struct ComingOutputs;

/// A file that a run reads.
struct RunSource
{
    std::filesystem::path file;
    const char* what; ///< "is the session of this run"
};

/// The run's session, the files that it names and the checkpoint that the run goes on from are none
/// of the files that the run will write, nor of those of an earlier run that are removed before it
/// (listed_outputs()). Links are followed. Checkpoints that the run will write are not looked at.
/// @param more  that this run reads as well
/// @throws InputError  at the first that is one of them
void need_sources_kept(const Session& s, const RunOptions& o, const ComingOutputs& coming,
                       const std::vector<RunSource>& more = {});

} // namespace tawara::simulation
