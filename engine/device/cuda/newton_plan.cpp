// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/newton_plan.cuh"

#include "engine/device/cuda/solver_iterations.cuh"

#include <algorithm>
#include <limits>

namespace tawara::device::cuda {
namespace {

constexpr int first_foreseen = 4, more_iterations = 4; // of the linear solver; even
constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t most_foreseen = 8; ///< corrections whose iterations are foreseen

std::int64_t whole_slices(std::int64_t slots)
{
    constexpr auto slice = static_cast<std::int64_t>(partition::Subdomain::slice);
    return (slots + slice - 1) / slice * slice;
}

std::string why_host_decides(std::size_t shards, const PlanChoice& choice)
{
    if (shards > 1)
        return "several shards add up what each finds";
    return choice.graphs ? "" : "steps are no graphs";
}

} // namespace

NewtonPlan::Own::Own(State& s, bool consistent)
{
    const Current here(s.device);
    const auto slots = static_cast<std::size_t>(s.host.slots);
    const auto all = s.v[0].size();
    for (auto* b : {&start, &before, &told, &s.scratch[0], &s.scratch[1]}) {
        *b = Buffer<double>(all, s.device);
        copy(s.main, s.v[0], *b);
    }
    for (auto* b : {&rate, &slope, &minus_r, &stimulus}) {
        *b = Buffer<double>(slots, s.device);
        b->zero(s.main);
    }
    if (consistent)
        mass_start = Buffer<double>(slots, s.device);
    volume = uploaded(s.host.volume, s.main);
    mass_diagonal = uploaded(s.host.mass_diagonal, s.main);
    row_sum = uploaded(s.host.weight, s.main);
    auto stiff = s.host.diagonal;
    for (std::size_t k = 0; k < stiff.size(); ++k)
        stiff[k] -= s.host.mass_diagonal[k];
    stiffness = uploaded(stiff, s.main);
    after = Buffer<double>(s.states.size(), s.device);
    copy(s.main, s.states, after);
    status = Buffer<NewtonStatus>(1, s.device);
    found = PinnedBuffer<NewtonStatus>(1, s.device);
    s.host.volume = {}, s.host.mass_diagonal = {};
    s.main->synchronize();
}

NewtonVectors NewtonPlan::Own::vectors(const State& s) const
{
    NewtonVectors n;
    n.volume = volume.data(), n.row_sum = row_sum.data(), n.mass_diagonal = mass_diagonal.data();
    n.stiffness = stiffness.data(), n.start = start.data(), n.mass_start = mass_start.data();
    n.rate = rate.data(), n.slope = slope.data(), n.minus_r = minus_r.data();
    n.status = status.data();
    n.slots = s.host.slots;
    return n;
}

NewtonPlan::NewtonPlan(const TissueProblem& p, Tissue<double>& tissue, const PlanChoice& choice)
    : StepPlan<double>(p, tissue, choice), steps_(p), position_(p.position_mm),
      consistent_(p.system.mass == diffusion::Mass::consistent),
      foreseen_(most_foreseen, first_foreseen), status_(1, tissue.first().device),
      host_decides_(why_host_decides(tissue.shards.size(), choice)), no_loops_(no_graph_loops()),
      state_(1, tissue.first().device), told_(1, tissue.first().device),
      begin_(1, tissue.first().device), in_newton_(tissue.first().device),
      in_linear_(tissue.first().device)
{
    options_.tolerance_mV = p.newton.tolerance_mV;
    options_.most_iterations = p.newton.iterations;
    options_.most_linear_iterations = p.solver_iterations;
    for (auto& s : tissue.shards)
        own_.emplace_back(*s, consistent_);
    make_solvers(tissue);
    for (auto& s : tissue.shards)
        if (consistent_) {
            auto& system = own_[s->index].system;
            system = Buffer<double>(s->solver->second.size(), s->device);
            copy(s->main, s->solver->second, system);
        }
}

template <class Body>
NewtonStatus NewtonPlan::measured(Body&& body) const
{
    each([&](State& s, Own& o) {
        o.status.zero(s.main);
        body(s, o);
        o.status.download(o.found.span(), s.main);
    });
    NewtonStatus all;
    ++questions_;
    each([&](State& s, Own& o) {
        s.main->synchronize();
        all.largest = std::max(all.largest, o.found.data()->largest);
        all.not_positive |= o.found.data()->not_positive;
    });
    return all;
}

/// Rows whose off-diagonals are those of the matrix, times a factor.
Matrix<double> NewtonPlan::rows(const State& s, const Own& o) const
{
    return {s.chunk.data(), s.column_chunk.data(), s.column.data(),
            consistent_ ? o.system.data() : s.value.data()};
}

void NewtonPlan::enqueue_cells(StreamRef stream, State& s, Own& o, Vector at, double t_ms,
                               double dt_ms, const NewtonState* loop)
{
    for (std::size_t index = 0; index < s.host.ranges.size(); ++index) {
        const auto& r = s.host.ranges[index];
        ImplicitCells<double> c;
        c.cells = s.reaction(index, false, dt_ms);
        c.cells.v_in = s.vector(at, t_.parity());
        c.cells.v_out = o.told.data();
        c.cells.stimulus = stimulated_ ? o.stimulus.data() : nullptr;
        c.after = o.after.data() + s.tiles.strides(index).origin;
        c.rate = o.rate.data(), c.slope = o.slope.data();
        c.t_ms = t_ms;
        if (loop) // an address alone
            c.start_ms = &loop->t_ms, c.idle = &loop->idle;
        c.begin = r.begin, c.end = whole_slices(r.end);
        s.cells[r.group]->launch_implicit(stream, c);
    }
}

/// F and F' at V; the states after the step go to Own::after, and V as they make it to Own::told.
void NewtonPlan::cells(Vector at, double t_ms, double dt_ms)
{
    part(f_reaction,
         [&] { each([&](State& s, Own& o) { enqueue_cells(s.main, s, o, at, t_ms, dt_ms); }); });
    ++cells_calls_;
}

void NewtonPlan::begin_step()
{
    timed_ = t_.profiler.due(t_.steps_done);
    stimulated_ = t_.stimulated();
    types_changed_ = false;
}

void NewtonPlan::begin()
{
    begin_step();
    each([&](State& s, Own& o) {
        t_.exchange.wait_for_halos(s.main);
        copy(s.main, s.v[t_.parity()], o.start);
        if (stimulated_)
            copy(s.main, s.stimulus, o.stimulus);
    });
}

bool NewtonPlan::changed() const
{
    if (types_changed_)
        return true;
    if (!stimulated_ && !t_.stimulated())
        return false;
    return measured([&](State& s, Own& o) {
               newton_compare(s.main, o.vectors(s), stimulated_ ? o.stimulus.data() : nullptr,
                              t_.stimulated() ? s.stimulus.data() : nullptr);
           }).largest != 0;
}

/// (M V_0)' of consistent mass.
void NewtonPlan::start_of_masses(const State& s, const Own& o) const
{
    if (consistent_)
        start_masses(
            s.main, o.vectors(s),
            {s.chunk.data(), s.column_chunk.data(), s.column.data(), s.solver->second.data()},
            {s.chunk.data(), s.column_chunk.data(), s.column.data(), s.value.data()},
            o.mass_start.data());
}

diffusion::NewtonResult NewtonPlan::solve(double t_ms, double dt_ms, double slope_ms)
{
    if (host_decides_.empty()) {
        auto r = loop(t_ms, dt_ms, slope_ms, false);
        evaluated_ = r.converged;
        return r;
    }
    t_ms_ = t_ms;
    length_ = {dt_ms, dt_ms / t_.dt_ms};
    corrections_ = 0;
    each([&](State& s, Own& o) {
        if (consistent_ && system_of_ != length_.in_time_steps)
            system_of_length(s.main, s.solver->second, s.value, length_.in_time_steps, o.system);
        start_of_masses(s, o);
        newton_move(s.main, s.host.slots, o.start.data(), slope_ms, o.start.data(), o.before.data(),
                    largest_guess_mV, s.vector(Vector::scratch2, 0));
    });
    system_of_ = length_.in_time_steps;
    auto result = diffusion::solve(*this, options_);
    evaluated_ = result.converged; // at the end, and that last
    return result;
}

double NewtonPlan::residual()
{
    t_.exchange.to_halos_after_main(Vector::scratch2, t_.parity());
    cells(Vector::scratch2, t_ms_, length_.dt_ms);
    NewtonStatus found;
    part(f_diffusion, [&] {
        found = measured([&](State& s, Own& o) {
            t_.exchange.wait_for_halos(s.main);
            newton_residual(s.main, o.vectors(s), rows(s, o), factor(),
                            s.vector(Vector::scratch2, 0), length_);
        });
    });
    ++residuals_;
    return largest_of(found);
}

void NewtonPlan::accept()
{
    for (auto& s : t_.shards)
        std::swap(s->scratch[0], s->scratch[1]);
}

void NewtonPlan::attempt(double share)
{
    each([&](State& s, Own&) {
        newton_move(s.main, s.host.slots, s.vector(Vector::scratch1, 0), share, s.solver->x.data(),
                    nullptr, unbounded, s.vector(Vector::scratch2, 0));
    });
}

double NewtonPlan::largest_correction()
{
    return largest_of(measured(
        [&](State& s, Own& o) { newton_largest(s.main, o.vectors(s), s.solver->x.data()); }));
}

/// Iterations in blocks, as many as the correction took in the step before; the host asks after
/// each.
SolverStatus NewtonPlan::linear_system(std::size_t correction, double part)
{
    const SolverLimits limits{0, options_.most_linear_iterations, part};
    int& foreseen = foreseen_[std::min(correction, most_foreseen - 1)];
    for (int count = foreseen;; count = more_iterations) {
        enqueue_iterations(t_, count, limits, [&](State& s, const ProductPart& p) {
            multiply(s.main, s.solver->correction(), rows(s, own_[s.index]), factor(), p);
        });
        const State& first = t_.first();
        const Current here(first.device);
        check(cudaMemcpyAsync(status_.data(), first.solver->status.data() + 1, sizeof(SolverStatus),
                              cudaMemcpyDeviceToHost, StreamRef(first.main).handle),
              "cudaMemcpyAsync", first.device);
        first.main->synchronize();
        ++questions_;
        if (status_.data()->verdict != 0)
            break;
    }
    // one product more than iterations shows that they were enough
    foreseen = (status_.data()->iterations + 2) / 2 * 2;
    return *status_.data();
}

bool NewtonPlan::correct(double share_left, int& iterations)
{
    const auto correction = corrections_++;
    for (const bool all_slopes : {true, false}) {
        SolverStatus end;
        NewtonStatus found;
        part(f_solver, [&] {
            each([&](State& s, Own& o) {
                o.status.zero(s.main);
                start_correction(s.main, o.vectors(s), s.solver->correction(),
                                 s.solver->diagonal.data(), s.solver->weight.data(), length_,
                                 all_slopes);
                o.status.download(o.found.span(), s.main);
            });
            t_.exchange.to_halos_after_main(Vector::correction, t_.parity());
            end = linear_system(correction, share_left);
        });
        each([&](State& s, Own& o) { // of another shard than the first, it may still be under way
            s.main->synchronize();
            found.not_positive |= o.found.data()->not_positive;
        });
        ++systems_;
        if (found.not_positive)
            continue;
        iterations += end.iterations;
        if (end.verdict == 1)
            return true;
    }
    return false;
}

double NewtonPlan::largest_turn(double dt_ms, double before_ms) const
{
    return largest_of(measured([&](State& s, Own& o) {
        newton_turn(s.main, o.vectors(s), o.before.data(), s.vector(Vector::scratch1, 0), dt_ms,
                    before_ms);
    }));
}

void NewtonPlan::keep(double t_ms, double dt_ms)
{
    if (!evaluated_)
        cells(Vector::scratch1, t_ms, dt_ms);
    evaluated_ = false;
    each([&](State& s, Own& o) {
        std::swap(s.states, o.after);
        std::swap(s.scratch[0], o.told);
    });
}

void NewtonPlan::end_is_now()
{
    each([&](State& s, Own&) { copy(s.main, s.v[t_.parity()], s.scratch[0]); });
    evaluated_ = false;
}

void NewtonPlan::go_on()
{
    t_.exchange.to_halos_after_main(Vector::scratch1, t_.parity());
    each([&](State& s, Own& o) {
        t_.exchange.wait_for_halos(s.main);
        std::swap(o.before, o.start);
        copy(s.main, s.scratch[0], o.start);
    });
}

void NewtonPlan::set_aside()
{
    each([&](State& s, Own& o) {
        const auto keep_copy = [&](const Buffer<double>& from, Buffer<double>& to) {
            if (to.size() == 0)
                to = Buffer<double>(from.size(), s.device);
            copy(s.main, from, to);
        };
        keep_copy(o.start, o.aside.start);
        keep_copy(o.before, o.aside.before);
        keep_copy(s.states, o.aside.states);
    });
}

void NewtonPlan::put_back(bool states_stay)
{
    each([&](State& s, Own& o) {
        copy(s.main, o.aside.start, o.start);
        copy(s.main, o.aside.before, o.before);
        if (!states_stay)
            copy(s.main, o.aside.states, s.states);
    });
}

void NewtonPlan::leave(double share)
{
    each([&](State& s, Own& o) {
        const auto& next = s.v[1 - t_.parity()];
        if (share < 1)
            newton_move(s.main, s.host.slots, o.start.data(), share, s.vector(Vector::scratch1, 0),
                        o.start.data(), unbounded, next.data());
        else // without the halo, where others store theirs meanwhile
            copy(s.main, s.scratch[0], next, static_cast<std::size_t>(s.host.slots));
    });
    t_.exchange.to_halos_after_main(Vector::next, t_.parity());
}

std::int64_t NewtonPlan::run(std::int64_t)
{
    t_.exchange.fork(); // events that were recorded in a graph mean nothing outside of it
    timed_ = false;
    if (t_.ports.any()) {
        t_.ports.enqueue_currents(t_.parity(), true);
        for (auto& s : t_.shards)
            t_.ports.wait_for_currents(s->main, s->index);
    }
    const std::int64_t steady = t_.ports.any() ? 1 : t_.stimuli.steady(t_.step, steps_.longest());
    steps_.step(*this, t_.time_ms(), steady);
    t_.ports.enqueue_parts(0, t_.dt_ms);
    if (timed_)
        t_.profiler.step_taken(t_.steps_done);
    each([&](State& s, Own&) {
        for (std::size_t index = 0; index < s.host.ranges.size(); ++index) {
            const auto& r = s.host.ranges[index];
            auto looked_at = s.reaction(index, false, t_.dt_ms);
            looked_at.v_before = s.v[t_.parity()].data();
            looked_at.v_out = s.v[1 - t_.parity()].data();
            keep_record(s.main, looked_at, s.moment(r.begin, r.end, 0));
        }
    });
    enqueue_end(1, 0);
    t_.exchange.join();
    t_.step_done();
    return 1;
}

} // namespace tawara::device::cuda
