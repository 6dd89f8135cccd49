// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme.hpp"

#include "widgets/panels/icons.hpp"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

#include <algorithm>
#include <array>
#include <utility>

namespace tawara {
namespace {

Theme theme_now = Theme::dark;

/// What the style sheet (resources/styles/window.qss) calls its colours, and the palette's.
struct Shade
{
    const char* name;
    const char *dark, *light;
};
constexpr std::array<Shade, 33> shades{{
    {"@ground", "#12151b", "#ffffff"},    {"@panel", "#181c24", "#f3f5f8"},
    {"@sunk", "#10131a", "#ffffff"},      {"@edge", "#0c0e13", "#d5dae2"},
    {"@raised", "#2a3140", "#e4e8ee"},    {"@hover", "#343d4f", "#d8dee7"},
    {"@pressed", "#3d485e", "#c9d2df"},   {"@line", "#333b49", "#c3cad5"},
    {"@text", "#dfe4ec", "#1d2430"},      {"@strong", "#ffffff", "#0b1018"},
    {"@weak", "#8d97a8", "#5b6678"},      {"@off", "#6a7383", "#9aa3b1"},
    {"@menu", "#1d222c", "#ffffff"},      {"@choice", "#33405a", "#d7e3f7"},
    {"@checked", "#2f3950", "#dce6f8"},   {"@checkedline", "#56678c", "#8ba6d6"},
    {"@focus", "#6f84b0", "#5d86d1"},     {"@status", "#0f1217", "#e9ecf1"},
    {"@stripe", "#151922", "#f6f8fb"},    {"@tip", "#262c38", "#fffdf4"},
    {"@accent", "#e2674a", "#d2522f"},    {"@accenthover", "#ef7a5d", "#e06643"},
    {"@handle", "#3a4353", "#b9c1cd"},    {"@card", "#1b2029", "#ffffff"},
    {"@link", "#7da6f0", "#1f5fbf"},      {"@errorbar", "#4a2420", "#fbdcd5"},
    {"@notebar", "#22304a", "#dce8fb"},   {"@warningbar", "#463716", "#fbeec6"},
    {"@warntext", "#f0b95a", "#8a5600"},  {"@errortext", "#ff9d88", "#b3261e"},
    {"@recordbar", "#b3261e", "#fbc9c2"}, {"@bartext", "#ffe9e2", "#2a1d18"},
    {"@theme", "dark", "light"}, // of the arrows' files
}};

QColor shade(const char* name, Theme t)
{
    for (const Shade& s : shades)
        if (qstrcmp(s.name, name) == 0)
            return QColor(QLatin1String(t == Theme::dark ? s.dark : s.light));
    return {};
}

} // namespace

Theme themeOf(const QString& text)
{
    return text == QLatin1String("light") ? Theme::light : Theme::dark;
}

QString name(Theme t)
{
    return t == Theme::light ? QStringLiteral("light") : QStringLiteral("dark");
}

Theme currentTheme()
{
    return theme_now;
}

void applyTheme(QApplication& app, Theme theme)
{
    theme_now = theme;
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    const auto c = [theme](const char* n) { return shade(n, theme); };
    QPalette p;
    p.setColor(QPalette::Window, c("@panel"));
    p.setColor(QPalette::WindowText, c("@text"));
    p.setColor(QPalette::Base, c("@ground"));
    p.setColor(QPalette::AlternateBase, c("@stripe"));
    p.setColor(QPalette::Text, c("@text"));
    p.setColor(QPalette::PlaceholderText, c("@off"));
    p.setColor(QPalette::Button, c("@raised"));
    p.setColor(QPalette::ButtonText, c("@text"));
    p.setColor(QPalette::Highlight, c("@focus"));
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::ToolTipBase, c("@tip"));
    p.setColor(QPalette::ToolTipText, c("@text"));
    p.setColor(QPalette::Link, c("@link"));
    for (auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, c("@off"));
    QApplication::setPalette(p);
    QString sheet = styleSheet(QStringLiteral("window"));
    // the longest names first: one may begin another
    auto ordered = shades;
    std::sort(ordered.begin(), ordered.end(),
              [](const Shade& a, const Shade& b) { return qstrlen(a.name) > qstrlen(b.name); });
    for (const Shade& s : ordered)
        sheet.replace(QLatin1String(s.name),
                      QLatin1String(theme == Theme::dark ? s.dark : s.light));
    app.setStyleSheet(sheet);
}

scene::SceneTheme sceneTheme(Theme t)
{
    if (t == Theme::dark)
        return {};
    scene::SceneTheme s;
    s.background_low = {0.80, 0.83, 0.87};
    s.background_high = {0.97, 0.975, 0.985};
    s.text = {0.10, 0.13, 0.18};
    return s;
}

} // namespace tawara
