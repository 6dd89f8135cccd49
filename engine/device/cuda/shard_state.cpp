// SPDX-License-Identifier: GPL-3.0-or-later
// A shard's arrays on its device, and the arguments that kernels get of them.
#include "engine/device/cuda/shard_state.cuh"

#include "engine/core/aligned.hpp"
#include "engine/device/cuda/compiled_reaction.cuh"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tawara::device::cuda {

std::vector<PlannedPass> plan_passes(const TissueProblem& p, Vector from)
{
    const int stages = std::max(p.substeps.stages, 1);
    const Vector scratch[] = {Vector::scratch1, Vector::scratch2};
    std::vector<PlannedPass> plan;
    if (p.substeps.kind == diffusion::SubStepping::Kind::euler || stages < 2) {
        for (int k = 0; k < stages; ++k) {
            PlannedPass pass;
            pass.x = k == 0 ? from : scratch[(k - 1) % 2];
            pass.out = k + 1 == stages ? Vector::next : scratch[k % 2];
            pass.tau = p.dt_ms / stages;
            plan.push_back(pass);
        }
        return plan;
    }
    const auto c = diffusion::rkl2(stages);
    PlannedPass first; // Y_1 = Y_0 + mu~_1 dt L(Y_0)
    first.x = from;
    first.out = Vector::scratch1;
    first.tau = c.mu_tilde[0] * p.dt_ms;
    first.keeps_sum = true;
    plan.push_back(first);
    for (int j = 2; j <= stages; ++j) {
        const auto i = static_cast<std::size_t>(j - 1);
        PlannedPass pass; // Y_j overwrites Y_{j-2}, which is read at its own place alone
        pass.x = scratch[j % 2];
        pass.y = j == 2 ? from : scratch[(j + 1) % 2];
        pass.out = j == stages ? Vector::next : scratch[(j + 1) % 2];
        pass.c_x = c.mu[i];
        pass.c_y = c.nu[i];
        pass.c_0 = 1 - c.mu[i] - c.nu[i];
        pass.c_l = c.gamma_tilde[i] * p.dt_ms;
        pass.tau = c.mu_tilde[i] * p.dt_ms;
        plan.push_back(pass);
    }
    return plan;
}

