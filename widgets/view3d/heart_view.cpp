// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/heart_view.hpp"

#include "widgets/scene/network_tubes.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara {
namespace {

constexpr double screen_interval_ms = 16;
constexpr double software_interval_ms = 33; // software OpenGL shares the processor with the solver
constexpr int glow_interval_ms = 33;
constexpr int idle_ms = 350; // without a new picture: draw a finer one
constexpr int fine_samples = 4;
constexpr double marker_px = 11; // a press this near to a marker takes it
constexpr double branch_px = 9;  // and a click this near to the network a branch

std::string timeText(double ms)
{
    char text[48];
    std::snprintf(text, sizeof text, "%.1f ms", ms);
    return text;
}

} // namespace

HeartView::HeartView(QWidget* parent)
    : VtkView(parent), m_scene(std::make_unique<scene::HeartScene>()), m_texts(new ViewTexts(this))
{
    m_scene->attach(renderWindow());
    m_pace.setSingleShot(true);
    m_pace.setTimerType(Qt::PreciseTimer);
    m_sinceDrawn.start();
    connect(&m_pace, &QTimer::timeout, this, &VtkView::draw);
    connect(this, &VtkView::aboutToRender, this, &HeartView::prepare);
    connect(this, &VtkView::glReleasing, this, [this] { m_scene->release_source(); });
    connect(this, &VtkView::clicked, this, [this](QPointF at, Qt::KeyboardModifiers keys) {
        if (m_mode == ClickMode::rotate)
            return;
        if (m_mode == ClickMode::branch) {
            if (const auto point = networkAt(at))
                Q_EMIT branchPicked(*point);
            else
                Q_EMIT missed();
            return;
        }
        if (const auto hit = pickAt(at))
            Q_EMIT picked(*hit, keys);
        else
            Q_EMIT missed();
    });
    connect(this, &VtkView::hovered, this, &HeartView::showBrush);
    connect(this, &VtkView::left, this, &HeartView::hideBrush);
    connect(this, &VtkView::interacted, this, &HeartView::cameraMoved);
    m_texts->hide();
    connect(
        this, &VtkView::glReady, m_texts, [this] { m_texts->setVisible(softwareRendering()); },
        Qt::QueuedConnection); // not while it draws
    connect(this, &VtkView::arrived, this, &HeartView::showTexts);
    connect(this, &VtkView::rendered, this, [this] {
        if (forScreen() && !m_grabbing) // drawn at once
            QMetaObject::invokeMethod(this, &HeartView::showTexts, Qt::QueuedConnection);
    });
    m_idle.setSingleShot(true);
    m_idle.setInterval(idle_ms);
    connect(&m_idle, &QTimer::timeout, this, [this] {
        m_fine = true;
        drawWhole();
        draw();
    });
    m_glow.setInterval(glow_interval_ms);
    connect(&m_glow, &QTimer::timeout, this, [this] {
        const double s = static_cast<double>(m_sinceGlow.nsecsElapsed()) / 1e9;
        m_sinceGlow.restart();
        if (!m_scene->advance_flashes(s))
            m_glow.stop();
        schedule();
    });
}

HeartView::~HeartView()
{
    // the scene's OpenGL resources go with the window, in VtkView
    disconnect(this, nullptr, this, nullptr);
    if (context() != nullptr && m_scene->has_source()) {
        makeCurrent();
        m_scene->set_source(nullptr);
        doneCurrent();
    }
}

void HeartView::setSurface(const mesh::TetMesh& m, const mesh::Surface& s)
{
    setModel(scene::heart_model(m, s));
}

void HeartView::setModel(scene::HeartModelPtr model)
{
    m_scene->set_model(std::move(model));
    m_brush = false;
    schedule();
}

void HeartView::setCaption(const QString& text)
{
    m_scene->set_time_text(text.toStdString());
    schedule();
}

std::optional<scene::Pick> HeartView::pickAt(QPointF position) const
{
    const QPointF d = toDisplay(position);
    return m_scene->pick(d.x(), d.y());
}

