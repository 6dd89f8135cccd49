// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/view_settings.hpp"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

class QJsonObject;
class QWidget;

namespace tawara {

class DisplayPath;
class Document;
class EngineHost;
class ViewController;
class ViewGrid;
class ViewPanel;

/// What the views show, as the user chooses it: in the View panel, above a view, in menus; with
/// undo, and kept with the session. The engine computes what is shown, and no more; the bull's-eye
/// follows.
///
/// @thread GUI thread
class LookController : public QObject
{
    Q_OBJECT
  public:
    /// What else is computed only while somebody sees it.
    struct Seen
    {
        const QWidget &beats, &kernels;
    };
    LookController(EngineHost& host, Document& document, ViewController& views, ViewGrid& grid,
                   DisplayPath& path, ViewPanel& panel, const Seen& seen);
    /// The first view shows the phase in that plane, whatever a session says.
    void showPhase(const simulation::PhasePlane& p) { m_phasePlane = p; }
    /// What the user chose; can be undone.
    void choose(const ViewSettings& s);
    /// The same settings with a change.
    void choose(const std::function<void(ViewSettings&)>& change);
    /// The same, of what the current view shows.
    void chooseShown(Quantity q);
    /// Of a session: what it says; of one that says nothing, colours and layout stay.
    void restore(const QJsonObject& view);
    void forget();
    /// Whether the heart is painted: the current view shows the regions meanwhile, and then again
    /// what it showed, unless somebody chose something else.
    void setPainting(bool on);
    /// Tells the engine what is seen now.
    void watch();
    void fillBullseye();
    /// The views show another moment.
    void followMoment();
    void showMapBeats(const std::shared_ptr<const simulation::MapFrame>& maps);

  Q_SIGNALS:
    void applied(const tawara::ViewSettings& s);

  private:
    void apply(const ViewSettings& s);
    void usePhase(ViewSettings& s) const;
    /// The bull's-eye of the regions.
    void fillParts();
    /// What the View panel says of the cut face.
    void sayCutFace();
    void connectWidgets();

    EngineHost& m_host;
    Document& m_document;
    ViewController& m_views;
    ViewGrid& m_grid;
    DisplayPath& m_path;
    ViewPanel& m_panel;
    Seen m_seen;
    std::optional<simulation::PhasePlane> m_phasePlane;       // of the command line
    std::optional<std::pair<int, Quantity>> m_beforePainting; // a view, and what it showed
};

} // namespace tawara
