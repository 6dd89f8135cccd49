// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/picture_box.hpp"

#include "widgets/plots/axes.hpp"

#include <QPainter>

namespace tawara {

PictureBox::PictureBox(QWidget* parent) : QWidget(parent)
{
    setMinimumSize(150, 120);
}

void PictureBox::setPicture(const QImage& picture)
{
    m_picture = picture;
    update();
}

void PictureBox::setReason(const QString& text)
{
    m_reason = text;
    update();
}

void PictureBox::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    const PlotColors c = PlotColors::of(this);
    p.fillRect(rect(), c.ground);
    if (m_picture.isNull()) {
        p.setPen(c.text);
        p.drawText(QRectF(rect()).adjusted(12, 8, -12, -8),
                   static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_reason);
        return;
    }
    const QSizeF fit = QSizeF(m_picture.size()).scaled(QSizeF(size()), Qt::KeepAspectRatio);
    p.setRenderHint(QPainter::SmoothPixmapTransform);
    p.drawImage(QRectF(QPointF((width() - fit.width()) / 2, (height() - fit.height()) / 2), fit),
                m_picture);
}

} // namespace tawara
