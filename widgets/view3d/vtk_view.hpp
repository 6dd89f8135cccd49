// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QOpenGLWidget>
#include <QPointF>
#include <QSurfaceFormat>

#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGenericRenderWindowInteractor.h>
#include <vtkNew.h>

namespace tawara {

/// A QOpenGLWidget in which VTK draws: left drag turns, wheel and right drag zoom, middle or shift
/// drag pans; a click without a drag is a signal. It draws only when update() was called.
///
/// @thread GUI thread
class VtkView : public QOpenGLWidget
{
    Q_OBJECT
  public:
    /// To be set by QSurfaceFormat::setDefaultFormat() before the QApplication is made.
    static QSurfaceFormat defaultFormat();
    /// Whether a QOpenGLWidget with OpenGL 3.3 can be shown here; on some platforms showing one
    /// crashes Qt, so ask before making one. `why` then says what is missing.
    static bool supported(QString* why = nullptr);

    explicit VtkView(QWidget* parent = nullptr);
    ~VtkView() override;

    vtkGenericOpenGLRenderWindow* renderWindow() { return m_window; }
    vtkGenericRenderWindowInteractor* interactor() { return m_interactor; }
    /// Wall time of the last paintGL() [ms].
    double paintMilliseconds() const { return m_paintMs; }
    /// Whether a software rasteriser draws; known after the first paint.
    bool softwareRendering() const { return m_software; }
    QString glDescription() const { return m_glDescription; }
    bool dragging() const { return m_dragging; }
    /// VTK display coordinates (device pixels, origin at the bottom left) of a widget position.
    QPointF toDisplay(QPointF position) const;

  Q_SIGNALS:
    void glReady();       ///< the context is current: make OpenGL resources
    void glReleasing();   ///< the context is current: free OpenGL resources
    void aboutToRender(); ///< the context is current: write what has changed
    void rendered();      ///< the context is current: the frame is drawn
    void clicked(QPointF position, Qt::KeyboardModifiers modifiers); ///< widget coordinates
    void hovered(QPointF position); ///< mouse moved, no button down
    void left();                    ///< mouse went away
    void interacted();              ///< a drag or the wheel may have moved the camera

  protected:
    void initializeGL() override;
    void resizeGL(int w, int h) override;
    void paintGL() override;
    bool event(QEvent* e) override;

    /// A left button went down: true takes the drag away from the camera; grabbedMove() and
    /// grabbedRelease() follow, and clicked() does not.
    virtual bool grabsPress(QPointF position, Qt::KeyboardModifiers modifiers);
    virtual void grabbedMove(QPointF position, Qt::KeyboardModifiers modifiers);
    virtual void grabbedRelease(QPointF position, bool dragged);

  private:
    void releaseGL();
    void observe();
    bool forwardMouse(QEvent* e);

    vtkNew<vtkGenericOpenGLRenderWindow> m_window;
    vtkNew<vtkGenericRenderWindowInteractor> m_interactor;
    QPointF m_press;
    bool m_dragging = false, m_grabbed = false;
    bool m_software = false;
    double m_paintMs = 0;
    QString m_glDescription;
};

} // namespace tawara
