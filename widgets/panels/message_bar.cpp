// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/message_bar.hpp"

#include "widgets/panels/icons.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QTimer>
#include <QToolButton>

namespace tawara {
namespace {

constexpr int note_ms = 6000;

}

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel), m_text(new QLabel), m_away(new QTimer(this))
{
    setObjectName("message");
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setObjectName("messageText");
    auto* close = new QToolButton;
    close->setObjectName("messageClose");
    close->setIcon(themedIcon("close"));
    close->setIconSize({14, 14});
    close->setToolTip(tr("Close"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addWidget(close);
    m_away->setSingleShot(true);
    connect(m_away, &QTimer::timeout, this, &QWidget::hide);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBar::showMessage(Level level, const QString& text, const QString& advice)
{
    // a note does not push an error away
    const bool passing = level == Level::note || level == Level::done;
    if (isVisible() && m_level == Level::error && passing)
        return;
    m_level = level;
    setProperty("level", level == Level::error     ? "error"
                         : level == Level::warning ? "warning"
                                                   : "note");
    style()->unpolish(this);
    style()->polish(this);
    m_icon->setPixmap(themedIcon(level == Level::done   ? "check"
                                 : level == Level::note ? "info"
                                                        : "warning")
                          .pixmap(18, 18));
    m_text->setText(advice.isEmpty() ? text : text + QChar('\n') + advice);
    show();
    if (passing)
        m_away->start(note_ms);
    else
        m_away->stop();
}

void MessageBar::withdraw(const QString& text)
{
    if (!text.isEmpty() && m_text->text().startsWith(text))
        hide();
}

QString MessageBar::text() const
{
    return m_text->text();
}

} // namespace tawara
