// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/maps.hpp"

#include <QWidget>

class QComboBox;

namespace tawara {

class NumberBox;

/// The plane in which the phase is the angle: which one, and its delay.
class PhaseRow : public QWidget
{
    Q_OBJECT
  public:
    explicit PhaseRow(QWidget* parent = nullptr);
    /// Without a signal.
    void setPlane(const simulation::PhasePlane& p);

  Q_SIGNALS:
    void changed(const tawara::simulation::PhasePlane& plane);

  private:
    void tell();

    simulation::PhasePlane m_plane;
    QComboBox* m_kind;
    NumberBox* m_delay;
};

} // namespace tawara
