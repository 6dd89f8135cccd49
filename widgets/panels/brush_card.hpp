// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QFrame>

#include <optional>
#include <vector>

class QLabel;

namespace tawara {

class ChoiceBox;
class NumberBox;

/// What the brush paints (a painted region there is, or a new one of a kind) and how large it is.
class BrushCard : public QFrame
{
    Q_OBJECT
  public:
    explicit BrushCard(QWidget* parent = nullptr);
    /// The session's regions; those that are painted can be gone on with.
    void setRegions(const std::vector<simulation::Region>& regions);
    /// Whether the mesh has fibres: presets lower conductivities across them.
    void setFibres(bool on) { m_fibres = on; }
    /// Goes on with that region, where it is a painted one.
    void choose(int region);
    /// The session's region that a stroke goes into; nothing: a new one, fresh().
    std::optional<int> region() const;
    /// What is to be added for the first stroke; nothing is painted in it yet.
    simulation::Region fresh() const;
    double radius() const;
    /// How deep below the surface it paints [mm].
    double depth() const;

  Q_SIGNALS:
    void regionChosen(int region); ///< one there is
    void radiusChanged(double mm);
    void doneRequested();

  private:
    void fill();
    void explain();

    std::vector<simulation::Region> m_regions;
    bool m_fibres = true;
    ChoiceBox* m_what;
    NumberBox *m_radius, *m_depth;
    QLabel* m_hint;
};

} // namespace tawara
