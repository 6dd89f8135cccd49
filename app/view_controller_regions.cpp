// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of numbers on the wall: the tissue's regions, the parts of the devices.
#include "app/view_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace tawara {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// From when to when the maps' beat lasts: until all that it activated was repolarised, or the next
/// one began; infinity: it goes on [ms].
std::pair<double, double> lasts(const simulation::MapFrame& m)
{
    double from = 0, base = 0, next = never;
    for (const auto& b : m.beats) {
        if (b.number == m.beat) {
            from = b.from_ms;
            base = b.zero_ms();
        }
        if (b.number > m.beat)
            next = std::min(next, b.from_ms);
    }
    if (m.beat == 0)
        return {from, never};
    double last = -never;
    for (std::size_t k = 0; k < m.activation.size(); ++k)
        if (std::isfinite(m.activation[k]))
            last = k < m.repolarisation.size() && std::isfinite(m.repolarisation[k])
                       ? std::max(last, base + static_cast<double>(m.repolarisation[k]))
                       : never;
    return {from, last > from ? std::min(last, next) : next};
}

} // namespace

void ViewController::setPartition(const std::shared_ptr<const simulation::Partition>& p)
{
    m_partition.clear();
    if (p && m_model && p->shard.size() == m_model->surface_vertices)
        for (std::size_t i = 0; i < p->shard.size(); ++i)
            // parts at a border have a colour of their own, eight further on
            m_partition.push_back(
                static_cast<float>(p->shard[i] % 8 + (p->separator[i] != 0 ? 8 : 0)));
    feedAll();
}

void ViewController::setTissue(LaidTissue laid)
{
    m_regionOf = std::move(laid.of);
    m_scar = std::move(laid.scar);
    regionsToVertices();
    findTissues(); // what was of before may be of now
    m_grid->each([&](HeartView& v, int i) { dress(v, i); });
}

void ViewController::followTissue(const EngineHost::ScenePtr& scene)
{
    m_tissues.follow(scene);
    findTissues();
    if (m_model)
        m_grid->each([&](HeartView& v, int i) { dress(v, i); }); // remarks on changes, too
    Q_EMIT valuesShown();
}

bool ViewController::findTissues()
{
    m_beatFromMs = 0;
    m_beatEndMs = never;
    if (m_maps)
        std::tie(m_beatFromMs, m_beatEndMs) = lasts(*m_maps);
    const auto moment =
        m_recorded ? m_tissues.past(m_recorded->time_ms, m_recording) : std::nullopt;
    const auto beat = std::isfinite(m_beatEndMs) ? m_tissues.past(m_beatEndMs) : std::nullopt;
    if (moment == m_momentTissue && beat == m_beatTissue)
        return false;
    m_momentTissue = moment;
    m_beatTissue = beat;
    m_shares.reset();
    return true;
}

const PastTissue* ViewController::pastOf(Quantity q) const
{
    if (quantityInfo(q).maps)
        return m_beatTissue ? &*m_beatTissue : nullptr;
    const bool recorded = q == Quantity::potential || q == Quantity::regions;
    return recorded && m_recorded && m_momentTissue ? &*m_momentTissue : nullptr;
}

const LaidTissue* ViewController::laidFor(Quantity q) const
{
    const auto* past = pastOf(q);
    return past != nullptr && past->known() ? past->laid.get() : nullptr;
}

const scene::Outline& ViewController::scar(Quantity q) const
{
    return laidFor(q) != nullptr ? laidFor(q)->scar : m_scar;
}

const QStringList& ViewController::regionNames() const
{
    const auto* laid = laidFor(Quantity::regions);
    return laid != nullptr ? laid->names : m_regionNames;
}

QString ViewController::changesNote() const
{
    const auto at = [](const std::vector<double>& times) {
        const QString first = QString::number(times.front(), 'f', 0);
        return times.size() == 1   ? tr("at %1 ms").arg(first)
               : times.size() == 2 ? tr("at %1 and %2 ms").arg(first).arg(times.back(), 0, 'f', 0)
                                   : tr("%1 times from %2 ms on").arg(times.size()).arg(first);
    };
    QStringList notes;
    const auto during = m_tissues.changes(m_beatFromMs, m_beatEndMs),
               after = m_tissues.changes(m_beatEndMs, never);
    if (!during.empty())
        notes << tr("Tissue changed %1, during this beat").arg(at(during));
    if (!after.empty())
        notes << tr("Tissue changed %1, after this beat").arg(at(after));
    return notes.join('\n');
}

