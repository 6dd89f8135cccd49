// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of a tissue that are made alike of a whole mesh and of one part of it.
#pragma once
#include "engine/diffusion/whole.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace tawara::simulation {

/// What regions on a part of a mesh need to know of the whole. Every process calls the functions
/// in the same order.
struct WholeRegions
{
    std::set<std::int32_t> labels;
    std::int64_t tetrahedra = 0;
    std::span<const std::int64_t> number; ///< of each tetrahedron of the part, in the whole
    std::function<bool(bool here)> anywhere;
    /// Of a key its first tetrahedron in the whole: the least that any part gives.
    std::function<std::map<std::int32_t, std::int64_t>(
        const std::map<std::int32_t, std::int64_t>& here)>
        first_anywhere;
};

/// The mesh has all labels that the regions name. @throws InputError at the first that it has not
void need_labels(const Session& s, const mesh::TetMesh& m);

/// lay_regions() on a part: the same regions in the same order as on the whole mesh.
/// @throws InputError  likewise, where a region has no velocity_m_per_s
RegionMap lay_regions(const Session& s, const mesh::TetMesh& m, const WholeRegions& whole);

/// Region of each vertex: the one that fills most of the volume around it; where any of it
/// conducts, of that part.
std::vector<std::int32_t> vertex_regions(const Tissue& t, const std::vector<std::int32_t>& of_tet);

/// How diffusion is stepped explicitly, and what is to be said of it.
/// @param whole  of a part; null: the operator is whole
/// @throws InputError which key is wrong where it cannot be
diffusion::SubStepping substeps_of(const Session& s, const RegionMap& patches,
                                   const diffusion::System& system, Notices& notices,
                                   diffusion::Whole* whole, const Progress& progress);

/// @throws InputError where a factor wants directions that there are not
void need_fibres_of_scales(const Session& s, const mesh::TetMesh& m);

/// @throws InputError where the source of an electrocardiogram wants directions that there are not
void need_fibres_of_source(const Session& s, const mesh::TetMesh& m);

/// What a region holds of a part's unknowns, those of other parts and without cells too; nothing
/// where it holds none. Labels, walls and nodes are the part's.
std::vector<std::int32_t> held_in_part(const Tissue& t, const StimulusRegion& region);

} // namespace tawara::simulation
