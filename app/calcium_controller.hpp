// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

#include <optional>

class QJsonObject;
class QWidget;

namespace tawara {

class CalciumPanel;
class ClickController;
class Document;
class ExportController;
class MessageBar;
class ReplayController;

/// The cell whose dyads are shown: chosen by clicks on the heart, read by the engine until somebody
/// says that no cell is to be shown, or another heart is opened. While the views show a recorded
/// moment the panel shows the cell of then, or says why it stands still.
///
/// @thread GUI thread
class CalciumController : public QObject
{
    Q_OBJECT
  public:
    /// Others that it works with.
    struct Others
    {
        Document& document;
        ClickController& clicks;
        ReplayController& replay;
        ExportController& exports;
        MessageBar& message;
    };
    CalciumController(QWidget& window, EngineHost& host, CalciumPanel& panel, const Others& others);
    /// Where the cell is that is watched; nothing: none is.
    const std::optional<Vec3>& cell() const { return m_cell; }
    /// Says in a session's view which cell is shown.
    void addLook(QJsonObject& view) const;
    /// Watches the cell that a session's view names.
    void restore(const QJsonObject& view);

  private:
    void connectPanel();
    void connectHost();
    void show(const EngineHost::FramePtr& frame);
    /// The views show another moment, or the run again.
    void followMoment();
    void showMoment(double ms);
    void savePicture();
    void makeMovie();
    void saveSparks();
    /// Tells the panel what the cell's region is like.
    void showRegion();
    /// The session's region whose model the cell has, or the one whose forced openings count;
    /// nothing where it has none with dyads.
    std::optional<std::size_t> regionOfModel() const;
    std::optional<std::size_t> regionOfOpening() const;
    /// Another forced opening of the cell's region.
    void hold(const simulation::ForcedOpening& opening);
    /// Held until it is let go, which ends the opening that began with it.
    void holdWhilePressed(bool on);
    void giveIsoproterenol(bool on);

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    CalciumPanel& m_panel;
    ClickController& m_clicks;
    ReplayController& m_replay;
    ExportController& m_exports;
    MessageBar& m_message;
    std::optional<Vec3> m_cell;
    bool m_seen = false;                             ///< a frame had its dyads
    bool m_restoring = false;                        ///< a session's cell was asked for
    std::optional<simulation::ForcedOpening> m_held; ///< while the button is pressed
};

} // namespace tawara
