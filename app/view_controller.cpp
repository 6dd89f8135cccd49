// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/view_controller.hpp"

#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/panels/color_map_editor.hpp"
#include "widgets/scene/overlays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tawara {
namespace {

constexpr double trim = 0.01; // of the values at each end that an automatic range leaves out

QString replayCaption(double ms)
{
    return ViewController::tr("replay %1 ms").arg(ms, 0, 'f', 1);
}

/// AHA segment of each surface vertex from the mesh's own field; empty where it has none.
std::vector<std::int8_t> segments(const mesh::TetMesh& m, const mesh::Surface& s)
{
    const auto* f = m.field("aha_segment");
    if (f == nullptr || f->on != mesh::Field::On::tetrahedra)
        return {};
    std::vector<std::int8_t> out(s.vertices.size(), 0);
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto n = static_cast<std::int8_t>(
            std::lround(f->values[static_cast<std::size_t>(s.tetrahedron[t])]));
        for (auto v : s.triangles[t])
            if (n >= 1 && n <= 17)
                out[static_cast<std::size_t>(v)] = n;
    }
    return out;
}

/// Where most of the values lie, in round numbers.
/// @param decimals  that values are shown with
std::pair<double, double> fitted(std::vector<float> v, std::pair<double, double> otherwise,
                                 int decimals)
{
    std::erase_if(v, [](float x) { return !std::isfinite(x); });
    if (v.size() < 8)
        return otherwise;
    const auto at = [&](double part) {
        const auto i = static_cast<std::ptrdiff_t>(part * static_cast<double>(v.size() - 1));
        std::nth_element(v.begin(), v.begin() + i, v.end());
        return static_cast<double>(v[static_cast<std::size_t>(i)]);
    };
    double low = at(trim), high = at(1 - trim);
    const double step = decimals > 0 ? 0.1 : high - low > 60 ? 10 : high - low > 20 ? 5 : 1;
    low = std::floor(low / step) * step, high = std::ceil(high / step) * step;
    return {low, std::max(high, low + step)};
}

} // namespace

double mapNoise(std::span<const float> values,
                std::span<const std::array<std::int32_t, 3>> triangles)
{
    constexpr int rounds = 12;       // of averaging: over some edges' lengths
    constexpr double kept = 0.9;     // the rest are fronts where a wave was blocked
    constexpr double of_mean = 1.25; // standard deviation over mean magnitude
    const std::size_t n = values.size();
    std::vector<double> smooth(values.begin(), values.end()), sum(n);
    std::vector<int> around(n);
    const auto known = [&](std::size_t i) { return i < n && std::isfinite(values[i]); };
    for (int round = 0; round < rounds; ++round) {
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(around.begin(), around.end(), 0);
        for (const auto& t : triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto i = static_cast<std::size_t>(t[k]),
                           j = static_cast<std::size_t>(t[(k + 1) % 3]);
                if (known(i) && known(j)) // the edge's other triangle goes from j to i
                    sum[i] += smooth[j], ++around[i];
            }
        for (std::size_t i = 0; i < n; ++i)
            if (around[i] > 0)
                smooth[i] = 0.5 * (smooth[i] + sum[i] / around[i]);
    }
    std::vector<double> off;
    for (std::size_t i = 0; i < n; ++i)
        if (around[i] > 2)
            off.push_back(std::abs(static_cast<double>(values[i]) - smooth[i]));
    const auto count = static_cast<std::ptrdiff_t>(kept * static_cast<double>(off.size()));
    if (count == 0)
        return 0;
    std::nth_element(off.begin(), off.begin() + count, off.end());
    return of_mean * std::accumulate(off.begin(), off.begin() + count, 0.0) /
           static_cast<double>(count);
}

ViewController::ViewController(ViewGrid* grid, QObject* parent) : QObject(parent), m_grid(grid)
{
    connect(&m_tissues, &TissueHistory::laidOut, this, [this] {
        if (!findTissues())
            return;
        m_grid->each([&](HeartView& v, int i) { dress(v, i); });
        Q_EMIT valuesShown();
    });
    connect(grid, &ViewGrid::viewShown, this, [this](HeartView* view, int i) {
        view->scene().set_theme(m_theme);
        if (!m_model)
            return;
        const auto pose = m_grid->view(0)->scene().camera();
        const bool known = view->scene().model() == m_model; // hidden since it was made
        if (!known)
            view->setModel(m_model);
        if (m_settings.linked || !known)
            view->scene().set_camera(pose);
        view->scene().set_markers(m_markers);
        view->setMode(m_mode);
        view->setBrushRadius(m_brushMm);
        dress(*view, i);
    });
}

