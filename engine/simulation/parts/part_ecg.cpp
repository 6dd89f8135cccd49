// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/part_ecg.hpp"

#include "engine/core/error.hpp"
#include "engine/device/ranks/pack.hpp"
#include "engine/simulation/observe/ecg_rows.hpp"

#include <algorithm>

namespace tawara::simulation::parts {
namespace {

using device::ranks::Pack;
using device::ranks::Unpack;
using Tensors = std::vector<std::array<double, 6>>;
using Columns = std::vector<std::vector<double>>; ///< [column][vertex of the part]

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Electrodes and leads, by the whole mesh's axes.
EcgLayout layout_of(const PartTissue& t, Group& group, const Session& s, const std::string& file)
{
    auto leads = s.leads;
    const bool torso = in_torso(s.electrodes, leads);
    if (!leads.frame && (torso || leads.kind == Leads::Kind::twelve_lead)) {
        const auto& b = t.index.body;
        if (!b)
            throw InputError(file, "/ecg/frame",
                             "is needed: the mesh was partitioned without the body's axes; "
                             "partition it again, or give the frame");
        leads.frame = TorsoFrame{b->origin_mm, b->left, b->posterior, b->superior, b->scale};
    }
    if (torso) // as large as any part needs it
        leads.frame->scale = group.largest(holding(*leads.frame, *t.tissue.mesh).scale);
    return ecg_layout(t.tissue, s.electrodes, leads, file);
}

/// Sources of the own tetrahedra; nothing of others, whose owners have it.
Tensors own_sources(const PartTissue& t, int rank)
{
    auto out = source_conductivities(*t.tissue.mesh, t.tissue.patches);
    for (std::size_t tet = 0; tet < out.size(); ++tet)
        if (t.tetrahedron_owner[tet] != rank)
            out[tet] = {};
    return out;
}

/// What all parts have at each vertex, added up: a piece of the whole's vertices at a time.
void add_up(const PartTissue& t, Group& group, Columns& columns)
{
    constexpr std::int64_t piece = 1 << 14;
    const auto n = columns.size();
    std::size_t from = 0;
    for (std::int64_t first = 0; first < t.index.vertices; first += piece) {
        const auto to = at(std::lower_bound(t.vertex.begin() + static_cast<std::ptrdiff_t>(from),
                                            t.vertex.end(), first + piece) -
                           t.vertex.begin());
        std::vector<std::int64_t> number(t.vertex.begin() + static_cast<std::ptrdiff_t>(from),
                                         t.vertex.begin() + static_cast<std::ptrdiff_t>(to));
        std::vector<double> values;
        for (auto v = from; v < to; ++v)
            for (const auto& c : columns)
                values.push_back(c[v]);
        const auto answer =
            group.together((Pack() << number << values).take(), [&](const std::vector<Bytes>& all) {
                std::vector<double> sum(n * at(piece), 0);
                for (const auto& message : all) {
                    Unpack(message) >> number >> values;
                    for (std::size_t k = 0; k < values.size(); ++k)
                        sum[n * at(number[k / n] - first) + k % n] += values[k];
                }
                return (Pack() << sum).take();
            });
        Unpack(answer) >> values;
        for (auto v = from; v < to; ++v)
            for (std::size_t c = 0; c < n; ++c)
                columns[c][v] = values[n * at(t.vertex[v] - first) + c];
        from = to;
    }
}

/// How much a tetrahedron has of V at a vertex, before it is divided by the sum of all around: as
/// EcgField has it of a whole mesh.
double share_of_vertex(const mesh::TetMesh& m, std::size_t tet, std::size_t v)
{
    return 1 / std::max(norm(m.centroid(tet) - m.vertex(v)), 1e-9);
}

/// Weights of the own unknowns on tetrahedra, from those of the vertices.
Columns of_tetrahedra(const PartTissue& t, Group& group, const Tensors& sigma, Columns at_vertices)
{
    const auto& m = *t.tissue.mesh;
    auto& shares = at_vertices.emplace_back(m.vertex_count(), 0.0);
    for (std::size_t tet = 0; tet < sigma.size(); ++tet)
        if (diffusion::conducts(sigma[tet]))
            for (const auto v : m.corners(tet))
                shares[at(v)] += share_of_vertex(m, tet, at(v));
    add_up(t, group, at_vertices);
    const auto& sum = at_vertices.back();
    Columns out(at_vertices.size() - 1, std::vector<double>(sigma.size(), 0));
    for (std::size_t tet = 0; tet < sigma.size(); ++tet)
        if (diffusion::conducts(sigma[tet]))
            for (const auto v : m.corners(tet)) {
                const double part = share_of_vertex(m, tet, at(v)) / sum[at(v)];
                for (std::size_t e = 0; e < out.size(); ++e)
                    out[e][tet] += at_vertices[e][at(v)] * part;
            }
    return out;
}

} // namespace

PartEcg::PartEcg(const PartTissue& t, Group& group, const Session& s, const std::string& file,
                 const Progress& progress)
    : layout_(layout_of(t, group, s, file))
{
    group.any(false); // all have a layout
    table_.names = layout_.names();
    mix_ = LeadWeights(layout_);
    if (empty())
        return;
    const auto sigma = own_sources(t, group.rank());
    // of the own tetrahedra alone, since others have no sources here
    auto fields =
        lead_fields(*t.tissue.mesh, sigma, layout_, s.bath_conductivity_S_per_m, progress);
    if (t.tissue.on_vertices())
        add_up(t, group, fields);
    else
        fields = of_tetrahedra(t, group, sigma, std::move(fields));
    for (const auto& field : fields) {
        auto& w = weights_.emplace_back();
        for (const auto u : t.stepped)
            w.push_back(static_cast<float>(field[at(u)]));
    }
}

void PartEcg::add(Group& group, std::span<const double> of_share, double time_ms)
{
    // Weights sum to zero over all parts but for rounding: a common part of V adds no error.
    constexpr double common_mV = -85;
    std::vector<double> here(weights_.size(), 0);
    for (std::size_t e = 0; e < here.size(); ++e)
        for (std::size_t u = 0; u < weights_[e].size(); ++u)
            here[e] += static_cast<double>(weights_[e][u]) * (of_share[u] - common_mV);
    const auto potential = group.sums(here);
    if (!group.is_first())
        return;
    table_.time_ms.push_back(time_ms);
    for (std::size_t lead = 0; lead < mix_.size(); ++lead)
        table_.V_mV.push_back(static_cast<double>(static_cast<float>(mix_.of(lead, potential))));
}

std::string PartEcg::print() const
{
    return ecg_print(layout_);
}

} // namespace tawara::simulation::parts
