// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/interpolated_currents.hpp"

#include "engine/device/cpu/between_vertices.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tawara::device::cpu {
namespace {

constexpr std::size_t vector_block = 16; ///< points of a kernel's call begin at multiples

std::size_t whole_blocks(std::size_t n)
{
    return (n + vector_block - 1) / vector_block * vector_block;
}

/// A tetrahedron by its slots, of one group.
struct Placed
{
    std::array<std::int32_t, 4> slot;
    std::size_t element, group;
};

/// Those of one group, in the order of slots.
std::vector<Placed> placed(const TissueProblem& p, const Layout& layout)
{
    std::vector<Placed> out;
    out.reserve(p.elements.size());
    for (std::size_t t = 0; t < p.elements.size(); ++t) {
        Placed x{{}, t, 0};
        bool alike = true;
        for (std::size_t a = 0; a < 4; ++a) {
            const auto u = static_cast<std::size_t>(p.elements.corner[t][a]);
            const std::size_t group = p.cell_group(u);
            x.slot[a] = layout.new_of[u];
            alike = alike && group != no_cells && (a == 0 || group == x.group);
            x.group = group;
        }
        if (alike)
            out.push_back(x);
    }
    const auto key = [](const Placed& x) {
        auto s = x.slot;
        std::sort(s.begin(), s.end());
        return s;
    };
    std::sort(out.begin(), out.end(),
              [&](const Placed& a, const Placed& b) { return key(a) < key(b); });
    return out;
}

/// Cuts a list into chunks of one group with a bounded number of tetrahedra and vertices.
void number_chunks(const std::vector<Placed>& all, std::size_t slots, std::size_t most_tetrahedra,
                   std::size_t most_vertices, std::vector<ElementPlace>& place)
{
    std::vector<std::int32_t> seen(slots, -1); ///< the chunk that a vertex was in last
    std::int32_t chunk = -1;
    std::size_t tetrahedra = 0, vertices = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (n == 0 || all[n].group != all[n - 1].group || tetrahedra == most_tetrahedra ||
            vertices + 4 > most_vertices) {
            ++chunk;
            tetrahedra = vertices = 0;
        }
        for (const auto slot : all[n].slot)
            if (std::exchange(seen[static_cast<std::size_t>(slot)], chunk) != chunk)
                ++vertices;
        ++tetrahedra;
        place[all[n].element] = {static_cast<std::int32_t>(n), chunk};
    }
}

} // namespace

std::vector<ElementPlace> element_places(const TissueProblem& p, const Layout& layout)
{
    std::vector<ElementPlace> out(p.elements.size());
    number_chunks(placed(p, layout), layout.slots(), most_tetrahedra_of_chunk,
                  most_vertices_of_chunk, out);
    return out;
}

template <class Real>
InterpolatedCurrents<Real>::InterpolatedCurrents(const TissueProblem& p, const Layout& layout,
                                                 ThreadPool& pool, double front)
    : pool_(pool), stepped_(layout.stepped), front_mV_(static_cast<Real>(front)),
      scratch_(pool.size())
{
    check_currents(p);
    for (const auto& g : p.groups)
        currents_.push_back(cell::make_membrane_current<Real>(g.types, p.table_step_mV));
    std::vector<double> mass(layout.slots(), 0);
    for (std::size_t t = 0; t < p.elements.size(); ++t)
        for (const auto u : p.elements.corner[t])
            mass[static_cast<std::size_t>(layout.new_of[static_cast<std::size_t>(u)])] +=
                p.elements.volume_mm3[t] / 4;
    for (const double m : mass)
        per_mass_.push_back(static_cast<Real>(m > 0 ? 1 / m : 0));
    total_.assign(layout.slots(), Real(0));
    list_chunks(p, layout);
    std::size_t states = 0;
    for (const auto& c : currents_)
        states = std::max(states, c.states);
    for (Scratch& s : scratch_) {
        s.values.assign((1 + states) * most_points, Real(0));
        for (std::size_t k = 0; k < states; ++k)
            s.arrays.push_back(s.values.data() + (1 + k) * most_points);
        s.vertex.assign(most_vertices, Real(0));
        s.corner.assign(4 * most_tetrahedra, 0);
        s.type.assign(most_points, 0);
        s.at.assign(most_vertices, -1);
    }
}

