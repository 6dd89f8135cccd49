// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/calcium_controller.hpp"

#include "app/click_controller.hpp"
#include "app/document.hpp"
#include "app/export/cell_painter.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/export/save_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/replay_controller.hpp"
#include "engine/simulation/observe/spark_csv.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "widgets/panels/calcium_panel.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/view3d/dyad_view.hpp"

#include <QImage>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara {

namespace {

constexpr const char* drugged = "isoproterenol"; // variants of the model
constexpr const char* plain = "healthy";

bool isPlain(const simulation::Region& r)
{
    return r.variant.empty() || r.variant == plain;
}

} // namespace

CalciumController::CalciumController(QWidget& window, EngineHost& host, CalciumPanel& panel,
                                     const Others& others)
    : m_window(window), m_host(host), m_document(others.document), m_panel(panel),
      m_clicks(others.clicks), m_replay(others.replay), m_exports(others.exports),
      m_message(others.message)
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
    connect(&m_panel, &CalciumPanel::movieRequested, this, &CalciumController::makeMovie);
    connect(&m_panel, &CalciumPanel::sparksRequested, this, &CalciumController::saveSparks);
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
    connect(&m_clicks, &ClickController::cellChosen, this, [this](const Vec3& at) {
        m_restoring = false;
        m_host.watchDyads(at);
    });
    connect(&m_replay, &ReplayController::momentChanged, this, &CalciumController::followMoment);
}

void CalciumController::connectHost()
{
    connect(&m_host, &EngineHost::dyadsWatched, this, [this](const std::optional<Vec3>& cell) {
        m_cell = cell;
        m_seen = false;
        m_clicks.setCell(cell);
        if (cell) {
            m_message.settle("dyads");
            if (!std::exchange(m_restoring, false)) // a session says which panels are in front
                Q_EMIT m_clicks.panelWanted(QStringLiteral("calciumDock"));
        }
        followMoment(); // the answer may come behind the first frame
    });
    connect(&m_host, &EngineHost::dyadsRefused, this, [this](const QString& reason) {
        const bool restoring = std::exchange(m_restoring, false);
        m_message.showMessage(
            MessageBar::Level::warning,
            restoring ? tr("The cell that this session shows is not there. %1").arg(reason)
                      : reason,
            {}, "dyads");
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

void CalciumController::addLook(QJsonObject& view) const
{
    if (!m_cell)
        return;
    auto calcium = view["calcium"].toObject();
    calcium["cell_mm"] = QJsonArray{(*m_cell)[0], (*m_cell)[1], (*m_cell)[2]};
    view["calcium"] = calcium;
}

void CalciumController::restore(const QJsonObject& view)
{
    const auto at = view["calcium"]["cell_mm"].toArray();
    if (at.size() != 3 || !std::all_of(at.begin(), at.end(), [](const auto& x) {
            return x.isDouble() && std::isfinite(x.toDouble());
        }))
        return;
    m_restoring = true;
    m_host.watchDyads(Vec3{at[0].toDouble(), at[1].toDouble(), at[2].toDouble()});
}

void CalciumController::show(const EngineHost::FramePtr& frame)
{
    // until the first one, frames may be older than what was asked for
    if (!m_cell || m_replay.moment() || (!frame->dyads && !m_seen))
        return;
    m_seen = true;
    const bool others =
        !frame->dyads || !m_panel.frame() || m_panel.frame()->regions != frame->dyads->regions;
    m_panel.setFrame(frame->dyads);
    if (others)
        showRegion();
}

void CalciumController::followMoment()
{
    if (m_replay.moment())
        return showMoment(*m_replay.moment());
    m_panel.setMoment({});
    m_clicks.setCell(m_cell);
    if (!m_cell)
        return m_panel.clear();
    if (m_host.frame())
        show(m_host.frame());
    showRegion();
}

void CalciumController::showMoment(double ms)
{
    const auto recording = m_host.recording();
    const auto cells = recording ? recording->cells() : nullptr;
    std::shared_ptr<const simulation::DyadFrame> then;
    QString why = cells ? QString::fromStdString(cells->why()) : QString();
    try {
        then = cells ? cells->at(ms) : nullptr;
    } catch (const std::exception& e) { // a damaged file
        why = QString::fromUtf8(e.what());
    }
    if (then) {
        m_panel.setFrame(then);
        m_panel.setMoment(recordedCellText(then->time_ms));
        m_clicks.setCell(then->position_mm);
    } else {
        m_clicks.setCell(m_cell);
        const auto now = m_cell && m_host.frame() ? m_host.frame()->dyads : nullptr;
        if (!now)
            return m_panel.clear();
        m_panel.setFrame(now);
        m_panel.setMoment(standingStillText(now->time_ms, ms, why));
    }
    m_panel.setControls(false); // they act on the run
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
    const auto at = m_replay.moment() ? std::nullopt : regionOfModel();
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
    const QString error = writePicture(m_exports.withProvenance(picture), path);
    if (error.isEmpty())
        m_message.showMessage(MessageBar::Level::done, tr("Saved %1").arg(path));
    else
        m_message.showMessage(MessageBar::Level::error, error,
                              tr("Choose a folder that may be written to, with room on its disk."));
}

void CalciumController::makeMovie()
{
    const auto recording = m_host.recording();
    const auto cells = recording ? recording->cells() : nullptr;
    const auto cell = !cells              ? nullptr
                      : m_replay.moment() ? cells->watched_at(*m_replay.moment())
                                          : cells->newest();
    if (!cell || cell->frames()->frame_count() == 0 || m_panel.view() == nullptr) {
        const QString why = cells ? QString::fromStdString(cells->why()) : QString();
        return m_message.showMessage(
            MessageBar::Level::error,
            why.isEmpty() ? tr("Nothing was recorded of a cell.")
                          : tr("The cell is not recorded: %1.").arg(why),
            tr("Press Record (Ctrl+E) while a cell is chosen and let the simulation run; the movie "
               "is made of recorded frames."),
            "movie");
    }
    auto* view = m_panel.view();
    m_exports.askForCellMovie(
        cell->frames(),
        [this, cell, view]() -> std::unique_ptr<MoviePainter> {
            return std::make_unique<CellPainter>(cell, *view, m_panel.quantity());
        },
        view->size());
}

void CalciumController::saveSparks()
{
    const auto log = m_panel.frame() ? m_panel.frame()->sparks : nullptr;
    if (!log)
        return;
    const QString path = askWhereToSave(
        &m_window, tr("Save the sparks of this cell"),
        saveProposal(QStringLiteral("sparks"), QStringLiteral(".csv")), tr("Table (*.csv)"));
    if (path.isEmpty())
        return;
    try {
        simulation::write_sparks(path.toStdString(), log->sparks());
        simulation::write_provenance_beside(path.toStdString(), m_exports.provenance());
        const auto gone = static_cast<double>(log->dropped());
        m_message.showMessage(
            MessageBar::Level::done, tr("Saved %1").arg(path),
            gone > 0 ? tr("The first %1 sparks are not in it: the newest %2 are kept.")
                           .arg(spacedNumber(gone),
                                spacedNumber(static_cast<double>(simulation::SparkLog::most)))
                     : QString());
    } catch (const std::exception& e) {
        m_message.showMessage(MessageBar::Level::error, QString::fromUtf8(e.what()),
                              tr("Choose a folder that may be written to, with room on its disk."));
    }
}

} // namespace tawara
