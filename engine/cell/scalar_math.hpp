// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>

#ifdef __CUDACC__
#define TAWARA_HD __host__ __device__ __forceinline__
#elif defined(_MSC_VER)
#define TAWARA_HD __forceinline
#else
#define TAWARA_HD inline __attribute__((always_inline))
#endif

namespace tawara::cell {

/// Arithmetic of the cell kernels on one number, for the host and for a CUDA thread (see tt06.hpp).
template <class Real>
struct ScalarMath
{
    using N = Real;
    using B = bool;
    using real = Real;
    TAWARA_HD static N c(double x) { return static_cast<Real>(x); }
    TAWARA_HD static N fma(N a, N b, N k) { return std::fma(a, b, k); }
    TAWARA_HD static N fnma(N a, N b, N k) { return std::fma(-a, b, k); }
    TAWARA_HD static N sqrt(N x) { return std::sqrt(x); }
    TAWARA_HD static N exp(N x) { return std::exp(x); }
    TAWARA_HD static N log(N x) { return std::log(x); }
    /// 1 / x; on the device within one unit in the last place, for normal x (one approximation,
    /// three fma).
    TAWARA_HD static N rcp(N x)
    {
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(Real) == 8) {
            double y;
            asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
            const double e = std::fma(-x, y, 1.0);
            return std::fma(y, std::fma(e, e, e), y);
        }
#endif
        return Real(1) / x;
    }
    TAWARA_HD static B less(N a, N b)
    {
        return a < b;
    }
    TAWARA_HD static N select(B b, N yes, N no)
    {
        return b ? yes : no;
    }
    TAWARA_HD static bool all(B b)
    {
        return b;
    }
    TAWARA_HD static bool none(B b)
    {
        return !b;
    }
    /// Single precision: kept where no product of exponentials overflows.
    TAWARA_HD static N within_range(N w)
    {
        if constexpr (sizeof(Real) == 4)
            return w < Real(-130) ? Real(-130) : (w > Real(130) ? Real(130) : w);
        else
            return w;
    }
};

} // namespace tawara::cell
