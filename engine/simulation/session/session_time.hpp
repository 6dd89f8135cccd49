// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_json.hpp"

namespace tawara::simulation {

/// Tetrahedra that places may name one by one: twice those of a human heart's mesh.
inline constexpr std::int64_t most_named_tetrahedra = 25'000'000;

/// The part "time" of a session. @throws InputError
void read_time(const JsonNode& n, Session& s);

/// What a session announces is laid out in memory before a run; refuses more than a run could use.
/// @param list    of the stimuli, which were read into the session
/// @param named   tetrahedra that the regions before have named; grows
/// @throws InputError
void need_few_pulses(const JsonNode& list, const Session& s);
void need_few_tetrahedra(const JsonNode& region, const Region& r, std::size_t& named);

} // namespace tawara::simulation
