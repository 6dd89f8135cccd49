// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arithmetic of the cell kernels on vectors (see tt06.hpp for what it has to offer). Included once
// per instruction set, inside HWY_BEFORE_NAMESPACE.
#if defined(TAWARA_ENGINE_CELL_VECTOR_MATH_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TAWARA_ENGINE_CELL_VECTOR_MATH_HPP
#undef TAWARA_ENGINE_CELL_VECTOR_MATH_HPP
#else
#define TAWARA_ENGINE_CELL_VECTOR_MATH_HPP
#endif

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

    static HWY_INLINE N c(double x) { return {hn::Set(D(), static_cast<Real>(x))}; }
    static HWY_INLINE N fma(N a, N b, N k) { return {hn::MulAdd(a.v, b.v, k.v)}; }
    static HWY_INLINE N fnma(N a, N b, N k) { return {hn::NegMulAdd(a.v, b.v, k.v)}; }
    static HWY_INLINE N fma(N a, N b, double k) { return fma(a, b, c(k)); }
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
        constexpr double ln2_high = wide ? 0.693147180369123816490 : 0.693359375;
        constexpr double ln2_low = wide ? 1.90821492927058770002e-10 : -2.12194440054690583e-4;
        x = {hn::Max(x.v, c(wide ? -707.0 : -87.0).v)};
        const N shifted = fma(x, c(1.44269504088896340736), magic);
        const N n = shifted - c(magic);
        const N r = fnma(n, c(ln2_low), fnma(n, c(ln2_high), x));
        N q;
        if constexpr (wide) {
            q = c(2.5100424157005067e-08);
            q = fma(q, r, 2.7620138719733994e-07);
            q = fma(q, r, 2.7557268378684192e-06);
            q = fma(q, r, 2.480152119021773e-05);
            q = fma(q, r, 0.00019841269863105968);
            q = fma(q, r, 0.0013888888917281794);
            q = fma(q, r, 0.008333333333330051);
            q = fma(q, r, 0.04166666666662399);
            q = fma(q, r, 0.16666666666666669);
            q = fma(q, r, 0.5);
        } else {
            q = c(0.0013926213466332444);
            q = fma(q, r, 0.008363202971575855);
            q = fma(q, r, 0.04166655443768594);
            q = fma(q, r, 0.16666576845993977);
            q = fma(q, r, 0.5);
        }
        q = fma(fma(q, r, 1.0), r, 1.0);
        const auto exponent = hn::ShiftLeft < wide ? 52 : 23 > (hn::BitCast(Bits(), shifted.v));
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
        const auto biased = hn::Or(hn::ShiftRight < wide ? 52 : 23 > (t), hn::Set(u, magic));
        const N e = N{hn::BitCast(D(), biased)} - c(magic_value);
        const N k{hn::BitCast(D(), hn::Add(hn::And(t, hn::Set(u, mantissa)), hn::Set(u, root)))};
        const N s{hn::Div((k - c(1)).v, (k + c(1)).v)};
        const N z = s * s;
        N q;
        if constexpr (wide) {
            q = c(0.146171283998073);
            q = fma(q, z, 0.15331666676597175);
            q = fma(q, z, 0.1818289077802613);
            q = fma(q, z, 0.22222211112104948);
            q = fma(q, z, 0.2857142862611452);
            q = fma(q, z, 0.399999999998992);
            q = fma(q, z, 0.666666666666667);
        } else {
            q = c(0.29580467653794346);
            q = fma(q, z, 0.39988769144320513);
            q = fma(q, z, 0.6666668506748816);
        }
        return fma(e, c(0.69314718055994530942), fma(s * z, q, s + s));
    }
};

} // namespace HWY_NAMESPACE
} // namespace tawara::cell
HWY_AFTER_NAMESPACE();

#endif
