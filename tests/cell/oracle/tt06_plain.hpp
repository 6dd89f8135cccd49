// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/cell/oracle/ten_tusscher_2006.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace tawara::cell::tt06::plain {

/// dx/dt of every state and, for the gates, the steady state and the time constant.
struct Rates
{
    std::array<double, state_count> d{}, inf{}, tau{};
};

/// The equations of ten Tusscher & Panfilov 2006 as they are printed, in double precision: the
/// oracle for every optimised kernel. No re-association, nothing shared with the engine but the
/// names.
/// @param x  states, in State order   @param p  parameters, in Parameter order
/// @param stimulus  [pA/pF], positive depolarises
inline Rates rates(const std::array<double, state_count>& x, const std::vector<double>& p,
                   double stimulus)
{
    using std::exp;
    using std::log;
    using std::pow;
    using std::sqrt;
    const double v = x[V];
    const double R = 8314.472, T = 310, F = 96485.3415, RTF = R * T / F, gamma = 0.35;
    Rates o;
    const double E_Na = RTF * log(p[Na_o] / x[Nai]);
    const double E_K = RTF * log(p[K_o] / x[Ki]);
    const double E_Ks = RTF * log((p[K_o] + p[P_kna] * p[Na_o]) / (x[Ki] + p[P_kna] * x[Nai]));
    const double E_Ca = 0.5 * RTF * log(p[Ca_o] / x[Cai]);

    const double a_K1 = 0.1 / (1 + exp(0.06 * (v - E_K - 200)));
    const double b_K1 = (3 * exp(0.0002 * (v - E_K + 100)) + exp(0.1 * (v - E_K - 10))) /
                        (1 + exp(-0.5 * (v - E_K)));
    const double i_K1 = p[g_K1] * a_K1 / (a_K1 + b_K1) * sqrt(p[K_o] / 5.4) * (v - E_K);
    const double i_to = p[g_to] * x[r] * x[s] * (v - E_K);
    const double i_Kr = p[g_Kr] * sqrt(p[K_o] / 5.4) * x[Xr1] * x[Xr2] * (v - E_K);
    const double i_Ks = p[g_Ks] * x[Xs] * x[Xs] * (v - E_Ks);
    // (V - 15) (0.25 Cass e - Cao) / (e - 1), e = exp(y), with its limit at 15 mV
    const double y = 2 * (v - 15) * F / (R * T);
    const double quotient = y == 0 ? R * T / (2 * F) : (v - 15) / std::expm1(y);
    const double i_CaL = p[g_CaL] * x[d] * x[f] * x[f2] * x[fCass] * 4 * F * F / (R * T) *
                         quotient * (0.25 * x[CaSS] * exp(y) - p[Ca_o]);
    const double i_NaK =
        p[P_NaK] * p[K_o] / (p[K_o] + p[K_mk]) * x[Nai] / (x[Nai] + p[K_mNa]) /
        (1 + 0.1245 * exp(-0.1 * v * F / (R * T)) + 0.0353 * exp(-v * F / (R * T)));
    const double i_Na = p[g_Na] * pow(x[m], 3) * x[h] * x[j] * (v - E_Na);
    const double i_bNa = p[g_bna] * (v - E_Na);
    const double i_NaCa =
        p[K_NaCa] *
        (exp(gamma * v * F / (R * T)) * pow(x[Nai], 3) * p[Ca_o] -
         exp((gamma - 1) * v * F / (R * T)) * pow(p[Na_o], 3) * x[Cai] * p[alpha]) /
        ((pow(p[Km_Nai], 3) + pow(p[Na_o], 3)) * (p[Km_Ca] + p[Ca_o]) *
         (1 + p[K_sat] * exp((gamma - 1) * v * F / (R * T))));
    const double i_bCa = p[g_bca] * (v - E_Ca);
    const double i_pK = p[g_pK] * (v - E_K) / (1 + exp((25 - v) / 5.98));
    const double i_pCa = p[g_pCa] * x[Cai] / (x[Cai] + p[K_pCa]);
    o.d[V] = -(i_K1 + i_to + i_Kr + i_Ks + i_CaL + i_NaK + i_Na + i_bNa + i_NaCa + i_bCa + i_pK +
               i_pCa) +
             stimulus;

    o.inf[Xr1] = 1 / (1 + exp((-26 - v) / 7));
    o.tau[Xr1] = 450 / (1 + exp((-45 - v) / 10)) * 6 / (1 + exp((v + 30) / 11.5));
    o.inf[Xr2] = 1 / (1 + exp((v + 88) / 24));
    o.tau[Xr2] = 3 / (1 + exp((-60 - v) / 20)) * 1.12 / (1 + exp((v - 60) / 20));
    o.inf[Xs] = 1 / (1 + exp((-5 - v) / 14));
    o.tau[Xs] = 1400 / sqrt(1 + exp((5 - v) / 6)) / (1 + exp((v - 35) / 15)) + 80;
    o.inf[m] = 1 / pow(1 + exp((-56.86 - v) / 9.03), 2);
    o.tau[m] = 1 / (1 + exp((-60 - v) / 5)) *
               (0.1 / (1 + exp((v + 35) / 5)) + 0.1 / (1 + exp((v - 50) / 200)));
    double a_h = 0, b_h, a_j = 0, b_j;
    if (v < -40) {
        a_h = 0.057 * exp(-(v + 80) / 6.8);
        b_h = 2.7 * exp(0.079 * v) + 310000 * exp(0.3485 * v);
        a_j = (-25428 * exp(0.2444 * v) - 6.948e-6 * exp(-0.04391 * v)) * (v + 37.78) /
              (1 + exp(0.311 * (v + 79.23)));
        b_j = 0.02424 * exp(-0.01052 * v) / (1 + exp(-0.1378 * (v + 40.14)));
    } else {
        b_h = 0.77 / (0.13 * (1 + exp(-(v + 10.66) / 11.1)));
        b_j = 0.6 * exp(0.057 * v) / (1 + exp(-0.1 * (v + 32)));
    }
    o.inf[h] = o.inf[j] = 1 / pow(1 + exp((v + 71.55) / 7.43), 2);
    o.tau[h] = 1 / (a_h + b_h);
    o.tau[j] = 1 / (a_j + b_j);
    o.inf[d] = 1 / (1 + exp((-8 - v) / 7.5));
    o.tau[d] = (1.4 / (1 + exp((-35 - v) / 13)) + 0.25) * 1.4 / (1 + exp((v + 5) / 5)) +
               1 / (1 + exp((50 - v) / 20));
    o.inf[f] = 1 / (1 + exp((v + 20) / 7));
    o.tau[f] = 1102.5 * exp(-pow(v + 27, 2) / 225) + 200 / (1 + exp((13 - v) / 10)) +
               180 / (1 + exp((v + 30) / 10)) + 20;
    o.inf[f2] = 0.67 / (1 + exp((v + 35) / 7)) + 0.33;
    o.tau[f2] = 562 * exp(-pow(v + 27, 2) / 240) + 31 / (1 + exp((25 - v) / 10)) +
                80 / (1 + exp((v + 30) / 10));
    o.inf[fCass] = 0.6 / (1 + pow(x[CaSS] / 0.05, 2)) + 0.4;
    o.tau[fCass] = 80 / (1 + pow(x[CaSS] / 0.05, 2)) + 2;
    o.inf[s] = 1 / (1 + exp((v - p[s_V_half]) / 5));
    o.tau[s] = p[tau_s_peak] * exp(-pow(v - p[tau_s_V_peak], 2) / p[tau_s_width]) +
               p[tau_s_step] / (1 + exp((v - 20) / 5)) + p[tau_s_base];
    o.inf[r] = 1 / (1 + exp((20 - v) / 6));
    o.tau[r] = 9.5 * exp(-pow(v + 40, 2) / 1800) + 0.8;
    for (int g = Xr1; g <= r; ++g)
        o.d[g] = (o.inf[g] - x[g]) / o.tau[g];

    const double i_up = p[Vmax_up] / (1 + pow(p[K_up] / x[Cai], 2));
    const double i_leak = p[V_leak] * (x[CaSR] - x[Cai]);
    const double i_xfer = p[V_xfer] * (x[CaSS] - x[Cai]);
    const double kcasr = p[max_sr] - (p[max_sr] - p[min_sr]) / (1 + pow(p[EC] / x[CaSR], 2));
    const double k1 = p[k1_prime] / kcasr, k2 = p[k2_prime] * kcasr;
    const double O = k1 * pow(x[CaSS], 2) * x[R_prime] / (p[k3] + k1 * pow(x[CaSS], 2));
    const double i_rel = p[V_rel] * O * (x[CaSR] - x[CaSS]);
    o.d[R_prime] = -k2 * x[CaSS] * x[R_prime] + p[k4] * (1 - x[R_prime]);
    const double bufc = 1 / (1 + p[Buf_c] * p[K_buf_c] / pow(x[Cai] + p[K_buf_c], 2));
    const double bufsr = 1 / (1 + p[Buf_sr] * p[K_buf_sr] / pow(x[CaSR] + p[K_buf_sr], 2));
    const double bufss = 1 / (1 + p[Buf_ss] * p[K_buf_ss] / pow(x[CaSS] + p[K_buf_ss], 2));
    o.d[Cai] = bufc * ((i_leak - i_up) * p[V_sr] / p[V_c] + i_xfer -
                       (i_bCa + i_pCa - 2 * i_NaCa) * p[Cm] / (2 * p[V_c] * F));
    o.d[CaSR] = bufsr * (i_up - (i_rel + i_leak));
    o.d[CaSS] = bufss * (-i_CaL * p[Cm] / (2 * p[V_ss] * F) + i_rel * p[V_sr] / p[V_ss] -
                         i_xfer * p[V_c] / p[V_ss]);
    o.d[Nai] = -(i_Na + i_bNa + 3 * i_NaK + 3 * i_NaCa) * p[Cm] / (p[V_c] * F);
    o.d[Ki] = -(i_K1 + i_to + i_Kr + i_Ks + i_pK - stimulus - 2 * i_NaK) * p[Cm] / (p[V_c] * F);
    return o;
}

} // namespace tawara::cell::tt06::plain