namespace {

template <class Real>
std::vector<Real> cast(const std::vector<double>& from)
{
    return {from.begin(), from.end()};
}

template <class T>
Buffer<T> filled(std::size_t n, T value, StreamRef s)
{
    return uploaded(std::vector<T>(n, value), s);
}

std::size_t types_of(const CellGroup& g)
{
    return g.reaction ? g.reaction->types() : g.types.size();
}

/// What says how a group's cells begin, if they have a reaction of their own.
template <class Real>
std::unique_ptr<cell::Reaction<Real>> reaction_on_host(const CellGroup& g)
{
    if (!g.reaction)
        return nullptr;
    if constexpr (sizeof(Real) == 8)
        return g.reaction->on_cpu_double();
    else
        return g.reaction->on_cpu_single();
}

template <class Real>
std::unique_ptr<DeviceReaction<Real>> make_reaction(const TissueProblem& p, const CellGroup& g,
                                                    bool fused, StreamRef s)
{
    if (const auto* own = cuda_model(g)) {
        if constexpr (sizeof(Real) == 8)
            return own->on_cuda_double(s);
        else
            return own->on_cuda_single(s);
    }
    ReactionUse use{fused, !fused || p.splitting == Splitting::strang, 0, p.size()};
    if (p.rest_tolerance_mV > 0)
        use.longest_quiescent_ms = p.longest_quiescent_ms;
    use.implicit = p.stepping == Stepping::newton;
    return std::make_unique<CompiledReaction<Real>>(g, use, s);
}

/// How cells begin.
template <class Real>
struct Beginning
{
    std::vector<Real> v, states; ///< [slots + halo]; as StateTiles has them
    std::vector<cell::TypeIndex> type;
};

std::int64_t whole_slices(std::int64_t slots)
{
    constexpr auto slice = static_cast<std::int64_t>(partition::Subdomain::slice);
    return (slots + slice - 1) / slice * slice;
}

/// The types of a range's cells. Slots that fill its last slice are computed with the others of
/// their warp, though nothing is stored: they are as the cell before them, so that no Newton's
/// method iterates there in vain.
template <class Real>
void begin_types(Beginning<Real>& b, const TissueProblem& p, const Shard& host,
                 const partition::SlotRange& r)
{
    for (auto slot = static_cast<std::size_t>(r.begin);
         slot < static_cast<std::size_t>(whole_slices(r.end)); ++slot)
        b.type[slot] = host.old_of[slot] < 0 ? b.type[slot - 1]
                                             : p.type[static_cast<std::size_t>(host.old_of[slot])];
}

template <class Real>
void begin_compiled(Beginning<Real>& b, const CellGroup& g, const StateTiles& tiles,
                    const partition::SlotRange& r)
{
    for (auto slot = static_cast<std::size_t>(r.begin);
         slot < static_cast<std::size_t>(whole_slices(r.end)); ++slot) {
        const auto& initial = g.types[b.type[slot]].initial;
        b.v[slot] = static_cast<Real>(initial[0]);
        for (std::size_t k = 1; k < initial.size(); ++k)
            b.states[tiles.at(k - 1, slot)] = static_cast<Real>(initial[k]);
    }
}

/// The same by the reaction itself, some slots at a time.
template <class Real>
void begin_own(Beginning<Real>& b, const cell::Reaction<Real>& reaction, const StateTiles& tiles,
               const Shard& host, const partition::SlotRange& r)
{
    constexpr std::int64_t at_a_time = 4096;
    const auto arrays = reaction.arrays();
    for (auto from = r.begin; from < r.end; from += at_a_time) {
        const auto first = static_cast<std::size_t>(from);
        const auto n = static_cast<std::size_t>(std::min(at_a_time, whole_slices(r.end) - from));
        std::vector<AlignedVector<Real>> values;
        for (const auto& a : arrays)
            values.emplace_back(n * a.per_unknown, Real(0));
        std::vector<Real*> pointers;
        for (auto& a : values)
            pointers.push_back(a.data());
        AlignedVector<Real> v(n, Real(0));
        cell::ReactionCells<Real> c;
        c.cells.v = v.data();
        c.cells.states = pointers.data();
        c.cells.type = b.type.data() + first;
        c.cells.end = n;
        c.unknown = reaction.needs_unknowns() ? host.old_of.data() + first : nullptr;
        reaction.prepare(c);
        for (std::size_t i = 0; i < n; ++i) {
            b.v[first + i] = v[i];
            std::size_t number = 0;
            for (std::size_t a = 0; a < arrays.size(); ++a)
                for (std::size_t j = 0; j < arrays[a].per_unknown; ++j)
                    b.states[tiles.at(number++, first + i)] =
                        values[a][i * arrays[a].per_unknown + j];
        }
    }
}

/// The same where the reaction keeps the states of its group; nothing where it does not.
template <class Real>
void begin_kept(Beginning<Real>& b, DeviceReaction<Real>& reaction, std::size_t group,
                const Shard& host, double dt_ms, StreamRef s)
{
    auto* kept = reaction.kept_states();
    if (!kept)
        return;
    GroupCells cells;
    std::copy_if(host.ranges.begin(), host.ranges.end(), std::back_inserter(cells.ranges),
                 [&](const auto& r) { return r.group == group; });
    cells.unknown = host.old_of;
    cells.type = b.type;
    cells.dt_ms = dt_ms;
    kept->begin(cells, std::span(b.v).first(b.type.size()), s);
}

} // namespace

