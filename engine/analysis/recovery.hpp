// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tawara::analysis {

/// A state of a cell that follows its potential slowly, up and down again.
struct RecoveryVariable
{
    std::size_t state = 0; ///< of ModelInfo::states
    std::string name;      ///< component.variable
};

/// The recovery variable of a model: of one with two states the other one; else the inactivation
/// of its L-type calcium current by V (f), or, where there is none that follows a beat, the fast
/// activation of its rapid delayed rectifier (of O'Hara-Rudy's f one part takes some milliseconds,
/// the other recovers within seconds), or the activation of its slow one. Nothing where it has none
/// of them. The choice is this program's; the plane of V and a recovery variable: Arno et al.,
/// Front Physiol 12 (2021), Fig. 1.
std::optional<RecoveryVariable> recovery_variable(const cell::ModelInfo& model);

/// From where to where a recovery variable goes in an action potential, up or down.
struct RecoveryRange
{
    double rest = 0, farthest = 1;
    /// 0 at rest, 1 where it has come farthest.
    double share(double x) const { return (x - rest) / (farthest - rest); }
};

/// That of a model's first action potential, with its published values: from its initial state.
/// Computed once, by CVODE, then kept. Nothing where the model has no recovery variable, or where a
/// pulse of 52 pA/pF for 1 ms makes no action potential in which the variable moves, or cannot be
/// computed.
/// @throws InputError  as cell::model_info()
/// @thread any
/// @cost   some tenths of a second for the first time
std::optional<RecoveryRange> recovery_range(const std::string& model);

} // namespace tawara::analysis
