// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/grid_painter.hpp"

#include "widgets/scene/network_tubes.hpp"
#include "widgets/scene/overlays.hpp"
#include "widgets/view3d/picture.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <QPainter>
#include <QPalette>

namespace tawara {

GridPainter::GridPainter(ViewGrid& views, const std::vector<bool>& recorded, const QString& note,
                         bool annotations)
    : m_recorded(recorded), m_linked(views.linked()), m_annotations(annotations),
      m_gap(views.palette().color(QPalette::Window).rgb()), m_note(note)
{
    views.each([&](HeartView& v, int i) {
        m_views.push_back(std::make_unique<StandIn>(v));
        if (!m_recorded[static_cast<std::size_t>(i)])
            return;
        auto& scene = m_views.back()->scene();
        scene.overlays().set_face_values({}); // of another moment
        scene.overlays().set_depolarised(nullptr, 1);
        scene.overlays().set_lines(scene::Overlays::Kind::filaments, {}, scene::color_map({}), 0, 1,
                                   1);
        scene.network().set_marks({}); // what junctions did is not recorded
        scene.set_note(note.toStdString());
    });
}

GridPainter::~GridPainter() = default;

QString GridPainter::begin(const simulation::RecordedFrame& frame, const QSize& size)
{
    m_frame = frame;
    m_at = 0;
    m_whole = QImage(size, QImage::Format_RGB32);
    m_whole.fill(m_gap);
    return beginView();
}

StandIn::Options GridPainter::options() const
{
    const int count = static_cast<int>(m_views.size());
    PictureOptions cell;
    cell.size = pictureCell(static_cast<int>(m_at), count, m_whole.size()).size();
    StandIn::Options o;
    o.size = cell.size;
    o.scale = pictureScale(cell);
    o.annotations = m_annotations;
    o.keep = count > 1 && m_linked;
    return o;
}

QString GridPainter::beginView()
{
    m_waiting = !dress() || !m_views[m_at]->prepare(options());
    if (m_waiting)
        return {};
    if (m_recorded[m_at])
        m_views[m_at]->scene().network().set_values(m_frame.network);
    return m_views[m_at]->begin(options(),
                                m_recorded[m_at] ? std::span<const float>(m_frame.values)
                                                 : std::span<const float>(),
                                m_frame.time_ms);
}

bool GridPainter::dress()
{
    if (!m_tissue.of || m_at > 0)
        return true;
    const auto laid = m_tissue.of(m_frame.time_ms);
    if (!laid)
        return false;
    if (laid == m_shown)
        return true;
    m_shown = laid;
    const bool known = !laid->of.empty();
    const QString unknown = QObject::tr("The regions of this moment could not be laid");
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        auto& scene = m_views[i]->scene();
        if (m_recorded[i]) {
            scene.overlays().set_scar(m_tissue.scar ? laid->scar : scene::Outline{}, m_tissue.clip);
            scene.set_note((known || !m_tissue.scar ? m_note
                            : m_note.isEmpty()      ? unknown
                                                    : m_note + QLatin1Char('\n') + unknown)
                               .toStdString());
        } else if (m_tissue.regions[i]) {
            scene.set_values(laid->wall);
            scene.overlays().set_face_parts(insideRegions(laid->of));
            scene.set_legend(regionLegend(laid->names));
            scene.set_note(known ? std::string() : unknown.toStdString());
        }
    }
    return true;
}

std::optional<QImage> GridPainter::take(QString* why)
{
    if (m_waiting) { // a step with each look
        *why = beginView();
        return why->isEmpty() ? std::nullopt : std::optional(QImage());
    }
    const auto part = m_views[m_at]->take();
    if (!part)
        return {};
    if (part->isNull()) {
        *why = QObject::tr("A picture was lost; the movie needs OpenGL all the time.");
        return QImage();
    }
    const int count = static_cast<int>(m_views.size());
    if (count == 1)
        return part;
    QPainter p(&m_whole);
    p.setRenderHint(QPainter::SmoothPixmapTransform);
    p.drawImage(pictureCell(static_cast<int>(m_at), count, m_whole.size()), *part);
    p.end();
    if (++m_at == m_views.size())
        return m_whole;
    if (*why = beginView(); !why->isEmpty())
        return QImage();
    return {};
}

} // namespace tawara
