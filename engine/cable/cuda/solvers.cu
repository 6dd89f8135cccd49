// SPDX-License-Identifier: GPL-3.0-or-later
// Hines' sweeps, a thread a system, and contraction, a block a system. Words of memory a node:
// sweeps read upper, diagonal, lower, rhs, the parent's diagonal and rhs, write the latter two, and
// on the way back read lower, rhs, diagonal and write x (what stays in a cache counts less);
// contraction reads four and writes one.
#include "engine/cable/cuda/solvers.cuh"

#include "engine/cable/cuda/contraction_steps.cuh"
#include "engine/core/error.hpp"

namespace tawara::cable::cuda {

using device::cuda::check;
using device::cuda::launch;
using device::cuda::Shared;
using device::cuda::uploaded;

namespace {

/// Where a system's numbers begin, and how far apart those of two nodes are.
struct Place
{
    std::int64_t block; ///< systems that are interleaved
    std::int64_t nodes;
    int flat;

    __device__ std::int64_t first(std::int64_t system) const
    {
        return flat ? system * nodes : system / block * nodes * block + system % block;
    }
    __device__ std::int64_t apart() const { return flat ? 1 : block; }
};

Place place_of(const Batch& b)
{
    const auto n = static_cast<std::int64_t>(b.nodes), s = static_cast<std::int64_t>(b.systems);
    switch (b.layout) {
    case Layout::flat:
        break;
    case Layout::full_interleaved:
        return {s, n, 0};
    case Layout::block_interleaved:
        return {static_cast<std::int64_t>(b.block), n, 0};
    }
    return {1, n, 1};
}

template <class Real>
__global__ void sweep_kernel(const std::int32_t* __restrict__ parent, Place place,
                             DeviceNumbers<Real> n, std::int64_t systems)
{
    const auto s = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    const auto at = place.first(s), apart = place.apart();
    const Real* const u = n.upper + at;
    const Real* const l = n.lower + at;
    Real* const d = n.diagonal + at;
    Real* const r = n.rhs + at;
#pragma unroll 4
    for (auto i = static_cast<int>(place.nodes) - 1; i > 0; --i) {
        const auto k = i * apart, p = parent[i] * apart;
        const Real f = u[k] / d[k];
        d[p] -= f * l[k];
        r[p] -= f * r[k];
    }
    r[0] /= d[0];
#pragma unroll 4
    for (int i = 1; i < static_cast<int>(place.nodes); ++i) {
        const auto k = i * apart;
        r[k] = (r[k] - l[k] * r[parent[i] * apart]) / d[k];
    }
}

template <class Real>
__global__ void sweep_shared_kernel(const std::int32_t* __restrict__ parent, DeviceNumbers<Real> n,
                                    int nodes)
{
    extern __shared__ __align__(16) unsigned char room[];
    const int width = static_cast<int>(blockDim.x);
    Real* const r = reinterpret_cast<Real*>(room) + threadIdx.x;
    const auto at = static_cast<std::int64_t>(blockIdx.x) * nodes * width + threadIdx.x;
    const Real* const u = n.upper + at;
    const Real* const l = n.lower + at;
    Real* const d = n.diagonal + at;
#pragma unroll 4
    for (int i = 0; i < nodes; ++i)
        r[i * width] = n.rhs[at + static_cast<std::int64_t>(i) * width];
#pragma unroll 4
    for (int i = nodes - 1; i > 0; --i) {
        const auto k = static_cast<std::int64_t>(i) * width;
        const int p = parent[i] * width;
        const Real f = u[k] / d[k];
        d[p] -= f * l[k];
        r[p] -= f * r[i * width];
    }
    r[0] /= d[0];
    n.rhs[at] = r[0];
#pragma unroll 4
    for (int i = 1; i < nodes; ++i) {
        const auto k = static_cast<std::int64_t>(i) * width;
        const Real x = (r[i * width] - l[k] * r[parent[i] * width]) / d[k];
        r[i * width] = x;
        n.rhs[at + k] = x;
    }
}

template <class Real, int threads>
__global__ void __launch_bounds__(threads* trees_of_block<threads>)
    contract_kernel(const ContractionView c, DeviceNumbers<Real> n, std::int64_t systems)
{
    extern __shared__ __align__(16) unsigned char room[];
    const int t = static_cast<int>(threadIdx.x) % threads,
              tree = static_cast<int>(threadIdx.x) / threads;
    const auto system = static_cast<std::int64_t>(blockIdx.x) * trees_of_block<threads> + tree;
    if (system < systems) // else a whole warp is not
        contract_system<Real, threads>(c, n, system * c.nodes,
                                       reinterpret_cast<Real*>(room) + 4 * c.places * tree, t);
}

template <class Real>
__global__ void lay_out_kernel(const Real* __restrict__ flat, std::int64_t given, Place place,
                               Real* to, std::int64_t systems)
{
    const auto id = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const auto s = id % systems, i = id / systems; // neighbours write side by side if interleaved
    if (i < place.nodes)
        to[place.first(s) + i * place.apart()] = flat[s % given * place.nodes + i];
}

template <class Real, int threads>
void contract_by(StreamRef s, const DeviceContraction& c, const Batch& b,
                 const DeviceNumbers<Real>& n)
{
    const auto view = c.view();
    constexpr int trees = trees_of_block<threads>;
    const std::size_t bytes = 4 * sizeof(Real) * trees * static_cast<std::size_t>(view.places);
    const auto kernel = contract_kernel<Real, threads>;
    need_shared(kernel, bytes, s.device, "the numbers of a block's trees");
    const auto systems = static_cast<std::int64_t>(b.systems);
    launch(s, "contract trees", systems * threads, trees * threads, Shared{bytes}, kernel, view, n,
           systems);
}

} // namespace

template <class Real>
void sweep(StreamRef s, const std::int32_t* parent, const Batch& b, const DeviceNumbers<Real>& n,
           int block)
{
    const auto systems = static_cast<std::int64_t>(b.systems);
    launch(s, "sweep trees", systems, block, sweep_kernel<Real>, parent, place_of(b), n, systems);
}

template <class Real>
void sweep_shared(StreamRef s, const std::int32_t* parent, const Batch& b,
                  const DeviceNumbers<Real>& n)
{
    const std::size_t bytes = b.nodes * b.block * sizeof(Real);
    need_shared(sweep_shared_kernel<Real>, bytes, s.device,
                "right-hand sides of a block's systems");
    const auto filled = static_cast<std::int64_t>((b.systems + b.block - 1) / b.block * b.block);
    launch(s, "sweep trees, rhs shared", filled, static_cast<int>(b.block), Shared{bytes},
           sweep_shared_kernel<Real>, parent, n, static_cast<int>(b.nodes));
}

DeviceContraction::DeviceContraction(StreamRef s, const Contraction& c)
    : places_(static_cast<int>(c.places)), rest_(static_cast<int>(c.rest)),
      rounds_(static_cast<int>(c.rounds())), place_(uploaded(c.place, s)), row_(uploaded(c.row, s)),
      first_(uploaded(c.first, s))
{
    std::vector<ushort4> runs;
    for (const auto& r : c.runs)
        runs.push_back(make_ushort4(r.length, r.parent, r.child, r.turn));
    std::vector<ushort2> steps;
    for (const auto& e : c.steps)
        steps.push_back(make_ushort2(e.parent, e.child));
    runs_ = uploaded(runs, s);
    steps_ = uploaded(steps, s);
}

ContractionView DeviceContraction::view() const
{
    return {static_cast<int>(place_.size()),
            places_,
            static_cast<int>(runs_.size()),
            rest_,
            rounds_,
            place_.data(),
            runs_.data(),
            row_.data(),
            steps_.data(),
            first_.data()};
}

template <class Real>
void contract(StreamRef s, const DeviceContraction& c, const Batch& b, const DeviceNumbers<Real>& n,
              int threads)
{
    switch (threads) {
    case 32:
        return contract_by<Real, 32>(s, c, b, n);
    case 64:
        return contract_by<Real, 64>(s, c, b, n);
    case 128:
        return contract_by<Real, 128>(s, c, b, n);
    case 256:
        return contract_by<Real, 256>(s, c, b, n);
    default:
        throw Error("a tree is contracted by 32, 64, 128 or 256 threads");
    }
}

template <class Real>
void lay_out(StreamRef s, const Real* flat, std::size_t systems, const Batch& b, Real* to)
{
    const auto all = static_cast<std::int64_t>(b.systems);
    launch(s, "lay out systems", static_cast<std::int64_t>(b.nodes) * all, 256,
           lay_out_kernel<Real>, flat, static_cast<std::int64_t>(systems), place_of(b), to, all);
}

#define TAWARA_OF(Real)                                                                            \
    template void sweep(StreamRef, const std::int32_t*, const Batch&, const DeviceNumbers<Real>&,  \
                        int);                                                                      \
    template void sweep_shared(StreamRef, const std::int32_t*, const Batch&,                       \
                               const DeviceNumbers<Real>&);                                        \
    template void contract(StreamRef, const DeviceContraction&, const Batch&,                      \
                           const DeviceNumbers<Real>&, int);                                       \
    template void lay_out(StreamRef, const Real*, std::size_t, const Batch&, Real*);
TAWARA_OF(double)
TAWARA_OF(float)
#undef TAWARA_OF

} // namespace tawara::cable::cuda