ViewController::~ViewController()
{
    m_pool.waitForDone();
}

void ViewController::setScene(const EngineHost::ScenePtr& scene)
{
    m_scene = scene;
    m_model.reset();
    m_frame.reset();
    m_maps.reset();
    m_recorded.reset();
    m_tissues.begin(scene);
    m_momentTissue.reset();
    m_beatTissue.reset();
    m_regions.clear();
    m_regionOf.clear();
    m_regionInside.clear();
    m_partition.clear();
    m_segment.clear();
    m_face.reset();
    m_front.reset();
    m_fibres = {};
    m_fibresMade = ViewSettings::Fibres::none;
    m_arrows = {};
    m_arrowsText.clear();
    m_scar = {};
    setNetwork(scene ? scene->network : nullptr);
    if (!scene || !scene->mesh || !scene->surface)
        return;
    m_pool.start(this, [this, scene] {
        auto model = scene::heart_model(*scene->mesh, *scene->surface);
        auto of = segments(*scene->mesh, *scene->surface);
        postTo(this, [this, scene, model = std::move(model), of = std::move(of)] {
            if (scene != m_scene)
                return;
            m_model = model;
            m_segment = of;
            if (model) {
                double b[6];
                model->poly->GetCellsBounds(b);
                m_low = {b[0], b[2], b[4]}, m_high = {b[1], b[3], b[5]};
            }
            m_grid->each([&](HeartView& v, int i) {
                v.setModel(m_model);
                v.scene().set_markers(m_markers);
                if (const auto& c = m_settings.cameras[static_cast<std::size_t>(i)])
                    v.scene().set_camera({{(*c)[0], (*c)[1], (*c)[2]},
                                          {(*c)[3], (*c)[4], (*c)[5]},
                                          {(*c)[6], (*c)[7], (*c)[8]}});
                dress(v, i);
            });
            setSettings(m_settings);
            Q_EMIT modelReady();
        });
    });
}

ViewSettings ViewController::settingsNow() const
{
    ViewSettings s = m_settings;
    s.cameras = {};
    for (int i = 0; i < m_grid->count(); ++i) {
        const auto c = m_grid->view(i)->scene().camera();
        s.cameras[static_cast<std::size_t>(i)] = {
            c.position[0],    c.position[1], c.position[2], c.focal_point[0], c.focal_point[1],
            c.focal_point[2], c.up[0],       c.up[1],       c.up[2]};
    }
    return s;
}

void ViewController::setSettings(const ViewSettings& s)
{
    m_settings = s;
    m_grid->setCount(s.count);
    m_grid->setLinked(s.linked);
    m_grid->each([&](HeartView& v, int i) {
        m_grid->setQuantity(i, static_cast<int>(s.shownIn(i)));
        dress(v, i);
    });
    updateSection();
    updateDepolarised();
    updateFibres();
    updateArrows();
    updateFilaments();
    Q_EMIT valuesShown();
}

void ViewController::setTheme(const scene::SceneTheme& theme)
{
    m_theme = theme;
    m_grid->each([&](HeartView& v, int) {
        v.scene().set_theme(theme);
        v.schedule();
    });
    setSettings(m_settings);
}

void ViewController::setMarkers(std::vector<scene::Marker> markers)
{
    m_markers = std::move(markers);
    m_grid->each([&](HeartView& v, int) {
        v.scene().set_markers(m_markers);
        v.schedule();
    });
}

void ViewController::setMode(ClickMode mode, double brushMm)
{
    m_mode = mode, m_brushMm = brushMm;
    m_grid->each([&](HeartView& v, int) {
        v.setMode(mode);
        v.setBrushRadius(brushMm);
    });
}

std::pair<double, double> ViewController::range(Quantity q) const
{
    const auto& s = m_settings.style(q);
    const auto& found = m_found[static_cast<std::size_t>(q)];
    if (s.automatic && found.second > found.first)
        return found;
    return {s.low, s.high};
}

