// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/state_tiles.hpp"

#include <algorithm>

namespace tawara::device::cuda {

constexpr std::size_t slice = partition::Subdomain::slice;

StateTiles::StateTiles(std::vector<partition::SlotRange> ranges, std::vector<std::size_t> numbers)
    : ranges_(std::move(ranges)), numbers_(std::move(numbers))
{
    for (std::size_t r = 0; r < ranges_.size(); ++r) {
        const auto begin = static_cast<std::size_t>(ranges_[r].begin) / slice;
        const auto end = (static_cast<std::size_t>(ranges_[r].end) + slice - 1) / slice;
        first_.push_back(static_cast<std::int64_t>(size_));
        range_of_.resize(std::max(range_of_.size(), end), -1);
        std::fill(range_of_.begin() + static_cast<std::ptrdiff_t>(begin),
                  range_of_.begin() + static_cast<std::ptrdiff_t>(end),
                  static_cast<std::int32_t>(r));
        size_ += (end - begin) * slice * numbers_[ranges_[r].group];
    }
}

std::size_t StateTiles::most_numbers() const
{
    return numbers_.empty() ? 0 : *std::max_element(numbers_.begin(), numbers_.end());
}

std::size_t StateTiles::numbers_at(std::size_t slot) const
{
    const std::size_t tile = slot / slice;
    if (tile >= range_of_.size() || range_of_[tile] < 0)
        return 0;
    return numbers_[ranges_[static_cast<std::size_t>(range_of_[tile])].group];
}

std::size_t StateTiles::at(std::size_t k, std::size_t slot) const
{
    const std::size_t tile = slot / slice;
    const auto s = strides(static_cast<std::size_t>(range_of_[tile]));
    return static_cast<std::size_t>(s.origin + static_cast<std::int64_t>(tile) * s.size) +
           k * slice + slot % slice;
}

StateTiles::Strides StateTiles::strides(std::size_t range) const
{
    const auto& r = ranges_[range];
    const auto size = static_cast<std::int64_t>(slice * numbers_[r.group]);
    return {first_[range] - r.begin / static_cast<std::int64_t>(slice) * size, size};
}

} // namespace tawara::device::cuda
