// SPDX-License-Identifier: GPL-3.0-or-later
// Device functions of a tree's contraction (contraction.hpp), for a block that has the whole tree
// and for several kernels that share its work.
#pragma once
#include "engine/cable/cuda/solvers.cuh"
#include "engine/core/error.hpp"

#include <string>

namespace tawara::cable::cuda {

/// Waits for those who share a tree: a warp, or a block.
template <int threads>
__device__ void together()
{
    if constexpr (threads == 32)
        __syncwarp();
    else
        __syncthreads();
}

/// 1 / x to the last bit or two, in half the time of a division. x is neither beyond 2^1021 nor
/// below 2^-1022, as sums of conductances are not.
__device__ inline double reciprocal(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x)); // 20 bits, which each line doubles
    y = fma(y, fma(-x, y, 1.0), y);
    return fma(y, fma(-x, y, 1.0), y);
}
__device__ inline float reciprocal(float x)
{
    return __frcp_rn(x);
}

/// A tree's numbers by their places, in shared memory or the device's.
template <class Real>
struct Numbers
{
    Real *u, *l, *d, *r;
};

/// Trees that a block takes: as many as make it worth its while.
template <int threads>
constexpr int trees_of_block = threads == 32 ? 4 : 1;

/// What a run adds to the nodes above and below it, held back until all runs have been eliminated.
template <class Real>
struct Held
{
    Real d = 0, r = 0;             ///< to the parent's diagonal and right-hand side
    Real child_d = 0, child_r = 0; ///< to the child's, where there is one
};

/// Eliminates the nodes of run number s from below.
template <class Real>
__device__ Held<Real> eliminate_run(const ContractionView& c, const Numbers<Real>& n, ushort4 run,
                                    int s)
{
    Held<Real> held;
    if (run.x == 0)
        return held;
    const bool child = run.z != Elimination::none;
    Real cu = child ? n.u[run.z] : Real(0), cl = child ? n.l[run.z] : Real(0);
    for (int j = 0; j < run.x; ++j) {
        const int i = c.row[j] + s;
        const Real f = reciprocal(n.d[i] + held.d), u = n.u[i], l = n.l[i] * f,
                   x = (n.r[i] + held.r) * f;
        n.l[i] = l;
        n.r[i] = x;
        held.d = -u * l;
        held.r = -u * x;
        if (child) {
            const Real of_child = cu * f;
            n.u[i] = of_child;
            held.child_d -= cl * of_child;
            held.child_r -= cl * x;
            cu = -u * of_child;
            cl = -cl * l;
        }
    }
    if (child) {
        n.u[run.z] = cu;
        n.l[run.z] = cl;
    }
    return held;
}

/// x of the nodes of a run, where it is known above and below.
template <class Real>
__device__ void answer_run(const ContractionView& c, const Numbers<Real>& n, ushort4 run, int s)
{
    const bool child = run.z != Elimination::none;
    const Real below = child ? n.r[run.z] : Real(0);
    Real x = n.r[run.y];
    for (int j = run.x - 1; j >= 0; --j) {
        const int i = c.row[j] + s;
        x = n.r[i] - n.l[i] * x;
        if (child)
            x -= n.u[i] * below;
        n.r[i] = x;
    }
}

/// A round: parents, then children.
template <class Real, int threads>
__device__ void eliminate_round(const ContractionView& c, const Numbers<Real>& n, int t, int round)
{
    const int end = c.first[round + 1];
    for (int base = c.first[round]; base < end; base += threads) {
        const int q = base + t, i = c.rest + q;
        const bool mine = q < end;
        const ushort2 e = mine ? c.steps[q] : make_ushort2(0, Elimination::none);
        Real f = 0, l = 0, x = 0, u = 0;
        if (mine) {
            f = reciprocal(n.d[i]), u = n.u[i];
            l = n.l[i] * f, x = n.r[i] * f;
            n.l[i] = l;
            n.r[i] = x;
            n.d[e.x] -= u * l;
            n.r[e.x] -= u * x;
        }
        together<threads>();
        if (e.y != Elimination::none) {
            const Real of_child = n.u[e.y] * f, to = n.l[e.y];
            n.d[e.y] -= to * of_child;
            n.r[e.y] -= to * x;
            n.u[e.y] = -u * of_child;
            n.l[e.y] = -to * l;
            n.u[i] = of_child;
        }
        together<threads>();
    }
}

