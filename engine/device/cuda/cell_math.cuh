// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of the cell kernels on a CUDA thread (see engine/cell/tt06.hpp for the concept).
#pragma once
#include "engine/cell/scalar_math.hpp"

namespace tawara::device::cuda {

/// Reciprocals and square roots by the hardware's approximation and Newton steps, good to one or
/// two units in the last place for numbers that are neither subnormal nor beyond 2^1022 (2^126):
/// half of the instructions of the exact ones, and no branch.
template <class Real>
struct CudaMath : cell::ScalarMath<Real>
{
    TAWARA_HD static double rcp(double x)
    {
#ifdef __CUDA_ARCH__
        double r;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
        const double e = fma(-x, r, 1.0); // about 2^-23: 1 / x = r (1 + e + e^2 + ...)
        return fma(r, fma(e, e, e), r);
#else
        return 1 / x;
#endif
    }
    TAWARA_HD static float rcp(float x)
    {
#ifdef __CUDA_ARCH__
        float r;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
        return r;
#else
        return 1 / x;
#endif
    }
    TAWARA_HD static double sqrt(double x)
    {
        return std::sqrt(x);
    }
    TAWARA_HD static float sqrt(float x)
    {
#ifdef __CUDA_ARCH__
        float r;
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
        return r;
#else
        return std::sqrt(x);
#endif
    }
};

} // namespace tawara::device::cuda
