// SPDX-License-Identifier: GPL-3.0-or-later
// The rhythm of the bundle of His in the Conduction panel.
#include "widgets/panels/conduction_panel.hpp"
#include "widgets/panels/form.hpp"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>

#include <cmath>

namespace tawara {

using simulation::Protocol;

std::optional<ConductionPanel::His> hisOf(const simulation::PurkinjeKeys& keys)
{
    ConductionPanel::His his{keys.his, keys.his_ms, 0, 1};
    if (!keys.his_protocol || keys.his_protocol->kind == Protocol::Kind::single)
        return his;
    if (keys.his_protocol->kind != Protocol::Kind::train)
        return std::nullopt;
    his.period_ms = keys.his_protocol->cycle_ms;
    his.beats = keys.his_protocol->count;
    return his;
}

void setHis(simulation::PurkinjeKeys& keys, const ConductionPanel::His& his)
{
    keys.his = his.on;
    keys.his_ms = his.first_ms;
    keys.his_protocol.reset();
    if (!(his.period_ms > 0))
        return;
    keys.his_protocol.emplace();
    keys.his_protocol->kind = Protocol::Kind::train;
    keys.his_protocol->cycle_ms = his.period_ms;
    keys.his_protocol->count = his.beats;
}

void ConductionPanel::makeHis(QBoxLayout& column)
{
    m_his = new QCheckBox(tr("The bundle of His paces"));
    m_his->setObjectName("hisOn");
    m_his->setToolTip(tr("The root of the network is stimulated in this rhythm"));
    m_first = new NumberBox("hisFirst", "ms", {0, 1e9, 1, 2}, tr("When the first pulse begins"));
    m_period = new NumberBox("hisPeriod", "ms", {0, 100000, 10, 1},
                             tr("From one pulse to the next; 0: there is one pulse"));
    m_period->setSpecialValueText(tr("once"));
    m_beats = new NumberBox("hisBeats", {}, {0, double(Protocol::most_pulses), 1, 0},
                            tr("How many pulses; 0: as long as the run goes on"));
    m_beats->setSpecialValueText(tr("no end"));
    m_hisNote = hintLabel({});
    m_hisNote->setObjectName("hisNote");
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(4);
    form->addRow(tr("First"), m_first);
    form->addRow(tr("Every"), m_period);
    form->addRow(tr("Pulses"), m_beats);
    column.addWidget(m_his);
    column.addLayout(form);
    column.addWidget(m_hisNote);
    connect(m_his, &QCheckBox::clicked, this, &ConductionPanel::hisEdited);
    for (NumberBox* b : {m_first, m_period, m_beats})
        connect(b, &QDoubleSpinBox::valueChanged, this, &ConductionPanel::hisEdited);
}

void ConductionPanel::showHis()
{
    const auto his = hisOf(m_keys);
    const QSignalBlocker quiet(m_his);
    m_his->setChecked(m_keys.his);
    m_first->put(m_keys.his_ms);
    m_period->put(his ? his->period_ms : m_keys.his_protocol->cycle_ms);
    m_beats->put(his ? his->beats : m_keys.his_protocol->count);
    for (QWidget* w : {static_cast<QWidget*>(m_first), static_cast<QWidget*>(m_period)})
        w->setEnabled(m_keys.his);
    m_beats->setEnabled(m_keys.his && m_period->value() > 0);
    m_hisNote->setText(his ? QString()
                           : tr("The session's protocol is an S1-S2 or a burst. A change here "
                                "makes it a regular rhythm."));
    m_hisNote->setVisible(!his);
}

void ConductionPanel::hisEdited()
{
    const His his{m_his->isChecked(), m_first->value(), m_period->value(),
                  m_period->value() > 0 ? static_cast<int>(std::lround(m_beats->value())) : 1};
    setHis(m_keys, his);
    showHis();
    Q_EMIT hisChanged(his);
}

} // namespace tawara
