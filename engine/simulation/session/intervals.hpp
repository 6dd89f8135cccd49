// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"

#include <cstdint>
#include <string_view>

namespace tawara::simulation {

struct Session;

/// Time steps between two events that happen every `every_ms`; at least 1.
std::int64_t steps_of(double every_ms, double dt_ms);

/// The same of a session's key that is an interval (KeyParts::Also::interval); 0 where that is 0,
/// or the session has no use for it.
/// @param at  its pointer, e.g. "/output/frames_every_ms"
/// @throws std::logic_error if the table has no such interval
std::int64_t interval_steps(const Session& s, std::string_view at);

/// Says of each interval in use that is no whole number of steps what it is rounded to.
Notices rounded_intervals(const Session& s);

} // namespace tawara::simulation
