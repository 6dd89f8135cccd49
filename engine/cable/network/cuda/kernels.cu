// SPDX-License-Identifier: GPL-3.0-or-later
// A step of V on one tree, shared by all of a device: runs by a thread each, what they leave by one
// block in its shared memory. The same equations as sweeps.hpp, of one copy.
#include "engine/cable/network/cuda/kernels.cuh"

#include "engine/cable/cuda/contraction_steps.cuh"
#include "engine/cable/network/law.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/loaded_code.cuh"

namespace tawara::cable::cuda {

using device::cuda::launch;
using device::cuda::Shared;

namespace {

constexpr int block = 128;
constexpr int rest_threads = 1024; ///< of the block that has what runs leave

/// Keeps a crossing, where there was one.
__device__ void note(double& first_ms, double& newest_ms, double now_ms)
{
    if (now_ms < 0)
        return;
    newest_ms = now_ms;
    if (first_ms < 0)
        first_ms = now_ms;
}

__device__ bool failed(const NetworkView& n)
{
    return n.status->bad != NetworkStatus::none;
}

/// Membrane, axial currents, junctions and stimulus of a node; and when the tissue at a junction
/// was activated.
__global__ void equations_kernel(NetworkView n, device::PortStep step)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (failed(n))
        return;
    if (i < n.junctions && n.conductance[i] > 0) {
        const double v = step.v_mV[i];
        const double t = static_cast<double>(*step.step + step.offset) * step.dt_ms;
        note(n.junction_ms[i], n.newest_junction_ms[i],
             crossing_ms(n.tissue_before[i], v, n.threshold_mV, t - step.dt_ms, step.dt_ms));
        n.tissue_before[i] = v;
    }
    if (i >= n.nodes)
        return;
    const int s = n.slot[i];
    const double v = n.v[s], c = n.capacitance[i], per_step = 1 / n.dt_ms, f = n.slope[s];
    double d = c * (per_step - fmin(isfinite(f) ? f : 0.0, per_step / 2)) + n.couplings[i];
    double r = c * n.rate[s] + n.stimulus[i];
    for (int k = n.first_joint[i]; k < n.first_joint[i + 1]; ++k) {
        const int j = n.joint[k];
        d += n.slope_uS[j];
        r += n.fibre_nA[j] * step.current[j];
    }
    const double g = i > 0 ? n.coupling[i] : 0;
    if (i > 0)
        r += g * (n.v[n.slot[n.parent[i]]] - v);
    for (int k = n.first_child[i]; k < n.first_child[i + 1]; ++k)
        r += n.coupling[n.child[k]] * (n.v[n.slot[n.child[k]]] - v);
    const int at = n.contraction.place[i];
    n.upper[at] = n.lower[at] = -g;
    n.diagonal[at] = d;
    n.rhs[at] = r;
}

__global__ void runs_kernel(NetworkView n)
{
    const int s = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= n.contraction.runs || failed(n))
        return;
    const auto held =
        eliminate_run(n.contraction, Numbers<double>{n.upper, n.lower, n.diagonal, n.rhs},
                      n.contraction.run[s], s);
    n.sums[s] = {held.d, held.r, held.child_d, held.child_r};
}

/// What runs leave, by one block. Its numbers count from the first that is left.
__global__ void __launch_bounds__(rest_threads) rest_kernel(NetworkView n)
{
    extern __shared__ double room[];
    if (failed(n))
        return;
    const ContractionView& c = n.contraction;
    const int t = static_cast<int>(threadIdx.x), left = c.places - c.rest;
    double* const u = room - c.rest;
    const Numbers<double> own{u, u + left, u + 2 * left, u + 3 * left};
    for (int i = c.rest + t; i < c.places; i += rest_threads) {
        own.u[i] = n.upper[i];
        own.l[i] = n.lower[i];
        own.d[i] = n.diagonal[i];
        own.r[i] = n.rhs[i];
    }
    __syncthreads();
    for (int turn = 0; turn < 2; ++turn) {
        for (int s = t; s < c.runs; s += rest_threads)
            if (c.run[s].w == turn) {
                own.d[c.run[s].y] += n.sums[s].d;
                own.r[c.run[s].y] += n.sums[s].r;
            }
        __syncthreads();
    }
    for (int s = t; s < c.runs; s += rest_threads)
        if (c.run[s].z != Elimination::none) {
            own.d[c.run[s].z] += n.sums[s].child_d;
            own.r[c.run[s].z] += n.sums[s].child_r;
        }
    __syncthreads();
    for (int round = 0; round < c.rounds; ++round)
        eliminate_round<double, rest_threads>(c, own, t, round);
    if (t == 0)
        own.r[c.places - 1] /= own.d[c.places - 1];
    __syncthreads();
    for (int round = c.rounds - 1; round >= 0; --round)
        answer_round<double, rest_threads>(c, own, t, round);
    for (int i = c.rest + t; i < c.places; i += rest_threads)
        n.rhs[i] = own.r[i];
}

