// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QWidget>

namespace tawara {

/// When a site's pulses come, as strokes over time, and where the simulation is.
class PulseTimeline : public QWidget
{
    Q_OBJECT
  public:
    explicit PulseTimeline(QWidget* parent = nullptr);
    void setStimulus(const simulation::Stimulus& s, double endMs);
    QSize sizeHint() const override { return {160, 46}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    std::vector<double> m_times;
    double m_endMs = 1000;
};

} // namespace tawara
