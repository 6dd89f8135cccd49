// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"

#include <array>
#include <map>
#include <span>
#include <vtkNew.h>
#include <vtkOpenGLPolyDataMapper.h>

class vtkOpenGLBufferObject;
class vtkOpenGLFramebufferObject;
class vtkShaderProgram;
class vtkTextureObject;

namespace tawara::scene {

/// Draws triangles whose colour comes from one float per vertex in an OpenGL buffer of ours,
/// through a colour map, in the fragment shader (shaders/live_scalar.*): a new colour map or range
/// costs nothing, new values cost one write to the buffer. VTK keeps geometry, clipping and
/// picking.
///
/// The buffer is a vertex attribute, so it has no size limit but memory, and whoever knows its
/// handle may write it: the host here, or a CUDA kernel that has registered it.
///
/// Where the actor is not opaque, the nearest layer of the surface is blended over the next one and
/// that over what lies behind, each with the actor's opacity; farther ones are left out. Their
/// order is that of their depth, so an opacity close to 1 looks like 1. The renderer has to blend
/// in the order of its actors (BlendingRenderer).
///
/// @thread the thread of the OpenGL context
class LiveScalarMapper : public vtkOpenGLPolyDataMapper
{
  public:
    static LiveScalarMapper* New();
    vtkTypeMacro(LiveScalarMapper, vtkOpenGLPolyDataMapper) // ends with no semicolon: -Wpedantic

        /// A spot on the wall in model coordinates [mm] with a glow from 0 to 1.
        struct Spot
    {
        float x = 0, y = 0, z = 0, radius_mm = 0, glow = 0;
    };
    static constexpr std::size_t max_flashes = 4;

    /// Values of the colour map's ends, e.g. [mV].
    void SetLiveRange(float low, float high) { Low = low, High = high; }
    void SetColorMap(const ColorMap& map);
    /// How values become colours beyond map and range. Changes cost nothing.
    struct Style
    {
        float isochrones = 0;                   ///< distance of lines of one value; 0: none
        bool cyclic = false;                    ///< values are a phase in (-pi, pi]
        bool flat = false;                      ///< values are numbers of parts: not interpolated
        bool plain = false;                     ///< no values are shown: grey all over
        float never[3] = {0.36F, 0.38F, 0.42F}; ///< colour where the value is `unset`
    };
    /// The value of a vertex that has none.
    static constexpr float unset = -1e30F;
    void SetStyle(const Style& s) { Look = s; }
    void SetFlash(std::size_t i, const Spot& s) { Flashes.at(i) = s; }
    void SetBrush(const Spot& s) { Brush = s; }

    /// Writes the buffer from the host.
    /// @pre  the context is current; one value per point of the input
    void Upload(std::span<const float> values);
    /// OpenGL name of the buffer, made with `count` floats of `rest` where it has another size.
    /// @pre  the context is current
    unsigned int GlBuffer(std::size_t count, float rest);

    /// Whether the buffer is gone with its context (or was never made).
    bool LostValues() const { return Count == 0; }

    void ReleaseGraphicsResources(vtkWindow* window) override;

  protected:
    LiveScalarMapper();
    ~LiveScalarMapper() override;
    void ReplaceShaderColor(std::map<vtkShader::Type, vtkShader*> shaders, vtkRenderer* ren,
                            vtkActor* act) override;
    void ReplaceShaderLight(std::map<vtkShader::Type, vtkShader*> shaders, vtkRenderer* ren,
                            vtkActor* act) override;
    void SetMapperShaderParameters(vtkOpenGLHelper& helper, vtkRenderer* ren,
                                   vtkActor* act) override;
    void RenderPieceDraw(vtkRenderer* ren, vtkActor* act) override;
    void RenderPieceFinish(vtkRenderer* ren, vtkActor* act) override;

  private:
    /// What a pass over the triangles of a translucent surface does.
    enum class Pass { find_first, find_second, draw_second, draw_first };
    void ActivateColorMap(vtkRenderer* ren);
    /// Draws the depth of a layer into its texture.
    void FindLayer(Pass pass, vtkRenderer* ren, vtkActor* act);
    void SetLayerParameters(vtkShaderProgram* program);

    float Low = -90, High = 40;
    Style Look;
    ColorMap Map;
    bool MapChanged = true;
    std::array<Spot, max_flashes> Flashes{};
    Spot Brush;
    vtkNew<vtkOpenGLBufferObject> Values;
    std::size_t Count = 0;
    vtkNew<vtkTextureObject> MapTexture;
    Pass Now = Pass::draw_first;
    /// Depths of the nearest layer and of the next one, a texel per pixel.
    struct Layer
    {
        vtkNew<vtkOpenGLFramebufferObject> Target;
        vtkNew<vtkTextureObject> Depth;
    };
    std::array<Layer, 2> Layers;
};

} // namespace tawara::scene
