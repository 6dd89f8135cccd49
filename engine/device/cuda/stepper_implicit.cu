// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that solve a linear system: the order of the solver's kernels on one or several shards.
#include "engine/device/cuda/stepper.cuh"
#include "engine/diffusion/implicit.hpp"

#include <cmath>
#include <utility>

namespace tawara::device::cuda {

namespace {
constexpr int more_iterations = 16; // at a time, where those that were foreseen do not do

// Parts of a step that are captured as graphs of their own.
constexpr int part_start = 0, part_more = 2, part_half = 4, part_end = 5;
} // namespace

template <class Real>
ShardSolver<Real>::ShardSolver(Shard& shard, StreamRef s, int shards, int me)
    : summed(s.device), separator_(shard.separator), slots_(shard.slots), shards_(shards), me_(me)
{
    const Current here(s.device);
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, s.device),
          "cudaDeviceGetAttribute", s.device);
    const auto slots = static_cast<std::size_t>(slots_);
    const std::vector<Real> none(slots + static_cast<std::size_t>(shard.halo), Real(0));
    u = uploaded(none, s);
    for (auto* v : {&w, &p, &this->s, &x})
        *v = Buffer<Real>(slots, s.device);
    diagonal = uploaded(std::vector<Real>(shard.diagonal.begin(), shard.diagonal.end()), s);
    weight = uploaded(std::vector<Real>(shard.weight.begin(), shard.weight.end()), s);
    if constexpr (sizeof(Real) == 8)
        second = uploaded(shard.double_second, s);
    if constexpr (sizeof(Real) == 4)
        second = uploaded(shard.single_second, s);
    else
        single_second = uploaded(shard.single_second, s);
    shard.diagonal = {}, shard.weight = {}, shard.double_second = {}, shard.single_second = {};
    status = uploaded(std::vector<SolverStatus>(2), s);
    partial = Buffer<SolverSums>(static_cast<std::size_t>(whole(0).blocks + 1 + interior(0).blocks),
                                 s.device);
    sums = Buffer<SolverSums>(2 * static_cast<std::size_t>(shards), s.device);
    finished = uploaded(std::vector<unsigned>(1, 0), s);
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
void CudaStepper<Real>::make_solver(const TissueProblem& p, int sub_steps)
{
    const bool consistent = p.system.mass == diffusion::Mass::consistent;
    solver_factor_ = consistent ? 1 : -theta(p.stepping);
    own_matrix_ = consistent;
    sub_steps_ = sub_steps;
    // Single precision cannot say more of V than a quarter of its last place.
    solver_limits_ = {sizeof(Real) == 4 ? std::max(p.solver_tolerance_mV, 2e-6)
                                        : p.solver_tolerance_mV,
                      p.solver_iterations};
    std::vector<SolverSums*> all;
    for (std::size_t k = 0; k < shards_.size(); ++k) {
        State& s = *shards_[k];
        s.solver = std::make_unique<ShardSolver<Real>>(
            s.host, s.main, static_cast<int>(shards_.size()), static_cast<int>(k));
        all.push_back(s.solver->sums.data());
    }
    for (auto& s : shards_) {
        const Current here(s->device);
        s->solver->all_sums = uploaded(all, s->main);
    }
    solver_status_ = PinnedBuffer<SolverStatus>(1, shards_[0]->device);
}

/// Calls body with the rows of the flow, or with those of the system where they are others.
template <class Real>
template <class Body>
void CudaStepper<Real>::with_rows(const State& s, bool own, Body body) const
{
    if constexpr (sizeof(Real) == 8)
        if (mixed_)
            return body(
                Matrix<float>{s.chunk.data(), s.column_chunk.data(), s.column.data(),
                              own ? s.solver->single_second.data() : s.single_value.data()});
    body(Matrix<Real>{s.chunk.data(), s.column_chunk.data(), s.column.data(),
                      own ? s.solver->second.data() : s.value.data()});
}

/// Enqueues a part of a step, as a graph where steps are.
template <class Real>
template <class Body>
void CudaStepper<Real>::replay(int part, int iterations, Body body)
{
    const Current here(shards_[0]->device);
    const auto whole = [&] {
        if (!single())
            fork();
        body();
        if (!single())
            join();
    };
    if (tuning_.graph_steps == 0)
        return whole();
    auto& graph = solver_graphs_[{part, iterations, parity(), stimulated_}];
    if (!graph)
        graph = Graph::capture(shards_[0]->main, whole);
    graph.launch(shards_[0]->main);
}

/// What an update left goes to the other shards' halos.
template <class Real>
void CudaStepper<Real>::exchange_after_main(Vector what)
{
    for (auto& s : shards_) {
        if (single())
            return;
        s->main_done.record(s->main);
        s->urgent->wait(s->main_done);
        exchange({Stage::Kind::pass, 0, what}, *s, parity());
        s->sent.record(s->urgent);
    }
}

template <class Real>
void CudaStepper<Real>::enqueue_start(int sub_step)
{
    if (sub_step > 0)
        exchange_after_main(Vector::next);
    for (auto& s : shards_) {
        const Current here(s->device);
        if (!single())
            for (auto& o : shards_)
                s->main->wait(o->sent);
        const Real* v = s->vector(sub_step == 0 ? diffused_from_ : Vector::next, parity());
        with_rows(*s, false, [&](const auto& flow) {
            start_solution(s->main, s->solver->correction(), flow, v,
                           s->moment(0, s->host.slots, 0));
        });
    }
    exchange_after_main(Vector::correction);
}

