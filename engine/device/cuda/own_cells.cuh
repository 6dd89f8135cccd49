// SPDX-License-Identifier: GPL-3.0-or-later
// For reactions with kernels of their own (device_reaction.cuh): a kernel with a thread an unknown,
// which does all but the step itself. Include it in .cu files alone.
#pragma once
#include "engine/device/cuda/cell_record.cuh"
#include "engine/device/cuda/device_reaction.cuh"
#include "engine/device/cuda/rows.cuh"

namespace tawara::device::cuda {

/// An unknown and its states, in device code.
template <class Real>
struct OwnCell
{
    Real v = 0;                ///< before the step; what it is afterwards is kept [mV]
    Real stimulus = 0;         ///< [pA/pF]
    int type = 0;              ///< row of the group's types
    std::int64_t unknown = -1; ///< its number in the whole tissue; -1 unless the reaction needs it
    Real* states = nullptr;

    /// Number k of its states, counted over the reaction's arrays.
    __device__ Real& number(int k) const { return states[k * 32]; }
};

template <bool with_pass, class Real, class Body>
__global__ void own_cells_kernel(const __grid_constant__ Pass<Real> pass,
                                 const __grid_constant__ Reaction<Real> r,
                                 const __grid_constant__ Moment m, const std::int64_t* unknown,
                                 cell::ReactionStep step, const __grid_constant__ Body body)
{
    const std::int64_t at =
        m.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= m.end || !alive(m))
        return;
    const int slot = static_cast<int>(at);
    step.step = m.status->step + m.offset;
    step.t_ms += static_cast<double>(step.step) * m.dt_ms;
    OwnCell<Real> c;
    if constexpr (with_pass)
        c.v = passed(pass, slot);
    else
        c.v = r.v_in[slot];
    c.stimulus = stimulus_of(r, slot);
    c.type = r.type[slot];
    c.unknown = unknown ? unknown[slot] : -1;
    c.states = r.states + (slot >> 5) * r.slots + (slot & 31);
    body(c, step);
    r.v_out[slot] = c.v;
}

/// Enqueues a step of DeviceReaction::launch(): body(cell, step) for each unknown, on the device,
/// with OwnCell<Real>& and cell::ReactionStep.
/// @param body  trivially copyable; what it points to lies on the stream's device
/// @cost  2 r (numbers of an unknown + 1) bytes an unknown (r bytes a number) and 2 of its type, 8
///        of its number if asked for; with a pass, those of the pass
template <class Real, class Body>
void step_own_cells(StreamRef s, const char* name, const ReactionLaunch<Real>& l, const Body& body)
{
    constexpr int block = 128;
    const auto n = l.moment.end - l.moment.begin;
    const cell::ReactionStep step{0, static_cast<int>(l.moment.part), l.after_ms, l.dt_ms};
    if (l.pass)
        launch(s, name, n, block, own_cells_kernel<true, Real, Body>, *l.pass, l.cells, l.moment,
               l.unknown, step, body);
    else
        launch(s, name, n, block, own_cells_kernel<false, Real, Body>, Pass<Real>{}, l.cells,
               l.moment, l.unknown, step, body);
}

} // namespace tawara::device::cuda
