// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/thread_pool.hpp"
#include "engine/mesh/tet_mesh.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::mesh::io {

/// VTU files of one mesh that differ in one array, such as the frames of a run. What they share
/// (vertices, tetrahedra, `region`, the labels' names, the unit of length, provenance) is
/// compressed once and kept, so a file costs its values' compression and its writing. Fibres and
/// other fields are not in these files.
///
/// The format is VTK's XML with appended raw data, zlib blocks, 64-bit headers.
class VtuSeries
{
  public:
    /// @param name  of the array that changes, `on` vertices or tetrahedra
    /// @param threads  that compress, at least 1
    /// @param provenance  gives the text of the field `provenance`; empty: program_provenance()
    VtuSeries(std::string name, Field::On on, unsigned threads,
              std::function<std::string()> provenance = {})
        : name_(std::move(name)), on_(on), threads_(threads), provenance_(std::move(provenance))
    {
    }

    /// Writes a file, whole or not at all; the first one compresses the mesh. The mesh must be the
    /// same in every call.
    /// @param time_ms  kept as TimeValue, which ParaView shows
    /// @throws InputError when values and mesh differ in number, or the file cannot be written
    /// @thread one at a time
    /// @cost of 384 000 tetrahedra on two cores: the first file 130 ms, then 12 each
    void write(const TetMesh& m, std::span<const float> values, double time_ms,
               const std::filesystem::path& file);

  private:
    /// An array as it lies in the file: header of its blocks, blocks.
    struct Packed
    {
        std::string head;
        std::vector<std::string> blocks;
        std::uint64_t bytes() const;
    };
    Packed packed(std::span<const std::byte> raw, int effort);
    template <class Int>
    void pack_cells(const TetMesh& m);
    void pack_mesh(const TetMesh& m);
    std::string description(const TetMesh& m, double time_ms) const;

    std::string name_;
    Field::On on_;
    unsigned threads_;
    std::function<std::string()> provenance_;
    std::optional<ThreadPool> pool_;
    std::string index_type_;   ///< of connectivity and offsets
    std::string made_by_;      ///< the field `provenance`, as it lies in the file
    std::vector<Packed> mesh_; ///< as they lie in the file, before the values
};

/// The values of one array of a VTU file, at points or in cells; its mesh is not looked at.
/// @throws MeshError where it is no VTU file, or has no such array
std::vector<float> values_of_vtu(const std::filesystem::path& file, const std::string& name);

} // namespace tawara::mesh::io
