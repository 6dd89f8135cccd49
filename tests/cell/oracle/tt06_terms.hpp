// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the equations of ten Tusscher & Panfilov 2006 are put together from: short polynomials for
// what is left of exponentials, their shared powers, and the terms with formulas of their own.
// Included, and included again, as tt06.hpp says.
#if defined(TAWARA_TESTS_CELL_TT06_TERMS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TAWARA_TESTS_CELL_TT06_TERMS_HPP
#undef TAWARA_TESTS_CELL_TT06_TERMS_HPP
#else
#define TAWARA_TESTS_CELL_TT06_TERMS_HPP
#endif

#include "tests/cell/oracle/scalar_math.hpp"
#include "tests/cell/oracle/tt06_constants.hpp"

#include <type_traits>

#ifndef TAWARA_CELL_TARGET
#define TAWARA_CELL_TARGET generic
#endif

namespace tawara::cell::tt06 {
namespace TAWARA_CELL_TARGET {

/// @tparam diagonal  also compute the derivatives of currents by V
template <class M, bool diagonal>
struct Terms
{
    using N = typename M::N;
    using Real = typename M::real;
    static constexpr double frt = F_C_per_mmol / (R_mJ_per_mol_K * T_K); // [1/mV]
    static constexpr double rtf = 1 / frt;                               // [mV]

    template <class T>
    TAWARA_INLINE static N number(T x)
    {
        if constexpr (std::is_same_v<T, N>)
            return x;
        else
            return M::c(static_cast<double>(x));
    }
    /// a b + k; each a number or a constant
    template <class A, class K>
    TAWARA_INLINE static N fma(A a, N b, K k)
    {
        return M::fma(number(a), b, number(k));
    }
    TAWARA_INLINE static N plus(N a, double b) { return a + M::c(b); }
    TAWARA_INLINE static N times(double a, N b) { return M::c(a) * b; }

    /// Degree that makes exp(x), |x| <= range, exact to the number type.
    TAWARA_INLINE static constexpr int degree(double range)
    {
        const double wanted = sizeof(Real) == 8 ? 2e-15 : 3e-8;
        double term = 1;
        for (int n = 0;; ++n) {
            term *= range / (n + 1);
            if (term < wanted)
                return n;
        }
    }
    TAWARA_INLINE static constexpr double coefficient(double rate, int n)
    {
        double c = 1;
        for (int k = 1; k <= n; ++k)
            c *= rate / k;
        return c;
    }
    TAWARA_INLINE static constexpr double magnitude(double x) { return x < 0 ? -x : x; }
    template <class Rate, int K, int n, int last>
    TAWARA_INLINE static N taylor(N w)
    {
        constexpr double c = coefficient(Rate::value() - K / 1800.0, n);
        if constexpr (n == last)
            return M::c(c);
        else
            return fma(taylor<Rate, K, n + 1, last>(w), w, M::c(c));
    }
    /// exp((Rate - K / 1800) x) for |x| <= 105 or, with half = true, <= 52 [mV]
    template <class Rate, int K, bool half = false>
    TAWARA_INLINE static N rest(N x)
    {
        constexpr int n = degree(magnitude(Rate::value() - K / 1800.0) * (half ? 52 : 105));
        return taylor<Rate, K, 0, n>(x);
    }
    template <long long Num, long long Den>
    struct Rate
    {
        TAWARA_INLINE static constexpr double value()
        {
            return static_cast<double>(Num) / static_cast<double>(Den);
        }
    };
    struct NernstRate // exp(w F / (20 R T))
    {
        TAWARA_INLINE static constexpr double value() { return 0.05 * frt; }
    };

    /// (exp(J dt) - 1) / J for any J
    TAWARA_INLINE static N growth(N J, N dt)
    {
        const N x = J * dt;
        N series = M::c(1.0 / 40320);
        series = fma(series, x, 1.0 / 5040);
        series = fma(series, x, 1.0 / 720);
        series = fma(series, x, 1.0 / 120);
        series = fma(series, x, 1.0 / 24);
        series = fma(series, x, 1.0 / 6);
        series = fma(series, x, 0.5);
        series = fma(series, x, 1.0);
        const auto small = M::less(x * x, M::c(0.01));
        const N quotient = (M::exp(x) - M::c(1)) * M::rcp(M::select(small, M::c(1), x));
        return dt * M::select(small, series, quotient);
    }