template <class Real>
void CudaStepper<Real>::enqueue_iterations(int count)
{
    const auto product = [&](State& s, const ProductPart& part) {
        with_rows(s, own_matrix_, [&](const auto& a) {
            multiply(s.main, s.solver->correction(), a, solver_factor_, part);
        });
    };
    for (int k = 0; k < count; ++k) {
        const int turn = k % 2;
        for (auto& s : shards_) {
            const Current here(s->device);
            if (single()) {
                product(*s, s->solver->whole(turn));
                continue;
            }
            product(*s, s->solver->interior(turn));
            for (auto& o : shards_)
                s->main->wait(o->sent);
            product(*s, s->solver->separator(turn));
            s->solver->summed.record(s->main);
        }
        for (auto& s : shards_) {
            const Current here(s->device);
            if (!single())
                for (auto& o : shards_)
                    s->main->wait(o->solver->summed);
            update_solution(s->main, s->solver->correction(), turn, solver_limits_);
        }
        exchange_after_main(Vector::correction);
    }
}

/// The new potential, if the iterations were enough, and word of it to the host.
template <class Real>
void CudaStepper<Real>::enqueue_result(int sub_step)
{
    for (auto& s : shards_) {
        const Current here(s->device);
        const Real* v = s->vector(sub_step == 0 ? diffused_from_ : Vector::next, parity());
        apply_solution(s->main, s->solver->correction(), 1, v, s->vector(Vector::next, parity()),
                       s->moment(0, s->host.slots, 0));
        if (s == shards_[0])
            check(cudaMemcpyAsync(solver_status_.data(), s->solver->status.data() + 1,
                                  sizeof(SolverStatus), cudaMemcpyDeviceToHost,
                                  StreamRef(s->main).handle),
                  "cudaMemcpyAsync", s->device);
        if (!single())
            s->main_done.record(s->main);
    }
}

/// Solves for one sub-step. The iterations that the one before took are launched as one graph; the
/// host asks once, and goes on where they were not enough.
template <class Real>
void CudaStepper<Real>::solve(int sub_step)
{
    const int later = sub_step > 0;
    replay(part_start + later, iterations_ahead_, [&] {
        enqueue_start(sub_step);
        enqueue_iterations(iterations_ahead_);
        enqueue_result(sub_step);
    });
    const SolverStatus& status = *solver_status_.data();
    for (;;) {
        shards_[0]->main->synchronize();
        if (status.verdict < 0)
            fail_to_solve(status);
        if (status.verdict > 0)
            break;
        replay(part_more + later, more_iterations, [&] {
            enqueue_iterations(more_iterations);
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
void CudaStepper<Real>::solved_step()
{
    const bool timed = steps_done_ >= next_timing_;
    const auto part = [&](Family f, auto body) {
        if (timed)
            measured(f, 0, body); // the first stream's graphs run on all devices
        else
            body();
    };
    const auto stage = [&](const Stage& what) {
        if (single())
            run(what, *shards_[0], Part::all, shards_[0]->main, parity(), 0);
        else
            enqueue_overlapped({&what, 1}, parity(), 0);
    };
    if (diffused_from_ == Vector::half)
        part(f_reaction, [&] { replay(part_half, 0, [&] { stage(stages_.front()); }); });
    part(f_solver, [&] {
        for (int k = 0; k < sub_steps_; ++k)
            solve(k);
    });
    part(f_reaction, [&] {
        replay(part_end, 0, [&] {
            stage(stages_.back());
            for (auto& s : shards_) {
                const Current here(s->device);
                if (!single())
                    s->main->wait(s->sent);
                end_steps(s->main, s->status.data(), 1);
                if (!single())
                    s->main_done.record(s->main);
            }
        });
    });
    if (timed) {
        schedule_timing();
        pending_steps_ += !counters_;
    }
    ++step_, ++steps_done_;
}

/// @throws SolverError with the largest entry of the residual and its place
template <class Real>
void CudaStepper<Real>::fail_to_solve(const SolverStatus& status)
{
    double most = -1;
    std::int64_t unknown = 0;
    for (const auto& s : shards_) {
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
KernelRecord CudaStepper<Real>::solver_record(std::size_t shard) const
{
    const State& s = *shards_[shard];
    constexpr double r = sizeof(Real);
    const auto slots = static_cast<double>(s.host.slots);
    const auto nonzeros = static_cast<double>(s.host.nonzeros);
    const double matrix = static_cast<double>(s.value.size()) * r +
                          static_cast<double>(s.single_value.size()) * 4 +
                          static_cast<double>(s.column.size()) * 2 + slots / 4;
    const auto updates = static_cast<double>(iterations_done_);
    const auto solutions = static_cast<double>(solutions_done_);
    KernelRecord k;
    k.name = "diffusion (linear system)";
    k.calls = iterations_done_;
    k.ms = timed_steps_ ? sampled_ms_[0][f_solver] / static_cast<double>(timed_steps_) *
                              static_cast<double>(steps_done_)
                        : 0;
    // product: u, w, diagonal, weight; update: ten vectors; start: v, u, x, diagonal; result: three
    k.bytes = (updates + solutions) * (matrix + 4 * r * slots) + updates * 10 * r * slots +
              solutions * (matrix + 7 * r * slots);
    k.flops = (updates + 2 * solutions) * 2 * nonzeros +
              slots * (6 * (updates + solutions) + 6 * updates + 3 * solutions);
    k.counted_bytes = counted_bytes(f_solver);
    return k;
}

template void CudaStepper<double>::make_solver(const TissueProblem&, int);
template void CudaStepper<float>::make_solver(const TissueProblem&, int);
template void CudaStepper<double>::solved_step();
template void CudaStepper<float>::solved_step();
template KernelRecord CudaStepper<double>::solver_record(std::size_t) const;
template KernelRecord CudaStepper<float>::solver_record(std::size_t) const;

} // namespace tawara::device::cuda
