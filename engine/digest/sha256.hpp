// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tawara {

/// SHA-256 (FIPS 180-4) of some bytes, as 64 hexadecimal digits.
/// @cost  about 300 MB/s
std::string sha256(std::string_view bytes);

/// That of a plain file, which is read piece by piece.
/// @param from  bytes at its beginning that are left out
/// @throws InputError that names the file
std::string sha256_of_file(const std::filesystem::path& file, std::uintmax_t from = 0);

/// That of several parts, each with its length before it: ("ab", "c") is not ("a", "bc").
std::string sha256_of_parts(std::span<const std::string_view> parts);

} // namespace tawara
