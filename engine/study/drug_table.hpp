// SPDX-License-Identifier: GPL-3.0-or-later
// How much of each current drugs leave, by concentration.
#pragma once
#include <string>
#include <vector>

namespace tawara::study {

/// A conductance that a drug reduces.
struct Block
{
    std::string parameter; ///< as factors of a session's drugs name it: "g_Kr"
    double ic50_nM = 0, hill = 1;
};

struct DosedDrug
{
    std::string name;
    double cmax_nM = 0; ///< free drug in plasma at the highest dose that is given; 0: not known
    std::vector<Block> blocks;
};

/// The share of the conductance that a concentration leaves: 1 / (1 + (C / IC50)^hill).
double left_of(const Block& b, double concentration_nM);

/// The twelve drugs that the CiPA initiative trained its models with. IC50, Hill coefficients and
/// C_max are those of AP_simulation/data/newCiPA.csv of github.com/FDA/CiPA (commit 5b08adda,
/// columns of CaL, hERG, Ito, IK1, IKs, late and peak sodium, `therapeutic`), to four digits;
/// currents without a value there are not blocked. The currents were measured by Crumb et al.,
/// J Pharmacol Toxicol Methods 81:251 (2016), and fitted for Li et al., Circ Arrhythm
/// Electrophysiol 10:e004628 (2017). There hERG is bound by a dynamic model; here all blocks are
/// simple pores.
const std::vector<DosedDrug>& known_drugs();

} // namespace tawara::study
