// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/icons.hpp"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

#include <algorithm>
#include <utility>

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

/// An icon that is drawn anew at each size.
class DrawnEngine : public QIconEngine
{
  public:
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap map(size);
        map.fill(Qt::transparent);
        QPainter p(&map);
        paint(&p, QRect(QPoint(), size), mode, state);
        return map;
    }
};

/// Draws the icon anew each time, so that it follows the theme wherever it stands.
class ThemedEngine : public DrawnEngine
{
  public:
    ThemedEngine(QByteArray svg, const QColor& color) : m_svg(std::move(svg)), m_color(color) {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const QPalette palette = QGuiApplication::palette();
        QColor ink = m_color.isValid() ? m_color : palette.color(QPalette::WindowText);
        if (mode == QIcon::Disabled)
            ink = palette.color(QPalette::Disabled, QPalette::WindowText);
        QByteArray svg = m_svg;
        svg.replace("currentColor", ink.name(QColor::HexRgb).toLatin1());
        QSvgRenderer(svg).render(painter, rect);
    }
    QIconEngine* clone() const override { return new ThemedEngine(*this); }

  private:
    QByteArray m_svg;
    QColor m_color;
};

class SwatchEngine : public DrawnEngine
{
  public:
    SwatchEngine(const QColor& color, bool square) : m_color(color), m_square(square) {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode, QIcon::State) override
    {
        const double side = 0.68 * std::min(rect.width(), rect.height());
        const QPointF o = QRectF(rect).center();
        const QRectF r(o.x() - side / 2, o.y() - side / 2, side, side);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_color);
        if (m_square)
            painter->drawRoundedRect(r, side / 4, side / 4);
        else
            painter->drawEllipse(r);
        painter->restore();
    }
    QIconEngine* clone() const override { return new SwatchEngine(*this); }

  private:
    QColor m_color;
    bool m_square;
};

} // namespace

QIcon themedIcon(const QString& name, const QColor& color)
{
    return QIcon(new ThemedEngine(read(QStringLiteral(":/icons/%1.svg").arg(name)), color));
}

QIcon swatchIcon(const QColor& color, bool square)
{
    return QIcon(new SwatchEngine(color, square));
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
