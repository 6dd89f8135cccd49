// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace tawara {

/// The whole content of a file. Pipes and devices are refused without waiting for what they give:
/// they may never end.
/// @param most_bytes  a larger file is refused before it is read
/// @param is_for      ends the message about a larger file, e.g. "models are text of some kB"
/// @throws InputError that names the file
std::string file_content(const std::filesystem::path& file, std::uintmax_t most_bytes = UINTMAX_MAX,
                         const std::string& is_for = {});

/// What stands in the way of reading a file of that name, as the end of a message; empty: nothing.
/// A missing file is no hindrance here.
std::string no_plain_file(const std::filesystem::path& file);

} // namespace tawara
