// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/vtk_view.hpp"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QOpenGLContext>
#include <QOpenGLExtraFunctions>
#include <QOpenGLFunctions>
#include <QStyleHints>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vtkCommand.h>
#include <vtkInteractorStyleTrackballCamera.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLState.h>

namespace tawara {
namespace {

/// A VTK observer that calls a function.
struct Calling : vtkCommand
{
    static Calling* New() { return new Calling; }
    std::function<void(unsigned long, void*)> function;
    void Execute(vtkObject*, unsigned long id, void* data) override { function(id, data); }
};

constexpr int text_dpi = 72;  // VTK's font sizes count in these
constexpr int stale_ms = 250; // a picture that nobody showed by then need not be waited for

} // namespace

/// VTK's window; where told, it leaves a picture in its own framebuffer. Copying it on would wait
/// for the rasteriser.
class VtkView::Window : public vtkGenericOpenGLRenderWindow
{
  public:
    static Window* New();
    vtkTypeMacro(Window, vtkGenericOpenGLRenderWindow) // with no semicolon: -Wpedantic
        bool keep = false;

    void Frame() override
    {
        if (!keep)
            this->Superclass::Frame();
    }

  private:
    Window() = default;
};

vtkStandardNewMacro(VtkView::Window);

vtkGenericOpenGLRenderWindow* VtkView::renderWindow()
{
    return m_window;
}

VtkView::VtkView(QWidget* parent) : QOpenGLWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setUpdateBehavior(QOpenGLWidget::NoPartialUpdate);

    m_window->SetReadyForRendering(false); // until initializeGL()
    m_window->SetOwnContext(0);
    m_window->SetSupportsOpenGL(1);
    m_window->SetIsDirect(1);
    m_window->SetMapped(1);
    m_window->SetMultiSamples(0);                // initializeGL() knows better
    m_window->SetFrameBlitModeToBlitToCurrent(); // into the widget's own framebuffer
    observe();

    m_interactor->SetRenderWindow(m_window);
    m_interactor->EnableRenderOff(); // a render request becomes a Qt update
    vtkNew<vtkInteractorStyleTrackballCamera> style;
    m_interactor->SetInteractorStyle(style);
    vtkNew<Calling> update;
    update->function = [this](unsigned long, void*) { requestDraw(); };
    m_interactor->AddObserver(vtkCommand::RenderEvent, update);
    m_interactor->Initialize();
    m_look.setTimerType(Qt::PreciseTimer);
    m_look.setInterval(1);
    connect(&m_look, &QTimer::timeout, this, &VtkView::lookAhead);
}

void VtkView::observe()
{
    vtkNew<Calling> call;
    call->function = [this](unsigned long id, void* payload) {
        const bool current = context() != nullptr && QOpenGLContext::currentContext() == context();
        if (id == vtkCommand::WindowIsCurrentEvent) {
            *static_cast<bool*>(payload) = current;
        } else if (context() != nullptr && !current) {
            makeCurrent();                 // binds the widget's framebuffer as well,
            m_window->GetState()->Reset(); // behind the back of VTK's cache
        }
    };
    m_window->AddObserver(vtkCommand::WindowIsCurrentEvent, call);
    m_window->AddObserver(vtkCommand::WindowMakeCurrentEvent, call);
}

VtkView::~VtkView()
{
    // ~QOpenGLWidget destroys the context and emits aboutToBeDestroyed when our members are gone.
    if (context() != nullptr)
        disconnect(context(), nullptr, this, nullptr);
    releaseGL();
    m_interactor->RemoveAllObservers();
    m_window->RemoveAllObservers();
    m_interactor->SetRenderWindow(nullptr);
}

void VtkView::drawAnew()
{
    dropAhead();
    update();
}

void VtkView::releaseGL()
{
    if (context() == nullptr || !m_window->GetReadyForRendering())
        return;
    makeCurrent();
    dropAhead();
    Q_EMIT glReleasing();
    m_window->Finalize(); // frees every OpenGL resource of the scene
    m_window->SetReadyForRendering(false);
    m_first = First::none;
    doneCurrent();
}

