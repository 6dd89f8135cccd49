// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session_json.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tawara::simulation {

/// How long the lists of a session may be: more than body surface maps (thousands of electrodes),
/// optical maps (128 x 128 probes) and sequences of stimuli have. Each element costs time and
/// memory, so that a short file could ask for hours: a probe 0.3 ms and 6 kB, an electrode a weight
/// for each unknown. The rows of the keys (session_keys.cpp) have these numbers as ranges.
inline constexpr double most_regions = 20'000, most_stimuli = 20'000, most_probes = 20'000,
                        most_electrodes = 5'000, most_leads = 5'000;

/// The elements of a key's list.
/// @param at  the key in the table, whose range and unit say how many there may be
/// @throws InputError where it is no list, or has fewer than `least` or more than its range allows
std::vector<JsonNode> key_items(const JsonNode& list, std::string_view at, std::string_view should,
                                std::size_t least = 0);

/// Numbers of vertices, each once, in the order in which they are first given.
/// @cost  n log n of those that are listed
std::vector<std::int64_t> each_once(std::vector<std::int64_t> numbers);

} // namespace tawara::simulation
