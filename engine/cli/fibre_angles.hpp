// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/generator/fibres.hpp"

#include <string>

namespace tawara::cli {

inline constexpr const char* angles_help =
    "fibres by rule with these helix angles at endo- and epicardium [degrees], e.g. 60,-60";

/// Angles as --fibre-angles gives them.
/// @throws InputError  when they are not two numbers from -90 to 90
mesh::generator::FibreRules rule_of(const std::string& angles);

/// What --fibres and --fibre-angles together ask for: angles alone are of fibres by rule.
/// @throws InputError  when angles are given for a file's fibres
std::string fibres_of(const std::string& fibres, const std::string& angles);

} // namespace tawara::cli
