// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QIcon>
#include <QString>

namespace tawara {

/// An icon of resources/icons in a colour, or, where none is given, in that of the application's
/// text at the time it is drawn: it follows the theme. Dimmed where disabled; sharp at every scale.
QIcon themedIcon(const QString& name, const QColor& color = {});

/// A spot of colour for a row of a list: a circle, or a square with round corners. It keeps its
/// shape in whatever room a list gives it, and is sharp at every scale.
QIcon swatchIcon(const QColor& color, bool square = false);

/// Any file of the program's resources, e.g. "guide/start.md"; empty where there is none.
QByteArray resourceFile(const QString& name);

/// The text of a style sheet of resources/styles, e.g. "dark".
QString styleSheet(const QString& name);

} // namespace tawara
