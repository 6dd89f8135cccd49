// SPDX-License-Identifier: GPL-3.0-or-later
// The time loop of the CUDA back end.
#include "engine/device/cuda/stepper.cuh"

#include "engine/cell/cell_error.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <utility>

namespace tawara::device::cuda {

namespace {

constexpr std::int64_t check_every =
    1024; // steps between looks at the verdict inside one advance()
constexpr std::int64_t check_every_of_share = 32; // as many steps as a graph has elsewhere
constexpr std::size_t few_unknowns = 300'000;     // below it, one launch less counts for more

/// Whether the last diffusion pass goes with the reaction.
bool is_fused(const TissueProblem& p, const Tuning& tuning, bool single, bool mixed)
{
    if (p.rest_tolerance_mV > 0)
        return true;
    if (p.splitting == Splitting::strang && p.currents == IonicCurrents::interpolated)
        return false; // the second half's currents are made of V after diffusion
    return !mixed && !needs_solver(p) && all_take_pass(p) &&
           tuning.fused.value_or(single || p.size() < few_unknowns);
}

/// Steps from one that is timed kernel by kernel to the next; a long step of quiescent unknowns has
/// many.
std::int64_t timed_every(const TissueProblem& p, const Tuning& tuning)
{
    return tuning.timed_every * (p.rest_tolerance_mV > 0 ? 16 : p.size() < few_unknowns ? 8 : 1);
}

template <class Real>
Shards<Real> make_states(const TissueProblem& p, std::vector<Shard> shards,
                         const std::vector<int>& devices, bool fused, bool maps)
{
    Shards<Real> out;
    for (std::size_t k = 0; k < devices.size(); ++k)
        out.push_back(std::make_unique<ShardState<Real>>(p, std::move(shards[k]), k, devices[k],
                                                         fused, maps));
    return out;
}

} // namespace

template <class Real>
CudaStepper<Real>::CudaStepper(const TissueProblem& p, Sharding sharding,
                               const std::vector<int>& devices, const StepperOptions& o,
                               Halo* others)
    : CudaStepper(p, std::move(sharding), devices, o,
                  is_fused(p, o.tuning, sizeof(Real) == 4, o.precision == Precision::mixed), others)
{
}

template <class Real>
CudaStepper<Real>::CudaStepper(const TissueProblem& p, Sharding sharding,
                               const std::vector<int>& devices, const StepperOptions& o, bool fused,
                               Halo* others)
    : position_(p.position_mm), groups_(p.groups), group_(p.group),
      places_(p, sizeof(Real) == sizeof(float) ? Precision::single : Precision::double_),
      t_(make_states<Real>(p, std::move(sharding.shards), devices, fused, o.maps),
         std::move(sharding.place), p.dt_ms, timed_every(p, o.tuning), others),
      plan_(make_plan(p, t_,
                      {fused, o.precision == Precision::mixed, o.tuning.graph_steps,
                       others == nullptr && o.tuning.graph_steps > 0, sharding.sub_steps})),
      published_(devices.at(0))
{
}

template <class Real>
CudaStepper<Real>::~CudaStepper()
{
    for (auto& s : t_.shards) { // nothing may run on memory that is about to be freed
        cudaStreamSynchronize(StreamRef(s->main).handle);
        cudaStreamSynchronize(StreamRef(s->outward).handle);
    }
}

template <class Real>
std::string CudaStepper<Real>::advance_counted(std::int64_t n)
{
    if (!t_.single())
        return "hardware counters are read on one device at a time; use one, e.g. --devices cuda:0";
    if (plan_->longest_quiescent())
        return "hardware counters are not read where unknowns rest; leave rest_tolerance_mV out";
    const Current here(t_.first().device);
    t_.synchronize();
    if (auto why = t_.profiler.count_begin(t_.first().device,
                                           static_cast<std::size_t>(n) * plan_->pieces());
        !why.empty())
        return why;
    try {
        for (std::int64_t k = 0; k < n; ++k) {
            prepare();
            plan_->run(1);
        }
        t_.profiler.count_end(n);
    } catch (...) {
        t_.profiler.count_end(0);
        throw;
    }
    settle();
    return "";
}

/// What the host does before the step to come.
template <class Real>
void CudaStepper<Real>::prepare()
{
    if (t_.stimuli.apply(t_.step, t_.exchange))
        t_.ports.sources_changed();
}

template <class Real>
void CudaStepper<Real>::advance(std::int64_t n)
{
    const std::int64_t target = t_.step + n, look_every = t_.exchange.link() != nullptr
                                                              ? check_every_of_share
                                                              : check_every;
    if (std::exchange(halos_due_, false)) // every process of a share is here
        t_.exchange.all_halos(Vector::current, t_.parity());
    while (t_.step < target) {
        prepare();
        std::int64_t most = std::min(target - t_.step, look_every - (t_.steps_done - checked_));
        if (probes_.size())
            most = std::min(most, probe_every_ - t_.step % probe_every_);
        most = t_.ports.prepare(t_.step, t_.stimuli.steady(t_.step, most));
        for (const auto end = t_.step + most; t_.step < end;)
            plan_->run(end - t_.step);
        if (probes_.size() && t_.step % probe_every_ == 0)
            sample();
        if (t_.steps_done - checked_ >= look_every && !settle())
            return;
    }
    settle();
}

/// Waits, and throws if the run failed.
/// @return whether no other process' share has failed
template <class Real>
bool CudaStepper<Real>::settle()
{
    checked_ = t_.steps_done;
    if (!t_.single())
        t_.synchronize();
    for (auto& s : t_.shards)
        s->status.download(s->status_host.span(), s->main);
    t_.synchronize();
    t_.profiler.read();
    unsigned long long first = no_failure;
    std::size_t where = 0;
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const auto bad = t_.shards[k]->status_host.data()->bad;
        if (bad < first)
            first = bad, where = k;
    }
    const bool stops = t_.exchange.any(first != no_failure);
    if (first != no_failure)
        fail(where, first);
    return !stops;
}

