// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/mesh/tet_mesh.hpp"

namespace tawara::device {

/// The tetrahedra that conduct, in the mesh's order: where unknowns on vertices have cells between
/// them.
Elements conducting_elements(const mesh::TetMesh& m,
                             std::span<const diffusion::Tensor> diffusivity);

} // namespace tawara::device