    /// y^k, y = exp(w / 1800), k in the names.
    struct Powers
    {
        N y1, y2, y3, y6, y9, y15, y18, y30, y60, y75, y90, y120, y150, y180, y240, y300, y360;
    };
    TAWARA_INLINE static Powers powers(N w)
    {
        Powers p;
        p.y1 = rest<Rate<1, 1800>, 0>(w);
        p.y2 = p.y1 * p.y1;
        p.y3 = p.y2 * p.y1;
        p.y6 = p.y3 * p.y3;
        p.y9 = p.y6 * p.y3;
        p.y15 = p.y9 * p.y6;
        p.y18 = p.y9 * p.y9;
        p.y30 = p.y15 * p.y15;
        p.y60 = p.y30 * p.y30;
        p.y75 = p.y60 * p.y15;
        p.y90 = p.y60 * p.y30;
        p.y120 = p.y60 * p.y60;
        p.y150 = p.y90 * p.y60;
        p.y180 = p.y90 * p.y90;
        p.y240 = p.y120 * p.y120;
        p.y300 = p.y150 * p.y150;
        p.y360 = p.y180 * p.y180;
        return p;
    }

    /// 1 / tau = n / D of the h and j gates.
    struct Inactivation
    {
        N nh, Dh, nj, Dj;
    };
    TAWARA_INLINE static Inactivation below_minus_40(N v, N w, const Powers& p)
    {
        const N x = plus(w, 60); // V + 80: small where this branch is used
        // exp(q (w - 20) + a) = y^K e^(q (-20) + a - 60 (q - K/1800)) exp((q - K/1800) x)
        const N A = rest<Rate<10, 68>, 264, true>(x) * (p.y240 * p.y18 * p.y6);
        const N B1 = rest<Rate<79, 1000>, 141, true>(x) * (p.y120 * p.y15 * p.y6);
        const N B2 = rest<Rate<3485, 10000>, 627, true>(x) * (p.y360 * p.y240) * (p.y18 * p.y9);
        const N B = rest<Rate<28831, 100000>, 519, true>(x) * (p.y360 * p.y150 * p.y9);
        const N C = rest<Rate<4391, 100000>, 79, true>(x) * (p.y75 * p.y3 * p.y1);
        const N D = rest<Rate<311, 1000>, 558, true>(x) * (p.y360 * p.y180 * p.y18);
        const N E = rest<Rate<1052, 100000>, 19, true>(x) * (p.y18 * p.y1);
        const N F = rest<Rate<1378, 10000>, 248, true>(x) * (p.y240 * p.y6 * p.y2);
        constexpr double kA = factor(10 / 68.0, 264, 0);
        constexpr double c1 = 0.057 * const_exp(-80 / 6.8);
        constexpr double c2 = 2.7 * factor(0.079, 141, 0) * kA;
        constexpr double c3 = 310000 * factor(0.3485, 627, 0) * kA;
        constexpr double cB = 25428 * factor(0.28831, 519, 0);
        constexpr double kC = factor(0.04391, 79, 0);
        constexpr double kD = factor(0.311, 558, 0.311 * 79.23);
        constexpr double kE = factor(0.01052, 19, 0);
        constexpr double kF = factor(0.1378, 248, 0);
        constexpr double cF = const_exp(-0.1378 * 40.14);
        Inactivation r;
        r.nh = fma(A, fma(c2, B1, times(c3, B2)), c1);
        r.Dh = times(kA, A);
        const N CD = times(kC, C) * fma(kD, D, 1);
        const N EF = times(kE, E) * fma(kF, F, cF);
        const N aj = fma(cB, B, 6.948e-6) * plus(v, 37.78);
        r.nj = M::fnma(aj, EF, times(0.02424 * kF, F) * CD);
        r.Dj = CD * EF;
        return r;
    }
    TAWARA_INLINE static constexpr double factor(double q, int k, double a)
    {
        return const_exp(-20 * q + a - 60 * (q - k / 1800.0));
    }
    TAWARA_INLINE static Inactivation above_minus_40(N w, const Powers& p)
    {
        constexpr double k111 = const_exp(9.34 / 11.1), k10 = const_exp(-1.2),
                         kj = 0.6 * const_exp(-1.14);
        const N E111 = rest<Rate<10, 111>, 162>(w) * (p.y150 * p.y9 * p.y3);
        const N E057 = rest<Rate<57, 1000>, 102>(w) * (p.y90 * p.y9 * p.y3);
        Inactivation r;
        r.nh = times(0.77 / 0.13, E111);
        r.Dh = plus(E111, k111);
        r.nj = times(kj, E057) * p.y180;
        r.Dj = plus(p.y180, k10);
        return r;
    }

