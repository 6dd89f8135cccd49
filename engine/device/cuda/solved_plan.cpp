// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that solve a linear system: the order of the solver's kernels on one or several shards.
#include "engine/device/cuda/solver_iterations.cuh"
#include "engine/device/cuda/step_plan.cuh"
#include "engine/diffusion/implicit.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::device::cuda {

namespace {
constexpr int more_iterations = 16; // at a time, where those that were foreseen do not do

// Parts of a step that are captured as graphs of their own.
constexpr int part_start = 0, part_more = 2, part_half = 4, part_end = 5, part_currents = 6,
              part_currents_again = 7;
} // namespace

template <class Real>
ShardSolver<Real>::ShardSolver(Shard& shard, StreamRef stream, int shards, int me)
    : summed(stream.device), separator_(shard.separator), slots_(shard.slots), shards_(shards),
      me_(me)
{
    const Current here(stream.device);
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, stream.device),
          "cudaDeviceGetAttribute", stream.device);
    const auto slots = static_cast<std::size_t>(slots_);
    const std::vector<Real> none(slots + static_cast<std::size_t>(shard.halo), Real(0));
    u = uploaded(none, stream);
    for (auto* v : {&w, &p, &s, &x})
        *v = Buffer<Real>(slots, stream.device);
    diagonal = uploaded(std::vector<Real>(shard.diagonal.begin(), shard.diagonal.end()), stream);
    weight = uploaded(std::vector<Real>(shard.weight.begin(), shard.weight.end()), stream);
    if constexpr (sizeof(Real) == 8)
        second = uploaded(shard.double_second, stream);
    if constexpr (sizeof(Real) == 4)
        second = uploaded(shard.single_second, stream);
    else
        single_second = uploaded(shard.single_second, stream);
    shard.diagonal = {}, shard.weight = {}, shard.double_second = {}, shard.single_second = {};
    status = uploaded(std::vector<SolverStatus>(2), stream);
    partial = Buffer<SolverSums>(static_cast<std::size_t>(whole(0).blocks + 1 + interior(0).blocks),
                                 stream.device);
    sums = Buffer<SolverSums>(2 * static_cast<std::size_t>(shards), stream.device);
    finished = uploaded(std::vector<unsigned>(1, 0), stream);
}

template <class Real>
Correction<Real> ShardSolver<Real>::correction() const
{
    Correction<Real> c;
    c.u = u.data(), c.w = w.data(), c.p = p.data(), c.s = s.data(), c.x = x.data();
    c.diagonal = diagonal.data(), c.weight = weight.data();
    c.status = status.data();
    c.partial = partial.data(), c.sums = sums.data(), c.all_sums = all_sums.data();
    c.finished = finished.data();
    c.shards = shards_, c.me = me_, c.slots = slots_;
    return c;
}

template <class Real>
ProductPart ShardSolver<Real>::whole(int parity) const
{
    const int blocks = product_blocks(slots_, multiprocessors_);
    return {0, slots_, 0, blocks, blocks, parity};
}

template <class Real>
ProductPart ShardSolver<Real>::interior(int parity) const
{
    const int mine = product_blocks(slots_ - separator_, multiprocessors_);
    return {separator_, slots_, 0, mine, mine + product_blocks(separator_, multiprocessors_),
            parity};
}

template <class Real>
ProductPart ShardSolver<Real>::separator(int parity) const
{
    const auto other = interior(parity);
    return {0, separator_, other.count, other.blocks - other.count, other.blocks, parity};
}

template class ShardSolver<double>;
template class ShardSolver<float>;

template <class Real>
SolvedPlan<Real>::SolvedPlan(const TissueProblem& p, Tissue<Real>& tissue, const PlanChoice& choice)
    : StepPlan<Real>(p, tissue, choice), own_matrix_(p.system.mass == diffusion::Mass::consistent),
      sub_steps_(choice.sub_steps), factor_(own_matrix_ ? 1 : -theta(p.stepping)),
      status_(1, tissue.first().device)
{
    // Single precision cannot say more of V than a quarter of its last place.
    limits_ = {sizeof(Real) == 4 ? std::max(p.solver_tolerance_mV, 2e-6) : p.solver_tolerance_mV,
               p.solver_iterations};
    make_solvers(tissue);
}

