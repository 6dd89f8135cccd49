// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tawara::study {

/// The JSON of a study's text, which may have comments.
/// @param file  that errors name
/// @throws InputError  where it is beyond the bounds of json_excess(), or with the line of a fault
nlohmann::ordered_json study_json(const std::string& text, const std::filesystem::path& file);

} // namespace tawara::study
