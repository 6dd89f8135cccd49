// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/export.hpp"

namespace tawara::simulation {

/// Recorded frames for ParaView: FILE (.pvd) and FILE's stem + "_frames/" (the stem alone where it
/// ends with "frames") with a .vtp each, of the surface.
std::vector<std::filesystem::path> write_recorded_pvd(const ExportSource& s,
                                                      const std::filesystem::path& file,
                                                      const Progress& progress);

/// Recorded frames as .igb, at the recording's even interval, and the surface's vertices and
/// triangles as .pts (um) and .elem beside it, as meshalyzer opens them together.
std::vector<std::filesystem::path> write_recorded_igb(const ExportSource& s,
                                                      const std::filesystem::path& file,
                                                      const Progress& progress);

} // namespace tawara::simulation
