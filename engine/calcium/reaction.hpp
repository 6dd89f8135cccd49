// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with stochastic dyads as a reaction of a tissue.
#pragma once
#include "engine/calcium/state.hpp"
#include "engine/cell/reaction.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tawara::calcium {

/// A row of the table of cell types.
struct DyadType
{
    Parameters parameters;
    const Start* start = nullptr;
};

/// O'Hara-Rudy cells with dyads, on processors in double precision, or mixed where the tissue is in
/// single precision. Their numbers are all finite, so that a snapshot holds them as it holds those
/// of any cell: the membrane's, then of each dyad concentrations, the step of its last activation,
/// and counts of RyR. Two single precision numbers hold a double one, to 48 bits.
class DyadReactionModel final : public cell::ReactionModel
{
  public:
    /// @param types  1 to cell::most_types
    DyadReactionModel(std::vector<DyadType> types, const Grid& grid, std::uint64_t seed);
    std::string name() const override;
    std::size_t types() const override { return types_.size(); }
    const std::vector<DyadType>& table() const { return types_; }
    const Grid& grid() const { return grid_; }
    std::unique_ptr<cell::Reaction<double>> on_cpu_double() const override;
    std::unique_ptr<cell::Reaction<float>> on_cpu_single() const override;

  private:
    std::vector<DyadType> types_;
    Grid grid_;
    std::uint64_t seed_;
};

} // namespace tawara::calcium
