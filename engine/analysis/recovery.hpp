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
    bool falls = false;    ///< in the action potential: its negative rises with V
    bool gate = false;     ///< from 0 to 1
};

/// The recovery variable of a model: of one with two states the other one; else the inactivation
/// of its L-type calcium current by V (f), or, where there is none, the activation of its slow
/// delayed rectifier. Nothing where it has none of them. The choice is this program's; the plane of
/// V and a recovery variable: Arno et al., Front Physiol 12 (2021), Fig. 1.
std::optional<RecoveryVariable> recovery_variable(const cell::ModelInfo& model);

} // namespace tawara::analysis
