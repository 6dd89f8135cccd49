// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/session/session_json.hpp"

namespace tawara::simulation {

/// `purkinje`: a network from a file or one that grows.
void read_purkinje(const JsonNode& n, Session& s);
Json purkinje_json(const Session& s);

/// The numbers of `purkinje.grow` from a list of "NAME=VALUE".
/// @throws InputError naming --set and the key
cable::GrowthParameters growth_of(std::span<const std::string> overrides);

/// What a network is made of, as text: two sessions of the same text and mesh have the same one.
/// The root's pulses and the probes have no part in it.
std::string purkinje_text(const Session& s);

} // namespace tawara::simulation
