// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue whose cells carry no current: what is left of a step is diffusion, by the program's own
// stepper.
#pragma once
#include "engine/core/progress.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <cstdint>
#include <vector>

namespace tawara::verify {

/// V after so many explicit steps of `dt_ms`, double precision, on the CPU. The cells are Mitchell
/// and Schaeffer's, whose currents are over 1e30 ms: less than V's last bit.
/// @param v  at the start [mV], one number an unknown
/// @throws NumericsError where V leaves what a cell may have; Cancelled
std::vector<double> diffused(const mesh::TetMesh& m, const diffusion::System& s,
                             const std::vector<double>& v, double dt_ms, std::int64_t steps,
                             unsigned threads, const Progress& progress = {});

} // namespace tawara::verify
