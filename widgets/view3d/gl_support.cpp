// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/gl_support.hpp"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>

namespace tawara {

QSurfaceFormat viewFormat()
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

bool viewsSupported(QString* why)
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

} // namespace tawara
