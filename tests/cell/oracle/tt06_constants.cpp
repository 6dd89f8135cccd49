// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cell/oracle/tt06_constants.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tawara::cell::tt06 {
namespace {

/// Parameters in the order of the compiled model, put into Parameter order.
std::vector<double> by_name(std::span<const double> compiled)
{
    static const ModelInfo mine = info();
    const auto& theirs = model_info(mine.name).parameters;
    std::vector<double> p;
    for (const auto& m : mine.parameters) {
        const auto it = std::find_if(theirs.begin(), theirs.end(),
                                     [&](const auto& t) { return t.name == m.name; });
        p.push_back(compiled[static_cast<std::size_t>(it - theirs.begin())]);
    }
    return p;
}

} // namespace

std::array<double, folded_count> fold(std::span<const double> p)
{
    if (p.size() != parameter_count)
        return fold(by_name(p));
    constexpr double F = F_C_per_mmol;
    constexpr double RTF = R_mJ_per_mol_K * T_K / F;
    const auto cube = [](double x) { return x * x * x; };
    const double exchanger = (cube(p[Km_Nai]) + cube(p[Na_o])) * (p[Km_Ca] + p[Ca_o]);
    const double potassium = std::sqrt(p[K_o] / 5.4);
    std::array<double, folded_count> c{};
    c[c_E_Na] = RTF * std::log(p[Na_o]);
    c[c_E_K] = RTF * std::log(p[K_o]);
    c[c_E_Ks] = RTF * std::log(p[K_o] + p[P_kna] * p[Na_o]);
    c[c_E_Ca] = 0.5 * RTF * std::log(p[Ca_o]);
    c[c_P_kna] = p[P_kna];
    c[c_g_Na] = p[g_Na];
    c[c_g_bna] = p[g_bna];
    c[c_CaL] = 2 * F * p[g_CaL];
    c[c_Ca_o] = p[Ca_o];
    c[c_g_bca] = p[g_bca];
    c[c_g_to] = p[g_to];
    c[c_g_Kr] = p[g_Kr] * potassium;
    c[c_g_Ks] = p[g_Ks];
    c[c_g_K1] = p[g_K1] * potassium;
    c[c_P_NaK] = p[P_NaK] * p[K_o] / (p[K_o] + p[K_mk]);
    c[c_K_mNa] = p[K_mNa];
    c[c_NaCa_in] = p[K_NaCa] * p[Ca_o] / exchanger * std::exp(-20 / RTF);
    c[c_NaCa_out] = p[K_NaCa] * p[alpha] * cube(p[Na_o]) / exchanger;
    c[c_K_sat] = p[K_sat];
    c[c_g_pCa] = p[g_pCa];
    c[c_K_pCa] = p[K_pCa];
    c[c_g_pK] = p[g_pK];
    c[c_flux_Na] = p[Cm] / (p[V_c] * F);
    c[c_flux_Ca] = p[Cm] / (2 * p[V_c] * F);
    c[c_flux_ss] = p[Cm] / (2 * p[V_ss] * F);
    c[c_sr_c] = p[V_sr] / p[V_c];
    c[c_sr_ss] = p[V_sr] / p[V_ss];
    c[c_c_ss] = p[V_c] / p[V_ss];
    c[c_buf_c] = p[Buf_c] * p[K_buf_c];
    c[c_K_buf_c] = p[K_buf_c];
    c[c_buf_sr] = p[Buf_sr] * p[K_buf_sr];
    c[c_K_buf_sr] = p[K_buf_sr];
    c[c_buf_ss] = p[Buf_ss] * p[K_buf_ss];
    c[c_K_buf_ss] = p[K_buf_ss];
    c[c_Vmax_up] = p[Vmax_up];
    c[c_K_up2] = p[K_up] * p[K_up];
    c[c_V_leak] = p[V_leak];
    c[c_V_xfer] = p[V_xfer];
    c[c_V_rel] = p[V_rel];
    c[c_k1] = p[k1_prime];
    c[c_k2] = p[k2_prime];
    c[c_k3] = p[k3];
    c[c_k4] = p[k4];
    c[c_EC2] = p[EC] * p[EC];
    c[c_max_EC2] = p[max_sr] * p[EC] * p[EC];
    c[c_min_sr] = p[min_sr];
    c[c_s_inf] = std::exp((-20 - p[s_V_half]) / 5);
    c[c_s_peak] = p[tau_s_peak];
    c[c_s_centre] = p[tau_s_V_peak];
    c[c_s_width] = -1 / p[tau_s_width];
    c[c_s_step] = p[tau_s_step];
    c[c_s_base] = p[tau_s_base];
    return c;
}

} // namespace tawara::cell::tt06
