// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::device {

/// Currents are interpolated in tetrahedra in which V differs by more [mV]: in those of an
/// upstroke. Slopes of plateaus and repolarisation are below, and 2 mV in its place moves the
/// tissue benchmark's activation by at most 0.02 ms (tests/bench/records/PREDICTIONS.md, I3).
inline constexpr double front_mV = 10;

/// The tetrahedra that conduct, in the mesh's order: where unknowns on vertices have cells between
/// them.
Elements conducting_elements(const mesh::TetMesh& m,
                             std::span<const diffusion::Tensor> diffusivity);

} // namespace tawara::device
