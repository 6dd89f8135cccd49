// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

#include <optional>

class QWidget;

namespace tawara {

class CalciumPanel;
class ClickController;
class Document;
class MessageBar;

/// The cell whose dyads are shown: chosen by clicks on the heart, read by the engine until somebody
/// says that no cell is to be shown, or another heart is opened.
///
/// @thread GUI thread
class CalciumController : public QObject
{
    Q_OBJECT
  public:
    CalciumController(QWidget& window, EngineHost& host, Document& document, CalciumPanel& panel,
                      ClickController& clicks, MessageBar& message);
    /// Where the cell is that is watched; nothing: none is.
    const std::optional<Vec3>& cell() const { return m_cell; }

  private:
    void connectPanel();
    void connectHost();
    void show(const EngineHost::FramePtr& frame);
    void savePicture();
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
    MessageBar& m_message;
    std::optional<Vec3> m_cell;
    bool m_seen = false;                             ///< a frame had its dyads
    std::optional<simulation::ForcedOpening> m_held; ///< while the button is pressed
};

} // namespace tawara
