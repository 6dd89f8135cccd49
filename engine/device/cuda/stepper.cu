// SPDX-License-Identifier: GPL-3.0-or-later
// The time loop of the CUDA back end.
#include "engine/device/cuda/stepper.cuh"

#include "engine/cell/cell_error.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <limits>

namespace tawara::device::cuda {

namespace {
constexpr std::int64_t check_every =
    1024; // steps between looks at the verdict inside one advance()
constexpr std::size_t few_unknowns = 300'000; // below it, one launch less counts for more
} // namespace

template <class Real>
CudaStepper<Real>::CudaStepper(const TissueProblem& p, Sharding sharding,
                               const std::vector<int>& devices, const Tuning& tuning, bool mixed)
    : tuning_(tuning), mixed_(mixed),
      fused_(!mixed && tuning.fused.value_or(sizeof(Real) == 4 || p.size() < few_unknowns)),
      dt_(p.dt_ms), position_(p.position_mm), groups_(p.groups), forked_(devices.at(0))
{
    solves_ = needs_solver(p);
    fused_ = (fused_ && !solves_) || p.rest_tolerance_mV > 0;
    place_ = std::move(sharding.place);
    for (std::size_t k = 0; k < devices.size(); ++k)
        shards_.push_back(
            std::make_unique<State>(p, std::move(sharding.shards[k]), devices[k], fused_));
    sampled_ms_.resize(shards_.size());
    if (p.splitting == Splitting::strang) {
        diffused_from_ = Vector::half;
        stages_.push_back({Stage::Kind::half_reaction, 0, Vector::half});
    }
    passes_ = plan_passes(p, diffused_from_);
    for (std::size_t k = 0; !solves_ && k < passes_.size(); ++k)
        if (k + 1 < passes_.size() || !fused_)
            stages_.push_back({Stage::Kind::pass, k, passes_[k].out, k + 1 < passes_.size()});
    stages_.push_back({Stage::Kind::last, passes_.size() - 1, Vector::next});
    rest_tolerance_mV_ = p.rest_tolerance_mV;
    longest_rest_ = longest_rest(p);
    if (solves_)
        make_solver(p, sharding.sub_steps);
    if (!tuning_.timed_every)
        schedule_timing();
    exchange_current();
}

/// The next steps that are timed kernel by kernel; a long step of resting unknowns has many.
template <class Real>
void CudaStepper<Real>::schedule_timing()
{
    const std::int64_t rarer = longest_rest_ ? 16 : place_.size() < few_unknowns ? 8 : 1;
    next_timing_ = tuning_.timed_every ? steps_done_ + rarer * tuning_.timed_every
                                       : std::numeric_limits<std::int64_t>::max();
}

template <class Real>
CudaStepper<Real>::~CudaStepper()
{
    for (auto& s : shards_) { // nothing may run on memory that is about to be freed
        cudaStreamSynchronize(StreamRef(s->main).handle);
        cudaStreamSynchronize(StreamRef(s->urgent).handle);
    }
}

template <class Real>
auto CudaStepper<Real>::family(const Stage& s) const -> Family
{
    if (s.kind == Stage::Kind::pass)
        return f_diffusion;
    return s.kind == Stage::Kind::last && fused_ ? f_fused : f_reaction;
}

template <class Real>
void CudaStepper<Real>::run(const Stage& stage, State& s, Part part, StreamRef stream, int parity,
                            int offset)
{
    const std::int64_t begin = part == Part::interior ? s.host.separator : 0;
    const std::int64_t end = part == Part::separator ? s.host.separator : s.host.slots;
    if (begin >= end)
        return;
    const Current here(s.device);
    const bool strang = diffused_from_ == Vector::half;
    Pass<Real> pass;
    if (stage.kind != Stage::Kind::half_reaction)
        pass = s.pass(passes_[stage.pass], parity, diffused_from_);
    const bool with_pass = stage.kind == Stage::Kind::last && fused_;
    if (stage.kind == Stage::Kind::pass) {
        if constexpr (sizeof(Real) == 8)
            if (mixed_)
                return diffuse(stream, s.mixed(pass), s.moment(begin, end, offset));
        return diffuse(stream, pass, s.moment(begin, end, offset));
    }
    for (std::size_t index = 0; index < s.host.ranges.size(); ++index) {
        const auto& r = s.host.ranges[index];
        if (r.begin < begin || r.begin >= end)
            continue;
        auto k = s.reaction(index, stimulated_, strang ? dt_ / 2 : dt_);
        const auto moment = s.moment(r.begin, r.end, offset);
        const auto& cells = *s.cells[r.group];
        k.v_out = s.vector(stage.out, parity);
        k.v_in = k.v_out;
        if (stage.kind == Stage::Kind::half_reaction)
            k.v_in = s.vector(Vector::current, parity);
        else
            k.v_before = s.vector(Vector::current, parity);
        if (longest_rest_) {
            auto rest = s.rest_of(index, rest_tolerance_mV_);
            rest.at = long_.at, rest.length = long_.length, rest.index = long_.index;
            cells.launch_resting(stream, pass, k, s.type.data(), moment, rest);
            continue;
        }
        // Right behind the one pass of its diffusion, in the same stream: the first of a step's
        // ranges; where it was measured (PREDICTIONS.md, "G8"). For the separators it was measured
        // to be slower: their blocks wait where the interior's diffusion could run.
        const bool early = stage.kind == Stage::Kind::last && part != Part::separator &&
                           r.begin == begin && passes_.size() == 1 && !strang && !solves_ &&
                           !mixed_;
        cells.launch(stream, with_pass ? &pass : nullptr, k, s.type.data(), moment, early);
    }
}

template <class Real>
void CudaStepper<Real>::exchange(const Stage& stage, State& s, int parity)
{
    if (!stage.sends)
        return;
    const Current here(s.device);
    Peers<Real> peers;
    peers.from = s.sent_slots.data();
    for (const auto& to : s.host.sends) {
        if (peers.count == Peers<Real>::most) {
            send(s.urgent, s.vector(stage.out, parity), peers);
            peers.first[0] = peers.first[peers.count];
            peers.count = 0;
        }
        peers.to[peers.count] = shards_[to.part]->vector(stage.out, parity) + to.to;
        peers.first[peers.count + 1] =
            peers.first[peers.count] + static_cast<std::int32_t>(to.from.size());
        ++peers.count;
    }
    if (peers.count)
        send(s.urgent, s.vector(stage.out, parity), peers);
}

template <class Real>
void CudaStepper<Real>::exchange_current()
{
    for (auto& s : shards_)
        exchange({Stage::Kind::pass, 0, Vector::current}, *s, parity());
    synchronize();
}

template <class Real>
void CudaStepper<Real>::fork()
{
    forked_.record(shards_[0]->main);
    for (auto& s : shards_) {
        if (s != shards_[0])
            s->main->wait(forked_);
        s->urgent->wait(forked_);
        s->main_done.record(s->main);
        s->separator_done.record(s->urgent);
        s->sent.record(s->urgent);
    }
}

template <class Real>
void CudaStepper<Real>::join()
{
    for (auto& s : shards_) {
        for (auto& o : shards_) {
            s->main->wait(o->main_done);
            s->main->wait(o->sent);
        }
        const Current here(s->device);
        for (auto& o : shards_)
            if (o != s)
                share_failure(s->main, s->status.data(), o->status.data());
        s->ended.record(s->main);
    }
    for (auto& s : shards_)
        shards_[0]->main->wait(s->ended);
}

/// The stages up to and with the first whose result other shards read: one after the other for the
/// separators and, beside them, for the interior. The copies to other shards are then under way
/// while the interior's first kernel runs: a reaction kernel that keeps its blocks on the device to
/// its end would leave them no room until then.
/// @return how many
template <class Real>
std::size_t CudaStepper<Real>::enqueue_overlapped(std::span<const Stage> stages, int parity,
                                                  int offset)
{
    const auto sending =
        std::find_if(stages.begin(), stages.end(), [](auto& s) { return s.sends; });
    const auto group = stages.first(
        std::min(static_cast<std::size_t>(sending - stages.begin()) + 1, stages.size()));
    for (auto& s : shards_) {
        for (auto& o : shards_)
            s->urgent->wait(o->sent);
        s->urgent->wait(s->main_done);
        s->main->wait(s->separator_done);
    }
    for (auto& s : shards_) {
        for (const auto& stage : group)
            run(stage, *s, Part::separator, s->urgent, parity, offset);
        s->separator_done.record(s->urgent);
        exchange(group.back(), *s, parity);
        s->sent.record(s->urgent);
    }
    for (auto& s : shards_) {
        for (const auto& stage : group)
            run(stage, *s, Part::interior, s->main, parity, offset);
        s->main_done.record(s->main);
    }
    return group.size();
}

template <class Real>
void CudaStepper<Real>::enqueue(int steps, int parity)
{
    if (!single())
        fork();
    long_.index = 0;
    for (int k = 0; k < steps; ++k, parity = 1 - parity) {
        for (std::size_t stage = 0; stage < stages_.size();)
            if (single())
                run(stages_[stage++], *shards_[0], Part::all, shards_[0]->main, parity, k);
            else
                stage += enqueue_overlapped(std::span(stages_).subspan(stage), parity, k);
        if (++long_.at == long_.length)
            long_.at = 0, ++long_.index;
    }
    for (auto& s : shards_) {
        const Current here(s->device);
        if (!single())
            s->main->wait(s->sent);
        end_steps(s->main, s->status.data(), steps, longest_rest_ ? long_.index : 0);
        if (!single())
            s->main_done.record(s->main);
    }
    if (!single())
        join();
}

/// Work on a shard's main stream between two events, or in a range of the counters.
template <class Real>
void CudaStepper<Real>::measured(Family f, std::size_t shard, const std::function<void()>& body)
{
    const State& s = *shards_[shard];
    if (counters_) {
        const Current here(s.device);
        s.main->synchronize();
        counters_->begin();
        body();
        s.main->synchronize();
        counters_->end();
        counted_ranges_.push_back(f);
        return;
    }
    Timing t{shard, f, Event(s.device, true), Event(s.device, true)};
    const Current here(s.device);
    hold(s.main); // what lies between the events is then enqueued before the first one happens
    t.begin.record(s.main);
    body();
    t.end.record(s.main);
    pending_.push_back(std::move(t));
}

template <class Real>
std::string CudaStepper<Real>::advance_counted(std::int64_t n)
{
    if (!single())
        return "hardware counters are read on one device at a time; use one, e.g. --devices cuda:0";
    if (longest_rest_)
        return "hardware counters are not read where unknowns rest; leave rest_tolerance_mV out";
    constexpr std::size_t parts = 4; // of a step that solves
    const Current here(shards_[0]->device);
    synchronize();
    try {
        counters_ = std::make_unique<MemoryCounters>(
            shards_[0]->device, static_cast<std::size_t>(n) * std::max(stages_.size(), parts));
    } catch (const DeviceError& e) {
        return e.what();
    }
    struct Off
    {
        std::unique_ptr<MemoryCounters>& counters;
        std::int64_t& next_timing;
        const std::int64_t timing = next_timing;
        ~Off()
        {
            counters.reset();
            next_timing = timing;
        }
    } off{counters_, next_timing_};
    counted_ranges_.clear();
    for (std::int64_t k = 0; k < n; ++k) {
        apply_stimulus();
        next_timing_ = steps_done_; // so that it is measured
        run_steps(1);
    }
    const auto bytes = counters_->finish();
    counters_.reset();
    for (std::size_t k = 0; k < bytes.size(); ++k)
        counted_bytes_[counted_ranges_[k]] += bytes[k].read + bytes[k].written;
    counted_steps_ += n;
    settle();
    return "";
}

template <class Real>
void CudaStepper<Real>::sampled_step()
{
    if (!single())
        synchronize();
    long_.index = 0;
    for (const auto& stage : stages_) {
        for (std::size_t k = 0; k < shards_.size(); ++k) {
            State& s = *shards_[k];
            measured(long_.at ? f_moving : family(stage), k,
                     [&] { run(stage, s, Part::all, s.main, parity(), 0); });
        }
        if (single())
            continue;
        synchronize();
        for (auto& s : shards_)
            exchange(stage, *s, parity());
        synchronize();
    }
    if (!counters_)
        ++pending_steps_;
    const bool ends = longest_rest_ && ++long_.at == long_.length;
    if (ends)
        long_.at = 0;
    for (auto& s : shards_) {
        const Current here(s->device);
        end_steps(s->main, s->status.data(), 1, ends);
    }
    if (!single())
        synchronize();
}

template <class Real>
void CudaStepper<Real>::run_steps(std::int64_t n)
{
    while (n > 0) {
        if (solves_) {
            solved_step();
            --n;
            continue;
        }
        if (longest_rest_) {
            n -= run_resting(n);
            continue;
        }
        if (steps_done_ >= next_timing_) {
            sampled_step();
            schedule_timing();
            ++step_, ++steps_done_, --n;
            continue;
        }
        const int steps =
            tuning_.graph_steps > 0 && n >= tuning_.graph_steps ? tuning_.graph_steps : 1;
        launch_steps(steps);
        n -= steps;
    }
}

template <class Real>
void CudaStepper<Real>::launch_steps(int steps)
{
    if (tuning_.graph_steps > 0) {
        auto& graph = graphs_[{steps, parity(), stimulated_, long_.at, long_.length}];
        const Current here(shards_[0]->device);
        const int at = long_.at;
        if (!graph)
            graph = Graph::capture(shards_[0]->main, [&] { enqueue(steps, parity()); });
        long_.at = (at + steps) % long_.length;
        graph.launch(shards_[0]->main);
    } else {
        enqueue(steps, parity());
    }
    step_ += steps, steps_done_ += steps;
}

/// Takes up to n steps, one long step or a row of them. @return how many
template <class Real>
std::int64_t CudaStepper<Real>::run_resting(std::int64_t n)
{
    if (long_.at == 0) { // no long step reaches over the start or end of a stimulus
        const int row = std::max(1, tuning_.graph_steps / longest_rest_) * longest_rest_;
        const auto free = steady(row);
        long_.length = static_cast<int>(std::min<std::int64_t>(longest_rest_, free));
        if (n >= long_.length && steps_done_ >= next_timing_) {
            const int length = long_.length;
            for (int k = 0; k < length; ++k) {
                sampled_step();
                ++step_, ++steps_done_;
            }
            schedule_timing();
            return length;
        }
        if (n >= row && free >= row) {
            launch_steps(row);
            return row;
        }
    }
    const auto steps = std::min<std::int64_t>(n, long_.length - long_.at);
    launch_steps(static_cast<int>(steps));
    return steps;
}

/// Steps from here, at most `most`, over which every stimulus stays as it is.
template <class Real>
std::int64_t CudaStepper<Real>::steady(std::int64_t most)
{
    bool any = false;
    for (const auto& s : sources_)
        any = any || !s.values.over(time_ms());
    if (!any)
        return most;
    for (std::int64_t n = 1; n < most; ++n)
        for (std::size_t k = 0; k < sources_.size(); ++k)
            if (sources_[k].values.overlap(static_cast<double>(step_ + n) * dt_, dt_) !=
                applied_[k])
                return n;
    return most;
}

template <class Real>
void CudaStepper<Real>::apply_stimulus()
{
    std::vector<double> now;
    for (const auto& s : sources_)
        now.push_back(s.values.overlap(time_ms(), dt_));
    if (now == applied_)
        return;
    applied_ = now;
    if (!single())
        synchronize();
    stimulated_ = std::any_of(now.begin(), now.end(), [](double x) { return x != 0; });
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        State& s = *shards_[k];
        const Current here(s.device);
        s.clear_stimulus();
        for (std::size_t i = 0; i < sources_.size(); ++i)
            if (now[i] != 0)
                add_current(s.main, s.stimulus.data(), sources_[i].slots[k].data(),
                            static_cast<std::int64_t>(sources_[i].slots[k].size()),
                            static_cast<Real>(now[i] * sources_[i].values.amplitude_pA_per_pF));
    }
    if (!single())
        synchronize();
}

