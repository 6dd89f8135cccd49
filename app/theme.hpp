// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;

namespace tawara {

/// Fusion style, dark palette and style sheet.
void applyTheme(QApplication& app);

} // namespace tawara
