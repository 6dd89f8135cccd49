// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a cell with dyads as the numbers that a tissue's snapshot has of it.
#pragma once
#include "engine/calcium/state.hpp"

#include <span>

namespace tawara::calcium::cuda {

/// Numbers of the arrays of DyadReactionModel's reaction (dyad_state_arrays()), of a cell's state.
/// In single precision a double is two of them: the nearest number of single precision, and what is
/// left, to the last bit.
template <class Real>
void to_numbers(const CellState& cell, const DyadArrays<Real>& dyads, std::size_t room,
                std::span<double> numbers);
/// The state of such numbers; V is left as it is.
template <class Real>
void from_numbers(std::span<const double> numbers, std::size_t room, CellState& cell,
                  const DyadArrays<Real>& dyads);
extern template void to_numbers(const CellState&, const DyadArrays<double>&, std::size_t,
                                std::span<double>);
extern template void to_numbers(const CellState&, const DyadArrays<float>&, std::size_t,
                                std::span<double>);
extern template void from_numbers(std::span<const double>, std::size_t, CellState&,
                                  const DyadArrays<double>&);
extern template void from_numbers(std::span<const double>, std::size_t, CellState&,
                                  const DyadArrays<float>&);

} // namespace tawara::calcium::cuda
