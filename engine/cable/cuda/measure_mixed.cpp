// SPDX-License-Identifier: GPL-3.0-or-later
// Mixed batches solved on a GPU: for callers with numbers on the host, and timed.
#include "engine/cable/cuda/measure.hpp"
#include "engine/cable/cuda/mixed.cuh"
#include "engine/device/cuda/runtime.cuh"

#include <algorithm>
#include <cmath>

namespace tawara::cable::cuda {

using device::cuda::check;
using device::cuda::Current;
using device::cuda::Event;
using device::cuda::Stream;
using device::cuda::uploaded;

namespace {

template <class Real>
struct OnDevice
{
    Buffer<Real> upper, lower, diagonal, rhs;

    OnDevice(const BatchNumbers<Real>& n, StreamRef s)
        : upper(uploaded(n.upper, s)), lower(uploaded(n.lower, s)),
          diagonal(uploaded(n.diagonal, s)), rhs(uploaded(n.rhs, s))
    {
    }
    DeviceNumbers<Real> numbers() const
    {
        return {upper.data(), lower.data(), diagonal.data(), rhs.data()};
    }
};

double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

template <class Real>
MeasuredSolver measured(const MixedBatch& b, int device)
{
    constexpr int samples = 9;
    constexpr std::size_t other_bytes = std::size_t{256} << 20; // more than the second-level cache
    const Stream s(device);
    auto given = random_systems<Real>(b, 1);
    const OnDevice<Real> there(given, s);
    const auto kept = uploaded(given.rhs, s);
    const Buffer<char> other(other_bytes, device);
    const MixedSolver<Real> solver(s, b);
    MeasuredSolver m;
    m.way = "contraction, a block as large as each tree asks for, " +
            std::to_string(solver.classes()) + " classes";
    std::vector<double> cold, hot;
    for (int k = 0; k < 2 * samples; ++k) {
        check(cudaMemcpyAsync(there.rhs.data(), kept.data(), kept.size() * sizeof(Real),
                              cudaMemcpyDeviceToDevice, StreamRef(s).handle),
              "cudaMemcpyAsync", device);
        if (k % 2 == 0)
            other.zero(s);
        const Event before(device, true), after(device, true);
        before.record(s);
        solver.enqueue(s, there.numbers());
        after.record(s);
        after.synchronize();
        (k % 2 == 0 ? cold : hot).push_back(1e3 * static_cast<double>(after.since(before)));
    }
    m.cold_us = median(cold), m.hot_us = median(hot);
    std::vector<Real> x(given.rhs.size());
    there.rhs.download(x, s);
    s->synchronize();
    const auto first = b.first();
    const auto exact = random_systems<double>(b, 1);
    double most = 1e-300, away = 0;
    const auto apart = b.systems() / 4096 + 1;
    for (std::size_t k = 0; k < b.systems(); k += apart) {
        const auto of = [&](const std::vector<double>& v) {
            return std::vector<double>(v.begin() + static_cast<std::ptrdiff_t>(first[k]),
                                       v.begin() + static_cast<std::ptrdiff_t>(first[k + 1]));
        };
        auto u = of(exact.upper), l = of(exact.lower), d = of(exact.diagonal), r = of(exact.rhs);
        cable::solve(b.trees[b.tree_of[k]], System<double>{u, l, d, r});
        for (std::size_t i = 0; i < r.size(); ++i) {
            most = std::max(most, std::abs(r[i]));
            const double off = std::abs(static_cast<double>(x[first[k] + i]) - r[i]);
            away = off <= away ? away : off; // NaN is larger than all
        }
    }
    m.error = away / most;
    return m;
}

} // namespace

template <class Real>
void solve(const MixedBatch& b, BatchNumbers<Real>& n, int device)
{
    const Current current(device);
    const Stream s(device);
    const OnDevice<Real> there(n, s);
    const MixedSolver<Real> solver(s, b);
    solver.enqueue(s, there.numbers());
    there.rhs.download(n.rhs, s);
    s->synchronize();
}
template void solve(const MixedBatch&, BatchNumbers<double>&, int);
template void solve(const MixedBatch&, BatchNumbers<float>&, int);

MeasuredSolver measure_mixed(const MixedBatch& b, Precision precision, int device)
{
    const Current current(device);
    return precision == Precision::single ? measured<float>(b, device)
                                          : measured<double>(b, device);
}

} // namespace tawara::cable::cuda
