// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/stimulus_panel.hpp"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

namespace tawara {

QDoubleSpinBox* StimulusPanel::box(const QString& name, const QString& unit, double low,
                                   double high, double step, int decimals, const QString& tip)
{
    auto* b = new QDoubleSpinBox(this);
    b->setObjectName(name);
    b->setRange(low, high);
    b->setSingleStep(step);
    b->setDecimals(decimals);
    b->setSuffix(QStringLiteral(" ") + unit);
    b->setToolTip(tip);
    // Return gives the keys back to the window: Space plays again
    connect(b->findChild<QLineEdit*>(), &QLineEdit::returnPressed, b, &QWidget::clearFocus);
    connect(b, &QDoubleSpinBox::valueChanged, this, [this] { Q_EMIT changed(settings()); });
    return b;
}

StimulusPanel::StimulusPanel(QWidget* parent) : QWidget(parent)
{
    m_radius = box("radius", tr("mm"), 0.2, 50, 0.5, 1,
                   tr("Tissue within this distance of the click is stimulated"));
    m_amplitude = box("amplitude", tr("pA/pF"), -200, 500, 5, 0,
                      tr("Current per membrane capacitance; positive depolarises"));
    m_duration = box("duration", tr("ms"), 0.1, 100, 0.5, 1, tr("How long the current flows"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(12, 10, 12, 10);
    form->setVerticalSpacing(7);
    form->addRow(tr("Radius"), m_radius);
    form->addRow(tr("Amplitude"), m_amplitude);
    form->addRow(tr("Duration"), m_duration);
    auto* hint =
        new QLabel(tr("With the Pulse tool (S) a click on the heart gives this, also while it "
                      "runs."));
    hint->setWordWrap(true);
    hint->setProperty("weak", true);
    form->addRow(hint);
    setSettings({});
}

StimulusSettings StimulusPanel::settings() const
{
    return {m_radius->value(), m_amplitude->value(), m_duration->value()};
}

void StimulusPanel::setSettings(const StimulusSettings& s)
{
    m_radius->setValue(s.radius_mm);
    m_amplitude->setValue(s.amplitude_pA_per_pF);
    m_duration->setValue(s.duration_ms);
}

} // namespace tawara
