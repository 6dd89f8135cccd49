// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tawara::simulation {

/// What was found for a tuning_key() before: by this program, when the program was made
/// (shipped_tunings), or by one of the same build that has written it into velocities in
/// cache_folder(). Files there that others could have written are not read, and one is taken that
/// has the SHA-256 of the key and its numbers in its last line.
/// @thread any
std::optional<TunedConductivity> kept_tuning(const std::string& key);

/// Keeps it for the next time; without a word where the folder cannot be used.
/// @thread any
void keep_tuning(const std::string& key, const TunedConductivity& found);

/// Why nothing was found for a tuning_key() before, by this program alone.
/// @thread any
std::optional<std::string> kept_failure(const std::string& key);
/// Keeps it in memory.
/// @thread any
void keep_failure(const std::string& key, const std::string& why);

/// The resource that has what was found for the sessions that ship with the program, so that nobody
/// waits for it: in each line the SHA-256 of a tuning_key(), and behind it what shipped_line() has.
/// Keys of other cells, steps or meshes are others, so that a line can be of no use but not wrong;
/// that waves on strips still run as it says is tested (shippedSessionsAreTuned).
inline constexpr const char* shipped_tunings = "meshes/tuned_velocities.txt";
/// Such a line, without its end.
std::string shipped_line(const std::string& key, const TunedConductivity& found);

/// Forgets what is kept in memory.
/// @thread any
void forget_tunings();

/// What tells the findings of this build from those of others (a sum over the sources of engine/
/// and of the models). Made by .cmake/identity.cmake when the program is built.
std::string_view tuning_identity();

} // namespace tawara::simulation
