// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/cell/oracle/scalar_math.hpp"
#include "tests/cell/oracle/ten_tusscher_2006.hpp"

#include <array>
#include <span>

namespace tawara::cell::tt06 {

/// What one cell type needs inside a kernel: everything that depends on parameters alone, computed
/// once. 52 numbers, 416 bytes in double precision.
enum Folded {
    c_E_Na, ///< RT/F ln Na_o [mV]
    c_E_K,  ///< RT/F ln K_o [mV]
    c_E_Ks, ///< RT/F ln(K_o + P_kna Na_o) [mV]
    c_E_Ca, ///< RT/2F ln Ca_o [mV]
    c_P_kna,
    c_g_Na,
    c_g_bna,
    c_CaL, ///< 2 F g_CaL
    c_Ca_o,
    c_g_bca,
    c_g_to,
    c_g_Kr, ///< g_Kr sqrt(K_o / 5.4)
    c_g_Ks,
    c_g_K1,  ///< g_K1 sqrt(K_o / 5.4)
    c_P_NaK, ///< P_NaK K_o / (K_o + K_mk)
    c_K_mNa,
    c_NaCa_in,  ///< K_NaCa Ca_o exp(-20 F/RT) / denominator
    c_NaCa_out, ///< K_NaCa alpha Na_o^3 / denominator
    c_K_sat,
    c_g_pCa,
    c_K_pCa,
    c_g_pK,
    c_flux_Na, ///< Cm / (V_c F)
    c_flux_Ca, ///< Cm / (2 V_c F)
    c_flux_ss, ///< Cm / (2 V_ss F)
    c_sr_c,    ///< V_sr / V_c
    c_sr_ss,   ///< V_sr / V_ss
    c_c_ss,    ///< V_c / V_ss
    c_buf_c,   ///< Buf_c K_buf_c
    c_K_buf_c,
    c_buf_sr, ///< Buf_sr K_buf_sr
    c_K_buf_sr,
    c_buf_ss, ///< Buf_ss K_buf_ss
    c_K_buf_ss,
    c_Vmax_up,
    c_K_up2, ///< K_up^2
    c_V_leak,
    c_V_xfer,
    c_V_rel,
    c_k1,
    c_k2,
    c_k3,
    c_k4,
    c_EC2,     ///< EC^2
    c_max_EC2, ///< max_sr EC^2
    c_min_sr,
    c_s_inf, ///< exp((-20 - s_V_half) / 5)
    c_s_peak,
    c_s_centre,
    c_s_width, ///< -1 / tau_s_width
    c_s_step,
    c_s_base,
    folded_count
};

/// Folds the parameters of one cell type, in Parameter order or in that of
/// model_info("ten_tusscher_2006").
std::array<double, folded_count> fold(std::span<const double> parameters);

/// e^x at compile time, within about 2 units in the last place for |x| < 100.
TAWARA_INLINE constexpr double const_exp(double x)
{
    constexpr double e = 2.718281828459045235360287;
    int n = static_cast<int>(x < 0 ? x - 0.5 : x + 0.5);
    const double rest = x - n;
    double sum = 1;
    for (int k = 22; k > 0; --k)
        sum = 1 + sum * rest / k;
    double power = 1, base = e;
    const bool negative = n < 0;
    for (n = negative ? -n : n; n > 0; n /= 2) {
        if (n % 2)
            power *= base;
        base *= base;
    }
    return negative ? sum / power : sum * power;
}

} // namespace tawara::cell::tt06
