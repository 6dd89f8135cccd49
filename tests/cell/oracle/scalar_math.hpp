// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/cell/oracle/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace tawara::cell {

/// Arithmetic of the oracle's kernels on one number (see tt06.hpp).
/// In double precision exp and log have no branches (17 and 14 operations), are within 2 units in
/// the last place, and take -707 <= x < 700 (below: the smallest value) and normal x > 0.
template <class Real>
struct ScalarMath
{
    using N = Real;
    using B = bool;
    using real = Real;
    TAWARA_INLINE static N c(double x) { return static_cast<Real>(x); }
    TAWARA_INLINE static N fma(N a, N b, N k) { return std::fma(a, b, k); }
    TAWARA_INLINE static N fnma(N a, N b, N k) { return std::fma(-a, b, k); }
    TAWARA_INLINE static N sqrt(N x) { return std::sqrt(x); }
    TAWARA_INLINE static N exp(N x)
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
    TAWARA_INLINE static N log(N x)
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
    TAWARA_INLINE static N rcp(N x) { return Real(1) / x; }
    TAWARA_INLINE static B less(N a, N b) { return a < b; }
    TAWARA_INLINE static N select(B b, N yes, N no) { return b ? yes : no; }
    TAWARA_INLINE static bool all(B b) { return b; }
    TAWARA_INLINE static bool none(B b) { return !b; }
    /// Single precision: kept where no product of exponentials overflows.
    TAWARA_INLINE static N within_range(N w)
    {
        if constexpr (sizeof(Real) == 4)
            return w < Real(-130) ? Real(-130) : (w > Real(130) ? Real(130) : w);
        else
            return w;
    }

  private:
    template <class Series, int k>
    TAWARA_INLINE static N series(N x)
    {
        constexpr double a = Series::at(k);
        if constexpr (k == Series::last)
            return c(a);
        else
            return fma(series<Series, k + 1>(x), x, c(a));
    }
    TAWARA_INLINE static std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
    TAWARA_INLINE static double number(std::uint64_t x) { return std::bit_cast<double>(x); }
};

} // namespace tawara::cell
