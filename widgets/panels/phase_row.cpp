// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/phase_row.hpp"

#include "widgets/panels/form.hpp"

#include <QComboBox>
#include <QHBoxLayout>

namespace tawara {

using simulation::PhasePlane;

PhaseRow::PhaseRow(QWidget* parent) : QWidget(parent), m_kind(new QComboBox)
{
    m_kind->setObjectName("phasePlane");
    m_kind->addItems({tr("V and V before"), tr("V and recovery")});
    m_kind->setToolTip(
        tr("The plane in which the phase is the angle: V now across, and upwards V that long "
           "before, or the cells' recovery variable (the calcium current's inactivation f, I_Kr's "
           "activation in O'Hara-Rudy's models, or the second variable of a simple model). Violet: "
           "at rest; pink: just activated; gold: up; teal: just repolarised"));
    m_delay = new NumberBox("phaseDelay", tr("ms"),
                            {PhasePlane::shortest_ms, PhasePlane::longest_ms, 5, 0},
                            tr("How long before: 20 to 30 ms for re-entry. A short one shows where "
                               "the front and the end of the wave are, and little else"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_kind, 1);
    row->addWidget(m_delay);
    connect(m_kind, &QComboBox::activated, this, [this](int i) {
        m_plane.kind = static_cast<PhasePlane::Kind>(i);
        tell();
    });
    connect(m_delay, &QDoubleSpinBox::valueChanged, this, [this](double ms) {
        m_plane.delay_ms = ms;
        tell();
    });
    setPlane({});
}

void PhaseRow::setPlane(const PhasePlane& p)
{
    m_plane = p;
    m_kind->setCurrentIndex(static_cast<int>(p.kind));
    m_delay->put(p.delay_ms);
    m_delay->setEnabled(p.kind == PhasePlane::Kind::delayed);
}

void PhaseRow::tell()
{
    m_delay->setEnabled(m_plane.kind == PhasePlane::Kind::delayed);
    Q_EMIT changed(m_plane);
}

} // namespace tawara
