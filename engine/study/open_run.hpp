// SPDX-License-Identifier: GPL-3.0-or-later
// A run of a study as a session that can be opened and watched.
#pragma once
#include "engine/study/site_record.hpp"
#include "engine/study/study.hpp"

namespace tawara::study {

/// The run's session. Of a site that was searched its only stimulus is the site's: S1, then the
/// extrastimuli that induced re-entry, or else the last that were tried; its end is
/// Induction::sustained_ms after the last pulse.
/// @param site  of a run that has searched one; null: the site is paced with S1 alone, and where
///              it is a segment, not at all
/// @throws InputError as session_of()
simulation::Session session_to_watch(const Study& s, const PlannedRun& run, const SiteRecord* site);

/// The state that session_to_watch() can begin with: the newest checkpoint of an ordinary run.
/// Empty: there is none, or the run searches a site or follows a protocol, whose checkpoints are of
/// other pulses.
/// @param folder  of the study
std::filesystem::path checkpoint_of(const PlannedRun& run, const std::filesystem::path& folder);

} // namespace tawara::study
