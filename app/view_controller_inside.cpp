// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown inside the heart and beside its wall: cut faces, depolarised tissue, fibres,
// arrows, filaments.
#include "app/view_controller.hpp"
#include "engine/simulation/observe/beat_label.hpp"
#include "engine/simulation/observe/phase_watch.hpp"
#include "widgets/scene/overlays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tawara {
namespace {

constexpr std::size_t fibre_glyphs = 1600, streamline_count = 500;
constexpr double glyph_mm = 3.5, streamline_mm = 60, arrow_spacing_mm = 7, arrow_scale = 9;

/// Median, 5th and 95th percentile of velocities' lengths [mm/ms, which is m/s], each as often as
/// its arrow has points.
QString velocityText(std::vector<float> speeds)
{
    if (speeds.empty())
        return {};
    std::sort(speeds.begin(), speeds.end());
    const auto part = [&](double p) {
        const auto k = static_cast<std::size_t>(p * static_cast<double>(speeds.size() - 1));
        return QString::number(static_cast<double>(speeds[k]), 'f', 2);
    };
    return ViewController::tr("Arrows' median %1 m/s, 9 in 10: %2 to %3\n%4 mm of arrow: 1 m/s")
        .arg(part(0.5), part(0.05), part(0.95))
        .arg(arrow_scale);
}

QString faceNotRecorded()
{
    return ViewController::tr("Cut face grey: only the wall is recorded");
}

} // namespace

/// Runs `job` on the pool and `done` with its result here, unless one is under way: then `busy`
/// stays and the caller asks again when it is done.
template <class Job, class Done>
void ViewController::run(bool& busy, Job job, Done done)
{
    busy = true;
    m_pool.start(
        this,
        [this, &busy, job = std::move(job), done = std::move(done)] {
            auto result = std::make_shared<decltype(job())>(job());
            postTo(this, [&busy, done, result] {
                busy = false;
                done(std::move(*result));
            });
        },
        [&busy] { busy = false; });
}

void ViewController::feedFace(HeartView& view, Quantity q)
{
    if (m_settings.cut == ViewSettings::Cut::none)
        return;
    auto& over = view.scene().overlays();
    if (q == Quantity::regions)
        return over.set_face_parts(laidFor(q) != nullptr ? insideRegions(laidFor(q)->of)
                                                         : m_regionInside);
    const std::vector<float>* inside = nullptr;
    if (quantityInfo(q).wallOnly)
        inside = nullptr;
    else if (quantityInfo(q).maps)
        inside = m_maps && m_maps->volume ? &mapField(*m_maps->volume, q) : nullptr;
    else if (q == Quantity::phase)
        inside = m_frame ? m_frame->phase_volume.get() : nullptr;
    else if (q == Quantity::potential && !m_recorded)
        inside = m_frame ? m_frame->volume.get() : nullptr;
    over.set_face_values(inside != nullptr ? std::span<const float>(*inside)
                                           : std::span<const float>(),
                         quantityInfo(q).cyclic);
}

void ViewController::setRunEnded(bool on)
{
    if (std::exchange(m_runEnded, on) != on && m_model)
        feedAll();
}

bool ViewController::hasInsulator() const
{
    const auto insulates = [](const simulation::Region& r) {
        return r.insulating ||
               (!r.inherits() && r.conductivity_S_per_m == diffusion::Conductivity{});
    };
    return m_scene &&
           std::any_of(m_scene->session.regions.begin(), m_scene->session.regions.end(), insulates);
}

QString ViewController::greyNote(Quantity q) const
{
    const auto wall = values(q);
    const QString insulator = hasInsulator() ? tr(", or insulating") : QString();
    const auto known = [](float x) { return std::isfinite(x); };
    if (q == Quantity::velocity)
        return std::all_of(wall.begin(), wall.end(), known)
                   ? QString()
                   : tr("grey: not activated, or all at once (stimulus, collision)") + insulator;
    // no part of the beat; its end is not known; it was activated while no sample was taken
    bool resting = false, lasting = false, missed = false;
    for (std::size_t k = 0; k < wall.size(); ++k)
        if (!std::isfinite(wall[k]))
            (std::isfinite(m_maps->activation[k])       ? lasting
             : std::isfinite(m_maps->repolarisation[k]) ? missed
                                                        : resting) = true;
    if (missed && q != Quantity::period)
        return tr("grey: not activated, or when is not known") + insulator;
    if (!resting && !lasting && !missed)
        return {};
    if (q == Quantity::period)
        return tr("grey: no activation before") + insulator;
    // of the newest beat alone, and while the run can go on, more is still to come
    const bool open =
        !m_runEnded && !m_maps->beats.empty() && m_maps->beat == m_maps->beats.back().number;
    const QString end = open ? tr("not repolarised yet") : tr("not repolarised");
    return (!lasting   ? tr("grey: not activated")
            : !resting ? tr("grey: %1").arg(end)
                       : tr("grey: not activated, or %1").arg(end)) +
           insulator;
}

