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

/// A time in which all RyR are held open; what they do afterwards is theirs.
struct ForcedOpening
{
    double from_ms = 0, until_ms = 0;
    bool operator==(const ForcedOpening&) const = default;
};

/// A row of the table of cell types.
struct DyadType
{
    Parameters parameters;
    const Start* start = nullptr;
    std::vector<ForcedOpening> forced{};
    std::shared_ptr<const Start> kept{}; ///< what `start` points to, where nobody else keeps it
    /// Whether the RyR are held open in a step of that middle.
    bool forced_at(double t_ms) const;
};

/// The row that a type of the model dyad_model means: its parameters, the state that it begins
/// with, and forced openings from its `protocol`, which is their times, from, until, from, ..
/// @pre  made by cell::make_cell_type()
DyadType dyad_type(const cell::CellType& type);

/// Why types with another number of RyR a dyad are not taken while cells run.
inline constexpr const char* another_RyR = "another number of RyR a dyad than the cells have, "
                                           "which is part of their state; make the tissue anew";

/// O'Hara-Rudy cells with dyads, on processors in double precision, or mixed where the tissue is in
/// single precision. Their numbers are all finite, so that a snapshot holds them as it holds those
/// of any cell: the membrane's, then of each dyad concentrations, the step of its last activation,
/// and counts of RyR. Two single precision numbers hold a double one, to 48 bits.
///
/// Types can be replaced while it runs, all but how many RyR a dyad has, since those are a state.
class DyadReactionModel : public cell::ReactionModel
{
  public:
    /// @param types  1 to cell::most_types, with as many RyR a dyad in each
    DyadReactionModel(std::vector<DyadType> types, const Grid& grid, std::uint64_t seed);
    std::string name() const override;
    /// Tells the dyads, the RyR of each and the seed.
    std::string identity() const override;
    std::size_t types() const override { return types_.size(); }
    const std::vector<DyadType>& table() const { return types_; }
    const Grid& grid() const { return grid_; }
    std::uint64_t seed() const { return seed_; }
    std::unique_ptr<cell::Reaction<double>> on_cpu_double() const override;
    std::unique_ptr<cell::Reaction<float>> on_cpu_single() const override;

  private:
    std::vector<DyadType> types_;
    Grid grid_;
    std::uint64_t seed_;
};

} // namespace tawara::calcium
