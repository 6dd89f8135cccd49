// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/niederer_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::verify {
namespace {

constexpr double finest_mm = 0.1;

bool is(const NinePoints& run, const TimedProgram* kind, double dx_mm)
{
    return (kind == nullptr || run.program == kind) && std::abs(run.dx_mm - dx_mm) < 1e-9;
}

} // namespace

Bound TimesOfKind::at(std::size_t point) const
{
    constexpr double far = std::numeric_limits<double>::infinity();
    Bound b{far, -far};
    for (const auto& run : published_times)
        if (is(run, kind, dx_mm)) {
            b.least = std::min(b.least, (1 - share) * run.ms[point]);
            b.most = std::max(b.most, (1 + share) * run.ms[point]);
        }
    return b;
}

TimesOfKind times_like(const TimedProgram* kind, double dx_mm)
{
    const bool coarse = dx_mm > 0.3;
    if (kind != nullptr && std::any_of(published_times.begin(), published_times.end(),
                                       [&](const auto& run) { return is(run, kind, dx_mm); }))
        return {kind, dx_mm, coarse ? 0.15 : 0.1};
    return {nullptr, finest_mm, coarse ? 0.2 : 0.1};
}

} // namespace tawara::verify
