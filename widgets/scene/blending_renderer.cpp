// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/blending_renderer.hpp"

#include <vtkObjectFactory.h>

namespace tawara::scene {

vtkStandardNewMacro(BlendingRenderer);

void BlendingRenderer::DeviceRenderTranslucentPolygonalGeometry(vtkFrameBufferObjectBase* /*fbo*/)
{
    UpdateTranslucentPolygonalGeometry();
}

} // namespace tawara::scene
