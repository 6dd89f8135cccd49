// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::calcium {
namespace {

constexpr double least = 1e-6, most = 1e9, width = 0.01; ///< of classes, in ln x

} // namespace

std::size_t Quantiles::class_of(double x)
{
    return static_cast<std::size_t>(std::log(std::clamp(x, least, most) / least) / width);
}

double Quantiles::middle_of(std::size_t k)
{
    return least * std::exp(width * (static_cast<double>(k) + 0.5));
}

void Quantiles::add(double x)
{
    if (!std::isfinite(x))
        return;
    ++count_;
    if (exact() && values_.size() < kept) {
        values_.push_back(x);
        return;
    }
    if (exact()) {
        classes_.assign(class_of(most) + 1, 0);
        for (const double v : values_)
            ++classes_[class_of(v)];
        values_ = {};
    }
    ++classes_[class_of(x)];
}

double Quantiles::at(double q) const
{
    if (count_ == 0)
        return std::numeric_limits<double>::quiet_NaN();
    const double rank = q * static_cast<double>(count_ - 1);
    if (exact()) {
        auto sorted = values_;
        std::sort(sorted.begin(), sorted.end());
        const auto below = static_cast<std::size_t>(rank);
        const double above = sorted[std::min(below + 1, sorted.size() - 1)];
        return sorted[below] + (rank - static_cast<double>(below)) * (above - sorted[below]);
    }
    std::size_t k = 0;
    for (auto seen = static_cast<double>(classes_[0]); seen <= rank && k + 1 < classes_.size();)
        seen += static_cast<double>(classes_[++k]);
    return middle_of(k);
}

} // namespace tawara::calcium
