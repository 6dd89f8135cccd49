// SPDX-License-Identifier: GPL-3.0-or-later
// A session that is run in memory, for rows about tissue.
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/mesh/tet_mesh.hpp"
#include "engine/simulation/session/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tawara::verify {

/// What a run came to.
struct TissueRun
{
    std::vector<double> probe_ms; ///< when V first rose through 0 mV at each probe; NaN: never
    device::Maps maps;
    std::vector<double> v_mV; ///< of every unknown at the end
    double end_ms = 0;
};

struct RunAs
{
    device::Devices devices = "cpu";
    Precision precision = Precision::double_;
    bool until_probes = false;           ///< ends a millisecond after all probes were activated
    const mesh::TetMesh* mesh = nullptr; ///< in place of the session's; null: the session's
};

/// Runs a session to its end, without a file. Stimuli are given, probes sampled at every step.
/// @throws InputError, NumericsError, DeviceError, Cancelled
TissueRun run_tissue(const simulation::Session& s, const RunAs& as, const Progress& progress);

/// The devices for long rows: GPUs where there are any, else the CPU.
device::Devices fastest(const device::Devices& wanted);

/// The tissue benchmark of Niederer et al. 2011 as the program's example has it, on another mesh
/// and with another step.
simulation::Session niederer_session(double dx_mm, double dt_ms);

/// Root of the mean square of the differences where both are known; infinite where one alone is.
double rms_difference(const std::vector<double>& a, const std::vector<double>& b);

/// Of how many unknowns V or the time of activation differs, and those that one alone has. V that
/// is no number differs from all; a time that is none, from a time.
double differing(const TissueRun& a, const TissueRun& b);

/// The GPUs that so many shards lie on: those that are asked for by number, in turn; where none is,
/// the first that can be used.
device::Devices gpus_of_shards(const device::Devices& wanted, int shards);

/// Why no CUDA device can be used with these settings; empty: one can.
std::string no_gpu(const device::Devices& wanted);

} // namespace tawara::verify