/// V of a node, what it gives to its junctions, and whether it may go on.
__device__ void move_node(const NetworkView& n, int at, long long tissue_step)
{
    const int i = n.node_at[at];
    if (i < 0)
        return;
    const int s = n.slot[i];
    const double before = n.v[s], after = before + n.rhs[at];
    n.v[s] = after;
    if (!(fabs(n.checked[s]) < 1e5) || !(fabs(after) <= 1000))
        atomicMin(&n.status->bad, static_cast<unsigned long long>(tissue_step) << 32 |
                                      static_cast<unsigned long long>(i));
    note(n.node_ms[i], n.newest_node_ms[i],
         crossing_ms(before, after, n.threshold_mV, static_cast<double>(tissue_step) * n.dt_ms,
                     n.dt_ms));
    for (int k = n.first_joint[i]; k < n.first_joint[i + 1]; ++k)
        n.source[n.joint[k]] = n.conductance[n.joint[k]] * after;
}

/// x of a run's nodes from what is known above and below; a thread a run, and a node of the others.
__global__ void move_kernel(NetworkView n, device::PortStep step)
{
    const ContractionView& c = n.contraction;
    const int q = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (failed(n))
        return;
    const long long at_step = *step.step + step.offset;
    if (q < c.runs) {
        const ushort4 run = c.run[q];
        answer_run(c, Numbers<double>{n.upper, n.lower, n.diagonal, n.rhs}, run, q);
        for (int j = 0; j < run.x; ++j)
            move_node(n, c.row[j] + q, at_step);
    } else if (const int at = c.rest + q - c.runs; at < c.places) {
        move_node(n, at, at_step);
    }
    if (q == 0) {
        n.status->steps += 1;
        n.status->start_ms = static_cast<double>(n.status->steps) * n.dt_ms;
    }
}

__global__ void law_kernel(NetworkView n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n.nodes)
        return;
    for (int k = n.first_joint[i]; k < n.first_joint[i + 1]; ++k)
        n.source[n.joint[k]] = n.conductance[n.joint[k]] * n.v[n.slot[i]];
}

std::size_t room_of(std::size_t left)
{
    return 4 * sizeof(double) * left;
}

} // namespace

Contraction contraction_for_device(const Tree& t, int device)
{
    const auto most = static_cast<std::size_t>(
        device::cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    for (const std::size_t longest : {8, 12, 16, 24, 32, 64}) {
        auto c = contraction_of(t, longest);
        if (room_of(c.places - c.rest) > most)
            continue;
        device::cuda::check(cudaFuncSetAttribute(rest_kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(most)),
                            "cudaFuncSetAttribute", device);
        return c;
    }
    throw Error("a network of " + std::to_string(t.nodes()) +
                " nodes has more forks than a block of cuda:" + std::to_string(device) +
                " has shared memory for");
}

void enqueue_step(StreamRef s, const NetworkView& n, const device::PortStep& step)
{
    const auto left = static_cast<std::size_t>(n.contraction.places - n.contraction.rest);
    launch(s, "network equations", std::max(n.nodes, n.junctions), block, equations_kernel, n,
           step);
    launch(s, "network runs", n.contraction.runs, block, runs_kernel, n);
    launch(s, "network forks", rest_threads, rest_threads, Shared{room_of(left)}, rest_kernel, n);
    launch(s, "network V", n.contraction.runs + static_cast<std::int64_t>(left), block, move_kernel,
           n, step);
}

void enqueue_law(StreamRef s, const NetworkView& n)
{
    launch(s, "network law", n.nodes, block, law_kernel, n);
}

} // namespace tawara::cable::cuda
