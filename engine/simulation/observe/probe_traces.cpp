// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/probe_traces.hpp"

#include "engine/core/room_for.hpp"

#include <algorithm>
#include <utility>

namespace tawara::simulation {

ProbeTraces::ProbeTraces(Options o) : options_(o), thinner_(o.keep_every_ms) {}

void ProbeTraces::begin(Simulation& s, std::vector<Probe> probes, std::string name,
                        std::int64_t sampled_every, CurrentIn current)
{
    sampled_every_ = sampled_every;
    current_ = std::move(current);
    simulation_ = &s;
    name_ = std::move(name);
    table_ = {};
    std::lock_guard hold(mutex_);
    columns_.clear();
    removed_ = 0;
    times_ms_.clear();
    switched_ms_.clear();
    for (auto& p : probes) {
        table_.names.push_back(p.name);
        columns_.push_back({next_id_++, std::move(p), 0, {}});
    }
}

void ProbeTraces::restart()
{
    std::lock_guard hold(mutex_);
    times_ms_.clear();
    switched_ms_.clear();
    for (auto& c : columns_) {
        c.first = 0;
        c.V_mV.clear();
        c.driven.clear();
    }
}

std::uint64_t ProbeTraces::add(const Probe& probe)
{
    const auto shown = static_cast<std::ptrdiff_t>(columns_.size() - removed_);
    const auto first = columns_.begin() + shown;
    const auto again = std::find_if(first, columns_.end(), [&](const Column& c) {
        return c.probe.name == probe.name && c.probe.position_mm == probe.position_mm;
    });
    if (again != columns_.end()) { // it was removed, and has its samples
        std::lock_guard hold(mutex_);
        std::rotate(first, again, again + 1);
        --removed_;
        return columns_[static_cast<std::size_t>(shown)].id;
    }
    (void)probe_weights(simulation_->tissue(), std::span(&probe, 1), name_); // refuses it
    std::lock_guard hold(mutex_);
    const auto from = simulation_->step() == 0 ? 0 : times_ms_.size();
    return columns_.insert(columns_.begin() + shown, {next_id_++, probe, from, {}})->id;
}

bool ProbeTraces::remove(std::uint64_t id)
{
    const auto shown = static_cast<std::ptrdiff_t>(columns_.size() - removed_);
    const auto last = columns_.begin() + shown;
    const auto found =
        std::find_if(columns_.begin(), last, [&](const Column& c) { return c.id == id; });
    if (found == last)
        return false;
    std::lock_guard hold(mutex_);
    const bool full = removed_ == most_removed; // the one removed first goes for good
    std::rotate(found, found + 1, columns_.end());
    if (full)
        columns_.erase(columns_.begin() + shown - 1);
    else
        ++removed_;
    return true;
}

std::vector<Probe> ProbeTraces::sampled_probes() const
{
    std::vector<Probe> out;
    for (const auto& c : columns_)
        out.push_back(c.probe);
    return out;
}

void ProbeTraces::models_switched(const std::vector<std::size_t>& columns)
{
    std::lock_guard hold(mutex_);
    for (const auto k : columns)
        switched_ms_[columns_.at(k).id].push_back(simulation_->time_ms());
}

Trace ProbeTraces::trace_of(const Column& c, std::size_t from) const
{
    const auto n = static_cast<std::ptrdiff_t>(std::min(from, c.V_mV.size()));
    const auto times = times_ms_.begin() + static_cast<std::ptrdiff_t>(c.first);
    return {c.id,
            c.probe.name,
            c.probe.position_mm,
            {times + n, times + static_cast<std::ptrdiff_t>(c.V_mV.size())},
            {c.V_mV.begin() + n, c.V_mV.end()},
            c.driven};
}

std::vector<Trace> ProbeTraces::traces() const
{
    std::lock_guard hold(mutex_);
    std::vector<Trace> out;
    for (std::size_t k = 0; k + removed_ < columns_.size(); ++k)
        out.push_back(trace_of(columns_[k], 0));
    return out;
}

Trace ProbeTraces::trace(std::uint64_t id, std::size_t from) const
{
    std::lock_guard hold(mutex_);
    for (std::size_t k = 0; k + removed_ < columns_.size(); ++k)
        if (columns_[k].id == id)
            return trace_of(columns_[k], from);
    return {};
}

ModelSwitchTimes ProbeTraces::switched_ms() const
{
    std::lock_guard hold(mutex_);
    return switched_ms_;
}

std::vector<std::vector<float>> ProbeTraces::columns_mV() const
{
    std::vector<std::vector<float>> out;
    for (const auto& c : columns_)
        out.push_back(c.V_mV);
    return out;
}

std::vector<std::vector<Driven>> ProbeTraces::driven() const
{
    std::vector<std::vector<Driven>> out;
    for (const auto& c : columns_)
        out.push_back(c.driven);
    return out;
}

void ProbeTraces::note_current(double from_ms, double to_ms)
{
    constexpr double hair_ms = 1e-9;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        const auto first = static_cast<std::size_t>(reads_.first[k]),
                   last = static_cast<std::size_t>(reads_.first[k + 1]);
        const auto by =
            current_(std::span(reads_.unknown).subspan(first, last - first), from_ms, to_ms);
        if (by.empty())
            continue;
        auto& driven = columns_[k].driven;
        if (driven.empty() || driven.back().by != by || driven.back().to_ms < from_ms - hair_ms)
            driven.push_back({from_ms, to_ms, by});
        driven.back().to_ms = to_ms;
    }
}

