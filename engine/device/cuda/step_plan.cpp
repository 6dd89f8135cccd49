// SPDX-License-Identifier: GPL-3.0-or-later
// What all plans of steps have in common: the stages of a step, and their records.
#include "engine/device/cuda/newton_plan.cuh"

#include <algorithm>

namespace tawara::device::cuda {

template <class Real>
StepPlan<Real>::StepPlan(const TissueProblem& p, Tissue<Real>& tissue, const PlanChoice& choice)
    : t_(tissue), choice_(choice), solves_(needs_solver(p))
{
    if (p.splitting == Splitting::strang) {
        from_ = Vector::half;
        stages_.push_back({Stage::Kind::half_reaction, 0, Vector::half});
    }
    passes_ = plan_passes(p, from_);
    // Strang's second half has currents from V after diffusion, the neighbours' included
    const bool currents_of_next = strang() && p.currents == IonicCurrents::interpolated;
    for (std::size_t k = 0; !solves_ && k < passes_.size(); ++k)
        if (k + 1 < passes_.size() || !choice.fused)
            stages_.push_back(
                {Stage::Kind::pass, k, passes_[k].out, k + 1 < passes_.size() || currents_of_next});
    stages_.push_back({Stage::Kind::last, passes_.size() - 1, Vector::next});
    if (p.currents == IonicCurrents::interpolated)
        front_ = std::make_unique<FrontCurrents<Real>>(p, tissue);
}

/// Those of a step's start, and in Strang splitting those of the second half's: from V after
/// diffusion, as the CPU back end takes them.
template <class Real>
CurrentMoment StepPlan<Real>::currents_of(const Stage& s, int parity, int offset) const
{
    if (!strang())
        return {Vector::current, parity, offset, 0, t_.dt_ms};
    const bool again = s.kind == Stage::Kind::last;
    return {again ? Vector::next : Vector::current, parity, offset, again ? t_.dt_ms / 2 : 0,
            t_.dt_ms / 2};
}

template <class Real>
Family StepPlan<Real>::family(const Stage& s) const
{
    if (s.kind == Stage::Kind::pass)
        return f_diffusion;
    return s.kind == Stage::Kind::decide || (s.kind == Stage::Kind::last && choice_.fused)
               ? f_fused
               : f_reaction;
}

template <class Real>
void StepPlan<Real>::run_stage(const Stage& stage, State& s, Part part, StreamRef stream,
                               int parity, int offset)
{
    const std::int64_t begin = part == Part::interior ? s.host.separator : 0;
    const std::int64_t end = part == Part::separator ? s.host.separator : s.host.slots;
    if (begin >= end)
        return;
    const Current here(s.device);
    Pass<Real> pass;
    if (stage.kind != Stage::Kind::half_reaction)
        pass = s.pass(passes_[stage.pass], parity, from_);
    const bool with_pass = (stage.kind == Stage::Kind::last && choice_.fused) || lists_;
    if (stage.kind == Stage::Kind::pass && !lists_) {
        if constexpr (sizeof(Real) == 8)
            if (choice_.mixed)
                return diffuse(stream, s.mixed(pass), s.moment(begin, end, offset));
        return diffuse(stream, pass, s.moment(begin, end, offset));
    }
    t_.ports.wait_for_currents(stream, s.index);
    for (std::size_t index = 0; index < s.host.ranges.size(); ++index) {
        const auto& r = s.host.ranges[index];
        if (r.begin < begin || r.begin >= end)
            continue;
        Cells c{index, stage.kind, *s.cells[r.group], {}};
        auto& l = c.launch;
        l.pass = with_pass ? &pass : nullptr;
        l.moment = s.moment(r.begin, r.end, offset);
        l.unknown = s.unknown.data();
        l.dt_ms = strang() ? t_.dt_ms / 2 : t_.dt_ms;
        l.cells = s.reaction(index, t_.stimulated(), l.dt_ms);
        if (front_)
            front_->give_to(l.cells, s.index, r.group);
        l.cells.v_in = l.cells.v_out = s.vector(stage.out, parity);
        if (stage.kind == Stage::Kind::half_reaction) {
            l.cells.v_in = s.vector(Vector::current, parity);
        } else {
            l.cells.v_before = s.vector(Vector::current, parity);
            l.moment.part = strang() ? 1 : 0;
            l.after_ms = strang() ? l.dt_ms : 0;
        }
        l.early = r.begin == begin && starts_early(stage, part);
        launch(stream, s, c);
        if (l.cells.v_before && !c.code.keeps_record())
            keep_record(stream, l.cells, l.moment);
    }
}

/// Whether a stage's first kernel may start while the kernel ahead in its stream ends: right behind
/// the ports' currents (PREDICTIONS.md, "G9"), or right behind the one pass of its diffusion, where
/// it was measured ("G8"); not of a share among processes, whose last stage waits (gives_first()).
/// For the separators it was measured to be slower: their blocks wait where the interior's
/// diffusion could run.
template <class Real>
bool StepPlan<Real>::starts_early(const Stage& stage, Part part) const
{
    if (t_.ports.any() && front_)
        return false;
    if (t_.ports.any())
        return t_.ports.in_line() && &stage == &stages_.front();
    return stage.kind == Stage::Kind::last && !t_.exchange.link() && !choice_.fused &&
           part != Part::separator && passes_.size() == 1 && !strang() && !solves_ &&
           !choice_.mixed;
}

template <class Real>
std::size_t StepPlan<Real>::enqueue_overlapped(std::span<const Stage> stages, int parity,
                                               int offset)
{
    const auto sending =
        std::find_if(stages.begin(), stages.end(), [](auto& s) { return s.sends; });
    const auto group = stages.first(
        std::min(static_cast<std::size_t>(sending - stages.begin()) + 1, stages.size()));
    for (auto& s : t_.shards) {
        t_.exchange.wait_for_halos(s->outward);
        s->outward->wait(s->main_done);
        s->main->wait(s->separator_done);
    }
    for (auto& s : t_.shards) {
        for (const auto& stage : group)
            run_stage(stage, *s, Part::separator, s->outward, parity, offset);
        s->separator_done.record(s->outward);
        if (group.back().sends)
            t_.exchange.to_halos(*s, group.back().out, parity);
        s->sent.record(s->outward);
    }
    for (auto& s : t_.shards) {
        for (const auto& stage : group) {
            if (gives_first(group) && &stage == &group.back())
                s->main->wait(s->sent);
            run_stage(stage, *s, Part::interior, s->main, parity, offset);
        }
        s->main_done.record(s->main);
    }
    if (group.back().sends)
        t_.exchange.from_others(group.back().out, parity);
    return group.size();
}

template <class Real>
void StepPlan<Real>::enqueue_stages(int parity, int offset, std::size_t from)
{
    for (std::size_t stage = from; stage < stages_.size();) {
        if (currents_ahead_of(stage, from))
            front_->enqueue(currents_of(stages_[stage], parity, offset));
        if (t_.single())
            run_stage(stages_[stage++], t_.first(), Part::all, t_.first().main, parity, offset);
        else
            stage += enqueue_overlapped(std::span(stages_).subspan(stage), parity, offset);
    }
}

template <class Real>
void StepPlan<Real>::enqueue_end(int steps, int long_steps)
{
    t_.ports.join();
    for (auto& s : t_.shards) {
        const Current here(s->device);
        if (!t_.single())
            s->main->wait(s->sent);
        end_steps(s->main, s->status.data(), steps, long_steps);
        if (!t_.single())
            s->main_done.record(s->main);
    }
}

template <class Real>
void StepPlan<Real>::measured_stages()
{
    if (!t_.single()) {
        t_.synchronize();
        t_.exchange.fork(); // events that were recorded in a graph mean nothing outside of it
    }
    t_.ports.enqueue(t_.parity(), 0, t_.dt_ms, cells_follow_ports());
    for (std::size_t stage = 0; stage < stages_.size(); ++stage)
        measured_stage(stage, 0, family(stages_[stage]));
    t_.ports.join();
}

template <class Real>
void StepPlan<Real>::measured_stage(std::size_t number, std::size_t first, Family f)
{
    const Stage& stage = stages_[number];
    const bool currents = currents_ahead_of(number, first);
    for (std::size_t k = 0; currents && k < t_.shards.size(); ++k) {
        const StreamRef main = t_.shards[k]->main;
        t_.ports.wait_for_currents(main, k);
        t_.profiler.measured(f_currents, k, main,
                             [&] { front_->launch(k, currents_of(stage, t_.parity(), 0)); });
    }
    if (currents && !t_.single())
        t_.synchronize();
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        State& s = *t_.shards[k];
        t_.profiler.measured(f, k, s.main,
                             [&] { run_stage(stage, s, Part::all, s.main, t_.parity(), 0); });
    }
    if (t_.single())
        return;
    t_.synchronize();
    if (stage.sends)
        t_.exchange.all_halos(stage.out, t_.parity());
}

