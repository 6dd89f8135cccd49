// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QIcon>
#include <QString>

namespace tawara {

/// An icon of resources/icons in a colour; dimmed where disabled. Sharp at every scale factor.
QIcon themedIcon(const QString& name, const QColor& color = QColor(0xdf, 0xe4, 0xec));

/// The text of a style sheet of resources/styles, e.g. "dark".
QString styleSheet(const QString& name);

} // namespace tawara
