// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/start_page.hpp"

#include "widgets/panels/form.hpp"
#include "widgets/panels/icons.hpp"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace tawara {
namespace {

constexpr int recent_shown = 5;
constexpr int picture_side = 104;

void empty(QGridLayout* grid)
{
    while (auto* item = grid->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

} // namespace

StartPage::StartPage(QWidget* parent) : QFrame(parent)
{
    setObjectName("startPage");
    setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(tr("Tawara"));
    title->setProperty("heading", true);
    auto* text =
        hintLabel(tr("Choose an example: it runs at once. Click on the heart to stimulate it."));
    auto* close = smallButton("close", {}, "closeStart", tr("Back to the heart (Esc)"));
    auto* head = new QHBoxLayout;
    auto* words = new QVBoxLayout;
    words->addWidget(title);
    words->addWidget(text);
    head->addLayout(words, 1);
    head->addWidget(close, 0, Qt::AlignTop);
    m_examples = new QGridLayout;
    m_examples->setSpacing(12);
    m_recentBox = new QWidget;
    auto* recentColumn = new QVBoxLayout(m_recentBox);
    recentColumn->setContentsMargins(0, 0, 0, 0);
    recentColumn->addWidget(groupLabel(tr("Recent")));
    m_recent = new QGridLayout;
    m_recent->setSpacing(2);
    recentColumn->addLayout(m_recent);
    auto* heart = new QPushButton(themedIcon("heart"), tr("The built-in heart"));
    heart->setObjectName("startHeart");
    auto* open = new QPushButton(themedIcon("open"), tr("Open mesh or session…"));
    open->setObjectName("startOpen");
    auto* guide = new QPushButton(tr("Guide"));
    guide->setObjectName("startGuide");
    auto* row = new QHBoxLayout;
    row->addWidget(heart);
    row->addWidget(open);
    row->addWidget(guide);
    row->addStretch(1);
    auto* content = new QWidget;
    content->setMaximumWidth(900);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(28, 22, 28, 22);
    column->setSpacing(14);
    column->addLayout(head);
    column->addLayout(m_examples);
    column->addLayout(row);
    column->addWidget(m_recentBox);
    column->addStretch(1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* area = scrolled(content);
    area->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    outer->addWidget(area);
    connect(close, &QToolButton::clicked, this, &StartPage::closed);
    connect(heart, &QPushButton::clicked, this, &StartPage::heartRequested);
    connect(open, &QPushButton::clicked, this, [this] { Q_EMIT openRequested({}); });
    connect(guide, &QPushButton::clicked, this, &StartPage::guideRequested);
}

void StartPage::setExamples(const std::vector<Example>& examples)
{
    empty(m_examples);
    int k = 0;
    for (const auto& e : examples) {
        auto* card = new QPushButton;
        card->setObjectName("example");
        card->setProperty("file", e.file);
        card->setAccessibleName(e.title);
        auto* row = new QHBoxLayout(card);
        row->setContentsMargins(10, 8, 10, 8);
        row->setSpacing(12);
        if (!e.picture.isNull()) {
            auto* picture = new QLabel;
            picture->setPixmap(e.picture.scaled(picture_side, picture_side, Qt::KeepAspectRatio,
                                                Qt::SmoothTransformation));
            picture->setFixedSize(picture_side, picture_side);
            picture->setAlignment(Qt::AlignCenter);
            picture->setAttribute(Qt::WA_TransparentForMouseEvents);
            row->addWidget(picture);
        }
        auto* label = new QLabel(
            QStringLiteral("<b>%1</b><br>%2").arg(e.title.toHtmlEscaped(), e.text.toHtmlEscaped()));
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setContentsMargins(0, 4, 0, 0);
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
        row->addWidget(label, 1);
        card->setMinimumHeight(picture_side + 20);
        connect(card, &QPushButton::clicked, this, [this, f = e.file] { Q_EMIT openRequested(f); });
        m_examples->addWidget(card, k / 2, k % 2);
        ++k;
    }
}

void StartPage::setRecent(const QStringList& files)
{
    empty(m_recent);
    m_recentBox->setVisible(!files.isEmpty());
    int k = 0;
    for (const QString& f : files.mid(0, recent_shown)) {
        auto* b = new QPushButton(QFileInfo(f).fileName());
        b->setObjectName("recentFile");
        b->setFlat(true);
        b->setToolTip(f);
        b->setProperty("link", true);
        connect(b, &QPushButton::clicked, this, [this, f] { Q_EMIT openRequested(f); });
        m_recent->addWidget(b, k++, 0, Qt::AlignLeft);
    }
}

} // namespace tawara
