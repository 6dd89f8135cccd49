// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tawara::simulation {

/// What was found for a tuning_key() before: by this program, or by one of the same build that has
/// written it into velocities in cache_folder(). Files that others could have written are not read.
/// @thread any
std::optional<TunedConductivity> kept_tuning(const std::string& key);

/// Keeps it for the next time; without a word where the folder cannot be used.
/// @thread any
void keep_tuning(const std::string& key, const TunedConductivity& found);

/// Forgets what is kept in memory.
/// @thread any
void forget_tunings();

/// What tells the findings of this build from those of others (a sum over the sources of engine/
/// and of the models). Made by .cmake/identity.cmake when the program is built.
std::string_view tuning_identity();

} // namespace tawara::simulation
