// SPDX-License-Identifier: GPL-3.0-or-later
// Leads made of bumps, whose intervals are known.
#pragma once
#include "engine/analysis/ecg_intervals.hpp"

#include <cmath>
#include <iterator>
#include <random>
#include <vector>

namespace tawara::test {

inline constexpr double amplitude_mV[] = {1, -0.6, 0.8, -0.3, 1.4};
/// |u| exp((1 - u^2) / 2) = 0.05: where a Gaussian bump is as steep as 5 % of its steepest.
inline constexpr double edge = 3.0353;

struct Beat
{
    double at_ms, qrs_ms = 12, t_after_ms = 300, t_ms = 40; ///< middles and standard deviations
    double onset() const { return at_ms - edge * qrs_ms; }
    double end() const { return at_ms + edge * qrs_ms; }
    double t_end() const { return at_ms + t_after_ms + 2 * t_ms; } // the tangent of a Gaussian
};

struct Record
{
    std::vector<double> t;
    std::vector<std::vector<float>> mV;
    analysis::EcgIntervals measured(bool at_rest = false) const
    {
        return analysis::ecg_intervals(t, mV, at_rest);
    }
    /// Its first n samples.
    Record first(int n) const
    {
        Record out = *this;
        out.t.resize(static_cast<std::size_t>(n));
        for (auto& lead : out.mV)
            lead.resize(static_cast<std::size_t>(n));
        return out;
    }
};

inline Record record(const std::vector<Beat>& beats, double from, double to, double step = 1,
                     double noise_mV = 0)
{
    Record r;
    r.mV.resize(std::size(amplitude_mV));
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, 1);
    const auto bump = [](double x) { return std::exp(-x * x / 2); };
    for (double t = from; t <= to + 1e-9; t += step) {
        r.t.push_back(t);
        for (std::size_t k = 0; k < r.mV.size(); ++k) {
            double v = 0.2; // no lead's zero is its baseline
            for (const auto& b : beats)
                v += amplitude_mV[k] * (bump((t - b.at_ms) / b.qrs_ms) +
                                        0.3 * bump((t - b.at_ms - b.t_after_ms) / b.t_ms));
            r.mV[k].push_back(static_cast<float>(v + noise_mV * normal(random)));
        }
    }
    return r;
}

} // namespace tawara::test
