// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace tawara {

class NumberBox;

/// What a click gives the tissue.
struct StimulusSettings
{
    double radius_mm = 3;
    double amplitude_pA_per_pF = 50;
    double duration_ms = 2;
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

  Q_SIGNALS:
    void changed(const tawara::StimulusSettings& settings);

  private:
    NumberBox *m_radius, *m_amplitude, *m_duration;
};

} // namespace tawara
