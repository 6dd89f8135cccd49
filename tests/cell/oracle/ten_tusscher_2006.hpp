// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"

namespace tawara::cell::tt06 {

/// States in ModelInfo order; V is separate from the others in every kernel.
enum State {
    V,
    Xr1,
    Xr2,
    Xs,
    m,
    h,
    j,
    d,
    f,
    f2,
    fCass,
    s,
    r,
    Cai,
    CaSR,
    CaSS,
    R_prime,
    Nai,
    Ki,
    state_count
};

/// Parameters in ModelInfo order. Units and meanings are those of model_info("ten_tusscher_2006").
enum Parameter {
    g_Na,
    g_bna,
    g_CaL,
    g_bca,
    g_to,
    g_Kr,
    g_Ks,
    P_kna,
    g_K1,
    P_NaK,
    K_mk,
    K_mNa,
    K_NaCa,
    K_sat,
    alpha,
    Km_Ca,
    Km_Nai,
    g_pCa,
    K_pCa,
    g_pK,
    Na_o,
    K_o,
    Ca_o,
    Cm,
    V_c,
    V_sr,
    V_ss,
    Buf_c,
    K_buf_c,
    Buf_sr,
    K_buf_sr,
    Buf_ss,
    K_buf_ss,
    Vmax_up,
    K_up,
    V_leak,
    V_xfer,
    V_rel,
    k1_prime,
    k2_prime,
    k3,
    k4,
    EC,
    max_sr,
    min_sr,
    s_V_half,
    tau_s_peak,
    tau_s_V_peak,
    tau_s_width,
    tau_s_step,
    tau_s_base,
    parameter_count
};

inline constexpr double R_mJ_per_mol_K = 8314.472; // as printed with the 2006 model
inline constexpr double T_K = 310.0;               // all rate constants belong to 37 degrees C
inline constexpr double F_C_per_mmol = 96485.3415; // as printed with the 2006 model
inline constexpr double gamma_NaCa = 0.35;         // position of the exchanger's energy barrier

/// The model's description: ten Tusscher & Panfilov 2006, states, parameters, variants epi, endo,
/// m.
ModelInfo info();

} // namespace tawara::cell::tt06