template <class Real>
void CudaStepper<Real>::fail(std::size_t shard, unsigned long long bad)
{
    const auto failed = static_cast<std::int64_t>(bad >> 32) + 1;
    t_.step_done(failed - t_.step);
    checked_ = t_.steps_done; // the next look comes after as many steps as that of other processes
    for (auto& s : t_.shards) {
        *s->status_host.data() = {t_.step, bad};
        s->status.upload(s->status_host.span(), s->main);
    }
    plan_->failed();
    t_.synchronize();
    // Several shards share the earliest failure: the one whose own value is not finite has it.
    const auto slot = static_cast<std::size_t>(bad & 0x7fffffffU);
    double value = 0;
    std::int32_t unknown = 0;
    std::size_t group = 0;
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const State& s = *t_.shards[(shard + k) % t_.shards.size()];
        if (slot >= s.host.old_of.size() || s.host.old_of[slot] < 0)
            continue;
        Real v = 0;
        const Current here(s.device);
        check(cudaMemcpyAsync(&v, s.vector(Vector::current, t_.parity()) + slot, sizeof v,
                              cudaMemcpyDeviceToHost, StreamRef(s.main).handle),
              "cudaMemcpyAsync", s.device);
        s.main->synchronize();
        value = static_cast<double>(v);
        unknown = s.host.old_of[slot];
        group = s.group_of(slot);
        if (!(value > -1000 && value < 1000))
            break;
    }
    const CellGroup& of = groups_.at(group);
    const NumericsError what(t_.time_ms(), t_.step, unknown,
                             position_[static_cast<std::size_t>(unknown)], value, model_name(of));
    if (of.reaction)
        throw what;
    cell::fail_in_tissue(what, of.types.at(0));
}

template class CudaStepper<double>;
template class CudaStepper<float>;

} // namespace tawara::device::cuda
