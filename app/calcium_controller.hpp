// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

#include <optional>

class QWidget;

namespace tawara {

class CalciumPanel;
class ClickController;
class MessageBar;

/// The cell whose dyads are shown: chosen by clicks on the heart, read by the engine until somebody
/// says that no cell is to be shown, or another heart is opened.
///
/// @thread GUI thread
class CalciumController : public QObject
{
    Q_OBJECT
  public:
    CalciumController(QWidget& window, EngineHost& host, CalciumPanel& panel,
                      ClickController& clicks, MessageBar& message);
    /// Where the cell is that is watched; nothing: none is.
    const std::optional<Vec3>& cell() const { return m_cell; }

  private:
    void connectPanel();
    void connectHost();
    void show(const EngineHost::FramePtr& frame);
    void savePicture();

    QWidget& m_window;
    EngineHost& m_host;
    CalciumPanel& m_panel;
    ClickController& m_clicks;
    MessageBar& m_message;
    std::optional<Vec3> m_cell;
    bool m_seen = false; ///< a frame had its dyads
};

} // namespace tawara
