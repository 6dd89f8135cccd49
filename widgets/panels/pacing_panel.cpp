// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/pacing_panel.hpp"

#include "engine/simulation/session/late_pulses.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/site_card.hpp"
#include "widgets/panels/site_words.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using simulation::Protocol;
using simulation::Stimulus;

// a protocol that begins anew does so at a round time, not before an edit has arrived
constexpr double soon_ms = 20, soon_s = 0.5, round_ms = 10;

enum Column { name_column, next_column, state_column, column_count };

} // namespace

PacingPanel::PacingPanel(QWidget* parent) : QWidget(parent)
{
    m_list = new QTreeWidget;
    m_list->setObjectName("sites");
    m_list->setColumnCount(column_count);
    m_list->setHeaderLabels({tr("Site"), tr("Next"), tr("State")});
    m_list->headerItem()->setToolTip(next_column, tr("When its next pulse begins"));
    m_list->setRootIsDecorated(false);
    m_list->setTextElideMode(Qt::ElideMiddle); // names differ at their ends
    m_list->setUniformRowHeights(true);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(name_column, QHeaderView::Stretch);
    m_list->header()->setStretchLastSection(false);
    build();
}

PacingPanel::~PacingPanel()
{
    hide(); // what is being typed ends while all is there
}

void PacingPanel::build()
{
    auto* place = smallButton("site", tr("Place"), "placeSite",
                              tr("Click on the heart's wall to add a pacing site (A)"));
    auto* suggest = smallButton({}, tr("Suggested"), "suggestSite",
                                tr("Pace at a named place: apex, lateral wall, AHA segments"));
    suggest->setPopupMode(QToolButton::InstantPopup);
    m_suggested = new QMenu(this);
    suggest->setMenu(m_suggested);
    auto* remove = smallButton("close", {}, "removeSite", tr("Remove the chosen site (Delete)"));
    auto* row = new QHBoxLayout;
    row->addWidget(place);
    row->addWidget(suggest);
    row->addStretch(1);
    row->addWidget(remove);
    m_none = hintLabel(tr("No pacing sites. Choose Place, then click on the heart's wall; drag a "
                          "site to move it, also while the simulation runs."));
    m_card = new SiteCard;
    m_click = new StimulusPanel;

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(7);
    column->addLayout(row);
    column->addWidget(m_list);
    column->addWidget(m_none);
    column->addWidget(m_card);
    column->addWidget(groupLabel(tr("A click's pulse (S)")));
    column->addWidget(m_click);
    column->addStretch(1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scrolled(content));

    connect(place, &QToolButton::clicked, this, &PacingPanel::placeRequested);
    connect(m_card, &SiteCard::changed, this, &PacingPanel::change);
    connect(m_card, &SiteCard::paceNowRequested, this, [this] {
        if (const int i = chosen(); i >= 0)
            Q_EMIT paceNowRequested(m_stimuli[static_cast<std::size_t>(i)]);
    });
    connect(remove, &QToolButton::clicked, this, [this] {
        const auto i = static_cast<std::size_t>(chosen());
        if (chosen() >= 0)
            Q_EMIT edited(tr("Remove %1").arg(QString::fromStdString(m_stimuli[i].name)),
                          [i](simulation::Session& s) {
                              if (i < s.stimuli.size())
                                  s.stimuli.erase(s.stimuli.begin() +
                                                  static_cast<std::ptrdiff_t>(i));
                          },
                          {});
    });
    auto* key = new QAction(this);
    key->setShortcut(Qt::Key_Delete);
    key->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(key);
    connect(key, &QAction::triggered, remove, &QToolButton::click);
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this] {
        if (m_filling)
            return;
        fillDetails();
        Q_EMIT chosenChanged(chosen());
    });
    connect(m_list, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int which) {
        if (m_filling || which != name_column)
            return;
        const auto i = static_cast<std::size_t>(m_list->indexOfTopLevelItem(item));
        const bool on = item->checkState(0) == Qt::Checked;
        if (i < m_stimuli.size() && m_stimuli[i].on != on)
            Q_EMIT edited(on ? tr("Switch a site on") : tr("Switch a site off"),
                          [i, on](simulation::Session& s) { s.stimuli.at(i).on = on; }, {});
    });
    setSession({});
}

