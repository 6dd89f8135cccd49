// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tawara::scene {

/// A light band on a wider dark one, so that it stands out of any colour: four corners a piece,
/// x y z [mm]. Bands and not lines, which OpenGL's core profile draws one pixel wide.
struct Outline
{
    std::vector<float> dark, light;
    std::size_t count() const { return light.size() / 12; }
};

/// How tissue is marked for its outline.
enum Marked : std::uint8_t { unmarked, marked_core, marked_zone };

/// Bands on the wall around tissue that is marked, along the edges between triangles whose
/// tetrahedron is marked and others: around the core, and thinner ones around the zone where it
/// does not meet the core. They lie a little off the wall, which would hide them, and are as wide
/// as suits the wall's size.
/// @param marked  per tetrahedron, a Marked
/// @thread any
/// @cost   linear in the triangles, n log n in the marked ones
Outline outline(const mesh::TetMesh& m, const mesh::Surface& s,
                std::span<const std::uint8_t> marked);

} // namespace tawara::scene
