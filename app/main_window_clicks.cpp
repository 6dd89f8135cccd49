// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse does on the heart.
#include "app/main_window.hpp"

#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QActionGroup>

namespace tawara {
void MainWindow::setMode(ClickMode mode)
{
    m_next = Next::nothing;
    m_message->settle("place");
    const bool painting = mode == ClickMode::paint;
    if (painting && m_mode != ClickMode::paint) {
        auto s = m_viewPanel->settings();
        auto& shown = s.shown[static_cast<std::size_t>(m_grid->current())];
        m_beforePainting = {m_grid->current(), shown};
        shown = Quantity::regions;
        applyView(s);
    } else if (!painting && m_beforePainting) {
        const auto [view, before] = *m_beforePainting;
        m_beforePainting.reset();
        auto s = m_viewPanel->settings();
        auto& shown = s.shown[static_cast<std::size_t>(view)];
        if (shown == Quantity::regions) { // nobody chose something else meanwhile
            shown = before;
            applyView(s);
        }
    }
    m_mode = mode;
    m_tissue->setPainting(painting);
    if (painting)
        raisePanel("tissueDock");
    m_views->setMode(mode,
                     painting ? m_tissue->brush()->radius() : m_stimulus->settings().radius_mm);
    for (auto* a : m_modes->actions())
        a->setChecked(a->data().toInt() == static_cast<int>(mode));
}

void MainWindow::awaitClick(Next next, const QString& what)
{
    m_next = next;
    double radius = m_stimulus->settings().radius_mm;
    const auto& regions = m_document->session().regions;
    const auto i = static_cast<std::size_t>(std::max(0, m_tissue->chosen()));
    if (next == Next::region_centre && i < regions.size() && regions[i].where)
        if (const auto* ball = std::get_if<simulation::Sphere>(&*regions[i].where))
            radius = ball->radius;
    // the chosen tool waits: turning, it would take no click, and painting it would paint
    m_views->setMode(ClickMode::stimulate, radius);
    m_message->showMessage(MessageBar::Level::note, what, {}, "place");
}

void MainWindow::placeRegion(const Vec3& at)
{
    const auto i = static_cast<std::size_t>(std::max(0, m_tissue->chosen()));
    m_document->edits().edit(tr("Place a region"), [i, at](simulation::Session& s) {
        if (i >= s.regions.size() || !s.regions[i].where)
            return;
        if (auto* ball = std::get_if<simulation::Sphere>(&*s.regions[i].where)) {
            ball->centre = at;
        } else if (auto* box = std::get_if<simulation::Box>(&*s.regions[i].where)) {
            const Vec3 by = at - 0.5 * (box->low + box->high);
            box->low = placed(box->low + by);
            box->high = placed(box->high + by);
        }
    });
}

} // namespace tawara