void PacingPanel::change(const QString& what, const std::function<void(Stimulus&)>& f)
{
    const int i = chosen();
    if (m_filling || i < 0)
        return;
    const auto at = static_cast<std::size_t>(i);
    Q_EMIT edited(
        what,
        [at, f](simulation::Session& s) {
            if (at < s.stimuli.size())
                f(s.stimuli[at]);
        },
        what + QString::number(i));
}

void PacingPanel::setSession(const simulation::Session& s)
{
    m_stimuli = s.stimuli;
    m_endMs = s.end_ms;
    m_states.resize(m_stimuli.size());
    fillList();
    fillDetails();
}

void PacingPanel::setCapture(const std::vector<CaptureState>& states)
{
    m_states = states;
    m_states.resize(m_stimuli.size());
    m_filling = true;
    for (std::size_t i = 0; i < m_stimuli.size(); ++i)
        if (auto* item = m_list->topLevelItem(static_cast<int>(i))) {
            item->setIcon(0, swatchIcon(captureColor(m_stimuli[i], m_states[i])));
            item->setText(state_column, stateText(i));
        }
    m_filling = false;
    fillDetails();
}

void PacingPanel::setTime(double ms, double msPerSecond)
{
    m_msPerSecond = msPerSecond;
    if (ms == m_nowMs)
        return;
    m_nowMs = ms;
    m_filling = true; // a search has ended, or a pulse that may tell was given
    for (std::size_t i = 0; i < m_stimuli.size(); ++i)
        if (auto* item = m_list->topLevelItem(static_cast<int>(i)))
            item->setText(state_column, stateText(i));
    m_filling = false;
    fillNext();
    fillState();
}

void PacingPanel::setSuggestions(const std::vector<SuggestedSite>& sites)
{
    m_suggested->clear();
    QHash<QString, QMenu*> groups;
    for (const auto& site : sites) {
        auto*& menu = groups[site.group];
        if (menu == nullptr)
            menu = site.group.isEmpty() ? m_suggested : m_suggested->addMenu(site.group);
        menu->addAction(site.name, this,
                        [this, site] { Q_EMIT siteSuggested(site.name, site.position); });
    }
    if (sites.empty())
        m_suggested->addAction(tr("This mesh does not tell where things are"))->setEnabled(false);
}

QString PacingPanel::stateText(std::size_t i) const
{
    const auto& state = m_states[i];
    if (!m_stimuli[i].on)
        return tr("off");
    if (state.answers() || searchEnded(m_stimuli[i], state, m_nowMs))
        return tr("period found");
    switch (state.last) {
    case CaptureState::Last::captured:
        return tr("captures");
    case CaptureState::Last::failed:
        return tr("no capture");
    case CaptureState::Last::given:
        return tr("given");
    case CaptureState::Last::unknown:
        break;
    }
    return tr("waiting");
}

int PacingPanel::chosen() const
{
    return m_list->indexOfTopLevelItem(m_list->currentItem());
}

void PacingPanel::choose(int index)
{
    if (index == chosen())
        return;
    m_filling = true;
    m_list->setCurrentItem(m_list->topLevelItem(index));
    m_filling = false;
    fillDetails();
}

QString PacingPanel::freeName() const
{
    for (int n = 1;; ++n) {
        const QString name = tr("Site %1").arg(n);
        bool taken = false;
        for (const auto& s : m_stimuli)
            taken = taken || QString::fromStdString(s.name) == name;
        if (!taken)
            return name;
    }
}

