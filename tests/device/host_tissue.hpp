// SPDX-License-Identifier: GPL-3.0-or-later
// A tissue that a kernel's text steps on the host.
#pragma once
#include "engine/core/larger.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/reaction_text.hpp"
#include "engine/device/cuda/shards.hpp"
#include "tests/device/host_cells.hpp"
#include "tests/device/host_kernel.hpp"
#include "tests/device/tissue_problem.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

namespace tawara::test {

/// A slab of vertices as one shard of a device, stepped as the stepper launches its kernels.
template <class Real>
struct HostTissue
{
    HostTissue(const device::TissueProblem& problem, const device::StimulusSource& source)
        : p(problem), stimulus(source),
          shard(device::cuda::make_shards(p, 1, single<Real> ? 4 : 2, partition::Ordering::hilbert)
                    .shards.at(0)),
          kept(p.groups[0].types[0].initial.size() - 1),
          slots(static_cast<std::size_t>(shard.slots))
    {
        v[0].assign(slots, Real(0)), current.assign(slots, Real(0)), type.assign(slots, 0);
        phase.assign(slots, 3), rest.assign(slots, Real(1e3)), states.assign(slots * kept, Real(0));
        activation.assign(slots, std::nan("")), repolarisation.assign(slots, std::nan(""));
        for (std::size_t i = 0; i < slots; ++i) {
            if (shard.old_of[i] < 0)
                continue;
            const auto u = static_cast<std::size_t>(shard.old_of[i]);
            type[i] = p.type[u], phase[i] = 0;
            const auto& initial = p.groups[0].types[type[i]].initial;
            v[0][i] = static_cast<Real>(initial[0]);
            for (std::size_t s = 0; s < kept; ++s)
                states[at(s, i)] = static_cast<Real>(initial[s + 1]);
            if (std::find(source.unknowns.begin(), source.unknowns.end(), shard.old_of[i]) !=
                source.unknowns.end())
                current[i] = static_cast<Real>(source.amplitude_pA_per_pF);
        }
        v[1] = v[0], track = v[0], scratch[0] = scratch[1] = v[0];
        v_end.assign(slots, Real(0));
        moving.assign(slots / 32, 0), list.assign(slots / 32, 0);
        strayed.assign(slots / 32, 0), near_count = 0;
        listed.assign(slots / 32 / 32 + 1, 0), near_list.assign(slots / 32 + 1, -1);
        for (std::size_t k = 0; k < slots / 32; ++k) { // a chunk between each slice and the next
            first_near.push_back(static_cast<std::uint32_t>(near.size()));
            near.insert(near.end(),
                        {static_cast<std::int32_t>(k), static_cast<std::int32_t>(k) + 1});
        }
        first_near.push_back(static_cast<std::uint32_t>(near.size()));
        v_then = v[0];
    }
    std::size_t at(std::size_t s, std::size_t i) const { return (i / 32 * kept + s) * 32 + i % 32; }

    device::cuda::Pass<Real> pass(int k)
    {
        device::cuda::Pass<Real> a;
        if constexpr (single<Real>)
            a.a.value = shard.single_value.data();
        else
            a.a.value = shard.double_value.data();
        a.a.chunk = shard.chunk.data(), a.a.column_chunk = shard.column_chunk.data();
        a.a.column = shard.column.data();
        a.x = v[k % 2].data(), a.out = v[1 - k % 2].data();
        a.tau = static_cast<Real>(p.dt_ms);
        return a;
    }
    device::cuda::Reaction<Real> reaction(int k, const std::vector<Real>& tables)
    {
        device::cuda::Reaction<Real> r;
        r.v_in = r.v_out = v[1 - k % 2].data(), r.v_before = v[k % 2].data();
        r.v_end = v_end.data();
        r.watch = {v_then.data(), strays_mV,     strayed.data(),   first_near.data(),
                   near.data(),   listed.data(), near_list.data(), &near_count};
        r.states = states.data(), r.slots = static_cast<std::int64_t>(32 * kept);
        r.type = type.data(), r.tables = tables.data(), r.dt = static_cast<Real>(p.dt_ms);
        r.queue = queue;
        if (stimulus.overlap(k * p.dt_ms, p.dt_ms) > 0)
            r.stimulus = current.data();
        r.record = {phase.data(),      track.data(),          rest.data(),
                    activation.data(), repolarisation.data(), p.activation_threshold_mV};
        return r;
    }
    device::cuda::Moment moment()
    {
        return {&status, 0, p.dt_ms, shard.ranges[0].begin, shard.ranges[0].end};
    }
    int blocks(int threads) const { return static_cast<int>((slots + threads - 1) / threads); }

