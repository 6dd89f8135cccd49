// SPDX-License-Identifier: GPL-3.0-or-later
// Texts within PNG files.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tawara::simulation {

/// The text of that name, of a tEXt, zTXt or iTXt chunk, compressed or not; empty where the file is
/// no PNG or has none. Bytes are as they are in the file: UTF-8 in iTXt, Latin-1 in the others.
/// @param most  bytes that a text may have, compressed and not
/// @throws InputError where the text is larger, or its compressed bytes are damaged
/// Cost: chunks of other names are skipped.
std::string png_text(const std::filesystem::path& file, std::string_view name, std::size_t most);

} // namespace tawara::simulation
