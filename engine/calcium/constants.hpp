// SPDX-License-Identifier: GPL-3.0-or-later
// What the formulas of cells and dyads take, worked out of parameters: plain values for processors
// and devices.
#pragma once
#include "engine/calcium/parameters.hpp"

#include <cstdint>
#include <span>

namespace tawara::calcium {

/// Draws (random_words()) that a dyad has in a step; 3 are in use.
inline constexpr std::uint32_t dyad_draws = 8;

/// Dyads of a cell: number x + nx (y + ny z).
struct Grid
{
    int nx = 100, ny = 10, nz = 10;
    std::int64_t count() const { return std::int64_t{nx} * ny * nz; }
    bool operator==(const Grid&) const = default;
};

// Faraday's constant and those of gases as O'Hara et al. have them
inline constexpr double gas_mJ_per_mol_K = 8314, temperature_K = 310, faraday_C_per_mol = 96485;
inline constexpr double RT_per_F_mV = gas_mJ_per_mol_K * temperature_K / faraday_C_per_mol;

/// A cell of 10 x 10 dyads across, or of the given numbers.
/// @param dyads  how many there are in all, or along x, y, z
/// @throws InputError "--dyads" for another count of numbers, or one that is no multiple of 100
Grid grid_of(std::span<const int> dyads);

/// Of the part of a step that is taken once for a cell.
struct MembraneConstants
{
    Parameters p;
    double dt_ms = 0;
    double amount = 0;    ///< A_cap / (V_myo F): current [uA/uF] to a monovalent ion's rate [mM/ms]
    double dyads = 0;     ///< in the cell
    double sums_over = 0; ///< what sums over dyads are divided by
    double cleft_per_myo = 0; ///< volumes of a cleft and of the cell's myoplasm
};

/// Calcium that two buffers bind fast and by half at k1 and k2: the free part of a change is
/// 1 / (1 + a1 / (k1 + c)^2 + a2 / (k2 + c)^2).
template <class Real>
struct Buffers
{
    Real k1, a1, k2, a2;
};

/// Of a dyad's part. Concentrations in mM but that of the cleft, c_d, in uM; a step's length is in
/// all that changes with time.
template <class Real>
struct DyadConstants
{
    // RyR: probabilities in a step
    Real open, open_K4;         ///< largest of opening; K_open^4
    Real close, inhibit_K8, dt; ///< of closing; K_inhibit^8; that of a rate of 1/ms
    Real RyR, active;           ///< channels; more open ones make a dyad active
    std::int32_t refractory;    ///< steps
    // LCC
    Real K_mode, per_LCC, phosphorylated; ///< 1/LCC; 1.1
    int LCC;                              ///< channels
    // CaMKII
    Real camk_K, camk_0, camk_Ca, camk_a, camk_b;
    // cleft
    Real lcc_flux;                  ///< of i_Ca [uM/uA uF]
    Real tau_cleft, release;        ///< [ms], [1/ms]
    Real cleft_to_ss, cleft_to_jsr; ///< of fluxes in the cleft, in a step
    // submembrane space and myoplasm
    Real exchange, ss_per_myo;    ///< dt / tau_ss; v_ss / v_myo
    Real ncx_ss, ncx_myo, K_ncx2; ///< currents; K_ncx^2
    Real ss_per_current, myo_per_current, pCa, K_pCa;
    Buffers<Real> ss, myo;
    // SR
    Real up, up_phosphorylated, K_up, K_up_phosphorylated, leak, nsr_per_myo;
    Real tr, jsr_per_nsr, csqn, K_csqn;
    // diffusion in a step along x, y, z; 0 where a cell has one dyad
    Real spread_myo[3], spread_ss[3];
    double spread_nsr[3];
};

/// @throws InputError "--dt", "--dyads" for a step with which the formulas would not be stable or
/// probabilities not below 1, or more dyads than 2^28
MembraneConstants membrane_constants(const Parameters& p, const Grid& grid, double dt_ms);
template <class Real>
DyadConstants<Real> dyad_constants(const Parameters& p, const Grid& grid, double dt_ms);
extern template DyadConstants<double> dyad_constants(const Parameters&, const Grid&, double);
extern template DyadConstants<float> dyad_constants(const Parameters&, const Grid&, double);

/// What a cell's dyads are told in a step.
template <class Real>
struct DyadInput
{
    Real i_Ca_slope, i_Ca_offset; ///< current of a dyad whose LCC are all open, of c_d [uM]
    Real mode_keep, mode_ratio;   ///< exp(-jca dt); jca / k_mode
    Real plain, plain_Ca;         ///< open probability, and what the calcium mode adds
    Real phos, phos_Ca;           ///< of phosphorylated LCC
    Real ncx_0, ncx_1, ncx_s;     ///< exchanger: (ncx_0 + ncx_1 c) / (1 + ncx_s c)
    Real Cab_slope, Cab_offset;   ///< background current, of c_myo
    std::int32_t step;            ///< its number
    bool forced;                  ///< all RyR are held open
};

/// Sums over dyads in a step.
struct DyadSums
{
    double open = 0;    ///< open LCC, phosphorylated ones for 1.1, over LCC
    double i_Ca = 0;    ///< [uA/uF]
    double ncx = 0;     ///< of both parts [uA/uF]
    double pCa = 0;     ///< [uA/uF]
    double c_myo = 0;   ///< at the step's start [mM]
    double camk = 0;    ///< active CaMKII
    double release = 0; ///< [uM/ms] of a cleft's volume
    double LCC = 0;     ///< open ones
    double RyR = 0;
    static constexpr int count = 9;
};

} // namespace tawara::calcium