void VtkView::initializeGL()
{
    // Reparenting to another top-level window destroys and recreates the context.
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &VtkView::releaseGL,
            Qt::UniqueConnection);
    auto* f = context()->functions();
    const auto text = [f](GLenum name) {
        const auto* s = reinterpret_cast<const char*>(f->glGetString(name));
        return QString::fromLatin1(s != nullptr ? s : "");
    };
    const QString renderer = text(GL_RENDERER);
    m_software = renderer.contains(QLatin1String("llvmpipe"), Qt::CaseInsensitive) ||
                 renderer.contains(QLatin1String("softpipe"), Qt::CaseInsensitive) ||
                 renderer.contains(QLatin1String("swrast"), Qt::CaseInsensitive);
    m_glDescription = renderer + QStringLiteral(", OpenGL ") + text(GL_VERSION).section(' ', 0, 0);
    m_window->SetMultiSamples(m_software ? 0 : 4); // three to four times the cost in software
    m_window->SetReadyForRendering(true);
    m_window->OpenGLInit();
    Q_EMIT glReady();
}

void VtkView::setSize(double detail)
{
    const qreal s = devicePixelRatioF();
    const int w = std::max(1, qRound(width() * s * detail)),
              h = std::max(1, qRound(height() * s * detail));
    m_sizeDetail = detail;
    const std::array before{m_window->GetSize()[0], m_window->GetSize()[1]};
    if (before == std::array{w, h})
        return;
    // a drag goes on from the same place, which has other coordinates now
    if (const int* at = m_interactor->GetEventPosition(); before[0] > 0 && before[1] > 0)
        m_interactor->SetEventPosition(qRound(at[0] * (static_cast<double>(w) / before[0])),
                                       qRound(at[1] * (static_cast<double>(h) / before[1])));
    m_window->SetDPI(text_dpi); // texts carry the scale in their sizes
    m_window->SetSize(w, h);
    m_interactor->SetSize(w, h);
    m_interactor->InvokeEvent(vtkCommand::ConfigureEvent);
}

double VtkView::pixelRatio() const
{
    return devicePixelRatioF() * m_sizeDetail;
}

void VtkView::resizeGL(int, int)
{
    if (m_ahead == Ahead::none)
        setSize(1);
    else
        draw(); // the old picture is stretched until the new one is there
}

void VtkView::draw()
{
    if (m_first == First::due)
        return; // it has all that changed
    if (m_software && m_ahead != Ahead::none && isVisible())
        beginAhead();
    else
        update();
}

void VtkView::paintEvent(QPaintEvent* e)
{
    m_painting = true; // not grabbed
    QOpenGLWidget::paintEvent(e);
    m_painting = false;
}

void VtkView::beginFirst()
{
    if (m_first != First::due)
        return;
    m_first = First::begun;
    if (m_ahead == Ahead::none && m_window->GetReadyForRendering())
        beginAhead();
}

void VtkView::paintGL()
{
    if (m_software && m_painting && m_first == First::none) {
        m_first = First::due;
        QTimer::singleShot(0, this, &VtkView::beginFirst);
    }
    const bool coming =
        m_first == First::due || (m_first == First::begun && m_ahead != Ahead::none);
    if (m_painting && coming) { // nothing is there yet
        const QColor ground = palette().color(QPalette::Base);
        context()->functions()->glClearColor(ground.redF(), ground.greenF(), ground.blueF(), 1);
        context()->functions()->glClear(GL_COLOR_BUFFER_BIT);
        return;
    }
    if (m_painting && m_ahead != Ahead::none)
        showAhead();
    else
        renderNow();
    // VTK leaves alpha 0 where only the background shows; Qt composites and grabs with alpha.
    auto* f = context()->functions();
    f->glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    f->glDisable(GL_SCISSOR_TEST);
    f->glClearColor(0, 0, 0, 1);
    f->glClear(GL_COLOR_BUFFER_BIT);
    f->glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    Q_EMIT rendered();
    if (m_again)
        QTimer::singleShot(0, this, &VtkView::draw);
}

