// SPDX-License-Identifier: GPL-3.0-or-later
// A simulation that is paced by a restitution protocol.
#pragma once
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/observe/probe_traces.hpp"
#include "engine/study/restitution.hpp"
#include "engine/study/restitution_record.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tawara::study {

/// Paces a simulation and measures the beats at the session's probes, as beats.csv of a run does.
///
/// s1s2: S1 is given once. From there the simulation goes on without a pulse, and at each coupling
/// it branches: S2 is given, its beat is followed until every probe has repolarised or a cycle of
/// S1 has passed, and the state before S2 is restored. The state before the first coupling is kept
/// in a checkpoint.
///
/// dynamic: trains follow one another; of each the last beats are measured, a pulse of the next
/// train later. A probe's samples of one train alone are held at a time. It ends where a measured
/// pulse makes no beat at a probe (2:1 block), or where the limit of alternans is passed at the
/// first one.
/// After each train the state is kept in the checkpoint.
///
/// Responses shorter than a quarter of the longest action potential among the probe's samples are
/// no beats: a pulse alone does so much to tissue that has not recovered.
///
/// Of a protocol that goes on from what is kept there, all numbers are the same.
/// @thread one at a time
class RestitutionPacing
{
  public:
    struct Place
    {
        std::string file;                 ///< of the study, in messages
        std::filesystem::path checkpoint; ///< is gone on from, or written
    };
    /// @param session  outlives it; its stimuli and end do not count
    /// @param pulse  pulse_of() the session
    /// @param store  outlives it; what it holds is not measured again
    RestitutionPacing(simulation::Simulation& s, const simulation::Session& session,
                      simulation::Stimulus pulse, Place place, Precision precision,
                      RestitutionStore& store);

    /// @throws InputError  where S1 does not capture, or the checkpoint is no good; Cancelled
    void pace(const S1S2& p, const Progress& progress);
    void pace(const DynamicPacing& p, const Progress& progress);

  private:
    /// A pulse that is measured.
    struct Wanted
    {
        double interval_ms = 0;
        int beat = 1;
        double pulse_ms = 0;
    };
    /// The state between two steps, and the probes' samples until then.
    struct Trunk
    {
        device::Snapshot state;
        std::vector<double> times_ms;
        std::vector<std::vector<float>> V_mV;
    };
    void give(std::vector<simulation::Stimulus> stimuli);
    void go_to(std::int64_t step, const Progress& progress);
    /// The last step that ends at that time or before.
    std::int64_t step_before(double ms) const;
    void begin_anew(std::vector<simulation::Stimulus> stimuli);
    bool read_checkpoint();
    void write_checkpoint() const;
    Trunk trunk() const;
    void restore(const Trunk& t);
    void forget_samples_before(double ms);
    void need_capture_of_train(const S1S2& p) const;
    void give_s2(const S1S2& p, double coupling_ms, const Progress& progress);
    /// Whether every probe is back at rest, or the pulse did not capture.
    bool is_over() const;
    /// @param pulses  all that may have made a beat of the samples there are
    std::vector<RestitutionBeat> measured(std::span<const Wanted> wanted,
                                          std::span<const simulation::Pulse> pulses) const;
    std::vector<simulation::Pulse> train(const S1S2& p) const;
    std::vector<simulation::Pulse> logged_from(double ms) const;

    simulation::Simulation& simulation_;
    const simulation::Session& session_;
    simulation::Stimulus pulse_;
    Place place_;
    Precision precision_;
    RestitutionStore& store_;
    simulation::ProbeTraces traces_;
    std::vector<simulation::CaptureEvent> verdicts_; ///< since the last give()
    simulation::Pacing pacing_;
};

} // namespace tawara::study
