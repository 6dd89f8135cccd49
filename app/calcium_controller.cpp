// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/calcium_controller.hpp"

#include "app/click_controller.hpp"
#include "app/document.hpp"
#include "app/export/save_dialog.hpp"
#include "widgets/panels/calcium_panel.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QImage>

#include <algorithm>

namespace tawara {

namespace {

constexpr const char* drugged = "isoproterenol"; // variants of the model
constexpr const char* plain = "healthy";

bool isPlain(const simulation::Region& r)
{
    return r.variant.empty() || r.variant == plain;
}

} // namespace

CalciumController::CalciumController(QWidget& window, EngineHost& host, Document& document,
                                     CalciumPanel& panel, ClickController& clicks,
                                     MessageBar& message)
    : m_window(window), m_host(host), m_document(document), m_panel(panel), m_clicks(clicks),
      m_message(message)
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
    connect(&m_panel, &CalciumPanel::holdRequested, this, [this](double ms) {
        if (const auto frame = m_host.frame())
            hold({frame->time_ms, frame->time_ms + ms});
    });
    connect(&m_panel, &CalciumPanel::heldChanged, this, &CalciumController::holdWhilePressed);
    connect(&m_panel, &CalciumPanel::isoproterenolRequested, this,
            &CalciumController::giveIsoproterenol);
    connect(&m_document, &Document::tissueChanged, this, &CalciumController::showRegion);
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
        m_held.reset();
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
    const bool others =
        !frame->dyads || !m_panel.frame() || m_panel.frame()->regions != frame->dyads->regions;
    m_panel.setFrame(frame->dyads);
    if (others)
        showRegion();
}

std::optional<std::size_t> CalciumController::regionOfModel() const
{
    const auto& frame = m_panel.frame();
    if (!frame || frame->regions.empty())
        return std::nullopt;
    const auto at = m_document.regionOfEngine(frame->regions.back());
    return at && has_dyads(m_document.session().regions[*at]) ? at : std::nullopt;
}

std::optional<std::size_t> CalciumController::regionOfOpening() const
{
    const auto model = regionOfModel();
    if (model)
        for (const auto number : m_panel.frame()->regions)
            if (const auto at = m_document.regionOfEngine(number);
                at && m_document.session().regions[*at].forced_opening_ms)
                return at;
    return model;
}

void CalciumController::showRegion()
{
    const auto at = regionOfModel();
    m_panel.setControls(at.has_value());
    if (!at)
        return;
    const auto& region = m_document.session().regions[*at];
    const bool on = region.variant == drugged;
    m_panel.setIsoproterenol(
        on, on || isPlain(region)
                ? QString()
                : tr("The cell's region has the variant %1. Give it the "
                     "variant %2 in the Tissue panel first.")
                      .arg(QString::fromStdString(region.variant), QLatin1String(plain)));
}

void CalciumController::hold(const simulation::ForcedOpening& opening)
{
    const auto at = regionOfOpening();
    if (!at)
        return;
    m_document.edits().edit(tr("Hold RyR open"), [at, opening](simulation::Session& s) {
        auto& list = s.regions[*at].forced_opening_ms;
        if (!list)
            list.emplace();
        list->push_back(opening);
    });
}

void CalciumController::holdWhilePressed(bool on)
{
    const auto& session = m_document.session();
    const auto at = regionOfOpening();
    const auto frame = m_host.frame();
    if (!at || !frame || on == m_held.has_value())
        return;
    if (on) {
        constexpr double least_ms = 1e4; // longer than a button is pressed
        m_held = {frame->time_ms, std::max(session.end_ms, frame->time_ms + least_ms)};
        return hold(*m_held);
    }
    const auto held = *m_held;
    m_held.reset();
    m_document.edits().edit(tr("Let RyR go"), [at, held, now = frame->time_ms](auto& s) {
        if (auto& list = s.regions[*at].forced_opening_ms)
            for (auto& f : *list)
                if (f == held)
                    f.until_ms = std::max(now, f.from_ms + s.dt_ms);
    });
}

void CalciumController::giveIsoproterenol(bool on)
{
    if (const auto at = regionOfModel())
        m_document.edits().edit(
            on ? tr("Give isoproterenol") : tr("Take isoproterenol away"),
            [at, on](simulation::Session& s) { s.regions[*at].variant = on ? drugged : plain; });
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
