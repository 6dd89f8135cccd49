// SPDX-License-Identifier: GPL-3.0-or-later
// What lies in the folder of a study's run: what the program has written there, and nothing else,
// is removed and put on record.
#pragma once
#include "engine/study/study.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tawara::study {

/// That a run's folder is one, or can become one.
/// @throws InputError that names it
void need_own_folder(const std::filesystem::path& folder);

/// The checkpoints of a run, by the name that a run gives them, the one of the latest time first.
/// Plain files alone; those of searched sites and of restitution are none of these.
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& run_folder);

/// Removes what a study does not keep of a run that is done: of the plain files that its
/// report.json and frames.pvd list, and of its checkpoints. All else in the folder stays.
/// @throws InputError where one cannot be removed
void thin_out(const std::filesystem::path& folder, const Study& s);

/// SHA-256 of the plain files that a run has written into its folder, by their names; those of
/// frames/ are left out. Read piece by piece.
/// @throws InputError where one cannot be read
std::map<std::string, std::string> digests(const std::filesystem::path& folder);

} // namespace tawara::study
