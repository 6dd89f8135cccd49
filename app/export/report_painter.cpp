// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/report_painter.hpp"

#include "widgets/scene/overlays.hpp"
#include "widgets/view3d/heart_view.hpp"

#include <algorithm>
#include <cmath>
#include <vtkCamera.h>
#include <vtkRenderer.h>

namespace tawara {
namespace {

constexpr int turn_ms = 4;
constexpr double left_out = 0.01;   // of the values at each end of a range
constexpr double beside_bar = 0.14; // to the left, of half the picture's width
constexpr float never_grey = 0.78F;

} // namespace

ReportPainter::ReportPainter(HeartView& like, std::vector<Shot> shots, const QSize& pixels,
                             double scale, QObject* parent)
    : QObject(parent), m_shots(std::move(shots)), m_pixels(pixels), m_scale(scale)
{
    if (!m_shots.empty())
        m_stand = std::make_unique<StandIn>(like);
    m_turn.setInterval(turn_ms);
    connect(&m_turn, &QTimer::timeout, this, &ReportPainter::turn);
}

ReportPainter::~ReportPainter() = default;

void ReportPainter::start()
{
    if (m_stand) {
        auto& scene = m_stand->scene();
        scene.set_theme({{1, 1, 1}, {1, 1, 1}, {0.11, 0.14, 0.19}});
        scene.set_clip(std::nullopt);
        scene.set_opacity(1);
        scene.set_bar(true);
        scene.set_legend({});
        scene.set_note({});
        const auto pose = scene.camera(); // from there, but all of it
        scene.look_from(pose.position - pose.focal_point, pose.up);
        scene.renderer()->GetActiveCamera()->SetWindowCenter(beside_bar, 0);
        auto& over = scene.overlays();
        over.set_face(nullptr, {0, 0, 1});
        over.set_depolarised(nullptr, 1);
        for (const auto kind : {scene::Overlays::Kind::fibres, scene::Overlays::Kind::arrows,
                                scene::Overlays::Kind::filaments})
            over.set_lines(kind, {}, scene::color_map({}), 0, 1, 1);
    }
    m_turn.start();
}

QString ReportPainter::begin()
{
    const auto& shot = m_shots[m_pictures.size()];
    auto& scene = m_stand->scene();
    scene::LiveScalarMapper::Style look;
    look.isochrones = static_cast<float>(shot.isochrones);
    for (float& c : look.never)
        c = never_grey;
    scene.set_style(look);
    scene.set_color_map(shot.colors);
    scene.set_range(shot.low, shot.high);
    scene.set_title(shot.title.toStdString());
    scene.set_values(shot.values);
    scene.set_time_text(shot.caption.toStdString());
    scene.overlays().set_scar(shot.scar, std::nullopt);
    return m_stand->begin(options(), {}, 0);
}

StandIn::Options ReportPainter::options() const
{
    StandIn::Options o;
    o.size = m_pixels;
    o.scale = m_scale;
    return o;
}

void ReportPainter::turn()
{
    if (m_pictures.size() == m_shots.size()) {
        m_turn.stop();
        m_stand.reset();
        Q_EMIT drawn(m_pictures, {});
        return;
    }
    QString why;
    if (m_pictures.empty() && !m_drawing && !m_stand->prepare(options()))
        return; // shaders, some with each turn
    if (!m_drawing) {
        why = begin();
        m_drawing = why.isEmpty();
    } else if (auto picture = m_stand->take()) {
        m_drawing = false;
        if (picture->isNull())
            why = tr("A picture was lost; reports need OpenGL all the time.");
        else
            m_pictures.push_back(*picture);
    }
    if (!why.isEmpty()) {
        m_turn.stop();
        m_stand.reset();
        Q_EMIT drawn({}, why);
    }
}

std::pair<double, double> roundRange(std::vector<float> v)
{
    std::erase_if(v, [](float x) { return !std::isfinite(x); });
    if (v.empty())
        return {0, 1};
    const auto at = [&](double part) {
        const auto k =
            static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(v.size() - 1)));
        std::nth_element(v.begin(), v.begin() + k, v.end());
        return static_cast<double>(v[static_cast<std::size_t>(k)]);
    };
    double low = at(left_out), high = at(1 - left_out);
    const double step = high - low > 60 ? 10 : high - low > 20 ? 5 : 1;
    low = std::floor(low / step) * step, high = std::ceil(high / step) * step;
    return {low, std::max(high, low + step)};
}

} // namespace tawara
