// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel families of the CUDA back end: arguments and host wrappers. Nothing here synchronises.
#pragma once
#include "engine/cell/model.hpp"
#include "engine/cell/tt06_constants.hpp"
#include "engine/device/cuda/runtime.cuh"

namespace tawara::device::cuda {

inline constexpr unsigned long long no_failure = ~0ULL;

/// What a shard knows of the run, in its device's memory.
struct Status
{
    long long step = 0; ///< steps done before the graph that runs now
    unsigned long long bad =
        no_failure; ///< (step << 32 | slot) of the first value that is not finite
};

/// Off-diagonals of a shard's rows; see Shard for the layout.
template <class Real>
struct Matrix
{
    const std::uint32_t* chunk = nullptr;
    const std::int32_t* column = nullptr;
    const Real* value = nullptr;
};

/// One explicit pass over the slots [begin, end), multiples of 32:
///     out_i = c_x x_i + c_y y_i + c_0 y0_i + c_l l0_i + tau sum_k a_ik (x_k - x_i)
/// Null pointers stand for terms that are not there. With l_out the bare sum is kept there too.
template <class Real>
struct Pass
{
    Matrix<Real> a;
    const Real *x = nullptr, *y = nullptr, *y0 = nullptr, *l0 = nullptr;
    Real *out = nullptr, *l_out = nullptr;
    Real c_x = 1, c_y = 0, c_0 = 0, c_l = 0, tau = 0;
};

/// Activation maps. `track` is the least potential before activation and the peak after it.
template <class Real>
struct Record
{
    std::uint8_t* phase =
        nullptr; ///< 0 before activation, 1 activated, 2 repolarised, 3 no unknown
    Real *track = nullptr, *rest = nullptr;
    double *activation_ms = nullptr, *repolarisation_ms = nullptr;
    double threshold_mV = 0;
};

/// Reaction of the slots [begin, end) of one cell group: TT06.
/// States other than V are stored in chunks of 16 bytes: chunk c holds states w c .. w c + w - 1
/// (from the state after V, w = 16 / sizeof(Real)) of every slot, [slot][w]; the last chunk may be
/// narrower.
template <class Real>
struct Reaction
{
    const Real* v_in = nullptr; ///< not used when fused with a pass
    Real* v_out = nullptr;
    const Real* v_before =
        nullptr; ///< potential at the step's start, for the record; null: no record
    Real* states = nullptr;
    std::int64_t slots = 0;             ///< of the shard: the stride of the chunks
    const std::uint8_t* type = nullptr; ///< null: one type
    const Real* tables = nullptr;       ///< [types][folded_count] in device memory
    const Real* stimulus = nullptr;     ///< [slots] pA/pF, or null
    Real dt = 0;                        ///< of this reaction
    Record<Real> record;
};

/// Constants of a single cell type, passed as a kernel parameter: they end up in constant memory.
template <class Real>
struct OneType
{
    Real c[cell::tt06::folded_count];
};

/// What every kernel of a step is told of its place in the run.
struct Moment
{
    Status* status = nullptr;
    int offset = 0;   ///< steps after status->step
    double dt_ms = 0; ///< of a whole step
    std::int64_t begin = 0, end = 0;
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
void end_steps(StreamRef s, Status* status, int steps);
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
