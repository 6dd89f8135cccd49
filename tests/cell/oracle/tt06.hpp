// SPDX-License-Identifier: GPL-3.0-or-later
//
// One step of ten Tusscher & Panfilov 2006 by hand, written once for scalars and vectors: what the
// compiled model is compared with.
//
// The text is included once per instruction set by a translation unit that compiles for several
// (namespace TAWARA_CELL_TARGET, guard toggled as Highway's own -inl.hpp files do), and once by
// others.
//
// Arithmetic is a class M (ScalarMath below is one):
//     N, real               number type, and the type of one lane
//     c(double) -> N        constant             fma(a, b, k) = a b + k       fnma(a, b, k) = k - a
//     b rcp, sqrt, exp, log   (exp may assume x < 80) less(a, b) -> B, select(B, a, b), any(B),
//     none(B) true when no lane of B holds
// Io brings a cell's numbers: load(State), store(State, N), stimulus(), constant(Folded) -> N.
//
// With w = V + 20 mV every exp(V / b) is y^k exp(small w), y = exp(w / 1800): the powers are
// shared, the small remainder is a short polynomial whose coefficients are compile-time constants.
// Each gate is kept as
//     x_inf = Q / D1,   1 / tau = N / D2        so that one reciprocal, of D1 D2, serves both.
#if defined(TAWARA_TESTS_CELL_TT06_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TAWARA_TESTS_CELL_TT06_HPP
#undef TAWARA_TESTS_CELL_TT06_HPP
#else
#define TAWARA_TESTS_CELL_TT06_HPP
#endif

#include "tests/cell/oracle/tt06_terms.hpp"

#ifndef TAWARA_CELL_TARGET
#define TAWARA_CELL_TARGET generic
#endif

namespace tawara::cell::tt06 {
namespace TAWARA_CELL_TARGET {

/// What becomes of a state in one step.
enum class Mode { forward_euler, rush_larsen, rush_larsen_light, grl1, derivative };

template <class M, Mode mode>
struct Step : private Terms<M, mode == Mode::grl1>
{
    static constexpr bool diagonal = mode == Mode::grl1;
    using Base = Terms<M, diagonal>;
    using N = typename M::N;
    using Powers = typename Base::Powers;
    using Current = typename Base::Current;
    using Driving = typename Base::Driving;
    using Inactivation = typename Base::Inactivation;
    using NernstRate = typename Base::NernstRate;
    template <long long Num, long long Den>
    using Rate = typename Base::template Rate<Num, Den>;
    using Base::above_minus_40;
    using Base::below_minus_40;
    using Base::calcium_driving;
    using Base::fma;
    using Base::frt;
    using Base::growth;
    using Base::inward_rectifier;
    using Base::plus;
    using Base::powers;
    using Base::rtf;
    using Base::times;
    template <class R, int K>
    TAWARA_INLINE static N rest(N x)
    {
        return Base::template rest<R, K>(x);
    }

    /// A gate with x_inf = Q / D1 and 1 / tau = n / D2.
    template <bool stiff = false, class Io>
    TAWARA_INLINE static void gate(Io& io, State s, N x, N dt, N Q, N D1, N n, N D2)
    {
        const N inverse = M::rcp(D1 * D2);
        if constexpr (mode == Mode::derivative) {
            io.store(s, M::fnma(D1, x, Q) * (n * inverse));
        } else if constexpr (mode == Mode::rush_larsen || mode == Mode::grl1 ||
                             (mode == Mode::rush_larsen_light && stiff)) {
            const N inf = Q * D2 * inverse;
            const N decay = M::exp((M::c(0) - dt) * (n * D1) * inverse);
            io.store(s, fma(x - inf, decay, inf));
        } else {
            io.store(s, fma(M::fnma(D1, x, Q), n * inverse * dt, x));
        }
    }
    /// Any other state with dx/dt = f and df/dx = J (J is used by grl1 alone).
    template <class Io>
    TAWARA_INLINE static void other(Io& io, State s, N x, N dt, N f, N J)
    {
        if constexpr (mode == Mode::derivative)
            io.store(s, f);
        else if constexpr (diagonal)
            io.store(s, fma(f, growth(J, dt), x));
        else
            io.store(s, fma(f, dt, x));
    }