bool ViewController::nothingKnown(Quantity q) const
{
    if (!quantityInfo(q).maps || !m_settings.style(q).automatic)
        return false;
    const auto wall = values(q);
    return std::none_of(wall.begin(), wall.end(), [](float x) { return std::isfinite(x); });
}

QString ViewController::wholeBeatNote(Quantity q) const
{
    if (m_settings.beat != simulation::WatchMaps::newest || !nothingKnown(q) ||
        (q != Quantity::apd && q != Quantity::repolarisation))
        return {};
    const auto whole = simulation::newest_repolarised(m_maps->beats);
    const auto has = [&](const auto& b) { return b.number == whole && b.repolarised > 0; };
    return whole != m_maps->beat && std::any_of(m_maps->beats.begin(), m_maps->beats.end(), has)
               ? tr("beat %1 is whole: View > Of > Newest that repolarised").arg(whole)
               : QString();
}

std::vector<char> ViewController::oldTurns(Quantity q) const
{
    constexpr double cycles = 2;
    if (!m_maps || (q != Quantity::activation && q != Quantity::repolarisation))
        return {};
    const auto& beats = m_maps->beats;
    const auto shown = std::find_if(beats.begin(), beats.end(),
                                    [&](const auto& b) { return b.number == m_maps->beat; });
    std::vector<float> periods = m_maps->period;
    std::erase_if(periods, [](float ms) { return !std::isfinite(ms); });
    if (shown == beats.end() || !shown->turns || periods.empty())
        return {};
    const auto middle = periods.begin() + static_cast<std::ptrdiff_t>(periods.size() / 2);
    std::nth_element(periods.begin(), middle, periods.end());
    const auto& at = m_maps->activation;
    float newest = -std::numeric_limits<float>::infinity();
    for (float ms : at)
        newest = std::isfinite(ms) ? std::max(newest, ms) : newest;
    std::vector<char> old(at.size(), 0);
    bool any = false;
    for (std::size_t k = 0; k < at.size(); ++k)
        if (at[k] < newest - cycles * *middle)
            old[k] = 1, any = true;
    return any ? old : std::vector<char>();
}

QString ViewController::oldTurnsNote(Quantity q) const
{
    const auto old = oldTurns(q);
    if (old.empty() || !m_settings.style(q).automatic)
        return {};
    const double part = 100.0 * static_cast<double>(std::count(old.begin(), old.end(), char(1))) /
                        static_cast<double>(old.size());
    return part < 1
               ? QString()
               : tr("%1 % of the wall last activated more than two cycles before: first colour")
                     .arg(std::lround(part));
}

QString ViewController::noteOf(Quantity q) const
{
    QStringList notes;
    if (m_maps && quantityInfo(q).maps) {
        // what follows "beat 2 of 3", which is all that the caption of a narrow view has room for
        if (m_settings.annotations)
            notes << beatLabel().section(QLatin1Char(','), 1).trimmed();
        notes << greyNote(q) << wholeBeatNote(q) << oldTurnsNote(q) << changesNote();
    }
    if (q == Quantity::phase && (!m_frame || !m_frame->phase))
        notes << noPhaseNote();
    if ((q == Quantity::potential || q == Quantity::phase) && hasInsulator())
        notes << tr("grey: insulating tissue, no cells");
    if (m_settings.arrows)
        notes << m_arrowsText;
    if (quantityInfo(q).wallOnly)
        notes << greyFace(q);
    if (m_recorded) {
        if (quantityInfo(q).maps || (q == Quantity::phase && m_frame && m_frame->phase))
            notes << tr("Of the run, not of the replayed moment");
        notes << recordedNote(q) << replayedRegions(q);
    }
    notes.removeAll(QString());
    return notes.join('\n');
}

QString ViewController::noPhaseNote() const
{
    const auto& plane = m_settings.plane;
    if (m_scene) {
        const auto why = simulation::why_no_phase(plane, m_scene->session.regions);
        if (!why.empty())
            return tr("No phase: %1").arg(QString::fromStdString(why));
    }
    return plane.kind == simulation::PhasePlane::Kind::recovery
               ? tr("The phase comes with the next moment: let the run go on (Space)")
               : tr("Phase needs the %1 ms before: let the run go on (Space)")
                     .arg(plane.delay_ms, 0, 'f', 0);
}

QString ViewController::greyFace(Quantity q) const
{
    if (m_settings.cut == ViewSettings::Cut::none)
        return {};
    if (quantityInfo(q).wallOnly)
        return tr("Cut face grey: the %1 is known on the wall only")
            .arg(quantityNames()[static_cast<qsizetype>(q)].toLower());
    return m_recorded && q == Quantity::potential ? faceNotRecorded() : QString();
}

QString ViewController::recordedNote(Quantity q) const
{
    QStringList notes;
    if (m_settings.cut != ViewSettings::Cut::none && q == Quantity::potential)
        notes << faceNotRecorded();
    notes << networkNote(q);
    if (m_settings.depolarised || m_settings.filaments)
        notes << tr("Depolarised tissue and filaments are not recorded");
    notes.removeAll(QString());
    return notes.join('\n');
}

