// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/frame_pace.hpp"

#include "app/engine_host.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <algorithm>

namespace tawara {

int FramePace::interval(double paint_ms, bool computeFirst)
{
    constexpr double quarter_second_ms = 250, slowest_ms = 2000;
    return static_cast<int>(computeFirst ? std::clamp(10 * paint_ms, quarter_second_ms, slowest_ms)
                                         : std::min(4 * paint_ms, slowest_ms));
}

void FramePace::setComputeFirst(bool on)
{
    m_computeFirst = on;
    follow();
}

void FramePace::follow()
{
    double paint_ms = 0;
    m_grid.each([&paint_ms](const HeartView& v, int) {
        if (v.softwareRendering() && v.isVisible())
            paint_ms += v.paintMilliseconds();
    });
    m_host.setLeastFrameInterval(interval(paint_ms, m_computeFirst));
}

void FramePace::followRenderer()
{
    // the engine need not make more frames than are drawn
    m_host.setFrameInterval(m_grid.view(0)->softwareRendering() ? 33 : 16);
}

} // namespace tawara
