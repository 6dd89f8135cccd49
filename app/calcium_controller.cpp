// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/calcium_controller.hpp"

#include "app/click_controller.hpp"
#include "app/export/save_dialog.hpp"
#include "widgets/panels/calcium_panel.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QImage>

namespace tawara {

CalciumController::CalciumController(QWidget& window, EngineHost& host, CalciumPanel& panel,
                                     ClickController& clicks, MessageBar& message)
    : m_window(window), m_host(host), m_panel(panel), m_clicks(clicks), m_message(message)
{
    connectPanel();
    connectHost();
}

void CalciumController::connectPanel()
{
    connect(&m_panel, &CalciumPanel::chooseRequested, this,
            [this](bool on) { m_clicks.setMode(on ? ClickMode::cell : ClickMode::stimulate); });
    connect(&m_panel, &CalciumPanel::stopRequested, this, [this] { m_host.watchDyads({}); });
    connect(&m_panel, &CalciumPanel::pictureRequested, this, &CalciumController::savePicture);
    connect(&m_clicks, &ClickController::modeChanged, this,
            [this](ClickMode mode) { m_panel.setChoosing(mode == ClickMode::cell); });
    connect(&m_clicks, &ClickController::cellChosen, this,
            [this](const Vec3& at) { m_host.watchDyads(at); });
}

void CalciumController::connectHost()
{
    connect(&m_host, &EngineHost::dyadsWatched, this, [this](const std::optional<Vec3>& cell) {
        m_cell = cell;
        m_seen = false;
        m_clicks.setCell(cell);
        if (!cell)
            return m_panel.clear();
        m_message.settle("dyads");
        Q_EMIT m_clicks.panelWanted(QStringLiteral("calciumDock"));
        if (m_host.frame()) // the answer may come behind the first frame
            show(m_host.frame());
    });
    connect(&m_host, &EngineHost::dyadsRefused, this, [this](const QString& reason) {
        m_message.showMessage(MessageBar::Level::warning, reason, {}, "dyads");
    });
    connect(&m_host, &EngineHost::loaded, this, [this] {
        m_cell.reset();
        m_seen = false;
        m_clicks.setCell({});
        m_panel.clear();
    });
    connect(&m_host, &EngineHost::frameArrived, this, &CalciumController::show);
}

void CalciumController::show(const EngineHost::FramePtr& frame)
{
    // until the first one, frames may be older than what was asked for
    if (!m_cell || (!frame->dyads && !m_seen))
        return;
    m_seen = true;
    m_panel.setFrame(frame->dyads);
}

void CalciumController::savePicture()
{
    const QImage picture = m_panel.picture(); // as it is now, not when the file has its name
    const QString path = askWhereToSave(
        &m_window, tr("Save a picture of this cell"),
        saveProposal(QStringLiteral("calcium"), QStringLiteral(".png")), tr("Picture (*.png)"));
    if (path.isEmpty())
        return;
    if (picture.save(path))
        m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(path));
    else
        m_message.showMessage(MessageBar::Level::error, tr("%1 could not be written.").arg(path),
                              tr("Choose a folder that may be written to, with room on its disk."));
}

} // namespace tawara
