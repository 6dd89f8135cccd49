// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/stand_in.hpp"

#include "widgets/view3d/heart_view.hpp"

#include <QElapsedTimer>
#include <QOpenGLExtraFunctions>
#include <QOpenGLFramebufferObject>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLState.h>
#include <vtkPropCollection.h>
#include <vtkRenderer.h>
#include <vtkRendererCollection.h>

namespace tawara {
namespace {

// Edges are smoothed by drawing larger: with several samples a pixel Render() would wait for the
// rasteriser.
constexpr int finer = 2;
constexpr int most_pixels = 4096; // along a side
constexpr int smaller = 4;        // pictures that are drawn for their shaders alone
constexpr int step_ms = 15;       // of preparations: the last thing in it may take as long again
constexpr int logical_dpi = 72;   // VTK's font sizes count in these

/// A VTK observer that calls a function.
struct Call : vtkCommand
{
    static Call* New() { return new Call; }
    std::function<void(unsigned long, void*)> function;
    void Execute(vtkObject*, unsigned long id, void* data) override { function(id, data); }
};

} // namespace

/// Leaves the picture in VTK's own framebuffer.
class StandIn::Window : public vtkGenericOpenGLRenderWindow
{
  public:
    static Window* New();
    vtkTypeMacro(Window, vtkGenericOpenGLRenderWindow) // with no semicolon: -Wpedantic
        void Frame() override
    {
    }

