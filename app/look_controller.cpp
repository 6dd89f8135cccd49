// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/look_controller.hpp"

#include "app/display_path.hpp"
#include "app/document.hpp"
#include "app/view_controller.hpp"
#include "engine/simulation/observe/beat_label.hpp"
#include "widgets/panels/color_map_editor.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/view_panel.hpp"

#include <algorithm>
#include <vector>

namespace tawara {

LookController::LookController(EngineHost& host, Document& document, ViewController& views,
                               ViewGrid& grid, DisplayPath& path, ViewPanel& panel,
                               const Seen& seen)
    : m_host(host), m_document(document), m_views(views), m_grid(grid), m_path(path),
      m_panel(panel), m_seen(seen)
{
    connectWidgets();
}

void LookController::connectWidgets()
{
    connect(&m_grid, &ViewGrid::currentChanged, this, [this](int i) {
        m_panel.setCurrentView(i);
        watch();
        followMoment();
    });
    connect(&m_grid, &ViewGrid::quantityChosen, this, [this](int i, int q) {
        choose([i, q](ViewSettings& s) {
            s.shown[static_cast<std::size_t>(i)] = static_cast<Quantity>(q);
        });
    });
    connect(&m_views, &ViewController::valuesShown, this, &LookController::fillBullseye);
    connect(&m_views, &ViewController::rangeFound, &m_panel, &ViewPanel::setFoundRange);
    connect(&m_panel, &ViewPanel::changed, this, [this](const ViewSettings& s) { choose(s); });
}

void LookController::choose(const ViewSettings& next)
{
    const ViewSettings before = m_views.settings();
    const QString what = viewChange(before, next);
    if (what.isEmpty())
        return;
    m_document.edits().aside(
        what, [this, next] { apply(next); }, [this, before] { apply(before); }, what);
}

void LookController::choose(const std::function<void(ViewSettings&)>& change)
{
    auto s = m_panel.settings();
    change(s);
    choose(s);
}

void LookController::chooseShown(Quantity q)
{
    choose(
        [i = static_cast<std::size_t>(m_grid.current()), q](ViewSettings& s) { s.shown[i] = q; });
}

void LookController::apply(const ViewSettings& s)
{
    if (m_panel.settings() != s)
        m_panel.setSettings(s);
    m_views.setSettings(s);
    Q_EMIT applied(s);
    watch();
    followMoment();
}

void LookController::usePhase(ViewSettings& s) const
{
    if (!m_phasePlane)
        return;
    s.plane = *m_phasePlane;
    s.shown[0] = Quantity::phase;
}

void LookController::restore(const QJsonObject& view)
{
    auto s = ViewSettings::fromJson(view);
    usePhase(s);
    apply(s);
}

void LookController::forget()
{
    const ViewSettings usual; // what was cut or laid over another heart does not stay
    ViewSettings s = m_panel.settings();
    s.cut = usual.cut;
    s.opacity = usual.opacity;
    s.depolarised = usual.depolarised;
    s.fibres = usual.fibres;
    s.filaments = usual.filaments;
    s.arrows = usual.arrows;
    s.beat = usual.beat;
    s.cameras = {};
    usePhase(s);
    apply(s);
}

void LookController::setPainting(bool on)
{
    auto s = m_panel.settings();
    if (on) {
        auto& shown = s.shown[static_cast<std::size_t>(m_grid.current())];
        m_beforePainting = {m_grid.current(), shown};
        shown = Quantity::regions;
        apply(s);
    } else if (const auto before = std::exchange(m_beforePainting, {})) {
        auto& shown = s.shown[static_cast<std::size_t>(before->first)];
        if (shown == Quantity::regions) { // nobody chose something else meanwhile
            shown = before->second;
            apply(s);
        }
    }
}

void LookController::watch()
{
    const auto& s = m_views.settings();
    m_host.watchMaps(s.needsMaps(), s.beat);
    m_host.watchVolume(s.needsVolume());
    m_host.watchPhase(s.needsPhase(), s.plane);
    m_host.watchBeats(m_seen.beats.isVisible());
    m_host.watchKernels(m_seen.kernels.isVisible());
    // the bull's-eye sums values of the potential here
    m_path.needHost(s.shownIn(m_grid.current()) == Quantity::potential && m_panel.isVisible() &&
                    m_views.hasSegments());
}

void LookController::fillBullseye()
{
    const Quantity q = m_views.settings().shownIn(m_grid.current());
    const bool none = m_views.ready() && !m_views.hasSegments();
    m_panel.bullseye()->setReason(
        none ? tr("No bull's-eye: this mesh has no left ventricle that could be divided into "
                  "segments. The built-in heart, hearts of File > New heart and meshes of both "
                  "ventricles have one.")
             : QString());
    if (none)
        return;
    if (q == Quantity::regions)
        return fillParts();
    const auto style = m_views.settings().style(q);
    const auto [low, high] = m_views.range(q);
    const auto map = mapOf(style, m_views.settings().customMaps);
    BullseyePlot::Values shares;
    const auto means = m_views.segmentMeans(q, &shares);
    m_panel.bullseye()->setValues(
        means,
        q != Quantity::potential && m_views.lookingBack()
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

void LookController::fillParts()
{
    // what was laid over the tissue stands out of it
    const auto& regions = m_document.session().regions;
    const auto shown = std::min<std::ptrdiff_t>( // of before there may be fewer
        std::ssize(regions), m_views.regionNames().size());
    const bool over = std::any_of(regions.begin(), regions.begin() + shown,
                                  [](const auto& r) { return r.inherits(); });
    const QColor ground = m_grid.window()->palette().color(QPalette::Base);
    std::vector<BullseyePlot::Part> parts;
    for (const QString& name : m_views.regionNames()) {
        const auto i = parts.size();
        QColor color = regionColor(i);
        if (over && i < regions.size() && !regions[i].inherits())
            color = QColor((color.red() + 2 * ground.red()) / 3,
                           (color.green() + 2 * ground.green()) / 3,
                           (color.blue() + 2 * ground.blue()) / 3);
        parts.push_back({name, color});
    }
    m_panel.bullseye()->setParts(m_views.segmentRegions(), quantityTitle(Quantity::regions), parts);
}

void LookController::followMoment()
{
    fillBullseye();
    sayCutFace();
}

void LookController::sayCutFace()
{
    m_panel.setGreyFace(m_views.greyFace(m_views.settings().shownIn(m_grid.current())));
}

void LookController::showMapBeats(const std::shared_ptr<const simulation::MapFrame>& maps)
{
    QStringList labels;
    for (const auto& b : maps->beats)
        labels << QString::fromStdString(simulation::beat_label(b, maps->beats.back().number));
    m_panel.setBeats(labels, maps->beats.empty() ? 1 : static_cast<int>(maps->beats.front().number),
                     static_cast<int>(simulation::newest_propagated(maps->beats)),
                     static_cast<int>(simulation::newest_repolarised(maps->beats)));
}

} // namespace tawara
