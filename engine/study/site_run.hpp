// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a study that searches one site.
#pragma once
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/study/heart_shelf.hpp"
#include "engine/study/induction.hpp"

namespace tawara::study {

/// What a site's run is made of.
struct SiteJob
{
    std::string file;            ///< of the study, named in errors
    simulation::Session session; ///< its stimuli and end do not count
    Induction induction;
    PacingSite site;
    std::optional<Ablation> ablation;
    simulation::RunOptions options; ///< out, device, session_file
    HeartShelf& hearts;             ///< of all runs of the study
};

/// Searches a site, and where re-entry is sustained and there is an ablation, searches again with
/// the lesion. Writes report.json and report.html into options.out. Meanwhile it keeps the state
/// after S1 and the trials there: the same call goes on from them, to the same results.
/// @return the text of report.json
/// @throws InputError, MeshError, NumericsError, DeviceError, Cancelled
std::string run_site(const SiteJob& job, const Progress& progress);

/// The files that run_site() keeps for going on are no longer needed: the plain files among them
/// go.
/// @throws InputError where one cannot be removed
void forget_search(const std::filesystem::path& folder);

} // namespace tawara::study
