// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QOffscreenSurface>
#include <QOpenGLContext>

#include <memory>
#include <optional>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>

class QOpenGLFramebufferObject;

namespace tawara {

/// A render window in an OpenGL context of its own, beside the screen. Where software draws, nobody
/// waits for it: draw() hands the picture to the rasteriser's threads, take() fetches it when it is
/// there.
///
/// @thread GUI thread
class OffScreen
{
  public:
    OffScreen();
    ~OffScreen(); ///< frees every OpenGL resource of what was drawn
    OffScreen(const OffScreen&) = delete;
    OffScreen& operator=(const OffScreen&) = delete;

    vtkGenericOpenGLRenderWindow* window();
    /// Makes the context, once. @return whether it had been made before
    bool open();
    /// @return false where there is none
    bool makeCurrent();
    void doneCurrent() { m_context.doneCurrent(); }
    /// How many times larger than a picture it is drawn along a side, so that edges are smooth.
    static int finer(const QSize& size);
    /// Begins a picture of that size, of what the window shows at finer() times the size.
    /// @pre  the context is current; it no longer is then
    void draw(const QSize& size);
    /// The picture, once it is there; null when it was lost.
    std::optional<QImage> take();

  private:
    class Window;
    /// Begins to bring what was drawn to the size asked for, where it was drawn: a quarter of the
    /// bytes is left to fetch.
    void makeSmall();

    QOffscreenSurface m_surface;
    QOpenGLContext m_context;
    vtkNew<Window> m_window;
    bool m_opened = false;
    std::unique_ptr<QOpenGLFramebufferObject> m_small; // of the size asked for
    QSize m_asked;
    bool m_made_small = false;
    GLsync m_fence = nullptr; // behind what was begun last
};

} // namespace tawara
