// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/aligned.hpp"
#include "engine/device/layout.hpp"

namespace tawara::device::cpu {

/// Activation maps while a run goes on: one record per slot.
template <class Real>
class ActivationRecord
{
  public:
    explicit ActivationRecord(const Layout& layout);

    /// Looks at the step from v0 (at t) to v1 (at t + dt) on slots [begin, end).
    /// @return a slot whose potential is not finite or beyond 1 V, or -1
    std::int64_t look(const Real* v0, const Real* v1, double t_ms, double dt_ms,
                      double threshold_mV, std::int64_t begin, std::int64_t end);

    AlignedVector<double> activation_ms, repolarisation_ms; ///< NaN: not yet
    AlignedVector<Real> peak_mV, rest_mV;
};

} // namespace tawara::device::cpu
