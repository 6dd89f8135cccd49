// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of all reactions do with a slot beside its cell's own step. NVRTC compiles this
// text, too.
#pragma once
#include "engine/device/cuda/kernel_values.cuh"

namespace tawara::device::cuda {

/// Whether a slot of the slot's slice has a stimulus. That of others is not read.
template <class Real>
__device__ __forceinline__ bool may_have_stimulus(const Reaction<Real>& p, int slot)
{
    return p.stimulus && (!p.driven || p.driven[slot >> 5]);
}
/// What stimulates a slot [pA/pF].
template <class Real>
__device__ __forceinline__ Real stimulus_of(const Reaction<Real>& p, int slot)
{
    return may_have_stimulus(p, slot) ? p.stimulus[slot] : Real(0);
}

/// Looks at the step from a to b of one slot (the CPU back end's ActivationRecord does the same).
/// Before activation `track` is the least potential so far, b's included; a is asked for at the two
/// steps alone that cross a level.
/// @tparam Math  has reciprocal()
template <class Math, class Real, class Before>
__device__ __forceinline__ void look(const Record<Real>& r, int slot, int phase, Real track,
                                     Before a, Real b, double t_ms, double dt_ms)
{
    if (phase >= 2)
        return;
    const auto crossing = [&](Real level, Real from) {
        return t_ms + dt_ms * static_cast<double>((level - from) * Math::reciprocal(b - from));
    };
    if (phase == 0) {
        const auto threshold = static_cast<Real>(r.threshold_mV);
        if (b >= threshold) {
            const Real from = a();
            if (from < threshold) {
                r.activation_ms[slot] = crossing(threshold, from);
                r.rest[slot] = track;
                r.track[slot] = b;
                r.phase[slot] = 1;
            }
        } else if (b < track) {
            r.track[slot] = b;
        }
        return;
    }
    const Real peak = max(track, b);
    if (peak > track)
        r.track[slot] = peak;
    const Real level = peak - Real(0.9) * (peak - r.rest[slot]);
    if (b < level) {
        const Real from = a();
        if (from >= level) {
            r.repolarisation_ms[slot] = crossing(level, from);
            r.phase[slot] = 2;
        }
    }
}

/// Notes the first value that no membrane reaches; of a Strang step the first half goes first.
template <class Real>
__device__ __forceinline__ void verdict(const Moment& m, long long step, int slot, Real v)
{
    if (!(v > Real(-1000) && v < Real(1000)))
        atomicMin(&m.status->bad, static_cast<unsigned long long>(step) << 32 |
                                      (m.part << 31 | static_cast<unsigned>(slot)));
}

} // namespace tawara::device::cuda