    /// A current and its derivative by V (the latter is only used, and only computed, by grl1).
    struct Current
    {
        N i, dV;
    };

    /// Inward rectifier, u = V - E_K, in q = exp(-u / 50):
    ///     x = 0.1 q^8 (1 + q^25) / (0.1 q^8 (1 + q^25) + (B q^5 + e^-1) (q^3 + e^-12)),
    ///     B = 3 exp(0.0002 u + 0.02)
    TAWARA_INLINE static Current inward_rectifier(N u, N g)
    {
        constexpr double e1 = const_exp(-1), e12 = const_exp(-12), b = 3 * const_exp(0.02);
        const N q = M::exp(times(-0.02, u));
        const N q2 = q * q, q3 = q2 * q, q5 = q3 * q2, q8 = q5 * q3;
        const N q16 = q8 * q8, q33 = q16 * q16 * q;
        struct Slow
        {
            TAWARA_INLINE static constexpr double value() { return 0.0002; }
        };
        const N B = times(b, taylor < Slow, 0, 0, sizeof(Real) == 8 ? 6 : 3 > (u));
        const N left = fma(B, q5, e1), right = plus(q3, e12);
        const N top = times(0.1, q8 + q33);
        const N bottom = fma(left, right, top);
        const N inverse = M::rcp(bottom);
        const N x = top * inverse;
        Current k{g * x * u, u};
        if constexpr (diagonal) {
            const N dtop = times(-0.016, q8) - times(0.066, q33);
            const N dleft = times(0.0002 - 0.1, B * q5);
            const N dbottom = fma(dleft, right, fma(left, times(-0.06, q3), dtop));
            k.dV = g * fma(u * inverse, M::fnma(x, dbottom, dtop), x);
        }
        return k;
    }

    struct Driving
    {
        N i, phi, dV;
    };
    /// L-type calcium current without its gates: phi(z) (Ca_ss e^z / 4 - Ca_o), phi(z) = z / (e^z -
    /// 1), z = 2 (V - 15) F / RT; near z = 0 by its series. e = exp(z)
    TAWARA_INLINE static Driving calcium_driving(N z, N e, N ss, N outer)
    {
        const N z2 = z * z;
        N series = M::c(-1.0 / 1209600);
        series = fma(series, z2, 1.0 / 30240);
        series = fma(series, z2, -1.0 / 720);
        series = fma(series, z2, 1.0 / 12);
        series = fma(series, z2, fma(-0.5, z, 1));
        const auto near = M::less(z2, M::c(sizeof(Real) == 8 ? 0.04 : 0.8));
        const N inverse = M::rcp(M::select(near, M::c(1), plus(e, -1)));
        const N phi = M::select(near, series, z * inverse);
        const N drive = fma(times(0.25, ss), e, M::c(0) - outer);
        Driving k{phi * drive, phi, z};
        if constexpr (diagonal) {
            // phi' = (1 - phi e) / (e - 1)
            N slope = M::c(1.0 / 30240 * 6);
            slope = fma(slope, z2, -4.0 / 720);
            slope = fma(slope, z2, 2.0 / 12);
            slope = fma(slope, z, -0.5);
            const N dphi = M::select(near, slope, M::fnma(phi, e, M::c(1)) * inverse);
            k.dV = times(2 * frt, fma(dphi, drive, phi * times(0.25, ss) * e));
        }
        return k;
    }
};

} // namespace TAWARA_CELL_TARGET
} // namespace tawara::cell::tt06

#endif
