// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/front_currents.cuh"

#include "engine/device/elements.hpp"

#include <algorithm>

namespace tawara::device::cuda {
namespace {

static_assert(FrontLists::chunk_tetrahedra == FrontChunk::tetrahedra);
static_assert(FrontLists::chunk_vertices == FrontChunk::most_vertices);

/// Parts of front_mV (FrontWatch): V differs by more in a tetrahedron that is near the front, and V
/// of a slice that strays has changed by more. A tetrahedron that is not near and of which no
/// vertex lies in a slice that strays differs by less than near_front + 2 strays_of_front of it;
/// what is left of 1 covers rounding.
constexpr double near_front = 0.5, strays_of_front = 0.24;
static_assert(near_front + 2 * strays_of_front < 0.99);

/// States of a group's slots of the separator, or of those behind it; null where it has none.
template <class Real>
const Real* states_of(const ShardState<Real>& s, std::size_t group, bool separator)
{
    for (std::size_t r = 0; r < s.host.ranges.size(); ++r)
        if (const auto& range = s.host.ranges[r];
            range.group == group && (range.begin < s.host.separator) == separator)
            return s.states.data() + s.tiles.strides(r).origin;
    return nullptr;
}

template <class Real>
Rest rest_of(const ShardState<Real>& s, std::size_t range, const CurrentMoment& at)
{
    if (at.tolerance_mV <= 0)
        return {};
    Rest r = s.rest_of(range, at.tolerance_mV);
    r.at = at.at, r.length = at.length, r.index = at.index;
    return r;
}

template <class Real>
Buffer<Real> uploaded_as(const std::vector<double>& from, StreamRef s)
{
    return uploaded(std::vector<Real>(from.begin(), from.end()), s);
}

template <class T>
Buffer<T> zeros(std::size_t n, StreamRef s)
{
    Buffer<T> b(n, s.device);
    b.zero(s);
    return b;
}

} // namespace

template <class Real>
FrontCurrents<Real>::FrontCurrents(const TissueProblem& p, Tissue<Real>& tissue) : t_(tissue)
{
    for (const auto& s : t_.shards)
        here_.push_back(make(p, *s));
}

template <class Real>
auto FrontCurrents<Real>::make(const TissueProblem& p, const ShardState<Real>& s) const -> Here
{
    const Current current(s.device);
    const StreamRef main = s.main;
    const auto lists = make_front_lists(p, s.host, s.index, t_.place);
    const std::size_t slots = static_cast<std::size_t>(s.host.slots);
    Here h;
    h.first_chunk = lists.first_chunk;
    h.tetrahedra = lists.tetrahedra;
    h.chunk = uploaded(same_bytes<FrontChunk>(lists.chunk), main);
    h.vertex = uploaded(lists.vertex, main);
    h.slice = uploaded(lists.slice, main);
    if (p.rest_tolerance_mV > 0) {
        const auto near = near_chunks(lists, slots / 32);
        h.first_near = uploaded(near.first, main);
        h.near = uploaded(near.chunk, main);
        h.v_then = zeros<Real>(slots, main);
        h.strayed = zeros<std::uint32_t>(slots / 32, main);
        h.listed = zeros<std::uint32_t>(lists.chunk.size() / 32 + 1, main);
        h.near_list = zeros<std::int32_t>(lists.chunk.size(), main);
        h.near_count = zeros<std::uint32_t>(p.groups.size(), main);
    }
    h.corners = uploaded(same_bytes<FrontCorners>(lists.corners), main);
    h.corners_of_chunk = uploaded(same_bytes<FrontCornersOfChunk>(lists.corner_of_chunk), main);
    h.volume = uploaded_as<Real>(lists.volume, main);
    h.per_mass = uploaded_as<Real>(lists.per_mass, main);
    h.first = uploaded(lists.first, main);
    h.star = uploaded(lists.star, main);
    h.halo = uploaded(same_bytes<FrontPlace>(lists.halo), main);
    h.list = Buffer<std::int32_t>(lists.corners.size(), s.device);
    h.corner_rate = Buffer<Real>(4 * lists.corners.size(), s.device);
    h.total = zeros<Real>(slots, main);
    h.in_front = zeros<std::uint32_t>(4 * lists.chunk.size(), main);
    h.touched = zeros<std::uint32_t>(slots / 32, main);
    h.currents = zeros<std::uint32_t>(slots / 32, main);
    h.count = zeros<std::uint32_t>(p.groups.size(), main);
    std::vector<FrontPeer<Real>> peers;
    for (std::size_t g = 0; g < p.groups.size(); ++g)
        for (const auto& o : t_.shards)
            peers.push_back({states_of(*o, g, true), o->type.data()});
    h.peer = uploaded(peers, main);
    for (const auto& g : p.groups)
        h.code.push_back(std::make_unique<CompiledCurrent<Real>>(g, main));
    main.synchronize();
    return h;
}

template <class Real>
Front<Real> FrontCurrents<Real>::front(std::size_t shard, std::size_t group,
                                       const CurrentMoment& at) const
{
    const ShardState<Real>& s = *t_.shards[shard];
    const Here& h = here_[shard];
    const auto first_tetrahedron =
        static_cast<std::size_t>(h.first_chunk[group]) * FrontChunk::tetrahedra;
    Front<Real> f;
    f.cells.v_in = s.vector(at.v, at.parity);
    f.cells.v_out = h.total.data();
    f.cells.states = const_cast<Real*>(states_of(s, group, false));
    f.cells.slots = static_cast<std::int64_t>(32 * s.tiles.numbers_of(group));
    f.cells.type = s.type.data();
    f.cells.stimulus = t_.stimulated() ? s.stimulus.data() : nullptr;
    f.cells.driven = s.driven.data();
    f.cells.watch = watch(shard, group);
    f.cells.dt = static_cast<Real>(at.dt_ms);
    f.separator_states = states_of(s, group, true);
    f.currents = h.currents.data();
    f.separator = static_cast<std::int32_t>(s.host.separator);
    f.slots = static_cast<std::int32_t>(s.host.slots);
    f.halo = h.halo.data();
    f.peer = h.peer.data() + group * t_.shards.size();
    f.chunk = h.chunk.data(), f.vertex = h.vertex.data(), f.corners = h.corners.data();
    f.slice = h.slice.data(), f.corners_of_chunk = h.corners_of_chunk.data();
    f.volume = h.volume.data();
    f.in_front = h.in_front.data(), f.touched = h.touched.data();
    f.list = h.list.data() + first_tetrahedron, f.count = h.count.data() + group;
    f.corner_rate = h.corner_rate.data();
    f.first = h.first.data(), f.star = h.star.data(), f.per_mass = h.per_mass.data();
    f.front_mV = static_cast<Real>(front_mV);
    f.near_mV = static_cast<Real>(near_front * front_mV);
    f.after_ms = at.after_ms;
    return f;
}

template <class Real>
FrontWatch<Real> FrontCurrents<Real>::watch(std::size_t shard, std::size_t group) const
{
    const Here& h = here_[shard];
    FrontWatch<Real> w;
    if (h.v_then.size() == 0)
        return w;
    w.v = h.v_then.data(), w.strays_mV = static_cast<Real>(strays_of_front * front_mV);
    w.strayed = h.strayed.data(), w.listed = h.listed.data();
    w.first = h.first_near.data(), w.chunk = h.near.data();
    w.list = h.near_list.data() + h.first_chunk[group], w.count = h.near_count.data() + group;
    return w;
}

/// From here on what strays is told from the present V.
template <class Real>
void FrontCurrents<Real>::look(std::size_t shard, const CurrentMoment& at) const
{
    const ShardState<Real>& s = *t_.shards[shard];
    const Here& h = here_[shard];
    check(cudaMemcpyAsync(h.v_then.data(), s.vector(at.v, at.parity),
                          h.v_then.size() * sizeof(Real), cudaMemcpyDeviceToDevice,
                          StreamRef(s.main).handle),
          "cudaMemcpyAsync", s.device);
    for (const auto* words : {&h.strayed, &h.listed, &h.near_count, &h.in_front})
        words->zero(s.main);
    for (std::size_t g = 0; g < h.code.size(); ++g)
        h.code[g]->look(s.main, front(shard, g, at), h.first_chunk[g], h.first_chunk[g + 1]);
}

template <class Real>
void FrontCurrents<Real>::restored(const CurrentMoment& at)
{
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const ShardState<Real>& s = *t_.shards[k];
        if (here_[k].v_then.size() == 0)
            continue;
        const Current here(s.device);
        look(k, at);
        s.main->synchronize();
    }
}