bool HeartView::grabsPress(QPointF position, Qt::KeyboardModifiers modifiers)
{
    if (m_mode == ClickMode::paint) {
        if (!pickAt(position))
            return false;
        paintAt(position, modifiers);
        return true;
    }
    const QPointF d = toDisplay(position);
    m_held = m_scene->marker_at(d.x(), d.y(), marker_px * pixelRatio());
    m_heldAt.reset();
    const bool ours =
        m_held && (m_held->kind == scene::Marker::Kind::probe
                       ? m_mode == ClickMode::probe
                       : m_held->kind == scene::Marker::Kind::site && m_mode == ClickMode::site);
    if (!ours)
        m_held.reset();
    return ours;
}

void HeartView::grabbedMove(QPointF position, Qt::KeyboardModifiers modifiers)
{
    if (m_mode == ClickMode::paint)
        return paintAt(position, modifiers);
    if (const auto hit = pickAt(position); hit && m_held) {
        m_heldAt = hit;
        Q_EMIT markerMoved(*m_held, *hit, false);
    }
}

void HeartView::grabbedRelease(QPointF, bool dragged)
{
    if (m_mode == ClickMode::paint) {
        Q_EMIT paintEnded();
        return;
    }
    if (!m_held)
        return;
    const scene::Marker marker = *m_held;
    m_held.reset();
    if (dragged && m_heldAt)
        Q_EMIT markerMoved(marker, *m_heldAt, true);
    else
        Q_EMIT markerClicked(marker);
}

void HeartView::paintAt(QPointF position, Qt::KeyboardModifiers modifiers)
{
    const auto hit = pickAt(position);
    if (!hit)
        return;
    m_brush = true;
    m_scene->set_brush(hit->position_mm, m_brushMm);
    schedule();
    Q_EMIT painted(*hit, modifiers.testFlag(Qt::AltModifier));
}

void HeartView::setValues(std::span<const float> values, double timeMs)
{
    m_scene->set_values(values);
    if (m_timeVisible)
        m_scene->set_time_text(timeText(timeMs));
    schedule();
}

void HeartView::setLive()
{
    m_scene->set_live();
    schedule();
}

void HeartView::setTimeVisible(bool on)
{
    m_timeVisible = on;
    if (!on)
        m_scene->set_time_text({});
}

void HeartView::setMode(ClickMode mode)
{
    m_mode = mode;
    hideBrush();
    setCursor(mode == ClickMode::rotate ? Qt::OpenHandCursor : Qt::CrossCursor);
}

void HeartView::setBrushRadius(double mm)
{
    m_brushMm = mm;
}

void HeartView::flash(const Vec3& centre, double radiusMm)
{
    m_scene->flash(centre, radiusMm);
    m_sinceGlow.restart();
    m_glow.start();
    schedule();
}

void HeartView::schedule()
{
    if (m_pace.isActive())
        return;
    const double since = static_cast<double>(m_sinceDrawn.nsecsElapsed()) / 1e6 - m_drawnMs;
    const double least = m_leastMs >= 0 ? m_leastMs
                         : softwareRendering()
                             ? std::clamp(1.6 * paintMilliseconds(), software_interval_ms, 50.0)
                             : screen_interval_ms;
    m_pace.start(static_cast<int>(std::lround(std::max(0.0, least - since))));
}

QImage HeartView::grabFramebuffer()
{
    m_grabbing = true;
    const QImage image = VtkView::grabFramebuffer();
    m_grabbing = false;
    return image;
}

QImage HeartView::finePicture()
{
    m_fine = true;
    return grabFramebuffer();
}

void HeartView::showTexts()
{
    m_texts->set(m_written);
    m_texts->setVisible(softwareRendering() || m_texts->isSmall());
    Q_EMIT captionChanged(m_texts->caption(), m_texts->captionTip());
}

