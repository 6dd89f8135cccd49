// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session/session.hpp"
#include "widgets/scene/legend.hpp"
#include "widgets/scene/outline.hpp"

#include <QStringList>

#include <cstdint>
#include <span>
#include <vector>

namespace tawara {

/// A session's regions as views show them.
struct LaidTissue
{
    /// The session's region of each tetrahedron; empty where they could not be laid.
    std::vector<std::int32_t> of;
    std::vector<float> wall; ///< wallRegions() of these
    scene::Outline scar;     ///< of the tissue that cannot fire, thinner of border zones
    QStringList names;       ///< of the regions, in their order
};

/// Lays the regions of a session; those that are not placed yet hold nothing.
/// @thread any
/// @cost  linear in the tetrahedra, for each region
LaidTissue layTissue(const simulation::Session& s, const mesh::TetMesh& m, const mesh::Surface& on);

/// Colours of regions for each vertex of the wall: of the highest region around it.
std::vector<float> wallRegions(std::span<const std::int32_t> ofTetrahedron,
                               const mesh::Surface& on);
/// The same of each tetrahedron.
std::vector<float> insideRegions(std::span<const std::int32_t> ofTetrahedron);
/// What those colours mean.
std::vector<scene::Legend::Entry> regionLegend(const QStringList& names);

/// Whether a region waits for tissue to be given to it.
bool waitsForTissue(const simulation::Region& r);

} // namespace tawara
