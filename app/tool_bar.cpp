// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tool_bar.hpp"

#include "widgets/panels/icons.hpp"

#include <QAction>
#include <QActionGroup>
#include <QCursor>
#include <QStyle>
#include <QToolButton>

namespace tawara {
namespace {

struct Tool
{
    ClickMode mode;
    const char *icon, *text, *key, *tip;
};
constexpr Tool tools[] = {
    {ClickMode::rotate, "rotate", QT_TRANSLATE_NOOP("ToolBar", "Rotate"), "R",
     QT_TRANSLATE_NOOP("ToolBar", "Drag turns the heart; a click does nothing (R)")},
    {ClickMode::stimulate, "stimulate", QT_TRANSLATE_NOOP("ToolBar", "Stimulate"), "S",
     QT_TRANSLATE_NOOP("ToolBar", "A click on the wall stimulates it there, at once (S)")},
    {ClickMode::site, "site", QT_TRANSLATE_NOOP("ToolBar", "Site"), "A",
     QT_TRANSLATE_NOOP("ToolBar", "A click adds a pacing site; drag one to move it (A)")},
    {ClickMode::probe, "probe", QT_TRANSLATE_NOOP("ToolBar", "Probe"), "P",
     QT_TRANSLATE_NOOP("ToolBar", "A click on the wall places a probe; drag one to move it (P)")},
    {ClickMode::cell, "dyads", QT_TRANSLATE_NOOP("ToolBar", "Cell"), "C",
     QT_TRANSLATE_NOOP("ToolBar", "A click on the wall shows that cell's dyads and calcium (C)")},
    {ClickMode::branch, "branch", QT_TRANSLATE_NOOP("ToolBar", "Cut"), "X",
     QT_TRANSLATE_NOOP("ToolBar",
                       "A click on the Purkinje network cuts a branch, or joins it again (X)")},
    {ClickMode::paint, "paint", QT_TRANSLATE_NOOP("ToolBar", "Paint"), "B",
     QT_TRANSLATE_NOOP("ToolBar",
                       "Paint scar, border zone, ischaemia on the heart; Alt rubs out (B)")},
};

} // namespace

ToolBar::ToolBar(QWidget* parent) : QToolBar(tr("Tools"), parent), m_modes(new QActionGroup(this))
{
    setObjectName("tools");
    setMovable(false);
    setIconSize({22, 22});
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    for (const Tool& t : tools) {
        auto* a = add(tr(t.text), t.icon, tr(t.tip));
        a->setObjectName(QStringLiteral("mode") + QLatin1String(t.icon));
        a->setCheckable(true);
        a->setShortcut(QKeySequence(QLatin1String(t.key)));
        a->setData(static_cast<int>(t.mode));
        m_modes->addAction(a);
        connect(a, &QAction::triggered, this, [this, mode = t.mode] { Q_EMIT modeChosen(mode); });
        connect(a, &QAction::toggled, this, &ToolBar::forgetHover);
    }
    addSeparator();
    connect(add(tr("Camera"), "home", tr("Look at the whole heart (Home)")), &QAction::triggered,
            this, &ToolBar::cameraRequested);
    auto* views = add(tr("Views"), "views", tr("One, two or four views in turn (V)"));
    views->setObjectName("viewsTool");
    views->setShortcut(QKeySequence("V"));
    connect(views, &QAction::triggered, this, &ToolBar::viewsRequested);
    connect(add(tr("Picture"), "camera", tr("Save a picture of the heart (Ctrl+P)")),
            &QAction::triggered, this, &ToolBar::pictureRequested);
    connect(add(tr("Movie"), "movie", tr("Make a movie of what was recorded (Ctrl+M)")),
            &QAction::triggered, this, &ToolBar::movieRequested);
}

QAction* ToolBar::add(const QString& text, const char* icon, const QString& tip)
{
    auto* a = addAction(themedIcon(icon), text);
    a->setProperty("themedIcon", QString::fromLatin1(icon));
    a->setToolTip(tip);
    return a;
}

QList<QAction*> ToolBar::modes() const
{
    return m_modes->actions();
}

void ToolBar::setMode(ClickMode mode)
{
    for (auto* a : m_modes->actions())
        a->setChecked(a->data().toInt() == static_cast<int>(mode));
}

void ToolBar::fit(const QSize& window, int height)
{
    constexpr int least_width = 900, least_height = 640; // that leave room for words
    if (hasWords())
        m_heightWithWords = sizeHint().height();
    setWords(window.width() >= least_width && window.height() >= least_height &&
             height >= m_heightWithWords);
    if (!hasWords())
        return;
    m_heightWithWords = sizeHint().height(); // of another font than last time, say
    setWords(height >= m_heightWithWords);
}

bool ToolBar::hasWords() const
{
    return toolButtonStyle() == Qt::ToolButtonTextUnderIcon;
}

void ToolBar::setWords(bool on)
{
    if (hasWords() == on)
        return;
    setToolButtonStyle(on ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonIconOnly);
    for (auto* b : findChildren<QToolButton*>()) { // it has another width
        b->style()->unpolish(b);
        b->style()->polish(b);
    }
}

void ToolBar::forgetHover()
{
    for (auto* b : findChildren<QToolButton*>())
        if (b->underMouse() && !b->rect().contains(b->mapFromGlobal(QCursor::pos()))) {
            b->setAttribute(Qt::WA_UnderMouse, false);
            b->update();
        }
}

} // namespace tawara
