// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/site_card.hpp"

#include "widgets/panels/field_note.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/pulse_timeline.hpp"
#include "widgets/panels/site_words.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace tawara {
namespace {

using simulation::Protocol;
using simulation::Stimulus;

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

SiteCard::SiteCard(QWidget* parent) : QWidget(parent)
{
    build();
}

void SiteCard::build()
{
    // what wraps stays out of the form: beside hidden rows it would get wrong heights for all of
    // them
    auto* column = new QVBoxLayout(this);
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
    connectFields();
}

void SiteCard::connectFields()
{
    connect(m_now, &QToolButton::clicked, this, &SiteCard::paceNowRequested);
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
    connect(m_extra, &QLineEdit::editingFinished, this, &SiteCard::takeExtra);
    connect(m_extra, &QLineEdit::textEdited, this, [this] {
        QString bad;
        const bool fine = m_extra->text().isEmpty() || intervalsOf(m_extra->text(), &bad);
        setWrong(m_extra, !fine);
        noteAt(m_extra, fine ? QString() : tr("intervals in ms, e.g. 320, 280"));
    });
}

void SiteCard::change(const QString& what, const std::function<void(Stimulus&)>& f)
{
    if (!m_filling)
        Q_EMIT changed(what, f);
}

void SiteCard::changeProtocol(const QString& what, const std::function<void(Protocol&)>& f)
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

void SiteCard::takeExtra()
{
    if (!m_site)
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
    const QString now = intervalsText(protocolOf(*m_site).extra_ms);
    m_extra->setText(now);
    noteAt(
        m_extra,
        bad.isEmpty()
            ? tr("one interval or more is needed [ms], e.g. 320, 280: still %1").arg(now)
            : tr("“%1” cannot be taken (intervals in ms, e.g. 320, 280): still %2").arg(bad, now));
}

void SiteCard::setSite(const Stimulus& s, double endMs)
{
    m_site = s;
    show();
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
    fillProtocol(s, endMs);
    m_filling = false;
}

void SiteCard::clear()
{
    m_site.reset();
    hide();
}

void SiteCard::setState(const QString& text)
{
    m_state->setText(text);
}

void SiteCard::fillProtocol(const Stimulus& s, double endMs)
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
    m_timeline->setStimulus(s, endMs);
    const QString late = lateText(s, endMs);
    m_late->setText(late);
    m_late->setVisible(!late.isEmpty());
}

} // namespace tawara
