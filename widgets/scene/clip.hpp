// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/section.hpp"

#include <optional>

class vtkMapper;

namespace tawara::scene {

/// Takes away what lies on the side that the plane's normal points to; none: nothing.
void clip_by(vtkMapper& mapper, const std::optional<Plane>& plane);

} // namespace tawara::scene
