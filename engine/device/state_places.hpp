// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tawara::device {

/// Where the numbers of each unknown lie in Snapshot::states: states[k] has those of the unknowns
/// that have a number k, in the mesh's order. So few cells with many numbers (dyads) take no room
/// for all the others. Unknowns without cells count as those of the group that has the fewest.
///
/// Snapshots of the former layout, in which every states[k] had a number for each unknown, are read
/// as well: of() tells which it is by the length.
///
/// @cost  4 bytes an unknown for each number of numbers but the least that groups have
class StatePlaces
{
  public:
    StatePlaces() = default;
    /// @param group    of each unknown; no_cells where there are none
    /// @param numbers  beside V of each group's unknowns
    StatePlaces(std::span<const std::uint8_t> group, std::span<const std::size_t> numbers);
    /// Of a problem on a stepper of that precision.
    StatePlaces(const TissueProblem& p, Precision precision);

    std::size_t unknowns() const { return level_.size(); }
    /// Of the group that has the most.
    std::size_t numbers() const { return count_.empty() ? 0 : count_.back(); }
    /// Whether unknown u has a number k.
    bool has(std::size_t k, std::size_t u) const { return k < count_[level_[u]]; }
    /// The length of states[k].
    std::size_t length(std::size_t k) const { return length_[level(k)]; }
    /// Of all of them.
    std::vector<std::size_t> lengths() const;
    /// Bytes of a snapshot's states.
    double bytes() const;
    /// Number k of unknown u in a snapshot's states. @pre has(k, u)
    double& of(std::vector<std::vector<double>>& states, std::size_t k, std::size_t u) const
    {
        auto& all = states[k];
        return all[all.size() == unknowns() ? u : rank(k, u)];
    }
    double of(const std::vector<std::vector<double>>& states, std::size_t k, std::size_t u) const
    {
        const auto& all = states[k];
        return all[all.size() == unknowns() ? u : rank(k, u)];
    }
    /// Numbers k of a list of those of every unknown, which is states[k].
    std::vector<double> packed(std::size_t k, const std::vector<double>& of_every_unknown) const;
    /// States of this layout, all 0.
    std::vector<std::vector<double>> zeros() const;

  private:
    /// The group, in the order of their numbers, that is the first to have a number k.
    std::size_t level(std::size_t k) const;
    std::size_t rank(std::size_t k, std::size_t u) const
    {
        const auto at = level(k);
        return at == 0 ? u : rank_[at - 1][u];
    }

    std::vector<std::size_t> count_;               ///< numbers, each once, rising
    std::vector<std::size_t> length_;              ///< unknowns with so many or more
    std::vector<std::uint8_t> level_;              ///< of each unknown in count_
    std::vector<std::vector<std::uint32_t>> rank_; ///< among those, but for the least count
};

} // namespace tawara::device
