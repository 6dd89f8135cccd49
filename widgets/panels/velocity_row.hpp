// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QWidget>

#include <array>
#include <functional>
#include <optional>

class QToolButton;

namespace tawara {

class NumberBox;

/// What waves of a region should run at, in place of its conductivities: a button, and a number for
/// each direction.
class VelocityRow : public QWidget
{
    Q_OBJECT
  public:
    explicit VelocityRow(QWidget* parent = nullptr);
    /// Without a signal.
    /// @param found  the conductivities that are used for its velocities; nothing: not known yet
    void fill(const simulation::Region& r, const std::optional<diffusion::Conductivity>& found);

  Q_SIGNALS:
    /// @param together  with the next change of the same kind, as one step of undo
    void changed(const QString& what, const std::function<void(tawara::simulation::Region&)>& f,
                 bool together);

  private:
    void tune(bool on);

    std::array<NumberBox*, 3> m_box{}; ///< along fibre, sheet, normal
    QToolButton* m_on;
    std::optional<diffusion::Conductivity> m_found;
};

/// The velocities that a region is offered first: usual ones, as far as its conductivities tell
/// directions apart (a mesh need not have fibres, nor sheets).
simulation::ConductionVelocity usualVelocity(const simulation::Region& r);

} // namespace tawara
