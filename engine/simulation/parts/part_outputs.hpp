// SPDX-License-Identifier: GPL-3.0-or-later
// What a run on a mesh in parts writes of all unknowns.
#pragma once
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/parts/part_tissue.hpp"
#include "engine/simulation/results/provenance.hpp"

#include <filesystem>

namespace tawara::simulation::parts {

/// Of the share's unknowns to the part's: those of other parts are their owners', and NaN where
/// there are no cells.
std::vector<float> at_unknowns(const PartTissue& t, Group& group, std::span<const double> of_share);

/// activation.csv, as write_activation_csv() writes it of the whole mesh, by the first process.
/// @throws WriteFailed  in every process
void write_activation(const PartTissue& t, Group& group, const Session& s, const device::Maps& maps,
                      const std::filesystem::path& file);

/// Writes fields of the unknowns: each process a piece (FOLDER/0000.vtu) with its own tetrahedra,
/// the first one also FOLDER.pvtu, which lists them.
/// @param folder  without an extension
/// @return names of all files, relative to `out`, in every process
/// @throws WriteFailed  in every process
std::vector<std::string> write_pieces(const PartTissue& t, Group& group,
                                      std::vector<mesh::io::Extra> fields,
                                      const std::filesystem::path& out, const std::string& folder,
                                      const Provenance& by);

} // namespace tawara::simulation::parts
