// SPDX-License-Identifier: GPL-3.0-or-later
// What the views show, and of which moment.
#include "app/main_window.hpp"

#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/color_map_editor.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QJsonDocument>

#include <algorithm>

namespace tawara {
void MainWindow::updateWatches()
{
    const auto& s = m_views->settings();
    m_host->watchMaps(s.needsMaps(), s.beat);
    m_host->watchVolume(s.needsVolume());
    m_host->watchPhase(s.needsPhase(), s.plane);
    m_host->watchBeats(m_beats->isVisible());
    m_host->watchKernels(m_performance->isVisible());
    // the bull's-eye sums values of the potential here
    m_displayPath->needHost(s.shownIn(m_grid->current()) == Quantity::potential &&
                            m_viewPanel->isVisible() && m_views->hasSegments());
}

void MainWindow::updateBullseye()
{
    const Quantity q = m_views->settings().shownIn(m_grid->current());
    const bool none = m_views->ready() && !m_views->hasSegments();
    m_viewPanel->bullseye()->setReason(
        none ? tr("No bull's-eye: this mesh has no left ventricle that could be divided into "
                  "segments. The built-in heart, hearts of File > New heart and meshes of both "
                  "ventricles have one.")
             : QString());
    if (none)
        return;
    if (q == Quantity::regions) {
        // what was laid over the tissue stands out of it
        const auto& regions = m_document->session().regions;
        const auto shown = std::min<std::ptrdiff_t>( // of before there may be fewer
            std::ssize(regions), m_views->regionNames().size());
        const bool over = std::any_of(regions.begin(), regions.begin() + shown,
                                      [](const auto& r) { return r.inherits(); });
        const QColor ground = palette().color(QPalette::Base);
        std::vector<BullseyePlot::Part> parts;
        for (const QString& name : m_views->regionNames()) {
            const auto i = parts.size();
            QColor color = regionColor(i);
            if (over && i < regions.size() && !regions[i].inherits())
                color = QColor((color.red() + 2 * ground.red()) / 3,
                               (color.green() + 2 * ground.green()) / 3,
                               (color.blue() + 2 * ground.blue()) / 3);
            parts.push_back({name, color});
        }
        return m_viewPanel->bullseye()->setParts(m_views->segmentRegions(), quantityTitle(q),
                                                 parts);
    }
    const auto style = m_views->settings().style(q);
    const auto [low, high] = m_views->range(q);
    const auto map = mapOf(style, m_views->settings().customMaps);
    BullseyePlot::Values shares;
    const auto means = m_views->segmentMeans(q, &shares);
    m_viewPanel->bullseye()->setValues(
        means,
        q != Quantity::potential && m_views->lookingBack()
            ? tr("%1, of the run").arg(quantityTitle(q)) // what a view's remark says of maps
            : quantityTitle(q),
        quantityInfo(q).decimals,
        [map, low = low, high = high](double v) {
            const double t = std::clamp((v - low) / (high - low), 0.0, 1.0);
            const auto& c = map.colors[static_cast<std::size_t>(255 * t)];
            return QColor(c[0], c[1], c[2]);
        },
        shares);
}

void MainWindow::sayCutFace()
{
    m_viewPanel->setGreyFace(m_views->greyFace(m_views->settings().shownIn(m_grid->current())));
}

void MainWindow::changeView(const ViewSettings& next)
{
    const ViewSettings before = m_views->settings();
    const QString what = viewChange(before, next);
    if (what.isEmpty())
        return;
    m_document->edits().aside(
        what, [this, next] { applyView(next); }, [this, before] { applyView(before); }, what);
}

void MainWindow::applyView(const ViewSettings& s)
{
    if (m_viewPanel->settings() != s)
        m_viewPanel->setSettings(s);
    m_views->setSettings(s);
    m_scarAction->setChecked(s.scar);
    updateWatches();
    updateBullseye();
    sayCutFace();
}

void MainWindow::usePhase(ViewSettings& s) const
{
    if (!m_phasePlane)
        return;
    s.plane = *m_phasePlane;
    s.shown[0] = Quantity::phase;
}

void MainWindow::restoreView(const std::string& json)
{
    if (json.empty()) { // colours and layout stay; what was cut or laid over another heart does not
        const ViewSettings usual;
        ViewSettings s = m_viewPanel->settings();
        s.cut = usual.cut;
        s.opacity = usual.opacity;
        s.depolarised = usual.depolarised;
        s.fibres = usual.fibres;
        s.filaments = usual.filaments;
        s.arrows = usual.arrows;
        s.beat = usual.beat;
        s.cameras = {};
        usePhase(s);
        return applyView(s);
    }
    const auto o = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    if (o.isEmpty())
        return;
    auto s = ViewSettings::fromJson(o);
    usePhase(s);
    applyView(s);
    if (o.contains("ecg")) // sessions of before say nothing of it
        m_ecg->setLook(o["ecg"].toObject());
    if (o.contains("tissue"))
        m_tissue->setLook(o["tissue"].toObject());
    if (const auto layout = QByteArray::fromBase64(o["layout"].toString().toLatin1());
        !layout.isEmpty())
        restoreState(layout);
}

void MainWindow::showMapBeats(const std::shared_ptr<const simulation::MapFrame>& maps)
{
    QStringList labels;
    for (const auto& b : maps->beats)
        labels << QString::fromStdString(simulation::beat_label(b, maps->beats.back().number));
    m_viewPanel->setBeats(labels,
                          maps->beats.empty() ? 1 : static_cast<int>(maps->beats.front().number),
                          static_cast<int>(simulation::newest_propagated(maps->beats)),
                          static_cast<int>(simulation::newest_repolarised(maps->beats)));
}

} // namespace tawara
