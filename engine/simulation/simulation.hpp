// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/observer.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace tawara::cable {
class NetworkPart;
}

namespace tawara::simulation {

class Simulation;

/// The potentials that were seen in a run, as far as anybody looked [mV].
struct PotentialRange
{
    double low_mV = std::numeric_limits<double>::infinity();
    double high_mV = -std::numeric_limits<double>::infinity();
    void add(std::span<const double> V_mV);
};

/// A simulation between two of its steps. What is asked for is fetched from the device once.
class Moment
{
  public:
    explicit Moment(Simulation& s) : simulation_(s) {}
    std::int64_t step() const;
    double time_ms() const;
    /// V [mV] of every unknown. @cost the first time a copy from the device
    std::span<const double> potential();
    /// The whole state of one unknown's cell. @throws InputError as Stepper::cell_numbers()
    void cell_numbers(std::size_t unknown, device::CellNumbers& out) const;
    /// V [mV] of nodes of the Purkinje network, which there is.
    std::vector<double> network_mV(std::span<const std::int32_t> nodes) const;

  private:
    Simulation& simulation_;
    bool fetched_ = false;
};

/// One simulation: the tissue and how it is stepped, a clock, and who observes it. Drivers (the
/// window's engine, `run`, studies) decide when steps are taken; all else happens here.
///
/// Observers look in the order in which they were added, and outlive the simulation's steps.
/// @thread one thread at a time
class Simulation
{
  public:
    /// @throws InputError, DeviceError as device::make_stepper(), need_memory_for_dyads()
    Simulation(Tissue tissue, const device::StepperOptions& options, const Progress& progress = {},
               Notices* notices = nullptr);
    Simulation(Simulation&&) = default; ///< before anybody observes it
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    Tissue& tissue() { return tissue_; }
    const Tissue& tissue() const { return tissue_; }
    device::Stepper& stepper() { return *stepper_; }
    const device::Stepper& stepper() const { return *stepper_; }
    /// The Purkinje network that is stepped with the tissue; null: there is none.
    const cable::NetworkPart* network() const { return network_; }
    std::int64_t step() const { return stepper_->step(); }
    double time_ms() const { return stepper_->time_ms(); }
    double dt_ms() const { return stepper_->dt_ms(); }

    void add(Observer& o) { observers_.push_back(&o); }
    /// Takes over the columns that observers want now; samples taken so far are handed out first.
    void plan_samples();
    /// Takes at most n steps, and fewer where an observer is due before; hands out samples, and
    /// lets those look that are due.
    /// @return  the steps taken, at least 1 of n > 0
    /// @throws NumericsError, DeviceError  before samples are handed out (collect())
    std::int64_t advance(std::int64_t n);
    /// Hands out the samples that were taken since the last call.
    void collect();
    /// Lets every observer look now.
    void look();

    /// The state of another time, or one that was kept. Samples not handed out are dropped.
    void restore(const device::Snapshot& s) { stepper_->restore(s); }
    /// The state in which a simulation begins, of the tissue as it is now.
    device::Snapshot first_state() const;
    /// Of Snapshot::parts, in all.
    std::size_t numbers_of_parts() const { return network_begins_with_.size(); }
    /// Maps begin here: as if nothing had been activated so far.
    void restart_maps();
    /// Another operator, other cells, on the same mesh: V and the states of cells that keep their
    /// model go on. The caller adds the stimuli to the new stepper.
    /// @param next  its problem and regions, made of this one's mesh
    /// @param other_network  next.network takes the place of this one's, too, and is at rest; else
    ///                       the network goes on
    void replace(Tissue next, std::unique_ptr<device::Stepper> stepper, bool other_network = false);
    /// The network's cuts, resistances and pulses are those of `n` from the next step on.
    /// @pre  it is the present one, changed (changed_network())
    void change_network(std::shared_ptr<const PurkinjeNetwork> n);

    /// Of all samples and all potentials that observers asked for.
    const PotentialRange& seen() const { return seen_; }
    double stepping_s() const { return stepping_s_; }   ///< wall time in steps
    double observing_s() const { return observing_s_; } ///< wall time in observers
    void restart_clocks() { stepping_s_ = observing_s_ = 0; }

  private:
    friend class Moment;
    Tissue tissue_;
    Precision precision_;
    std::unique_ptr<device::Stepper> stepper_;
    cable::NetworkPart* network_ = nullptr;   ///< a part of the stepper
    std::vector<double> network_begins_with_; ///< its first state
    std::vector<Observer*> observers_;
    std::vector<std::size_t> column_count_; ///< of each observer, as planned
    std::vector<double> v_;                 ///< that a Moment has fetched
    PotentialRange seen_;
    double stepping_s_ = 0, observing_s_ = 0;
};

} // namespace tawara::simulation
