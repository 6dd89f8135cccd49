// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tawara::scene {

/// Name (without folders) and text of each shader and colour map that was built into the program.
std::span<const std::pair<std::string_view, std::string_view>> embedded_files();

/// The text of one of them.
/// @throws Error when there is none of that name
std::string_view embedded(std::string_view name);

/// The part of a shader file behind its line "//= PART", up to the next such line or the end.
/// @throws Error when the file or the part is missing
std::string shader_part(std::string_view file, std::string_view part);

} // namespace tawara::scene
