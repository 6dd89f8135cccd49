// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/activation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::device::cpu {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double bound_mV = 1000; // no membrane reaches 1 V

} // namespace

template <class Real>
ActivationRecord<Real>::ActivationRecord(const Layout& layout)
    : activation_ms(layout.slots(), nan), repolarisation_ms(layout.slots(), nan),
      peak_mV(layout.slots(), Real(-1e3)), rest_mV(layout.slots(), Real(1e3))
{
    for (std::size_t i = 0; i < layout.stepped; ++i)
        if (layout.old_of[i] < 0) // an empty slot has nothing to record
            activation_ms[i] = repolarisation_ms[i] = 0;
}

template <class Real>
std::int64_t ActivationRecord<Real>::look(const Real* v0, const Real* v1, double t_ms, double dt_ms,
                                          double threshold_mV, std::int64_t begin, std::int64_t end)
{
    const Real threshold = static_cast<Real>(threshold_mV), bound = static_cast<Real>(bound_mV);
    std::int64_t bad = -1;
    auto crossing = [&](Real from, Real to, Real level) {
        return t_ms + dt_ms * static_cast<double>(level - from) / static_cast<double>(to - from);
    };
    for (auto slot = begin; slot < end; ++slot) {
        const auto i = static_cast<std::size_t>(slot);
        const Real a = v0[slot], b = v1[slot];
        if (!(b > -bound && b < bound) && bad < 0)
            bad = slot;
        if (std::isnan(activation_ms[i])) {
            rest_mV[i] = std::min(rest_mV[i], a);
            if (a < threshold && b >= threshold) {
                activation_ms[i] = crossing(a, b, threshold);
                peak_mV[i] = b;
            }
        } else if (std::isnan(repolarisation_ms[i])) {
            peak_mV[i] = std::max(peak_mV[i], b);
            const Real level = peak_mV[i] - Real(0.9) * (peak_mV[i] - rest_mV[i]);
            if (b < level && a >= level)
                repolarisation_ms[i] = crossing(a, b, level);
        }
    }
    return bad;
}

template class ActivationRecord<double>;
template class ActivationRecord<float>;

} // namespace tawara::device::cpu
