// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <vector>

namespace tawara::cell::compiler {

/// Exponential steps of states that move slowly by a polynomial: n / linexp(x), x = h a, becomes
///     n select(x_1^2 + x_2^2 + ... <= 1 / 16, G(x), 1 / linexp(x)),
///     G(x) = (exp(x) - 1) / x = 1 + x / 2! + x^2 / 3! + ...,
/// cut off where what is left is below half an ulp for |x| <= 1 / 4. The condition is one of all
/// x of the step that need not wait for one another, so that a processor takes one side for a
/// whole vector of cells (Plan::branches). For schemes that take exponential steps of the time
/// step (GRL1, GRL2); x without the time step is left. @return how many
int branch_small_growth(Graph& g, std::vector<Node>& roots, bool single);

} // namespace tawara::cell::compiler
