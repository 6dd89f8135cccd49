// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/off_screen.hpp"

#include "widgets/view3d/gl_support.hpp"

#include <QOpenGLExtraFunctions>
#include <QOpenGLFramebufferObject>

#include <algorithm>
#include <functional>
#include <vtkCommand.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLState.h>

namespace tawara {
namespace {

// Edges are smoothed by drawing larger: with several samples a pixel Render() would wait for the
// rasteriser.
constexpr int larger = 2;
constexpr int most_pixels = 4096; // along a side
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
class OffScreen::Window : public vtkGenericOpenGLRenderWindow
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

vtkStandardNewMacro(OffScreen::Window);

OffScreen::OffScreen() = default;

OffScreen::~OffScreen()
{
    if (makeCurrent()) {
        if (m_fence != nullptr)
            m_context.extraFunctions()->glDeleteSync(m_fence);
        m_small.reset();
        m_window->Finalize();
        m_window->SetReadyForRendering(false);
        m_context.doneCurrent();
    }
    m_window->RemoveAllObservers();
}

vtkGenericOpenGLRenderWindow* OffScreen::window()
{
    return m_window;
}

bool OffScreen::open()
{
    if (m_opened)
        return true;
    m_opened = true;
    m_surface.setFormat(viewFormat());
    m_surface.create();
    m_context.setFormat(viewFormat());
    if (!m_context.create() || !m_context.makeCurrent(&m_surface))
        return false;
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
    return false;
}

bool OffScreen::makeCurrent()
{
    return m_context.isValid() && m_context.makeCurrent(&m_surface);
}

int OffScreen::finer(const QSize& size)
{
    return std::max(size.width(), size.height()) * larger > most_pixels ? 1 : larger;
}

void OffScreen::draw(const QSize& size)
{
    m_window->Render();
    auto* f = m_context.extraFunctions();
    if (m_fence != nullptr)
        f->glDeleteSync(m_fence);
    m_fence = f->glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    f->glFlush();
    m_context.doneCurrent();
    m_asked = size;
    m_made_small = false;
}

void OffScreen::makeSmall()
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

std::optional<QImage> OffScreen::take()
{
    if (m_fence == nullptr || !makeCurrent())
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
