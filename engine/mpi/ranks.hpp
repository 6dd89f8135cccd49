// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of an MPI program.
#pragma once
#include "engine/core/communicator.hpp"

#include <memory>
#include <stop_token>

namespace tawara::mpi {

/// Joins the ranks that mpirun or srun has started, for as long as what it returns lives; one rank
/// where nobody has. Once in a process.
///
/// Where a rank dies, Open MPI's mpirun lets a second pass (odls_base_sigkill_timeout), asks all
/// others to end, and kills them after as long again. So once `stop` is asked for, a wait of a
/// third of that time is taken as a rank that does not answer any more; without it, waits last as
/// long as they take.
/// @throws InputError ("--distributed") where the program was built without MPI
/// @throws DeviceError (all calls of the communicator) where a rank does not answer
std::unique_ptr<Communicator> join(std::stop_token stop);

} // namespace tawara::mpi
