// SPDX-License-Identifier: GPL-3.0-or-later
// Cells that a kernel's text and the CPU back end step side by side.
#pragma once
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/reaction_text.hpp"
#include "tests/device/host_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tawara::test {

template <class Real>
inline constexpr bool single = sizeof(Real) == 4;

template <class Real>
std::shared_ptr<const cell::compiler::Program> program_of(const cell::CellType& type,
                                                          cell::Scheme scheme)
{
    return cell::compiler::shared_program(cell::compiler::system_of(type), scheme,
                                          cell::compiler::Target::gpu(single<Real>));
}

/// Types of a model, of which every third parameter differs a little.
inline std::vector<cell::CellType> types_of(const std::string& model, int count)
{
    std::vector<cell::CellType> types;
    for (int k = 0; k < count; ++k) {
        types.push_back(cell::make_cell_type(model, "", {}, {}));
        auto& p = types.back().parameters;
        for (std::size_t i = 0; i < p.size(); i += 3)
            p[i] *= 1 + 0.02 * (k % 200); // 256 more is another type
    }
    return types;
}

/// Cells of several types, far from each other's states: those of a type together in the first half
/// of the slots, all kinds of mixtures in the second.
template <class Real>
struct Cells
{
    static constexpr std::size_t begin = 64, end = 2100,
                                 slots = 2112; ///< not all of them are stepped

    Cells(const std::vector<cell::CellType>& types)
        : kept(types[0].initial.size() - 1), v(slots), current(slots), states(kept)
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> part(0, 1);
        for (auto& s : states)
            s.resize(slots);
        for (std::size_t i = 0; i < slots; ++i) {
            const auto t = i < slots / 2 ? i * 2 * types.size() / slots : random() % types.size();
            type.push_back(static_cast<cell::TypeIndex>(t));
            v[i] = static_cast<Real>(-90 + 130 * part(random));
            current[i] = static_cast<Real>(i % 3 ? 0 : 20 * part(random));
            for (std::size_t s = 0; s < kept; ++s)
                states[s][i] =
                    static_cast<Real>(types[t].initial[s + 1] * (1 - 0.2 * part(random)));
        }
    }

    /// On the CPU back end.
    void step(const cell::CpuKernel<Real>& kernel, double t_ms, double dt_ms)
    {
        std::vector<Real*> columns;
        for (auto& s : states)
            columns.push_back(s.data());
        cell::CellArrays<Real> a;
        a.v = v.data(), a.states = columns.data(), a.type = type.data();
        a.stimulus = current.data(), a.begin = begin, a.end = end;
        kernel.step(a, t_ms, dt_ms);
    }

    /// By a kernel's text.
    void step(const HostKernel& kernel, const device::cuda::KernelShape& shape,
              const std::vector<Real>& tables, long long number, double dt_ms)
    {
        std::vector<Real> tiles(slots * kept);
        const auto at = [&](std::size_t s, std::size_t i) {
            return (i / 32 * kept + s) * 32 + i % 32;
        };
        for (std::size_t s = 0; s < kept; ++s)
            for (std::size_t i = 0; i < slots; ++i)
                tiles[at(s, i)] = states[s][i];
        device::cuda::Status status;
        status.step = number;
        device::cuda::Reaction<Real> r;
        auto v_out = v;
        r.v_in = v.data(), r.v_out = v_out.data(), r.states = tiles.data();
        r.slots = static_cast<std::int64_t>(32 * kept);
        r.type = type.data(), r.tables = tables.data(), r.stimulus = current.data();
        r.dt = static_cast<Real>(dt_ms);
        unsigned queue[2] = {};
        r.queue = queue;
        const device::cuda::Moment m{&status, 0, dt_ms, begin, end};
        const int threads = shape.block_threads;
        // a ring goes round: half as many blocks as there are groups of tiles
        const int groups = (static_cast<int>(end - begin) + threads - 1) / threads;
        kernel.launch("cell_kernel", shape.stages ? (groups + 1) / 2 : groups, threads,
                      device::cuda::Pass<Real>{}, r, m);
        if (queue[0] || queue[1])
            throw std::runtime_error("a launch left its queue in use");
        v = v_out;
        for (std::size_t s = 0; s < kept; ++s)
            for (std::size_t i = 0; i < slots; ++i)
                states[s][i] = tiles[at(s, i)];
    }

    /// Largest difference of those stepped, relative to a value's size (1e-4 at least: gates near 0
    /// are what is left of numbers near 1); infinite where one alone is not finite.
    double from(const Cells& other) const
    {
        double most = 0;
        const auto look = [&](const auto& a, const auto& b) {
            for (std::size_t i = begin; i < end; ++i)
                if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) {
                    const double x = a[i], y = b[i];
                    const double d = std::abs(x - y) / std::max({std::abs(x), std::abs(y), 1e-4});
                    most = std::max(most, std::isfinite(d) ? d : HUGE_VAL);
                }
        };
        look(v, other.v);
        for (std::size_t s = 0; s < kept; ++s)
            look(states[s], other.states[s]);
        return most;
    }
    /// Whether the slots that are not stepped are the other's.
    bool same_around(const Cells& other) const
    {
        const auto same = [](const auto& a, const auto& b) {
            return std::equal(a.begin(), a.begin() + begin, b.begin()) &&
                   std::equal(a.begin() + end, a.end(), b.begin() + end);
        };
        return same(v, other.v) &&
               std::equal(states.begin(), states.end(), other.states.begin(), same);
    }
    bool finite() const
    {
        const auto is = [](Real x) { return std::isfinite(x); };
        return std::all_of(v.begin(), v.end(), is) &&
               std::all_of(states.begin(), states.end(),
                           [&](const auto& s) { return std::all_of(s.begin(), s.end(), is); });
    }

    std::size_t kept;
    AlignedVector<Real> v, current;
    std::vector<AlignedVector<Real>> states;
    std::vector<cell::TypeIndex> type;
};

} // namespace tawara::test
