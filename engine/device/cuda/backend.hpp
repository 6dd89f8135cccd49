// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/halo.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::device::cuda {

/// Why no CUDA device can be used by this program on this machine; empty when one can.
std::string unusable_reason();
/// Every CUDA device, usable or not; one entry "cuda" with the reason where there is none.
std::vector<DeviceInfo> devices();

/// Memory of a usable device that nobody has taken [bytes]; 0 where it cannot be asked.
double free_memory_bytes(int device) noexcept;

/// Time steps in the long step of unknowns at rest; 0 where none may rest.
int longest_quiescent(const TissueProblem& p);

/// Why a problem cannot be stepped by this back end; empty when it can.
std::string unsupported_reason(const TissueProblem& p, Precision precision);

/// The devices that are named; where none is, all that are usable when each gets a million unknowns
/// at least, else the first one.
/// @param unknowns  or, where cells take longer than usual, as many usual ones as take as long
/// @pre    named.kind is cuda
/// @throws InputError where one cannot be used
std::vector<int> device_numbers(const Devices& named, std::size_t unknowns);

/// Steps a tissue on CUDA devices, one shard of it on each. Results do not depend on the number of
/// shards nor on the order inside them, bit for bit, nor on Tuning.
/// @param options  of which `devices` and `threads` are not looked at
/// @throws InputError, DeviceError
std::unique_ptr<Stepper> make_cuda_stepper(const TissueProblem& p, const std::vector<int>& devices,
                                           const StepperOptions& options,
                                           const Progress& progress = {});

/// Steps a share of a tissue (TissueProblem::elsewhere) on one device: explicit steps with nodal
/// currents. Each step waits for what the other processes have computed, so that all take the same
/// steps at a time.
/// @param others  lives as long as the stepper
/// @throws InputError, DeviceError
std::unique_ptr<Stepper> make_cuda_share_stepper(const TissueProblem& p, int device,
                                                 const StepperOptions& options, Halo& others,
                                                 const Progress& progress = {});

/// @throws InputError, DeviceError
Ceilings measure_ceilings(int device);

} // namespace tawara::device::cuda
