// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/pacing/known_pulses.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/simulation.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tawara::simulation {

/// The stimuli of a running simulation: gives them to the stepper, logs their pulses, and finds out
/// whether they capture.
class Pacing final : public Observer
{
  public:
    /// @param sampled_every  steps between samples by which capture is judged
    /// @param decided  called when a pulse is known to have captured or not; may be empty
    Pacing(Simulation& s, std::string name, std::int64_t sampled_every,
           std::function<void(const CaptureEvent&)> decided = {});

    /// The session's stimuli from the start of time on, also those that a checkpoint's run has
    /// given in part.
    /// @param known  of a checkpoint's run, stimulus by stimulus; may be empty
    /// @throws InputError  naming the stimulus
    void begin(std::span<const Stimulus> stimuli, std::vector<KnownPulses> known = {});
    /// Other stimuli from now on; pulses that have begun end as they would have.
    /// @throws InputError  then nothing has changed
    void replace(const std::vector<Stimulus>& stimuli);
    /// A pulse now, in a ball of tissue. @throws InputError  then nothing has changed
    void stimulate(std::uint64_t command, const Stimulate& s);
    /// Back at the start: only the session's stimuli, and nothing logged.
    void restart(std::span<const Stimulus> stimuli);
    /// Gives all sources to the simulation's stepper, which is a new one.
    void move_to_new_stepper();
    /// Drops what is over. @return whether fewer columns are to be sampled from now on
    bool drop_ended();

    const PulseLog& log() const { return *log_; }
    /// The same for other threads: it goes on as pulses are given, and outlives the pacing.
    std::shared_ptr<const PulseLog> shared_log() const { return log_; }
    /// The stimulus whose depolarising current flowed into one of these unknowns within that time:
    /// its name, "click"; empty: none did.
    std::string current_in(std::span<const std::int32_t> unknowns, double from_ms,
                           double to_ms) const;
    /// What is known of each stimulus's pulses, for a checkpoint.
    std::vector<KnownPulses> known() const;

    device::Gather plan_columns() override;
    std::int64_t sampled_every() const override { return sampled_every_; }
    void sampled(std::int64_t step, std::span<const double> V_mV) override;

  private:
    /// A source that the stepper holds.
    struct ActiveSource
    {
        std::size_t id = 0;  ///< the stepper's
        bool listed = false; ///< of the session's stimuli
        double over_ms = 0;  ///< infinite for a train without end
        device::StimulusSource source;
        std::string name;
    };
    /// What was given to the stepper at any time.
    struct Given
    {
        device::StimulusSource source;
        std::string name;
        bool listed;
        double until_ms; ///< when it was taken back
    };
    void add(device::StimulusSource source, bool listed, const std::string& name);
    void install(std::span<const Stimulus> stimuli, double from_ms);

    Simulation& simulation_;
    std::string name_;
    std::int64_t sampled_every_;
    std::function<void(const CaptureEvent&)> decided_;
    std::vector<ActiveSource> sources_;
    std::vector<Given> given_;
    CaptureWatch watch_;
    std::shared_ptr<PulseLog> log_ = std::make_shared<PulseLog>();
    std::uint64_t first_ = 0;       ///< number of the first listed stimulus in the log
    std::vector<std::string> keys_; ///< stimulus_key() of each, empty where it is off
};

} // namespace tawara::simulation
