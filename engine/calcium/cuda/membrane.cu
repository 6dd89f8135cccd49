// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of what cells have once.
#include "engine/calcium/cuda/view.cuh"

namespace tawara::calcium::cuda {
namespace {

using device::cuda::launch;

constexpr int together = summed_together;

/// @param ends    a step ends: its sums over dyads are there
/// @param begins  a step begins: dyads get their input
template <class Real, bool ends, bool begins>
__global__ void __launch_bounds__(summing_threads)
    cell_kernel(const __grid_constant__ MembraneConstants c, const __grid_constant__ View<Real> w)
{
    __shared__ double sums[together][DyadSums::count];
    const std::uint32_t first = blockIdx.x * together;
    if constexpr (ends)
        sum_blocks(w, first, sums);
    const std::uint32_t i = first + threadIdx.x;
    if (threadIdx.x >= together || i >= w.cells)
        return;
    CellState s = w.cell[i];
    s.v = w.v[i];
    Position at = w.position[i];
    CellStep& step = w.step[i];
    MembraneCurrents currents;
    if constexpr (ends) {
        currents = step.membrane;
        step.sums = sums_in(sums[threadIdx.x]);
        step.stimulus = w.timetable->pulse(at.step) ? w.stimulus[i] : 0;
        step.dyads = end_cell(c, s, currents, step.sums, step.stimulus);
        ++at.step;
    }
    if constexpr (begins) {
        const bool forced = w.timetable->forced(at.step);
        w.input[i] = {begin_cell<Real>(c, s, at.step, forced, currents),
                      at,
                      w.number + i,
                      static_cast<std::uint64_t>(at.step),
                      c.p.closed != 0,
                      false};
        step.number = at.step;
        step.forced = forced;
        step.membrane = currents;
        at.place = 1 - at.place;
        at.settled = 0;
    }
    w.cell[i] = s;
    w.v[i] = s.v;
    w.position[i] = at;
}

__global__ void number_kernel(Position* position, std::uint32_t cells, std::int32_t step)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells)
        position[i].step = step;
}

} // namespace

template <class Real>
void enqueue_cells(StreamRef s, const MembraneConstants& c, const View<Real>& w, CellWork work)
{
    const std::int64_t n = (std::int64_t{w.cells} + together - 1) / together * summing_threads;
    switch (work) {
    case CellWork::begin:
        return launch(s, "cells begin", n, summing_threads, cell_kernel<Real, false, true>, c, w);
    case CellWork::end:
        return launch(s, "cells end", n, summing_threads, cell_kernel<Real, true, false>, c, w);
    case CellWork::both:
        return launch(s, "cells", n, summing_threads, cell_kernel<Real, true, true>, c, w);
    }
}
template void enqueue_cells(StreamRef, const MembraneConstants&, const View<double>&, CellWork);
template void enqueue_cells(StreamRef, const MembraneConstants&, const View<float>&, CellWork);

template <class Real>
void enqueue_number(StreamRef s, const View<Real>& w, std::int64_t step)
{
    launch(s, "number", w.cells, summing_threads, number_kernel, w.position, w.cells,
           static_cast<std::int32_t>(step));
}
template void enqueue_number(StreamRef, const View<double>&, std::int64_t);
template void enqueue_number(StreamRef, const View<float>&, std::int64_t);

} // namespace tawara::calcium::cuda