template <class Real>
void FrontCurrents<Real>::launch(std::size_t shard, const CurrentMoment& at) const
{
    const ShardState<Real>& s = *t_.shards[shard];
    const Here& h = here_[shard];
    const Current here(s.device);
    if (at.looks)
        look(shard, at);
    for (std::size_t g = 0; g < h.code.size(); ++g) {
        const auto f = front(shard, g, at);
        const auto& code = *h.code[g];
        const int begin = h.first_chunk[g], end = h.first_chunk[g + 1];
        code.front(s.main, f, s.moment(0, 0, at.offset), rest_of(s, 0, at), begin, end);
        code.points(s.main, f, s.moment(0, 0, at.offset),
                    std::int64_t{end - begin} * FrontChunk::tetrahedra);
        for (std::size_t index = 0; index < s.host.ranges.size(); ++index)
            if (const auto& r = s.host.ranges[index]; r.group == g)
                code.vertices(s.main, f, s.moment(r.begin, r.end, at.offset),
                              rest_of(s, index, at));
    }
}

template <class Real>
void FrontCurrents<Real>::enqueue(const CurrentMoment& at)
{
    const bool several = !t_.single();
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const auto& s = *t_.shards[k];
        if (several) {
            s.main->wait(s.separator_done);
            t_.exchange.wait_for_halos(s.main); // and for the states of others' separators
        }
        t_.ports.wait_for_currents(s.main, k);
        launch(k, at);
        if (several)
            s.main_done.record(s.main);
    }
    if (!several)
        return;
    for (const auto& s : t_.shards) { // none steps its separator while another one reads that
        for (const auto& o : t_.shards)
            s->outward->wait(o->main_done);
        s->sent.record(s->outward);
    }
}

