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

HWY_BEFORE_NAMESPACE();
namespace tawara::device::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// 8 independent chains of fused multiply-adds, `rounds` long; returns their sum so that nothing is
/// dropped.
template <class Real>
double fma_chains(std::int64_t rounds)
{
    const hn::ScalableTag<Real> d;
    auto a0 = hn::Set(d, Real(1.0)), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
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
double chains_double(std::int64_t rounds)
{
    return fma_chains<double>(rounds);
}
double chains_float(std::int64_t rounds)
{
    return fma_chains<float>(rounds);
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

/// Best of a few repetitions [s].
template <class Body>
double best_of(int times, Body body)
{
    double best = 1e30;
    for (int k = 0; k < times; ++k) {
        const auto start = Clock::now();
        body();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

double stream_GB_per_s(ThreadPool& pool, bool triad)
{
    constexpr std::size_t n = 12'000'000; // 96 MB an array: beyond any cache share of a core
    AlignedVector<double> a(n), b(n), c(triad ? n : 0);
    pool.for_range(n, 512, [&](std::size_t i, std::size_t e, unsigned) {
        for (; i < e; ++i) {
            a[i] = 0;
            b[i] = 1;
            if (triad)
                c[i] = 2;
        }
    });
    const double s = best_of(8, [&] {
        pool.for_range(n, 512, [&](std::size_t begin, std::size_t end, unsigned) {
            HWY_DYNAMIC_DISPATCH(stream)
            (a.data() + begin, b.data() + begin, triad ? c.data() + begin : nullptr, end - begin);
        });
    });
    return (triad ? 3.0 : 2.0) * 8.0 * static_cast<double>(n) / s / 1e9;
}

double peak_GFLOP_per_s(ThreadPool& pool, bool twice)
{
    constexpr std::int64_t rounds = 1'000'000;
    std::atomic<double> keep{0};
    const double s = best_of(20, [&] { // short ones: some fall where nobody else computes
        pool.for_range(pool.size(), 1, [&](std::size_t, std::size_t, unsigned) {
            keep = twice ? HWY_DYNAMIC_DISPATCH(chains_double)(rounds)
                         : HWY_DYNAMIC_DISPATCH(chains_float)(rounds);
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
    c.triad_GB_per_s = stream_GB_per_s(pool, true);
    c.copy_GB_per_s = stream_GB_per_s(pool, false);
    c.fp64_GFLOP_per_s = peak_GFLOP_per_s(pool, true);
    c.fp32_GFLOP_per_s = peak_GFLOP_per_s(pool, false);
    return c;
}

} // namespace tawara::device
#endif
