// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"

namespace tawara::cell {

/// Whether parameters of disease that a model has (.mmt: "neutral: ...") have their defaults, so
/// that the type is stepped by the equations of a normal cell, without them.
bool is_normal(const CellType& type);

/// The parameters that those equations have, in order: of a normal type without those of disease.
std::vector<double> parameters_in_use(const CellType& type);

/// Whether both are stepped by the same equations: one model, and both normal or neither.
bool same_equations(const CellType& a, const CellType& b);

} // namespace tawara::cell
