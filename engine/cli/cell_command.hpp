// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/library.hpp"
#include "engine/cli/command.hpp"

namespace tawara::cli {

/// Options that say what is what in a model.
struct ModelArguments
{
    std::string potential, stimulus, time;

    void declare(CLI::App& app);
    /// @throws InputError for an unknown name, a file that is not there or cannot be read
    std::shared_ptr<const cell::compiler::Model> find(const std::string& name,
                                                      bool own_stimulus) const;
    /// A cell type that carries the model's equations.
    cell::CellType type(const cell::compiler::Model& model, const std::string& name,
                        const std::string& variant,
                        std::span<const std::pair<std::string, double>> parameters,
                        std::span<const std::pair<std::string, double>> initial = {}) const;
};

/// tawara-cli cell run
void declare_cell_run(const Declaration& d, CLI::App& parent);

} // namespace tawara::cli
