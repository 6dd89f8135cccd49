// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arithmetic of the cell kernels on vectors (see tt06.hpp for what it has to offer). Included once
// per instruction set, inside HWY_BEFORE_NAMESPACE.
#if defined(TAWARA_TESTS_CELL_VECTOR_MATH_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TAWARA_TESTS_CELL_VECTOR_MATH_HPP
#undef TAWARA_TESTS_CELL_VECTOR_MATH_HPP
#else
#define TAWARA_TESTS_CELL_VECTOR_MATH_HPP
#endif

#include "tests/cell/oracle/elementary.hpp"

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tawara::cell {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A vector as a number with operators.
template <class D>
struct Num
{
    hn::Vec<D> v;
};
template <class D>
HWY_INLINE Num<D> operator+(Num<D> a, Num<D> b)
{
    return {hn::Add(a.v, b.v)};
}
template <class D>
HWY_INLINE Num<D> operator-(Num<D> a, Num<D> b)
{
    return {hn::Sub(a.v, b.v)};
}
template <class D>
HWY_INLINE Num<D> operator*(Num<D> a, Num<D> b)
{
    return {hn::Mul(a.v, b.v)};
}

template <class Real>
struct VectorMath
{
    using D = hn::ScalableTag<Real>;
    using N = Num<D>;
    using real = Real;
    using Bits = hn::RebindToUnsigned<D>;
    struct B
    {
        hn::Mask<D> mask;
    };
    static constexpr bool wide = sizeof(Real) == 8;
    static constexpr int mantissa_bits = wide ? 52 : 23;

    static HWY_INLINE N c(double x) { return {hn::Set(D(), static_cast<Real>(x))}; }
    static HWY_INLINE N fma(N a, N b, N k) { return {hn::MulAdd(a.v, b.v, k.v)}; }
    static HWY_INLINE N fnma(N a, N b, N k) { return {hn::NegMulAdd(a.v, b.v, k.v)}; }
    static HWY_INLINE N fma(N a, N b, double k) { return fma(a, b, c(k)); }
    template <class Series, int k>
    static HWY_INLINE N series(N x)
    {
        constexpr double a = Series::at(k);
        if constexpr (k == Series::last)
            return c(a);
        else
            return fma(series<Series, k + 1>(x), x, a);
    }
    static HWY_INLINE N sqrt(N x) { return {hn::Sqrt(x.v)}; }
    static HWY_INLINE N rcp(N x) { return {hn::Div(hn::Set(D(), Real(1)), x.v)}; }
    static HWY_INLINE B less(N a, N b) { return {hn::Lt(a.v, b.v)}; }
    static HWY_INLINE N select(B b, N yes, N no) { return {hn::IfThenElse(b.mask, yes.v, no.v)}; }
    static HWY_INLINE bool all(B b) { return hn::AllTrue(D(), b.mask); }
    static HWY_INLINE bool none(B b) { return hn::AllFalse(D(), b.mask); }
    static HWY_INLINE N within_range(N w)
    {
        if constexpr (wide)
            return w;
        else
            return {hn::Min(hn::Max(w.v, c(-130).v), c(130).v)};
    }

    /// e^x for x < 80: x = n ln 2 + r, e^r = 1 + r + r^2 q(r), q of least relative error (2e-17,
    /// 1e-8). Below the smallest normal number: a number that small.
    static HWY_INLINE N exp(N x)
    {
        constexpr double magic = wide ? 6755399441055744.0 : 12582912.0; // 1.5 2^52, 1.5 2^23
        x = {hn::Max(x.v, c(wide ? -707.0 : -87.0).v)};
        const N shifted = fma(x, c(log2_e), magic);
        const N n = shifted - c(magic);
        const N r = fnma(n, c(ln2_low<wide>), fnma(n, c(ln2_high<wide>), x));
        const N q = fma(fma(series<ExpSeries<wide>, 0>(r), r, 1.0), r, 1.0);
        const auto exponent = hn::ShiftLeft<mantissa_bits>(hn::BitCast(Bits(), shifted.v));
        return {hn::BitCast(D(), hn::Add(hn::BitCast(Bits(), q.v), exponent))};
    }

    /// ln x for normal x > 0: x = 2^e k, k in [sqrt(1/2), sqrt(2)), s = (k - 1) / (k + 1),
    /// ln k = 2 s + s^3 q(s^2).
    static HWY_INLINE N log(N x)
    {
        using U = hwy::MakeUnsigned<Real>;
        constexpr U one = wide ? U(0x3ff0000000000000ull) : U(0x3f800000u);
        constexpr U root = wide ? U(0x3fe6a09e667f3bcdull) : U(0x3f3504f3u);
        constexpr U mantissa = wide ? U(0x000fffffffffffffull) : U(0x007fffffu);
        constexpr U magic = wide ? U(0x4330000000000000ull) : U(0x4b000000u);
        constexpr double magic_value = wide ? 4503599627370496.0 + 1023 : 8388608.0 + 127;
        const Bits u;
        const auto t = hn::Add(hn::BitCast(u, x.v), hn::Set(u, static_cast<U>(one - root)));
        const auto biased = hn::Or(hn::ShiftRight<mantissa_bits>(t), hn::Set(u, magic));
        const N e = N{hn::BitCast(D(), biased)} - c(magic_value);
        const N k{hn::BitCast(D(), hn::Add(hn::And(t, hn::Set(u, mantissa)), hn::Set(u, root)))};
        const N s{hn::Div((k - c(1)).v, (k + c(1)).v)};
        const N z = s * s;
        return fma(e, c(ln_2), fma(s * z, series<LogSeries<wide>, 0>(z), s + s));
    }
};

} // namespace HWY_NAMESPACE
} // namespace tawara::cell
HWY_AFTER_NAMESPACE();

#endif
