// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a study that measures restitution by one protocol.
#pragma once
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/study/restitution.hpp"

namespace tawara::study {

/// What such a run is made of.
struct RestitutionJob
{
    std::string file;            ///< of the study, named in errors
    simulation::Session session; ///< its stimuli's times and its end do not count
    Restitution restitution;
    PacingProtocol protocol = PacingProtocol::s1s2; ///< which restitution has
    simulation::RunOptions options;                 ///< out, device, session_file
};

/// Paces the session (RestitutionPacing), and writes report.json and report.html into options.out.
/// Meanwhile it keeps a state and the beats there: the same call goes on from them, to the same
/// results.
/// @return the text of report.json
/// @throws InputError, MeshError, NumericsError, DeviceError, Cancelled
std::string run_restitution(const RestitutionJob& job, const Progress& progress);

/// The files that run_restitution() keeps for going on are no longer needed: the plain files among
/// them go.
/// @throws InputError where one cannot be removed
void forget_restitution(const std::filesystem::path& folder);

} // namespace tawara::study
