// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/known_models.hpp"

#include <QJsonObject>
#include <QWidget>

#include <functional>
#include <vector>

class QLineEdit;
class QTabWidget;
class QTreeWidget;
class QToolButton;

namespace tawara {

class BrushCard;
class CellsCard;
class DrugEditor;
class PlaceCard;
class PrepacingCard;

/// Regions of the tissue in the order in which they are laid (the last that holds a place wins),
/// what the chosen one is made of, and drugs.
class TissuePanel : public QWidget
{
    Q_OBJECT
  public:
    explicit TissuePanel(QWidget* parent = nullptr);
    ~TissuePanel() override;
    /// Models that can be chosen; they must live as long as the panel.
    void setModels(const std::vector<const cell::ModelInfo*>& models);
    /// A model of a file, by its key (cell/special_variables.hpp), from now on among the others.
    void addModel(const std::string& key, const cell::ModelInfo* info);
    /// Keys of regions' models that nobody has described yet.
    std::vector<std::string> unknownModels() const;
    /// Asks for another model of a region, with its own defaults.
    void setModel(int region, const std::string& key);
    void setSession(const simulation::Session& s);
    void choose(int index);
    int chosen() const;
    /// What the brush paints and how large it is.
    BrushCard* brush() { return m_brush; }
    /// What the mesh's labels are called; shown where regions are by label.
    void setLabels(const std::vector<mesh::RegionName>& names);
    /// Where a region comes to lie that becomes a ball or a box.
    void setStart(const simulation::Sphere& ball);
    /// Shows the brush, while the heart is painted, on the page of regions.
    void setPainting(bool on);
    /// Which of its pages is open, for the session.
    QJsonObject look() const;
    void setLook(const QJsonObject& o);
    /// Those of the scene: shows what cells reached that were paced before the run.
    void setNotices(const Notices& notices);
    /// Those of the scene: what was found for regions that want velocities.
    void setTuned(const std::vector<simulation::TunedRegion>& tuned);
    /// What is known of conduction in the chosen region; `warning` may be empty.
    void setVelocity(const QString& text, const QString& warning);

    /// Whether the mesh has fibres: presets lower conductivities across them.
    void setFibres(bool on);

  Q_SIGNALS:
    void edited(const QString& what, const tawara::SessionChange& change, const QString& key);
    void paintRequested(int region); ///< choose the brush
    void placeRequested(int region); ///< the next click is the middle of the region's ball or box
    void chosenChanged(int index);
    void modelFileRequested(int region); ///< a file is to be chosen, then setModel()

  protected:
    void resizeEvent(QResizeEvent* e) override;

  private:
    QToolButton* buildAdd();
    QWidget* buildRegions();
    void buildDetails();
    void connectRegions(QToolButton* remove, QToolButton* up, QToolButton* down);
    void fillModels();
    void addRegion(const simulation::Region& r);
    void fillList();
    void fillDetails();
    /// Of the chosen region.
    /// @param together  with the next change of the same kind, as one step of undo
    void change(const QString& what, const std::function<void(simulation::Region&)>& f,
                bool together);
    /// The drugs with what none of the regions' models has, as far as these are known.
    void fillDrugs();

    KnownModels m_models;
    std::vector<simulation::Region> m_regions;
    std::vector<simulation::Drug> m_given;
    std::vector<mesh::RegionName> m_labels;
    bool m_filling = false, m_fibres = true;
    QTabWidget* m_tabs;
    QTreeWidget* m_list;
    QWidget* m_details;
    QLineEdit* m_name;
    PlaceCard* m_place;
    CellsCard* m_cells;
    std::vector<simulation::TunedRegion> m_tuned;
    DrugEditor* m_drugs;
    PrepacingCard* m_prepacing;
    BrushCard* m_brush;
};

} // namespace tawara
