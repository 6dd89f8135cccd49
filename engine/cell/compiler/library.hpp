// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

namespace tawara::cell::compiler {

/// Names of the models that ship with the program (resources/models/NAME.mmt), sorted.
std::vector<std::string> library_names();

/// Whether a model of that name ships with the program.
/// @cost  one look at a file; the folder is not listed
bool is_library_name(const std::string& name);

/// A model of the library by name, or a .mmt or .cellml file by path (anything with a dot in its
/// name).
/// @throws InputError naming the nearest known model
CellSystem load_model(const std::string& name_or_path, const ResolveOptions& options = {});

/// A model, resolved once and shared by all who ask for it.
struct Model : std::enable_shared_from_this<Model>
{
    CellSystem system;
    ModelInfo info;
};

/// load_model() and describe(), kept: asked again for the same options and a file whose text is as
/// it was (and that of the files that it imports), it gives the same object; a changed text gives
/// another one.
/// @throws InputError as load_model()
/// @thread any
std::shared_ptr<const Model> shared_model(const std::string& name_or_path,
                                          const ResolveOptions& options = {});

/// What cell::ModelInfo says of a model, from its equations; schemes are those that compile.
ModelInfo describe(const CellSystem& s);

/// A cell type of the model: a variant ("m", "M" and "mid" are one) and overrides by name, short or
/// component.variable.
/// @throws InputError naming the nearest known variant, parameter or state; `file` and `where` say
///         who asked (empty: the model's own file)
CellType cell_type(const CellSystem& s, const std::string& variant,
                   std::span<const std::pair<std::string, double>> parameters,
                   std::span<const std::pair<std::string, double>> initial,
                   const std::string& file = "", const std::string& where = "");

/// The equations of a cell type: those it carries, else those of the model it names; of that the
/// plain ones (CellSystem::plain) where its neutral parameters have their defaults.
std::shared_ptr<const CellSystem> system_of(const CellType& type);

/// Equations that are right for all of these types of one model: the plain ones where all have
/// those.
/// @pre    at least one type
std::shared_ptr<const CellSystem> system_of(std::span<const CellType> types);

} // namespace tawara::cell::compiler
