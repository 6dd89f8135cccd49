// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/volume_conductor.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/tet_mesh.hpp"
#include "engine/simulation/session/session.hpp"

#include <vector>

namespace tawara::simulation {

/// The body's axes around a heart, from its walls: the long axis of the left ventricle (centre of
/// the base to the apex) points to the left, to the front and down, the right ventricle lies to its
/// right and in front; `scale` by the volume of the tissue against an adult's 130 ml. A mesh whose
/// walls cannot be told apart takes its own axes (x left, y back, z up).
TorsoFrame torso_frame(const mesh::TetMesh& m, const mesh::Surface& surface);

/// RA, LA, LL, V1 .. V6 of a 12-lead electrocardiogram around a heart, on an adult's torso.
std::vector<Electrode> twelve_lead_electrodes(const TorsoFrame& frame);
/// The same, with the frame found from the mesh.
std::vector<Electrode> twelve_lead_frame(const mesh::TetMesh& m, const mesh::Surface& surface);

/// Whether the leads are those of a torso: as the session says, and where it does not, if it has
/// the 12 leads and gives none of their electrodes.
bool in_torso(const std::vector<Electrode>& electrodes, const Leads& leads);
/// The trunk of analysis/torso.hpp around a heart.
analysis::ClosedSurface torso_around(const TorsoFrame& frame);
/// The frame, larger where the tissue would else come nearer to the skin than a tenth of the way
/// from the trunk's axis.
TorsoFrame holding(TorsoFrame frame, const mesh::TetMesh& m);
/// twelve_lead_electrodes(), each at the nearest place of the skin.
std::vector<Electrode> electrodes_on_torso(const TorsoFrame& frame);

} // namespace tawara::simulation
