// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/pacing_panel.hpp"

#include "engine/simulation/session/late_pulses.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/pulse_timeline.hpp"
#include "widgets/panels/site_words.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <cmath>

namespace tawara {
namespace {

using simulation::Protocol;
using simulation::Stimulus;

// a protocol that begins anew does so at a round time, not before an edit has arrived
constexpr double soon_ms = 20, soon_s = 0.5, round_ms = 10;

enum Column { name_column, next_column, state_column, column_count };

enum Row { cycle_row, count_row, extra_row, decrement_row, repeats_row, pause_row, row_count };

bool uses(Protocol::Kind k, int row)
{
    switch (k) {
    case Protocol::Kind::single:
        return false;
    case Protocol::Kind::train:
        return row == cycle_row || row == count_row;
    case Protocol::Kind::s1s2:
        return true;
    case Protocol::Kind::burst:
        return row != extra_row;
    }
    return false;
}

} // namespace

QColor captureColor(const Stimulus& s, const CaptureState& state)
{
    if (!s.on)
        return QColor(0x7a, 0x84, 0x94);
    if (state.answers())
        return QColor(0x3f, 0xc0, 0x80);
    switch (state.last) {
    case CaptureState::Last::captured:
        return QColor(0x3f, 0xc0, 0x80);
    case CaptureState::Last::failed:
        return QColor(0xf2, 0x5c, 0x4a);
    case CaptureState::Last::given:
        return QColor(0x5c, 0x9c, 0xe6);
    case CaptureState::Last::unknown:
        break;
    }
    return QColor(0xf0, 0xb4, 0x3c);
}

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
    m_details = buildDetails();
    m_click = new StimulusPanel;

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(7);
    column->addLayout(row);
    column->addWidget(m_list);
    column->addWidget(m_none);
    column->addWidget(m_details);
    column->addWidget(groupLabel(tr("A click's pulse (S)")));
    column->addWidget(m_click);
    column->addStretch(1);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scrolled(content));

    connect(place, &QToolButton::clicked, this, &PacingPanel::placeRequested);
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

QWidget* PacingPanel::buildDetails()
{
    auto* w = new QWidget;
    // what wraps stays out of the form: beside hidden rows it would get wrong heights for all of
    // them
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(5);
    m_state = hintLabel({});
    m_state->setObjectName("siteState");
    // room for what is said of a pulse that failed: the fields below stay where they are
    constexpr int lines_of_state = 5;
    m_state->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_state->setMinimumHeight(lines_of_state * m_state->fontMetrics().lineSpacing());
    m_now = smallButton("stimulate", tr("Pace now"), "paceNow", {});
    m_name = new QLineEdit;
    m_name->setObjectName("siteName");
    m_radius = keyBox("siteRadius", "/stimuli/#/region/sphere_mm/radius");
    m_amplitude = keyBox("siteAmplitude", "/stimuli/#/amplitude_pA_per_pF");
    m_duration = keyBox("siteDuration", "/stimuli/#/duration_ms");
    m_start = keyBox("siteStart", "/stimuli/#/start_ms");
    m_kind = new QComboBox;
    m_kind->setObjectName("siteProtocol");
    m_kind->addItems({tr("Single pulse"), tr("Train"), tr("S1-S2(-S3)"), tr("Burst")});
    m_cycle = keyBox("siteCycle", "/stimuli/#/protocol/cycle_ms");
    m_count = keyBox("siteCount", "/stimuli/#/protocol/count");
    m_count->setSpecialValueText(tr("for ever"));
    m_extra = new QLineEdit;
    m_extra->setObjectName("siteExtra");
    m_extra->setToolTip(tr("Coupling intervals of S2, S3, ... of one train [ms], e.g. 320, 280; "
                           "one S2 after another: a single one, with Decrement and Repeats"));
    m_decrement = keyBox("siteDecrement", "/stimuli/#/protocol/decrement_ms");
    m_repeats = keyBox("siteRepeats", "/stimuli/#/protocol/repeats");
    m_pause = keyBox("sitePause", "/stimuli/#/protocol/pause_ms");
    m_late = hintLabel({});
    m_late->setObjectName("siteLate");
    m_late->setProperty("level", "warning");
    m_timeline = new PulseTimeline;
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Radius"), m_radius);
    form->addRow(tr("Amplitude"), m_amplitude);
    form->addRow(tr("Duration"), m_duration);
    form->addRow(tr("Starts at"), m_start);
    form->addRow(tr("Protocol"), m_kind);
    const std::pair<QString, QWidget*> rows[row_count] = {
        {tr("Cycle"), m_cycle},         {tr("Pulses"), m_count},    {tr("S2, S3 [ms]"), m_extra},
        {tr("Decrement"), m_decrement}, {tr("Repeats"), m_repeats}, {tr("Pause"), m_pause}};
    for (int k = 0; k < row_count; ++k) {
        m_protocolLabels[k] = new QLabel(rows[k].first);
        m_protocolRows[k] = rows[k].second;
        form->addRow(m_protocolLabels[k], m_protocolRows[k]);
    }
    column->addWidget(m_now, 0, Qt::AlignLeft);
    column->addWidget(m_state);
    column->addLayout(form);
    column->addWidget(m_timeline);
    column->addWidget(m_late);
    connectDetails();
    return w;
}

