// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/pulse_strength.hpp"

#include <QWidget>

class QLabel;

namespace tawara {

class NumberBox;

/// What a click gives the tissue.
struct StimulusSettings
{
    double radius_mm = simulation::usual_radius_mm;
    double amplitude_pA_per_pF = simulation::usual_amplitude_pA_per_pF;
    double duration_ms = simulation::usual_duration_ms;
    bool operator==(const StimulusSettings&) const = default;
};

/// Radius, amplitude and duration of the stimulus that a click on the wall gives.
class StimulusPanel : public QWidget
{
    Q_OBJECT
  public:
    explicit StimulusPanel(QWidget* parent = nullptr);
    ~StimulusPanel() override;
    StimulusSettings settings() const;
    void setSettings(const StimulusSettings& s);
    /// The radius that captures resting tissue anywhere on the mesh that is shown
    /// (capturing_radius_mm()): it is taken unless the user has chosen another one.
    void setCapturing(double radius_mm);
    /// Whether the radius is one that the user chose.
    bool ownRadius() const { return settings().radius_mm != m_capturing; }

  Q_SIGNALS:
    void changed(const tawara::StimulusSettings& settings);

  private:
    void fillHint();

    NumberBox *m_radius, *m_amplitude, *m_duration;
    QLabel* m_hint;
    double m_capturing = simulation::usual_radius_mm; ///< radius [mm]
};

} // namespace tawara
