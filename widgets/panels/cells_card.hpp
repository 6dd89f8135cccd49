// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "widgets/panels/form.hpp"

#include <QWidget>

#include <array>
#include <functional>
#include <optional>
#include <vector>

class QCheckBox;
class QHBoxLayout;

namespace tawara {

class KnownModels;
class ParameterTable;
class VelocityRow;

/// What a region is made of: its cells' model, variant and parameters, how it conducts.
class CellsCard : public QWidget
{
    Q_OBJECT
  public:
    /// @param models  that can be chosen; must outlive this
    explicit CellsCard(const KnownModels& models, QWidget* parent = nullptr);
    /// Others can be chosen by now; setRegion() has to follow.
    void offerModels();
    /// With which the session steps, from the next setRegion() on: what is no step for the model is
    /// said.
    void setStep(cell::Scheme scheme, double dt_ms);
    /// @param index    of the region
    /// @param beneath  models of the regions beneath it; null among them: one is not known yet
    /// @param found    the conductivities that are used for its velocities; nothing: not known yet
    void setRegion(const simulation::Region& r, int index,
                   const std::vector<const cell::ModelInfo*>& beneath,
                   const std::optional<diffusion::Conductivity>& found = {});
    /// What is known of conduction in the region; `warning` may be empty.
    void setVelocity(const QString& text, const QString& warning);

  Q_SIGNALS:
    /// @param together  with the next change of the same kind, as one step of undo
    void changed(const QString& what, const std::function<void(tawara::simulation::Region&)>& f,
                 bool together);
    void modelChosen(const std::string& key); ///< empty: as beneath
    void modelFileRequested();                ///< a file is to be chosen

  private:
    QHBoxLayout* buildScale();
    void connectFields();
    void change(const QString& what, const std::function<void(simulation::Region&)>& f,
                bool together = true);
    /// "as beneath" stands among the models, or not: there has to be something beneath.
    void offerBeneath(bool on);
    void refill();
    void fill(const simulation::Region& r, int index,
              const std::vector<const cell::ModelInfo*>& beneath);
    void fillCells(const simulation::Region& r);
    void fillConduction(const simulation::Region& r);
    QString warned(const QString& text) const; ///< as HTML

    const KnownModels& m_models;
    simulation::Region m_region;
    int m_index = -1; ///< of the region; below 0: there was none yet
    std::vector<const cell::ModelInfo*> m_beneath;
    std::optional<diffusion::Conductivity> m_found;
    bool m_filling = false;
    cell::Scheme m_scheme = {};
    double m_stepMs = 0;
    QComboBox *m_model, *m_variant;
    QLabel *m_source, *m_velocity;
    QLabel* m_stepAdvice; ///< where the session's step is none for the model
    NumberBox *m_fibre, *m_sheet, *m_normal;
    VelocityRow* m_wanted;
    std::array<NumberBox*, 3> m_scale{}; ///< along fibre, sheet, normal
    QToolButton* m_even;                 ///< one factor for all three
    int m_evenOf = -1;                   ///< region of which it was set
    QCheckBox* m_insulating;
    ParameterTable* m_parameters;
};

} // namespace tawara
