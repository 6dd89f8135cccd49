// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction kernels (TT06, the schemes of cell::Scheme), alone or fused with the last diffusion
// pass, with the record of activation and the verdict on the new potential.
//
// Bytes per unknown and step: V in and out 2 r, 18 states in and out 36 r, 1 for the record's
// phase, r to 2 r of its track, 1 for the cell type where there are several (r: 8 in double, 4 in
// single precision). Fused, V's way to memory and back between diffusion and reaction falls away.
#pragma once
#include "engine/device/cuda/cell_math.cuh"
#include "engine/device/cuda/kernels.cuh"
#include "engine/device/cuda/rows.cuh"

#include "engine/cell/tt06.hpp"

#include <algorithm>

namespace tawara::device::cuda {

using cell::tt06::Folded;
using cell::tt06::State;
using CellMode = cell::tt06::generic::Mode;

inline constexpr int cell_states = cell::tt06::state_count - 1; // without V

/// States of a slot, between memory (chunks of 16 bytes) and registers.
template <class Real>
struct StateChunks
{
    static constexpr int width = 16 / sizeof(Real);
    static constexpr int whole = cell_states / width, left = cell_states % width;
    using Chunk = std::conditional_t<sizeof(Real) == 8, double2, float4>;

    __device__ __forceinline__ static void load(const Real* base, std::int64_t slots,
                                                std::int64_t slot, Real* x)
    {
#pragma unroll
        for (int c = 0; c < whole; ++c) {
            const Chunk k = __ldcs(reinterpret_cast<const Chunk*>(base) + c * slots + slot);
            x[c * width] = k.x;
            x[c * width + 1] = k.y;
            if constexpr (width == 4)
                x[c * width + 2] = k.z, x[c * width + 3] = k.w;
        }
        if constexpr (left == 2) {
            const float2 k =
                __ldcs(reinterpret_cast<const float2*>(base + whole * width * slots) + slot);
            x[whole * width] = k.x;
            x[whole * width + 1] = k.y;
        }
    }
    __device__ __forceinline__ static void store(Real* base, std::int64_t slots, std::int64_t slot,
                                                 const Real* x)
    {
#pragma unroll
        for (int c = 0; c < whole; ++c) {
            Chunk k;
            k.x = x[c * width], k.y = x[c * width + 1];
            if constexpr (width == 4)
                k.z = x[c * width + 2], k.w = x[c * width + 3];
            __stcs(reinterpret_cast<Chunk*>(base) + c * slots + slot, k);
        }
        if constexpr (left == 2)
            __stcs(reinterpret_cast<float2*>(base + whole * width * slots) + slot,
                   make_float2(x[whole * width], x[whole * width + 1]));
    }
    static_assert(left == 0 || left == 2);
};

/// A cell in registers, its constants in constant memory or in its type's row of a table.
template <class Real>
struct CellIo
{
    const Real* constants;
    Real stimulus_now;
    Real x[cell::tt06::state_count];
    TAWARA_HD Real load(State s) const { return x[s]; }
    TAWARA_HD void store(State s, Real value) { x[s] = value; }
    TAWARA_HD Real stimulus() const { return stimulus_now; }
    TAWARA_HD Real constant(Folded f) const { return constants[f]; }
};

/// The same, its derivatives kept apart: for Runge-Kutta steps.
template <class Real>
struct RateIo
{
    const CellIo<Real>* cell;
    Real x[cell::tt06::state_count], rate[cell::tt06::state_count];
    TAWARA_HD Real load(State s) const { return x[s]; }
    TAWARA_HD void store(State s, Real value) { rate[s] = value; }
    TAWARA_HD Real stimulus() const { return cell->stimulus_now; }
    TAWARA_HD Real constant(Folded f) const { return cell->constants[f]; }
};

/// One step of a cell.
template <class Real, CellMode mode>
__device__ __forceinline__ void step_cell(CellIo<Real>& io, Real dt)
{
    using M = CudaMath<Real>;
    if constexpr (mode != CellMode::derivative) {
        cell::tt06::generic::Step<M, mode>::run(io, dt);
    } else { // the classical Runge-Kutta scheme
        Real x0[cell::tt06::state_count];
        RateIo<Real> stage;
        stage.cell = &io;
#pragma unroll
        for (int s = 0; s < cell::tt06::state_count; ++s)
            stage.x[s] = x0[s] = io.x[s];
#pragma unroll 1
        for (int k = 0; k < 4; ++k) {
            cell::tt06::generic::Step<M, CellMode::derivative>::run(stage, Real(0));
            const Real share = dt * Real(k == 0 || k == 3 ? 1.0 / 6 : 1.0 / 3);
            const Real ahead = dt * Real(k == 2 ? 1.0 : 0.5);
#pragma unroll
            for (int s = 0; s < cell::tt06::state_count; ++s) {
                io.x[s] = fma(share, stage.rate[s], io.x[s]);
                stage.x[s] = fma(ahead, stage.rate[s], x0[s]);
            }
        }
    }
}

/// Looks at the step from a to b of one slot (the CPU back end's ActivationRecord does the same).
template <class Real>
__device__ __forceinline__ void record(const Record<Real>& r, std::int64_t slot, Real a, Real b,
                                       double t_ms, double dt_ms)
{
    const std::uint8_t phase = r.phase[slot];
    if (phase >= 2)
        return;
    const auto threshold = static_cast<Real>(r.threshold_mV);
    const auto crossing = [&](Real level) {
        return t_ms + dt_ms * static_cast<double>(level - a) / static_cast<double>(b - a);
    };
    const Real track = r.track[slot];
    if (phase == 0) {
        const Real least = min(track, a);
        if (a < threshold && b >= threshold) {
            r.activation_ms[slot] = crossing(threshold);
            r.rest[slot] = least;
            r.track[slot] = b;
            r.phase[slot] = 1;
        } else if (least < track) {
            r.track[slot] = least;
        }
        return;
    }
    const Real peak = max(track, b);
    if (peak > track)
        r.track[slot] = peak;
    const Real level = peak - Real(0.9) * (peak - r.rest[slot]);
    if (b < level && a >= level) {
        r.repolarisation_ms[slot] = crossing(level);
        r.phase[slot] = 2;
    }
}

/// Copies that a thread makes for itself into shared memory, while it computes another cell: the
/// states of a slot and its potential. No thread reads what another one copied, so that no barrier
/// is needed.
template <class Real>
struct Ahead
{
    static constexpr int block = 128;
    static constexpr int width = StateChunks<Real>::width, whole = StateChunks<Real>::whole;
    static constexpr bool half_chunk = StateChunks<Real>::left == 2;
    /// Places of 16 bytes a thread and stage: whole chunks, what is left, the potential.
    static constexpr int places = whole + (half_chunk ? 1 : 0) + 1;
    static constexpr int bytes = 2 * places * block * 16;