double ViewController::step(Quantity q) const
{
    const auto& s = m_settings.style(q);
    const auto& found = m_found[static_cast<std::size_t>(q)];
    return s.stepFits && s.automatic && found.second > found.first
               ? m_foundStep[static_cast<std::size_t>(q)]
               : s.step;
}

void ViewController::applyRange(HeartView& view, int i)
{
    const auto [low, high] = range(m_settings.shownIn(i));
    view.scene().set_range(low, high);
}

void ViewController::setLook(HeartView& view, int i)
{
    const Quantity q = m_settings.shownIn(i);
    const auto& info = quantityInfo(q);
    const auto& style = m_settings.style(q);
    scene::LiveScalarMapper::Style look;
    look.isochrones = style.isochrones && !info.flat ? static_cast<float>(step(q)) : 0;
    look.cyclic = info.cyclic;
    look.flat = info.flat;
    look.plain = m_settings.cut == ViewSettings::Cut::slice; // the slice is what is read
    const bool dark = m_theme.background_low[0] < 0.5;
    for (float& c : look.never)
        c = dark ? 0.36F : 0.66F;
    view.scene().set_style(look);
}

QString ViewController::captionOf(Quantity q) const
{
    if (!m_settings.annotations || !quantityInfo(q).maps)
        return {};
    return beatLabel().section(QLatin1Char(','), 0, 0);
}

QString ViewController::beatLabel() const
{
    return m_maps ? QString::fromStdString(simulation::beat_label(*m_maps)) : QString();
}

void ViewController::dress(HeartView& view, int i)
{
    const Quantity q = m_settings.shownIn(i);
    auto& scene = view.scene();
    scene.set_color_map(mapOf(m_settings.style(q), m_settings.customMaps));
    scene.set_title(quantityTitle(q).toStdString());
    scene.set_bar(!quantityInfo(q).flat && !nothingKnown(q));
    scene.set_legend(q == Quantity::regions ? regionLegend(regionNames())
                                            : std::vector<scene::Legend::Entry>());
    setLook(view, i);
    scene.set_annotations(m_settings.annotations);
    view.setTimeVisible(m_settings.annotations);
    applyRange(view, i);
    scene.set_opacity(m_settings.drawnOpacity());
    scene.set_clip(clip());
    auto& over = scene.overlays();
    over.set_face(m_settings.cut == ViewSettings::Cut::none ? nullptr : m_face, m_facePlane.normal);
    over.set_depolarised(m_settings.depolarised && !m_recorded ? m_front : nullptr,
                         depolarised_opacity);
    over.set_lines(scene::Overlays::Kind::fibres,
                   m_settings.fibres == ViewSettings::Fibres::none ? scene::Lines{} : m_fibres,
                   scene::color_map("turbo"), -70, 70, 1.5);
    over.set_lines(scene::Overlays::Kind::arrows, m_settings.arrows ? m_arrows : scene::Lines{},
                   scene::color_map("grey"), -1, 0.9, 2);
    over.set_scar(m_settings.scar && !quantityInfo(q).flat ? scar(q) : scene::Outline{}, clip());
    dressNetwork(view);
    feed(view, i);
    view.schedule();
}

std::vector<float> ViewController::values(Quantity q) const
{
    const auto* m = m_maps.get();
    switch (q) {
    case Quantity::potential:
        return m_recorded ? m_recorded->values : m_frame ? m_frame->values : std::vector<float>();
    case Quantity::activation:
    case Quantity::repolarisation:
    case Quantity::apd:
    case Quantity::period:
        return m == nullptr ? std::vector<float>() : mapField(*m, q);
    case Quantity::velocity: {
        std::vector<float> speeds;
        if (m != nullptr)
            for (const auto& v : m->velocity)
                speeds.push_back(std::hypot(v[0], v[1], v[2])); // mm/ms are m/s
        return speeds;
    }
    case Quantity::phase:
        return m_frame && m_frame->phase ? *m_frame->phase : std::vector<float>();
    case Quantity::regions:
        return laidFor(q) != nullptr ? laidFor(q)->wall : m_regions;
    case Quantity::partition:
        return m_partition;
    }
    return {};
}

