// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/message_bar.hpp"

#include "widgets/panels/icons.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QStyle>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace tawara {
namespace {

constexpr int note_ms = 5000;
constexpr int widest = 760, narrowest = 200, margin = 12;
constexpr int beside = 500; // room from which what is said of others stands beside the text
constexpr std::size_t most_open = 20;

bool passing(MessageBar::Level level)
{
    return level == MessageBar::Level::note || level == MessageBar::Level::done;
}

} // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel), m_text(new QLabel), m_count(new QLabel),
      m_others(new QWidget), m_closeAll(new QToolButton), m_offer(new QToolButton),
      m_close(new QToolButton), m_unfold(new QToolButton), m_away(new QTimer(this)),
      m_fold(new QTimer(this))
{
    setObjectName("message");
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setObjectName("messageText");
    m_count->setObjectName("messageCount");
    m_count->setToolTip(tr("Older messages that nobody has closed yet; they come when this one is "
                           "closed"));
    m_closeAll->setObjectName("messageCloseAll");
    m_closeAll->setText(tr("Close all"));
    m_closeAll->setCursor(Qt::ArrowCursor);
    m_offer->setObjectName("messageOffer");
    m_offer->setCursor(Qt::ArrowCursor);
    m_close->setObjectName("messageClose");
    m_close->setIcon(themedIcon("close"));
    m_close->setProperty("themedIcon", QStringLiteral("close"));
    m_close->setIconSize({14, 14});
    m_close->setToolTip(tr("Close"));
    m_close->setCursor(Qt::ArrowCursor);
    m_unfold->setObjectName("messageUnfold");
    m_unfold->setIcon(themedIcon("warning"));
    m_unfold->setProperty("themedIcon", QStringLiteral("warning"));
    m_unfold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_unfold->setCursor(Qt::ArrowCursor);
    m_unfold->hide();
    auto* others = new QHBoxLayout(m_others);
    others->setContentsMargins(0, 0, 0, 0);
    others->addWidget(m_count);
    others->addWidget(m_closeAll);
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(12, 6, 8, 6);
    m_grid->setVerticalSpacing(2);
    m_grid->setColumnStretch(1, 1);
    m_grid->addWidget(m_icon, 0, 0);
    m_grid->addWidget(m_text, 0, 1);
    m_grid->addWidget(m_others, 0, 2);
    m_grid->addWidget(m_close, 0, 3);
    m_grid->addWidget(m_offer, 2, 1, Qt::AlignLeft);
    m_grid->addWidget(m_unfold, 3, 0, 1, 4);
    m_fold->setSingleShot(true);
    connect(m_fold, &QTimer::timeout, this, &MessageBar::fold);
    connect(m_unfold, &QToolButton::clicked, this, [this] {
        for (Message& m : m_open)
            m.folded = false;
        showNext();
    });
    m_away->setSingleShot(true);
    connect(m_away, &QTimer::timeout, this, &MessageBar::showNext);
    connect(m_close, &QToolButton::clicked, this, &MessageBar::closeShown);
    connect(m_closeAll, &QToolButton::clicked, this, &MessageBar::clear);
    connect(m_offer, &QToolButton::clicked, this, [this] {
        if (m_open.empty())
            return;
        const auto act = m_open.back().offer.act;
        closeShown();
        act();
    });
    if (parent != nullptr)
        parent->installEventFilter(this);
    hide();
}

void MessageBar::showMessage(Level level, const QString& text, const QString& advice,
                             const QString& about, Offer offer)
{
    const Message m{level, advice.isEmpty() ? text : text + QChar('\n') + advice, about,
                    std::move(offer), false};
    settle(about);
    if (!passing(level)) {
        std::erase_if(m_open, [&](const Message& o) { return o.text == m.text; });
        m_open.push_back(m);
        if (m_open.size() > most_open)
            m_open.erase(m_open.begin());
        m_fold->stop(); // this one has its own time
        return showNext();
    }
    if (isVisible() && m_level == Level::error)
        return;
    display(m);
    m_away->start(note_ms);
}

void MessageBar::display(const Message& m)
{
    m_level = m.level;
    showFolded(false);
    setProperty("level", m.level == Level::error     ? "error"
                         : m.level == Level::warning ? "warning"
                                                     : "note");
    style()->unpolish(this);
    style()->polish(this);
    drawIcon();
    m_whole = m.text;
    m_text->setText(m_whole);
    // a press on a note reaches this, which closes it
    m_text->setTextInteractionFlags(passing(m.level) ? Qt::NoTextInteraction
                                                     : Qt::TextSelectableByMouse);
    m_text->setCursor(passing(m.level) ? Qt::PointingHandCursor : Qt::IBeamCursor);
    const auto more = m_open.size() - (passing(m.level) ? 0 : 1);
    m_count->setText(tr("%1 more").arg(more));
    m_others->setVisible(more > 0);
    m_offer->setText(m.offer.text);
    m_offer->setVisible(m.offer.act != nullptr && !passing(m.level));
    show();
    place();
}

