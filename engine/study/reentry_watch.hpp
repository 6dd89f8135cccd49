// SPDX-License-Identifier: GPL-3.0-or-later
// What follows a pulse: whether anything is active, whether places are activated anew, around what.
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/phase_watch.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/study/verdict.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tawara::study {

/// What waves turned around, in the samples that were looked at.
struct Core
{
    std::string kind;     ///< "functional", "obstacle" (a scar or a hole), "not found"
    Vec3 place_mm{};      ///< mean of the samples' singularities
    double spread_mm = 0; ///< root mean square distance of theirs from it
};

/// Follows a simulation after a pulse, once a millisecond; what waves turn around every fifth.
class ReentryWatch final : public simulation::Observer
{
  public:
    static constexpr float active_mV = -40; ///< no wave comes of tissue below it

    ReentryWatch(const simulation::Session& s, const simulation::Simulation& simulation);

    /// Counts from here on.
    /// @param awaited  of each unknown: how many waves of pulses before are still to come; its next
    ///                 activation is not the new pulse's
    /// @param phase_from_ms  what waves turn around is looked for from then on
    void begin(std::vector<char> awaited, double phase_from_ms);
    void end() { on_ = false; }

    bool active() const { return log_.highest_mV() > active_mV; }
    /// All that verdict() wants to know; valid until the next sample.
    AfterPulse since(double pulse_ms, double now_ms, double sustained_ms, bool to_its_end) const;
    Core core() const;
    /// Newest activation of each unknown at or before a time [ms]; NaN: none.
    std::vector<double> newest_before(double ms) const;
    const simulation::Ecg& ecg() const { return ecg_; }

    std::int64_t due_after(std::int64_t step) const override
    {
        return on_ ? simulation::next_multiple(step, every_) : never;
    }
    void observe(simulation::Moment& now) override;

  private:
    void look_for_cores(double t_ms, std::span<const double> V_mV);

    const simulation::Tissue& tissue_;
    std::int64_t every_;
    bool on_ = false;
    analysis::ActivationLog log_;
    std::vector<char> awaited_;
    double phase_from_ms_ = 0, cores_due_ms_ = 0;
    simulation::PhaseWatch phase_;
    std::vector<Vec3> functional_, around_; ///< of each sample
    std::size_t samples_ = 0;
    simulation::EcgField leads_;
    simulation::Ecg ecg_;
};

} // namespace tawara::study
