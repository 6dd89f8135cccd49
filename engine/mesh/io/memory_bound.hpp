// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace tawara::mesh::io {

/// How much the arrays of a file may be: a hundred times its size in memory, or 64 MB where that is
/// more, and ten thousand in number. Meshes take five to thirty times the memory of their
/// compressed file and have some tens of arrays; what goes beyond is made to fill memory.
class MemoryBound
{
  public:
    MemoryBound(std::string file, std::uint64_t file_bytes)
        : file_(std::move(file)), file_bytes_(file_bytes)
    {
    }

    /// Counts bytes that are about to be fetched. @throws MeshError before they are too many
    void take(std::uint64_t bytes);
    /// Counts an array. @throws MeshError
    void take_array();

  private:
    std::string file_;
    std::uint64_t file_bytes_, taken_ = 0, arrays_ = 0;
};

} // namespace tawara::mesh::io
