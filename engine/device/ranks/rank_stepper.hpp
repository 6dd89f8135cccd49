// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/communicator.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::device::ranks {

/// Steps one tissue over the ranks of a communicator, each on the cores that it was given. This
/// process, the first of them, has the whole tissue and asks the others (serve()); each has its
/// share alone. Explicit steps of compiled models, with all that CPU steppers have but parts at
/// ports.
///
/// In double precision what it computes is bit for bit what one process computes, whatever the
/// number of ranks; in single likewise. Snapshots are of the whole tissue, so that one of n ranks
/// is restored on m, and by any other stepper.
///
/// @param threads  of each rank; 0: of this machine's as many as there are for each rank on it
/// @param ranks  at least two, lives as long as the stepper; this process is its rank 0
/// @throws InputError as ranks_of_unknowns(); DeviceError where another rank has ended
std::unique_ptr<Stepper> make_rank_stepper(const TissueProblem& problem, Precision precision,
                                           unsigned threads, Communicator& ranks,
                                           const Progress& progress);

/// Lets serve() return on all other ranks. Does not throw.
void dismiss(Communicator& ranks);

} // namespace tawara::device::ranks
