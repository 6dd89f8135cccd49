// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with stochastic dyads as a reaction of a tissue on processors and, where the program has
// CUDA, on its devices.
#pragma once
#include "engine/calcium/reaction.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tawara::calcium::cuda {

/// The reaction on every back end of this program. Its states, random numbers and formulas are the
/// same on all of them, so that snapshots of one go on on another; not with the same bits, since
/// e^x is rounded otherwise on devices.
/// @param types  as DyadReactionModel
std::shared_ptr<const DyadReactionModel> tissue_model(std::vector<DyadType> types, const Grid& grid,
                                                      std::uint64_t seed);

/// Bytes of a device's memory that a cell of a tissue takes: its state, and beside it a second
/// place of what diffuses (24 bytes a dyad, 16 in single precision), sums and inputs; 0 where the
/// program has no CUDA.
/// @param single  the tissue is in single precision
double tissue_bytes_of_cell(const Grid& grid, bool single);

} // namespace tawara::calcium::cuda
