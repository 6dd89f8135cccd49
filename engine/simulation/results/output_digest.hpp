// SPDX-License-Identifier: GPL-3.0-or-later
// What a report keeps of a run's files, so that a change is noticed and two runs can be compared.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tawara::simulation {

/// Where report.json has the digest of one of its files (`/reproduction/KEY/NAME`).
enum class DigestOf {
    table,  ///< .csv: of all bytes
    values, ///< frames: of V alone, since what else is in them names program and device
    bytes   ///< any other file
};
DigestOf digest_of(std::string_view name);
/// "tables_sha256", "frames_sha256", "files_sha256".
const char* digest_key(DigestOf what);

/// Whether a name of a report's lists is that of a file below the report's folder.
bool is_below(const std::filesystem::path& name);

/// SHA-256 of a plain file, piece by piece.
/// @param from  bytes at its beginning that are left out
/// @throws InputError where it cannot be read
std::string sha256_of_file(const std::filesystem::path& file, std::size_t from = 0);

/// SHA-256 of a frame's values as they are written.
std::string digest_of_values(std::span<const float> values);

/// That of a file of a run: of a table or any other file all bytes, of frames/N.vtu V_mV, of
/// frames.igb what is behind its header.
/// @param name  relative to the folder
/// @throws InputError, MeshError where it cannot be read
/// @cost  about 300 MB/s; a .vtu is held in memory, no other file is
std::string output_digest(const std::filesystem::path& folder, const std::string& name);

} // namespace tawara::simulation
