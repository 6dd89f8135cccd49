// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display_path.hpp"

#include "widgets/view3d/view_grid.hpp"

namespace tawara {

DisplayPath::DisplayPath(ViewGrid* grid, EngineHost* host, QObject* parent)
    : QObject(parent), m_grid(grid), m_host(host), m_slot(std::make_shared<interop::Slot>())
{
    connect(grid, &ViewGrid::viewAdded, this, &DisplayPath::addView);
    grid->each([this](HeartView& v, int) { addView(&v); });
    connect(host, &EngineHost::loaded, this, &DisplayPath::changed); // another device, maybe
}

void DisplayPath::addView(HeartView* view)
{
    connect(view, &VtkView::glReady, this, [this, view] { contextReady(view); });
    connect(view, &HeartView::sourceFailed, this, &DisplayPath::fail);
    if (m_live)
        view->scene().set_source(interop::make_source(m_slot));
}

void DisplayPath::contextReady(HeartView* view)
{
    m_contextKnown = true;
    m_gl = view->glDescription();
    if (m_reason.isEmpty())
        m_reason = QString::fromStdString(interop::context_reason());
    request();
    Q_EMIT changed();
}

void DisplayPath::request()
{
    const std::pair wanted(m_needHost || !m_live,
                           m_allowed && m_contextKnown && m_reason.isEmpty());
    if (std::exchange(m_requested, wanted) != wanted)
        m_host->setFrameValues(wanted.first, wanted.second);
}

void DisplayPath::setAllowed(bool on)
{
    m_allowed = on;
    follow(m_host->frame());
    request();
    Q_EMIT changed();
}

void DisplayPath::needHost(bool on)
{
    m_needHost = on;
    request();
}

void DisplayPath::fail(const QString& reason)
{
    if (!m_reason.isEmpty())
        return;
    m_reason = reason;
    setAllowed(m_allowed);
}

void DisplayPath::follow(const EngineHost::FramePtr& frame)
{
    const bool live = m_allowed && m_reason.isEmpty() && frame && frame->feed;
    m_slot->feed = live ? frame->feed : nullptr;
    if (live)
        m_grid->each([this](HeartView& v, int) {
            if (!v.scene().has_source())
                v.scene().set_source(interop::make_source(m_slot));
        });
    if (std::exchange(m_live, live) == live)
        return;
    if (live && m_gpu.isEmpty()) {
        m_grid->view(0)->makeCurrent();
        m_gpu = QString::fromStdString(interop::drawing_gpu());
        m_grid->view(0)->doneCurrent();
    }
    request();
    Q_EMIT changed();
}

QString DisplayPath::text() const
{
    if (m_live)
        return tr("CUDA to OpenGL");
    const auto scene = m_host->scene();
    const QString software =
        m_grid->view(0)->softwareRendering() ? tr(" · software OpenGL") : QString();
    if (scene && scene->on_cpu)
        return tr("host copy: CPU back end") + software;
    if (!m_reason.isEmpty())
        return tr("host copy: OpenGL is not the GPU's") + software;
    return (m_allowed ? tr("host copy") : tr("host copy: as asked for")) + software;
}

QString DisplayPath::tip() const
{
    const QString drawn = m_gl.isEmpty() ? QString() : tr(" Drawn by %1.").arg(m_gl);
    if (m_live)
        return tr("CUDA writes the values into OpenGL's buffer on %1; nothing passes through the "
                  "host's memory.")
                   .arg(m_gpu) +
               drawn;
    const QString why =
        m_reason.isEmpty() ? QString() : tr(" CUDA cannot write it: %1.").arg(m_reason);
    return tr("Values reach the picture through the host's memory.") + why + drawn;
}

} // namespace tawara