void MessageBar::fold()
{
    if (!std::all_of(m_open.begin(), m_open.end(), [](const Message& m) {
            return m.level == Level::warning && m.offer.act == nullptr;
        }))
        return;
    if (underMouse())
        return m_fold->start(m_patience_ms);
    for (Message& m : m_open)
        m.folded = true;
    if (!passing(m_level)) // else it gives way by itself
        showNext();
}

void MessageBar::showFolded(bool folded)
{
    m_folded = folded;
    for (QWidget* w : {static_cast<QWidget*>(m_icon), static_cast<QWidget*>(m_text),
                       static_cast<QWidget*>(m_close)})
        w->setVisible(!folded);
    m_unfold->setVisible(folded);
    if (!folded)
        return;
    m_others->hide();
    m_offer->hide();
    const auto n = static_cast<int>(m_open.size());
    m_unfold->setText(n == 1 ? tr("1 warning") : tr("%1 warnings").arg(n));
    m_unfold->setToolTip(tr("%1\nClick to show").arg(m_open.back().text));
}

void MessageBar::drawIcon()
{
    m_icon->setPixmap(themedIcon(m_level == Level::done   ? "check"
                                 : m_level == Level::note ? "info"
                                                          : "warning")
                          .pixmap(18, 18));
}

void MessageBar::changeEvent(QEvent* e)
{
    if (e->type() == QEvent::PaletteChange) // another theme
        drawIcon();
    QFrame::changeEvent(e);
}

void MessageBar::showNext()
{
    m_away->stop();
    if (m_open.empty())
        return hide();
    display(m_open.back());
    if (m_open.back().folded) {
        showFolded(true);
        place();
    } else if (!m_fold->isActive()) {
        m_fold->start(m_patience_ms);
    }
}

void MessageBar::closeShown()
{
    if (!passing(m_level) && !m_open.empty())
        m_open.pop_back();
    showNext();
}

void MessageBar::settle(const QString& about)
{
    if (about.isEmpty() ||
        std::erase_if(m_open, [&](const Message& m) { return m.about == about; }) == 0)
        return;
    if (!passing(m_level))
        showNext();
}

void MessageBar::clear()
{
    m_open.clear();
    showNext();
}

QString MessageBar::text() const
{
    return m_whole;
}

void MessageBar::place()
{
    const QWidget* p = parentWidget();
    if (p == nullptr)
        return;
    const QRect room = m_room ? m_room() : p->rect().adjusted(margin, margin, -margin, -margin);
    if (m_folded) { // at the side, where little of the heart is
        m_grid->activate();
        const QSize size = minimumSizeHint();
        setGeometry(room.right() + 1 - size.width(),
                    std::max(room.top(), room.bottom() + 1 - size.height()), size.width(),
                    size.height());
        return raise();
    }
    const bool below = room.width() < beside;
    if ((m_grid->itemAtPosition(0, 2) == nullptr) != below) {
        m_grid->removeWidget(m_others);
        if (below)
            m_grid->addWidget(m_others, 1, 1, 1, 3, Qt::AlignRight);
        else
            m_grid->addWidget(m_others, 0, 2);
    }
    int wanted = 0;
    for (const QString& line : m_whole.split(QLatin1Char('\n')))
        wanted = std::max(wanted, m_text->fontMetrics().horizontalAdvance(line));
    const QMargins edges = m_grid->contentsMargins();
    wanted += edges.left() + edges.right() + 2 * frameWidth() + 2; // of a text's own edges
    for (int k = 0; k < m_grid->count(); ++k)
        if (const QLayoutItem* item = m_grid->itemAt(k);
            !item->isEmpty() && item->widget() != m_text && item->widget() != m_offer &&
            !(below && item->widget() == m_others))
            wanted += item->sizeHint().width() + m_grid->horizontalSpacing();
    m_grid->activate();
    const int w = std::min({wanted, widest, std::max(narrowest, room.width())});
    fitText(w, room.height());
    const int h = std::max(heightForWidth(w), minimumSizeHint().height());
    setGeometry(room.x() + std::max(0, (room.width() - w) / 2),
                std::max(room.top(), room.bottom() + 1 - h), w, h);
    raise();
}

void MessageBar::fitText(int width, int height)
{
    const auto fits = [&](const QString& text) {
        m_text->setText(text);
        m_grid->activate();
        return heightForWidth(width) <= height;
    };
    m_text->setToolTip({});
    if (fits(m_whole))
        return;
    m_text->setToolTip(m_whole);
    const QStringList words = m_whole.split(QLatin1Char(' '));
    const auto part = [&](qsizetype n) { return words.mid(0, n).join(' ') + QStringLiteral(" …"); };
    qsizetype shown = 1, beyond = words.size();
    while (beyond - shown > 1) { // that many do, this many do not
        const qsizetype middle = (shown + beyond) / 2;
        (fits(part(middle)) ? shown : beyond) = middle;
    }
    fits(part(shown));
}

bool MessageBar::eventFilter(QObject* watched, QEvent* e)
{
    if (watched == parentWidget() && e->type() == QEvent::Resize && !isHidden())
        place();
    return QFrame::eventFilter(watched, e);
}

void MessageBar::mousePressEvent(QMouseEvent* e)
{
    if (passing(m_level))
        closeShown();
    e->accept(); // not what lies beneath
}

} // namespace tawara
