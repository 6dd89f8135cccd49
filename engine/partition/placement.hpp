// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace tawara::partition {

/// A square table of n x n numbers, row by row.
class Table
{
  public:
    explicit Table(std::size_t n) : n_(n), value_(n * n, 0.0) {}
    std::size_t size() const { return n_; }
    double& operator()(std::size_t a, std::size_t b) { return value_[a * n_ + b]; }
    double operator()(std::size_t a, std::size_t b) const { return value_[a * n_ + b]; }

  private:
    std::size_t n_;
    std::vector<double> value_;
};

/// Time of the exchange, up to a factor, when part k lies on device device[k]: what the busiest
/// device sends, max over a of sum over b of traffic(a, b) cost(device[a], device[b]), and a
/// thousandth of the sum over all devices, which decides between placements whose busiest device is
/// the same.
/// @param traffic  values that part a sends to part b at each exchange
/// @param cost     of one value from device to device: 1 over the link's rate, in any unit
double exchange_cost(const Table& traffic, const Table& cost, std::span<const int> device);

/// The device of each part for which exchange_cost() is smallest: all permutations for up to 7
/// parts, else swaps of two from the given order until none helps. Keeps the given order (0, 1, ..)
/// where nothing is better, as where all links are alike. Deterministic.
/// @pre  traffic.size() == cost.size()
std::vector<int> place_parts(const Table& traffic, const Table& cost);

} // namespace tawara::partition