    template <class Io>
    TAWARA_INLINE static void run(Io& io, N dt);

  private:
    template <class Io>
    TAWARA_INLINE static void gates_of_potassium(Io& io, N w, N dt, const Powers& p, N xr1, N xr2,
                                                 N xs);
    template <class Io>
    TAWARA_INLINE static void gates_of_sodium(Io& io, N v, N w, N dt, const Powers& p, N xm, N xh,
                                              N xj);
    template <class Io>
    TAWARA_INLINE static void gates_of_calcium(Io& io, N w, N dt, const Powers& p, N g, N xd, N xf,
                                               N xf2);
    template <class Io>
    TAWARA_INLINE static void gates_of_outward(Io& io, N v, N w, N dt, const Powers& p, N g2, N xs,
                                               N xr);
    template <class Io>
    TAWARA_INLINE static void calcium(Io& io, N dt, N cai, N sr, N ss, N membrane, N dmembrane,
                                      N CaL, N dCaL);
};

template <class M, Mode mode>
template <class Io>
TAWARA_INLINE void Step<M, mode>::gates_of_potassium(Io& io, N w, N dt, const Powers& p, N xr1,
                                                     N xr2, N xs)
{
    const N E14 = rest<Rate<1, 14>, 129>(w) * (p.y120 * p.y9);
    const N E7 = E14 * E14;
    const N E115 = rest<Rate<2, 23>, 156>(w) * (p.y150 * p.y6);
    const N E10 = p.y180, E20 = p.y90, E24 = p.y75, E15 = p.y120;
    {
        constexpr double k1 = const_exp(-6 / 7.0), kb = const_exp(-2.5), kc = const_exp(10 / 11.5);
        gate(io, Xr1, xr1, dt, E7, plus(E7, k1), plus(E10, kb) * fma(kc, E115, 1),
             times(2700, E10));
    }
    {
        constexpr double k1 = const_exp(68 / 24.0), a = const_exp(-4), b = 1 + const_exp(-6),
                         c = const_exp(-2);
        gate(io, Xr2, xr2, dt, M::c(1), fma(k1, E24, 1), fma(E20, fma(a, E20, b), c),
             times(3.36, E20));
    }
    {
        constexpr double k1 = const_exp(15 / 14.0), k6 = const_exp(25 / 6.0),
                         k15 = const_exp(-55 / 15.0);
        const N root = M::sqrt(plus(p.y300, k6)) * fma(k15, E15, 1);
        gate(io, Xs, xs, dt, E14, plus(E14, k1), root, fma(80, root, times(1400, p.y150)));
    }
}

template <class M, Mode mode>
template <class Io>
TAWARA_INLINE void Step<M, mode>::gates_of_sodium(Io& io, N v, N w, N dt, const Powers& p, N xm,
                                                  N xh, N xj)
{
    {
        constexpr double k1 = const_exp(-36.86 / 9.03), a = const_exp(3), b = 1 + const_exp(-5),
                         c = const_exp(-8), k200 = const_exp(-0.35);
        const N E903 = rest<Rate<100, 903>, 198>(w) * (p.y180 * p.y18);
        const N E5 = p.y360, D = plus(E903, k1), E200 = times(k200, p.y9);
        const N n = fma(E5, fma(a, E5, b), c) * plus(E200, 1);
        gate<true>(io, m, xm, dt, E903 * E903, D * D, n,
                   times(0.1, E5) * plus(fma(a, E5, E200), 2));
    }
    constexpr double k1 = const_exp(51.55 / 7.43);
    const N E743 = rest<Rate<100, 743>, 242>(w) * (p.y240 * p.y2);
    const N D = fma(k1, E743, 1), D1 = D * D;
    const auto low = M::less(v, M::c(-40));
    Inactivation r;
    if (M::none(low)) {
        r = above_minus_40(w, p);
    } else {
        r = below_minus_40(v, w, p);
        if (!M::all(low)) {
            const Inactivation high = above_minus_40(w, p);
            r.nh = M::select(low, r.nh, high.nh);
            r.Dh = M::select(low, r.Dh, high.Dh);
            r.nj = M::select(low, r.nj, high.nj);
            r.Dj = M::select(low, r.Dj, high.Dj);
        }
    }
    gate(io, h, xh, dt, M::c(1), D1, r.nh, r.Dh);
    gate(io, j, xj, dt, M::c(1), D1, r.nj, r.Dj);
}

template <class M, Mode mode>
template <class Io>
TAWARA_INLINE void Step<M, mode>::gates_of_calcium(Io& io, N w, N dt, const Powers& p, N g, N xd,
                                                   N xf, N xf2)
{
    const N E5 = p.y360, E10 = p.y180, E20 = p.y90, E75 = p.y240;
    {
        constexpr double k1 = const_exp(12 / 7.5), kb = const_exp(-15 / 13.0), kc = const_exp(-3),
                         ke = const_exp(3.5);
        const N E13 = rest<Rate<1, 13>, 138>(w) * (p.y120 * p.y18);
        const N b = plus(E13, kb), e = plus(E20, ke);
        const N bc = b * fma(kc, E5, 1);
        const N tau = fma(times(1.4, fma(1.65, E13, 0.25 * kb)), e, E20 * bc);
        gate(io, d, xd, dt, E75, plus(E75, k1), bc * e, tau);
    }
    const N g2 = g * g, g4 = g2 * g2, g8 = g4 * g4;
    const N g15 = g8 * g4 * (g2 * g), g16 = g8 * g8;
    constexpr double kc = const_exp(1), k1 = const_exp(3.3), k2 = const_exp(4.5),
                     ka = const_exp(15 / 7.0);
    const N E14 = rest<Rate<1, 14>, 129>(w) * (p.y120 * p.y9);
    const N E7 = E14 * E14, c = fma(kc, E10, 1), E10c = E10 * c;
    {
        const N b = plus(E10, k1), n = b * c;
        const N tau = fma(fma(1102.5, g16, 20), n, fma(200, E10c, times(180, b)));
        gate(io, f, xf, dt, M::c(1), plus(E7, 1), n, tau);
    }
    {
        const N b = plus(E10, k2), n = b * c;
        const N tau = fma(times(562, g15), n, fma(31, E10c, times(80, b)));
        gate(io, f2, xf2, dt, fma(0.33 * ka, E7, 1), fma(ka, E7, 1), n, tau);
    }
}

template <class M, Mode mode>
template <class Io>
TAWARA_INLINE void Step<M, mode>::gates_of_outward(Io& io, N v, N w, N dt, const Powers& p, N g2,
                                                   N xs, N xr)
{
    (void)w;
    {
        constexpr double k = const_exp(-8);
        const N distance = v - io.constant(c_s_centre);
        const N bell = M::exp(distance * distance * io.constant(c_s_width));
        const N b = fma(k, p.y360, 1);
        const N tau =
            fma(fma(io.constant(c_s_peak), bell, io.constant(c_s_base)), b, io.constant(c_s_step));
        gate(io, s, xs, dt, M::c(1), fma(io.constant(c_s_inf), p.y360, M::c(1)), b, tau);
    }
    {
        // exp(-(V + 40)^2 / 1800) = exp(-(V + 27)^2 / 1800) y^-26 e^-0.195
        constexpr double k = const_exp(40 / 6.0), kg = 9.5 * const_exp(-0.195);
        const N y26 = p.y15 * p.y9 * p.y2;
        gate(io, r, xr, dt, p.y300, plus(p.y300, k), y26, fma(kg, g2, times(0.8, y26)));
    }
}

template <class M, Mode mode>
template <class Io>
TAWARA_INLINE void Step<M, mode>::calcium(Io& io, N dt, N cai, N sr, N ss, N membrane, N dmembrane,
                                          N CaL, N dCaL)
{
    const auto k = [&io](Folded i) { return io.constant(i); };
    const N open = io.load(R_prime), xfCass = io.load(fCass);
    const N ss2 = ss * ss, cai2 = cai * cai, sr2 = sr * sr;
    {
        const N t = fma(400, ss2, 1);
        gate(io, fCass, xfCass, dt, fma(0.4, t, 0.6), t, t, fma(2, t, 80));
    }
    const N leak = k(c_V_leak) * (sr - cai), xfer = k(c_V_xfer) * (ss - cai);
    const N up_inverse = M::rcp(cai2 + k(c_K_up2));
    const N up = k(c_Vmax_up) * cai2 * up_inverse;
    // kcasr = top / bottom; O = k1 ss^2 R bottom / (k3 top + k1 ss^2 bottom)
    const N top = fma(k(c_min_sr), sr2, k(c_max_EC2)), bottom = sr2 + k(c_EC2);
    const N k1ss = k(c_k1) * ss2, k3top = k(c_k3) * top;
    const N O_bottom = fma(k1ss, bottom, k3top);
    const N inverse = M::rcp(bottom * O_bottom);
    const N rate = k(c_V_rel) * k1ss * open * bottom * (bottom * inverse);
    const N release = rate * (sr - ss);
    const N k2ss = k(c_k2) * ss * top * (O_bottom * inverse);
    other(io, R_prime, open, dt, M::fnma(k2ss + k(c_k4), open, k(c_k4)), M::c(0) - k2ss - k(c_k4));

    // buffers: b = (x + K)^2 / ((x + K)^2 + Buf K)
    const auto buffer = [&](N x, Folded half, Folded product, N& slope) {
        const N sum = x + k(half), square = sum * sum;
        const N over = M::rcp(square + k(product));
        if constexpr (diagonal)
            slope = times(2, sum) * k(product) * over * over;
        return square * over;
    };
    N slope_c = cai, slope_sr = sr, slope_ss = ss;
    const N free_c = buffer(cai, c_K_buf_c, c_buf_c, slope_c);
    const N free_sr = buffer(sr, c_K_buf_sr, c_buf_sr, slope_sr);
    const N free_ss = buffer(ss, c_K_buf_ss, c_buf_ss, slope_ss);
    const N total_c = fma(k(c_sr_c), leak - up, M::fnma(membrane, k(c_flux_Ca), xfer));
    const N total_sr = up - (release + leak);
    const N total_ss = fma(k(c_sr_ss), release, M::c(0) - fma(CaL, k(c_flux_ss), xfer * k(c_c_ss)));
    N J_c = cai, J_sr = sr, J_ss = ss;
    if constexpr (diagonal) {
        const N dup = k(c_Vmax_up) * times(2, cai) * k(c_K_up2) * up_inverse * up_inverse;
        const N dtotal_c =
            M::c(0) - fma(k(c_sr_c), k(c_V_leak) + dup, fma(dmembrane, k(c_flux_Ca), k(c_V_xfer)));
        J_c = fma(slope_c, total_c, free_c * dtotal_c);
        // d kcasr / d sr = 2 sr (min bottom - top) / bottom^2; O falls with kcasr
        const N over = bottom * inverse; // 1 / O_bottom
        const N dO_dsr = M::c(0) - times(2, sr) * (k(c_min_sr) * bottom - top) * k(c_k3) * over *
                                       over * k1ss * open;
        const N dO_dss = times(2, ss) * k(c_k1) * k3top * bottom * open * over * over;
        const N V_rel = k(c_V_rel);
        const N drel_sr = fma(V_rel * dO_dsr, sr - ss, rate);
        const N drel_ss = fma(V_rel * dO_dss, sr - ss, M::c(0) - rate);
        J_sr = fma(slope_sr, total_sr, free_sr * (M::c(0) - drel_sr - k(c_V_leak)));
        J_ss = fma(slope_ss, total_ss,
                   free_ss * fma(k(c_sr_ss), drel_ss,
                                 M::c(0) - fma(dCaL, k(c_flux_ss), k(c_V_xfer) * k(c_c_ss))));
    }
    other(io, Cai, cai, dt, free_c * total_c, J_c);
    other(io, CaSR, sr, dt, free_sr * total_sr, J_sr);
    other(io, CaSS, ss, dt, free_ss * total_ss, J_ss);
}

/// Advances one cell (or one vector of cells) by dt, or stores its derivatives.
template <class M, Mode mode>
template <class Io>
TAWARA_INLINE void Step<M, mode>::run(Io& io, N dt)
{
    const auto k = [&io](Folded i) { return io.constant(i); };
    const N v = io.load(V), w = M::within_range(plus(v, 20));
    const N nai = io.load(Nai), ki = io.load(Ki), cai = io.load(Cai);
    const N ss = io.load(CaSS);

    // V minus the reversal potentials
    const N log_K = M::log(ki), u_K = fma(rtf, log_K, v - k(c_E_K));
    const N u_Na = fma(rtf, M::log(nai), v - k(c_E_Na));
    const N u_Ca = fma(0.5 * rtf, M::log(cai), v - k(c_E_Ca));
    // ln(Ki + P Nai) = ln Ki + 2 atanh(t), t = P Nai / (2 Ki + P Nai), a small number
    const N mixed = k(c_P_kna) * nai, mixed_inverse = M::rcp(fma(2, ki, mixed));
    const N t = mixed * mixed_inverse, t2 = t * t;
    N atanh = M::c(1.0 / 9);
    atanh = fma(atanh, t2, 1.0 / 7);
    atanh = fma(atanh, t2, 1.0 / 5);
    atanh = fma(atanh, t2, 1.0 / 3);
    atanh = fma(atanh, t2, 1.0);
    const N u_Ks = fma(times(2 * rtf, t), atanh, fma(rtf, log_K, v - k(c_E_Ks)));

    const Powers p = powers(w);
    const N w7 = plus(w, 7);
    const N g = M::exp(times(-1.0 / 3600, w7 * w7)); // exp(-(V + 27)^2 / 3600)

    // potassium
    const N xr1 = io.load(Xr1), xr2 = io.load(Xr2), xs = io.load(Xs), xto = io.load(r),
            xts = io.load(s);
    const Current K1 = inward_rectifier(u_K, k(c_g_K1));
    constexpr double k598 = const_exp(45 / 5.98);
    const N E598 = rest<Rate<100, 598>, 301>(w) * (p.y300 * p.y1);
    const N pK_inverse = M::rcp(plus(E598, k598));
    const N pK_g = k(c_g_pK) * E598 * pK_inverse;
    const N g_linear = fma(k(c_g_to) * xto, xts, k(c_g_Kr) * xr1 * xr2);
    const N g_Ks_open = k(c_g_Ks) * xs * xs;
    gates_of_potassium(io, w, dt, p, xr1, xr2, xs);
    gates_of_outward(io, v, w, dt, p, g * g, xts, xto);
    const N potassium = fma(g_linear + pK_g, u_K, fma(g_Ks_open, u_Ks, K1.i));

    // powers of exp(w F / 20 R T)
    const N z = rest<NernstRate, 3>(w) * p.y3;
    const N z2 = z * z, z3 = z2 * z, z5 = z3 * z2, z8 = z5 * z3, z13 = z8 * z5, z18 = z13 * z5;
    const N z20 = z18 * z2, z40 = z20 * z20;

    // pump and exchanger
    constexpr double kp1 = 0.1245 * const_exp(2 * frt), kp2 = 0.0353 * const_exp(20 * frt);
    constexpr double kx = const_exp((gamma_NaCa - 1) * 20 * frt);
    static_assert(gamma_NaCa == 0.35, "the powers of z below are those of gamma = 0.35");
    const N pump_D = fma(kp1, z18, plus(z20, kp2)), sat_D = fma(kx, z13, k(c_K_sat));
    const N nak_D = nai + k(c_K_mNa);
    const N pump_inverse = M::rcp(pump_D * nak_D), sat_inverse = M::rcp(sat_D);
    const N NaK = k(c_P_NaK) * nai * z20 * pump_inverse;
    const N nai2 = nai * nai;
    const N inward = k(c_NaCa_in) * nai2 * nai * z20;
    const N NaCa = M::fnma(k(c_NaCa_out), cai, inward) * sat_inverse;

    // sodium
    const N xm = io.load(m), xh = io.load(h), xj = io.load(j);
    const N g_Na_open = fma(k(c_g_Na) * (xm * xm) * xm, xh * xj, k(c_g_bna));
    const N sodium = g_Na_open * u_Na;
    gates_of_sodium(io, v, w, dt, p, xm, xh, xj);

    // calcium
    const N xd = io.load(d), xf = io.load(f), xf2 = io.load(f2);
    constexpr double k40 = const_exp(-70 * frt);
    const N e_CaL = times(k40, z40);
    const Driving drive = calcium_driving(times(2 * frt, plus(v, -15)), e_CaL, ss, k(c_Ca_o));
    const N CaL_open = k(c_CaL) * xd * xf * xf2 * io.load(fCass);
    const N CaL = CaL_open * drive.i;
    gates_of_calcium(io, w, dt, p, g, xd, xf, xf2);
    const N bCa = k(c_g_bca) * u_Ca;
    const N pCa_inverse = M::rcp(cai + k(c_K_pCa));
    const N pCa = k(c_g_pCa) * cai * pCa_inverse;

    const N stimulus = io.stimulus();
    const N sum = potassium + sodium + ((CaL + NaK) + (NaCa + bCa)) + pCa;
    N J_V = v, J_Na = v, J_K = v, dmembrane = v, dCaL = v;
    if constexpr (diagonal) {
        const N dpK = k(c_g_pK) * u_K * times(k598 / 5.98, E598) * pK_inverse * pK_inverse;
        const N dNaK = times(frt, NaK) * fma(0.1 * kp1, z18, kp2) * (pump_inverse * nak_D);
        const N dNaCa =
            times(frt, inward * sat_inverse - times(0.65 * kx, NaCa * z13 * sat_inverse));
        const N dK = g_linear + pK_g + dpK + K1.dV;
        J_V = M::c(0) -
              (dK + g_Ks_open + g_Na_open + fma(CaL_open, drive.dV, dNaK + dNaCa) + k(c_g_bca));
        // d NaK / d Nai = NaK K_mNa / (Nai (Nai + K_mNa)), d NaCa / d Nai = 3 inward / Nai
        const N dNaK_Na = NaK * k(c_K_mNa) * (pump_inverse * pump_D) * M::rcp(nai);
        const N dNaCa_Na = times(3, k(c_NaCa_in) * nai2 * z20) * sat_inverse;
        J_Na = M::c(0) -
               k(c_flux_Na) * fma(times(rtf, g_Na_open), M::rcp(nai), times(3, dNaK_Na + dNaCa_Na));
        // by Ki: u_K' = RT/F / Ki, u_Ks' = RT/F / (Ki + P Nai)
        J_K = M::c(0) - k(c_flux_Na) * times(rtf, dK * M::rcp(ki) + g_Ks_open * M::rcp(ki + mixed));
        const N dNaCa_Ca = M::c(0) - k(c_NaCa_out) * sat_inverse;
        dmembrane = fma(times(0.5 * rtf, k(c_g_bca)), M::rcp(cai),
                        k(c_g_pCa) * k(c_K_pCa) * pCa_inverse * pCa_inverse) -
                    times(2, dNaCa_Ca);
        dCaL = CaL_open * times(0.25, drive.phi) * e_CaL;
    }
    calcium(io, dt, cai, io.load(CaSR), ss, fma(-2, NaCa, bCa + pCa), dmembrane, CaL, dCaL);
    other(io, Nai, nai, dt, M::c(0) - k(c_flux_Na) * fma(3, NaK + NaCa, sodium), J_Na);
    other(io, Ki, ki, dt, M::c(0) - k(c_flux_Na) * (fma(-2, NaK, potassium) - stimulus), J_K);
    other(io, V, v, dt, stimulus - sum, J_V);
}

} // namespace TAWARA_CELL_TARGET
} // namespace tawara::cell::tt06

#endif
