// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/parameters.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tawara::calcium {
namespace {

using P = Parameters;
constexpr double huge = 1e6;

// "code": a public code of the same family of models; "GR": Gaur & Rudy 2011 by that code.
constexpr std::array rows{
    ParameterRow{"Na_o", &P::Na_o, "mM", 1, 1e3, false, "sodium outside"},
    ParameterRow{"K_o", &P::K_o, "mM", 0.1, 100, false, "potassium outside"},
    ParameterRow{"Ca_o", &P::Ca_o, "mM", 0, 100, false, "calcium outside"},
    ParameterRow{"g_Na", &P::g_Na, "mS/uF", 0, huge, false, "fast sodium current"},
    ParameterRow{"m_half", &P::m_half, "mV", -100, 0, false,
                 "half activation of I_Na; -39.57 in ORd, whose waves then fail at 0.5 mm (code)"},
    ParameterRow{"h_shift", &P::h_shift, "mV", -50, 50, false,
                 "lowers the inactivation of I_Na (code)"},
    ParameterRow{"g_NaL", &P::g_NaL, "mS/uF", 0, huge, false, "late sodium current"},
    ParameterRow{"g_to", &P::g_to, "mS/uF", 0, huge, false, "transient outward current"},
    ParameterRow{"epi_to", &P::epi_to, "1", 0, 1, true, "1: I_to inactivates as in epicardium"},
    ParameterRow{"g_Kr", &P::g_Kr, "mS/uF", 0, huge, false, "rapid delayed rectifier"},
    ParameterRow{"g_Ks", &P::g_Ks, "mS/uF", 0, huge, false, "slow delayed rectifier"},
    ParameterRow{"Ks_Ca", &P::Ks_Ca, "1", 0, 10, false,
                 "calcium's factor of I_Ks; a function of calcium in ORd (code)"},
    ParameterRow{"g_K1", &P::g_K1, "mS/uF", 0, huge, false, "inward rectifier"},
    ParameterRow{"g_Kb", &P::g_Kb, "mS/uF", 0, huge, false, "background potassium"},
    ParameterRow{"P_Nab", &P::P_Nab, "cm/s", 0, 1, false, "background sodium"},
    ParameterRow{"P_NaK", &P::P_NaK, "uA/uF", 0, huge, false, "sodium-potassium pump"},
    ParameterRow{"Kna_i_scale", &P::Kna_i_scale, "1", 0.01, 100, false,
                 "scales the pump's affinity for sodium inside (code)"},
    ParameterRow{"P_Ca", &P::P_Ca, "cm/s", 0, 1, false, "L-type calcium current"},
    ParameterRow{"d_shift", &P::d_shift, "mV", -50, 50, false,
                 "lowers the activation of I_CaL (code)"},
    ParameterRow{"f_shift", &P::f_shift, "mV", -50, 50, false,
                 "lowers the inactivation of I_CaL (code)"},
    ParameterRow{"g_ncx", &P::g_ncx, "uA/uF", 0, huge, false, "sodium-calcium exchanger"},
    ParameterRow{"ncx_ss", &P::ncx_ss, "1", 0, 1, false, "part of it that senses c_ss"},
    ParameterRow{"K_ncx", &P::K_ncx, "mM", 1e-8, 1, false, "its activation by calcium"},
    ParameterRow{"P_Cab", &P::P_Cab, "cm/s", 0, 1, false, "background calcium"},
    ParameterRow{"g_pCa", &P::g_pCa, "uA/uF", 0, huge, false, "sarcolemmal calcium pump"},
    ParameterRow{"K_pCa", &P::K_pCa, "mM", 1e-8, 1, false, "its half saturation"},
    ParameterRow{"radius", &P::radius, "cm", 1e-5, 1, false, "of the cell"},
    ParameterRow{"length", &P::length, "cm", 1e-5, 1, false, "of the cell"},
    ParameterRow{"f_myo", &P::f_myo, "1", 1e-6, 1, false, "myoplasm's part of the cell"},
    ParameterRow{"f_nsr", &P::f_nsr, "1", 1e-6, 1, false, "network SR's part"},
    ParameterRow{"f_jsr", &P::f_jsr, "1", 1e-6, 1, false, "junctional SR's part"},
    ParameterRow{"f_ss", &P::f_ss, "1", 1e-6, 1, false, "submembrane space's part; ORd 0.02 (GR)"},
    ParameterRow{"v_cleft", &P::v_cleft, "uL", 1e-16, 1e-9, false, "a dyadic cleft (GR)"},
    ParameterRow{"full_dyads", &P::full_dyads, "1", 1, 1e8, true,
                 "dyads that a whole cell has; each has that part of its volumes (GR)"},
    ParameterRow{"sums_over_all", &P::sums_over_all, "1", 0, 1, true,
                 "1: sums over dyads are divided by full_dyads; 0: by the dyads there are (code)"},
    ParameterRow{"RyR", &P::RyR, "1", 0, 255, true, "ryanodine receptors of a dyad (GR)"},
    ParameterRow{"LCC", &P::LCC, "1", 1, 255, true, "L-type channels of a dyad (GR)"},
    ParameterRow{"k_open", &P::k_open, "1/ms", 0, 100, false, "largest opening rate of RyR (code)"},
    ParameterRow{"K_open", &P::K_open, "uM", 0.01, 1e3, false, "its half saturation (code)"},
    ParameterRow{"k_close", &P::k_close, "1/ms", 0, 100, false, "closing rate of RyR (code)"},
    ParameterRow{"K_inhibit", &P::K_inhibit, "mM", 1e-3, 10, false,
                 "c_jsr at which half of CSQN inhibits RyR (code)"},
    ParameterRow{"refractory", &P::refractory, "ms", 0, 1e5, false,
                 "after a dyad's activation RyR stay inhibited; 0.95 cycle lengths (code)"},
    ParameterRow{"active_part", &P::active_part, "1", 0, 1, false,
                 "a dyad is active with more than this part of its RyR open (code)"},
    ParameterRow{"g_release", &P::g_release, "1/ms", 0, 1e3, false, "of an open RyR (code)"},
    ParameterRow{"tau_cleft", &P::tau_cleft, "ms", 1e-6, 1, false,
                 "from a cleft to the submembrane space (code)"},
    ParameterRow{"K_mode", &P::K_mode, "uM", 1e-3, 1e3, false, "calcium mode of LCC"},
    ParameterRow{"k_mode", &P::k_mode, "1/ms", 1, huge, false, "its rate"},
    ParameterRow{"tau_ss", &P::tau_ss, "ms", 0.05, 1e3, false,
                 "from submembrane space to myoplasm; ORd 0.2 (code)"},
    ParameterRow{"tau_tr", &P::tau_tr, "ms", 0.1, 1e5, false, "from network to junctional SR"},
    ParameterRow{"J_up", &P::J_up, "mM/ms", 0, 1, false, "SERCA"},
    ParameterRow{"J_up_phosphorylated", &P::J_up_phosphorylated, "1", 0, 100, false,
                 "its factor where CaMKII acts"},
    ParameterRow{"K_up", &P::K_up, "mM", 1e-6, 1, false, "its half saturation"},
    ParameterRow{"K_up_drop", &P::K_up_drop, "mM", 0, 1, false, "less by it where CaMKII acts"},
    ParameterRow{"K_up_scale", &P::K_up_scale, "1", 0.01, 100, false,
                 "scales both half saturations (code)"},
    ParameterRow{"J_leak", &P::J_leak, "mM/ms", 0, 1, false, "leak of a full network SR"},
    ParameterRow{"nsr_full", &P::nsr_full, "mM", 0.1, 1e3, false, "c_nsr of a full one"},
    ParameterRow{"csqn", &P::csqn, "mM", 0, 1e3, false, "calsequestrin"},
    ParameterRow{"K_csqn", &P::K_csqn, "mM", 1e-3, 10, false,
                 "its half saturation; ORd 0.8 (code)"},
    ParameterRow{"bsr", &P::bsr, "mM", 0, 100, false, "buffers of the submembrane space"},
    ParameterRow{"K_bsr", &P::K_bsr, "mM", 1e-6, 1, false, ""},
    ParameterRow{"bsl", &P::bsl, "mM", 0, 100, false, ""},
    ParameterRow{"K_bsl", &P::K_bsl, "mM", 1e-6, 1, false, ""},
    ParameterRow{"trpn", &P::trpn, "mM", 0, 100, false, "troponin"},
    ParameterRow{"K_trpn", &P::K_trpn, "mM", 1e-6, 1, false, "its half saturation"},
    ParameterRow{"cmdn", &P::cmdn, "mM", 0, 100, false, "calmodulin"},
    ParameterRow{"K_cmdn", &P::K_cmdn, "mM", 1e-6, 1, false, "its half saturation"},
    ParameterRow{"camk_K", &P::camk_K, "1", 1e-3, 10, false, "CaMKII that acts by half"},
    ParameterRow{"camk_0", &P::camk_0, "1", 0, 1, false, "CaMKII that calmodulin may bind"},
    ParameterRow{"camk_Ca", &P::camk_Ca, "uM", 1e-3, 1e3, false, "c_d at which half of it is"},
    ParameterRow{"camk_a", &P::camk_a, "1/ms", 0, 10, false, "trapping"},
    ParameterRow{"camk_b", &P::camk_b, "1/ms", 0, 10, false, "release of what is trapped"},
    ParameterRow{"D_myo", &P::D_myo, "um2/ms", 0, 10, false, "diffusion of c_myo (code)"},
    ParameterRow{"D_ss", &P::D_ss, "um2/ms", 0, 10, false, "of c_ss (code)"},
    ParameterRow{"D_nsr", &P::D_nsr, "um2/ms", 0, 10, false, "of c_nsr (code)"},
    ParameterRow{"D_z", &P::D_z, "1", 0, 10, false,
                 "factor of the first two along z, across the cell (code)"},
    ParameterRow{"spacing", &P::spacing, "um", 0.01, 10, false, "between dyads (code)"},
    ParameterRow{
        "closed", &P::closed, "1", 0, 1, true,
        "1: no calcium passes the cell's faces; 0: the inner neighbour is mirrored there, "
        "which does not conserve calcium (code). Buffers are stepped apart from what moves: at "
        "0.05 ms a closed cell loses some 0.5 % of its calcium in 300 ms, in proportion to "
        "the step"},
};

std::string number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", x);
    return text;
}

} // namespace

