// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue that an ablation destroys.
#pragma once
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/study/induction.hpp"

namespace tawara::study {

/// The session with its ablated tissue as insulating.
///
/// Along a line of points: at every half radius of it a cylinder, whose axis is the wall's normal
/// at the vertex of the boundary that is nearest. It holds the tetrahedra whose centroids lie
/// within radius_mm of that axis and at most depth_mm below that vertex, as far as they are joined
/// by faces within the cylinder to the one nearest to the vertex: so a lesion through the wall does
/// not burn the wall opposite.
/// @param t  of the session
/// @param file  of the study
/// @throws InputError  where the line lies off the tissue, or there is no such label
simulation::Session with_lesion(simulation::Session s, const simulation::Tissue& t,
                                const Ablation& a, const std::string& file);

} // namespace tawara::study
