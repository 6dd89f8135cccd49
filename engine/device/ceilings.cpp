// SPDX-License-Identifier: GPL-3.0-or-later
// Rates that this machine's cores reach: what kernels are measured against.
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/stepper.hpp"
#if TAWARA_HAVE_CUDA
#include "engine/device/cuda/backend.hpp"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/device/ceilings.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace tawara::device::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// 8 independent chains of fused multiply-adds, `rounds` long; returns their sum so that nothing is
/// dropped.
/// @param from  where they begin, apart: a compiler that knew it would compute their ends itself
template <class Real>
double fma_chains(std::int64_t rounds, double from)
{
    const hn::ScalableTag<Real> d;
    const auto begin = [&](int k) { return hn::Set(d, static_cast<Real>(from + k)); };
    auto a0 = begin(0), a1 = begin(1), a2 = begin(2), a3 = begin(3);
    auto a4 = begin(4), a5 = begin(5), a6 = begin(6), a7 = begin(7);
    const auto m = hn::Set(d, Real(0.999999)), c = hn::Set(d, Real(1e-6));
    for (std::int64_t k = 0; k < rounds; ++k) {
        a0 = hn::MulAdd(a0, m, c), a1 = hn::MulAdd(a1, m, c), a2 = hn::MulAdd(a2, m, c);
        a3 = hn::MulAdd(a3, m, c), a4 = hn::MulAdd(a4, m, c), a5 = hn::MulAdd(a5, m, c);
        a6 = hn::MulAdd(a6, m, c), a7 = hn::MulAdd(a7, m, c);
    }
    const auto sum = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)),
                             hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
    return static_cast<double>(hn::GetLane(sum));
}
double chains_double(std::int64_t rounds, double from)
{
    return fma_chains<double>(rounds, from);
}
double chains_float(std::int64_t rounds, double from)
{
    return fma_chains<float>(rounds, from);
}
int lanes_double()
{
    return static_cast<int>(hn::Lanes(hn::ScalableTag<double>()));
}
int lanes_float()
{
    return static_cast<int>(hn::Lanes(hn::ScalableTag<float>()));
}

/// a = b + s c, or a = b when c is null.
void stream(double* a, const double* b, const double* c, std::size_t n)
{
    const hn::ScalableTag<double> d;
    const auto s = hn::Set(d, 1.0000001);
    const std::size_t step = hn::Lanes(d);
    for (std::size_t i = 0; i + step <= n; i += step)
        hn::Stream(c ? hn::MulAdd(s, hn::Load(d, c + i), hn::Load(d, b + i)) : hn::Load(d, b + i),
                   d, a + i);
}

} // namespace tawara::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tawara::device {
namespace {

HWY_EXPORT(chains_double);
HWY_EXPORT(chains_float);
HWY_EXPORT(lanes_double);
HWY_EXPORT(lanes_float);
HWY_EXPORT(stream);

using Clock = std::chrono::steady_clock;

/// The shortest of repetitions [s], of three at least and as many as begin within so long: some
/// fall where nobody else computes.
template <class Body>
double best_within(double seconds, Body body)
{
    using Seconds = std::chrono::duration<double>;
    const auto begin = Clock::now();
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3 || Seconds(Clock::now() - begin).count() < seconds; ++k) {
        const auto start = Clock::now();
        body();
        best = std::min(best, Seconds(Clock::now() - start).count());
    }
    return best;
}

struct Streams
{
    double triad_GB_per_s = 0, copy_GB_per_s = 0;
};

Streams measure_streams(ThreadPool& pool)
{
    constexpr std::size_t n = 12'000'000; // 96 MB an array: beyond any cache share of a core
    AlignedVector<double> a(n), b(n), c(n);
    const auto reached = [&](double arrays, const double* third) {
        const double s = best_within(0.06, [&] {
            pool.for_range(n, 512, [&](std::size_t begin, std::size_t end, unsigned) {
                HWY_DYNAMIC_DISPATCH(stream)
                (a.data() + begin, b.data() + begin, third ? third + begin : nullptr, end - begin);
            });
        });
        return arrays * 8.0 * static_cast<double>(n) / s / 1e9;
    };
    return {reached(3, c.data()), reached(2, nullptr)};
}

double peak_GFLOP_per_s(ThreadPool& pool, bool twice)
{
    constexpr std::int64_t rounds = 1'000'000;
    std::atomic<double> from{2}, keep{0};
    const double s = best_within(0.03, [&] {
        pool.for_range(pool.size(), 1, [&](std::size_t, std::size_t, unsigned) {
            keep = twice ? HWY_DYNAMIC_DISPATCH(chains_double)(rounds, from)
                         : HWY_DYNAMIC_DISPATCH(chains_float)(rounds, from);
        });
    });
    const int lanes =
        twice ? HWY_DYNAMIC_DISPATCH(lanes_double)() : HWY_DYNAMIC_DISPATCH(lanes_float)();
    return 8.0 * 2.0 * lanes * static_cast<double>(rounds) * pool.size() / s / 1e9;
}

} // namespace

Ceilings measure_ceilings([[maybe_unused]] const Devices& device, unsigned threads)
{
#if TAWARA_HAVE_CUDA
    if (device.kind == Devices::Kind::cuda)
        return cuda::measure_ceilings(cuda::device_numbers(device, 0).at(0));
#else
    if (device.kind == Devices::Kind::cuda)
        throw InputError("--devices",
                         "ceilings of " + device.text() + " cannot be measured; use cpu");
#endif
    ThreadPool pool(threads);
    Ceilings c;
    const auto streams = measure_streams(pool);
    c.triad_GB_per_s = streams.triad_GB_per_s;
    c.copy_GB_per_s = streams.copy_GB_per_s;
    c.fp64_GFLOP_per_s = peak_GFLOP_per_s(pool, true);
    c.fp32_GFLOP_per_s = peak_GFLOP_per_s(pool, false);
    return c;
}

} // namespace tawara::device
#endif
