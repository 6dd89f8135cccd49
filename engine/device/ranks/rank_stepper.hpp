// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/communicator.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::device::ranks {

/// Steps one tissue over the ranks of a communicator, each on the cores that it was given, or on a
/// GPU (make_share_stepper()). This process, the first of them, has the whole tissue and asks the
/// others (serve()); each has its share alone. Explicit steps of compiled models, with all that
/// steppers of one process have but parts at ports, and on GPUs interpolated currents.
///
/// What it computes is bit for bit what one process computes on the same kind of device, whatever
/// the number of ranks, in each precision. Snapshots are of the whole tissue, so that one of n
/// ranks is restored on m, and by any other stepper.
///
/// @param options  `threads` of each rank; 0: of this machine's as many as there are for each rank
///                 on it
/// @param ranks  at least two, lives as long as the stepper; this process is its rank 0
/// @throws InputError as ranks_of_unknowns() and make_share_stepper(); DeviceError where another
/// rank has ended
std::unique_ptr<Stepper> make_rank_stepper(const TissueProblem& problem,
                                           const StepperOptions& options, Communicator& ranks,
                                           const Progress& progress);

/// Lets serve() return on all other ranks. Does not throw.
void dismiss(Communicator& ranks);

} // namespace tawara::device::ranks
