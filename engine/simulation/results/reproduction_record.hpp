// SPDX-License-Identifier: GPL-3.0-or-later
// The part of report.json by which a run can be done again, for report.cpp alone.
#pragma once
#include "engine/simulation/results/report.hpp"

#include <nlohmann/json.hpp>

namespace tawara::simulation::report {

/// Session, options, program; digests (SHA-256) of the mesh, of V at the end, of the maps and of
/// the files that were written (output_digest()).
/// @cost  reads mesh, fields and tables once: about 300 MB/s
nlohmann::ordered_json reproduction_json(const ReportInput& in, const device::Maps& maps);

} // namespace tawara::simulation::report
