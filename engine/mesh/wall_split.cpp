// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/wall_split.hpp"

namespace tawara::mesh {

void split_walls(const TetMesh&, const std::vector<std::array<std::int32_t, 4>>&, Surface&,
                 Notices* notices)
{
    if (notices)
        notices->push_back({Notice::Level::warning, "the surface is not split into walls"});
}

} // namespace tawara::mesh