template <class Real>
void StepPlan<Real>::add_currents(std::vector<KernelRecord>& records) const
{
    const auto steps = static_cast<double>(t_.steps_done);
    for (std::size_t k = 0; front_ && k < t_.shards.size(); ++k) {
        auto r = front_->record(k, t_.steps_done * (strang() ? 2 : 1));
        r.name += where(k);
        r.ms = t_.profiler.ms_per_step(solves_ ? 0 : k, f_currents) * steps;
        r.counted_bytes = t_.profiler.bytes_per_step(f_currents) * steps;
        records.push_back(r);
    }
}

template <class Real>
std::string StepPlan<Real>::where(std::size_t shard) const
{
    return t_.single() ? std::string()
                       : " cuda:" + std::to_string(t_.shards[shard]->device) + " shard " +
                             std::to_string(shard);
}

template <class Real>
double StepPlan<Real>::matrix_bytes(const State& s) const
{
    return static_cast<double>(s.value.size()) * sizeof(Real) +
           static_cast<double>(s.single_value.size()) * 4 +
           static_cast<double>(s.column.size()) * 2 + static_cast<double>(s.host.slots) / 4;
}

/// Bytes that a family of kernels moves at least in one step.
template <class Real>
double StepPlan<Real>::family_bytes(const State& s, Family f) const
{
    constexpr double r = sizeof(Real);
    const auto slots = static_cast<double>(s.host.slots);
    const double matrix = matrix_bytes(s);
    // the record's phase; V out; the other states in and out; V again where the record is kept
    // apart
    double cell = slots * (1 + r);
    for (const auto& g : s.host.ranges) {
        const auto n = static_cast<double>(g.end - g.begin);
        const auto kept = static_cast<double>(s.tiles.numbers_of(g.group));
        cell += n * (2 * kept * r + (s.single_type[g.group] ? 0.0 : sizeof(cell::TypeIndex)));
        if (const auto* own = s.cells[g.group]->kept_states())
            cell += n * own->bytes_per_step();
        cell += s.cells[g.group]->keeps_record() ? 0 : 2 * n * r;
    }
    const double more = s.l0.size() ? 3 * slots * r : 0; // RKL2's other terms
    double bytes = 0;
    for (const auto& stage : stages_) {
        if (family(stage) != f)
            continue;
        if (f == f_diffusion)
            bytes += matrix + 2 * slots * r + (stage.pass > 0 ? more : 0);
        else if (f == f_fused)
            bytes += matrix + cell + slots * r + (stage.pass > 0 ? more : 0);
        else
            bytes += cell + slots * r + (stage.kind == Stage::Kind::half_reaction ? -slots : 0);
    }
    return bytes;
}

