// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/simulation/observe/beat_pulses.hpp"
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/kernel_figure.hpp"
#include "engine/simulation/session/tissue_edit.hpp"

#include <optional>
#include <span>
#include <string>

namespace tawara::simulation {

/// A kernel held to ceilings, as far as they are known. Kernels count instructions, a fused
/// multiply-add as one; a ceiling's peak counts it as two, so half of it is what a kernel can
/// reach.
KernelFigure figure(const device::KernelRecord& k, const std::string& device,
                    const std::optional<device::Ceilings>& ceilings, bool single);

/// What is to be said of a kernel's fraction; empty: nothing. More than 5 % above a ceiling means
/// that the ceiling is wrong, or that the kernel's data stay in caches that the ceiling is without.
std::string remark_on(const KernelFigure& k);

/// A kernel's figures in all, those of `before` added (times `sign`), by name: a run's sums while
/// its stepper is replaced, or without what came before it started anew.
std::vector<device::KernelRecord> added(std::vector<device::KernelRecord> kernels,
                                        std::span<const device::KernelRecord> before,
                                        double sign = 1);

/// A stepper's kernels, and what a device's hardware counters say of them.
struct CountedKernels
{
    std::vector<device::KernelRecord> kernels; ///< of the steps before the counted ones
    std::string not_counted;                   ///< why no kernel has counted_bytes; empty: they do
    /// A sentence that says why those steps could not be taken back: the stepper's state is another
    /// one then. Empty: it is as it was.
    std::string not_restored;
};
/// Takes a few steps under hardware counters and takes them back.
/// @throws Error  where the state cannot be kept; no step was taken then
/// @cost  a snapshot; the steps run one by one
CountedKernels count_kernels(device::Stepper& stepper);

/// Beats of a trace with their diastolic intervals and cycles.
///
/// Where its cells began anew with another model, the beat under way ends without what it had not
/// reached by then. What V does from there until it is at rest is no beat, and the first one after
/// it has no diastolic interval and no cycle.
/// @param switched_ms  when they did (ModelSwitchTimes)
/// @param driven  when a stimulus drove the cells there (Trace): a beat whose steepest rise falls
///                into that is said to be driven
/// @pre  switched_ms ascends
std::vector<Beat> beats_of(std::span<const double> t_ms, std::span<const float> v_mV,
                           std::span<const double> switched_ms = {},
                           std::span<const Driven> driven = {});

/// The first line of a table of beats: the columns with their units.
std::string beats_csv_head();
/// A probe's rows of it, one a beat; empty where a beat has no such value. The last columns say
/// which tissue it ran with: 1 for the one at the start and one more with every change before it,
/// since when that is there (0 for the first), and when the tissue was changed during the beat;
/// then the pulse that made it (pulse_fields()), and the stimulus that drove it there.
/// @param edits  changes of the tissue during the run, in order of time
/// @param switched_ms  as beats_of() has it
/// @param place  of the probe, as pulses_behind() has it
std::string beats_csv_rows(const std::string& probe, std::span<const double> t_ms,
                           std::span<const float> v_mV, std::span<const TissueEdit> edits = {},
                           std::span<const double> switched_ms = {},
                           std::span<const Pulse> pulses = {},
                           const std::optional<Vec3>& place = {},
                           std::span<const Driven> driven = {});

/// The first line of a table of restitution.
std::string restitution_csv_head();
/// A probe's rows of it: each beat that has repolarised by 90 % after another one had, with its
/// number among all, activation, the diastolic interval before it, APD90, tissue and pulse as
/// beats_csv_rows() has them.
std::string restitution_csv_rows(const std::string& probe, std::span<const double> t_ms,
                                 std::span<const float> v_mV, std::span<const TissueEdit> edits,
                                 std::span<const double> switched_ms, std::span<const Pulse> pulses,
                                 const std::optional<Vec3>& place = {});

} // namespace tawara::simulation
