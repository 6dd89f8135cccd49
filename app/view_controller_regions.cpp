// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of numbers on the wall: the tissue's regions, the parts of the devices.
#include "app/view_controller.hpp"

#include <algorithm>
#include <cmath>

namespace tawara {

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

void ViewController::setRegions(const std::vector<std::int32_t>& ofTetrahedron)
{
    m_regionOf = ofTetrahedron;
    regionsToVertices();
}

void ViewController::setScar(scene::Outline outline)
{
    m_scar = std::move(outline);
    m_grid->each([&](HeartView& v, int i) { dress(v, i); });
}

const BullseyePlot::Shares& ViewController::segmentRegions()
{
    if (m_shares)
        return *m_shares;
    auto& shares = m_shares.emplace();
    const auto* mesh = m_scene ? m_scene->mesh.get() : nullptr;
    const auto* f = mesh != nullptr ? mesh->field("aha_segment") : nullptr;
    if (f == nullptr || f->on != mesh::Field::On::tetrahedra ||
        m_regionOf.size() != mesh->tetrahedron_count())
        return shares;
    std::array<double, 17> whole{};
    for (std::size_t t = 0; t < m_regionOf.size(); ++t) {
        const auto segment = std::lround(f->values[t]);
        if (segment < 1 || segment > 17 || m_regionOf[t] < 0)
            continue;
        const auto k = static_cast<std::size_t>(segment - 1);
        const auto r = static_cast<std::size_t>(m_regionOf[t]);
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
    const auto& s = *m_scene->surface;
    m_regions.assign(s.vertices.size(), 0);
    m_regionInside.resize(m_regionOf.size());
    std::transform(m_regionOf.begin(), m_regionOf.end(), m_regionInside.begin(),
                   [](std::int32_t r) { return static_cast<float>(r % 16); });
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
        const auto tet = static_cast<std::size_t>(s.tetrahedron[t]);
        if (tet >= m_regionOf.size())
            continue;
        // colours are of the triangle's last vertex: the highest region around it shows
        for (auto v : s.triangles[t]) {
            auto& r = m_regions[static_cast<std::size_t>(v)];
            r = std::max(r, static_cast<float>(m_regionOf[tet] % 16));
        }
    }
    m_grid->each([&](HeartView& v, int i) {
        if (m_settings.shownIn(i) == Quantity::regions)
            feed(v, i);
    });
}

} // namespace tawara
