// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse does on the heart, and painting of tissue.
#include "app/main_window.hpp"

#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QActionGroup>

namespace tawara {
namespace {

const simulation::Tetrahedra* paintedIn(const std::vector<simulation::Region>& regions, int i)
{
    if (i < 0 || static_cast<std::size_t>(i) >= regions.size() ||
        !regions[static_cast<std::size_t>(i)].where)
        return nullptr;
    return std::get_if<simulation::Tetrahedra>(&*regions[static_cast<std::size_t>(i)].where);
}

} // namespace

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

void MainWindow::paint(const scene::Pick& pick, bool erase)
{
    if (!m_ball) {
        m_message->showMessage(MessageBar::Level::note,
                               tr("The heart is still being made ready for the brush; this stroke "
                                  "was not taken. Try again in a moment."));
        return;
    }
    if (m_paintedRegion < 0) { // a stroke begins
        followRun();           // it changes the tissue of now
        const auto& regions = m_document->session().regions;
        const auto target = m_tissue->brush()->region();
        if (!target && erase) {
            m_message->showMessage(MessageBar::Level::note,
                                   tr("Nothing is painted yet that could be rubbed out: choose "
                                      "what to rub out under Brush in the Tissue panel."));
            return;
        }
        m_fresh.reset();
        m_painted.clear();
        if (!target) // the region comes with its first stroke, as one step of undo
            m_fresh = m_tissue->brush()->fresh();
        else if (const auto* painted = paintedIn(regions, *target))
            m_painted = {painted->tetrahedra.begin(), painted->tetrahedra.end()};
        m_paintedRegion = target.value_or(static_cast<int>(regions.size()));
        m_touched = false;
    }
    const auto touched = m_ball->within(pick.position_mm, m_tissue->brush()->radius(), pick.normal,
                                        m_tissue->brush()->depth());
    m_touched = m_touched || !touched.empty();
    m_views->paintRegion({touched.begin(), touched.end()}, m_paintedRegion, erase);
    for (auto t : touched) {
        if (erase)
            m_painted.erase(t);
        else
            m_painted.insert(t);
    }
}

void MainWindow::paintEnded()
{
    if (m_paintedRegion < 0)
        return;
    const int i = std::exchange(m_paintedRegion, -1);
    if (!m_touched) {
        m_message->showMessage(MessageBar::Level::note,
                               tr("The brush is smaller than the mesh is fine there: nothing was "
                                  "painted. Take a larger radius."));
        return;
    }
    const auto& regions = m_document->session().regions;
    const auto at = static_cast<std::size_t>(i);
    if (!m_fresh && at >= regions.size())
        return; // it was taken away meanwhile
    const simulation::Region& what = m_fresh ? *m_fresh : regions[at];
    m_document->edits().edit(
        tr("Paint %1").arg(QString::fromStdString(what.name)),
        [fresh = m_fresh, at, all = std::vector<std::int64_t>(m_painted.begin(), m_painted.end())](
            simulation::Session& s) {
            if (fresh)
                s.regions.push_back(*fresh);
            simulation::Region* r = fresh                   ? &s.regions.back()
                                    : at < s.regions.size() ? &s.regions[at]
                                                            : nullptr;
            if (r != nullptr)
                r->where = simulation::Tetrahedra{all};
        });
    if (std::exchange(m_fresh, {})) {
        m_tissue->choose(i);
        m_tissue->brush()->choose(i);
    }
    m_painted.clear();
}

} // namespace tawara
