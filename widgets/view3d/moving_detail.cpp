// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view3d/moving_detail.hpp"

#include <algorithm>

namespace tawara {
namespace {

constexpr double slow_ms = 30, quick_ms = 14; // a moving picture gets fewer or more pixels
constexpr double least_pixels = 0.5;

} // namespace

void MovingDetail::took(double ms)
{
    m_cost = m_cost <= 0 ? ms : 0.8 * m_cost + 0.2 * ms;
    const double before = m_pixels;
    if (m_cost > slow_ms)
        m_pixels = std::max(least_pixels, m_pixels - 0.25);
    else if (m_cost < quick_ms)
        m_pixels = std::min(1.0, m_pixels + 0.25);
    if (m_pixels != before)
        m_cost = 0; // measured anew
}

} // namespace tawara
