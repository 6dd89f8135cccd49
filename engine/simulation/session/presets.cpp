// SPDX-License-Identifier: GPL-3.0-or-later
// Drugs and diseased tissue, each with its source.
#include "engine/simulation/session/presets.hpp"

#include <cmath>

namespace tawara::simulation {
namespace {

Region over(std::string kind, std::string name, const ConductivityScale& conductivity_scale,
            std::vector<std::pair<std::string, double>> scale)
{
    Region r;
    r.model.clear();
    r.kind = std::move(kind);
    r.name = std::move(name);
    r.conductivity_scale = conductivity_scale;
    r.scale = std::move(scale);
    return r;
}

} // namespace

std::span<const DrugPreset> drug_presets()
{
    const char* pore =
        "the strength is this program's choice; simple pore block, g = g0 / (1 + [D]/IC50): "
        "Brennan, Fink & Rodriguez, Eur J Pharm Sci 36:62 (2009)";
    const char* of_class =
        "the factors are this program's choice, by the direction of the class alone (Vaughan "
        "Williams, J Clin Pharmacol 24:129, 1984), not measured ones of a drug: for those take "
        "IC50 and free concentration, e.g. of CiPA (Li et al., Clin Pharmacol Ther 105:466, 2019), "
        "g = g0 / (1 + [D]/IC50)";
    static const std::vector<DrugPreset> list{
        {{"I_Kr block 50 %", {{"g_Kr", 0.5}}},
         "Rapid delayed rectifier at half: [D] = IC50 of hERG. Lengthens the action potential.",
         pore},
        {{"I_Kr block 90 %", {{"g_Kr", 0.1}}},
         "Rapid delayed rectifier at a tenth: [D] = 9 IC50 of hERG.",
         pore},
        {{"I_Ks block 50 %", {{"g_Ks", 0.5}}}, "Slow delayed rectifier at half.", pore},
        {{"I_Na block 50 %", {{"g_Na", 0.5}}},
         "Fast sodium current at half: slower upstroke and conduction.",
         pore},
        {{"I_CaL block 50 %", {{"g_CaL", 0.5}}},
         "L-type calcium current at half: shorter action potential.",
         pore},
        {{"I_to block 50 %", {{"g_to", 0.5}}}, "Transient outward current at half.", pore},
        {{"Class Ia (quinidine-like)", {{"g_Na", 0.7}, {"g_Kr", 0.5}}},
         "Moderate sodium block, half of I_Kr: slower conduction, longer action "
         "potential.",
         of_class},
        {{"Class Ib (lidocaine-like)", {{"g_Na", 0.85}, {"g_NaL", 0.5}}},
         "Weak block of the peak sodium current at slow rates, strong block of the late one "
         "(where a model has it).",
         of_class},
        {{"Class Ic (flecainide-like)", {{"g_Na", 0.5}, {"g_Kr", 0.8}}},
         "Strong sodium block: much slower conduction, action potential hardly longer.",
         of_class},
        {{"Class II (beta blocker, on adrenergic tone)", {{"g_CaL", 0.75}, {"g_Ks", 0.75}}},
         "Takes back part of the rise of I_CaL and I_Ks under adrenergic tone; the models' "
         "baseline has none, so values are below it.",
         of_class},
        {{"Class III (sotalol- or dofetilide-like)", {{"g_Kr", 0.5}}},
         "Block of the rapid delayed rectifier alone, by half.",
         of_class},
        {{"Class III (amiodarone-like)",
          {{"g_Kr", 0.6}, {"g_Ks", 0.8}, {"g_Na", 0.8}, {"g_CaL", 0.8}}},
         "Many channels at once: longer action potential without much dispersion.",
         of_class},
        {{"Class IV (verapamil-like)", {{"g_CaL", 0.5}, {"g_Kr", 0.7}}},
         "Half of I_CaL with some block of I_Kr: the effects on duration partly cancel.",
         of_class},
    };
    return list;
}

std::span<const TissuePreset> tissue_presets()
{
    static const std::vector<TissuePreset> list{
        {"Scar core", "Dense scar: does not fire and hardly conducts.",
         "the factor on conductivities, 0.001, is this program's choice; insulating, passive scar: "
         "Arevalo et al., Nat Commun 7:11437 (2016); Mendonca Costa et al., Front Physiol 9:356 "
         "(2018)",
         over("scar_core", "scar core", 0.001, {{"g_Na", 0}, {"g_NaL", 0}, {"g_CaL", 0}})},
        {"Scar, insulating",
         "Dense scar without cells or current: waves go around it, and cells beside it are loaded "
         "by their neighbours alone.",
         "the limit of a scar core that does not conduct; non-conducting infarct scars: Arevalo et "
         "al., Nat Commun 7:11437 (2016)",
         [] {
             auto r = over("scar_core", "insulating scar", 1, {});
             r.insulating = true;
             return r;
         }()},
        {"Border zone",
         "Around a scar: weaker sodium, calcium and potassium currents; a tenth of the "
         "conductivity across the fibres, all of it along them.",
         "I_Na 38 %, I_CaL 31 %, I_Kr 30 %, I_Ks 20 %, conductivity across fibres 10 % of normal: "
         "Arevalo et al., Nat Commun 7:11437 (2016). openCARP's tutorial of a single cell has the "
         "same for I_Na, I_CaL and I_Kr, and 20 % of I_K1 in place of I_Ks. The remodelling was "
         "measured in canine hearts days after infarction: Decker & Rudy, Am J Physiol Heart Circ "
         "Physiol 299:H1588 (2010); reports differ: Mendonca Costa et al., Front Physiol 9:356 "
         "(2018)",
         over("border_zone", "border zone", {1, 0.1, 0.1},
              {{"g_Na", 0.38}, {"g_CaL", 0.31}, {"g_Kr", 0.3}, {"g_Ks", 0.2}})},
        {"Ischaemia, phase 1a",
         "5 to 10 minutes after occlusion: outer potassium times 1.67 (5.4 to 9 mM), I_K(ATP) of "
         "hypoxia, and of acidosis sodium and calcium currents at 75 % with the sodium current's "
         "gates shifted by 3.4 mV. Rest is higher, the action potential lasts half as long, waves "
         "are slower. Only the human ventricular models have I_K(ATP) and the shift.",
         "acidosis (25 % less I_Na and I_CaL, I_Na's gates shifted by 3.4 mV) and I_K(ATP) = "
         "g_KATP (K_o / 4 mM)^0.24 (V - E_K): Shaw & Rudy, Cardiovasc Res 35:256 (1997). 9 mM "
         "and g_KATP are this program's choice: 0.0115 nS/pF is 0.3 % of theirs with all channels "
         "open, 3.9 nS/pF; so many are open with 4.6 mM ATP by their 1 / (1 + ([ATP] / 0.25 "
         "mM)^2). With it, epicardial cells of ten Tusscher & Panfilov's model have half of "
         "their APD90. Measured without ATP: 0.39 of APD90 in the epicardium of cats, 0.7 in the "
         "endocardium: Furukawa et al., Circ Res 68:1693 (1991)",
         [] {
             auto r = over("ischaemia", "ischaemia", 1,
                           {{"K_o", 9.0 / 5.4}, {"g_Na", 0.75}, {"g_CaL", 0.75}});
             r.parameters = {{"g_KATP", 0.0115}, {"shift_Na", 3.4}};
             return r;
         }()},
        {"Fibrosis, diffuse", "Cells as they were, coupling reduced to a third.",
         "the factor is this program's choice; published ones differ widely",
         over("fibrosis", "fibrosis", 0.3, {})},
    };
    return list;
}

Region fitted(Region preset, bool fibres)
{
    const auto& c = preset.conductivity_scale;
    if (!fibres && !c.even()) // two figures
        preset.conductivity_scale = std::round(100 * std::cbrt(c.fibre * c.sheet * c.normal)) / 100;
    return preset;
}

} // namespace tawara::simulation
