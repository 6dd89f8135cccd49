// SPDX-License-Identifier: GPL-3.0-or-later
// Explicit diffusion passes, exchange between shards, stimulus, gathers and the run's status.
// Diffusion reads, per row, 12 (double) or 8 (single) bytes per stored entry and 2 vectors' values.
#include "engine/device/cuda/early_start.cuh"
#include "engine/device/cuda/kernels.cuh"
#include "engine/device/cuda/rows.cuh"

namespace tawara::device::cuda {
namespace {

constexpr int diffusion_block = 256;

template <class Real, class Stored>
__global__ void diffuse_kernel(const __grid_constant__ Pass<Real, Stored> p,
                               const __grid_constant__ Moment m)
{
    let_kernel_behind_start(); // Ring::begin: it waits for p.out
    const std::int64_t slot =
        m.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (slot >= m.end)
        return;
    const bool go = alive(m);
    const Real out = passed(p, static_cast<int>(slot));
    if (go)
        p.out[slot] = out;
}

template <class Real>
__global__ void send_kernel(const Real* v, const __grid_constant__ Peers<Real> peers)
{
    const int k = peers.first[0] + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= peers.first[peers.count])
        return;
    int p = 0;
    while (k >= peers.first[p + 1])
        ++p;
    peers.to[p][k - peers.first[p]] = v[peers.from[k]];
}

__global__ void end_kernel(Status* s, int steps, int long_steps)
{
    if (threadIdx.x == 0)
        s->step += steps, s->long_steps += long_steps;
}

__global__ void share_kernel(Status* mine, const Status* other)
{
    if (threadIdx.x == 0)
        atomicMin(&mine->bad, *static_cast<const volatile unsigned long long*>(&other->bad));
}

__global__ void hold_kernel(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

template <class Real>
__global__ void stimulus_kernel(Real* stimulus, std::uint32_t* driven, const std::int32_t* slot,
                                std::int64_t n, Real value)
{
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    atomicAdd(stimulus + slot[k], value); // a slot may be named twice; equal terms have one sum
    atomicOr(driven + slot[k] / 32, 1U << (slot[k] & 31));
}

template <class Real, class Out>
__global__ void gather_kernel(const Real* v, const std::int64_t* first, const std::int32_t* slot,
                              const float* weight, Out* out, std::int64_t n)
{
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    double sum = 0;
    for (auto i = first[k]; i < first[k + 1]; ++i)
        sum = fma(static_cast<double>(weight[i]), static_cast<double>(v[slot[i]]), sum);
    out[k] = static_cast<Out>(sum);
}

} // namespace

template <class Real, class Stored>
void diffuse(StreamRef s, const Pass<Real, Stored>& pass, const Moment& m)
{
    launch(s, "diffusion", m.end - m.begin, diffusion_block, diffuse_kernel<Real, Stored>, pass, m);
}

template <class Real>
void send(StreamRef s, const Real* v, const Peers<Real>& peers)
{
    launch(s, "exchange", peers.first[peers.count] - peers.first[0], diffusion_block,
           send_kernel<Real>, v, peers);
}

void end_steps(StreamRef s, Status* status, int steps, int long_steps)
{
    launch(s, "end of steps", 1, 32, end_kernel, status, steps, long_steps);
}

void share_failure(StreamRef s, Status* mine, const Status* other)
{
    launch(s, "verdict", 1, 32, share_kernel, mine, other);
}

void hold(StreamRef s)
{
    constexpr long long cycles = 40'000; // 20 us at 2 GHz, 27 at 1.5
    launch(s, "hold", 1, 1, hold_kernel, cycles);
}

template <class Real>
void add_current(StreamRef s, Real* stimulus, std::uint32_t* driven, const std::int32_t* slot,
                 std::int64_t n, Real value)
{
    launch(s, "stimulus", n, diffusion_block, stimulus_kernel<Real>, stimulus, driven, slot, n,
           value);
}

template <class Real, class Out>
void gather(StreamRef s, const Real* v, const std::int64_t* first, const std::int32_t* slot,
            const float* weight, Out* out, std::int64_t n)
{
    launch(s, "gather", n, diffusion_block, gather_kernel<Real, Out>, v, first, slot, weight, out,
           n);
}

#define TAWARA_INSTANTIATE(Real)                                                                   \
    template void diffuse(StreamRef, const Pass<Real>&, const Moment&);                            \
    template void send(StreamRef, const Real*, const Peers<Real>&);                                \
    template void add_current(StreamRef, Real*, std::uint32_t*, const std::int32_t*, std::int64_t, \
                              Real);                                                               \
    template void gather(StreamRef, const Real*, const std::int64_t*, const std::int32_t*,         \
                         const float*, float*, std::int64_t);                                      \
    template void gather(StreamRef, const Real*, const std::int64_t*, const std::int32_t*,         \
                         const float*, double*, std::int64_t);
TAWARA_INSTANTIATE(double)
TAWARA_INSTANTIATE(float)
#undef TAWARA_INSTANTIATE
template void diffuse(StreamRef, const Pass<double, float>&, const Moment&);

} // namespace tawara::device::cuda