/// Calls body with the rows of the flow, or with those of the system where they are others.
template <class Real>
template <class Body>
void SolvedPlan<Real>::with_rows(const State& s, bool own, Body body) const
{
    if constexpr (sizeof(Real) == 8)
        if (this->choice_.mixed)
            return body(
                Matrix<float>{s.chunk.data(), s.column_chunk.data(), s.column.data(),
                              own ? s.solver->single_second.data() : s.single_value.data()});
    body(Matrix<Real>{s.chunk.data(), s.column_chunk.data(), s.column.data(),
                      own ? s.solver->second.data() : s.value.data()});
}

/// Enqueues a part of a step, as a graph where steps are.
template <class Real>
template <class Body>
void SolvedPlan<Real>::replay(int part, int iterations, Body body)
{
    auto& t = this->t_;
    const StreamRef main = t.first().main;
    const Current here(main.device);
    const auto whole = [&] {
        t.exchange.fork();
        body();
        t.exchange.join();
    };
    if (!this->choice_.graphs)
        return whole();
    auto& graph = graphs_[{part, iterations, t.parity(), t.stimulated()}];
    if (!graph)
        graph = Graph::capture(main, whole);
    graph.launch(main);
}

template <class Real>
void SolvedPlan<Real>::enqueue_start(int sub_step)
{
    auto& t = this->t_;
    if (sub_step > 0)
        t.exchange.to_halos_after_main(Vector::next, t.parity());
    for (auto& s : t.shards) {
        const Current here(s->device);
        if (!t.single())
            t.exchange.wait_for_halos(s->main);
        const Real* v = s->vector(sub_step == 0 ? this->from_ : Vector::next, t.parity());
        with_rows(*s, false, [&](const auto& flow) {
            start_solution(s->main, s->solver->correction(), flow, v,
                           s->moment(0, s->host.slots, 0));
        });
    }
    t.exchange.to_halos_after_main(Vector::correction, t.parity());
}

template <class Real>
void SolvedPlan<Real>::iterate(int count)
{
    enqueue_iterations(this->t_, count, limits_, [&](State& s, const ProductPart& part) {
        with_rows(s, own_matrix_, [&](const auto& a) {
            multiply(s.main, s.solver->correction(), a, factor_, part);
        });
    });
}

/// The new potential, if the iterations were enough, and word of it to the host.
template <class Real>
void SolvedPlan<Real>::enqueue_result(int sub_step)
{
    auto& t = this->t_;
    for (auto& s : t.shards) {
        const Current here(s->device);
        const Real* v = s->vector(sub_step == 0 ? this->from_ : Vector::next, t.parity());
        apply_solution(s->main, s->solver->correction(), 1, v, s->vector(Vector::next, t.parity()),
                       s->moment(0, s->host.slots, 0));
        if (s == t.shards[0])
            check(cudaMemcpyAsync(status_.data(), s->solver->status.data() + 1,
                                  sizeof(SolverStatus), cudaMemcpyDeviceToHost,
                                  StreamRef(s->main).handle),
                  "cudaMemcpyAsync", s->device);
        if (!t.single())
            s->main_done.record(s->main);
    }
}

/// Solves for one sub-step. The iterations that the one before took are launched as one graph; the
/// host asks once, and goes on where they were not enough.
template <class Real>
void SolvedPlan<Real>::solve(int sub_step)
{
    const int later = sub_step > 0;
    replay(part_start + later, iterations_ahead_, [&] {
        enqueue_start(sub_step);
        iterate(iterations_ahead_);
        enqueue_result(sub_step);
    });
    const SolverStatus& status = *status_.data();
    for (;;) {
        this->t_.first().main->synchronize();
        if (status.verdict < 0)
            fail(status);
        if (status.verdict > 0)
            break;
        replay(part_more + later, more_iterations, [&] {
            iterate(more_iterations);
            enqueue_result(sub_step);
        });
    }
    iterations_done_ += status.iterations;
    ++solutions_done_;
    // One product more than iterations shows that they were enough; an even number keeps the turns.
    const int needed = status.iterations + 1;
    if (needed > iterations_ahead_ || needed + 4 < iterations_ahead_)
        iterations_ahead_ = (needed + 2) / 2 * 2;
}

template <class Real>
void SolvedPlan<Real>::enqueue_reaction(const Stage& stage)
{
    auto& t = this->t_;
    if (t.single())
        this->run_stage(stage, t.first(), StepPlan<Real>::Part::all, t.first().main, t.parity(), 0);
    else
        this->enqueue_overlapped({&stage, 1}, t.parity(), 0);
}

