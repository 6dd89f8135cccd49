// SPDX-License-Identifier: GPL-3.0-or-later
// A step of V on copies of one tree, side by side.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tawara::cable {

/// Copies that are stepped together.
inline constexpr std::size_t lanes_together = 16;

/// The copies of a block: number k of node i lies at i lanes + k, what all copies share at i.
template <class Real>
struct StepRows
{
    std::size_t nodes = 0, lanes = lanes_together; ///< 1 or lanes_together
    const std::int32_t* parent = nullptr;
    const Real *coupling = nullptr, *couplings = nullptr; ///< to the parent; to all neighbours [uS]
    const Real* capacitance = nullptr;                    ///< [nF]
    const Real *rate = nullptr, *slope = nullptr;         ///< of V by the membrane
    Real *v = nullptr, *diagonal = nullptr, *rhs = nullptr;
};

/// The equations of the change of V, without what couples nodes:
///     diagonal = C (1 / h - min(f', 1 / (2 h))) + couplings,   rhs = C f
/// A slope that is no number counts as 0.
/// @cost  reads f and f', writes diagonal and rhs
void prepare(const StepRows<double>& r, double h_ms);
void prepare(const StepRows<float>& r, double h_ms);

/// Adds the axial currents at V to rhs, solves, and adds `times` the solution to V. diagonal and
/// rhs are lost.
/// @return whether all of V are numbers within 1000 mV
/// @cost  a division a node; reads and writes diagonal and rhs, reads V, twice
bool move(const StepRows<double>& r, double times);
bool move(const StepRows<float>& r, double times);

} // namespace tawara::cable
