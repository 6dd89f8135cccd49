// SPDX-License-Identifier: GPL-3.0-or-later
// What is to be seen of one cell of a tissue: its dyads at a moment, and its calcium by then.
#pragma once
#include "engine/calcium/cells.hpp"
#include "engine/cell/reaction.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::calcium {

/// The arrays of DyadReactionModel's reaction for cells of such a layout; `kept` numbers of
/// CellState but V. Doubles take two numbers of single precision: the nearest one and what is left.
template <class Real>
std::vector<cell::StateArray> dyad_state_arrays(const DyadLayout<Real>& layout);
extern template std::vector<cell::StateArray> dyad_state_arrays(const DyadLayout<double>&);
extern template std::vector<cell::StateArray> dyad_state_arrays(const DyadLayout<float>&);

/// Means, counts and sums of a cell's dyads at a moment.
struct CalciumState
{
    Observation dyads;
    /// Of all dyads [uA/uF]: what the gates of the LCC and the dyads' calcium lead to expect, which
    /// the open numbers drawn in a step scatter about.
    double i_CaL = 0;
    /// Of all dyads, by the RyR that are open, per volume of myoplasm [mM/ms].
    double release_mM_per_ms = 0;
};

/// One cell's dyads, dyad (x, y, z) being number x + nx (y + ny z). A value.
struct DyadPicture
{
    Grid grid;
    int RyR = 0; ///< that a dyad has
    double v_mV = 0;
    std::vector<float> c_d_uM, c_ss_uM, c_myo_uM; ///< cleft, submembrane space, myoplasm
    std::vector<float> c_jsr_mM;
    std::vector<std::uint8_t> open_RyR;
    CalciumState state;
};

/// What a DyadReactionModel's arrays of one unknown hold.
/// @param p        of the unknown's type
/// @param dt_ms    the tissue's step
/// @param numbers  of the arrays, one after the other, whatever the tissue's precision is
/// @throws Error when they are not those of a cell with such a grid
/// @cost   linear in the dyads: less than half of a step of theirs on one core
DyadPicture dyad_picture(const Parameters& p, const Grid& grid, double dt_ms, double v_mV,
                         std::span<const double> numbers);

} // namespace tawara::calcium