std::span<const ParameterRow> parameter_table()
{
    return rows;
}

void set_parameter(Parameters& p, const std::string& name, double value)
{
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const ParameterRow& r) { return name == r.name; });
    if (row == rows.end()) {
        std::vector<std::string> known;
        for (const auto& r : rows)
            known.emplace_back(r.name);
        throw InputError("--set " + name,
                         "is no parameter of ohara_rudy_dyads_2011" + hint(name, known) +
                             "; tawara-cli cell info ohara_rudy_dyads_2011 lists all");
    }
    if (!(value >= row->least && value <= row->most) || (row->whole && value != std::round(value)))
        throw InputError("--set " + name,
                         "is " + number(value) + "; it should be a " +
                             (row->whole ? "whole number" : "number") + " from " +
                             number(row->least) + " to " + number(row->most) +
                             (std::string_view(row->unit) == "1" ? std::string()
                                                                 : std::string(" ") + row->unit));
    p.*row->value = value;
}

std::span<const Variant> variants()
{
    constexpr P usual;
    static const std::vector<Variant> list{
        {"healthy", "endocardial, as it is", {}, "paced"},
        {"low_IK1", "g_K1 x 0.4", {{"g_K1", 0.4 * usual.g_K1}}, "paced_low_IK1"},
        {"isoproterenol",
         "isoproterenol as in the public code",
         {{"g_Na", 2.7 * usual.g_Na},
          {"h_shift", 5},
          {"g_Ks", 3.2 * usual.g_Ks},
          {"d_shift", 14},
          {"f_shift", 8},
          {"P_Ca", 2.5 * usual.P_Ca},
          {"Kna_i_scale", 0.7},
          {"K_up_scale", 0.54},
          {"K_trpn", 1.6 * usual.K_trpn}},
         "code"},
        {"epi",
         "epicardial, by the factors of O'Hara et al. 2011",
         {{"P_Ca", 1.2 * usual.P_Ca},
          {"g_K1", 1.2 * usual.g_K1},
          {"g_Kb", 0.6 * usual.g_Kb},
          {"g_Kr", 1.3 * usual.g_Kr},
          {"g_Ks", 1.4 * usual.g_Ks},
          {"g_ncx", 1.1 * usual.g_ncx},
          {"P_NaK", 0.9 * usual.P_NaK},
          {"g_NaL", 0.6 * usual.g_NaL},
          {"g_to", 4 * usual.g_to},
          {"epi_to", 1},
          {"J_up", 1.3 * usual.J_up},
          {"cmdn", 1.3 * usual.cmdn}},
         "paced"},
        {"mid",
         "midmyocardial, by the factors of O'Hara et al. 2011",
         {{"P_Ca", 2.5 * usual.P_Ca},
          {"g_K1", 1.3 * usual.g_K1},
          {"g_Kr", 0.8 * usual.g_Kr},
          {"g_ncx", 1.4 * usual.g_ncx},
          {"P_NaK", 0.7 * usual.P_NaK},
          {"g_to", 4 * usual.g_to}},
         "paced"},
    };
    return list;
}

const Variant& variant_named(std::string_view name)
{
    std::vector<std::string> known;
    for (const auto& v : variants()) {
        if (name.empty() || name == v.name)
            return v;
        known.emplace_back(v.name);
    }
    throw InputError("--variant " + std::string(name),
                     "is no variant of ohara_rudy_dyads_2011" + hint(name, known));
}

Parameters parameters_of(const Variant& v)
{
    Parameters p;
    for (const auto& [name, value] : v.values)
        set_parameter(p, name, value);
    return p;
}

} // namespace tawara::calcium
