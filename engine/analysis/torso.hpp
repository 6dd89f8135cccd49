// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/volume_conductor.hpp"

namespace tawara::analysis {

/// An adult's trunk from the hips to the neck, without arms and head, as rings of elliptic
/// cross-sections; coordinates [mm] from the centre of the ventricles to the left, to the back and
/// up. The chest is 31 cm wide and 22 cm deep at the heart's height. The dimensions are this
/// program's choice, such that the places of the standard electrodes (simulation/observe/ecg.hpp)
/// lie on it or within 2 cm of it.
///
/// About 1000 vertices, 1 cm apart in front of the heart and 2 to 4 elsewhere: a third of what the
/// wall's distance from the front of the chest is there.
ClosedSurface torso_surface();

/// How far a place is from the trunk's axis over how far the skin is there: 1 on the skin, less
/// inside; infinite above the neck and below the hips.
double torso_reach(const Vec3& x);

} // namespace tawara::analysis
