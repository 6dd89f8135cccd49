// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cell/oracle/ten_tusscher_2006.hpp"

namespace tawara::cell::tt06 {
namespace {

std::vector<StateInfo> states()
{
    return {{"V", "mV", -85.23, false},      {"Xr1", "1", 0.00621, true},
            {"Xr2", "1", 0.4712, true},      {"Xs", "1", 0.0095, true},
            {"m", "1", 0.00172, true},       {"h", "1", 0.7444, true},
            {"j", "1", 0.7045, true},        {"d", "1", 3.373e-5, true},
            {"f", "1", 0.7888, true},        {"f2", "1", 0.9755, true},
            {"fCass", "1", 0.9953, true},    {"s", "1", 0.999998, true},
            {"r", "1", 2.42e-8, true},       {"Cai", "mM", 0.000126, false},
            {"CaSR", "mM", 3.64, false},     {"CaSS", "mM", 0.00036, false},
            {"R_prime", "1", 0.9073, false}, {"Nai", "mM", 8.604, false},
            {"Ki", "mM", 136.89, false}};
}

std::vector<ParameterInfo> parameters()
{
    return {
        {"g_Na", "nS/pF", "conductance of the fast sodium current", 14.838},
        {"g_bna", "nS/pF", "conductance of the background sodium current", 0.00029},
        {"g_CaL", "L/F/s", "conductance of the L-type calcium current", 3.98e-5},
        {"g_bca", "nS/pF", "conductance of the background calcium current", 0.000592},
        {"g_to", "nS/pF", "conductance of the transient outward current", 0.294},
        {"g_Kr", "nS/pF", "conductance of the rapid delayed rectifier", 0.153},
        {"g_Ks", "nS/pF", "conductance of the slow delayed rectifier", 0.392},
        {"P_kna", "1", "relative permeability of the slow delayed rectifier to sodium", 0.03},
        {"g_K1", "nS/pF", "conductance of the inward rectifier", 5.405},
        {"P_NaK", "pA/pF", "largest sodium-potassium pump current", 2.724},
        {"K_mk", "mM", "half saturation of the pump by outer potassium", 1.0},
        {"K_mNa", "mM", "half saturation of the pump by inner sodium", 40.0},
        {"K_NaCa", "pA/pF", "largest sodium-calcium exchanger current", 1000.0},
        {"K_sat", "1", "saturation factor of the exchanger at negative potentials", 0.1},
        {"alpha", "1", "factor on the outward exchanger current", 2.5},
        {"Km_Ca", "mM", "half saturation of the exchanger by outer calcium", 1.38},
        {"Km_Nai", "mM", "half saturation of the exchanger by sodium", 87.5},
        {"g_pCa", "pA/pF", "largest sarcolemmal calcium pump current", 0.1238},
        {"K_pCa", "mM", "half saturation of the sarcolemmal calcium pump", 0.0005},
        {"g_pK", "nS/pF", "conductance of the plateau potassium current", 0.0146},
        {"Na_o", "mM", "outer sodium concentration", 140.0},
        {"K_o", "mM", "outer potassium concentration", 5.4},
        {"Ca_o", "mM", "outer calcium concentration", 2.0},
        {"Cm", "uF/cm2 x 1e-4 cm2", "cell capacitance, in the model's scaled units", 0.185},
        {"V_c", "scaled um3", "cytoplasmic volume, in the model's scaled units", 0.016404},
        {"V_sr", "scaled um3", "volume of the sarcoplasmic reticulum", 0.001094},
        {"V_ss", "scaled um3", "volume of the dyadic subspace", 0.00005468},
        {"Buf_c", "mM", "total cytoplasmic buffer", 0.2},
        {"K_buf_c", "mM", "half saturation of the cytoplasmic buffer", 0.001},
        {"Buf_sr", "mM", "total buffer of the sarcoplasmic reticulum", 10.0},
        {"K_buf_sr", "mM", "half saturation of the reticulum's buffer", 0.3},
        {"Buf_ss", "mM", "total buffer of the subspace", 0.4},
        {"K_buf_ss", "mM", "half saturation of the subspace's buffer", 0.00025},
        {"Vmax_up", "mM/ms", "largest SERCA uptake rate", 0.006375},
        {"K_up", "mM", "half saturation of SERCA", 0.00025},
        {"V_leak", "1/ms", "leak rate of the reticulum", 0.00036},
        {"V_xfer", "1/ms", "rate of diffusion from subspace to cytoplasm", 0.0038},
        {"V_rel", "1/ms", "largest release rate of the reticulum", 0.102},
        {"k1_prime", "1/mM2/ms", "opening rate of the release channel", 0.15},
        {"k2_prime", "1/mM/ms", "inactivation rate of the release channel", 0.045},
        {"k3", "1/ms", "closing rate of the release channel", 0.06},
        {"k4", "1/ms", "recovery rate of the release channel", 0.005},
        {"EC", "mM", "half saturation of the release by the reticulum's calcium", 1.5},
        {"max_sr", "1", "largest value of k_casr", 2.5},
        {"min_sr", "1", "smallest value of k_casr", 1.0},
        {"s_V_half", "mV", "half inactivation of the s gate", -20.0},
        {"tau_s_peak", "ms", "height of the bell in the s gate's time constant", 85.0},
        {"tau_s_V_peak", "mV", "centre of that bell", -45.0},
        {"tau_s_width", "mV2", "width of that bell: exp(-(V - centre)^2 / width)", 320.0},
        {"tau_s_step", "ms", "step in the s gate's time constant, half at 20 mV", 5.0},
        {"tau_s_base", "ms", "least time constant of the s gate", 3.0},
    };
}

std::vector<Variant> variants()
{
    return {{"epi", {}, {}},
            {"endo",
             {{"g_to", 0.073},
              {"s_V_half", -28.0},
              {"tau_s_peak", 1000.0},
              {"tau_s_V_peak", -67.0},
              {"tau_s_width", 1000.0},
              {"tau_s_step", 0.0},
              {"tau_s_base", 8.0}},
             {}},
            {"m", {{"g_Ks", 0.098}}, {}}};
}

} // namespace

ModelInfo info()
{
    ModelInfo i;
    i.name = "ten_tusscher_2006";
    i.title = "ten Tusscher & Panfilov 2006, human ventricular myocyte";
    i.source = "ten Tusscher KHWJ, Panfilov AV. Alternans and spiral breakup in a human "
               "ventricular tissue "
               "model. Am J Physiol Heart Circ Physiol 291: H1088-H1100, 2006";
    i.states = states();
    i.parameters = parameters();
    i.variants = variants();
    i.schemes = {Scheme::forward_euler, Scheme::rk4, Scheme::rush_larsen, Scheme::rush_larsen_light,
                 Scheme::grl1};

    return i;
}

} // namespace tawara::cell::tt06
