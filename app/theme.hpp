// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/heart_scene.hpp"

#include <QString>

class QApplication;

namespace tawara {

enum class Theme { dark, light };
/// "dark" or "light"; dark for anything else.
Theme themeOf(const QString& name);
QString name(Theme t);

/// Fusion style, palette and style sheet; may be called again to change the theme.
void applyTheme(QApplication& app, Theme theme = Theme::dark);
Theme currentTheme();
/// Colours of the view that go with it.
scene::SceneTheme sceneTheme(Theme t);

} // namespace tawara
