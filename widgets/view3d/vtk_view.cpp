// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/vtk_view.hpp"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QStyleHints>
#include <QWheelEvent>

#include <functional>
#include <vtkCommand.h>
#include <vtkInteractorStyleTrackballCamera.h>
#include <vtkOpenGLState.h>

namespace tawara {
namespace {

/// A VTK observer that calls a function.
struct Call : vtkCommand
{
    static Call* New() { return new Call; }
    std::function<void(unsigned long, void*)> function;
    void Execute(vtkObject*, unsigned long id, void* data) override { function(id, data); }
};

constexpr int logical_dpi = 72; // VTK's font sizes count in these

} // namespace

QSurfaceFormat VtkView::defaultFormat()
{
    QSurfaceFormat f;
    f.setRenderableType(QSurfaceFormat::OpenGL);
    f.setVersion(3, 3); // a floor: drivers give their highest compatible core version
    f.setProfile(QSurfaceFormat::CoreProfile);
    f.setSwapBehavior(QSurfaceFormat::DoubleBuffer);
    f.setRedBufferSize(8);
    f.setGreenBufferSize(8);
    f.setBlueBufferSize(8);
    f.setAlphaBufferSize(8);
    f.setDepthBufferSize(24);
    f.setStencilBufferSize(8);
    f.setSamples(0);      // VTK multisamples in a framebuffer of its own
    f.setSwapInterval(0); // the GUI thread never waits for the screen
    return f;
}

bool VtkView::supported(QString* why)
{
    const auto no = [why](const QString& text) {
        if (why != nullptr)
            *why = text;
        return false;
    };
    const QString platform = QGuiApplication::platformName();
    // Qt 6.4 has no QOpenGLWidget on these, even where it can make a context.
    for (const char* p : {"offscreen", "minimal", "vnc", "linuxfb"})
        if (platform == QLatin1String(p))
            return no(
                QStringLiteral("Qt's platform \"%1\" shows no OpenGL; run with an X or Wayland "
                               "display, e.g. under xvfb-run")
                    .arg(platform));
    QOpenGLContext context;
    QOffscreenSurface surface;
    surface.create();
    if (!context.create() || !surface.isValid() || !context.makeCurrent(&surface))
        return no(QStringLiteral("no OpenGL context can be made; install Mesa's drivers "
                                 "(libgl1-mesa-dri) or a graphics driver"));
    if (context.format().version() < qMakePair(3, 3))
        return no(QStringLiteral("OpenGL 3.3 is needed, this display has %1.%2")
                      .arg(context.format().majorVersion())
                      .arg(context.format().minorVersion()));
    return true;
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
    vtkNew<Call> update;
    update->function = [this](unsigned long, void*) { this->update(); };
    m_interactor->AddObserver(vtkCommand::RenderEvent, update);
    m_interactor->Initialize();
}

void VtkView::observe()
{
    vtkNew<Call> call;
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

void VtkView::releaseGL()
{
    if (context() == nullptr || !m_window->GetReadyForRendering())
        return;
    makeCurrent();
    Q_EMIT glReleasing();
    m_window->Finalize(); // frees every OpenGL resource of the scene
    m_window->SetReadyForRendering(false);
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

void VtkView::resizeGL(int w, int h)
{
    const qreal s = devicePixelRatioF();
    const int pw = qRound(w * s), ph = qRound(h * s);
    m_window->SetDPI(logical_dpi); // texts carry the scale in their sizes
    m_window->SetSize(pw, ph);
    m_interactor->SetSize(pw, ph);
    m_interactor->InvokeEvent(vtkCommand::ConfigureEvent);
}

void VtkView::paintGL()
{
    QElapsedTimer clock;
    clock.start();
    // The scale can change without a resizeGL() (another screen; Qt 6.4 has no event for it).
    if (m_window->GetSize()[0] != qRound(width() * devicePixelRatioF()))
        resizeGL(width(), height());
    Q_EMIT aboutToRender();
    m_window->Render(); // resets VTK's state cache itself, pushes and pops the state
    // VTK leaves alpha 0 where only the background shows; Qt composites and grabs with alpha.
    auto* f = context()->functions();
    f->glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    f->glDisable(GL_SCISSOR_TEST);
    f->glClearColor(0, 0, 0, 1);
    f->glClear(GL_COLOR_BUFFER_BIT);
    f->glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    if (m_software)
        f->glFinish(); // so that the time below is that of the frame
    m_paintMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    Q_EMIT rendered();
}

QPointF VtkView::toDisplay(QPointF position) const
{
    const qreal s = devicePixelRatioF();
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
