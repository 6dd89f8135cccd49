// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/live_scalar_mapper.hpp"

#include "widgets/scene/embedded.hpp"

#include <vector>
#include <vtkObjectFactory.h>
#include <vtkOpenGLBufferObject.h>
#include <vtkOpenGLHelper.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLVertexArrayObject.h>
#include <vtkOpenGLVertexBufferObject.h>
#include <vtkRenderer.h>
#include <vtkShaderProgram.h>
#include <vtkTextureObject.h>

namespace tawara::scene {

vtkStandardNewMacro(LiveScalarMapper);

LiveScalarMapper::LiveScalarMapper() : Map(color_map({}))
{
    this->ScalarVisibilityOff(); // VTK maps and uploads no colours of its own
    // the shaders compare places with model coordinates [mm], which shifting would change
    this->SetVBOShiftScaleMethod(vtkOpenGLVertexBufferObject::DISABLE_SHIFT_SCALE);
}

LiveScalarMapper::~LiveScalarMapper() = default;

void LiveScalarMapper::SetColorMap(const ColorMap& map)
{
    Map = map;
    MapChanged = true;
}

void LiveScalarMapper::Upload(std::span<const float> values)
{
    Values->Upload(values.data(), values.size(), vtkOpenGLBufferObject::ArrayBuffer);
    Count = values.size();
}

unsigned int LiveScalarMapper::GlBuffer(std::size_t count, float rest)
{
    if (Count != count)
        Upload(std::vector<float>(count, rest));
    return static_cast<unsigned int>(Values->GetHandle());
}

void LiveScalarMapper::ReplaceShaderColor(std::map<vtkShader::Type, vtkShader*> shaders,
                                          vtkRenderer* ren, vtkActor* act)
{
    this->Superclass::ReplaceShaderColor(shaders, ren, act);
    std::string vertex = shaders[vtkShader::Vertex]->GetSource();
    std::string fragment = shaders[vtkShader::Fragment]->GetSource();
    auto insert = [](std::string& source, const char* tag, const std::string& piece) {
        vtkShaderProgram::Substitute(source, tag, piece + tag, false);
    };
    insert(vertex, "//VTK::ValuePass::Dec", shader_part("live_scalar.vert.glsl", "declarations"));
    insert(vertex, "//VTK::ValuePass::Impl", shader_part("live_scalar.vert.glsl", "main"));
    // The superclass has used up the fragment shader's Color tag; the Edges tag follows it.
    insert(fragment, "//VTK::Light::Dec", shader_part("live_scalar.frag.glsl", "declarations"));
    insert(fragment, "//VTK::Edges::Impl", shader_part("live_scalar.frag.glsl", "main"));
    // VTK drops fragments of opacity 0 at the end; the wall has none, and a shader that may drop
    // its fragment cannot be spared for those that lie behind others.
    vtkShaderProgram::Substitute(fragment, "discard;", "");
    shaders[vtkShader::Vertex]->SetSource(vertex);
    shaders[vtkShader::Fragment]->SetSource(fragment);
}

void LiveScalarMapper::ReplaceShaderLight(std::map<vtkShader::Type, vtkShader*> shaders,
                                          vtkRenderer*, vtkActor*)
{
    std::string fragment = shaders[vtkShader::Fragment]->GetSource();
    vtkShaderProgram::Substitute(fragment, "//VTK::Light::Impl",
                                 shader_part("wall_light.frag.glsl", "main") + "//VTK::Light::Impl",
                                 false);
    shaders[vtkShader::Fragment]->SetSource(fragment);
}

void LiveScalarMapper::ActivateColorMap(vtkRenderer* ren)
{
    if (MapChanged || MapTexture->GetHandle() == 0) {
        std::vector<unsigned char> rgb;
        rgb.reserve(3 * Map.colors.size());
        for (const auto& c : Map.colors)
            rgb.insert(rgb.end(), c.begin(), c.end());
        MapTexture->SetContext(vtkOpenGLRenderWindow::SafeDownCast(ren->GetRenderWindow()));
        MapTexture->SetMinificationFilter(vtkTextureObject::Linear);
        MapTexture->SetMagnificationFilter(vtkTextureObject::Linear);
        MapTexture->SetWrapS(vtkTextureObject::ClampToEdge);
        MapTexture->SetWrapT(vtkTextureObject::ClampToEdge);
        MapTexture->Create2DFromRaw(static_cast<unsigned>(Map.colors.size()), 1, 3,
                                    VTK_UNSIGNED_CHAR, rgb.data());
        MapChanged = false;
    }
    MapTexture->Activate();
}

void LiveScalarMapper::SetMapperShaderParameters(vtkOpenGLHelper& helper, vtkRenderer* ren,
                                                 vtkActor* act)
{
    this->Superclass::SetMapperShaderParameters(helper, ren, act);
    auto* program = helper.Program;
    if (program->IsAttributeUsed("liveValue")) {
        helper.VAO->Bind();
        helper.VAO->AddAttributeArray(program, Values, "liveValue", 0, sizeof(float), VTK_FLOAT, 1,
                                      false);
    }
    if (program->IsUniformUsed("liveLut")) {
        ActivateColorMap(ren);
        program->SetUniformi("liveLut", MapTexture->GetTextureUnit());
        const float range[2] = {Low, High};
        program->SetUniform2f("liveRange", range);
        program->SetUniform3f("liveNever", Look.never);
        program->SetUniformi("liveIsochrones", Look.isochrones > 0 && !Look.plain ? 1 : 0);
        program->SetUniformf("liveStep", Look.isochrones > 0 ? Look.isochrones : 1.0F);
        program->SetUniformi("liveCyclic", Look.cyclic ? 1 : 0);
        program->SetUniformi("liveFlat", Look.flat ? 1 : 0);
        program->SetUniformi("livePlain", Look.plain ? 1 : 0);
    }
    float places[max_flashes + 1][4] = {};
    float glows[max_flashes + 1] = {};
    int spots = 0;
    const auto add = [&](const Spot& s) {
        const auto i = static_cast<std::size_t>(spots++);
        places[i][0] = s.x, places[i][1] = s.y, places[i][2] = s.z, places[i][3] = s.radius_mm;
        glows[i] = s.glow;
    };
    const bool brush = Brush.radius_mm > 0;
    if (brush)
        add(Brush);
    for (const Spot& s : Flashes)
        if (s.glow > 0)
            add(s);
    program->SetUniformi("liveSpots", spots);
    program->SetUniformi("liveBrush", brush ? 1 : 0);
    program->SetUniform4fv("liveSpot", static_cast<int>(max_flashes + 1), places);
    program->SetUniform1fv("liveSpotGlow", static_cast<int>(max_flashes + 1), glows);
}

void LiveScalarMapper::RenderPieceFinish(vtkRenderer* ren, vtkActor* act)
{
    if (MapTexture->GetHandle() != 0)
        MapTexture->Deactivate();
    this->Superclass::RenderPieceFinish(ren, act);
}

void LiveScalarMapper::ReleaseGraphicsResources(vtkWindow* window)
{
    MapTexture->ReleaseGraphicsResources(window);
    Values->ReleaseGraphicsResources();
    Count = 0;
    MapChanged = true;
    this->Superclass::ReleaseGraphicsResources(window);
}

} // namespace tawara::scene
