// SPDX-License-Identifier: GPL-3.0-or-later
// Rates that a CUDA device reaches on triad, copy and chains of multiply-adds: what its kernels are
// held to.
#include "engine/device/cuda/backend.hpp"
#include "engine/device/cuda/runtime.cuh"

#include <algorithm>

namespace tawara::device::cuda {
namespace {

/// a = b + s c with 16-byte accesses.
__global__ void triad_kernel(double2* a, const double2* b, const double2* c, std::int64_t n)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double2 x = __ldcs(b + i), y = __ldcs(c + i);
    __stcs(a + i, make_double2(fma(1.0000001, y.x, x.x), fma(1.0000001, y.y, x.y)));
}

__global__ void copy_kernel(double2* a, const double2* b, std::int64_t n)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        __stcs(a + i, __ldcs(b + i));
}

constexpr int chains = 8;

/// `chains` independent chains of fused multiply-adds in every thread.
template <class Real>
__global__ void fma_kernel(Real* out, int rounds, Real m, Real c)
{
    Real a[chains];
    for (int k = 0; k < chains; ++k)
        a[k] = static_cast<Real>(threadIdx.x + static_cast<unsigned>(k));
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int k = 0; k < chains; ++k)
            a[k] = fma(a[k], m, c);
    Real sum = 0;
    for (int k = 0; k < chains; ++k)
        sum += a[k];
    if (sum == Real(-1)) // never: keeps the chains from being dropped
        out[blockIdx.x] = sum;
}

/// Seconds of the fastest of some runs.
template <class Body>
double fastest(StreamRef s, int times, Body body)
{
    const Event begin(s.device, true), end(s.device, true);
    double best = 1e30;
    for (int k = 0; k < times; ++k) {
        begin.record(s);
        body();
        end.record(s);
        end.synchronize();
        best = std::min(best, 1e-3 * static_cast<double>(end.since(begin)));
    }
    return best;
}

template <class Real>
double fma_rate(StreamRef s, int multiprocessors)
{
    const Buffer<Real> out(1 << 16, s.device);
    const std::int64_t threads = std::int64_t{multiprocessors} * 16 * 256;
    constexpr int rounds = 8192;
    const double t = fastest(s, 4, [&] {
        launch(s, "fma", threads, 256, fma_kernel<Real>, out.data(), rounds, Real(0.999),
               Real(1e-3));
    });
    return 2.0 * chains * rounds * static_cast<double>(threads) / t / 1e9;
}

} // namespace

Ceilings measure_ceilings(int device)
{
    const Current here(device);
    const Stream stream(device);
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties", device);
    // far beyond the second-level cache, and a small part of the memory
    const auto bytes = std::min<std::size_t>(std::size_t{2} << 30, p.totalGlobalMem / 16);
    const std::int64_t n = static_cast<std::int64_t>(bytes / 16);
    const auto count = static_cast<std::size_t>(n);
    const Buffer<double2> a(count, device), b(count, device), c(count, device);
    for (const auto* x : {&a, &b, &c})
        check(cudaMemsetAsync(x->data(), 0x3c, bytes, StreamRef(stream).handle), "cudaMemsetAsync",
              device);
    Ceilings out;
    out.triad_GB_per_s =
        48e-9 * static_cast<double>(n) / fastest(stream, 10, [&] {
            launch(stream, "triad", n, 512, triad_kernel, a.data(), b.data(), c.data(), n);
        });
    out.copy_GB_per_s = 32e-9 * static_cast<double>(n) / fastest(stream, 10, [&] {
                            launch(stream, "copy", n, 512, copy_kernel, a.data(), b.data(), n);
                        });
    out.fp64_GFLOP_per_s = fma_rate<double>(stream, p.multiProcessorCount);
    out.fp32_GFLOP_per_s = fma_rate<float>(stream, p.multiProcessorCount);
    return out;
}

} // namespace tawara::device::cuda