void ProbeTraces::note_currents_before()
{
    reads_ = probe_weights(simulation_->tissue(), sampled_probes(), name_);
    std::lock_guard hold(mutex_);
    for (std::size_t k = 1; k < times_ms_.size(); ++k)
        note_current(times_ms_[k - 1], times_ms_[k]);
}

void ProbeTraces::go_on(std::vector<double> times_ms, std::vector<std::vector<float>> V_mV)
{
    std::lock_guard hold(mutex_);
    times_ms_ = std::move(times_ms);
    for (std::size_t k = 0; k < columns_.size(); ++k)
        columns_[k].V_mV = std::move(V_mV.at(k));
}

device::Gather ProbeTraces::plan_columns()
{
    thinner_.restart();
    auto weights = probe_weights(simulation_->tissue(), sampled_probes(), name_);
    reads_ = weights;
    if (simulation_->step() > 0 || columns_.empty())
        return weights;
    Moment rest(*simulation_); // before a pulse of the first step
    const auto v = rest.potential();
    std::lock_guard hold(mutex_);
    for (auto& c : columns_)
        room_for(c.V_mV, 1);
    times_ms_.assign(1, 0);
    for (std::size_t k = 0; k < columns_.size(); ++k)
        if (columns_[k].V_mV.empty())
            columns_[k].V_mV.assign(1, static_cast<float>(value_at(weights, k, v)));
    return weights;
}

void ProbeTraces::keep(double t_ms, std::span<const double> V_mV)
{
    room_for(times_ms_, 1); // a sample of all of them, or of none
    for (auto& c : columns_)
        room_for(c.V_mV, 1);
    times_ms_.push_back(t_ms);
    for (std::size_t k = 0; k < columns_.size(); ++k)
        columns_[k].V_mV.push_back(static_cast<float>(V_mV[k]));
}

void ProbeTraces::sampled(std::int64_t step, std::span<const double> V_mV)
{
    if (V_mV.size() != columns_.size() || columns_.empty())
        return; // of probes that were there before
    const double t_ms = static_cast<double>(step) * simulation_->dt_ms();
    {
        std::lock_guard hold(mutex_);
        note_current(t_ms - static_cast<double>(sampled_every_) * simulation_->dt_ms(), t_ms);
        if (options_.keep_every_ms > 0)
            thinner_.feed(t_ms, V_mV, [this](double t, std::span<const double> v) { keep(t, v); });
        else
            keep(t_ms, V_mV);
    }
    if (options_.rows_every == 0 || step % options_.rows_every != 0)
        return;
    room_for(table_.time_ms, 1);
    room_for(table_.V_mV, V_mV.size());
    table_.time_ms.push_back(t_ms);
    table_.V_mV.insert(table_.V_mV.end(), V_mV.begin(), V_mV.end());
}

} // namespace tawara::simulation
