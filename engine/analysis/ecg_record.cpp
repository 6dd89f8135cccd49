// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/ecg_record.hpp"

#include <cmath>

namespace tawara::analysis {
namespace {

/// Lower quartile of chi^2 over its degrees of freedom (Wilson & Hilferty, PNAS 17:684, 1931).
double lower_quartile_of_chi2(double freedom)
{
    const double a = 2 / (9 * freedom);
    return std::pow(1 - a - 0.6745 * std::sqrt(a), 3);
}

} // namespace

Values spatial_velocity(const EcgRecord& r, double half_ms)
{
    return over_windows(r.t, half_ms, [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (const auto& v : r.leads) {
            const double s = slope(r.t, v, a, b);
            sum += s * s;
        }
        return std::sqrt(sum);
    });
}

double lower_quartile(Values v)
{
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 4);
    std::nth_element(v.begin(), at, v.end());
    return *at;
}

double quartile_by_scatter(const EcgRecord& r, double half_ms)
{
    double freedom = 1, times = 1; // of the windows away from the record's ends
    const auto scatter = over_windows(r.t, half_ms, [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (const auto& v : r.leads) {
            const Line l = line(r.t, v, a, b);
            sum += l.about_it;
            times = std::max(times, l.times);
        }
        const auto n = static_cast<double>(b - a + 1);
        freedom = std::max(freedom, n - 2);
        return n > 2 ? sum / (n - 2) : sum;
    });
    const auto leads = static_cast<double>(r.leads.size());
    const double variance = lower_quartile(scatter) / lower_quartile_of_chi2(leads * freedom);
    return std::sqrt(variance / times * lower_quartile_of_chi2(leads));
}

double distance(const EcgRecord& r, std::size_t i, std::size_t from)
{
    double sum = 0;
    for (std::size_t k = 0; k < r.leads.size(); ++k)
        sum += std::pow(r.value(k, i) - r.value(k, from), 2);
    return std::sqrt(sum);
}

} // namespace tawara::analysis