void VtkView::renderNow()
{
    QElapsedTimer clock;
    clock.start();
    dropAhead();
    // The scale can change without a resizeGL() (another screen; Qt 6.4 has no event for it).
    setSize(1);
    m_whole = false;
    m_forScreen = m_painting;
    Q_EMIT aboutToRender();
    m_window->Render(); // resets VTK's state cache itself, pushes and pops the state
    if (m_software) {
        context()->functions()->glFinish(); // so that the time below is that of the frame
        if (m_painting)
            m_ahead = Ahead::shown; // it lies in VTK's framebuffer as well
        else
            QTimer::singleShot(0, this, [this] { update(); }); // grabbed: the screen has its own
    }
    m_paintMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void VtkView::beginAhead()
{
    // one at a time; what arrived is shown first, unless nobody looks
    if (m_ahead == Ahead::begun || (m_ahead == Ahead::arrived && m_begun.elapsed() < stale_ms)) {
        m_again = true;
        return;
    }
    m_again = false;
    m_begun.start();
    makeCurrent();
    const bool whole = std::exchange(m_whole, false);
    setSize(whole ? 1 : detail());
    m_forScreen = true;
    Q_EMIT aboutToRender();
    m_window->keep = true;
    m_window->Render();
    m_window->keep = false; // pictures are drawn with the same window
    auto* f = context()->extraFunctions();
    m_fence = f->glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    f->glFlush();
    doneCurrent();
    m_ahead = Ahead::begun;
    m_look.start();
}

void VtkView::lookAhead()
{
    if (m_fence == nullptr)
        return m_look.stop();
    makeCurrent();
    auto* f = context()->extraFunctions();
    const auto state = f->glClientWaitSync(m_fence, 0, 0);
    if (state == GL_TIMEOUT_EXPIRED)
        return doneCurrent();
    f->glDeleteSync(m_fence);
    m_fence = nullptr;
    doneCurrent();
    m_look.stop();
    m_ahead = Ahead::arrived;
    m_paintMs = static_cast<double>(m_begun.nsecsElapsed()) / 1e6;
    // not one that is drawn whole for once; a drag counts in the picture's pixels
    if (m_sizeDetail == detail() && QGuiApplication::mouseButtons() == Qt::NoButton)
        m_detail.took(m_paintMs);
    if (m_first == First::begun)
        return rehearse(0);
    Q_EMIT arrived();
    update();
}

void VtkView::rehearse(int step)
{
    // A copy of the same size may be drawn or not, as Mesa sees fit; one of another size is drawn
    // by the same code. Each filter has code of its own.
    static constexpr std::array<unsigned, 2> filters{GL_NEAREST, GL_LINEAR};
    m_first = First::shown;
    if (m_ahead == Ahead::arrived) {
        makeCurrent();
        const int* from = m_window->GetSize();
        copyAhead(from[0] - 1, from[1] - 1, filters.at(static_cast<std::size_t>(step)));
        context()->functions()->glFlush();
        doneCurrent();
    }
    QTimer::singleShot(0, this, [this, step] { // each takes as long as an event may
        if (step + 1 < static_cast<int>(filters.size()))
            return rehearse(step + 1);
        Q_EMIT arrived();
        update();
    });
}

void VtkView::dropAhead()
{
    m_look.stop();
    if (m_fence != nullptr)
        context()->extraFunctions()->glDeleteSync(m_fence);
    m_fence = nullptr;
    m_ahead = Ahead::none;
}

void VtkView::showAhead()
{
    const qreal s = devicePixelRatioF();
    const int w = qRound(width() * s), h = qRound(height() * s);
    const int* from = m_window->GetSize();
    copyAhead(w, h, from[0] == w && from[1] == h ? GL_NEAREST : GL_LINEAR);
    if (m_ahead == Ahead::arrived)
        m_ahead = Ahead::shown;
}

void VtkView::copyAhead(int w, int h, unsigned filter)
{
    auto* f = context()->extraFunctions();
    auto* made = m_window->GetRenderFramebuffer();
    const int* from = m_window->GetSize();
    f->glBindFramebuffer(GL_READ_FRAMEBUFFER, made->GetFBOIndex());
    f->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, defaultFramebufferObject());
    f->glDisable(GL_SCISSOR_TEST);
    f->glBlitFramebuffer(0, 0, from[0], from[1], 0, 0, w, h, GL_COLOR_BUFFER_BIT, filter);
    f->glBindFramebuffer(GL_FRAMEBUFFER, defaultFramebufferObject());
    m_window->GetState()->Reset(); // it went behind VTK's back
}

