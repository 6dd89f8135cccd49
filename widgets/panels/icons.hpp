// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QIcon>
#include <QString>

namespace tawara {

/// An icon of resources/icons in a colour, or in that of the application's text now where none is
/// given; dimmed where disabled. Sharp at every scale factor.
QIcon themedIcon(const QString& name, const QColor& color = {});

/// Any file of the program's resources, e.g. "guide/start.md"; empty where there is none.
QByteArray resourceFile(const QString& name);

/// The text of a style sheet of resources/styles, e.g. "dark".
QString styleSheet(const QString& name);

} // namespace tawara
