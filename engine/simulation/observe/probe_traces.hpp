// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/probe_samples.hpp"
#include "engine/simulation/session/model_switch_times.hpp"
#include "engine/simulation/simulation.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// V at the probes while steps are taken: curves for people, on which beats are measured, and rows
/// of a table.
///
/// All probes share the times of their samples. A probe that is removed is sampled on, so that an
/// undo brings it back with its curve; the ones removed last are kept, `most_removed` of them.
/// @thread  what reads curves (traces(), trace(), beats' sources) from any, the rest from the
/// thread
///          that takes the steps
class ProbeTraces final : public Observer
{
  public:
    static constexpr std::size_t most_removed = 8; // each costs what a probe costs

    struct Options
    {
        double keep_every_ms = 0;    ///< TraceThinner's; 0: every sample is kept
        std::int64_t rows_every = 0; ///< steps between rows of table(); 0: none
    };
    explicit ProbeTraces(Options o);
    /// Pacing::current_in().
    using CurrentIn =
        std::function<std::string(std::span<const std::int32_t>, double from_ms, double to_ms)>;

    /// From now on of that simulation, which outlives it, with these probes and no samples.
    /// @param name  of the session, for errors
    /// @param sampled_every  steps between samples
    void begin(Simulation& s, std::vector<Probe> probes, std::string name,
               std::int64_t sampled_every, CurrentIn current);
    /// Forgets all samples, and when models were switched: the run starts anew.
    void restart();

    /// @return  its id; of one that was removed with that name and place, its former one, with its
    ///          samples
    /// @throws InputError when it is too far outside; then nothing has changed
    std::uint64_t add(const Probe& probe);
    /// @return false: there is no such probe
    bool remove(std::uint64_t id);
    /// Of all that are sampled: those that were removed come last.
    std::vector<Probe> sampled_probes() const;
    /// The probes whose cells have another model from now on.
    /// @param columns  numbers in sampled_probes()
    void models_switched(const std::vector<std::size_t>& columns);

    std::vector<Trace> traces() const;
    /// Its samples from number `from` on; empty for an unknown one.
    Trace trace(std::uint64_t id, std::size_t from = 0) const;
    ModelSwitchTimes switched_ms() const;

    const ProbeTable& table() const { return table_; }
    /// Curves without times of their own, for steps in a row (keep_every_ms 0).
    std::vector<std::vector<float>> columns_mV() const;
    const std::vector<double>& times_ms() const { return times_ms_; }
    /// What drove the probes, one after the other.
    std::vector<std::vector<Driven>> driven() const;
    /// What was sampled before goes on here: a run that goes on from a checkpoint.
    void go_on(std::vector<double> times_ms, std::vector<std::vector<float>> V_mV);
    /// What drove the probes in samples that go on here, once the stimuli are known.
    void note_currents_before();
    void go_on(ProbeTable table) { table_ = std::move(table); }

    device::Gather plan_columns() override;
    std::int64_t sampled_every() const override { return columns_.empty() ? 0 : sampled_every_; }
    void sampled(std::int64_t step, std::span<const double> V_mV) override;

  private:
    struct Column
    {
        std::uint64_t id;
        Probe probe;
        std::size_t first; ///< of times_ms_ that it has a sample of
        std::vector<float> V_mV;
        std::vector<Driven> driven = {};
    };
    /// Notes what drove the probes between two samples.
    void note_current(double from_ms, double to_ms);
    void keep(double t_ms, std::span<const double> V_mV);
    Trace trace_of(const Column& c, std::size_t from) const;

    Options options_;
    Simulation* simulation_ = nullptr;
    std::string name_;
    std::int64_t sampled_every_ = 1;
    CurrentIn current_;
    device::Gather reads_; ///< unknowns that the columns read
    TraceThinner thinner_;
    ProbeTable table_;
    std::uint64_t next_id_ = 1;
    mutable std::mutex mutex_; ///< of what follows, for readers
    std::vector<Column> columns_;
    std::size_t removed_ = 0; ///< of columns_, at the end; the one removed first comes first
    std::vector<double> times_ms_;
    ModelSwitchTimes switched_ms_;
};

} // namespace tawara::simulation
