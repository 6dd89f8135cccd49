// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/cuda/tissue.cuh"

#include "engine/calcium/cuda/view.cuh"
#include "engine/device/cuda/cell_record.cuh"
#include "engine/device/cuda/rows.cuh"

namespace tawara::calcium::cuda {
namespace {

using device::cuda::launch;

constexpr int dyad_threads = static_cast<int>(block_dyads); ///< of kernels of dyads; a dyad each
constexpr int few_threads = 64;                             ///< where each has a cell

/// Whether the RyR of a type are held open in a step of that middle.
__device__ bool forced_at(const TissueType& type, const Opening* openings, double t_ms)
{
    for (std::int32_t k = 0; k < type.openings; ++k) {
        const Opening& o = openings[type.first_opening + k];
        if (t_ms >= o.from_ms && t_ms < o.until_ms)
            return true;
    }
    return false;
}

template <class Real>
__global__ void __launch_bounds__(few_threads)
    begin_kernel(const __grid_constant__ View<Real> w, const __grid_constant__ TissueStep<Real> t)
{
    const std::uint32_t i = blockIdx.x * few_threads + threadIdx.x;
    if (i >= w.cells)
        return;
    CellInput<Real>& in = w.input[i];
    if (!alive(t.moment)) {
        in.idle = true;
        return;
    }
    const long long time_step = t.moment.status->step + t.moment.offset;
    const double t_ms = t.after_ms + static_cast<double>(time_step) * t.moment.dt_ms;
    const TissueType& type = t.types[w.type[i]];
    CellState s = w.cell[i];
    s.v = static_cast<double>(t.tissue.v_in[t.moment.begin + i]);
    Position at = w.position[i];
    at.step = static_cast<std::int32_t>(llround(t_ms / t.dt_ms));
    const bool forced = forced_at(type, t.openings, t_ms + 0.5 * t.dt_ms);
    MembraneCurrents currents;
    in = {begin_cell<Real>(type.membrane, s, at.step, forced, currents),
          at,
          t.unknown[i],
          static_cast<std::uint64_t>(time_step),
          type.membrane.p.closed != 0,
          false};
    at.place = 1 - at.place;
    at.settled = 0;
    t.currents[i] = currents;
    w.cell[i] = s;
    w.position[i] = at;
}

template <class Real>
__global__ void __launch_bounds__(summing_threads)
    end_kernel(const __grid_constant__ View<Real> w, const __grid_constant__ TissueStep<Real> t)
{
    __shared__ double sums[summed_together][DyadSums::count];
    const std::uint32_t first = blockIdx.x * summed_together, i = first + threadIdx.x;
    sum_blocks(w, first, sums);
    if (threadIdx.x >= summed_together || i >= w.cells || w.input[i].idle)
        return;
    const auto slot = static_cast<int>(t.moment.begin + i);
    CellState s = w.cell[i];
    end_cell(t.types[w.type[i]].membrane, s, t.currents[i], sums_in(sums[threadIdx.x]),
             static_cast<double>(stimulus_of(t.tissue, slot)));
    w.cell[i] = s;
    t.tissue.v_out[slot] = static_cast<Real>(s.v);
}

template <class Real>
__global__ void __launch_bounds__(dyad_threads)
    start_kernel(const __grid_constant__ View<Real> w, const TissueStart<Real>* starts,
                 const std::uint64_t* unknown)
{
    const std::uint32_t cell = w.by_blocks.into(blockIdx.x);
    const std::uint32_t i = (blockIdx.x - cell * w.blocks) * dyad_threads + threadIdx.x;
    const TissueStart<Real>& start = starts[w.type[cell]];
    if (i == 0) {
        w.cell[cell] = start.cell;
        w.position[cell] = {};
        w.input[cell] = {};
    }
    if (i >= w.room)
        return;
    const DyadArrays<Real> a = arrays_of(w, cell);
    const DyadState<Real>& d = start.dyad;
    a.c_myo[i] = d.c_myo;
    a.c_ss[i] = d.c_ss;
    a.c_d[i] = d.c_d;
    a.n_ca[i] = d.n_ca;
    a.camk_t[i] = d.camk_t;
    a.c_nsr[i] = d.c_nsr;
    a.c_jsr[i] = d.c_jsr;
    a.activated[i] = d.activated;
    const double u = DyadRandom{{w.seed, unknown[cell], 0, start_stream}, i}(0);
    const double C1 = i < w.dyads ? binomial(start.RyR, start.available, u).events : 0;
    a.C1[i] = static_cast<std::uint8_t>(C1);
    a.C2[i] = i < w.dyads ? static_cast<std::uint8_t>(start.RyR - C1) : 0;
    a.O1[i] = a.C3[i] = 0;
}

template <class Real>
__global__ void __launch_bounds__(dyad_threads) home_kernel(const __grid_constant__ View<Real> w)
{
    const std::uint32_t cell = w.by_blocks.into(blockIdx.x);
    const std::uint32_t i = (blockIdx.x - cell * w.blocks) * dyad_threads + threadIdx.x;
    if (i >= w.dyads || w.position[cell].place == 0)
        return;
    const DyadArrays<Real> a = arrays_of(w, cell);
    const auto from = fields_of(w, a, cell, 1);
    a.c_myo[i] = from.myo[i];
    a.c_ss[i] = from.ss[i];
    a.c_nsr[i] = from.nsr[i];
}

__global__ void at_home_kernel(Position* position, std::uint32_t cells)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells)
        position[i].place = 0;
}

template <class Real>
std::int64_t threads_of_dyads(const View<Real>& w)
{
    return std::int64_t{w.cells} * w.blocks * dyad_threads;
}

} // namespace

template <class Real>
void enqueue_tissue_begin(StreamRef s, const View<Real>& w, const TissueStep<Real>& t)
{
    launch(s, "cells with dyads begin", w.cells, few_threads, begin_kernel<Real>, w, t);
}
template void enqueue_tissue_begin(StreamRef, const View<double>&, const TissueStep<double>&);
template void enqueue_tissue_begin(StreamRef, const View<float>&, const TissueStep<float>&);

template <class Real>
void enqueue_tissue_end(StreamRef s, const View<Real>& w, const TissueStep<Real>& t)
{
    const std::int64_t n =
        (std::int64_t{w.cells} + summed_together - 1) / summed_together * summing_threads;
    launch(s, "cells with dyads end", n, summing_threads, end_kernel<Real>, w, t);
}
template void enqueue_tissue_end(StreamRef, const View<double>&, const TissueStep<double>&);
template void enqueue_tissue_end(StreamRef, const View<float>&, const TissueStep<float>&);

template <class Real>
void enqueue_tissue_start(StreamRef s, const View<Real>& w, const TissueStart<Real>* starts,
                          const std::uint64_t* unknown)
{
    launch(s, "cells with dyads start", threads_of_dyads(w), dyad_threads, start_kernel<Real>, w,
           starts, unknown);
}
template void enqueue_tissue_start(StreamRef, const View<double>&, const TissueStart<double>*,
                                   const std::uint64_t*);
template void enqueue_tissue_start(StreamRef, const View<float>&, const TissueStart<float>*,
                                   const std::uint64_t*);

template <class Real>
void enqueue_home(StreamRef s, const View<Real>& w)
{
    launch(s, "dyads home", threads_of_dyads(w), dyad_threads, home_kernel<Real>, w);
    launch(s, "dyads at home", w.cells, dyad_threads, at_home_kernel, w.position, w.cells);
}
template void enqueue_home(StreamRef, const View<double>&);
template void enqueue_home(StreamRef, const View<float>&);

} // namespace tawara::calcium::cuda