template <class Real, int threads>
__device__ void answer_round(const ContractionView& c, const Numbers<Real>& n, int t, int round)
{
    for (int q = c.first[round] + t; q < c.first[round + 1]; q += threads) {
        const int i = c.rest + q;
        const ushort2 e = c.steps[q];
        Real x = n.r[i] - n.l[i] * n.r[e.x];
        if (e.y != Elimination::none)
            x -= n.u[i] * n.r[e.y];
        n.r[i] = x;
    }
    together<threads>();
}

/// Runs, a thread each. What they add to nodes above and below waits for its turn.
template <class Real, int threads>
__device__ void eliminate_runs(const ContractionView& c, const Numbers<Real>& n, int t)
{
    for (int base = 0; base < c.runs; base += threads) {
        const int s = base + t;
        const ushort4 run = s < c.runs ? c.run[s] : make_ushort4(0, 0, Elimination::none, 2);
        const auto held = eliminate_run(c, n, run, s);
        together<threads>();
        for (int turn = 0; turn < 2; ++turn) {
            if (run.w == turn) {
                n.d[run.y] += held.d;
                n.r[run.y] += held.r;
            }
            together<threads>();
        }
        if (run.z != Elimination::none) {
            n.d[run.z] += held.child_d;
            n.r[run.z] += held.child_r;
        }
        together<threads>();
    }
}

template <class Real, int threads>
__device__ void answer_runs(const ContractionView& c, const Numbers<Real>& n, int t)
{
    for (int s = t; s < c.runs; s += threads)
        answer_run(c, n, c.run[s], s);
}

/// All of a system by so many threads, in shared memory.
/// @param at    where the system's numbers begin
/// @param room  4 c.places numbers
/// @param t     the thread's number
template <class Real, int threads>
__device__ void contract_system(const ContractionView& c, const DeviceNumbers<Real>& all,
                                std::int64_t at, Real* room, int t)
{
    const Numbers<Real> n{room, room + c.places, room + 2 * c.places, room + 3 * c.places};
    for (int i = t; i < c.nodes; i += threads) {
        const int k = c.place[i];
        __pipeline_memcpy_async(n.u + k, all.upper + at + i, sizeof(Real));
        __pipeline_memcpy_async(n.l + k, all.lower + at + i, sizeof(Real));
        __pipeline_memcpy_async(n.d + k, all.diagonal + at + i, sizeof(Real));
        __pipeline_memcpy_async(n.r + k, all.rhs + at + i, sizeof(Real));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    together<threads>();
    eliminate_runs<Real, threads>(c, n, t);
    for (int round = 0; round < c.rounds; ++round)
        eliminate_round<Real, threads>(c, n, t, round);
    if (t == 0)
        n.r[c.places - 1] /= n.d[c.places - 1];
    together<threads>();
    for (int round = c.rounds - 1; round >= 0; --round)
        answer_round<Real, threads>(c, n, t, round);
    answer_runs<Real, threads>(c, n, t);
    together<threads>();
    for (int i = t; i < c.nodes; i += threads)
        all.rhs[at + i] = n.r[c.place[i]];
}

/// Lets a kernel have so much shared memory.
template <class Kernel>
void need_shared(Kernel kernel, std::size_t bytes, int device, const char* what)
{
    if (bytes <= 48 * 1024) // all may have that
        return;
    int most = 0;
    device::cuda::check(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute", device);
    if (bytes > static_cast<std::size_t>(most))
        throw Error(std::string(what) + " take " + std::to_string(bytes) +
                    " bytes of shared memory, and a block of cuda:" + std::to_string(device) +
                    " has " + std::to_string(most));
    device::cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(bytes)),
                        "cudaFuncSetAttribute", device);
}

} // namespace tawara::cable::cuda
