// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with stochastic dyads in a tissue: what they need, take and say.
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tawara::calcium {
class DyadReactionModel;
}

namespace tawara::simulation {

/// The reaction of a group of cells with dyads; null: it is another one.
const calcium::DyadReactionModel* dyads_of(const device::CellGroup& group);

/// What the cells of a group take on a CPU, or on CUDA devices.
struct DyadMemory
{
    std::array<int, 3> dyads{}; ///< of a cell along x, y, z; 0: the group's cells have none
    std::int64_t seed = 0;
    std::int64_t cells = 0;
    double bytes_of_cell = 0;
    double bytes = 0; ///< in all; a CPU takes room for a whole number of 64 cells
};
DyadMemory dyad_memory(const device::TissueProblem& p, std::size_t group, Precision precision,
                       bool on_cuda = false);

/// @throws InputError at /time/dt_ms, /time/end_ms for steps that are too long for the dyads'
/// parameters, or too many
void need_steps_of_dyads(const Session& s, const CellTable& cells);

/// How many cells have dyads, what they take, and that the step is longer than the source's.
void say_dyads(const Session& s, const device::TissueProblem& p, Notices& notices);

/// What the states of all cells with dyads take is there, and a snapshot of them, if the CPU steps
/// them. CUDA devices look at their own memory when the stepper is made, and say likewise what
/// would fit.
/// @throws InputError at /tissue/regions, with what would fit
void need_memory_for_dyads(const device::TissueProblem& p, const device::StepperOptions& options);

} // namespace tawara::simulation
