// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/ranks/share.hpp"
#include "engine/diffusion/whole.hpp"
#include "engine/mesh/parallel/files.hpp"
#include "engine/simulation/parts/group.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <memory>

namespace tawara::simulation::parts {

/// The tissue that one process has of a mesh in parts. Unknowns are those of the part, own ones and
/// those of other parts together in the order of the whole.
struct PartTissue
{
    mesh::parallel::Index index;
    /// Of the part's mesh. Its problem knows of all the part's unknowns which have cells; rows
    /// are gone, for the share has them.
    Tissue tissue;
    std::vector<std::int64_t> tetrahedron, vertex; ///< numbers in the whole
    std::vector<std::int32_t> tetrahedron_owner;
    std::vector<std::int64_t> number; ///< of each unknown, in the whole
    std::vector<char> own;            ///< of each unknown
    std::vector<mesh::parallel::Border> borders;
    device::ranks::Share share;        ///< what is stepped here
    std::vector<std::int32_t> stepped; ///< of each own unknown of the share: the part's

    std::int64_t unknowns() const ///< of the whole
    {
        return tissue.on_vertices() ? index.vertices : index.tetrahedra;
    }
};

/// Other parts' unknowns become what their owners have.
void share_values(const PartTissue& t, Group& group, std::span<double> values);

/// Reads this process' part of the session's mesh and makes the tissue on it: regions, cells and
/// rows as on the whole mesh, to the bit.
/// @param notices  in the first process, what is to be said
/// @throws InputError, MeshError  for what there is not in parts (Newton's method, linear solvers,
///         interpolated currents, dyads, a Purkinje network, wanted velocities, other fibres),
///         where the mesh has another number of parts than there are ranks, and as tissue_on()
std::unique_ptr<PartTissue> part_tissue(const Session& s, Group& group, Notices& notices,
                                        const Progress& progress);

/// The own unknowns that a stimulus region holds, of those with cells.
/// @throws InputError as unknowns_in(), where no part has any
std::vector<std::int32_t> own_unknowns_in(const PartTissue& t, Group& group,
                                          const StimulusRegion& region, const std::string& file,
                                          const std::string& what);

/// What probes read, in every process: unknowns by their numbers in the whole.
struct WholeGather
{
    std::vector<std::int64_t> first{0}, unknown;
    std::vector<float> weight;
};
/// @throws InputError as probe_weights()
WholeGather probes_in(const PartTissue& t, Group& group, const std::vector<Probe>& probes,
                      const std::string& file);

} // namespace tawara::simulation::parts
