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

/// Bands on the wall around tissue that is marked, along the edges between triangles whose
/// tetrahedron is marked and others; they lie a little off the wall, which would hide them, and
/// are as wide as suits the wall's size.
/// @param marked  per tetrahedron; others than 0 are
/// @thread any
/// @cost   linear in the triangles, n log n in the marked ones
Outline outline(const mesh::TetMesh& m, const mesh::Surface& s,
                std::span<const std::uint8_t> marked);

} // namespace tawara::scene
