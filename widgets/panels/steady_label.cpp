// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/steady_label.hpp"

#include <QHelpEvent>
#include <QStyle>
#include <QStylePainter>
#include <QToolTip>

#include <algorithm>

namespace tawara {

SteadyLabel::SteadyLabel(const QString& text, QWidget* parent) : QLabel(text, parent)
{
    setIndent(0); // what the style sheet leaves free is enough
}

void SteadyLabel::setRoomFor(const QStringList& texts)
{
    if (m_room == texts)
        return;
    m_room = texts;
    updateGeometry();
}

void SteadyLabel::setLeastLetters(int letters)
{
    m_leastLetters = letters;
    updateGeometry();
}

bool SteadyLabel::rich() const
{
    return textFormat() == Qt::RichText;
}

QSize SteadyLabel::sized(int mostWide) const
{
    ensurePolished(); // the style sheet has the font and what is left free around the text
    const QFontMetrics m = fontMetrics();
    int wide = 0, high = 0;
    for (const QString& said : m_room.isEmpty() ? QStringList(text()) : m_room) {
        const QStringList lines = said.split('\n');
        for (const QString& line : lines)
            wide = std::max(wide, m.horizontalAdvance(line) + 1);
        high = std::max(high, static_cast<int>(lines.size()) * m.lineSpacing());
    }
    return QSize(std::min(wide, mostWide), high).grownBy(contentsMargins());
}

QSize SteadyLabel::sizeHint() const
{
    return sized(QWIDGETSIZE_MAX);
}

QSize SteadyLabel::minimumSizeHint() const
{
    if (!m_room.isEmpty())
        return sizeHint();
    ensurePolished();
    return sized(m_leastLetters * fontMetrics().averageCharWidth());
}

QString SteadyLabel::shownText() const
{
    if (rich())
        return QLabel::sizeHint().width() <= width() ? text() : QStringLiteral("…");
    QStringList lines = text().split('\n');
    for (QString& line : lines)
        line = fontMetrics().elidedText(line, Qt::ElideRight, contentsRect().width());
    return lines.join('\n');
}

bool SteadyLabel::event(QEvent* e)
{
    if (e->type() == QEvent::ToolTip && shownText() != text()) {
        QToolTip::showText(static_cast<QHelpEvent*>(e)->globalPos(),
                           toolTip().isEmpty() ? text() : text() + QChar('\n') + toolTip(), this);
        return true;
    }
    return QLabel::event(e);
}

void SteadyLabel::paintEvent(QPaintEvent* e)
{
    if (rich())
        return QLabel::paintEvent(e);
    QStylePainter p(this);
    drawFrame(&p);
    p.drawItemText(contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(),
                   shownText(), foregroundRole());
}

} // namespace tawara
