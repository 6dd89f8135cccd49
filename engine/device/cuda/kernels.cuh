// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel families of the CUDA back end: arguments and host wrappers. Nothing here synchronises.
#pragma once
#include "engine/cell/model.hpp"
#include "engine/cell/tt06_constants.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/runtime.cuh"

namespace tawara::device::cuda {

/// Constants of a single cell type, passed as a kernel parameter: they end up in constant memory.
template <class Real>
struct OneType
{
    Real c[cell::tt06::folded_count];
};

/// @cost memory bound; per row its chunks (16 bytes of values, 4 pack of columns each), x and out
/// once
template <class Real>
void diffuse(StreamRef s, const Pass<Real>& pass, const Moment& m);

/// Launches the reaction, fused with a pass when one is given (then v_in is not used).
/// @param one  constants when reaction.type is null
template <class Real>
void react(StreamRef s, cell::Scheme scheme, const Pass<Real>* pass, const Reaction<Real>& reaction,
           const OneType<Real>& one, const Moment& m);

/// The same for one step inside a long one. rest.at = 0: every slot tries one step of length dt
/// (rush_larsen); those whose potential rises by more than the tolerance, changes by more by diffusion
/// alone, or falls by more than four times as much, take the first short one instead (rush_larsen_light) and are listed. Later ones: the listed
/// slots take a short step; at 1 the others' potential is copied, so that both vectors have it.
template <class Real>
void react_resting(StreamRef s, const Pass<Real>& pass, const Reaction<Real>& reaction,
                   const OneType<Real>& one, const Moment& m, const Rest& rest);

/// to[k-th peer's pointer + offset] = v[from[k]]: stores separators into the halos of other shards.
template <class Real>
struct Peer
{
    Real* to = nullptr;
    const std::int32_t* from = nullptr;
    std::int64_t n = 0;
};
template <class Real>
void send(StreamRef s, const Real* v, const Peer<Real>& peer);

/// status->step += steps, also after a failure: later kernels must see that they are later.
void end_steps(StreamRef s, Status* status, int steps, int long_steps = 0);
/// Makes the earliest failure of `from` (another device's status, readable here) this shard's too.
void share_failure(StreamRef s, Status* mine, const Status* other);

/// stimulus[slot[k]] += value.
template <class Real>
void add_current(StreamRef s, Real* stimulus, const std::int32_t* slot, std::int64_t n, Real value);

/// out[k] = sum of weight * v over the terms [first[k], first[k + 1]).
template <class Real, class Out>
void gather(StreamRef s, const Real* v, const std::int64_t* first, const std::int32_t* slot,
            const float* weight, Out* out, std::int64_t n);

} // namespace tawara::device::cuda
