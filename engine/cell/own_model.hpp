// SPDX-License-Identifier: GPL-3.0-or-later
// Models of cells that no text of equations describes.
#pragma once
#include "engine/cell/model.hpp"

#include <string>
#include <vector>

namespace tawara::cell {

/// A model whose cells code of its own steps (ReactionModel, reaction.hpp), described as compiled
/// models are, so that whoever looks up a model by its name finds this one, too: model_info() and
/// make_cell_type() know it once add_own_model() was told. It has no CellSystem.
struct OwnModel
{
    struct Range
    {
        double least, most;
        bool whole; ///< whole numbers only
    };
    ModelInfo info;                  ///< no schemes; an empty variant's name is the first one's
    std::vector<Range> ranges;       ///< of ModelInfo::parameters
    std::vector<Range> state_ranges; ///< of ModelInfo::states, for what they begin with
};

/// Makes a model known, for the life of the program; another one of its name changes nothing.
/// @thread any
void add_own_model(const OwnModel& model);

/// The model of that name; null: there is none. Stays valid.
/// @thread any
const OwnModel* own_model(const std::string& name);

/// Names of all that are known, sorted.
std::vector<std::string> own_model_names();

/// Whether code of its own steps cells of that type.
bool is_own(const CellType& type);

/// make_cell_type() of such a model.
/// @throws InputError as make_cell_type(), and for a value out of its range
CellType own_cell_type(const OwnModel& model, std::string_view variant,
                       std::span<const std::pair<std::string, double>> parameters,
                       std::span<const std::pair<std::string, double>> initial,
                       const std::string& file, const std::string& where);

} // namespace tawara::cell
