// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/elements.hpp"

namespace tawara::device {

Elements conducting_elements(const mesh::TetMesh& m, std::span<const diffusion::Tensor> diffusivity)
{
    Elements out;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        if (diffusion::conducts(diffusivity[t])) {
            out.corner.push_back(m.corners(t));
            out.volume_mm3.push_back(m.volume(t));
        }
    return out;
}

} // namespace tawara::device
