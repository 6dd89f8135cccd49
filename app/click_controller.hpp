// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "widgets/view3d/heart_view.hpp"

#include <optional>

namespace tawara {

class Document;
class EcgPanel;
class LookController;
class MessageBar;
class PacingPanel;
class PaintingController;
class ProbeModel;
class TissuePanel;
class ViewController;
class ViewGrid;

/// What the mouse does on the heart: the chosen tool, what the next click is for, markers that are
/// chosen and moved; and the sites, probes and electrodes that come of it.
///
/// @thread GUI thread
class ClickController : public QObject
{
    Q_OBJECT
  public:
    ClickController(EngineHost& host, Document& document, ProbeModel& probes, ViewController& views,
                    ViewGrid& grid, PacingPanel& pacing, TissuePanel& tissue, EcgPanel& ecg,
                    LookController& look, PaintingController& painting, MessageBar& message);
    void setMode(ClickMode mode);
    ClickMode mode() const { return m_mode; }
    /// Sites, probes and electrodes are others, or look otherwise.
    void updateMarkers();
    /// The cell whose dyads are shown has a marker there; nothing: none is shown.
    void setCell(const std::optional<Vec3>& at);
    /// Where a run has failed; views that see the other side turn there. Nothing: nowhere.
    void showFailure(const std::optional<Vec3>& at);

  Q_SIGNALS:
    /// A click chose the cell there (ClickMode::cell).
    void cellChosen(const tawara::Vec3& at);
    /// A click chose the piece of the network that leads to that drawn point (ClickMode::branch).
    void branchChosen(int point);
    void modeChanged(tawara::ClickMode mode);
    /// A panel is to be seen, by its dock's object name.
    void panelWanted(const QString& dock);

  private:
    enum class Next { nothing, region_centre, electrode }; // what the next click on the wall is for

    void connectPacing();
    void connectTissue();
    void connectView(HeartView* view);
    void wallClicked(const scene::Pick& pick);
    /// The next click on the wall is for this, whatever the tool; Esc, or a tool, leaves it.
    /// @param what  is said until then
    void await(Next next, const QString& what);
    void placeElectrode(const scene::Pick& pick);
    /// The chosen region's ball or box gets its middle there.
    void placeRegion(const Vec3& at);
    /// Adds a pacing site and says when it paces.
    void addSite(const QString& what, const simulation::Stimulus& fresh);
    /// One pulse of a site now.
    void paceNow(const simulation::Stimulus& site);
    void moveMarker(const scene::Marker& marker, const scene::Pick& pick, bool dropped);
    /// How large the ring is where the tool would act, while no other click is waited for [mm].
    void setRadius(double mm);

    EngineHost& m_host;
    Document& m_document;
    ProbeModel& m_probes;
    ViewController& m_views;
    ViewGrid& m_grid;
    PacingPanel& m_pacing;
    TissuePanel& m_tissue;
    EcgPanel& m_ecg;
    LookController& m_look;
    PaintingController& m_painting;
    MessageBar& m_message;
    ClickMode m_mode = ClickMode::stimulate;
    Next m_next = Next::nothing;
    std::optional<Vec3> m_cell, m_failure;
};

} // namespace tawara
