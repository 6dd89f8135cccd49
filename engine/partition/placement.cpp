// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/partition/placement.hpp"

#include <algorithm>
#include <numeric>

namespace tawara::partition {
namespace {

constexpr std::size_t all_permutations_up_to = 7; // 5040 of them
constexpr double weight_of_sum = 1e-3;
constexpr double gain = 1 - 1e-9; // a change has to be better by more than rounding

} // namespace

double exchange_cost(const Table& traffic, const Table& cost, std::span<const int> device)
{
    double busiest = 0, sum = 0;
    for (std::size_t a = 0; a < device.size(); ++a) {
        double sends = 0;
        for (std::size_t b = 0; b < device.size(); ++b)
            if (a != b)
                sends += traffic(a, b) * cost(static_cast<std::size_t>(device[a]),
                                              static_cast<std::size_t>(device[b]));
        busiest = std::max(busiest, sends);
        sum += sends;
    }
    return busiest + weight_of_sum * sum;
}

std::vector<int> place_parts(const Table& traffic, const Table& cost)
{
    std::vector<int> best(traffic.size());
    std::iota(best.begin(), best.end(), 0);
    double least = exchange_cost(traffic, cost, best);
    const auto keep_if_better = [&](const std::vector<int>& order) {
        const double now = exchange_cost(traffic, cost, order);
        if (!(now < least * gain))
            return false;
        best = order;
        least = now;
        return true;
    };
    if (best.size() <= all_permutations_up_to) {
        auto order = best;
        while (std::next_permutation(order.begin(), order.end()))
            keep_if_better(order);
        return best;
    }
    for (bool helped = true; helped;) {
        helped = false;
        for (std::size_t a = 0; a < best.size(); ++a)
            for (std::size_t b = a + 1; b < best.size(); ++b) {
                auto order = best;
                std::swap(order[a], order[b]);
                helped = keep_if_better(order) || helped;
            }
    }
    return best;
}

} // namespace tawara::partition