QString ViewController::replayedRegions(Quantity q) const
{
    const auto* past = pastOf(q);
    if (past == nullptr || quantityInfo(q).maps)
        return {};
    const bool changed = std::isfinite(past->changedMs);
    const QString when = QString::number(past->changedMs, 'f', 0);
    if (q == Quantity::regions && past->known())
        return changed ? tr("Regions as they were before the change at %1 ms").arg(when)
                       : tr("Regions as they were");
    if (past->known() || !past->laid)
        return {}; // it is being laid
    return changed ? tr("Regions and scar as changed at %1 ms").arg(when)
                   : tr("Regions and scar of now");
}

GridPainter::Tissue ViewController::tissueOfMovie(const void* recording)
{
    GridPainter::Tissue out;
    out.of = m_tissues.ofRecording(recording);
    out.scar = m_settings.scar;
    out.clip = clip();
    for (int i = 0; i < m_grid->count(); ++i)
        out.regions.push_back(m_settings.shownIn(i) == Quantity::regions);
    return out;
}

const BullseyePlot::Shares& ViewController::segmentRegions()
{
    if (m_shares)
        return *m_shares;
    auto& shares = m_shares.emplace();
    const auto* laid = laidFor(Quantity::regions);
    const auto& of = laid != nullptr ? laid->of : m_regionOf;
    const auto* mesh = m_scene ? m_scene->mesh.get() : nullptr;
    const auto* f = mesh != nullptr ? mesh->field("aha_segment") : nullptr;
    if (f == nullptr || f->on != mesh::Field::On::tetrahedra ||
        of.size() != mesh->tetrahedron_count())
        return shares;
    std::array<double, 17> whole{};
    for (std::size_t t = 0; t < of.size(); ++t) {
        const auto segment = std::lround(f->values[t]);
        if (segment < 1 || segment > 17 || of[t] < 0)
            continue;
        const auto k = static_cast<std::size_t>(segment - 1);
        const auto r = static_cast<std::size_t>(of[t]);
        if (shares[k].size() <= r)
            shares[k].resize(r + 1, 0);
        const double volume = mesh->volume(t);
        shares[k][r] += volume;
        whole[k] += volume;
    }
    for (std::size_t k = 0; k < 17; ++k)
        for (double& part : shares[k])
            part /= whole[k];
    return shares;
}

void ViewController::setRegionNames(const QStringList& names)
{
    m_regionNames = names;
    m_grid->each([&](HeartView& v, int i) { dress(v, i); });
}

void ViewController::paintRegion(const std::vector<std::int64_t>& tetrahedra, std::int32_t region,
                                 bool erase)
{
    for (const auto t : tetrahedra)
        if (const auto k = static_cast<std::size_t>(t); k < m_regionOf.size()) {
            auto& of = m_regionOf[k];
            // what lies above stays; what lies beneath is laid anew when the stroke ends
            if (erase && of == region)
                of = 0;
            else if (!erase && of < region)
                of = region;
        }
    regionsToVertices();
}

void ViewController::regionsToVertices()
{
    m_shares.reset();
    if (!m_scene || !m_scene->surface)
        return;
    m_regions = wallRegions(m_regionOf, *m_scene->surface);
    m_regionInside = insideRegions(m_regionOf);
    m_grid->each([&](HeartView& v, int i) {
        if (m_settings.shownIn(i) == Quantity::regions)
            feed(v, i);
    });
}

BullseyePlot::Values ViewController::segmentMeans(Quantity q, BullseyePlot::Values* shares) const
{
    BullseyePlot::Values mean;
    if (shares != nullptr)
        shares->fill(0);
    mean.fill(std::numeric_limits<double>::quiet_NaN());
    const auto v = values(q);
    if (v.size() != m_segment.size() || quantityInfo(q).flat)
        return mean;
    const bool cyclic = quantityInfo(q).cyclic;
    std::array<double, 17> sum{}, sine{};
    std::array<int, 17> n{}, all{};
    for (std::size_t i = 0; i < v.size(); ++i)
        if (m_segment[i] > 0 && ++all[static_cast<std::size_t>(m_segment[i] - 1)] > 0 &&
            std::isfinite(v[i]) && v[i] > -1e20F) {
            const auto k = static_cast<std::size_t>(m_segment[i] - 1);
            const auto x = static_cast<double>(v[i]);
            sum[k] += cyclic ? std::cos(x) : x;
            sine[k] += cyclic ? std::sin(x) : 0;
            ++n[k];
        }
    for (std::size_t k = 0; k < 17; ++k)
        if (n[k] > 0) {
            mean[k] = cyclic ? std::atan2(sine[k], sum[k]) : sum[k] / n[k];
            if (shares != nullptr)
                (*shares)[k] = static_cast<double>(n[k]) / all[k];
        }
    return mean;
}

} // namespace tawara
