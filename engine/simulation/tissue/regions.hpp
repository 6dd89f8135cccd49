// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

namespace tawara::simulation {

/// A session's regions laid over one another: what each tetrahedron is made of.
struct RegionMap
{
    /// Each with a model of its own, `parameters` with factors and drugs multiplied in, and
    /// conductivities with their scale, found ones where a velocity is wanted; `scale` and
    /// velocity_m_per_s empty, `conductivity_scale` 1. `insulating` where
    /// nothing conducts; such a region may be without a model, and its conductivity is 0.
    std::vector<Region> regions;
    /// Per region [S/m]: of the electrocardiogram's sources.
    std::vector<diffusion::Conductivity> source;
    std::vector<std::size_t> origin;   ///< per region of these: the session's that was laid last
    std::vector<std::int32_t> beneath; ///< per region: the one it was laid on, or -1
    std::vector<std::int32_t> of_tetrahedron; ///< index into `regions`
    std::vector<TunedRegion> tuned;           ///< of the session's regions
};

/// Lays the regions of a session on a mesh.
/// @throws InputError naming the region by JSON pointer: a label, layer or segment that the mesh
/// lacks, a
///         place without tissue, tissue without a region, parameters that the model lacks
/// @param tuned  what was found for regions with velocity_m_per_s; one without has the default
///               conductivities
RegionMap lay_regions(const Session& s, const mesh::TetMesh& m,
                      std::vector<TunedRegion> tuned = {});

/// The same places with a session's present values.
/// @pre  same_places(session that p was laid from, s)
/// @throws InputError as lay_regions()
void lay_again(const Session& s, RegionMap& p);

/// Whether two lists of regions hold the same tetrahedra with the same models: they may differ in
/// variants, parameters, factors and conductivities.
bool same_places(const std::vector<Region>& a, const std::vector<Region>& b);

} // namespace tawara::simulation
