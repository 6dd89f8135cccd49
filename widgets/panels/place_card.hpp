// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"

#include <QWidget>

#include <array>
#include <functional>
#include <optional>

class QLineEdit;

namespace tawara {

/// Where a region lies: by labels, segments or a layer, in a ball or a box, or as it is painted.
class PlaceCard : public QWidget
{
    Q_OBJECT
  public:
    explicit PlaceCard(QWidget* parent = nullptr);
    void setRegion(const simulation::Region& r);
    /// Where a region comes to lie that becomes a ball or a box.
    void setStart(const simulation::Sphere& ball) { m_start = ball; }

  Q_SIGNALS:
    /// @param together  with the next change of the same kind, as one step of undo
    void changed(const QString& what, const std::function<void(tawara::simulation::Region&)>& f,
                 bool together);
    void placeRequested(); ///< the next click is the middle of the ball or box
    void paintRequested();

  private:
    void connectFields();
    QWidget* buildBox();
    void fill(const simulation::Region& r);
    void change(const QString& what, const std::function<void(simulation::Region&)>& f,
                bool together = true);
    void kindChosen(int kind);
    void textEdited();
    /// @param k  x, y, z of the box's low corner, then of its high one
    void boxEdited(std::size_t k, double mm);

    std::optional<simulation::Region> m_region;
    simulation::Sphere m_start{{0, 0, 0}, 15};
    bool m_filling = false;
    QComboBox *m_kind, *m_layer;
    QLineEdit* m_where;
    QLabel *m_whereLabel, *m_painted;
    QToolButton *m_centre, *m_paint, *m_erase;
    QWidget* m_boxRows;
    std::array<NumberBox*, 6> m_box; ///< as boxEdited() counts them
    NumberBox* m_radius;
};

} // namespace tawara