void PacingPanel::connectDetails()
{
    connect(m_now, &QToolButton::clicked, this, [this] {
        if (const int i = chosen(); i >= 0)
            Q_EMIT paceNowRequested(m_stimuli[static_cast<std::size_t>(i)]);
    });
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        change(tr("Rename a site"),
               [t = m_name->text().toStdString()](Stimulus& s) { s.name = t; });
    });
    const auto number = [this](NumberBox* b, const QString& what, auto set) {
        connect(b, &QDoubleSpinBox::valueChanged, this, [this, what, set](double v) {
            change(what, [set, v](Stimulus& s) { set(s, v); });
        });
    };
    number(m_radius, tr("Change the radius of a site"), [](Stimulus& s, double v) {
        if (auto* ball = std::get_if<simulation::Sphere>(&s.region))
            ball->radius = v;
    });
    number(m_amplitude, tr("Change the amplitude of a site"), [](Stimulus& s, double v) {
        s.amplitude_pA_per_pF = v;
        s.amplitude_uA_per_cm3.reset();
    });
    number(m_duration, tr("Change the duration of a site"),
           [](Stimulus& s, double v) { s.duration_ms = v; });
    number(m_start, tr("Change the start of a site"),
           [](Stimulus& s, double v) { s.start_ms = v; });
    connect(m_kind, &QComboBox::activated, this, [this](int k) {
        changeProtocol(tr("Change the protocol of a site"),
                       [k](Protocol& p) { turnInto(p, static_cast<Protocol::Kind>(k)); });
    });
    const auto protocol = [this](NumberBox* b, auto set) {
        connect(b, &QDoubleSpinBox::valueChanged, this, [this, set](double v) {
            changeProtocol(tr("Change the protocol of a site"),
                           [set, v](Protocol& p) { set(p, v); });
        });
    };
    protocol(m_cycle, [](Protocol& p, double v) { p.cycle_ms = v; });
    protocol(m_count, [](Protocol& p, double v) { p.count = static_cast<int>(v); });
    protocol(m_decrement, [](Protocol& p, double v) { p.decrement_ms = v; });
    protocol(m_repeats, [](Protocol& p, double v) { p.repeats = static_cast<int>(v); });
    protocol(m_pause, [](Protocol& p, double v) { p.pause_ms = v; });
    connect(m_extra, &QLineEdit::editingFinished, this, &PacingPanel::takeExtra);
    connect(m_extra, &QLineEdit::textEdited, this, [this] {
        QString bad;
        const bool fine = m_extra->text().isEmpty() || intervalsOf(m_extra->text(), &bad);
        setWrong(m_extra, !fine);
        noteAt(m_extra, fine ? QString() : tr("intervals in ms, e.g. 320, 280"));
    });
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