bool HeartView::event(QEvent* e)
{
    if (e->type() != QEvent::ToolTip)
        return VtkView::event(e);
    tellNote(*static_cast<QHelpEvent*>(e));
    return true;
}

void HeartView::tellNote(const QHelpEvent& e)
{
    const auto& a = m_texts->shown();
    const bool cut = softwareRendering() ? m_texts->noteLines().cut : m_scene->note_cut();
    const QString note = QString::fromStdString(m_scene->written().note);
    if (a.shown && cut && !m_texts->isSmall() && m_texts->noteRect().contains(e.pos()))
        QToolTip::showText(e.globalPos(), note, this);
    else
        QToolTip::hideText();
}

void HeartView::resizeEvent(QResizeEvent* e)
{
    VtkView::resizeEvent(e);
    m_texts->resize(size());
}

double HeartView::framesPerSecond() const
{
    const double since = static_cast<double>(m_sinceDrawn.nsecsElapsed()) / 1e6 - m_drawnMs;
    return m_intervalMs <= 0 || since > 1000 ? 0 : 1000 / std::max(m_intervalMs, 0.5 * since);
}

void HeartView::prepare()
{
    const double now = static_cast<double>(m_sinceDrawn.nsecsElapsed()) / 1e6;
    const double interval = now - m_drawnMs;
    m_drawnMs = now;
    // a pause is no slow frame
    if (interval < 1000)
        m_intervalMs = m_intervalMs <= 0 ? interval : 0.9 * m_intervalMs + 0.1 * interval;
    else
        m_intervalMs = 0;
    ++m_drawn;
    if (softwareRendering()) {
        renderWindow()->SetMultiSamples(m_fine ? fine_samples : 0);
        if (!m_fine)
            m_idle.start();
        m_fine = false;
    }
    const int* size = renderWindow()->GetSize();
    // few pixels blur texts: they are written over the picture then
    const bool small = m_texts->isSmall() && !m_grabbing;
    m_scene->set_texts((!softwareRendering() && !small) || m_grabbing);
    m_scene->set_axes(!small); // they would lie on the heart
    m_scene->prepare(size[0], size[1], pixelRatio(), aspectRatio());
    showLiveTime();
    if (!m_grabbing)
        m_written = m_scene->written();
    if (const auto error = m_scene->source_error(); !error.empty())
        QMetaObject::invokeMethod(
            this, [this, error] { Q_EMIT sourceFailed(QString::fromStdString(error)); },
            Qt::QueuedConnection); // not while it draws
}

void HeartView::showLiveTime()
{
    if (const auto time = m_scene->live_time(); time && m_timeVisible)
        m_scene->set_time_text(timeText(*time));
}

std::optional<std::int32_t> HeartView::networkAt(QPointF position) const
{
    const QPointF d = toDisplay(position);
    return m_scene->network_at(d.x(), d.y(), branch_px * pixelRatio());
}

void HeartView::showBranch(std::optional<QPointF> position)
{
    auto& network = m_scene->network();
    const auto point = position ? networkAt(*position) : std::nullopt;
    const auto branch =
        point ? std::optional(network.model()->branch[static_cast<std::size_t>(*point)])
              : std::nullopt;
    if (branch == network.shown_branch())
        return;
    network.show_branch(branch);
    schedule();
}

void HeartView::showBrush(QPointF position)
{
    if (m_mode == ClickMode::branch)
        return showBranch(position);
    if (m_mode == ClickMode::rotate || m_mode == ClickMode::probe || m_mode == ClickMode::cell ||
        m_scene->empty())
        return;
    const auto hit = pickAt(position);
    if (!hit)
        return hideBrush();
    m_brush = true;
    m_scene->set_brush(hit->position_mm, m_brushMm);
    schedule();
}

void HeartView::hideBrush()
{
    showBranch({});
    if (!m_brush)
        return;
    m_brush = false;
    m_scene->set_brush({}, m_brushMm);
    schedule();
}

} // namespace tawara
