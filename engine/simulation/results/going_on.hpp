// SPDX-License-Identifier: GPL-3.0-or-later
// What a run that did not come to its end says: how to go on from where it was.
#pragma once
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/run_report.hpp"

#include <filesystem>
#include <string>

namespace tawara::simulation {

/// "to go on from there: COMMAND", where the caller has a command for it; that there is none; where
/// the caller has no commands, which option does.
std::string how_to_go_on(const RunOptions& options, const std::filesystem::path& checkpoint);

/// What there is where no checkpoint was written: the one that the run began with, or none.
/// @param every_ms  between periodic ones; 0: none were to be written
/// @param failed    some were to be written, and could not
std::string no_checkpoint_since(const RunOptions& options, double every_ms, bool failed = false);

/// The newest checkpoint that a run has left in a folder which did not end: it was killed, so that
/// no report.json is there. Empty: there is none.
/// @param ranks  of a mesh in so many parts: the first one's file; 0: of a whole mesh
std::filesystem::path left_checkpoint(const std::filesystem::path& folder, int ranks = 0);

/// What a run with these options begins with.
RunBegins begins(const RunOptions& options);

} // namespace tawara::simulation