template <class Real>
double StepPlan<Real>::family_flops(const State& s, Family f) const
{
    double flops = 0;
    for (const auto& stage : stages_) {
        if (family(stage) != f)
            continue;
        if (f != f_reaction)
            flops += 2 * static_cast<double>(s.host.nonzeros) + static_cast<double>(s.host.slots);
        for (const auto& g : s.host.ranges)
            if (f != f_diffusion)
                flops += static_cast<double>(g.end - g.begin) * s.cells[g.group]->flops();
    }
    return flops;
}

template <class Real>
std::vector<KernelRecord> StepPlan<Real>::kernels() const
{
    const char* names[] = {"diffusion", "reaction", "diffusion+reaction"};
    const auto steps = static_cast<double>(t_.steps_done);
    std::vector<KernelRecord> out;
    for (std::size_t k = 0; k < t_.shards.size(); ++k)
        for (int i = 0; i < f_moving; ++i) {
            const auto f = static_cast<Family>(i);
            const auto launches =
                std::count_if(stages_.begin(), stages_.end(),
                              [&](const auto& stage) { return family(stage) == f; });
            if (!launches)
                continue;
            KernelRecord r;
            r.name = names[i] + where(k);
            r.calls = launches * t_.steps_done;
            r.ms = t_.profiler.ms_per_step(solves_ ? 0 : k, f) * steps;
            r.bytes = family_bytes(*t_.shards[k], f) * steps;
            r.flops = family_flops(*t_.shards[k], f) * steps;
            r.counted_bytes = t_.profiler.bytes_per_step(f) * steps;
            out.push_back(r);
        }
    add_currents(out);
    return out;
}

template <class Real>
std::unique_ptr<StepPlan<Real>> make_plan(const TissueProblem& p, Tissue<Real>& tissue,
                                          const PlanChoice& choice)
{
    if constexpr (sizeof(Real) == 8)
        if (p.stepping == Stepping::newton)
            return std::make_unique<NewtonPlan>(p, tissue, choice);
    if (needs_solver(p))
        return std::make_unique<SolvedPlan<Real>>(p, tissue, choice);
    if (p.rest_tolerance_mV > 0)
        return std::make_unique<QuiescentPlan<Real>>(p, tissue, choice);
    return std::make_unique<ExplicitPlan<Real>>(p, tissue, choice);
}

template class StepPlan<double>;
template class StepPlan<float>;
template std::unique_ptr<StepPlan<double>> make_plan(const TissueProblem&, Tissue<double>&,
                                                     const PlanChoice&);
template std::unique_ptr<StepPlan<float>> make_plan(const TissueProblem&, Tissue<float>&,
                                                    const PlanChoice&);

} // namespace tawara::device::cuda