template <class Real>
void InterpolatedCurrents<Real>::list_chunks(const TissueProblem& p, const Layout& layout)
{
    const auto found =
        p.elements.place.empty() ? element_places(p, layout) : std::vector<ElementPlace>();
    const auto& place = p.elements.place.empty() ? found : p.elements.place;
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < place.size(); ++t)
        if (place[t].chunk >= 0)
            order.push_back(t);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return place[a].number < place[b].number; });
    std::vector<std::int32_t> number(layout.slots(), -1); ///< in the chunk being filled
    for (std::size_t at = 0; at < order.size();) {
        const auto first = order[at];
        const auto corner = [&](std::size_t t, std::size_t a) {
            return static_cast<std::size_t>(p.elements.corner[t][a]);
        };
        const auto slot0 = layout.new_of[corner(first, 0)];
        Chunk k{p.cell_group(corner(first, 0)), at, 0, vertex_.size(), 0, slot0, 0};
        for (; at < order.size() && place[order[at]].chunk == place[first].chunk;
             ++at, ++k.tetrahedra) {
            Corners c{};
            for (std::size_t a = 0; a < 4; ++a) {
                const auto slot = layout.new_of[corner(order[at], a)];
                auto& n = number[static_cast<std::size_t>(slot)];
                if (n < 0) {
                    n = static_cast<std::int32_t>(vertex_.size() - k.first_vertex);
                    vertex_.push_back(slot);
                    k.lowest_slot = std::min(k.lowest_slot, slot);
                    k.above_slots = std::max(k.above_slots, slot + 1);
                }
                c[a] = static_cast<std::uint8_t>(n);
            }
            corner_.push_back(c);
            volume_.push_back(static_cast<Real>(p.elements.volume_mm3[order[at]] / 4));
        }
        k.vertices = vertex_.size() - k.first_vertex;
        for (std::size_t v = 0; v < k.vertices; ++v)
            number[static_cast<std::size_t>(vertex_[k.first_vertex + v])] = -1;
        chunks_.push_back(k);
    }
    part_.assign(vertex_.size(), Real(0));
    in_front_.assign(chunks_.size(), 0);
}

template <class Real>
void InterpolatedCurrents<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    currents_.at(group).kernel->set_types(types);
}

template <class Real>
bool InterpolatedCurrents<Real>::find_front(const Chunk& k, const Real* v, Scratch& s) const
{
    const std::int32_t* const slot = vertex_.data() + k.first_vertex;
    const auto all = extent(v, slot, k.vertices);
    s.front.clear();
    if (!(all.high - all.low > front_mV_))
        return false;
    for (std::size_t t = k.first_tetrahedron; t < k.first_tetrahedron + k.tetrahedra; ++t) {
        const Corners& c = corner_[t];
        const Real x[] = {v[slot[c[0]]], v[slot[c[1]]], v[slot[c[2]]], v[slot[c[3]]]};
        const Real low = std::min(std::min(x[0], x[1]), std::min(x[2], x[3]));
        const Real high = std::max(std::max(x[0], x[1]), std::max(x[2], x[3]));
        if (high - low > front_mV_)
            s.front.push_back(t);
    }
    return !s.front.empty();
}

template <class Real>
void InterpolatedCurrents<Real>::fill_points(const Chunk& k, const Cells& c, Scratch& s)
{
    const std::size_t n = whole_blocks(s.front.size());
    std::fill_n(s.at.begin(), k.vertices, -1);
    s.slot.clear();
    for (std::size_t t = 0; t < n; ++t) // what fills the last block repeats its last tetrahedron
        for (std::size_t a = 0; a < 4; ++a) {
            const auto vertex = corner_[s.front[std::min(t, s.front.size() - 1)]][a];
            auto& at = s.at[vertex];
            if (at < 0) {
                at = static_cast<std::int32_t>(s.slot.size());
                s.slot.push_back(vertex_[k.first_vertex + vertex]);
            }
            s.corner[a * n + t] = at;
        }
    const std::size_t vertices = s.slot.size();
    const auto fill = [&](const Real* x, Real* out) {
        for (std::size_t v = 0; v < vertices; ++v)
            s.vertex[v] = x[s.slot[v]];
        at_gauss_points(s.vertex.data(), s.corner.data(), n, out);
        std::copy_n(s.vertex.data(), vertices, out + 4 * n);
    };
    fill(c.v, s.values.data());
    for (const std::size_t state : currents_[k.group].reads)
        fill(c.states[state], s.arrays[state]);
    for (std::size_t i = 0; i < 4 * n; ++i)
        s.type[i] = c.type[s.slot[static_cast<std::size_t>(s.corner[i])]];
    for (std::size_t v = 0; v < vertices; ++v)
        s.type[4 * n + v] = c.type[s.slot[v]];
}