    template <int size>
    __device__ __forceinline__ static void copy(unsigned to, const void* from)
    {
        if constexpr (size == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(size)
                         : "memory");
    }
    __device__ __forceinline__ static unsigned place(const float4* memory, int stage, int k)
    {
        return static_cast<unsigned>(
            __cvta_generic_to_shared(memory + (stage * places + k) * block + threadIdx.x));
    }
    __device__ __forceinline__ static void fetch(const float4* memory, int stage,
                                                 const Real* states, std::int64_t slots,
                                                 std::int64_t slot, const Real* v)
    {
#pragma unroll
        for (int c = 0; c < whole; ++c)
            copy<16>(place(memory, stage, c), states + c * width * slots + slot * width);
        if constexpr (half_chunk)
            copy<8>(place(memory, stage, whole), states + whole * width * slots + slot * 2);
        copy<sizeof(Real)>(place(memory, stage, places - 1), v + slot);
    }
    __device__ __forceinline__ static void close()
    {
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    /// Until all but the newest group has arrived.
    __device__ __forceinline__ static void wait()
    {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    }

    __device__ __forceinline__ static void load(const float4* memory, int stage, Real* x)
    {
        using Chunk = typename StateChunks<Real>::Chunk;
        const float4* mine = memory + stage * places * block + threadIdx.x;
#pragma unroll
        for (int c = 0; c < whole; ++c) {
            const Chunk k = *reinterpret_cast<const Chunk*>(mine + c * block);
            x[1 + c * width] = k.x, x[2 + c * width] = k.y;
            if constexpr (width == 4)
                x[3 + c * width] = k.z, x[4 + c * width] = k.w;
        }
        if constexpr (half_chunk) {
            const float2 k = *reinterpret_cast<const float2*>(mine + whole * block);
            x[1 + whole * width] = k.x, x[2 + whole * width] = k.y;
        }
        x[0] = *reinterpret_cast<const Real*>(mine + (places - 1) * block);
    }
};

/// Writes what became of a cell after a step as long as `steps` short ones.
template <class Real>
__device__ __forceinline__ void finish(const CellIo<Real>& io, const Reaction<Real>& p,
                                       const Moment& m, std::int64_t slot, int steps = 1)
{
    const Real v = io.x[0];
    p.v_out[slot] = v;
    StateChunks<Real>::store(p.states, p.slots, slot, io.x + 1);
    if (p.v_before) {
        const long long step = m.status->step + m.offset;
        if (!(v > Real(-1000) && v < Real(1000))) // no membrane reaches 1 V
            atomicMin(&m.status->bad, static_cast<unsigned long long>(step) << 32 |
                                          static_cast<unsigned long long>(slot));
        record(p.record, slot, p.v_before[slot], v, static_cast<double>(step) * m.dt_ms,
               steps * m.dt_ms);
    }
}

/// Each thread takes every gridDim-th cell; the next one's numbers are on their way while it
/// computes.
template <class Real, CellMode mode, bool fused, bool many>
__global__ void __launch_bounds__(Ahead<Real>::block, sizeof(Real) == 8 ? 4 : 6)
    react_kernel(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Reaction<Real> p,
                 const __grid_constant__ OneType<Real> one, const __grid_constant__ Moment m)
{
    extern __shared__ float4 memory[];
    using A = Ahead<Real>;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * A::block;
    std::int64_t slot = m.begin + static_cast<std::int64_t>(blockIdx.x) * A::block + threadIdx.x;
    if (slot >= m.end)
        return;
    const Real* v_in = fused ? pass.x : p.v_in;
    A::fetch(memory, 0, p.states, p.slots, slot, v_in);
    A::close();
    if (!alive(m))
        return;
    for (int stage = 0; slot < m.end; slot += stride, stage ^= 1) {
        if (slot + stride < m.end)
            A::fetch(memory, stage ^ 1, p.states, p.slots, slot + stride, v_in);
        A::close();
        CellIo<Real> io;
        if constexpr (many)
            io.constants =
                p.tables + static_cast<std::size_t>(p.type[slot]) * cell::tt06::folded_count;
        else
            io.constants = one.c;
        io.stimulus_now = p.stimulus ? p.stimulus[slot] : Real(0);
        Real diffused = 0;
        if constexpr (fused)
            diffused = passed(pass, static_cast<int>(slot));
        A::wait();
        A::load(memory, stage, io.x);
        if constexpr (fused)
            io.x[0] = diffused;
        step_cell<Real, mode>(io, p.dt);
        finish(io, p, m, slot);
    }
}

/// One cell a thread, loaded when it is needed.
template <class Real, CellMode mode, bool many>
__global__ void __launch_bounds__(Ahead<Real>::block)
    fused_kernel(const __grid_constant__ Pass<Real> pass, const __grid_constant__ Reaction<Real> p,
                 const __grid_constant__ OneType<Real> one, const __grid_constant__ Moment m)
{
    const std::int64_t slot =
        m.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (slot >= m.end)
        return;
    const bool go = alive(m);
    CellIo<Real> io;
    StateChunks<Real>::load(p.states, p.slots, slot, io.x + 1);
    if constexpr (many)
        io.constants = p.tables + static_cast<std::size_t>(p.type[slot]) * cell::tt06::folded_count;
    else
        io.constants = one.c;
    io.stimulus_now = p.stimulus ? p.stimulus[slot] : Real(0);
    io.x[0] = passed(pass, static_cast<int>(slot));
    step_cell<Real, mode>(io, p.dt);
    if (go)
        finish(io, p, m, slot);
}

/// As many blocks as the device holds at once, or fewer for fewer cells.
template <class Kernel>
std::int64_t resident_threads(Kernel kernel, int block, int bytes, int device, std::int64_t n)
{
    int per_multiprocessor = 0, multiprocessors = 0;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
          "cudaFuncSetAttribute", device);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, block,
                                                        static_cast<std::size_t>(bytes)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor", device);
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute", device);
    return std::min<std::int64_t>(n, std::int64_t{per_multiprocessor} * multiprocessors * block);
}

template <class Real, CellMode mode, bool fused, bool many>
void react_kernel_launch(StreamRef s, const Pass<Real>& pass, const Reaction<Real>& r,
                         const OneType<Real>& one, const Moment& m)
{
    using A = Ahead<Real>;
    // Copying ahead gains 8 % of the reaction; fused in single precision it was measured to lose 6
    // %.
    if constexpr (fused && sizeof(Real) == 4)
        return launch(s, "diffusion+reaction", m.end - m.begin, A::block,
                      fused_kernel<Real, mode, many>, pass, r, one, m);
    const auto kernel = react_kernel<Real, mode, fused, many>;
    const auto n = resident_threads(kernel, A::block, A::bytes, s.device, m.end - m.begin);
    launch_with(s, fused ? "diffusion+reaction" : "reaction", n, A::block, A::bytes, kernel, pass,
                r, one, m);
}

template <class Real, CellMode mode>
void react_as(StreamRef s, const Pass<Real>* pass, const Reaction<Real>& r,
              const OneType<Real>& one, const Moment& m)
{
    const bool many = r.type;
    if constexpr (mode == CellMode::rush_larsen_light) {
        if (pass && many)
            react_kernel_launch<Real, mode, true, true>(s, *pass, r, one, m);
        else if (pass)
            react_kernel_launch<Real, mode, true, false>(s, *pass, r, one, m);
        else if (many)
            react_kernel_launch<Real, mode, false, true>(s, {}, r, one, m);
        else
            react_kernel_launch<Real, mode, false, false>(s, {}, r, one, m);
    } else {
        if (pass)
            diffuse(s, *pass, m);
        react_kernel_launch<Real, mode, false, true>(s, {}, r, one, m);
    }
}

} // namespace tawara::device::cuda
