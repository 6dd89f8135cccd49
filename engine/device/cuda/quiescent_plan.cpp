// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/backend.hpp"
#include "engine/device/cuda/step_plan.cuh"
#include "engine/device/quiescent_state.hpp"

#include <algorithm>

namespace tawara::device::cuda {
namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

template <class Real>
QuiescentPlan<Real>::QuiescentPlan(const TissueProblem& p, Tissue<Real>& tissue,
                                   const PlanChoice& choice)
    : StepPlan<Real>(p, tissue, choice), tolerance_mV_(p.rest_tolerance_mV),
      longest_(cuda::longest_quiescent(p))
{
    if (this->passes_.size() < 2)
        return;
    this->lists_ = true;
    PlannedPass whole; // the flow over a whole time step
    whole.x = this->from_;
    whole.out = Vector::scratch1;
    whole.tau = p.dt_ms;
    this->stages_.insert(this->stages_.begin(),
                         {Stage::Kind::decide, this->passes_.size(), Vector::next, false});
    this->passes_.push_back(whole);
}

template <class Real>
void QuiescentPlan<Real>::launch(StreamRef stream, State& s, const Cells& c)
{
    auto rest = s.rest_of(c.range, tolerance_mV_);
    rest.at = long_.at, rest.length = long_.length, rest.index = long_.index;
    using Kind = typename Stage::Kind;
    rest.part = c.kind == Kind::decide         ? Rest::Part::decide
                : c.kind == Kind::pass         ? Rest::Part::pass
                : this->lists_ || long_.at > 0 ? Rest::Part::moving
                                               : Rest::Part::first;
    auto what = c.launch;
    auto pass = *what.pass;
    if (c.kind == Kind::decide) // what rests is set in both vectors that passes go through
        pass.l_out = s.vector(Vector::scratch2, 0);
    what.pass = &pass;
    c.code.launch_quiescent(stream, what, rest);
}

template <class Real>
CurrentMoment QuiescentPlan<Real>::currents_of(const Stage& s, int parity, int offset) const
{
    auto m = StepPlan<Real>::currents_of(s, parity, offset);
    m.at = long_.at, m.length = long_.length, m.index = long_.index;
    m.tolerance_mV = tolerance_mV_;
    m.looks = looks_;
    return m;
}

template <class Real>
void QuiescentPlan<Real>::enqueue(int steps, int parity)
{
    auto& t = this->t_;
    t.exchange.fork();
    long_.index = 0;
    for (int k = 0; k < steps; ++k, parity = 1 - parity) {
        looks_ = k == 0 && long_.at == 0;
        this->enqueue_stages(parity, k, first_stage());
        if (++long_.at == long_.length)
            long_.at = 0, ++long_.index;
    }
    this->enqueue_end(steps, long_.index);
    t.exchange.join();
}

template <class Real>
void QuiescentPlan<Real>::launch_steps(int steps)
{
    auto& t = this->t_;
    if (this->choice_.graphs) {
        auto& graph = graphs_[{steps, t.parity(), t.stimulated(), long_.at, long_.length}];
        const StreamRef main = t.first().main;
        const Current here(main.device);
        const int from = long_.at;
        if (!graph)
            graph = Graph::capture(main, [&] { enqueue(steps, t.parity()); });
        long_.at = (from + steps) % long_.length;
        graph.launch(main);
        looked_ = looked_ || from == 0;
    } else {
        looked_ = looked_ || long_.at == 0;
        enqueue(steps, t.parity());
    }
    t.step_done(steps);
}

template <class Real>
void QuiescentPlan<Real>::measured_step()
{
    auto& t = this->t_;
    long_.index = 0;
    looks_ = long_.at == 0 && !looked_; // else what is measured would hold more looks than a run
    looked_ = looked_ || looks_;
    const Family f = long_.at ? f_moving : f_fused;
    if (!t.single()) {
        t.synchronize();
        t.exchange.fork(); // events that were recorded in a graph mean nothing outside of it
    }
    const auto first = first_stage();
    for (auto stage = first; stage < this->stages_.size(); ++stage)
        this->measured_stage(stage, first, f);
    const bool ends = ++long_.at == long_.length;
    if (ends)
        long_.at = 0;
    for (auto& s : t.shards) {
        const Current here(s->device);
        end_steps(s->main, s->status.data(), 1, ends);
    }
    if (!t.single())
        t.synchronize();
    t.profiler.step_taken(t.steps_done);
    t.step_done();
}

/// One long step or a row of them.
template <class Real>
std::int64_t QuiescentPlan<Real>::run(std::int64_t n)
{
    auto& t = this->t_;
    if (long_.at == 0) {
        const int row = std::max(1, this->choice_.most_steps / longest_) * longest_;
        const auto free = t.stimuli.steady(t.step, row);
        long_.length = static_cast<int>(std::min<std::int64_t>(longest_, free));
        if (n >= long_.length && t.profiler.due(t.steps_done)) {
            const int length = long_.length;
            for (int k = 0; k < length; ++k)
                measured_step();
            return length;
        }
        const int longs = steps_at_once(row / longest_, std::min(n, free) / longest_);
        if (longs > 1) {
            launch_steps(longs * longest_);
            return longs * longest_;
        }
    }
    const auto steps = std::min<std::int64_t>(n, long_.length - long_.at);
    launch_steps(static_cast<int>(steps));
    return steps;
}

template <class Real>
void QuiescentPlan<Real>::failed()
{
    for (auto& s : this->t_.shards)
        s->list_length.zero(s->main);
    long_ = {};
    looked_ = false;
}

template <class Real>
void QuiescentPlan<Real>::save(Snapshot& s) const
{
    if (long_.at == 0)
        return;
    std::vector<std::vector<std::uint32_t>> moving;
    std::vector<std::vector<Real>> ends;
    for (const auto& shard : this->t_.shards) {
        const Current here(shard->device);
        moving.emplace_back(shard->moving.size());
        ends.emplace_back(shard->v_end.size());
        shard->moving.download(moving.back(), shard->main);
        shard->v_end.download(ends.back(), shard->main);
        shard->main->synchronize();
    }
    QuiescentState q(long_.at, long_.length, this->t_.place.size());
    for (std::size_t u = 0; u < this->t_.place.size(); ++u) {
        const auto& p = this->t_.place[u];
        const auto slot = at(p.slot);
        const bool rests = !(moving[at(p.part)][slot / 32] >> slot % 32 & 1U);
        q.rests[u] = rests ? 1 : 0;
        if (rests)
            q.end_mV[u] = static_cast<double>(ends[at(p.part)][slot]);
    }
    s.quiescent = q.packed();
}

/// The moving slots of a shard, and their lists as the first kernel of a long step leaves them.
template <class Real>
void QuiescentPlan<Real>::restore(State& d, const Snapshot& s)
{
    std::vector<std::uint32_t> moving(d.moving.size(), 0);
    std::vector<std::int32_t> list(d.list.size(), 0);
    std::vector<unsigned> length(d.list_length.size(), 0);
    std::vector<Real> ends(d.v_end.size(), Real(0));
    if (!s.quiescent.empty()) {
        const QuiescentState q(s.quiescent, s.v);
        for (std::size_t slot = 0; slot < d.host.old_of.size(); ++slot)
            if (const auto u = d.host.old_of[slot]; u >= 0) {
                ends[slot] = static_cast<Real>(q.end_mV[at(u)]);
                if (q.rests[at(u)] == 0)
                    moving[slot / 32] |= 1U << slot % 32;
            }
    }
    for (std::size_t r = 0; r < d.host.ranges.size(); ++r)
        for (auto slice = d.host.ranges[r].begin / 32; slice * 32 < d.host.ranges[r].end; ++slice)
            if (moving[at(slice)])
                list[at(d.host.ranges[r].begin / 32) + length[2 * r]++] =
                    static_cast<std::int32_t>(slice);
    const Current here(d.device);
    d.v_end.upload(ends, d.main);
    d.moving.upload(moving, d.main);
    d.list.upload(list, d.main);
    d.list_length.upload(length, d.main);
    d.main->synchronize();
}

template <class Real>
void QuiescentPlan<Real>::restore(const Snapshot& s)
{
    for (auto& shard : this->t_.shards)
        restore(*shard, s);
    long_ = {};
    looked_ = false;
    if (!s.quiescent.empty()) {
        long_.at = static_cast<int>(s.quiescent[0]);
        long_.length = static_cast<int>(s.quiescent[1]);
    }
    if (this->front_)
        this->front_->restored(currents_of(this->stages_.front(), this->t_.parity(), 0));
}

/// Long steps move every slot; the short ones inside them the slices that were counted.
template <class Real>
std::vector<KernelRecord> QuiescentPlan<Real>::kernels() const
{
    const auto& t = this->t_;
    std::vector<KernelRecord> out;
    for (std::size_t k = 0; k < t.shards.size(); ++k) {
        const State& s = *t.shards[k];
        const Status& status = *s.status_host.data();
        const double both = this->lists_ ? 2 : 1; // the decision and the step are of one kind
        const double bytes = this->family_bytes(s, f_fused) / both,
                     flops = this->family_flops(s, f_fused) / both,
                     more_bytes = this->family_bytes(s, f_diffusion),
                     more_flops = this->family_flops(s, f_diffusion);
        const auto steps = static_cast<double>(t.steps_done);
        const auto longs = static_cast<std::int64_t>(status.long_steps);
        const double moved =
            32 * static_cast<double>(status.moving) / static_cast<double>(s.host.slots);
        out.push_back({"diffusion+reaction, long steps" + this->where(k), longs,
                       steps * t.profiler.ms_per_step(k, f_fused),
                       static_cast<double>(longs) * bytes, static_cast<double>(longs) * flops});
        out.push_back({"diffusion+reaction, short steps" + this->where(k), t.steps_done - longs,
                       steps * t.profiler.ms_per_step(k, f_moving), moved * (bytes + more_bytes),
                       moved * (flops + more_flops)});
    }
    this->add_currents(out);
    return out;
}

/// By the later steps of long ones, to whole slices.
template <class Real>
double QuiescentPlan<Real>::share_quiescent() const
{
    double moved = 0, all = 0;
    for (const auto& s : this->t_.shards) {
        const Status& status = *s->status_host.data();
        moved += 32 * static_cast<double>(status.moving);
        all += static_cast<double>(this->t_.steps_done - status.long_steps) *
               static_cast<double>(s->host.stepped);
    }
    return all > 0 ? std::clamp(1 - moved / all, 0.0, 1.0) : 0;
}

template class QuiescentPlan<double>;
template class QuiescentPlan<float>;

} // namespace tawara::device::cuda
