// SPDX-License-Identifier: GPL-3.0-or-later
// Steps by Newton's method where one device decides how they go on.
#include "engine/device/cuda/newton_plan.cuh"

namespace tawara::device::cuda {
namespace {

using Phase = NewtonState::Phase;
constexpr int iterations_ahead = 4; ///< of the linear solver, where the host asks

} // namespace

diffusion::NewtonResult NewtonPlan::whole(double t_ms, double dt_ms, double slope_ms)
{
    if (!host_decides_.empty())
        return ImplicitTissue::whole(t_ms, dt_ms, slope_ms);
    begin_step();
    auto r = loop({t_ms, slope_ms, largest_guess_mV}, dt_ms, true);
    if (r.converged)
        std::swap(t_.first().states, own_[0].after);
    return r;
}

diffusion::NewtonResult NewtonPlan::loop(const NewtonQuestion& q, double dt_ms, bool whole)
{
    State& s = t_.first();
    Own& o = own_[0];
    const Current here(s.device);
    length_ = {dt_ms, dt_ms / t_.dt_ms};
    if (consistent_ && system_of_ != length_.in_time_steps)
        system_of_length(s.main, s.solver->second, s.value, length_.in_time_steps, o.system);
    system_of_ = length_.in_time_steps;
    *question_.data() = q;
    if (timed_) {
        timed_loop(whole);
    } else {
        auto& graph = graphs_[{whole, dt_ms, stimulated_, t_.parity(), s.states.data(),
                               o.start.data(), s.scratch[0].data()}];
        if (!graph)
            graph = Graph::capture(s.main, [&] { enqueue_loop(whole); });
        graph.launch(s.main);
    }
    s.main->synchronize();
    ++questions_;

    const NewtonState& end = *told_.data();
    cells_calls_ += end.evaluations, residuals_ += end.evaluations, systems_ += end.systems;
    diffusion::NewtonResult r;
    r.converged = end.progress.converged;
    r.iterations = end.progress.iterations;
    r.linear_iterations = end.linear_iterations;
    r.residuals_mV = {end.progress.residual_mV};
    return r;
}

/// @param whole  the step begins with V as it is now; else its start is there
NewtonPlaces NewtonPlan::places(bool whole) const
{
    const State& s = t_.first();
    const Own& o = own_[0];
    NewtonPlaces p;
    p.now = whole ? s.v[t_.parity()].data() : o.start.data();
    p.start = o.start.data(), p.before = o.before.data();
    p.end = s.scratch[0].data(), p.trial = s.scratch[1].data();
    if (whole && stimulated_)
        p.stimulus = s.stimulus.data(), p.own_stimulus = o.stimulus.data();
    p.told = o.told.data(), p.next = s.v[1 - t_.parity()].data();
    return p;
}

void NewtonPlan::loop_cells(StreamRef stream)
{
    enqueue_cells(stream, t_.first(), own_[0], Vector::scratch2, 0, length_.dt_ms,
                  &state_.data()->t_ms);
}

void NewtonPlan::loop_residual(StreamRef stream, const LoopHandle& newton)
{
    const State& s = t_.first();
    loop_system(stream, own_[0].vectors(s), rows(s, own_[0]), factor(),
                s.vector(Vector::scratch2, 0), s.solver->correction(), s.solver->diagonal.data(),
                s.solver->weight.data(), length_, loop_state(), newton);
}

void NewtonPlan::loop_correction(StreamRef stream, const LoopHandle& linear)
{
    const State& s = t_.first();
    loop_iteration(stream, s.solver->correction(), rows(s, own_[0]), factor(),
                   s.solver->whole(0).count, loop_state(), linear);
}

/// The step's end is left in Vector::scratch1, unless the whole step ends with it.
void NewtonPlan::enqueue_loop(bool whole)
{
    const State& s = t_.first();
    const auto p = places(whole);
    const auto slots = s.host.slots;
    GraphLoop newton(s.main);
    begin_loop(s.main, p, slots, loop_state(), question_.data());
    start_of_masses(s, own_[0]);
    loop_cells(s.main);
    loop_residual(s.main, newton.handle());
    newton.enqueue(s.main, in_newton_, [&] {
        GraphLoop linear(in_newton_);
        loop_correction(in_newton_, linear.handle()); // most systems need no other one
        linear.enqueue(in_newton_, in_linear_,
                       [&] { loop_correction(in_linear_, linear.handle()); });
        loop_attempt(in_newton_, p, s.solver->x.data(), slots, loop_state());
        loop_cells(in_newton_);
        loop_residual(in_newton_, newton.handle());
    });
    if (whole)
        finish_loop(s.main, p, slots, loop_state());
    else
        copy(s.main, s.scratch[1], s.scratch[0]);
}

/// The same, its kernels measured; the host asks for each loop's end.
void NewtonPlan::timed_loop(bool whole)
{
    const State& s = t_.first();
    const auto p = places(whole);
    const auto slots = s.host.slots;
    const auto asked = [&]() -> const NewtonState& {
        s.main->synchronize();
        ++questions_;
        return *told_.data();
    };
    const auto look = [&] {
        part(f_reaction, [&] { loop_cells(s.main); });
        part(f_diffusion, [&] { loop_residual(s.main, {}); });
    };
    begin_loop(s.main, p, slots, loop_state(), question_.data());
    start_of_masses(s, own_[0]);
    for (look(); asked().progress.goes_on; look())
        part(f_solver, [&] {
            do
                for (int k = 0; k < iterations_ahead; ++k)
                    loop_correction(s.main, {});
            while (asked().phase == Phase::corrects);
            loop_attempt(s.main, p, s.solver->x.data(), slots, loop_state());
        });
    if (whole)
        finish_loop(s.main, p, slots, loop_state());
    else
        copy(s.main, s.scratch[1], s.scratch[0]);
}

} // namespace tawara::device::cuda
