// SPDX-License-Identifier: GPL-3.0-or-later
// Where tawara-cli's commands of meshes write.
#pragma once
#include "engine/cli/command.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tawara::cli {

/// @throws InputError where no such file can be written; a link is replaced, wherever it leads
void need_place(const std::filesystem::path& file);

/// The files that a mesh is written to. A symbolic link under the name of one of them is replaced,
/// and what it leads to stays as it is.
class MeshOutput
{
  public:
    /// Before long work.
    /// @param file     in the format of its extension
    /// @param sources  what the mesh is made from; names of no file count for nothing
    /// @throws InputError where the format is none that can be written, where the files cannot be,
    /// or where one of them is a source, by whatever name: the result could not be made again
    MeshOutput(const Context& c, std::string file,
               const std::vector<std::filesystem::path>& sources);

    /// Writes all files, or none, and says which it replaced and removed. Beside files that have no
    /// place for what made them it writes FILE.provenance.json. @throws InputError
    void write(const Context& c, const mesh::TetMesh& m) const;

  private:
    std::string file_, provenance_;
};

} // namespace tawara::cli
