// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QSurfaceFormat>

namespace tawara {

/// The format of views; to be set by QSurfaceFormat::setDefaultFormat() before the QApplication is
/// made.
QSurfaceFormat viewFormat();
/// Whether a QOpenGLWidget with OpenGL 3.3 can be shown here; on some platforms showing one crashes
/// Qt, so ask before making one. `why` then says what is missing.
bool viewsSupported(QString* why = nullptr);

} // namespace tawara
