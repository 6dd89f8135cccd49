// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <array>
#include <span>
#include <vector>

namespace tawara::cell::compiler {

/// Values of a graph's nodes over what a cell may go through: V from -200 to 200 mV in steps of 25,
/// each with the other states at a third of, at, and at three times their typical values (0, 0.5
/// and 1 where that is 0). Probes, no proof: what holds there decides about rewriting, and a
/// rewritten expression is equal to the plain one wherever neither leaves the range of numbers.
class Samples
{
  public:
    /// @param states      typical values, V first; empty: 1 for all but V
    /// @param parameters  typical values
    Samples(const Graph& g, std::span<const double> states, std::span<const double> parameters);
    /// Whether |n| lies in [1 / largest, largest] at all samples, 0 being allowed if `zero`.
    bool within(Node n, double largest, bool zero);

  private:
    void update();
    double symbol(std::uint32_t id, std::size_t sample) const;
    static constexpr std::size_t potentials = 17, count = 3 * potentials;
    const Graph& g_;
    std::vector<double> states_, parameters_;
    std::vector<std::array<double, count>> values_;
};

} // namespace tawara::cell::compiler