template <class Real>
ShardState<Real>::ShardState(const TissueProblem& p, Shard shard, std::size_t number, int device_,
                             bool fused, bool maps)
    : index(number), device(device_), host(std::move(shard)), main(device_), outward(device_),
      main_done(device_), separator_done(device_), sent(device_), ended(device_), dt_ms(p.dt_ms),
      threshold_mV(p.activation_threshold_mV), status(1, device_), status_host(1, device_)
{
    const Current here(device);
    const auto slots = static_cast<std::size_t>(host.slots);
    const auto all = slots + static_cast<std::size_t>(host.halo);
    upload_matrix();

    std::vector<std::size_t> numbers;
    std::vector<std::unique_ptr<cell::Reaction<Real>>> on_host; // of groups with their own
    for (const auto& g : p.groups) {
        on_host.push_back(reaction_on_host<Real>(g));
        single_type.push_back(types_of(g) == 1);
        if (on_host.back() && on_host.back()->needs_unknowns() && !unknown.size())
            unknown = uploaded(host.old_of, main);
        cells.push_back(make_reaction<Real>(p, g, fused, main));
        numbers.push_back(cells.back()->kept_states() ? 0
                          : on_host.back() ? cell::numbers_per_unknown(on_host.back()->arrays())
                                           : g.types.at(0).initial.size() - 1);
    }
    tiles = {host.ranges, std::move(numbers)};
    Beginning<Real> b{std::vector<Real>(all, Real(0)), std::vector<Real>(tiles.size(), Real(0)),
                      std::vector<cell::TypeIndex>(slots, 0)};
    std::vector<Real>& v0 = b.v;
    std::vector<std::uint8_t> phases(slots, 3);
    std::fill(v0.begin() + host.stepped, v0.begin() + host.slots, no_value<Real>);
    for (const auto& r : host.ranges) {
        begin_types(b, p, host, r);
        if (cells[r.group]->kept_states())
            continue; // by begin_kept()
        if (on_host[r.group])
            begin_own(b, *on_host[r.group], tiles, host, r);
        else
            begin_compiled(b, p.groups[r.group], tiles, r);
    }
    for (const auto& r : maps ? host.ranges : decltype(host.ranges)())
        std::fill(phases.begin() + r.begin, phases.begin() + r.end, std::uint8_t{0});
    for (std::size_t g = 0; g < cells.size(); ++g)
        begin_kept(b, *cells[g], g, host, p.splitting == Splitting::strang ? dt_ms / 2 : dt_ms,
                   main);
    v[0] = uploaded(v0, main);
    v[1] = uploaded(v0, main);
    if (p.splitting == Splitting::strang)
        half = uploaded(v0, main);
    if (p.substeps.stages > 1) {
        scratch[0] = uploaded(v0, main);
        scratch[1] = uploaded(v0, main);
    }
    if (p.substeps.kind == diffusion::SubStepping::Kind::rkl2)
        l0 = filled(slots, Real(0), main);
    states = uploaded(b.states, main);
    stimulus = filled(slots, Real(0), main);
    driven = filled(slots / 32, 0U, main);
    type = uploaded(b.type, main);
    phase = uploaded(phases, main);
    if (maps) {
        v0.resize(slots);
        track = uploaded(v0, main);
        rest = filled(slots, Real(1e3), main);
        activation_ms = filled(slots, std::numeric_limits<double>::quiet_NaN(), main);
        repolarisation_ms = filled(slots, std::numeric_limits<double>::quiet_NaN(), main);
    }
    if (p.rest_tolerance_mV > 0) {
        v_end = filled(slots, Real(0), main);
        moving = filled(slots / 32, 0U, main);
        list = filled(slots / 32, 0, main);
        list_length = filled(2 * host.ranges.size(), 0U, main);
    }
    queues = filled(2 * host.ranges.size(), 0U, main);
    std::vector<std::int32_t> to_send;
    for (const auto& s : host.sends)
        to_send.insert(to_send.end(), s.from.begin(), s.from.end());
    sent_slots = uploaded(to_send, main);
    *status_host.data() = Status{};
    status.upload(status_host.span(), main);
    main->synchronize();
}

