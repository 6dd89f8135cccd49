// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/prepacing_card.hpp"

#include "widgets/panels/key_box.hpp"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {

using simulation::Prepacing;
using simulation::Session;

namespace {

constexpr std::int64_t usual_beats = 100, most_steady_beats = 2000;

/// The cycle length of the first site that paces regularly; 1000 ms where none does.
double usualCycle(const Session& s)
{
    for (const auto& x : s.stimuli) {
        const double ms = x.protocol ? x.protocol->cycle_ms : x.period_ms;
        if (x.on && ms >= Prepacing::shortest_cycle_ms && ms <= Prepacing::longest_cycle_ms)
            return ms;
    }
    return 1000;
}

} // namespace

PrepacingCard::PrepacingCard(QWidget* parent) : QWidget(parent)
{
    m_on = new QCheckBox(tr("Pace the cells before the run"));
    m_on->setObjectName("prepace");
    m_beats = keyBox("prepacingBeats", "/tissue/prepacing/beats");
    m_cycle = keyBox("prepacingCycle", "/tissue/prepacing/cycle_length_ms");
    m_untilSteady = new QCheckBox(tr("End when steady"));
    m_untilSteady->setObjectName("prepacingUntilSteady");
    m_untilSteady->setToolTip(
        tr("Stops early once every state is within 1 % of its steady state. The number of beats "
           "is then the maximum"));
    m_rows = new QWidget;
    auto* form = new QFormLayout(m_rows);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("Beats"), m_beats);
    form->addRow(tr("Cycle length"), m_cycle);
    form->addRow(QString(), m_untilSteady);
    m_reached = new QLabel;
    m_reached->setObjectName("prepacingReached");
    m_reached->setWordWrap(true);
    m_reached->setTextFormat(Qt::PlainText);
    auto* hint = hintLabel(
        tr("Models start from the state that their authors published, which drifts for many beats "
           "at another rhythm. Here each cell type is paced alone first, and the tissue starts "
           "with the states reached. Counts from the next start (Ctrl+R)."));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 8);
    column->addWidget(m_on);
    column->addWidget(m_rows);
    column->addWidget(m_reached);
    column->addWidget(hint);
    column->addStretch(1);
    connect(m_on, &QCheckBox::toggled, this, [this](bool on) {
        set({on ? usual_beats : 0, on ? m_usualMs : m_prepacing.cycle_length_ms}, {});
    });
    connect(m_untilSteady, &QCheckBox::toggled, this, [this](bool on) {
        auto p = m_prepacing;
        if (on && p.beats == usual_beats)
            p.beats = most_steady_beats;
        p.until_steady = on;
        set(p, {});
    });
    connect(m_beats, &QDoubleSpinBox::valueChanged, this, [this](double n) {
        auto p = m_prepacing;
        p.beats = std::llround(n);
        set(p, "prepacing beats");
    });
    connect(m_cycle, &QDoubleSpinBox::valueChanged, this, [this](double ms) {
        auto p = m_prepacing;
        p.cycle_length_ms = ms;
        set(p, "prepacing cycle");
    });
    setSession({});
}

void PrepacingCard::setSession(const Session& s)
{
    m_prepacing = s.prepacing;
    m_usualMs = usualCycle(s);
    show_();
}

void PrepacingCard::setReached(const QString& text, bool warning)
{
    m_text = text;
    m_warning = warning;
    show_();
}

void PrepacingCard::set(const Prepacing& p, const QString& key)
{
    m_prepacing = p;
    show_();
    Q_EMIT edited(
        tr("Change the pacing of cells before the run"), [p](Session& s) { s.prepacing = p; }, key);
}

void PrepacingCard::show_()
{
    const bool on = m_prepacing.beats > 0;
    {
        const QSignalBlocker quiet(m_on);
        m_on->setChecked(on);
    }
    m_rows->setVisible(on);
    if (on) {
        m_beats->put(static_cast<double>(m_prepacing.beats));
        m_cycle->put(m_prepacing.cycle_length_ms);
        const QSignalBlocker quiet(m_untilSteady);
        m_untilSteady->setChecked(m_prepacing.until_steady);
    }
    m_reached->setVisible(on && !m_text.isEmpty());
    m_reached->setProperty("level", m_warning ? "warning" : "");
    m_reached->style()->unpolish(m_reached);
    m_reached->style()->polish(m_reached);
    m_reached->setText(m_text);
}

} // namespace tawara