QPointF VtkView::toDisplay(QPointF position) const
{
    const double s = pixelRatio();
    return {position.x() * s, height() * s - 1 - position.y() * s};
}

bool VtkView::event(QEvent* e)
{
    switch (e->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseMove:
    case QEvent::Wheel:
        if (forwardMouse(e))
            return true;
        break;
    case QEvent::Leave:
        Q_EMIT left();
        break;
    default:
        break;
    }
    return QOpenGLWidget::event(e);
}

bool VtkView::grabsPress(QPointF, Qt::KeyboardModifiers)
{
    return false;
}
void VtkView::grabbedMove(QPointF, Qt::KeyboardModifiers) {}
void VtkView::grabbedRelease(QPointF, bool) {}

bool VtkView::forwardMouse(QEvent* e)
{
    auto* i = m_interactor.Get();
    const auto place = [&](QPointF p, Qt::KeyboardModifiers m) {
        const QPointF d = toDisplay(p);
        i->SetEventInformation(qRound(d.x()), qRound(d.y()), m.testFlag(Qt::ControlModifier),
                               m.testFlag(Qt::ShiftModifier));
        i->SetAltKey(m.testFlag(Qt::AltModifier));
    };
    if (const auto* w = dynamic_cast<QWheelEvent*>(e)) {
        place(w->position(), w->modifiers());
        if (w->angleDelta().y() > 0)
            i->MouseWheelForwardEvent();
        else if (w->angleDelta().y() < 0)
            i->MouseWheelBackwardEvent();
        Q_EMIT interacted();
        return true;
    }
    const auto* m = dynamic_cast<QMouseEvent*>(e);
    if (m == nullptr)
        return false;
    place(m->position(), m->modifiers());
    if (e->type() == QEvent::MouseMove) {
        const auto far = QGuiApplication::styleHints()->startDragDistance();
        if (m->buttons() == Qt::NoButton)
            Q_EMIT hovered(m->position());
        else if ((m->position() - m_press).manhattanLength() >= far)
            m_dragging = true;
        if (m_grabbed) {
            grabbedMove(m->position(), m->modifiers());
            return true;
        }
        i->MouseMoveEvent();
        if (m->buttons() != Qt::NoButton)
            Q_EMIT interacted();
        return true;
    }
    const bool down = e->type() != QEvent::MouseButtonRelease;
    if (down) {
        m_press = m->position();
        m_dragging = false;
        if (m->button() == Qt::LeftButton && grabsPress(m->position(), m->modifiers())) {
            m_grabbed = true;
            return true;
        }
    } else if (m_grabbed && m->button() == Qt::LeftButton) {
        m_grabbed = false;
        grabbedRelease(m->position(), m_dragging);
        m_dragging = false;
        return true;
    }
    switch (m->button()) {
    case Qt::LeftButton:
        down ? i->LeftButtonPressEvent() : i->LeftButtonReleaseEvent();
        if (!down && !m_dragging)
            Q_EMIT clicked(m->position(), m->modifiers());
        break;
    case Qt::MiddleButton:
        down ? i->MiddleButtonPressEvent() : i->MiddleButtonReleaseEvent();
        break;
    case Qt::RightButton:
        down ? i->RightButtonPressEvent() : i->RightButtonReleaseEvent();
        break;
    default:
        break;
    }
    if (!down)
        m_dragging = false;
    return true;
}

} // namespace tawara
