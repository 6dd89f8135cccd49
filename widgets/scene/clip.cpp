// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/clip.hpp"

#include <vtkMapper.h>
#include <vtkNew.h>
#include <vtkPlane.h>

namespace tawara::scene {

void clip_by(vtkMapper& mapper, const std::optional<Plane>& plane)
{
    mapper.RemoveAllClippingPlanes();
    if (!plane)
        return;
    vtkNew<vtkPlane> p;
    const Vec3 normal = -1.0 * plane->normal, o = plane->offset_mm * plane->normal;
    p->SetNormal(normal[0], normal[1], normal[2]);
    p->SetOrigin(o[0], o[1], o[2]);
    mapper.AddClippingPlane(p);
}

} // namespace tawara::scene
