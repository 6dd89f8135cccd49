// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/painting_controller.hpp"

#include "app/document.hpp"
#include "widgets/panels/brush_card.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <utility>

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

PaintingController::PaintingController(Document& document, ViewController& views,
                                       TissuePanel& tissue, MessageBar& message)
    : m_document(document), m_views(views), m_tissue(tissue), m_message(message)
{
}

bool PaintingController::begin(bool erase)
{
    Q_EMIT strokeBegins();
    const auto& regions = m_document.session().regions;
    const auto target = m_tissue.brush()->region();
    if (!target && erase) {
        m_message.showMessage(MessageBar::Level::note,
                              tr("Nothing is painted yet that could be rubbed out: choose "
                                 "what to rub out under Brush in the Tissue panel."));
        return false;
    }
    m_fresh.reset();
    m_painted.clear();
    if (!target) // the region comes with its first stroke, as one step of undo
        m_fresh = m_tissue.brush()->fresh();
    else if (const auto* painted = paintedIn(regions, *target))
        m_painted = {painted->tetrahedra.begin(), painted->tetrahedra.end()};
    m_region = target.value_or(static_cast<int>(regions.size()));
    m_touched = false;
    return true;
}

void PaintingController::paint(const scene::Pick& pick, bool erase)
{
    if (!m_ball) {
        m_message.showMessage(MessageBar::Level::note,
                              tr("The heart is still being made ready for the brush; this stroke "
                                 "was not taken. Try again in a moment."));
        return;
    }
    if (m_region < 0 && !begin(erase))
        return;
    const auto touched = m_ball->within(pick.position_mm, m_tissue.brush()->radius(), pick.normal,
                                        m_tissue.brush()->depth());
    m_touched = m_touched || !touched.empty();
    m_views.paintRegion({touched.begin(), touched.end()}, m_region, erase);
    for (auto t : touched) {
        if (erase)
            m_painted.erase(t);
        else
            m_painted.insert(t);
    }
}

void PaintingController::endStroke()
{
    if (m_region < 0)
        return;
    const int i = std::exchange(m_region, -1);
    if (!m_touched) {
        m_message.showMessage(MessageBar::Level::note,
                              tr("The brush is smaller than the mesh is fine there: nothing was "
                                 "painted. Take a larger radius."));
        return;
    }
    const auto& regions = m_document.session().regions;
    const auto at = static_cast<std::size_t>(i);
    if (!m_fresh && at >= regions.size())
        return; // it was taken away meanwhile
    const simulation::Region& what = m_fresh ? *m_fresh : regions[at];
    m_document.edits().edit(
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
        m_tissue.choose(i);
        m_tissue.brush()->choose(i);
    }
    m_painted.clear();
}

} // namespace tawara
