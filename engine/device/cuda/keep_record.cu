// SPDX-License-Identifier: GPL-3.0-or-later
// The record of activation and the verdict on V, where a reaction's own kernels do not keep them.
// Reads V before and after the step, 1 byte of the record's phase a slot, and the track until the
// record is complete.
#include "engine/device/cuda/cell_record.cuh"
#include "engine/device/cuda/kernels.cuh"
#include "engine/device/cuda/rows.cuh"

namespace tawara::device::cuda {
namespace {

constexpr int record_block = 256;

template <class Real>
struct Divided
{
    __device__ static Real reciprocal(Real x) { return Real(1) / x; }
};

template <class Real>
__global__ void record_kernel(const __grid_constant__ Reaction<Real> r,
                              const __grid_constant__ Moment m)
{
    const std::int64_t at =
        m.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= m.end || !alive(m))
        return;
    const int slot = static_cast<int>(at);
    const long long step = m.status->step + m.offset;
    const Real v = r.v_out[slot];
    verdict(m, step, slot, v);
    const int phase = r.record.phase[slot];
    look<Divided<Real>>(
        r.record, slot, phase, phase < 2 ? r.record.track[slot] : Real(0),
        [&] { return r.v_before[slot]; }, v, static_cast<double>(step) * m.dt_ms, m.dt_ms);
}

} // namespace

template <class Real>
void keep_record(StreamRef s, const Reaction<Real>& r, const Moment& m)
{
    launch(s, "record", m.end - m.begin, record_block, record_kernel<Real>, r, m);
}
template void keep_record(StreamRef, const Reaction<double>&, const Moment&);
template void keep_record(StreamRef, const Reaction<float>&, const Moment&);

} // namespace tawara::device::cuda
