// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace tawara::simulation {

struct Session;

/// How the cells of a session are stepped, for people: "rush_larsen_light"; of cells with dyads,
/// which `reaction.scheme` does not reach, "the dyads' own scheme"; both where its regions have
/// both. Of Newton's method it says nothing.
std::string reaction_words(const Session& s);

} // namespace tawara::simulation