    void fused_step(const HostKernel& kernel, const device::cuda::KernelShape& shape,
                    const std::vector<Real>& tables, int k)
    {
        status.step = k;
        const int all = blocks(shape.block_threads);
        kernel.launch("cell_kernel", shape.stages ? (all + 1) / 2 : all, shape.block_threads,
                      pass(k), reaction(k, tables), moment());
    }
    void resting_step(const HostKernel& kernel, const device::cuda::KernelShape& shape,
                      const std::vector<Real>& tables, int k, int length)
    {
        status.step = k;
        device::cuda::Rest r;
        r.tolerance_mV = p.rest_tolerance_mV;
        r.most_lost = device::TissueProblem::most_lost_at_rest;
        r.at = k % length, r.length = length, r.index = k / length;
        r.moving = moving.data(), r.list = list.data(), r.count = list_length;
        const auto run = [&](const char* name, int n, const device::cuda::Pass<Real>& a) {
            kernel.launch(name, n, shape.block_threads, a, reaction(k, tables), moment(), r);
        };
        auto first = pass(k), last = first;
        const int all = blocks(shape.block_threads);
        if (p.substeps.stages < 2)
            return run(r.at ? "cell_moving" : "cell_first", r.at ? 3 : all, first);
        first.out = scratch[0].data(), first.l_out = scratch[1].data();
        r.part = device::cuda::Rest::Part::decide;
        if (r.at == 0)
            run("cell_first", all, first);
        first.l_out = nullptr, last.x = first.out;
        first.tau = last.tau = first.tau / 2;
        r.part = device::cuda::Rest::Part::pass;
        kernel.launch("cell_pass", 3, shape.block_threads, first, moment(), r);
        r.part = device::cuda::Rest::Part::moving;
        run("cell_moving", 3, last);
    }

    /// Forgets what has strayed. @param steps  done so far
    void look(int steps)
    {
        v_then = v[steps % 2];
        std::fill(strayed.begin(), strayed.end(), 0U), std::fill(listed.begin(), listed.end(), 0U);
        near_count = 0;
    }
    /// Whether each slice whose V has strayed is known, and its chunks are listed once.
    /// @return how many, or nothing where one is wrong
    std::optional<std::size_t> strays(int steps) const
    {
        std::size_t count = 0;
        std::set<std::int32_t> expected;
        for (std::size_t i = 0; i < slots; ++i)
            if (shard.old_of[i] >= 0 && !strayed[i / 32] &&
                !(std::abs(v[steps % 2][i] - v_then[i]) <= strays_mV))
                return {};
        for (std::size_t k = 0; k < strayed.size(); ++k)
            if (strayed[k]) {
                ++count;
                expected.insert({static_cast<std::int32_t>(k), static_cast<std::int32_t>(k) + 1});
            }
        const std::set<std::int32_t> found(near_list.begin(), near_list.begin() + near_count);
        if (found != expected || found.size() != near_count)
            return {};
        return count;
    }

    /// Largest differences from another device: V [mV], states relative to their size, and times of
    /// activation [ms], infinite where one alone activated.
    struct Differences
    {
        double v_mV = 0, states = 0, activation_ms = 0;
        int activated = 0;
    };
    Differences from(const device::Snapshot& other, int steps) const
    {
        Differences d;
        for (std::size_t i = 0; i < slots; ++i) {
            if (shard.old_of[i] < 0)
                continue;
            const auto u = static_cast<std::size_t>(shard.old_of[i]);
            d.v_mV = larger_or_nan(d.v_mV, std::abs(other.v[u] - double(v[steps % 2][i])));
            for (std::size_t s = 0; s < kept; ++s)
                d.states = larger_or_nan(d.states,
                                         std::abs(other.states[s][u] - double(states[at(s, i)])) /
                                             (1e-6 + std::abs(other.states[s][u])));
            const bool mine = phase[i] >= 1;
            d.activated += mine;
            if (mine != std::isfinite(other.activation_ms[u]))
                d.activation_ms = HUGE_VAL;
            else if (mine)
                d.activation_ms = larger_or_nan(d.activation_ms,
                                                std::abs(activation[i] - other.activation_ms[u]));
        }
        return d;
    }

    const device::TissueProblem& p;
    device::StimulusSource stimulus;
    device::cuda::Shard shard;
    std::size_t kept, slots;
    std::vector<Real> v[2], scratch[2], v_end, current, states, track, rest, v_then;
    std::vector<cell::TypeIndex> type;
    std::vector<std::uint8_t> phase;
    std::vector<double> activation, repolarisation;
    std::vector<std::uint32_t> moving;
    std::vector<std::int32_t> list;
    unsigned list_length[2] = {0, 0}, queue[2] = {0, 0};
    static constexpr Real strays_mV = 2;
    std::vector<std::uint32_t> strayed, first_near, listed;
    std::vector<std::int32_t> near, near_list;
    std::uint32_t near_count = 0;
    device::cuda::Status status;
};

} // namespace tawara::test
