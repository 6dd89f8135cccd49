// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/overlay.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

constexpr int card_width = 400;
constexpr int bar_steps = 1000;

} // namespace

Overlay::Overlay(QWidget* parent)
    : QFrame(parent), m_title(new QLabel), m_text(new QLabel), m_bar(new QProgressBar),
      m_cancel(new QPushButton(tr("Cancel"))), m_open(new QPushButton(tr("Open a file…"))),
      m_heart(new QPushButton(tr("The built-in heart")))
{
    setObjectName("card");
    m_title->setProperty("heading", true);
    m_title->setWordWrap(true);
    m_text->setObjectName("overlayText");
    m_text->setWordWrap(true);
    m_text->setProperty("weak", true);
    m_bar->setRange(0, bar_steps);
    m_bar->setTextVisible(false);
    m_cancel->setObjectName("cancelLoading");
    m_open->setObjectName("openFile");
    m_heart->setObjectName("openHeart");
    m_heart->setProperty("primary", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(26, 22, 26, 22);
    column->setSpacing(12);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addWidget(m_bar);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_open);
    buttons->addWidget(m_heart);
    column->addLayout(buttons);
    connect(m_cancel, &QPushButton::clicked, this, &Overlay::cancelRequested);
    connect(m_open, &QPushButton::clicked, this, &Overlay::openRequested);
    connect(m_heart, &QPushButton::clicked, this, &Overlay::heartRequested);
    parent->installEventFilter(this);
    hide();
}

bool Overlay::loading() const
{
    return isVisible() && !m_cancel->isHidden();
}

QString Overlay::title() const
{
    return m_title->text();
}

void Overlay::showLoading(const QString& title)
{
    m_title->setText(title);
    m_text->setText(tr("Reading …"));
    m_bar->setRange(0, 0); // busy until the first report
    m_bar->show();
    m_cancel->show();
    m_cancel->setEnabled(true);
    m_open->hide();
    m_heart->hide();
    show();
    centre();
}

void Overlay::setProgress(double fraction, const QString& stage)
{
    if (!stage.isEmpty())
        m_text->setText(stage);
    m_bar->setRange(0, bar_steps);
    m_bar->setValue(static_cast<int>(std::lround(bar_steps * fraction)));
    centre();
}

void Overlay::showEmpty()
{
    m_title->setText(tr("No heart is open"));
    m_text->setText(tr("Open a mesh (VTU, VTK, CARP, TetGen, Gmsh) or a session, drop one here, or "
                       "take the built-in heart."));
    m_bar->hide();
    m_cancel->hide();
    m_open->show();
    m_heart->show();
    show();
    centre();
}

void Overlay::centre()
{
    const QWidget* p = parentWidget();
    const int w = std::min(card_width, std::max(120, p->width() - 40));
    const int h = std::max(sizeHint().height(), heightForWidth(w));
    setGeometry((p->width() - w) / 2, std::max(8, (p->height() - h) / 2), w, h);
    raise();
}

bool Overlay::eventFilter(QObject* watched, QEvent* e)
{
    if (watched == parentWidget() && e->type() == QEvent::Resize && isVisible())
        centre();
    return QFrame::eventFilter(watched, e);
}

} // namespace tawara
