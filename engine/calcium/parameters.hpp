// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of the O'Hara-Rudy cell with stochastic dyads, and its named variants.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tawara::calcium {

/// O'Hara-Rudy currents with dyads of the Gaur-Rudy type. Where a value is not of O'Hara et al.
/// 2011 (endocardial), parameter_table() says so. Gaur & Rudy 2011, Lan et al. 2015 and Altanaite &
/// Langguth 2018 print no table of the whole set; it is that of a public code of the same family of
/// models.
struct Parameters
{
    // outside
    double Na_o = 140, K_o = 5.4, Ca_o = 1.8; // [mM]
    // currents of the membrane
    double g_Na = 75, m_half = -49.57, h_shift = 0;       // [mS/uF], [mV]
    double g_NaL = 0.0075, g_to = 0.02, epi_to = 0;       //
    double g_Kr = 0.046, g_Ks = 0.0034, Ks_Ca = 1.3;      //
    double g_K1 = 0.1908, g_Kb = 0.003, P_Nab = 3.75e-10; //
    double P_NaK = 30, Kna_i_scale = 1;
    double P_Ca = 1e-4, d_shift = 0, f_shift = 0; // [cm/s], [mV]
    double g_ncx = 0.0008, ncx_ss = 0.2, K_ncx = 1.5e-4;
    double P_Cab = 2.5e-8, g_pCa = 0.0005, K_pCa = 0.0005;
    // the cell's volumes
    double radius = 0.0011, length = 0.01; // [cm]
    double f_myo = 0.68, f_nsr = 0.0552, f_jsr = 0.0048, f_ss = 0.01, v_cleft = 1e-13;
    double full_dyads = 10'000, sums_over_all = 1;
    // channels of a dyad
    double RyR = 100, LCC = 15;
    double k_open = 3, K_open = 5, k_close = 0.5, K_inhibit = 0.5;
    double refractory = 475, active_part = 0.2;
    double g_release = 4, tau_cleft = 7e-4;
    double K_mode = 2, k_mode = 1000;
    // transport and buffers
    double tau_ss = 0.1, tau_tr = 100;
    double J_up = 0.004375, J_up_phosphorylated = 2.75, K_up = 0.00092, K_up_drop = 0.00017,
           K_up_scale = 1, J_leak = 0.0039375, nsr_full = 15;
    double csqn = 10, K_csqn = 0.5, bsr = 0.047, K_bsr = 0.00087, bsl = 1.124, K_bsl = 0.0087;
    double trpn = 0.07, K_trpn = 0.0005, cmdn = 0.05, K_cmdn = 0.00238;
    // CaMKII
    double camk_K = 0.15, camk_0 = 0.05, camk_Ca = 1.5, camk_a = 0.05, camk_b = 0.00068;
    // between dyads
    double D_myo = 0.02, D_ss = 0.02, D_nsr = 0.02, D_z = 2, spacing = 0.2, closed = 0;
};

/// A row of the table: what a parameter is called, what it is, and which values it may have.
struct ParameterRow
{
    const char* name;
    double Parameters::*value;
    const char* unit;
    double least, most;
    bool whole;       ///< whole numbers only
    const char* what; ///< with its source where it is not O'Hara et al. 2011
};

/// All of them, in the order of Parameters.
std::span<const ParameterRow> parameter_table();

/// @throws InputError "--set NAME" for a name that is not in the table, or a value out of its range
void set_parameter(Parameters& p, const std::string& name, double value);

/// A named set of values that differ from the defaults, and the state that it begins with.
struct Variant
{
    const char* name;
    const char* what;
    std::vector<std::pair<const char*, double>> values;
    const char* start; ///< of starts() (start.hpp)
};
std::span<const Variant> variants();

/// Row of variants(); an empty name is the first one's.
/// @throws InputError "--variant" for a name that is not there
const Variant& variant_named(std::string_view name);

/// The parameters of a variant.
Parameters parameters_of(const Variant& v);

} // namespace tawara::calcium
