// SPDX-License-Identifier: GPL-3.0-or-later
// What a run's files say of the run that made them.
#pragma once
#include "engine/core/units.hpp"
#include "engine/mesh/tet_mesh.hpp"
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tawara::simulation {

struct Scene;

/// One line of JSON: program, version, built_from (the commit), session, session_sha256,
/// models_sha256 (where there are files of models), mesh_sha256, device, precision, options. Made
/// without a run: of the program alone.
struct Provenance
{
    Provenance();
    Provenance(std::string whole, std::string mesh);

    /// A session's text beyond 64 KiB is left out, which `session` then says.
    std::string text;
    std::string mesh_sha256; ///< of the mesh; empty: there is none
};

/// A run's provenance, asked for when its first file is written.
using ProvenanceSource = std::function<const Provenance&()>;

/// An end that was asked for in place of the session's is among the options (until_ms). How far the
/// run came and from which checkpoint it went on are left to report.json: a run that was
/// interrupted writes the bytes of one that was not.
/// @param options      how it was computed, beside the session
/// @param models       model_digests() of its tissue
/// @param mesh_sha256  mesh_sha256() of its mesh
Provenance provenance_of(const Session& s, const std::map<std::string, std::string>& models,
                         const std::string& mesh_sha256, const std::string& device,
                         const RunOptions& options);

/// The provenance of what a simulation in the window is now.
/// @cost  the first time for a mesh mesh_sha256() of it
/// @thread any
Provenance provenance_of(const Scene& scene);

/// Of a file that has no place for it (CSV, .dat, .igb): FILE.provenance.json beside it, with
/// `file_sha256`, the digest of the file as it is now.
/// @return  that file
/// @throws InputError where the file cannot be read
std::filesystem::path write_provenance_beside(const std::filesystem::path& file,
                                              const std::string& text);

} // namespace tawara::simulation