Stimulus PacingPanel::fresh(const QString& name, const Vec3& position) const
{
    const StimulusSettings click = m_click->settings();
    Stimulus s;
    double radius = click.radius_mm;
    s.amplitude_pA_per_pF = click.amplitude_pA_per_pF;
    s.duration_ms = click.duration_ms;
    s.protocol = Protocol{};
    s.protocol->kind = Protocol::Kind::train;
    s.protocol->count = 0;
    if (const int i = chosen(); i >= 0) {
        const auto& other = m_stimuli[static_cast<std::size_t>(i)];
        s.amplitude_pA_per_pF = other.amplitude_pA_per_pF;
        s.duration_ms = other.duration_ms;
        s.start_ms = other.start_ms;
        s.protocol = protocolOf(other);
        if (const auto* ball = std::get_if<simulation::Sphere>(&other.region))
            radius = ball->radius;
    }
    const auto next = simulation::pulse_from(s, m_nowMs);
    const double soon =
        round_ms * std::ceil((m_nowMs + soon_ms + soon_s * m_msPerSecond) / round_ms);
    // nothing of it is left: it begins anew; after the end only what comes back to the start counts
    if ((!next || next->at_ms >= m_endMs) && soon < m_endMs)
        s.start_ms = soon;
    s.name = name.toStdString();
    s.region = simulation::Sphere{position, radius};
    return s;
}

QString PacingPanel::scheduleOf(const Stimulus& fresh) const
{
    const int i = chosen();
    const QString as =
        i < 0 ? QString() : QString::fromStdString(m_stimuli[static_cast<std::size_t>(i)].name);
    return scheduleText(fresh, as, m_nowMs, m_endMs);
}

void PacingPanel::fillList()
{
    m_filling = true;
    const int before = chosen();
    // rows stay while there are as many sites: one of them may be in the middle of a click
    while (m_list->topLevelItemCount() > static_cast<int>(m_stimuli.size()))
        delete m_list->takeTopLevelItem(m_list->topLevelItemCount() - 1);
    for (std::size_t i = 0; i < m_stimuli.size(); ++i) {
        const auto& s = m_stimuli[i];
        auto* item = m_list->topLevelItem(static_cast<int>(i));
        if (item == nullptr)
            item = new QTreeWidgetItem(m_list);
        item->setText(name_column, QString::fromStdString(s.name));
        item->setText(state_column, stateText(i));
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(0, s.on ? Qt::Checked : Qt::Unchecked);
        item->setIcon(0, swatchIcon(captureColor(s, m_states[i])));
        item->setToolTip(name_column,
                         tr("%1: %2.\nTicked: it paces. Colour: green captures, or has found the "
                            "refractory period, red does not capture, amber not known yet, blue "
                            "given, but no tissue around it to judge by; grey off.")
                             .arg(QString::fromStdString(s.name), protocolText(s)));
    }
    fillNext();
    const int n = static_cast<int>(m_stimuli.size());
    if (n > 0)
        m_list->setCurrentItem(m_list->topLevelItem(std::clamp(before, 0, n - 1)));
    fitList(m_list, n, height());
    m_list->setVisible(n > 0);
    m_none->setVisible(n == 0);
    m_filling = false;
}

void PacingPanel::fillNext()
{
    for (std::size_t i = 0; i < m_stimuli.size(); ++i)
        if (auto* item = m_list->topLevelItem(static_cast<int>(i))) {
            item->setText(next_column, nextTime(m_stimuli[i], m_nowMs, m_endMs));
            item->setToolTip(next_column, nextText(m_stimuli[i], m_nowMs, m_endMs));
        }
}

void PacingPanel::fillDetails()
{
    const int i = chosen();
    if (i < 0)
        return m_card->clear();
    m_card->setSite(m_stimuli[static_cast<std::size_t>(i)], m_endMs);
    fillState();
}

void PacingPanel::fillState()
{
    const int i = chosen();
    if (i < 0)
        return;
    const auto& s = m_stimuli[static_cast<std::size_t>(i)];
    m_card->setState(siteStateText(s, m_states[static_cast<std::size_t>(i)], m_nowMs, m_endMs));
}

void PacingPanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    fitList(m_list, static_cast<int>(m_stimuli.size()), height());
}

} // namespace tawara
