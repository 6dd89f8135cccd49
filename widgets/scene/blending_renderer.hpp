// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vtkOpenGLRenderer.h>

namespace tawara::scene {

/// Blends what is translucent over what is there, in the order of its actors; they see to the order
/// of their own layers. VTK's pass for translucent surfaces weights all layers alike, so that the
/// farther ones show through one that is nearly opaque, and copies the depth of the whole window,
/// which waits until a software rasteriser is done.
class BlendingRenderer : public vtkOpenGLRenderer
{
  public:
    static BlendingRenderer* New();
    vtkTypeMacro(BlendingRenderer, vtkOpenGLRenderer) // with no semicolon: -Wpedantic
        void DeviceRenderTranslucentPolygonalGeometry(vtkFrameBufferObjectBase* fbo) override;

  protected:
    BlendingRenderer() = default;
    ~BlendingRenderer() override = default;
};

} // namespace tawara::scene
