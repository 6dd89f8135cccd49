// SPDX-License-Identifier: GPL-3.0-or-later
// Whether counts are those of a law: Pearson's chi-square, and what chance makes of it.
#pragma once
#include <span>
#include <vector>

namespace tawara::verify {

struct ChiSquare
{
    double value = 0;
    int freedom = 0; ///< degrees of it
};

/// sum (seen - expected)^2 / expected over classes. Classes of which fewer than 5 are expected are
/// joined with those after them, the last ones with those before.
/// @pre  as many counts as probabilities; these add to 1
ChiSquare chi_square(std::span<const double> counts, std::span<const double> probability);

/// P(chi-square > x), exactly: a sum of freedom / 2 terms.
/// @pre  x >= 0, freedom > 0
double chi_square_tail(double x, int freedom);

/// What chi-square is above with a probability of `tail`, which is between 0 and 1.
/// @pre  freedom > 0
double chi_square_quantile(double tail, int freedom);

/// Probabilities of 0 to n successes in n trials.
/// @pre  0 < p < 1
std::vector<double> binomial_law(int n, double p);

} // namespace tawara::verify