template <class Real>
std::int64_t SolvedPlan<Real>::run(std::int64_t)
{
    auto& t = this->t_;
    const bool timed = t.profiler.due(t.steps_done);
    const auto part = [&](Family f, auto body) {
        if (timed)
            t.profiler.measured(f, 0, t.first().main, body); // its graphs run on all devices
        else
            body();
    };
    // of the step's start, which neither solving nor diffusion changes
    if (this->front_)
        part(f_currents, [&] {
            replay(part_currents, 0, [&] {
                t.ports.enqueue(t.parity(), 0, t.dt_ms, this->cells_follow_ports());
                this->front_->enqueue(this->currents_of(this->stages_.front(), t.parity(), 0));
                t.ports.join();
            });
        });
    if (this->strang())
        part(f_reaction, [&] {
            replay(part_half, 0, [&] {
                if (!this->front_)
                    t.ports.enqueue(t.parity(), 0, t.dt_ms, this->cells_follow_ports());
                enqueue_reaction(this->stages_.front());
                t.ports.join();
            });
        });
    part(f_solver, [&] {
        for (int k = 0; k < sub_steps_; ++k)
            solve(k);
    });
    if (this->strang() && this->front_)
        part(f_currents, [&] {
            replay(part_currents_again, 0, [&] {
                t.exchange.to_halos_after_main(Vector::next, t.parity());
                this->front_->enqueue(this->currents_of(this->stages_.back(), t.parity(), 0));
            });
        });
    part(f_reaction, [&] {
        replay(part_end, 0, [&] {
            if (!this->strang() && !this->front_)
                t.ports.enqueue(t.parity(), 0, t.dt_ms, this->cells_follow_ports());
            enqueue_reaction(this->stages_.back());
            this->enqueue_end(1, 0);
        });
    });
    if (timed)
        t.profiler.step_taken(t.steps_done);
    t.step_done();
    return 1;
}

/// @throws SolverError with the largest entry of the residual and its place
template <class Real>
void SolvedPlan<Real>::fail(const SolverStatus& status)
{
    double most = -1;
    std::int64_t unknown = 0;
    for (const auto& s : this->t_.shards) {
        const Current here(s->device);
        std::vector<Real> u(s->solver->u.size());
        s->solver->u.download(u, s->main);
        s->main->synchronize();
        for (std::size_t slot = 0; slot < s->host.old_of.size(); ++slot)
            if (s->host.old_of[slot] >= 0 && !(std::abs(static_cast<double>(u[slot])) <= most)) {
                most = std::abs(static_cast<double>(u[slot]));
                unknown = s->host.old_of[slot];
            }
    }
    throw diffusion::SolverError(status.iterations, most, unknown);
}

/// Iterations as calls; bytes and operations of all solutions so far.
template <class Real>
KernelRecord SolvedPlan<Real>::record(std::size_t shard) const
{
    const auto& t = this->t_;
    const State& s = *t.shards[shard];
    constexpr double r = sizeof(Real);
    const auto slots = static_cast<double>(s.host.slots);
    const auto nonzeros = static_cast<double>(s.host.nonzeros);
    const double matrix = this->matrix_bytes(s);
    const auto updates = static_cast<double>(iterations_done_);
    const auto solutions = static_cast<double>(solutions_done_);
    const auto steps = static_cast<double>(t.steps_done);
    KernelRecord k;
    k.name = "diffusion (linear system)" + this->where(shard);
    k.calls = iterations_done_;
    k.ms = t.profiler.ms_per_step(0, f_solver) * steps;
    // product: u, w, diagonal, weight; update: ten vectors; start: v, u, x, diagonal; result: three
    k.bytes = (updates + solutions) * (matrix + 4 * r * slots) + updates * 10 * r * slots +
              solutions * (matrix + 7 * r * slots);
    k.flops = (updates + 2 * solutions) * 2 * nonzeros +
              slots * (6 * (updates + solutions) + 6 * updates + 3 * solutions);
    k.counted_bytes = t.profiler.bytes_per_step(f_solver) * steps;
    return k;
}

template <class Real>
std::vector<KernelRecord> SolvedPlan<Real>::kernels() const
{
    auto out = StepPlan<Real>::kernels();
    for (std::size_t k = 0; k < this->t_.shards.size(); ++k)
        out.push_back(record(k));
    return out;
}

template class SolvedPlan<double>;
template class SolvedPlan<float>;

} // namespace tawara::device::cuda
