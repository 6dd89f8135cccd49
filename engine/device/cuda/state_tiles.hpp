// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/partition/decomposition.hpp"

#include <cstdint>
#include <vector>

namespace tawara::device::cuda {

/// Where the states beside V lie in a shard's memory. Each range of slots has tiles of its own,
/// [tile][number][32], with as many numbers as the arrays of its group have for one unknown in all
/// (cell::Reaction::arrays(): those of the first array, of the second ...). So the lanes of a warp
/// read neighbouring numbers, and no group pays for the size of another.
class StateTiles
{
  public:
    StateTiles() = default;
    /// @param numbers  of each group, for one unknown
    StateTiles(std::vector<partition::SlotRange> ranges, std::vector<std::size_t> numbers);

    std::size_t size() const { return size_; } ///< of all tiles, in numbers
    std::size_t numbers_of(std::size_t group) const { return numbers_[group]; }
    std::size_t most_numbers() const; ///< of a group
    /// Of the group that a slot belongs to; 0 for a slot that no range holds.
    std::size_t numbers_at(std::size_t slot) const;
    /// Index of number k of a slot. @pre k < numbers_at(slot)
    std::size_t at(std::size_t k, std::size_t slot) const;

    /// What kernels are told of a range: tile t of the shard's slots begins at origin + t size.
    /// The origin is negative where a range's own slots begin after more tiles than lie before it.
    struct Strides
    {
        std::int64_t origin = 0, size = 0;
    };
    Strides strides(std::size_t range) const;

  private:
    std::vector<partition::SlotRange> ranges_;
    std::vector<std::size_t> numbers_;   ///< of each group
    std::vector<std::int64_t> first_;    ///< of each range: where its first tile begins
    std::vector<std::int32_t> range_of_; ///< of each tile of the shard's slots
    std::size_t size_ = 0;
};

} // namespace tawara::device::cuda
