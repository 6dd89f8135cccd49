// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/icons.hpp"

#include <QFile>
#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

// Q_INIT_RESOURCE has to stand outside of any namespace; a static library needs it.
static void initTawaraResources()
{
    Q_INIT_RESOURCE(tawara);
}

namespace tawara {
namespace {

QByteArray read(const QString& path)
{
    static const bool once = (initTawaraResources(), true);
    Q_UNUSED(once)
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

QPixmap drawn(QByteArray svg, const QColor& color, int side)
{
    svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
    QSvgRenderer renderer(svg);
    QPixmap map(side, side);
    map.fill(Qt::transparent);
    QPainter p(&map);
    renderer.render(&p);
    return map;
}

} // namespace

QIcon themedIcon(const QString& name, const QColor& color)
{
    const QByteArray svg = read(QStringLiteral(":/icons/%1.svg").arg(name));
    const QColor ink =
        color.isValid() ? color : QGuiApplication::palette().color(QPalette::WindowText);
    const QColor dim = QGuiApplication::palette().color(QPalette::Disabled, QPalette::WindowText);
    QIcon icon;
    for (int side : {16, 20, 24, 32, 48, 64}) {
        icon.addPixmap(drawn(svg, ink, side));
        icon.addPixmap(drawn(svg, dim, side), QIcon::Disabled);
    }
    return icon;
}

QByteArray resourceFile(const QString& name)
{
    return read(QStringLiteral(":/") + name);
}

QString styleSheet(const QString& name)
{
    return QString::fromUtf8(read(QStringLiteral(":/styles/%1.qss").arg(name)));
}

} // namespace tawara
