// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/chi_square.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace tawara::verify {

ChiSquare chi_square(std::span<const double> counts, std::span<const double> probability)
{
    constexpr double least_expected = 5;
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    ChiSquare out{0, -1};
    double seen = 0, part = 0, left = 1;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        seen += counts[k];
        part += probability[k];
        left -= probability[k];
        const bool last = k + 1 == counts.size();
        if (!last && (total * part < least_expected || total * left < least_expected))
            continue;
        const double off = seen - total * part;
        out.value += off * off / (total * part);
        ++out.freedom;
        seen = part = 0;
    }
    return out;
}

double chi_square_tail(double x, int freedom)
{
    // Q(a + 1, y) = Q(a, y) + y^a e^-y / Gamma(a + 1), from Q(1/2, y) = erfc(sqrt(y)) or
    // Q(1, y) = e^-y
    const double y = x / 2;
    double a = freedom % 2 == 0 ? 1 : 0.5;
    double q = freedom % 2 == 0 ? std::exp(-y) : std::erfc(std::sqrt(y));
    double term = std::exp(-y) * std::pow(y, a) / std::tgamma(a + 1);
    for (; a < freedom / 2.0; a += 1) {
        q += term;
        term *= y / (a + 1);
    }
    return q;
}

double chi_square_quantile(double tail, int freedom)
{
    double low = 0, high = freedom;
    while (chi_square_tail(high, freedom) > tail)
        high *= 2;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (chi_square_tail(middle, freedom) > tail ? low : high) = middle;
    }
    return (low + high) / 2;
}

std::vector<double> binomial_law(int n, double p)
{
    std::vector<double> out;
    double log_ways = 0;
    for (int k = 0; k <= n; ++k) {
        if (k > 0)
            log_ways += std::log(static_cast<double>(n - k + 1) / k);
        out.push_back(std::exp(log_ways + k * std::log(p) + (n - k) * std::log1p(-p)));
    }
    return out;
}

} // namespace tawara::verify
