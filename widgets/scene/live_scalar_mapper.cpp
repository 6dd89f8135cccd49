// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/live_scalar_mapper.hpp"

#include "widgets/scene/embedded.hpp"

#include <GL/gl.h>
#include <vector>
#include <vtkActor.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLBufferObject.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLHelper.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkOpenGLVertexArrayObject.h>
#include <vtkOpenGLVertexBufferObject.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProgram.h>
#include <vtkTextureObject.h>

namespace tawara::scene {
namespace {

bool translucent(vtkActor* actor)
{
    return actor->GetProperty()->GetOpacity() < 1;
}

} // namespace

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
    // VTK drops fragments of opacity 0 at the end; the wall has none, and a shader that may drop
    // its fragment cannot be spared for those that lie behind others.
    vtkShaderProgram::Substitute(fragment, "discard;", "");
    // The superclass has used up the fragment shader's Color tag; the Edges tag follows it.
    const bool layers = translucent(act);
    insert(fragment, "//VTK::Light::Dec",
           shader_part("live_scalar.frag.glsl", "declarations") +
               (layers ? shader_part("layers.frag.glsl", "declarations") : std::string()));
    insert(fragment, "//VTK::Edges::Impl",
           (layers ? shader_part("layers.frag.glsl", "main") : std::string()) +
               shader_part("live_scalar.frag.glsl", "main"));
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

void LiveScalarMapper::RenderPieceDraw(vtkRenderer* ren, vtkActor* act)
{
    if (!translucent(act))
        return this->Superclass::RenderPieceDraw(ren, act);
    FindLayer(Pass::find_first, ren, act);
    FindLayer(Pass::find_second, ren, act);
    for (const Pass pass : {Pass::draw_second, Pass::draw_first}) {
        Now = pass;
        this->Superclass::RenderPieceDraw(ren, act);
    }
}

void LiveScalarMapper::FindLayer(Pass pass, vtkRenderer* ren, vtkActor* act)
{
    Now = pass;
    auto* window = vtkOpenGLRenderWindow::SafeDownCast(ren->GetRenderWindow());
    auto* state = window->GetState();
    Layer& layer = Layers[pass == Pass::find_first ? 0 : 1];
    int part[4] = {}; // of the window, that is drawn in
    state->vtkglGetIntegerv(GL_VIEWPORT, part);
    const auto wide = static_cast<unsigned>(part[0] + part[2]),
               high = static_cast<unsigned>(part[1] + part[3]);
    if (layer.Depth->GetHandle() == 0 || layer.Depth->GetWidth() != wide ||
        layer.Depth->GetHeight() != high) {
        layer.Depth->SetContext(window);
        layer.Depth->SetMinificationFilter(vtkTextureObject::Nearest);
        layer.Depth->SetMagnificationFilter(vtkTextureObject::Nearest);
        layer.Depth->AllocateDepth(wide, high, vtkTextureObject::Float32);
    }
    state->PushFramebufferBindings();
    layer.Target->SetContext(window);
    layer.Target->Bind();
    layer.Target->AddDepthAttachment(layer.Depth);
    layer.Target->DeactivateDrawBuffers();
    layer.Target->DeactivateReadBuffer();
    state->vtkglDepthMask(GL_TRUE);
    state->vtkglClearDepth(1);
    state->vtkglClear(GL_DEPTH_BUFFER_BIT);
    this->Superclass::RenderPieceDraw(ren, act);
    state->vtkglDepthMask(GL_FALSE); // as for all that is translucent
    state->PopFramebufferBindings();
}

void LiveScalarMapper::SetLayerParameters(vtkShaderProgram* program)
{
    program->SetUniformi("livePass", static_cast<int>(Now));
    const char* names[] = {"liveFirst", "liveSecond"};
    // none is read while it is drawn
    const bool read[] = {Now != Pass::find_first, Now == Pass::draw_second};
    for (std::size_t k = 0; k < Layers.size(); ++k) {
        if (read[k])
            Layers[k].Depth->Activate();
        program->SetUniformi(names[k], (read[k] ? Layers[k].Depth : MapTexture)->GetTextureUnit());
    }
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
        if (translucent(act))
            SetLayerParameters(program);
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
    for (Layer& layer : Layers)
        if (layer.Depth->GetHandle() != 0)
            layer.Depth->Deactivate();
    this->Superclass::RenderPieceFinish(ren, act);
}

void LiveScalarMapper::ReleaseGraphicsResources(vtkWindow* window)
{
    MapTexture->ReleaseGraphicsResources(window);
    for (Layer& layer : Layers) {
        layer.Target->ReleaseGraphicsResources(window);
        layer.Depth->ReleaseGraphicsResources(window);
    }
    Values->ReleaseGraphicsResources();
    Count = 0;
    MapChanged = true;
    this->Superclass::ReleaseGraphicsResources(window);
}

} // namespace tawara::scene
