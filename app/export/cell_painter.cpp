// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/cell_painter.hpp"

#include "widgets/view3d/dyad_view.hpp"
#include "widgets/view3d/picture.hpp"

#include <QPainter>
#include <QPalette>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr int least_pixels = 16; // of the dyads' picture, along a side
constexpr double line = 1.9;     // of text, in its height

} // namespace

CellPainter::CellPainter(std::shared_ptr<const simulation::DyadRecording> cell, DyadView& like,
                         DyadQuantity quantity)
    : m_cell(std::move(cell)), m_quantity(quantity),
      m_dyads(like, {m_cell->grid().nx, m_cell->grid().ny, m_cell->grid().nz}), m_font(like.font())
{
    m_colors.setPalette(like.palette());
}

double CellPainter::scale() const
{
    PictureOptions o;
    o.size = m_size;
    return pictureScale(o);
}

int CellPainter::headHeight() const
{
    return static_cast<int>(std::lround(scale() * line * QFontMetrics(m_font).height()));
}

int CellPainter::footHeight() const
{
    return static_cast<int>(std::lround(scale() * m_colors.sizeHint().height()));
}

QString CellPainter::begin(const simulation::RecordedFrame& frame, const QSize& size)
{
    m_size = size;
    const auto cell = m_cell->cell_of(frame);
    const auto s = dyadScale(m_quantity, cell->picture.RyR);
    m_colors.set(s.title(), scene::color_map(s.map), s.low, s.high, s.log);
    m_time = QObject::tr("%1 ms").arg(cell->time_ms, 0, 'f', 1);
    m_counts = dyadCountsText(*cell);
    const QSize room(size.width(), size.height() - headHeight() - footHeight());
    if (room.width() < least_pixels || room.height() < least_pixels)
        return QObject::tr("A movie of a cell needs at least %1 pixels of height.")
            .arg(headHeight() + footHeight() + least_pixels);
    return m_dyads.begin(dyadShares(cell->picture, m_quantity), room);
}

std::optional<QImage> CellPainter::take(QString* why)
{
    const auto dyads = m_dyads.take();
    if (!dyads)
        return {};
    if (dyads->isNull()) {
        *why = QObject::tr("A picture was lost; the movie needs OpenGL all the time.");
        return QImage();
    }
    QImage whole(m_size, QImage::Format_RGB32);
    whole.fill(m_colors.palette().color(QPalette::Base));
    QPainter p(&whole);
    p.drawImage(0, headHeight(), *dyads);
    const double s = scale();
    p.scale(s, s);
    const QSizeF logical = QSizeF(m_size) / s;
    const double margin = QFontMetrics(m_font).height() / 2.0;
    const QRectF head(margin, 0, logical.width() - 2 * margin, headHeight() / s);
    p.setPen(m_colors.palette().color(QPalette::Text));
    QFont bold = m_font;
    bold.setBold(true);
    p.setFont(bold);
    p.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, m_time);
    p.setFont(m_font);
    const QRectF rest = head.adjusted(
        QFontMetricsF(bold).horizontalAdvance(QStringLiteral("00000.0 ms")) + margin, 0, 0, 0);
    p.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
               QFontMetricsF(m_font).elidedText(m_counts, Qt::ElideRight, rest.width()));
    m_colors.resize(static_cast<int>(logical.width()), m_colors.sizeHint().height());
    p.translate(0, logical.height() - m_colors.height());
    m_colors.render(&p);
    return whole;
}

} // namespace tawara
