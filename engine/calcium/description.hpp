// SPDX-License-Identifier: GPL-3.0-or-later
// The cell with dyads as cell::model_info() describes models.
#pragma once

namespace tawara::calcium {

/// Makes dyad_model known to cell::own_model(): its parameters with their ranges, its variants with
/// the states that they begin with, and states: those of the membrane in the order of CellState,
/// then calcium that all dyads begin with (c_myo, c_ss, c_nsr, c_jsr, n_ca, CaMK_t).
/// @thread any; again changes nothing
void make_dyads_known();

} // namespace tawara::calcium
