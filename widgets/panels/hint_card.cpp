// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/hint_card.hpp"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

constexpr int card_width = 224;
constexpr int least_width = 840, least_height = 430; // of views with room beside the heart
constexpr int side_px = 14, above_axes = 104, corner = 3;

} // namespace

HintCard::HintCard(QWidget* parent) : QFrame(parent), m_unfold(new QToolButton), m_body(new QWidget)
{
    setObjectName("hints");
    setAttribute(Qt::WA_StyledBackground);
    m_unfold->setObjectName("hintsUnfold");
    m_unfold->setText(tr("Three things to try"));
    m_unfold->setProperty("small", true);
    auto* text = new QLabel(
        tr("<b>Three things to try</b><p>Click on the heart: a pulse, there, at once.</p>"
           "<p>Press <b>P</b> and click: a probe draws its action potential.</p>"
           "<p>Press <b>V</b>: two views; the second shows when each place was activated.</p>"));
    text->setWordWrap(true);
    auto* ok = new QPushButton(tr("Got it"));
    ok->setObjectName("hintsSeen");
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(16, 12, 16, 12);
    column->addWidget(text);
    column->addWidget(ok, 0, Qt::AlignRight);
    auto* both = new QVBoxLayout(this);
    both->setContentsMargins(0, 0, 0, 0);
    both->addWidget(m_unfold);
    both->addWidget(m_body);
    connect(ok, &QPushButton::clicked, this, &HintCard::seen);
    connect(m_unfold, &QToolButton::clicked, this, [this] {
        m_asked = true;
        place();
    });
    parent->installEventFilter(this);
    place();
}

bool HintCard::folded() const
{
    return m_body->isHidden();
}

void HintCard::place()
{
    const QSize room = parentWidget()->size();
    const bool beside = room.width() >= least_width && room.height() >= least_height;
    m_asked = m_asked && !beside;
    m_body->setVisible(beside || m_asked);
    m_unfold->setVisible(folded());
    layout()->activate();
    if (folded()) {
        const QSize size = minimumSizeHint();
        setGeometry(room.width() - size.width() - corner, corner, size.width(), size.height());
    } else {
        const int high = std::max(minimumSizeHint().height(), heightForWidth(card_width));
        const int top = beside ? room.height() - above_axes - high : (room.height() - high) / 2;
        setGeometry(beside ? side_px : (room.width() - card_width) / 2, std::max(corner, top),
                    card_width, high);
    }
    raise();
}

bool HintCard::eventFilter(QObject* watched, QEvent* e)
{
    if (watched == parentWidget() && e->type() == QEvent::Resize)
        place();
    return QFrame::eventFilter(watched, e);
}

} // namespace tawara