void PacingPanel::changeProtocol(const QString& what, const std::function<void(Protocol&)>& f)
{
    change(what, [f](Stimulus& s) {
        Protocol p = protocolOf(s);
        f(p);
        if (p.kind != Protocol::Kind::train && p.count == 0)
            p.count = 8; // only a train goes on for ever
        s.protocol = p;
        s.period_ms = 0;
        s.count = 1;
    });
}

void PacingPanel::takeExtra()
{
    const int i = chosen();
    if (i < 0)
        return;
    QString bad;
    const auto ms = intervalsOf(m_extra->text(), &bad);
    setWrong(m_extra, false);
    if (ms) {
        m_extra->setText(intervalsText(*ms));
        return changeProtocol(tr("Change the extra pulses of a site"),
                              [ms](Protocol& p) { p.extra_ms = *ms; });
    }
    // what was given before stays
    const QString now = intervalsText(protocolOf(m_stimuli[static_cast<std::size_t>(i)]).extra_ms);
    m_extra->setText(now);
    noteAt(
        m_extra,
        bad.isEmpty()
            ? tr("one interval or more is needed [ms], e.g. 320, 280: still %1").arg(now)
            : tr("“%1” cannot be taken (intervals in ms, e.g. 320, 280): still %2").arg(bad, now));
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
    m_details->setVisible(i >= 0);
    if (i < 0)
        return;
    const auto& s = m_stimuli[static_cast<std::size_t>(i)];
    m_filling = true;
    if (!m_name->hasFocus())
        m_name->setText(QString::fromStdString(s.name));
    const auto* ball = std::get_if<simulation::Sphere>(&s.region);
    m_radius->setEnabled(ball != nullptr);
    m_now->setEnabled(ball != nullptr); // a pulse at once is one of a ball
    m_now->setToolTip(paceNowTip(s));
    m_radius->setToolTip(radiusTip(s, m_radius->rangeText()));
    m_radius->setSpecialValueText(ball != nullptr ? QString() : tr("none"));
    m_radius->put(ball != nullptr ? ball->radius : 0.2);
    m_amplitude->put(s.amplitude_pA_per_pF);
    m_duration->put(s.duration_ms);
    m_start->put(s.start_ms);
    fillProtocol(s);
    fillState();
    m_filling = false;
}

void PacingPanel::fillState()
{
    const int i = chosen();
    if (i < 0)
        return;
    const auto& s = m_stimuli[static_cast<std::size_t>(i)];
    m_state->setText(siteStateText(s, m_states[static_cast<std::size_t>(i)], m_nowMs, m_endMs));
}

void PacingPanel::fillProtocol(const Stimulus& s)
{
    const Protocol p = protocolOf(s);
    m_kind->setCurrentIndex(static_cast<int>(p.kind));
    m_cycle->put(p.cycle_ms);
    m_count->put(p.count);
    m_decrement->put(p.decrement_ms);
    m_repeats->put(p.repeats);
    m_pause->put(p.pause_ms);
    if (!m_extra->hasFocus())
        m_extra->setText(intervalsText(p.extra_ms));
    for (int k = 0; k < row_count; ++k) {
        m_protocolRows[k]->setVisible(uses(p.kind, k));
        m_protocolLabels[k]->setVisible(uses(p.kind, k));
    }
    m_timeline->setStimulus(s, m_endMs);
    const QString late = lateText(s, m_endMs);
    m_late->setText(late);
    m_late->setVisible(!late.isEmpty());
}

void PacingPanel::resizeEvent(QResizeEvent* e)
{
    QWidget::resizeEvent(e);
    fitList(m_list, static_cast<int>(m_stimuli.size()), height());
}

} // namespace tawara
