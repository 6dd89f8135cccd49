// SPDX-License-Identifier: GPL-3.0-or-later
// Programmed stimulation of one site: how early extrastimuli capture, and whether they induce
// re-entry.
#pragma once
#include "engine/simulation/observe/pacing.hpp"
#include "engine/study/induction.hpp"
#include "engine/study/reentry_watch.hpp"
#include "engine/study/verdict.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tawara::study {

/// "300-250": coupling intervals [ms] as people read them.
std::string couplings_text(const std::vector<double>& couplings_ms);

/// An extrastimulus that was tried after others.
struct Trial
{
    std::vector<double> couplings_ms; ///< S2, S3, .. each to the pulse before; the last is tried
    Outcome outcome = Outcome::blocked;
    double duration_ms = 0;      ///< of re-entry, from the last pulse to the last activation
    analysis::Reentry reentry{}; ///< where there was some
    Core core{};                 ///< of sustained re-entry
    bool captured() const { return outcome != Outcome::blocked; }
    /// Whether places were activated again after the pulse's wave.
    bool active() const { return captured() && outcome != Outcome::none; }
};

/// What a search came to.
struct SearchResult
{
    /// Of S2, S3, ..: the shortest coupling interval that captured, of those that were tried.
    std::vector<double> shortest_ms;
    Trial worst; ///< of all trials: the sustained one, else the longest re-entry, else the last
    std::size_t trials = 0;
};

/// Searches at one site.
///
/// S1 is given once. Each extrastimulus is tried from the state after the pulse before it: at
/// first_coupling_ms, then decrement_ms earlier each time until it does not capture (CaptureWatch)
/// or shortest_ms is reached; where the first one does not capture, decrement_ms later each time
/// until one does, up to the cycle of S1. The shortest that captured, the effective refractory
/// period and a step, is kept, and the next extrastimulus follows it. A trial that captures is
/// followed until no place is above ReentryWatch::active_mV, or until sustained_ms after its pulse:
/// then re-entry is sustained where places have been activated again and still are; that ends the
/// search.
/// @thread one at a time
class SiteSearch
{
  public:
    using Known = std::map<std::vector<double>, Trial>;
    struct Place
    {
        simulation::Sphere site;
        std::string name;                 ///< of the site, in messages
        std::filesystem::path checkpoint; ///< after S1: is gone on from, or written
        std::string file;                 ///< of the study, in messages
    };

    /// @param known    trials of an earlier program, which are not done again
    /// @param decided  called for each new one, while watch() is as it was at its end
    SiteSearch(simulation::Simulation& s, const simulation::Session& session, const Induction& i,
               Place place, Precision precision, Known known,
               std::function<void(const Trial&)> decided);

    /// @throws InputError  where S1 does not capture; Cancelled
    SearchResult go(const Progress& progress);

    const ReentryWatch& watch() const { return watch_; }

  private:
    /// The state shortest_ms after a pulse.
    struct Base
    {
        device::Snapshot state;
        std::int64_t pulse_step = 0;
        std::vector<char> awaited; ///< at the pulse, as AfterPulse has it
    };
    void give(const std::vector<double>& times_ms);
    void go_to(std::int64_t step, const Progress& progress);
    void begin_train(const Progress& progress);
    bool read_checkpoint_of_train();
    void write_checkpoint_of_train() const;
    const Base& base(const std::vector<double>& couplings, const Progress& progress);
    /// Of S1's train the last wave alone is awaited.
    std::vector<char> none_awaited() const;
    /// At the last of the couplings' pulses, which is to be given now.
    std::vector<char> awaited_now(const std::vector<double>& couplings) const;
    /// Gives the last of the couplings' pulses, and stops before it.
    std::int64_t before_pulse(const std::vector<double>& couplings, const Progress& progress);
    const Trial& trial(const std::vector<double>& couplings, const Progress& progress);
    Trial tried(const std::vector<double>& couplings, const Progress& progress);
    void judge(Trial& t, double pulse_ms) const;
    /// The shortest that captures, after those; nothing: none, or re-entry is sustained.
    std::optional<double> shortest(const std::vector<double>& before, const Progress& progress);
    void note(const Trial& t);
    std::int64_t steps(double ms) const;

    simulation::Simulation& simulation_;
    const simulation::Session& session_;
    const Induction& induction_;
    Place place_;
    Precision precision_;
    Known known_;
    std::function<void(const Trial&)> decided_;
    ReentryWatch watch_;
    std::vector<simulation::CaptureEvent> verdicts_; ///< since the last give()
    simulation::Pacing pacing_;
    std::map<std::vector<double>, Base> bases_; ///< by their couplings
    SearchResult result_;
};

} // namespace tawara::study
