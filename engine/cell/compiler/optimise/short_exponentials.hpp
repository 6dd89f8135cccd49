// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/graph/expr.hpp"

#include <vector>

namespace tawara::cell::compiler {

/// Where V is kept within these bounds, far beyond what a membrane endures, exp(c V) with a small c
/// is a polynomial of V alone, without reducing its range.
inline constexpr double least_V = -200, most_V = 160; ///< [mV]
inline constexpr double middle_V = (least_V + most_V) / 2, V_reach = (most_V - least_V) / 2;
constexpr bool is_short(double c)
{
    return (c < 0 ? -c : c) * V_reach <= 0.2;
}

/// Exponents up to which an exponential and its reciprocal are normal numbers.
constexpr double most_exponent(bool single)
{
    return single ? 85 : 700;
}
/// Whether exp(c V) and its reciprocal are normal numbers within the bounds.
constexpr bool is_bounded(double c, bool single)
{
    return (c < 0 ? c : -c) * least_V <= most_exponent(single);
}

/// Degree of the polynomial for exp(x), |x| <= range <= 1; its relative error is below 3e-8 in
/// single precision and 3e-16 in double.
int short_exponential_degree(double range, bool single);
/// Its coefficients, that of x^0 first: the series of exp(x) in Chebyshev's polynomials of
/// x / range, I_0 + 2 I_1 T_1 + 2 I_2 T_2 + ..., cut off; I_n(range) are modified Bessel functions.
std::vector<double> short_exponential(double range, bool single);

/// Writes exponentials of multiples of V, exp(c V), as
///     exp(b V)^n exp(+-f V)^k exp(r V),  c = n b +- k f + r,
/// where exp(b V) is one of them and the others are short (above), if that takes fewer operations.
/// b and f are those that save most. Before it, exp(k a (V - q)^2) as
///     exp(a (V - p)^2)^k exp(2 k a (p - q) V) exp(k a (q^2 - p^2)),
/// where exp(a (V - p)^2) is there. @return how many of both
int shorten_exponentials(Graph& g, std::vector<Node>& roots, int largest_power, bool single);

} // namespace tawara::cell::compiler