/// The host has no more use for it.
template <class Real>
void ShardState<Real>::upload_matrix()
{
    chunk = uploaded(host.chunk, main);
    column_chunk = uploaded(host.column_chunk, main);
    column = uploaded(host.column, main);
    if constexpr (sizeof(Real) == 8)
        value = uploaded(host.double_value, main);
    if constexpr (sizeof(Real) == 4)
        value = uploaded(host.single_value, main);
    else
        single_value = uploaded(host.single_value, main);
    host.column_chunk = {}, host.column = {}, host.double_value = {}, host.single_value = {};
}

template <class Real>
void ShardState<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    cells[group]->set_types(types, main);
}

template <class Real>
std::size_t ShardState<Real>::numbers_of(std::size_t group) const
{
    const auto* kept = cells[group]->kept_states();
    return kept ? kept->numbers() : tiles.numbers_of(group);
}

template <class Real>
std::size_t ShardState<Real>::most_numbers() const
{
    std::size_t most = 0;
    for (std::size_t g = 0; g < cells.size(); ++g)
        most = std::max(most, numbers_of(g));
    return most;
}

template <class Real>
std::size_t ShardState<Real>::group_of(std::size_t slot) const
{
    for (const auto& r : host.ranges)
        if (static_cast<std::int64_t>(slot) >= r.begin && static_cast<std::int64_t>(slot) < r.end)
            return r.group;
    return 0;
}

template <class Real>
Real* ShardState<Real>::vector(Vector which, int parity) const
{
    switch (which) {
    case Vector::current:
        return v[parity].data();
    case Vector::next:
        return v[1 - parity].data();
    case Vector::half:
        return half.data();
    case Vector::scratch1:
        return scratch[0].data();
    case Vector::scratch2:
        return scratch[1].data();
    case Vector::correction:
        return solver->u.data();
    case Vector::none:
        break;
    }
    return nullptr;
}

template <class Real>
Pass<Real> ShardState<Real>::pass(const PlannedPass& p, int parity, Vector from) const
{
    Pass<Real> k;
    k.a = {chunk.data(), column_chunk.data(), column.data(), value.data()};
    k.x = vector(p.x, parity);
    k.y = vector(p.y, parity);
    k.out = vector(p.out, parity);
    if (p.keeps_sum) {
        k.l_out = l0.data();
    } else if (l0.size()) {
        k.y0 = vector(from, parity);
        k.l0 = l0.data();
    }
    k.c_x = static_cast<Real>(p.c_x), k.c_y = static_cast<Real>(p.c_y);
    k.c_0 = static_cast<Real>(p.c_0), k.c_l = static_cast<Real>(p.c_l);
    k.tau = static_cast<Real>(p.tau);
    return k;
}

template <class Real>
Rest ShardState<Real>::rest_of(std::size_t range, double tolerance_mV) const
{
    Rest r;
    r.tolerance_mV = tolerance_mV;
    r.most_lost = TissueProblem::most_lost_at_rest;
    r.moving = moving.data();
    r.list = list.data() + host.ranges[range].begin / 32;
    r.count = list_length.data() + 2 * range;
    return r;
}

template <class Real>
Reaction<Real> ShardState<Real>::reaction(std::size_t range, bool stimulated, double dt) const
{
    Reaction<Real> k;
    const auto strides = tiles.strides(range);
    k.states = states.data() + strides.origin;
    k.slots = strides.size;
    k.type = type.data();
    k.v_end = v_end.data();
    k.stimulus = stimulated ? stimulus.data() : nullptr;
    k.driven = driven.data();
    k.dt = static_cast<Real>(dt);
    k.queue = queues.data() + 2 * range;
    k.record = {
        phase.data(), track.data(), rest.data(), activation_ms.data(), repolarisation_ms.data(),
        threshold_mV};
    return k;
}

template class ShardState<double>;
template class ShardState<float>;

} // namespace tawara::device::cuda
