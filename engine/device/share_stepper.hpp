// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/halo.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::device {

/// Whether a process' share may be stepped so. @throws InputError ("--precision") for mixed
/// precision on the CPU
void check_share(const StepperOptions& options);

/// Steps one process' share of a tissue (TissueProblem::elsewhere): on the CPU, or, where CUDA
/// devices are asked for, on one of them.
/// @param options  Devices::automatic is the CPU
/// @param here     which of the processes of this machine this is, from 0: each takes the next of
///                 the devices that are named, else of all that are usable, from the first again
///                 where there are fewer
/// @param others   lives as long as the stepper
/// @throws InputError where the devices cannot be used, or cannot step it; DeviceError
std::unique_ptr<Stepper> make_share_stepper(const TissueProblem& share,
                                            const StepperOptions& options, int here, Halo& others,
                                            const Progress& progress);

} // namespace tawara::device