  private:
    Window() = default;
};

vtkStandardNewMacro(StandIn::Window);

StandIn::StandIn(HeartView& like) : m_scene(std::make_unique<scene::HeartScene>())
{
    m_scene->attach(m_window);
    m_shape = like.aspectRatio();
    m_scene->look_like(like.scene());
}

void StandIn::open()
{
    m_opened = true;
    m_surface.setFormat(viewFormat());
    m_surface.create();
    m_context.setFormat(viewFormat());
    if (!m_context.create() || !m_context.makeCurrent(&m_surface))
        return;
    m_window->SetReadyForRendering(true);
    m_window->SetOwnContext(0);
    m_window->SetSupportsOpenGL(1);
    m_window->SetIsDirect(1);
    m_window->SetMapped(1);
    m_window->SetDPI(logical_dpi);
    m_window->SetMultiSamples(0);
    vtkNew<Call> call;
    call->function = [this](unsigned long id, void* payload) {
        const bool current = QOpenGLContext::currentContext() == &m_context;
        if (id == vtkCommand::WindowIsCurrentEvent)
            *static_cast<bool*>(payload) = current;
        else if (!current)
            m_context.makeCurrent(&m_surface);
    };
    m_window->AddObserver(vtkCommand::WindowIsCurrentEvent, call);
    m_window->AddObserver(vtkCommand::WindowMakeCurrentEvent, call);
    m_window->OpenGLInit();
    m_context.doneCurrent();
}

bool StandIn::prepare(const Options& o)
{
    if (m_prepared)
        return true;
    if (!m_opened) {
        open();
        return false;
    }
    if (!m_context.isValid() || !m_context.makeCurrent(&m_surface))
        return m_prepared = true; // begin() says so
    QElapsedTimer spent;
    spent.start();
    if (m_hidden.empty()) { // the first step: a small picture of nothing
        const auto pose = m_scene->camera();
        const int w = std::max(64, o.size.width() / smaller),
                  h = std::max(64, o.size.height() / smaller);
        m_scene->set_annotations(o.annotations);
        m_window->SetSize(w, h);
        m_scene->prepare(w, h, o.scale / smaller);
        m_scene->set_camera(pose);
        auto* renderers = m_window->GetRenderers();
        renderers->InitTraversal();
        while (auto* r = renderers->GetNextItem()) {
            auto* props = r->GetViewProps();
            props->InitTraversal();
            while (auto* prop = props->GetNextProp())
                if (prop->GetVisibility()) {
                    prop->VisibilityOff();
                    m_hidden.push_back(prop);
                }
        }
        m_window->Render();
    }
    while (!m_hidden.empty() && spent.elapsed() < step_ms) {
        m_hidden.front()->VisibilityOn();
        m_hidden.pop_front();
        m_window->Render();
    }
    m_prepared = m_hidden.empty();
    m_context.doneCurrent();
    return m_prepared;
}

void StandIn::showAll()
{
    for (auto* prop : m_hidden)
        prop->VisibilityOn();
    m_hidden.clear();
    m_prepared = true;
}

StandIn::~StandIn()
{
    if (m_context.isValid() && m_context.makeCurrent(&m_surface)) {
        if (m_fence != nullptr)
            m_context.extraFunctions()->glDeleteSync(m_fence);
        m_small.reset();
        m_window->Finalize(); // frees every OpenGL resource of the scene
        m_window->SetReadyForRendering(false);
        m_context.doneCurrent();
    }
    m_window->RemoveAllObservers();
}

QString StandIn::begin(const Options& o, std::span<const float> values, double timeMs)
{
    if (!m_opened)
        open();
    showAll();
    if (!m_context.isValid() || !m_context.makeCurrent(&m_surface))
        return QObject::tr("No OpenGL context can be made for the pictures.");
    const int times = std::max(o.size.width(), o.size.height()) * finer > most_pixels ? 1 : finer;
    const int w = o.size.width() * times, h = o.size.height() * times;
    if (!values.empty()) {
        char text[48];
        std::snprintf(text, sizeof text, "%.1f ms", timeMs);
        m_scene->set_values(values);
        m_scene->set_time_text(text);
    }
    m_scene->set_annotations(o.annotations);
    m_window->SetSize(w, h);
    const auto pose = m_scene->camera();
    m_scene->prepare(w, h, o.scale * times);
    auto* camera = m_scene->renderer()->GetActiveCamera();
    const double angle = camera->GetViewAngle();
    if (o.keep) {
        m_scene->set_camera(pose);
        // a picture that is narrower than the screen must not lose its sides
        const double narrower = m_shape / (static_cast<double>(o.size.width()) / o.size.height());
        if (narrower > 1)
            camera->SetViewAngle(
                2 * std::atan(std::tan(angle / 2 * std::numbers::pi / 180) * narrower) * 180 /
                std::numbers::pi);
    }
    m_window->Render();
    camera->SetViewAngle(angle);
    auto* f = m_context.extraFunctions();
    if (m_fence != nullptr)
        f->glDeleteSync(m_fence);
    m_fence = f->glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    f->glFlush();
    m_context.doneCurrent();
    m_asked = o.size;
    m_made_small = false;
    return {};
}

void StandIn::makeSmall()
{
    if (!m_small || m_small->size() != m_asked)
        m_small = std::make_unique<QOpenGLFramebufferObject>(m_asked);
    const int* size = m_window->GetSize();
    auto* f = m_context.extraFunctions();
    f->glBindFramebuffer(GL_READ_FRAMEBUFFER, m_window->GetRenderFramebuffer()->GetFBOIndex());
    f->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, m_small->handle());
    f->glDisable(GL_SCISSOR_TEST);
    f->glBlitFramebuffer(0, 0, size[0], size[1], 0, m_asked.height(), m_asked.width(), 0,
                         GL_COLOR_BUFFER_BIT, GL_LINEAR); // the first row of an image is its upper
    m_window->GetState()->Reset();
    m_fence = f->glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    f->glFlush();
    m_made_small = true;
}

std::optional<QImage> StandIn::take()
{
    if (m_fence == nullptr || !m_context.makeCurrent(&m_surface))
        return QImage();
    auto* f = m_context.extraFunctions();
    if (f->glClientWaitSync(m_fence, 0, 0) == GL_TIMEOUT_EXPIRED) {
        m_context.doneCurrent();
        return {};
    }
    f->glDeleteSync(m_fence);
    m_fence = nullptr;
    if (!m_made_small) {
        makeSmall();
        m_context.doneCurrent();
        return {};
    }
    QImage image(m_small->size(), QImage::Format_RGB32);
    f->glBindFramebuffer(GL_FRAMEBUFFER, m_small->handle());
    f->glReadPixels(0, 0, image.width(), image.height(), GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
                    image.bits());
    m_window->GetState()->Reset();
    m_context.doneCurrent();
    return image;
}

} // namespace tawara
