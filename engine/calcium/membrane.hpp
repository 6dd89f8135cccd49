// SPDX-License-Identifier: GPL-3.0-or-later
// What a cell does once a step: gates, currents but that of calcium's dyads, concentrations of
// sodium and potassium, V. Formulas: O'Hara, Virag, Varro, Rudy 2011 (PLoS Comput Biol 7:e1002061),
// with the changes that parameters.hpp names. For processors and devices.
#pragma once
#include "engine/calcium/constants.hpp"
#include "engine/core/random.hpp"

#include <cmath>

namespace tawara::calcium {

/// What a cell has beside its dyads. Potentials in mV, concentrations in mM.
struct CellState
{
    double v, Na_i, K_i;
    double m, hf, hs, j, hsp, jp, mL, hL, hLp;
    double a, iF, iS, ap, iFp, iSp;
    double d, ff, fs, fcaf, fcas, jca, ffp, fcafp;
    double xrf, xrs, xs1, xs2, xk1;
    double camk; ///< active CaMKII, mean over dyads in the last step
    static constexpr int count = 32;
};
static_assert(sizeof(CellState) == CellState::count * sizeof(double));

/// Currents [uA/uF].
struct MembraneCurrents
{
    double Na, NaL, to, Kr, Ks, K1, NaK, Kb, Nab;
};

TAWARA_EVERYWHERE inline double relaxed(double x, double inf, double tau_ms, double dt_ms)
{
    return inf - (inf - x) * exp(-dt_ms / tau_ms);
}

/// 1 / (1 + e^((v + half) / k)).
TAWARA_EVERYWHERE inline double falling(double v, double half, double k)
{
    return 1 / (1 + exp((v + half) / k));
}

/// x / (e^x - 1), which is 1 at 0.
TAWARA_EVERYWHERE inline double flux_factor(double x)
{
    return x == 0 ? 1 : x / expm1(x);
}

/// Current by Goldman, Hodgkin and Katz of a valence z and inner and outer activities [mM], of
/// permeability 1: z^2 V F^2/RT (in e^(zVF/RT) - out) / (e^(zVF/RT) - 1).
TAWARA_EVERYWHERE inline double ghk(double v_mV, double z, double in, double out)
{
    const double x = z * v_mV / RT_per_F_mV;
    return z * faraday_C_per_mol * flux_factor(x) * (in * exp(x) - out);
}

/// Steps the gates of sodium currents and gives these.
TAWARA_EVERYWHERE inline void sodium_currents(const MembraneConstants& c, CellState& s,
                                              MembraneCurrents& i)
{
    const Parameters& p = c.p;
    const double v = s.v, dt = c.dt_ms;
    const double tau_m = 1 / (6.765 * exp((v + 11.64) / 34.77) + 8.552 * exp(-(v + 77.42) / 5.955));
    s.m = relaxed(s.m, falling(v, -p.m_half, -9.871), tau_m, dt);
    const double h_inf = falling(v, 82.90 + p.h_shift, 6.086);
    const double hsp_inf = falling(v, 89.1 + p.h_shift, 6.086);
    const double tau_hf =
        1 / (1.432e-5 * exp(-(v + 1.196) / 6.285) + 6.149 * exp((v + 0.5096) / 20.27));
    const double tau_hs =
        1 / (0.009794 * exp(-(v + 17.95) / 28.05) + 0.3343 * exp((v + 5.730) / 56.66));
    const double tau_j =
        2.038 + 1 / (0.02136 * exp(-(v + 100.6) / 8.281) + 0.3052 * exp((v + 0.9941) / 38.45));
    s.hf = relaxed(s.hf, h_inf, tau_hf, dt);
    s.hs = relaxed(s.hs, h_inf, tau_hs, dt);
    s.hsp = relaxed(s.hsp, hsp_inf, 3 * tau_hs, dt);
    s.j = relaxed(s.j, h_inf, tau_j, dt);
    s.jp = relaxed(s.jp, h_inf, 1.46 * tau_j, dt);
    s.mL = relaxed(s.mL, falling(v, 42.85, -5.264), tau_m, dt);
    s.hL = relaxed(s.hL, falling(v, 87.61, 7.488), 200, dt);
    s.hLp = relaxed(s.hLp, falling(v, 93.81, 7.488), 600, dt);
    const double phi = s.camk / (s.camk + p.camk_K);
    const double driving = v - RT_per_F_mV * log(p.Na_o / s.Na_i);
    const double h = 0.99 * s.hf + 0.01 * s.hs, hp = 0.99 * s.hf + 0.01 * s.hsp;
    i.Na = p.g_Na * driving * s.m * s.m * s.m * ((1 - phi) * h * s.j + phi * hp * s.jp);
    i.NaL = p.g_NaL * driving * s.mL * ((1 - phi) * s.hL + phi * s.hLp);
    i.Nab = p.P_Nab * ghk(v, 1, s.Na_i, p.Na_o);
}

/// The same of potassium currents.
TAWARA_EVERYWHERE inline void potassium_currents(const MembraneConstants& c, CellState& s,
                                                 MembraneCurrents& i)
{
    const Parameters& p = c.p;
    const double v = s.v, dt = c.dt_ms, driving = v - RT_per_F_mV * log(p.K_o / s.K_i);
    const double phi = s.camk / (s.camk + p.camk_K);
    const double tau_a =
        1.0515 / (falling(v, -18.4099, -29.3814) / 1.2089 + 3.5 * falling(v, 100, 29.3814));
    s.a = relaxed(s.a, falling(v, -14.34, -14.82), tau_a, dt);
    s.ap = relaxed(s.ap, falling(v, -24.34, -14.82), tau_a, dt);
    const double epi = 1 - 0.95 * p.epi_to * falling(v, 70, 5);
    const double tau_iF =
        epi * (4.562 + 1 / (0.3933 * exp(-(v + 100) / 100) + 0.08004 * exp((v + 50) / 16.59)));
    const double tau_iS =
        epi *
        (23.62 + 1 / (0.001416 * exp(-(v + 96.52) / 59.05) + 1.780e-8 * exp((v + 114.1) / 8.079)));
    const double i_inf = falling(v, 43.94, 5.711);
    const double slower = (1.354 + 1e-4 / (exp((v - 167.4) / 15.89) + exp(-(v - 12.23) / 0.2154))) *
                          (1 - 0.5 * falling(v, 70, 20));
    s.iF = relaxed(s.iF, i_inf, tau_iF, dt);
    s.iS = relaxed(s.iS, i_inf, tau_iS, dt);
    s.iFp = relaxed(s.iFp, i_inf, slower * tau_iF, dt);
    s.iSp = relaxed(s.iSp, i_inf, slower * tau_iS, dt);
    const double fast = falling(v, -213.6, 151.2);
    i.to = p.g_to * driving *
           ((1 - phi) * s.a * (fast * s.iF + (1 - fast) * s.iS) +
            phi * s.ap * (fast * s.iFp + (1 - fast) * s.iSp));
    const double xr_inf = falling(v, 8.337, -6.789), fast_r = falling(v, 54.81, 38.21);
    s.xrf = relaxed(
        s.xrf, xr_inf,
        12.98 + 1 / (0.3652 * exp((v - 31.66) / 3.869) + 4.123e-5 * exp(-(v - 47.78) / 20.38)), dt);
    s.xrs = relaxed(
        s.xrs, xr_inf,
        1.865 + 1 / (0.06629 * exp((v - 34.70) / 7.355) + 1.128e-5 * exp(-(v - 29.74) / 25.94)),
        dt);
    i.Kr = p.g_Kr * sqrt(p.K_o / 5.4) * (fast_r * s.xrf + (1 - fast_r) * s.xrs) *
           falling(v, 55, 75) * falling(v, -10, 30) * driving;
    const double xs_inf = falling(v, 11.60, -8.932);
    s.xs1 = relaxed(
        s.xs1, xs_inf,
        817.3 + 1 / (2.326e-4 * exp((v + 48.28) / 17.80) + 0.001292 * exp(-(v + 210) / 230)), dt);
    s.xs2 = relaxed(s.xs2, xs_inf,
                    1 / (0.01 * exp((v - 50) / 20) + 0.0193 * exp(-(v + 66.54) / 31)), dt);
    const double E_Ks = RT_per_F_mV * log((p.K_o + 0.01833 * p.Na_o) / (s.K_i + 0.01833 * s.Na_i));
    i.Ks = p.g_Ks * p.Ks_Ca * s.xs1 * s.xs2 * (v - E_Ks);
    s.xk1 = relaxed(s.xk1, falling(v, 2.5538 * p.K_o + 144.59, -(1.5692 * p.K_o + 3.8115)),
                    122.2 / (exp(-(v + 127.2) / 20.36) + exp((v + 236.8) / 69.33)), dt);
    i.K1 = p.g_K1 * sqrt(p.K_o) * s.xk1 * falling(v, 105.8 - 2.6 * p.K_o, 9.493) * driving;
    i.Kb = p.g_Kb * driving * falling(v, -14.48, -18.34);
}

/// The sodium-potassium pump.
TAWARA_EVERYWHERE inline double pump_current(const Parameters& p, const CellState& s)
{
    const double vf = s.v / RT_per_F_mV;
    constexpr double K_i = 0.5, K_o = 0.3582, MgATP = 9.8, Kmgatp = 1.698e-7, H = 1e-7;
    const auto cube = [](double x) { return x * x * x; };
    const auto square = [](double x) { return x * x; };
    const double n_i = s.Na_i / (p.Kna_i_scale * 9.073 * exp(-0.1550 * vf / 3));
    const double n_o = p.Na_o / (27.78 * exp(1.1550 * vf / 3));
    const double k_i = s.K_i / K_i, k_o = p.K_o / K_o;
    const double P = 4.2 / (1 + H / 1.698e-7 + s.Na_i / 224 + s.K_i / 292);
    const double D_i = cube(1 + n_i) + square(1 + k_i) - 1;
    const double D_o = cube(1 + n_o) + square(1 + k_o) - 1;
    const double atp = MgATP / Kmgatp;
    const double a1 = 949.5 * cube(n_i) / D_i, b1 = 182.4 * 0.05;
    const double a2 = 687.2, b2 = 39.4 * cube(n_o) / D_o;
    const double a3 = 1899 * square(k_o) / D_o, b3 = 79300 * P * H / (1 + atp);
    const double a4 = 639 * atp / (1 + atp), b4 = 40 * square(k_i) / D_i;
    const double x1 = a4 * a1 * a2 + b2 * b4 * b3 + a2 * b4 * b3 + b3 * a1 * a2;
    const double x2 = b2 * b1 * b4 + a1 * a2 * a3 + a3 * b1 * b4 + a2 * a3 * b4;
    const double x3 = a2 * a3 * a4 + b3 * b2 * b1 + b2 * b1 * a4 + a3 * a4 * b1;
    const double x4 = b4 * b3 * b2 + a3 * a4 * a1 + b2 * a4 * a1 + b3 * b2 * a1;
    return p.P_NaK * (3 * (x1 * a3 - x2 * b3) + 2 * (x4 * b1 - x3 * a1)) / (x1 + x2 + x3 + x4);
}

/// The exchanger as a function of calcium c inside [mM], but for its activation:
/// (ncx_0 + ncx_1 c) / (1 + ncx_s c). Each weight of its four states is linear in c, since c enters
/// one rate alone.
template <class Real>
TAWARA_EVERYWHERE void exchanger(const Parameters& p, const CellState& s, DyadInput<Real>& in)
{
    constexpr double kna1 = 15, kna2 = 5, kna3 = 88.12, kasym = 12.5;
    constexpr double wna = 6e4, wca = 6e4, wnaca = 5e3, kcaon = 1.5e6, kcaoff = 5e3;
    const double vf = s.v / RT_per_F_mV, h_Ca = exp(0.1670 * vf), h_Na = exp(0.5224 * vf);
    const double h1 = 1 + s.Na_i / kna3 * (1 + h_Na), h2 = s.Na_i * h_Na / (kna3 * h1);
    const double h3 = 1 / h1, h4 = 1 + s.Na_i / kna1 * (1 + s.Na_i / kna2);
    const double h5 = s.Na_i * s.Na_i / (h4 * kna1 * kna2), h6 = 1 / h4;
    const double h7 = 1 + p.Na_o / kna3 * (1 + 1 / h_Na), h8 = p.Na_o / (kna3 * h_Na * h7);
    const double h9 = 1 / h7, h10 = kasym + 1 + p.Na_o / kna1 * (1 + p.Na_o / kna2);
    const double h11 = p.Na_o * p.Na_o / (h10 * kna1 * kna2), h12 = 1 / h10;
    const double k1 = h12 * p.Ca_o * kcaon, k2 = kcaoff, k3pp = h8 * wnaca, k3 = h9 * wca + k3pp;
    const double k4pp = h2 * wnaca, k4 = h3 * wca / h_Ca + k4pp, k5 = kcaoff;
    const double k6 = h6 * kcaon; // of c
    const double k7 = h5 * h2 * wna, k8 = h8 * h11 * wna;
    const double constant[4] = {k2 * k4 * k7 + k5 * k7 * (k2 + k3), k1 * k7 * (k4 + k5),
                                k1 * k3 * k7, k2 * k8 * (k4 + k5) + k3 * k5 * (k1 + k8)};
    const double linear[4] = {k2 * k4 * k6, k4 * k6 * (k1 + k8), k6 * (k1 * k3 + k8 * (k2 + k3)),
                              0};
    const auto turns = [&](const double* x) {
        const double Na = 3 * (x[3] * k7 - x[0] * k8) + x[2] * k4pp - x[1] * k3pp;
        return Na + 2 * (x[1] * k2 - x[0] * k1);
    };
    const auto sum = [](const double* x) { return x[0] + x[1] + x[2] + x[3]; };
    const double all = sum(constant);
    in.ncx_0 = static_cast<Real>(turns(constant) / all);
    in.ncx_1 = static_cast<Real>(turns(linear) / all);
    in.ncx_s = static_cast<Real>(sum(linear) / all);
}

/// The first part of a cell's step: its gates but those of I_CaL, its currents, and what its dyads
/// are told.
/// @param step    number of the step, from 0
/// @param forced  all RyR are held open in it
template <class Real>
TAWARA_EVERYWHERE DyadInput<Real> begin_cell(const MembraneConstants& c, CellState& s,
                                             std::int32_t step, bool forced, MembraneCurrents& i)
{
    sodium_currents(c, s, i);
    potassium_currents(c, s, i);
    i.NaK = pump_current(c.p, s);
    const Parameters& p = c.p;
    DyadInput<Real> in;
    const auto real = [](double x) { return static_cast<Real>(x); };
    // ghk() is linear in the activity inside: c_d in uM, of which a hundredth acts
    const double outer = ghk(s.v, 2, 0, 0.341 * p.Ca_o), per_mM = ghk(s.v, 2, 1, 0);
    in.i_Ca_slope = real(p.P_Ca * 0.01 * 1e-3 * per_mM);
    in.i_Ca_offset = real(p.P_Ca * outer);
    in.Cab_slope = real(p.P_Cab * per_mM);
    in.Cab_offset = real(p.P_Cab * outer);
    in.mode_keep = real(exp(-s.jca * c.dt_ms));
    in.mode_ratio = real(s.jca / p.k_mode);
    const double A = 0.3 + 0.6 * falling(s.v, -10, 10);
    const double f = 0.6 * s.ff + 0.4 * s.fs, fp = 0.6 * s.ffp + 0.4 * s.fs;
    const double fCa = A * s.fcaf + (1 - A) * s.fcas, fCap = A * s.fcafp + (1 - A) * s.fcas;
    in.plain = real(s.d * f);
    in.plain_Ca = real(s.d * (s.jca * fCa - f));
    in.phos = real(s.d * fp);
    in.phos_Ca = real(s.d * (s.jca * fCap - fp));
    exchanger(p, s, in);
    in.step = step;
    in.forced = forced;
    return in;
}

/// Steps the gates of I_CaL.
TAWARA_EVERYWHERE inline void calcium_gates(const MembraneConstants& c, CellState& s)
{
    const Parameters& p = c.p;
    const double v = s.v, dt = c.dt_ms;
    s.d = relaxed(s.d, falling(v, 3.940 + p.d_shift, -4.230),
                  0.6 + 1 / (exp(-0.05 * (v + 6)) + exp(0.09 * (v + 14))), dt);
    const double inf = falling(v, 19.58 + p.f_shift, 3.696);
    const double tau_ff = 7 + 1 / (0.0045 * (exp(-(v + 20) / 10) + exp((v + 20) / 10)));
    const double tau_fs = 1000 + 1 / (3.5e-5 * (exp(-(v + 5) / 4) + exp((v + 5) / 6)));
    const double tau_fcaf = 7 + 1 / (0.04 * (exp(-(v - 4) / 7) + exp((v - 4) / 7)));
    const double tau_fcas = 100 + 1 / (1.2e-4 * (exp(-v / 3) + exp(v / 7)));
    s.ff = relaxed(s.ff, inf, tau_ff, dt);
    s.ffp = relaxed(s.ffp, inf, 2.5 * tau_ff, dt);
    s.fs = relaxed(s.fs, inf, tau_fs, dt);
    s.fcaf = relaxed(s.fcaf, inf, tau_fcaf, dt);
    s.fcafp = relaxed(s.fcafp, inf, 2.5 * tau_fcaf, dt);
    s.fcas = relaxed(s.fcas, inf, tau_fcas, dt);
    s.jca = relaxed(s.jca, inf, 75, dt);
}

/// Currents of a cell that its dyads make [uA/uF].
struct DyadCurrents
{
    double CaL, CaNa, CaK, NCX, pCa, Cab;
};

TAWARA_EVERYWHERE inline DyadCurrents dyad_currents(const MembraneConstants& c, const CellState& s,
                                                    const DyadSums& sums)
{
    const Parameters& p = c.p;
    const double open = sums.open / c.sums_over;
    DyadCurrents i;
    i.CaL = sums.i_Ca / c.sums_over;
    i.CaNa = 0.00125 * p.P_Ca * open * ghk(s.v, 1, 0.75 * s.Na_i, 0.75 * p.Na_o);
    i.CaK = 3.574e-4 * p.P_Ca * open * ghk(s.v, 1, 0.75 * s.K_i, 0.75 * p.K_o);
    i.NCX = sums.ncx / c.sums_over;
    i.pCa = sums.pCa / c.sums_over;
    i.Cab = p.P_Cab * (ghk(s.v, 2, 1, 0) * sums.c_myo + ghk(s.v, 2, 0, 0.341 * p.Ca_o) * c.dyads) /
            c.sums_over;
    return i;
}

/// The last part of a cell's step, after its dyads.
/// @param stimulus_pA_per_pF  positive depolarises; carried by potassium
/// @return what the dyads' currents were
TAWARA_EVERYWHERE inline DyadCurrents end_cell(const MembraneConstants& c, CellState& s,
                                               const MembraneCurrents& i, const DyadSums& sums,
                                               double stimulus_pA_per_pF)
{
    const DyadCurrents d = dyad_currents(c, s, sums);
    s.camk = sums.camk / c.dyads;
    calcium_gates(c, s);
    const double Na = i.Na + i.NaL + i.Nab + d.CaNa + 3 * i.NaK + 3 * d.NCX;
    const double K = i.to + i.Kr + i.Ks + i.K1 + i.Kb + d.CaK - 2 * i.NaK - stimulus_pA_per_pF;
    const double Ca = d.CaL + d.Cab + d.pCa - 2 * d.NCX;
    s.Na_i -= c.dt_ms * c.amount * Na;
    s.K_i -= c.dt_ms * c.amount * K;
    s.v -= c.dt_ms * (Na + K + Ca);
    return d;
}

} // namespace tawara::calcium
