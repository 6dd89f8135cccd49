// SPDX-License-Identifier: GPL-3.0-or-later
// cuSPARSE's solvers of many tridiagonal systems, found in the library while the program runs.
#pragma once
#include <cstddef>
#include <string>

namespace tawara::cable::cuda {

/// Statuses are 0 where all is well; streams and handles are pointers.
struct TridiagonalPeer
{
    using Handle = void*;
    template <class Real>
    struct Routines
    {
        /// gtsv2StridedBatch: system after system
        int (*strided_room)(Handle, int nodes, const Real* lower, const Real* diagonal,
                            const Real* upper, const Real* x, int systems, int stride,
                            std::size_t* bytes) = nullptr;
        int (*strided)(Handle, int nodes, const Real* lower, const Real* diagonal,
                       const Real* upper, Real* x, int systems, int stride, void* room) = nullptr;
        /// gtsvInterleavedBatch, by Thomas' algorithm (0): first rows of all systems, second ones
        /// ...
        int (*interleaved_room)(Handle, int algorithm, int nodes, const Real* lower,
                                const Real* diagonal, const Real* upper, const Real* x, int systems,
                                std::size_t* bytes) = nullptr;
        int (*interleaved)(Handle, int algorithm, int nodes, Real* lower, Real* diagonal,
                           Real* upper, Real* x, int systems, void* room) = nullptr;
    };
    int (*create)(Handle*) = nullptr;
    int (*destroy)(Handle) = nullptr;
    int (*set_stream)(Handle, void*) = nullptr;
    Routines<double> of_double;
    Routines<float> of_single;
    std::string reason; ///< why it cannot be used; empty where it can

    template <class Real>
    const Routines<Real>& of() const
    {
        if constexpr (sizeof(Real) == 8)
            return of_double;
        else
            return of_single;
    }
    /// Opens libcusparse.so.12 by the system's search path, once.
    static const TridiagonalPeer& get();
};

} // namespace tawara::cable::cuda
