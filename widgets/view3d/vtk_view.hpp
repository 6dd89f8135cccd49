// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/view3d/gl_support.hpp"
#include "widgets/view3d/moving_detail.hpp"

#include <QElapsedTimer>
#include <QOpenGLWidget>
#include <QPointF>
#include <QTimer>
#include <qopengl.h>

#include <algorithm>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGenericRenderWindowInteractor.h>
#include <vtkNew.h>

namespace tawara {

/// A QOpenGLWidget in which VTK draws: left drag turns, wheel and right drag zoom, middle or shift
/// drag pans; a click without a drag is a signal. It draws only when draw() was called.
///
/// A graphics card draws within paintGL(). Software OpenGL takes longer than the GUI thread may be
/// held: there the picture is begun ahead, in VTK's own framebuffer, the rasteriser's threads
/// finish it while events go on, and paintGL() shows it. A view that is too slow even so (large, or
/// one of four) is drawn with fewer pixels while it moves.
///
/// @thread GUI thread
class VtkView : public QOpenGLWidget
{
    Q_OBJECT
  public:
    explicit VtkView(QWidget* parent = nullptr);
    ~VtkView() override;

    vtkGenericOpenGLRenderWindow* renderWindow();
    vtkGenericRenderWindowInteractor* interactor() { return m_interactor; }
    /// Wall time from the beginning of the last picture to its end [ms].
    double paintMilliseconds() const { return m_paintMs; }
    /// Pixels of a moving picture to those on screen, along a side; 1 on graphics cards.
    double detail() const { return m_detail.pixels(); }
    /// Draws a new picture: now, or with the next event.
    void draw();
    /// Whether a software rasteriser draws; known after the first paint.
    bool softwareRendering() const { return m_software; }
    QString glDescription() const { return m_glDescription; }
    /// VTK's framebuffer holds something else (a picture was drawn): the view draws itself again.
    /// The context is current.
    void drawAnew();
    bool dragging() const { return m_dragging; }
    /// VTK display coordinates (device pixels, origin at the bottom left) of a widget position.
    QPointF toDisplay(QPointF position) const;
    /// Device pixels of the picture being drawn to one of the widget's.
    double pixelRatio() const;
    /// Width over height of the widget; the picture's own is rounded to its pixels.
    double aspectRatio() const { return static_cast<double>(width()) / std::max(1, height()); }

  Q_SIGNALS:
    void glReady();       ///< the context is current: make OpenGL resources
    void glReleasing();   ///< the context is current: free OpenGL resources
    void aboutToRender(); ///< the context is current: write what has changed
    void rendered();      ///< the context is current: the frame is drawn
    void arrived();       ///< a picture made ahead will be shown with the next event
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
    /// The camera moved by the mouse: to be drawn.
    virtual void requestDraw() { draw(); }
    void paintEvent(QPaintEvent* e) override;
    /// The next picture has every pixel.
    void drawWhole() { m_whole = true; }
    /// Whether the picture that is being drawn is for the screen, and not grabbed.
    bool forScreen() const { return m_forScreen; }

  private:
    class Window;
    void releaseGL();
    void observe();
    bool forwardMouse(QEvent* e);
    void renderNow();
    void beginFirst();
    /// Copies the picture as showAhead() will, so that what Mesa compiles for that is there.
    void rehearse(int step);
    /// @param filter  GL_NEAREST or GL_LINEAR
    void copyAhead(int w, int h, unsigned filter);
    void beginAhead();
    void lookAhead();
    void dropAhead();
    void showAhead();
    void setSize(double detail);

    vtkNew<Window> m_window;
    vtkNew<vtkGenericRenderWindowInteractor> m_interactor;
    QPointF m_press;
    bool m_dragging = false, m_grabbed = false;
    bool m_software = false;
    double m_paintMs = 0;
    // the picture made ahead, on software OpenGL
    enum class Ahead { none, begun, arrived, shown } m_ahead = Ahead::none;
    GLsync m_fence = nullptr;
    QTimer m_look;
    QElapsedTimer m_begun;
    double m_sizeDetail = 1; // of what is drawn
    MovingDetail m_detail;   // chosen
    bool m_whole = false, m_again = false, m_painting = false, m_forScreen = false;
    // its first picture is begun with an event of its own, behind that which makes the context
    enum class First { none, due, begun, shown } m_first = First::none;
    QString m_glDescription;
};

} // namespace tawara
