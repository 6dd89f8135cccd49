// SPDX-License-Identifier: GPL-3.0-or-later
// A shard's arrays on its device, and the arguments that kernels get of them.
#include "engine/device/cuda/shard_state.cuh"

#include <algorithm>
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

} // namespace

template <class Real>
ShardState<Real>::ShardState(const TissueProblem& p, Shard shard, std::size_t number, int device_,
                             bool fused)
    : index(number), device(device_), host(std::move(shard)), main(device_), urgent(device_, true),
      main_done(device_), separator_done(device_), sent(device_), ended(device_), dt_ms(p.dt_ms),
      threshold_mV(p.activation_threshold_mV), status(1, device_), status_host(1, device_)
{
    const Current here(device);
    const auto slots = static_cast<std::size_t>(host.slots);
    const auto all = slots + static_cast<std::size_t>(host.halo);
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

    for (const auto& g : p.groups) {
        kept = std::max(kept, g.types.at(0).initial.size() - 1);
        single_type.push_back(g.types.size() == 1);
        ReactionUse use{fused, !fused || p.splitting == Splitting::strang, 0, p.size()};
        if (p.rest_tolerance_mV > 0)
            use.longest_quiescent_ms = TissueProblem::longest_quiescent_ms;
        cells.push_back(std::make_unique<CompiledReaction<Real>>(g, use, main));
    }
    std::vector<Real> v0(all, Real(0)), x(states_size(), Real(0));
    std::vector<cell::TypeIndex> types(slots, 0);
    std::vector<std::uint8_t> phases(slots, 3);
    // slots without a cell are computed with the others of their warp, though nothing is stored:
    // they are as the cell before them, so that no Newton's method iterates there in vain
    std::size_t u = 0;
    const auto stepped = static_cast<std::size_t>(host.stepped);
    std::fill(v0.begin() + host.stepped, v0.begin() + host.slots, no_value<Real>);
    for (std::size_t slot = 0; slot < stepped; ++slot) {
        if (host.old_of[slot] >= 0) {
            u = static_cast<std::size_t>(host.old_of[slot]);
            phases[slot] = 0;
        }
        types[slot] = p.type[u];
        const auto& initial = p.groups[p.group[u]].types[p.type[u]].initial;
        v0[slot] = static_cast<Real>(initial[0]);
        for (std::size_t s = 1; s < initial.size(); ++s)
            x[state_at(s - 1, slot)] = static_cast<Real>(initial[s]);
    }
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
    states = uploaded(x, main);
    stimulus = filled(slots, Real(0), main);
    driven = filled(slots / 32, 0U, main);
    type = uploaded(types, main);
    phase = uploaded(phases, main);
    v0.resize(slots);
    track = uploaded(v0, main);
    rest = filled(slots, Real(1e3), main);
    activation_ms = filled(slots, std::numeric_limits<double>::quiet_NaN(), main);
    repolarisation_ms = filled(slots, std::numeric_limits<double>::quiet_NaN(), main);
    if (p.rest_tolerance_mV > 0) {
        moving = filled(slots / 32, 0U, main);
        list = filled(slots / 32, 0, main);
        list_length = filled(2 * host.ranges.size(), 0U, main);
    }
    queues = filled(2 * host.ranges.size(), 0U, main);
    std::vector<std::int32_t> sent;
    for (const auto& s : host.sends)
        sent.insert(sent.end(), s.from.begin(), s.from.end());
    sent_slots = uploaded(sent, main);
    *status_host.data() = Status{};
    status.upload(status_host.span(), main);
    main->synchronize();
}

template <class Real>
void ShardState<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    cells[group]->set_types(types, main);
}

template <class Real>
std::size_t ShardState<Real>::states_size() const
{
    return static_cast<std::size_t>(host.slots) * kept;
}

template <class Real>
std::size_t ShardState<Real>::state_at(std::size_t s, std::size_t slot) const
{
    return (slot / 32 * kept + s) * 32 + slot % 32;
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
    r.moving = moving.data();
    r.list = list.data() + host.ranges[range].begin / 32;
    r.count = list_length.data() + 2 * range;
    return r;
}

template <class Real>
Reaction<Real> ShardState<Real>::reaction(std::size_t range, bool stimulated, double dt) const
{
    Reaction<Real> k;
    k.states = states.data();
    k.slots = static_cast<std::int64_t>(32 * kept);
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
