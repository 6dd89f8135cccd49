// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/stimulus_panel.hpp"

#include "widgets/panels/key_box.hpp"

#include <QFormLayout>
#include <QLabel>

namespace tawara {

StimulusPanel::StimulusPanel(QWidget* parent) : QWidget(parent)
{
    m_radius = keyBox("radius", "/stimuli/#/region/sphere_mm/radius",
                      tr("Tissue within this distance of the click is stimulated"));
    m_amplitude = keyBox("amplitude", "/stimuli/#/amplitude_pA_per_pF");
    m_duration = keyBox("duration", "/stimuli/#/duration_ms");
    for (auto* b : {m_radius, m_amplitude, m_duration})
        connect(b, &QDoubleSpinBox::valueChanged, this, [this] { Q_EMIT changed(settings()); });
    auto* form = new QFormLayout(this);
    form->setContentsMargins(12, 10, 12, 10);
    form->setVerticalSpacing(7);
    form->addRow(tr("Radius"), m_radius);
    form->addRow(tr("Amplitude"), m_amplitude);
    form->addRow(tr("Duration"), m_duration);
    m_hint = new QLabel;
    m_hint->setObjectName("clickHint");
    m_hint->setWordWrap(true);
    m_hint->setProperty("weak", true);
    form->addRow(m_hint);
    connect(this, &StimulusPanel::changed, this, &StimulusPanel::fillHint);
    setSettings({});
}

StimulusPanel::~StimulusPanel()
{
    hide(); // what is being typed ends while all is there
}

void StimulusPanel::setCapturing(double radius_mm)
{
    const bool own = ownRadius();
    m_capturing = radius_mm;
    if (own)
        return fillHint();
    m_radius->put(radius_mm);
    Q_EMIT changed(settings());
}

void StimulusPanel::fillHint()
{
    const QString what =
        tr("With the Stimulate tool (S) a click on the heart gives this, also while it "
           "runs.");
    const auto s = settings();
    const bool less = s.radius_mm < m_capturing ||
                      s.amplitude_pA_per_pF < simulation::usual_amplitude_pA_per_pF ||
                      s.duration_ms < simulation::usual_duration_ms;
    m_hint->setText(!less ? what
                          : tr("%1 On this mesh %2 pA/pF for %3 ms within %4 mm capture resting "
                               "tissue anywhere; less may not.")
                                .arg(what)
                                .arg(simulation::usual_amplitude_pA_per_pF)
                                .arg(simulation::usual_duration_ms)
                                .arg(m_capturing));
}

StimulusSettings StimulusPanel::settings() const
{
    return {m_radius->value(), m_amplitude->value(), m_duration->value()};
}

void StimulusPanel::setSettings(const StimulusSettings& s)
{
    m_radius->put(s.radius_mm);
    m_amplitude->put(s.amplitude_pA_per_pF);
    m_duration->put(s.duration_ms);
    Q_EMIT changed(settings());
}

} // namespace tawara