std::optional<scene::Plane> ViewController::clip() const
{
    return m_settings.cut == ViewSettings::Cut::clip && m_model ? std::optional(plane())
                                                                : std::nullopt;
}

scene::Plane ViewController::plane() const
{
    scene::Plane p;
    const auto k = static_cast<std::size_t>(m_settings.axis);
    const double at = m_low[k] + m_settings.position * (m_high[k] - m_low[k]);
    p.normal = {};
    p.normal[k] = m_settings.flip ? -1 : 1;
    p.offset_mm = m_settings.flip ? -at : at;
    return p;
}

void ViewController::updateSection()
{
    if (!m_model || m_settings.cut == ViewSettings::Cut::none || m_sectionBusy)
        return;
    const auto wanted = plane();
    if (m_face && m_facePlane == wanted)
        return;
    run(
        m_sectionBusy,
        [scene = m_scene, wanted] {
            return std::make_shared<const scene::Section>(
                scene::plane_section(*scene->mesh, wanted));
        },
        [this, scene = m_scene, wanted](std::shared_ptr<const scene::Section> face) {
            if (scene != m_scene)
                return;
            m_face = std::move(face);
            m_facePlane = wanted;
            m_grid->each([&](HeartView& v, int i) { dress(v, i); });
            updateSection(); // the slider may have moved on
        });
}

void ViewController::updateDepolarised()
{
    if (!m_model || !m_settings.depolarised || m_frontBusy || !m_frame || !m_frame->volume)
        return;
    run(
        m_frontBusy,
        [scene = m_scene, volume = m_frame->volume, level = m_settings.threshold_mV] {
            return std::make_shared<const scene::Section>(
                scene::isosurface(*scene->mesh, *volume, static_cast<float>(level)));
        },
        [this, scene = m_scene](std::shared_ptr<const scene::Section> front) {
            if (scene != m_scene || !m_settings.depolarised)
                return;
            m_front = std::move(front);
            m_grid->each([&](HeartView& v, int) {
                v.scene().overlays().set_depolarised(m_recorded ? nullptr : m_front,
                                                     depolarised_opacity);
                v.schedule();
            });
        });
}

void ViewController::updateFibres()
{
    const auto wanted = m_settings.fibres;
    if (!m_model || m_fibresBusy || wanted == ViewSettings::Fibres::none || wanted == m_fibresMade)
        return;
    const bool glyphs = wanted == ViewSettings::Fibres::glyphs;
    run(
        m_fibresBusy,
        [scene = m_scene, glyphs] {
            return scene::fibre_lines(*scene->mesh, *scene->surface,
                                      glyphs ? fibre_glyphs : streamline_count,
                                      glyphs ? glyph_mm : streamline_mm);
        },
        [this, scene = m_scene, wanted](scene::Lines lines) {
            if (scene != m_scene)
                return;
            m_fibres = std::move(lines);
            m_fibresMade = wanted;
            m_grid->each([&](HeartView& v, int i) { dress(v, i); });
            updateFibres();
        });
}

void ViewController::updateArrows()
{
    if (!m_model || !m_settings.arrows || m_arrowsBusy || !m_maps || m_maps->velocity.empty())
        return;
    run(
        m_arrowsBusy,
        [scene = m_scene, maps = m_maps] {
            std::vector<Vec3> v;
            for (const auto& u : maps->velocity)
                v.push_back({u[0], u[1], u[2]});
            return scene::arrows(*scene->mesh, *scene->surface, v, arrow_spacing_mm, arrow_scale);
        },
        [this, scene = m_scene](scene::Lines lines) {
            if (scene != m_scene)
                return;
            m_arrowsText = velocityText(lines.values);
            m_arrows = std::move(lines);
            m_grid->each([&](HeartView& v, int) {
                v.scene().overlays().set_lines(scene::Overlays::Kind::arrows,
                                               m_settings.arrows ? m_arrows : scene::Lines{},
                                               scene::color_map("grey"), -1, 0.9, 2);
                v.schedule();
            });
            feedAll(); // the remark on them
        });
}

void ViewController::updateFilaments()
{
    scene::Lines lines;
    lines.starts.push_back(0);
    if (m_settings.filaments && !m_recorded && m_frame && m_frame->singularities)
        for (const auto* of :
             {&m_frame->singularities->filaments_mm, &m_frame->singularities->around_mm})
            for (const auto& f : *of) {
                for (const Vec3& p : f) {
                    for (double x : p)
                        lines.points.push_back(static_cast<float>(x));
                    lines.values.push_back(1);
                }
                lines.starts.push_back(static_cast<std::int32_t>(lines.values.size()));
            }
    m_grid->each([&](HeartView& v, int) {
        v.scene().overlays().set_lines(scene::Overlays::Kind::filaments, lines,
                                       scene::color_map("grey"), 0, 1, 4);
        v.schedule();
    });
}

} // namespace tawara
