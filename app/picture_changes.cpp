// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/picture_changes.hpp"

#include "widgets/view3d/heart_view.hpp"

#include <utility>

namespace tawara {

PictureChanges::PictureChanges(const HeartView& view) : m_view(view)
{
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, &PictureChanges::flush);
    connect(&view, &VtkView::arrived, this, &PictureChanges::flush);
}

void PictureChanges::add(std::function<void()> change)
{
    static constexpr int longest_wait_ms = 100;
    if (!m_view.softwareRendering())
        return change();
    m_waiting.push_back(std::move(change));
    if (!m_due.isActive())
        m_due.start(longest_wait_ms);
}

void PictureChanges::flush()
{
    m_due.stop();
    for (const auto& change : std::exchange(m_waiting, {}))
        change();
}

} // namespace tawara
