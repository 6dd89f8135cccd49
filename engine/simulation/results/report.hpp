// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/results/run_notices.hpp"
#include "engine/simulation/results/run_report.hpp"
#include "engine/simulation/session/tissue_edit.hpp"

namespace tawara::cable {
class NetworkPart;
}

namespace tawara::simulation {

/// Wall seconds of a run's parts.
struct PhaseTimes
{
    double setup_s = 0, stepping_s = 0, output_s = 0, total_s = 0;
};

struct ReportInput
{
    const Session& session;
    const RunOptions& options;
    const Tissue& tissue;
    const device::Stepper& stepper;
    const PhaseTimes& phases;
    std::int64_t first_step;
    std::string ended; ///< "end", "cancelled" or the error's line
    std::vector<device::KernelRecord> kernels;
    std::string not_counted;        ///< why counters were not read; empty also where nobody asked
    std::vector<std::string> files; ///< written, relative to the folder
    std::vector<Pulse> pulses = {}; ///< that were given
    PotentialRange seen = {};       ///< of V
    std::span<const TissueEdit> edits = {};      ///< where the run and those before it branched off
    std::span<const Electrode> electrodes = {};  ///< all that leads are of, the program's too
    const ProbeTable* calcium = nullptr;         ///< rows of calcium.csv; null: there are none
    const cable::NetworkPart* network = nullptr; ///< of the tissue's network; null: there is none
    const Provenance* by = nullptr;              ///< for the page; null: of the program alone
    std::map<std::string, std::string> frames_sha256 = {}; ///< FrameWriter::digests()
    /// 0: never.
    double branched_ms() const { return edits.empty() ? 0 : edits.back().time_ms; }
};

/// The maps of a stepper; all "never" where it keeps none, or its device does not give them any
/// more.
/// @param why  is told so then; may be null
device::Maps maps_or_none(const device::Stepper& stepper, std::size_t unknowns,
                          std::string* why = nullptr);

/// The kernels of a run, with the bytes of hardware counters where they were asked for and it ended
/// in time.
CountedKernels run_kernels(device::Stepper& stepper, bool counters, const std::string& ended);
/// What of that did not go well.
Notices what_was_not_counted(const CountedKernels& c);

/// The page of a run for people, without pictures: to_html(report_page()) of it.
/// @param report  of the same run: its kernels
/// @param traces  at the session's probes
std::string html_report(const ReportInput& in, const RunReport& report, const StepTraces& traces,
                        const ProbeTable& ecg);

/// The content of report.json; measures the ceilings of the device now where the run came to its
/// end, which may fail: where there are none, it says why.
/// @param ecg  rows of the leads, whose beats are measured
RunReport make_report(const ReportInput& in, const ProbeTable& ecg = {});
/// What report.json says where make_report() has failed: why, and which files the run has left.
std::string least_report(const RunOptions& options, const std::string& ended,
                         const std::string& why, const std::vector<std::string>& files);
/// A column of a table.
std::vector<float> column(const ProbeTable& t, std::size_t c);

} // namespace tawara::simulation