template <class Real>
void CudaStepper<Real>::advance(std::int64_t n)
{
    const std::int64_t target = step_ + n;
    while (step_ < target) {
        apply_stimulus();
        std::int64_t most = std::min(target - step_, check_every);
        if (probes_.size())
            most = std::min(most, probe_every_ - step_ % probe_every_);
        run_steps(steady(most));
        if (probes_.size() && step_ % probe_every_ == 0)
            sample();
        if (steps_done_ - checked_ >= check_every)
            settle();
    }
    settle();
}

/// Waits, and throws if the run failed.
template <class Real>
void CudaStepper<Real>::settle()
{
    checked_ = steps_done_;
    if (!single())
        synchronize();
    for (auto& s : shards_)
        s->status.download(s->status_host.span(), s->main);
    synchronize();
    read_timings();
    unsigned long long first = no_failure;
    std::size_t where = 0;
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        const auto bad = shards_[k]->status_host.data()->bad;
        if (bad < first)
            first = bad, where = k;
    }
    if (first != no_failure)
        fail(where, first);
}

template <class Real>
void CudaStepper<Real>::fail(std::size_t shard, unsigned long long bad)
{
    steps_done_ -= step_;
    step_ = static_cast<std::int64_t>(bad >> 32) + 1;
    steps_done_ += step_;
    for (auto& s : shards_) {
        *s->status_host.data() = {step_, bad};
        s->status.upload(s->status_host.span(), s->main);
        s->list_length.zero(s->main);
    }
    long_ = {};
    synchronize();
    // Several shards share the earliest failure: the one whose own value is not finite has it.
    const auto slot = static_cast<std::size_t>(bad & 0xffffffffU);
    double value = 0;
    std::int32_t unknown = 0;
    std::size_t group = 0;
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        const State& s = *shards_[(shard + k) % shards_.size()];
        if (slot >= s.host.old_of.size() || s.host.old_of[slot] < 0)
            continue;
        Real v = 0;
        const Current here(s.device);
        check(cudaMemcpyAsync(&v, s.vector(Vector::current, parity()) + slot, sizeof v,
                              cudaMemcpyDeviceToHost, StreamRef(s.main).handle),
              "cudaMemcpyAsync", s.device);
        s.main->synchronize();
        value = static_cast<double>(v);
        unknown = s.host.old_of[slot];
        group = s.group_of(slot);
        if (!(value > -1000 && value < 1000))
            break;
    }
    const auto& type = groups_.at(group).types.at(0);
    cell::fail_in_tissue({time_ms(), step_, unknown, position_[static_cast<std::size_t>(unknown)],
                          value, type.model},
                         type);
}

template <class Real>
void CudaStepper<Real>::synchronize() const
{
    for (const auto& s : shards_) {
        s->main->synchronize();
        s->urgent->synchronize();
    }
}

template class CudaStepper<double>;
template class CudaStepper<float>;

} // namespace tawara::device::cuda
