// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/mesh/region_names.hpp"
#include "engine/simulation/session/presets.hpp"
#include "widgets/panels/form.hpp"

#include <QJsonObject>
#include <QWidget>

#include <array>
#include <vector>

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLineEdit;
class QMenu;
class QTableWidget;
class QTabWidget;
class QTreeWidget;
class QToolButton;

namespace tawara {

class BrushCard;
class DrugEditor;
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
    void setStart(const simulation::Sphere& ball) { m_start = ball; }
    /// Shows the brush, while the heart is painted, on the page of regions.
    void setPainting(bool on);
    /// Which of its pages is open, for the session.
    QJsonObject look() const;
    void setLook(const QJsonObject& o);
    /// Those of the scene: shows what cells reached that were paced before the run.
    void setNotices(const Notices& notices);
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
    enum ParameterColumn { name_column, value_column, default_column };

    // tissue_panel_build.cpp
    QToolButton* buildAdd();
    QWidget* buildRegions();
    QWidget* buildPlace();
    QWidget* buildBox();
    QHBoxLayout* buildScale();
    QWidget* buildCells();
    void connectRegions(QToolButton* remove, QToolButton* up, QToolButton* down);
    void connectCells();
    void connectParameters();
    // tissue_panel.cpp
    void fillModels();
    /// "as beneath" stands among the models, or not: there has to be something beneath.
    void offerBeneath(bool on);
    /// The models of the regions beneath one, each once; null among them: one is not described yet.
    std::vector<const cell::ModelInfo*> modelsBeneath(int region) const;
    void addRegion(const simulation::Region& r);
    void fillList();
    void fillDetails();
    QString warned(const QString& text) const; ///< as HTML
    void fillCells(const simulation::Region& r);
    void fillPlace(const simulation::Region& r);
    void fillParameters(const simulation::Region& r);
    QString nameIn(int row) const; ///< of the parameter in a row of the table
    struct ParameterRow
    {
        QString name;
        std::array<QString, 3> texts; ///< name with unit, value, default
        QString tip;
        bool changed = false;
        bool value =
            false; ///< of a region that changes what lies beneath: set, in place of a factor
    };
    static constexpr int value_role = Qt::UserRole + 1; ///< ParameterRow::value
    /// A model's parameters; of a region that changes what lies beneath, its factors on them, and
    /// the values of those that are 0 in a normal cell.
    /// @param beneath  models of the regions beneath: what none of them has is not offered
    std::vector<ParameterRow>
    parameterRows(const simulation::Region& r,
                  const std::vector<const cell::ModelInfo*>& beneath) const;
    void change(const QString& what, const std::function<void(simulation::Region&)>& f,
                bool together = true);
    void placeKindChosen(int kind);
    void placeTextEdited();
    /// @param k  x, y, z of the box's low corner, then of its high one
    void boxEdited(std::size_t k, double mm);
    const cell::ModelInfo* model(const std::string& key) const;
    /// The drugs with what none of the regions' models has, as far as these are known.
    void fillDrugs();

    struct KnownModel
    {
        std::string key; ///< a library model's name, or of a file
        const cell::ModelInfo* info;
    };
    std::vector<KnownModel> m_models;
    std::vector<simulation::Region> m_regions;
    std::vector<simulation::Drug> m_given;
    std::vector<mesh::RegionName> m_labels;
    simulation::Sphere m_start{{0, 0, 0}, 15};
    bool m_filling = false, m_fibres = true;
    QTabWidget* m_tabs;
    QTreeWidget* m_list;
    QWidget* m_details;
    QLineEdit *m_name, *m_where, *m_filter;
    QComboBox *m_placeKind, *m_layer, *m_model, *m_variant;
    QToolButton *m_centre, *m_paint, *m_erase;
    QLabel *m_painted, *m_velocity, *m_source, *m_whereLabel;
    QLabel* m_stepAdvice; ///< where the session's step is none for the model
    cell::Scheme m_scheme = {};
    double m_stepMs = 0;
    QWidget* m_boxRows;
    std::array<NumberBox*, 6> m_box; ///< as boxEdited() counts them
    NumberBox *m_radius, *m_fibre, *m_sheet, *m_normal;
    std::array<NumberBox*, 3> m_scale{}; ///< along fibre, sheet, normal
    QToolButton* m_even;                 ///< one factor for all three
    int m_evenOf = -1;                   ///< region of which it was set
    QCheckBox* m_insulating;
    QTableWidget* m_parameters;
    /// What the table of parameters says.
    struct ShownParameters
    {
        bool written = false;
        const cell::ModelInfo* info = nullptr;
        std::string variant;
        decltype(simulation::Region::parameters) values, factors;
        std::vector<const cell::ModelInfo*> beneath;
        bool operator==(const ShownParameters&) const = default;
    } m_shown;
    DrugEditor* m_drugs;
    PrepacingCard* m_prepacing;
    BrushCard* m_brush;
};

} // namespace tawara
