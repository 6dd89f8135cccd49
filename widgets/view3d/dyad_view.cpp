// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/dyad_view.hpp"

#include <QKeyEvent>

namespace tawara {
namespace {

constexpr int least_ms = 40, settled_ms = 300;
constexpr double turn_degrees = 8, zoom_factor = 1.15;
constexpr double frame_strength = 0.35; // of the text's colour over the ground

} // namespace

DyadView::DyadView(QWidget* parent) : VtkView(parent)
{
    m_scene.attach(renderWindow());
    m_pace.setSingleShot(true);
    m_pace.setInterval(least_ms);
    connect(&m_pace, &QTimer::timeout, this, [this] {
        draw();
        m_idle.start();
    });
    m_idle.setSingleShot(true);
    m_idle.setInterval(settled_ms);
    connect(&m_idle, &QTimer::timeout, this, [this] {
        if (detail() >= 1)
            return;
        drawWhole();
        draw();
    });
    connect(this, &VtkView::aboutToRender, this, [this] { m_scene.prepare(aspectRatio()); });
    connect(this, &VtkView::rendered, this, [this] { ++m_drawn; });
    followTheme();
}

DyadView::~DyadView()
{
    disconnect(this, nullptr, this, nullptr);
}

void DyadView::schedule()
{
    if (!m_pace.isActive())
        m_pace.start();
}

void DyadView::resetCamera()
{
    m_scene.reset_camera();
    schedule();
}

void DyadView::followTheme()
{
    const auto rgb = [](const QColor& c) {
        return std::array<double, 3>{c.redF(), c.greenF(), c.blueF()};
    };
    const auto ground = rgb(palette().color(QPalette::Base)),
               text = rgb(palette().color(QPalette::Text));
    auto line = ground; // dim
    for (std::size_t k = 0; k < 3; ++k)
        line[k] += frame_strength * (text[k] - ground[k]);
    m_scene.set_theme(ground, line);
    schedule();
}

void DyadView::changeEvent(QEvent* e)
{
    if (e->type() == QEvent::PaletteChange || e->type() == QEvent::StyleChange)
        followTheme();
    VtkView::changeEvent(e);
}

bool DyadView::grabsPress(QPointF, Qt::KeyboardModifiers)
{
    return m_scene.form() == scene::DyadForm::layers; // a sheet does not turn
}

bool DyadView::obey(int key)
{
    switch (key) {
    case Qt::Key_Left:
        m_scene.turn(-turn_degrees, 0);
        break;
    case Qt::Key_Right:
        m_scene.turn(turn_degrees, 0);
        break;
    case Qt::Key_Up:
        m_scene.turn(0, turn_degrees);
        break;
    case Qt::Key_Down:
        m_scene.turn(0, -turn_degrees);
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_scene.zoom(zoom_factor);
        break;
    case Qt::Key_Minus:
        m_scene.zoom(1 / zoom_factor);
        break;
    case Qt::Key_Home:
        m_scene.reset_camera();
        break;
    default:
        return false;
    }
    schedule();
    return true;
}

bool DyadView::event(QEvent* e)
{
    if (e->type() == QEvent::ShortcutOverride) {
        const auto* k = static_cast<QKeyEvent*>(e);
        if (k->key() == Qt::Key_Home && k->modifiers() == Qt::NoModifier)
            e->accept(); // not the heart's camera
    }
    return VtkView::event(e);
}

void DyadView::keyPressEvent(QKeyEvent* e)
{
    if ((e->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0 || !obey(e->key()))
        VtkView::keyPressEvent(e);
}

} // namespace tawara
