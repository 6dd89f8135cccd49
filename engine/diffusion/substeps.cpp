// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/diffusion/system.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::diffusion {

namespace {
constexpr int euler_limit = 6;        // from so many Euler sub-steps on RKL2 costs less
constexpr double rounding = 1 + 1e-9; // a step that exceeds the bound by rounding is no step more
} // namespace

SubStepping choose_substeps(double dt_ms, double stable_dt_ms)
{
    if (!(dt_ms > 0) || !(stable_dt_ms > 0))
        throw InputError("", "/time/dt_ms",
                         "the time step and its stability bound must be positive");
    const double ratio = std::isinf(stable_dt_ms) ? 0 : dt_ms / (stable_dt_ms * rounding);
    SubStepping out;
    if (ratio <= euler_limit - 1) {
        out.stages = std::max(1, static_cast<int>(std::ceil(ratio)));
        return out;
    }
    if (ratio > 1e8)
        throw InputError("", "/time/dt_ms",
                         "diffusion would need more than 10000 stages inside one time "
                         "step; a smaller step or implicit stepping would be right");
    out.kind = SubStepping::Kind::rkl2;
    out.stages = 3;
    while ((out.stages * static_cast<double>(out.stages) + out.stages - 2) / 4 < ratio)
        out.stages += 2;
    return out;
}

Rkl2 rkl2(int stages)
{
    if (stages < 2)
        throw InputError("RKL2", "a super step has at least 2 stages");
    const auto s = static_cast<std::size_t>(stages);
    auto b = [](std::size_t j) {
        const auto x = static_cast<double>(j);
        return j < 2 ? 1.0 / 3 : (x * x + x - 2) / (2 * x * (x + 1));
    };
    const auto sd = static_cast<double>(stages);
    const double w1 = 4 / (sd * sd + sd - 2);
    Rkl2 c;
    c.mu.assign(s, 0);
    c.nu.assign(s, 0);
    c.mu_tilde.assign(s, 0);
    c.gamma_tilde.assign(s, 0);
    c.mu_tilde[0] = b(1) * w1;
    for (std::size_t j = 2; j <= s; ++j) {
        const auto x = static_cast<double>(j);
        c.mu[j - 1] = (2 * x - 1) / x * b(j) / b(j - 1);
        c.nu[j - 1] = -(x - 1) / x * b(j) / b(j - 2);
        c.mu_tilde[j - 1] = c.mu[j - 1] * w1;
        c.gamma_tilde[j - 1] = -(1 - b(j - 1)) * c.mu_tilde[j - 1];
    }
    return c;
}

} // namespace tawara::diffusion
