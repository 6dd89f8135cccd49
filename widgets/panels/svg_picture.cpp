// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/svg_picture.hpp"

#include "widgets/plots/axes.hpp"

#include <QPainter>
#include <QSvgRenderer>

namespace tawara {

SvgPicture::SvgPicture(QWidget* parent) : QWidget(parent), m_drawing(new QSvgRenderer(this))
{
    setMinimumSize(150, 120);
}

void SvgPicture::setPicture(const QByteArray& svg)
{
    if (svg == m_svg)
        return;
    m_svg = svg;
    m_drawing->load(svg);
    update();
}

void SvgPicture::setReason(const QString& text)
{
    m_reason = text;
    update();
}

void SvgPicture::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    if (m_svg.isEmpty()) {
        p.fillRect(rect(), c.ground);
        p.setPen(c.text);
        p.drawText(QRectF(rect()).adjusted(12, 8, -12, -8),
                   static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_reason);
        return;
    }
    // drawn for the paper of a page, in black on white
    p.fillRect(rect(), Qt::white);
    const QSizeF whole = m_drawing->defaultSize();
    const QSizeF fit = whole.scaled(QSizeF(size()) - QSizeF(8, 8), Qt::KeepAspectRatio);
    m_drawing->render(
        &p, QRectF(QPointF((width() - fit.width()) / 2, (height() - fit.height()) / 2), fit));
}

} // namespace tawara
