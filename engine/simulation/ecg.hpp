// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session.hpp"

#include <vector>

namespace tawara::simulation {

/// The body's axes around a heart, from its walls: origin at the centroid; the long axis of the left
/// ventricle points from base to apex to the left, front and below as in a supine adult (60 degrees down
/// from the horizontal plane's left-anterior axis); the right ventricle lies to the right and in front.
/// A mesh whose walls cannot be told apart takes its own axes (x left, y back, z up).
TorsoFrame torso_frame(const mesh::TetMesh& m, const mesh::Surface& surface);

/// RA, LA, LL, V1 .. V6 of a 12-lead electrocardiogram around a heart, on an elliptic torso.
std::vector<Electrode> twelve_lead_electrodes(const TorsoFrame& frame);
/// The same, with the frame found from the mesh.
std::vector<Electrode> twelve_lead_frame(const mesh::TetMesh& m, const mesh::Surface& surface);

/// I, II, III (Einthoven), aVR, aVL, aVF (Goldberger), V1 .. V6 (against Wilson's central terminal) as
/// weights of RA, LA, LL, V1 .. V6.
std::vector<Lead> twelve_leads();

} // namespace tawara::simulation
