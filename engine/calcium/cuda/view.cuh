// SPDX-License-Identifier: GPL-3.0-or-later
// How kernels find a cell's dyads.
#pragma once
#include "engine/calcium/cuda/kernels.cuh"

namespace tawara::calcium::cuda {

/// The arrays of a cell's dyads.
template <class Real>
__device__ DyadArrays<Real> arrays_of(const View<Real>& w, std::uint32_t cell)
{
    const std::size_t by = cell * w.bytes;
    const auto moved = [&]<class T>(T* p) {
        return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(p) + by);
    };
    const auto& a = w.first;
    return {moved(a.c_myo),  moved(a.c_ss),  moved(a.c_d),   moved(a.n_ca),
            moved(a.camk_t), moved(a.c_nsr), moved(a.c_jsr), moved(a.activated),
            moved(a.C1),     moved(a.O1),    moved(a.C2),    moved(a.C3)};
}

/// What diffuses, in one of its two places.
template <class Real>
struct Fields
{
    Real *myo, *ss;
    double* nsr;
};
template <class Real>
__device__ Fields<Real> fields_of(const View<Real>& w, const DyadArrays<Real>& a,
                                  std::uint32_t cell, std::int32_t place)
{
    if (place == 0)
        return {a.c_myo, a.c_ss, a.c_nsr};
    const std::size_t by = cell * w.room;
    return {w.beside_myo + by, w.beside_ss + by, w.beside_nsr + by};
}

} // namespace tawara::calcium::cuda