template <class Real>
void FrontCurrents<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const Current here(t_.shards[k]->device);
        here_[k].code[group]->set_types(types, t_.shards[k]->main);
    }
}

/// Bytes of cell_front at least, of all; what fronts read and write beside it, of those found.
/// Where unknowns rest, of those found alone.
template <class Real>
KernelRecord FrontCurrents<Real>::record(std::size_t shard, std::int64_t calls) const
{
    const ShardState<Real>& s = *t_.shards[shard];
    const Here& h = here_[shard];
    constexpr double r = sizeof(Real);
    KernelRecord k;
    k.name = "interpolated currents";
    k.calls = calls;
    k.tetrahedra = static_cast<std::int64_t>(s.status_host.data()->front);
    double flops = 0, reads = 0; // of a place, the largest of the models
    for (const auto& code : h.code) {
        flops = std::max(flops, code->flops());
        reads = std::max(reads, static_cast<double>(code->reads()));
    }
    const auto found = static_cast<double>(k.tetrahedra), made = static_cast<double>(calls);
    const double looking = h.v_then.size() ? 0
                                           : static_cast<double>(h.vertex.size()) * 4 +
                                                 static_cast<double>(s.host.slots) * (r + 0.25);
    k.bytes = made * looking + found * (16 + 4 + 8 * r);
    k.flops = found * (4 * (flops + 6 * reads) + 12);
    return k;
}

template class FrontCurrents<double>;
template class FrontCurrents<float>;

} // namespace tawara::device::cuda
