// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel families of the CUDA back end: arguments and host wrappers. Nothing here synchronises.
#pragma once
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/runtime.cuh"

namespace tawara::device::cuda {

/// @cost memory bound; per row its chunks (16 bytes of values, 4 pack of columns each), x and out
/// once
template <class Real, class Stored>
void diffuse(StreamRef s, const Pass<Real, Stored>& pass, const Moment& m);

/// Looks at a step of the slots [m.begin, m.end) from r.v_before to r.v_out, for the record and the
/// verdict.
/// @cost 2 numbers of V a slot, 1 byte of the record's phase, and its track until it is complete
template <class Real>
void keep_record(StreamRef s, const Reaction<Real>& r, const Moment& m);

/// What a shard stores into the halos of up to `most` others: to[p][k - first[p]] = v[from[k]] for
/// k in [first[p], first[p + 1]).
template <class Real>
struct Peers
{
    static constexpr int most = 8;
    Real* to[most] = {};
    std::int32_t first[most + 1] = {};
    int count = 0;
    const std::int32_t* from = nullptr;
};
template <class Real>
void send(StreamRef s, const Real* v, const Peers<Real>& peers);

/// status->step += steps, also after a failure: later kernels must see that they are later.
void end_steps(StreamRef s, Status* status, int steps, int long_steps = 0);
/// Makes the earliest failure of `from` (another device's status, readable here) this shard's too.
void share_failure(StreamRef s, Status* mine, const Status* other);

/// Keeps a stream for some 20 us: as long as a host needs to enqueue a launch and two events.
void hold(StreamRef s);

/// stimulus[slot[k]] += value; the slots' bits in `driven` are set.
template <class Real>
void add_current(StreamRef s, Real* stimulus, std::uint32_t* driven, const std::int32_t* slot,
                 std::int64_t n, Real value);

/// out[k] = sum of weight * v over the terms [first[k], first[k + 1]).
template <class Real, class Out>
void gather(StreamRef s, const Real* v, const std::int64_t* first, const std::int32_t* slot,
            const float* weight, Out* out, std::int64_t n);

} // namespace tawara::device::cuda
