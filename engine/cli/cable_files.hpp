// SPDX-License-Identifier: GPL-3.0-or-later
// What tawara-cli's commands of cables have in common.
#pragma once
#include "engine/cable/compartments.hpp"
#include "engine/cable/io/read.hpp"
#include "engine/cli/command.hpp"

namespace tawara::cli {

/// How a cable's file is read and cut.
struct CableFileArguments
{
    std::string unit;
    double radius_um = 0, space_step_um = 20;
    std::int64_t root = 0;
    CLI::Option *radius_given = nullptr, *root_given = nullptr;

    void declare(CLI::App& app);
    /// Reads a file and says what was mended. @throws InputError
    /// @param of_several  notes name the file
    cable::io::Loaded read(Context& c, const std::string& file, const Progress& progress,
                           bool several_trees = false, bool of_several = false) const;
    /// Cuts a morphology. @throws InputError for a space step that makes too many compartments
    cable::Compartments cut(const cable::Morphology& m, const cable::Material& of) const;
};

/// A number, or one of soma, axon, basal, dendrite, apical. @throws InputError naming the option
std::int32_t cable_kind(const std::string& option, const std::string& text);

/// The options of cable run.
void declare_cable_run(const Declaration& d, CLI::App& parent);

} // namespace tawara::cli
