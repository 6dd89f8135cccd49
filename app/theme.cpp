// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme.hpp"

#include "widgets/panels/icons.hpp"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

namespace tawara {

void applyTheme(QApplication& app)
{
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QPalette p;
    p.setColor(QPalette::Window, QColor(0x18, 0x1c, 0x24));
    p.setColor(QPalette::WindowText, QColor(0xdf, 0xe4, 0xec));
    p.setColor(QPalette::Base, QColor(0x12, 0x15, 0x1b));
    p.setColor(QPalette::AlternateBase, QColor(0x1d, 0x22, 0x2c));
    p.setColor(QPalette::Text, QColor(0xdf, 0xe4, 0xec));
    p.setColor(QPalette::PlaceholderText, QColor(0x6a, 0x73, 0x83));
    p.setColor(QPalette::Button, QColor(0x2a, 0x31, 0x40));
    p.setColor(QPalette::ButtonText, QColor(0xdf, 0xe4, 0xec));
    p.setColor(QPalette::Highlight, QColor(0x45, 0x59, 0x8a));
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::ToolTipBase, QColor(0x26, 0x2c, 0x38));
    p.setColor(QPalette::ToolTipText, QColor(0xe8, 0xec, 0xf3));
    p.setColor(QPalette::Link, QColor(0x7d, 0xa6, 0xf0));
    p.setColor(QPalette::Disabled, QPalette::Text, QColor(0x6a, 0x73, 0x83));
    p.setColor(QPalette::Disabled, QPalette::WindowText, QColor(0x6a, 0x73, 0x83));
    p.setColor(QPalette::Disabled, QPalette::ButtonText, QColor(0x6a, 0x73, 0x83));
    QApplication::setPalette(p);
    app.setStyleSheet(styleSheet(QStringLiteral("dark")));
}

} // namespace tawara
