// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh in parts on disk: an index (NAME.parts, JSON) and a file for each part beside it
// (resources/clusters/PARTS.md describes both).
#pragma once
#include "engine/mesh/parallel/part.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace tawara::mesh::parallel {

inline constexpr int parts_version = 1;
inline constexpr int most_parts =
    480; ///< files, each with its folder, are open until all are whole

/// The body's axes around a heart, for electrodes on it.
struct Body
{
    Vec3 origin_mm{}, left{}, posterior{}, superior{};
    double scale = 1;
};

/// What is known of the whole mesh without reading a part.
struct Index
{
    struct PartOf
    {
        std::string file; ///< beside the index
        std::uint64_t bytes = 0;
        std::uint32_t checksum = 0; ///< CRC-32 of the part's heads, which have those of its arrays
        std::int64_t vertices = 0, tetrahedra = 0; ///< own ones
    };
    /// An array that travels with the mesh.
    struct FieldOf
    {
        std::string name;
        Field::On on = Field::On::vertices;
        int components = 1;
    };

    std::string title; ///< of the mesh that was cut
    std::int64_t vertices = 0, tetrahedra = 0;
    double edge_mm = 0;                          ///< mean_edge_mm()
    Vec3 low{}, high{};                          ///< bounding box [mm]
    std::map<std::int32_t, std::int64_t> labels; ///< tetrahedra of each
    std::map<std::int32_t, std::string> label_names;
    std::vector<FieldOf> fields;
    std::vector<std::string> walls; ///< that its surface has, by name
    bool fibres = false, sheets = false, normals = false;
    std::optional<Body> body; ///< nothing where nobody said
    std::vector<PartOf> parts;
};

/// Whether a file is meant as such an index, by its name (.parts).
bool is_index(const std::filesystem::path& file);

/// Writes a mesh in parts: all files, or none of them. What an index of the same name had besides
/// is removed. A link under the name of the index or of a part is replaced, and what it leads to
/// stays.
/// @param title, body  for the index
/// @param file  of the index, NAME.parts
/// @throws InputError for another extension, more than most_parts, a file that cannot be written
/// @cost   one part in memory at a time beside the mesh
Index write_parts(const TetMesh& m, std::span<const std::array<std::int32_t, 4>> neighbours,
                  const Surface& surface, const Cut& cut, const std::string& title,
                  const std::optional<Body>& body, const std::filesystem::path& file,
                  const Progress& progress = {});

/// @throws MeshError naming the file and the key: no index, another version, values that cannot be
Index read_index(const std::filesystem::path& file);

/// Reads one part, all of whose arrays are checked: sizes before memory is taken, checksums,
/// numbers within bounds.
/// @throws MeshError naming the part's file
Part read_part(const std::filesystem::path& index_file, const Index& index, std::int32_t number);

} // namespace tawara::mesh::parallel