template <class Real>
void InterpolatedCurrents<Real>::add_up(const Chunk& k, Scratch& s)
{
    constexpr auto far_part = static_cast<Real>(far_weight),
                   more = static_cast<Real>(near_weight - far_weight);
    const std::size_t n = whole_blocks(s.front.size());
    const Real *const point = s.values.data(), *const vertex = point + 4 * n;
    Real* const sum = s.vertex.data();
    std::fill_n(sum, s.slot.size(), Real(0));
    for (std::size_t t = 0; t < s.front.size(); ++t) {
        const Real f[] = {point[t], point[n + t], point[2 * n + t], point[3 * n + t]};
        const Real all = far_part * (f[0] + f[1] + f[2] + f[3]), volume = volume_[s.front[t]];
        for (std::size_t a = 0; a < 4; ++a) {
            const auto at = s.corner[a * n + t];
            sum[at] += volume * (all + more * f[a] - vertex[at]);
        }
    }
    for (std::size_t v = 0; v < k.vertices; ++v)
        part_[k.first_vertex + v] = s.at[v] < 0 ? Real(0) : sum[s.at[v]];
}

template <class Real>
void InterpolatedCurrents<Real>::compute(const Chunk& k, const Cells& c, double t_ms, double dt_ms,
                                         Scratch& s)
{
    fill_points(k, c, s);
    const std::size_t points = 4 * whole_blocks(s.front.size()) + s.slot.size();
    cell::CellArrays<Real> a;
    a.v = s.values.data();
    a.states = s.arrays.data();
    a.type = s.type.data();
    a.end = points;
    currents_[k.group].kernel->step(a, t_ms, dt_ms);
    add_up(k, s);
    s.tetrahedra += static_cast<std::int64_t>(s.front.size());
    s.points += static_cast<std::int64_t>(4 * s.front.size() + s.slot.size());
    s.values_read +=
        static_cast<std::int64_t>(s.slot.size() * (1 + currents_[k.group].reads.size()));
}

template <class Real>
const Real* InterpolatedCurrents<Real>::with_stimulus(const Cells& c, double t_ms, double dt_ms)
{
    const auto since = std::chrono::steady_clock::now();
    pool_.for_range(chunks_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
        Scratch& s = scratch_[worker];
        for (std::size_t k = begin; k < end; ++k) {
            in_front_[k] = find_front(chunks_[k], c.v, s) ? 1 : 0;
            if (in_front_[k])
                compute(chunks_[k], c, t_ms, dt_ms, s);
        }
    });
    front_.clear();
    for (std::size_t k = 0; k < chunks_.size(); ++k)
        if (in_front_[k])
            front_.push_back(&chunks_[k]);
    pool_.for_range(stepped_, Layout::block, [&](std::size_t begin, std::size_t end, unsigned) {
        const auto first = static_cast<std::int32_t>(begin), last = static_cast<std::int32_t>(end);
        std::fill(total_.begin() + first, total_.begin() + last, Real(0));
        for (const Chunk* k : front_) {
            if (k->above_slots <= first || k->lowest_slot >= last)
                continue;
            for (std::size_t v = k->first_vertex; v < k->first_vertex + k->vertices; ++v)
                if (const auto slot = vertex_[v]; slot >= first && slot < last)
                    total_[static_cast<std::size_t>(slot)] += part_[v];
        }
        for (std::size_t slot = begin; slot < end; ++slot)
            total_[slot] =
                total_[slot] * per_mass_[slot] + (c.stimulus ? c.stimulus[slot] : Real(0));
    });
    ++calls_;
    ms_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
    return total_.data();
}

template <class Real>
KernelRecord InterpolatedCurrents<Real>::record() const
{
    KernelRecord r;
    r.name = "interpolated currents";
    r.calls = calls_;
    r.ms = ms_;
    double points = 0, values = 0;
    for (const Scratch& s : scratch_) {
        r.tetrahedra += s.tetrahedra;
        points += static_cast<double>(s.points);
        values += static_cast<double>(s.values_read);
    }
    const auto calls = static_cast<double>(calls_);
    // V and number of each chunk's vertices, the sum of each slot; of the front its vertices'
    // values, and its tetrahedra's corners and volumes
    r.bytes = calls * (static_cast<double>(vertex_.size()) * (sizeof(Real) + 4) +
                       3.0 * sizeof(Real) * static_cast<double>(stepped_)) +
              values * sizeof(Real) + static_cast<double>(r.tetrahedra) * (sizeof(Real) + 4);
    double flops = 0, read = 0; // of a point, the largest of the models
    for (const auto& c : currents_) {
        flops = std::max(flops, c.kernel->flops_per_cell());
        read = std::max(read, static_cast<double>(c.reads.size() + 1));
    }
    r.flops = points * flops + static_cast<double>(r.tetrahedra) * (8 * read + 17);
    return r;
}

template class InterpolatedCurrents<double>;
template class InterpolatedCurrents<float>;

} // namespace tawara::device::cpu
