// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tawara::study {

/// What the report.json of a searched site, or of restitution, begins with: program, version,
/// built_from, name, session_file, session, mesh_sha256, devices, precision.
/// @param mesh_sha256  mesh_sha256() of the mesh
/// @param device       that computed, in words
nlohmann::ordered_json report_head(const simulation::Session& s,
                                   const simulation::RunOptions& options,
                                   const std::string& mesh_sha256, const std::string& device);

} // namespace tawara::study
