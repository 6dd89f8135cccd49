// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/simulation.hpp"

#include "engine/device/quiescent_state.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"
#include "engine/simulation/tissue/purkinje.hpp"
#include "engine/simulation/tissue/region_error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace tawara::simulation {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

void append(device::Gather& to, const device::Gather& more)
{
    const auto terms = static_cast<std::int64_t>(to.unknown.size());
    to.unknown.insert(to.unknown.end(), more.unknown.begin(), more.unknown.end());
    to.weight.insert(to.weight.end(), more.weight.begin(), more.weight.end());
    for (std::size_t k = 1; k < more.first.size(); ++k)
        to.first.push_back(terms + more.first[k]);
}

} // namespace

void PotentialRange::add(std::span<const double> V_mV)
{
    // Several at a time, so that no comparison waits for the one before; NaN changes nothing.
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> low, high;
    low.fill(low_mV), high.fill(high_mV);
    std::size_t k = 0;
    for (; k + lanes <= V_mV.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const double v = V_mV[k + l];
            low[l] = v < low[l] ? v : low[l];
            high[l] = v > high[l] ? v : high[l];
        }
    for (; k < V_mV.size(); ++k) {
        low[0] = std::min(low[0], V_mV[k]);
        high[0] = std::max(high[0], V_mV[k]);
    }
    low_mV = *std::min_element(low.begin(), low.end());
    high_mV = *std::max_element(high.begin(), high.end());
}

std::int64_t Moment::step() const
{
    return simulation_.step();
}

double Moment::time_ms() const
{
    return simulation_.time_ms();
}

std::span<const double> Moment::potential()
{
    auto& v = simulation_.v_;
    if (!std::exchange(fetched_, true)) {
        v.resize(simulation_.tissue_.problem.size());
        simulation_.stepper_->potential(v);
        simulation_.seen_.add(v);
    }
    return v;
}

void Moment::cell_numbers(std::size_t unknown, device::CellNumbers& out) const
{
    simulation_.stepper_->cell_numbers(unknown, out);
}

std::vector<double> Moment::network_mV(std::span<const std::int32_t> nodes) const
{
    std::vector<double> out(nodes.size());
    simulation_.network()->potentials(nodes, out);
    return out;
}

Simulation::Simulation(Tissue tissue, const device::StepperOptions& options,
                       const Progress& progress, Notices* notices)
    : tissue_((need_memory_for_dyads(tissue.problem, options), std::move(tissue))),
      precision_(options.precision),
      stepper_(device::make_stepper(tissue_.problem,
                                    options_with(tissue_.network.get(), options, notices), progress,
                                    notices))
{
    if (!tissue_.network)
        return;
    network_ = &add_network(*tissue_.network, joints_of(*tissue_.network), *stepper_);
    network_begins_with_ = network_->snapshot();
}

device::Snapshot Simulation::first_state() const
{
    auto s = initial_snapshot(tissue_.problem, precision_);
    if (network_ != nullptr)
        s.parts.push_back(network_begins_with_);
    return s;
}

void Simulation::plan_samples()
{
    collect();
    device::Gather all;
    std::int64_t every = 0;
    std::vector<std::size_t> counts;
    for (auto* o : observers_) {
        const auto columns = o->plan_columns();
        counts.push_back(columns.size());
        append(all, columns);
        if (const auto wanted = o->sampled_every(); wanted > 0)
            every = every == 0 ? wanted : std::min(every, wanted);
    }
    stepper_->set_probes(std::move(all), std::max<std::int64_t>(every, 1));
    column_count_ = std::move(counts); // what the stepper samples from now on
}

void Simulation::collect()
{
    std::vector<std::int64_t> steps;
    std::vector<double> samples;
    stepper_->take_samples(steps, samples);
    seen_.add(samples);
    std::size_t at = 0;
    for (const auto step : steps)
        for (std::size_t k = 0; k < column_count_.size(); ++k) {
            observers_[k]->sampled(step, std::span(samples).subspan(at, column_count_[k]));
            at += column_count_[k];
        }
}

std::int64_t Simulation::advance(std::int64_t n)
{
    const auto from = step();
    auto to = from + n;
    std::vector<Observer*> due;
    for (auto* o : observers_) {
        const auto next = o->due_after(from);
        if (next > to)
            continue;
        if (next < to)
            due.clear();
        to = next;
        due.push_back(o);
    }
    const auto start = Clock::now();
    try {
        stepper_->advance(to - from);
    } catch (const NumericsError& e) {
        fail_in_region(e, tissue_);
    }
    stepping_s_ += since(start);
    const auto stepped = Clock::now();
    collect();
    Moment now(*this);
    for (auto* o : due)
        o->observe(now);
    observing_s_ += since(stepped);
    return to - from;
}

void Simulation::look()
{
    const auto start = Clock::now();
    collect();
    Moment now(*this);
    for (auto* o : observers_)
        o->observe(now);
    observing_s_ += since(start);
}

void Simulation::restart_maps()
{
    collect(); // restoring drops the samples that wait
    auto s = stepper_->snapshot();
    constexpr double never = std::numeric_limits<double>::quiet_NaN();
    s.activation_ms.assign(s.activation_ms.size(), never);
    s.repolarisation_ms.assign(s.repolarisation_ms.size(), never);
    s.peak_mV.assign(s.peak_mV.size(), -1e3);
    s.rest_mV = device::potential_at_ends(s);
    stepper_->restore(s);
    if (network_ != nullptr)
        network_->restart_times();
}

void Simulation::replace(Tissue next, std::unique_ptr<device::Stepper> stepper, bool other_network)
{
    collect();
    cable::NetworkPart* network = nullptr;
    const auto of = other_network ? next.network : tissue_.network;
    if (of)
        network = &add_network(*of, joints_in(*of, tissue_, next.problem), *stepper);
    auto state = carried(stepper_->snapshot(), tissue_.problem, next.problem, precision_);
    auto begins_with = network_begins_with_;
    if (other_network) {
        begins_with = network != nullptr ? network->snapshot() : std::vector<double>();
        state.parts.clear();
        if (network != nullptr)
            state.parts.push_back(begins_with);
    }
    stepper->restore(state);
    stepper_ = std::move(stepper); // from here on nothing throws
    network_ = network;
    network_begins_with_ = std::move(begins_with);
    tissue_.network = of;
    tissue_.patches = std::move(next.patches);
    tissue_.region_of_unknown = std::move(next.region_of_unknown);
    tissue_.cells = std::move(next.cells);
    tissue_.problem = std::move(next.problem);
}

void Simulation::change_network(std::shared_ptr<const PurkinjeNetwork> n)
{
    network_->change(n->description);
    tissue_.network = std::move(n);
}

} // namespace tawara::simulation