void ViewController::feed(HeartView& view, int i)
{
    if (!m_model)
        return;
    const Quantity q = m_settings.shownIn(i);
    const double time = m_recorded ? m_recorded->time_ms : m_frame ? m_frame->time_ms : 0;
    if (q == Quantity::potential) {
        if (m_recorded) {
            view.setValues(m_recorded->values, time);
            if (m_settings.annotations)
                view.setCaption(replayCaption(time));
        } else if (m_path != nullptr && m_path->live())
            view.setLive();
        else if (m_frame && !m_frame->values.empty())
            view.setValues(m_frame->values, time);
    } else {
        auto v = values(q);
        if (v.empty())
            v.assign(m_model->surface_vertices, scene::LiveScalarMapper::unset);
        if (m_settings.style(q).automatic) {
            const auto& s = m_settings.style(q);
            auto newest = v;
            const auto old = oldTurns(q);
            for (std::size_t k = 0; k < old.size(); ++k)
                if (old[k] != 0)
                    newest[k] = std::numeric_limits<float>::quiet_NaN();
            m_found[static_cast<std::size_t>(q)] =
                fitted(std::move(newest), {s.low, s.high}, quantityInfo(q).decimals);
            const auto& f = m_found[static_cast<std::size_t>(q)];
            const auto k = static_cast<std::size_t>(q);
            auto& apart = m_foundStep[k];
            if (quantityInfo(q).maps && (m_maps != m_noiseOf[k] || apart == 0)) {
                m_noise[k] = mapNoise(v, m_scene->surface->triangles);
                m_noiseOf[k] = m_maps;
            }
            apart = isochroneStep(f.first, f.second, m_noise[k]);
            Q_EMIT rangeFound(q, f.first, f.second, apart);
            setLook(view, i); // lines follow the range
        }
        applyRange(view, i);
        if (quantityInfo(q).maps)
            view.scene().set_bar(!nothingKnown(q));
        const bool phase = q == Quantity::phase && m_frame && m_frame->phase;
        view.setValues(v, phase ? m_frame->phase_time_ms : time);
        if (q == Quantity::regions && m_recorded && m_settings.annotations)
            view.setCaption(replayCaption(time));
        else if (!phase) // not of one moment, or of none
            view.setCaption(captionOf(q));
    }
    feedFace(view, q);
    feedNetwork(view, q);
    view.scene().set_note(noteOf(q).toStdString());
}

void ViewController::feedAll()
{
    m_grid->each([&](HeartView& v, int i) { feed(v, i); });
}

void ViewController::showFrame(const EngineHost::FramePtr& frame)
{
    if (!m_model || (m_scene && frame->run != m_scene->run)) {
        m_frame = frame;
        return;
    }
    if (m_path != nullptr)
        m_path->follow(frame);
    const bool phase = !m_frame || m_frame->phase_time_ms != frame->phase_time_ms ||
                       m_frame->phase_volume != frame->phase_volume;
    const bool volume = frame->volume && (!m_frame || m_frame->volume != frame->volume);
    const bool first = frame->phase && (!m_frame || !m_frame->phase); // later than it was asked for
    m_frame = frame;
    if (first)
        Q_EMIT valuesShown();
    if (m_recorded)
        return;
    m_grid->each([&](HeartView& v, int i) {
        const Quantity q = m_settings.shownIn(i);
        if (q == Quantity::potential || (q == Quantity::phase && phase))
            feed(v, i);
    });
    if (phase)
        updateFilaments();
    if (volume)
        updateDepolarised();
}

void ViewController::showMaps(const std::shared_ptr<const simulation::MapFrame>& maps)
{
    m_maps = maps;
    if (!m_model)
        return;
    const bool other = findTissues();
    m_grid->each([&](HeartView& v, int i) {
        if (!quantityInfo(m_settings.shownIn(i)).maps)
            return;
        if (other)
            dress(v, i);
        else
            feed(v, i);
    });
    updateArrows();
    Q_EMIT valuesShown();
}

void ViewController::lookBack(std::shared_ptr<const simulation::RecordedFrame> frame,
                              const void* recording)
{
    const bool before = lookingBack();
    m_recorded = std::move(frame);
    m_recording = recording;
    const bool other = findTissues();
    if (before == lookingBack() && !other)
        return feedAll();
    updateFilaments();
    updateDepolarised();
    m_grid->each([&](HeartView& v, int i) { dress(v, i); });
}

} // namespace tawara
