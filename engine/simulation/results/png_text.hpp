// SPDX-License-Identifier: GPL-3.0-or-later
// Texts within PNG files.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tawara::simulation {

/// The text of that name in UTF-8, of a tEXt, zTXt or iTXt chunk, compressed or not; empty where
/// the file is no PNG or has none. Those of tEXt and zTXt are Latin-1 in the file: readable() of
/// them.
/// @param most  bytes that a text may have, compressed and not
/// @throws InputError where the text is larger, or its compressed bytes are damaged
/// Cost: chunks of other names are skipped.
std::string png_text(const std::filesystem::path& file, std::string_view name, std::size_t most);

} // namespace tawara::simulation
