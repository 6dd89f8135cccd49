// SPDX-License-Identifier: GPL-3.0-or-later
// What the benches of whole tissue have in common.
#pragma once
#include "engine/cli/cell_command.hpp"
#include "engine/cli/command.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/session.hpp"

namespace tawara::cli {

struct BenchTissue
{
    std::string mesh, scheme = "fvm", reaction = "rush_larsen_light", model;
    ModelArguments variables;
    long size = 200'000; ///< unknowns of a slab
    double dt_ms = 0.02;
    DeviceArguments device;

    /// Options for all of it but the scheme and the reaction.
    void declare(CLI::App& app);
};

/// The tissue that is stepped: a mesh file, or a slab of about `size` unknowns at 0.2 mm with a
/// wave from one side.
/// @throws InputError for a size that cannot be, an unknown scheme or model
simulation::Session bench_session(const Context& c, const BenchTissue& a);

simulation::RunOptions bench_options(const BenchTissue& a);

/// @return wall seconds
double take_steps(device::Stepper& stepper, long steps, const Progress& progress);

/// A line for each kernel of a report.
void say_kernels(Context& c, const Json& kernels);

} // namespace tawara::cli
