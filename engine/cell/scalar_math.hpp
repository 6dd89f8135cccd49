// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace tawara::cell {

/// Arithmetic of the cell kernels on one number, for the host and for a CUDA thread (see tt06.hpp).
/// In double precision exp and log have no branches (17 and 14 operations), are within 2 units in
/// the last place, and take -707 <= x < 700 (below: the smallest value) and normal x > 0.
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
    TAWARA_HD static N exp(N x)
    {
        if constexpr (sizeof(Real) == 4) {
            return std::exp(x);
        } else {
            constexpr double magic = 6755399441055744.0; // 1.5 2^52
            x = x < -707.0 ? -707.0 : x;
            const double shifted = fma(x, log2_e, magic), n = shifted - magic;
            const double r = fnma(n, ln2_low<true>, fnma(n, ln2_high<true>, x));
            const double q = fma(fma(series<ExpSeries<true>, 0>(r), r, 1.0), r, 1.0);
            return number(bits(q) + (bits(shifted) << 52));
        }
    }
    TAWARA_HD static N log(N x)
    {
        if constexpr (sizeof(Real) == 4) {
            return std::log(x);
        } else {
            constexpr std::uint64_t one = 0x3ff0000000000000ull,
                                    root = 0x3fe6a09e00000000ull; // about sqrt(1/2)
            const std::uint64_t t = bits(x) + (one - root);
            const double e =
                number((t >> 52) | 0x4330000000000000ull) - (4503599627370496.0 + 1023);
            const double k = number((t & 0x000fffffffffffffull) + root);
            const double s = (k - 1.0) * rcp(k + 1.0), z = s * s;
            return fma(e, ln_2, fma(s * z, series<LogSeries<true>, 0>(z), s + s));
        }
    }
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

  private:
    template <class Series, int k>
    TAWARA_HD static N series(N x)
    {
        constexpr double a = Series::at(k);
        if constexpr (k == Series::last)
            return c(a);
        else
            return fma(series<Series, k + 1>(x), x, c(a));
    }
    TAWARA_HD static std::uint64_t bits(double x)
    {
#ifdef __CUDA_ARCH__
        return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
        return std::bit_cast<std::uint64_t>(x);
#endif
    }
    TAWARA_HD static double number(std::uint64_t x)
    {
#ifdef __CUDA_ARCH__
        return __longlong_as_double(static_cast<long long>(x));
#else
        return std::bit_cast<double>(x);
#endif
    }
};

} // namespace tawara::cell
