// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/state_places.hpp"

#include <algorithm>

namespace tawara::device {
namespace {

std::vector<std::size_t> numbers_of(const TissueProblem& p, Precision precision)
{
    std::vector<std::size_t> out;
    for (const auto& g : p.groups)
        out.push_back(numbers_per_cell(g, precision));
    return out;
}

} // namespace

StatePlaces::StatePlaces(std::span<const std::uint8_t> group, std::span<const std::size_t> numbers)
    : level_(group.size(), 0)
{
    count_.assign(numbers.begin(), numbers.end());
    std::sort(count_.begin(), count_.end());
    count_.erase(std::unique(count_.begin(), count_.end()), count_.end());
    if (count_.empty())
        count_.push_back(0);
    for (std::size_t u = 0; u < group.size(); ++u)
        if (group[u] != no_cells)
            level_[u] = static_cast<std::uint8_t>(
                std::lower_bound(count_.begin(), count_.end(), numbers[group[u]]) - count_.begin());
    length_.push_back(group.size());
    for (std::size_t at = 1; at < count_.size(); ++at) {
        auto& rank = rank_.emplace_back(group.size());
        std::uint32_t before = 0;
        for (std::size_t u = 0; u < group.size(); ++u) {
            rank[u] = before;
            before += level_[u] >= at ? 1 : 0;
        }
        length_.push_back(before);
    }
}

StatePlaces::StatePlaces(const TissueProblem& p, Precision precision)
    : StatePlaces(p.group, numbers_of(p, precision))
{
}

std::size_t StatePlaces::level(std::size_t k) const
{
    std::size_t at = 0;
    while (count_[at] <= k)
        ++at;
    return at;
}

std::vector<std::size_t> StatePlaces::lengths() const
{
    std::vector<std::size_t> out(numbers());
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = length(k);
    return out;
}

double StatePlaces::bytes() const
{
    double sum = 0;
    for (std::size_t k = 0; k < numbers(); ++k)
        sum += static_cast<double>(sizeof(double) * length(k));
    return sum;
}

std::vector<double> StatePlaces::packed(std::size_t k, const std::vector<double>& all) const
{
    const auto at = level(k);
    if (at == 0)
        return all;
    std::vector<double> out;
    out.reserve(length_[at]);
    for (std::size_t u = 0; u < all.size(); ++u)
        if (level_[u] >= at)
            out.push_back(all[u]);
    return out;
}

std::vector<std::vector<double>> StatePlaces::zeros() const
{
    std::vector<std::vector<double>> out;
    out.reserve(numbers());
    for (const auto n : lengths())
        out.emplace_back(n, 0.0);
    return out;
}

} // namespace tawara::device
