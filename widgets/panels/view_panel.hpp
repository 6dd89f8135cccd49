// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/view_settings.hpp"
#include "widgets/plots/bullseye_plot.hpp"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace tawara {

class ColorMapEditor;
class NumberBox;
class PhaseRow;

/// How the heart is shown: what, in which colours and range, with isochrones; cuts, transparency,
/// depolarised tissue, fibres, filaments, velocities; the bull's-eye of what the current view
/// shows.
class ViewPanel : public QWidget
{
    Q_OBJECT
  public:
    explicit ViewPanel(QWidget* parent = nullptr);
    const ViewSettings& settings() const { return m_settings; }
    void setSettings(const ViewSettings& s);
    /// Which of the views is spoken of.
    void setCurrentView(int view);
    /// The range that an automatic one has found for a quantity; shown when that is.
    void setFoundRange(Quantity q, double low, double high, double step);
    /// Why the cut face of the current view is grey; empty: it shows what the wall shows.
    void setGreyFace(const QString& why);
    /// What the beats of the maps are called, the newest last; the first has that number.
    /// @param propagated   number of the newest that did; 0: none
    /// @param repolarised  number of the newest that did, or that propagated; 0: none
    void setBeats(const QStringList& labels, int first, int propagated = 0, int repolarised = 0);
    BullseyePlot* bullseye() { return m_bullseye; }

  Q_SIGNALS:
    void changed(const tawara::ViewSettings& settings);

  private:
    QWidget* buildColors();
    void connectColors();
    QWidget* buildVolume();
    void connectVolume();
    void fill();
    void fillMaps();
    void fillPlane();
    void fillBeats();
    void fillOpacity();
    void fillCutHint();
    void set(const std::function<void(ViewSettings&)>& f);
    QuantityStyle& style() { return m_settings.style(m_settings.shownIn(m_view)); }

    ViewSettings m_settings;
    struct Found
    {
        double low, high, step;
    };
    QMap<Quantity, Found> m_found; ///< automatic ranges and distances of lines as last found
    QStringList m_beatLabels;
    QString m_greyFace; ///< why it is
    int m_firstBeat = 1, m_propagatedBeat = 1, m_repolarisedBeat = 1, m_view = 0;
    bool m_filling = false;
    QComboBox *m_layout, *m_quantity, *m_map, *m_beat, *m_cut, *m_axis, *m_fibres;
    QCheckBox *m_linked, *m_reversed, *m_automatic, *m_isochrones, *m_flip, *m_depolarised,
        *m_filaments, *m_arrows, *m_annotations;
    NumberBox *m_low, *m_high, *m_step, *m_threshold;
    PhaseRow* m_plane;
    QSlider *m_position, *m_opacity;
    QLabel* m_opacityText;
    QPushButton* m_own;
    ColorMapEditor* m_editor;
    BullseyePlot* m_bullseye;
    QLabel *m_cutHint, *m_opacityHint;
};

} // namespace tawara
