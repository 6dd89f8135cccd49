// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"

namespace tawara::simulation {

struct Tissue;

/// Paces each cell type of the tissue alone as the session says (cell::pace_cells(), by the
/// session's reaction scheme and step), makes the states reached the types' initial ones in
/// t.problem, and says in t.prepaced what was reached. Where the session paces none, cells begin as
/// their regions say. States are kept for the next time in this process.
/// @throws InputError, NumericsError, Cancelled; then the tissue is as before
/// @cost   cell::pace_cells() for each model, in double precision on one thread each
void prepace(const Session& s, Tissue& t, const Progress& progress = {});

} // namespace tawara::simulation
