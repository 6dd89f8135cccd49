// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/dyad_stand_in.hpp"

#include "widgets/view3d/dyad_view.hpp"

namespace tawara {

DyadStandIn::DyadStandIn(DyadView& like, const std::array<int, 3>& blocks)
{
    m_scene.attach(m_screen.window());
    m_scene.look_like(like.scene());
    if (blocks != m_scene.grid())
        m_scene.set_grid(blocks);
}

QString DyadStandIn::begin(std::span<const float> shares, const QSize& size)
{
    m_screen.open();
    if (!m_screen.makeCurrent())
        return QObject::tr("No OpenGL context can be made for the pictures.");
    const int times = OffScreen::finer(size);
    m_screen.window()->SetSize(times * size.width(), times * size.height());
    m_scene.set_values(shares);
    m_scene.prepare(static_cast<double>(size.width()) / size.height());
    m_screen.draw(size);
    return {};
}

} // namespace tawara
