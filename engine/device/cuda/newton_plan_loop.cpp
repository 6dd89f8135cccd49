// SPDX-License-Identifier: GPL-3.0-or-later
// Steps by Newton's method where one device decides how they go on.
#include "engine/device/cuda/newton_plan.cuh"

#include <algorithm>
#include <optional>

namespace tawara::device::cuda {
namespace {

using Phase = NewtonState::Phase;
constexpr int iterations_ahead = 4; ///< of the linear solver, where the host asks
constexpr std::size_t most_graphs = 64;

} // namespace

diffusion::NewtonResult NewtonPlan::whole(double t_ms, double dt_ms, double slope_ms)
{
    if (!host_decides_.empty())
        return ImplicitTissue::whole(t_ms, dt_ms, slope_ms);
    begin_step();
    auto r = loop(t_ms, dt_ms, slope_ms, true);
    if (r.converged)
        std::swap(t_.first().states, own_[0].after);
    return r;
}

diffusion::NewtonResult NewtonPlan::loop(double t_ms, double dt_ms, double slope_ms, bool whole)
{
    State& s = t_.first();
    Own& o = own_[0];
    const Current here(s.device);
    length_ = {dt_ms, dt_ms / t_.dt_ms};
    if (consistent_ && system_of_ != length_.in_time_steps)
        system_of_length(s.main, s.solver->second, s.value, length_.in_time_steps, o.system);
    system_of_ = length_.in_time_steps;
    NewtonState& begin = *begin_.data();
    begin = {};
    begin.t_ms = t_ms, begin.slope_ms = slope_ms, begin.most_mV = largest_guess_mV;
    tells_ = timed_;
    if (timed_) {
        begin_from_host(whole);
    } else {
        if (graphs_.size() >= most_graphs)
            graphs_.clear();
        auto& graph = graphs_[{whole, dt_ms, stimulated_, t_.parity(), s.states.data(),
                               o.start.data(), s.scratch[0].data(), ahead_.iterations()}];
        if (!graph)
            graph = Graph::capture(s.main, [&] { enqueue_loop(whole); });
        graph.launch(s.main);
        asked();
    }
    if (timed_ || told_.data()->progress.goes_on)
        go_on_from_host(whole);

    const NewtonState& end = *told_.data();
    ahead_.took(std::span(end.iterations_of)
                    .first(static_cast<std::size_t>(std::min(end.systems, end.most_foreseen))));
    cells_calls_ += end.evaluations, residuals_ += end.evaluations, systems_ += end.systems;
    diffusion::NewtonResult r;
    r.converged = end.progress.converged;
    r.iterations = end.progress.iterations;
    r.linear_iterations = end.linear_iterations;
    r.residuals_mV = {end.progress.residual_mV};
    return r;
}

const NewtonState& NewtonPlan::asked()
{
    t_.first().main->synchronize();
    ++questions_;
    return *told_.data();
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
    p.told = o.told.data(), p.next = whole ? s.v[1 - t_.parity()].data() : nullptr;
    return p;
}

void NewtonPlan::loop_cells(StreamRef stream)
{
    enqueue_cells(stream, t_.first(), own_[0], Vector::scratch2, 0, length_.dt_ms, state_.data());
}

void NewtonPlan::look(StreamRef stream, const LoopHandle& newton)
{
    const State& s = t_.first();
    loop_look(stream, own_[0].vectors(s), rows(s, own_[0]), factor(), s.vector(Vector::scratch2, 0),
              s.solver->correction(), s.solver->diagonal.data(), s.solver->weight.data(), length_,
              loop_state(), newton);
}

void NewtonPlan::loop_correction(StreamRef stream, const LoopHandle& linear)
{
    const State& s = t_.first();
    loop_iteration(stream, s.solver->correction(), rows(s, own_[0]), factor(),
                   s.solver->whole(0).count, loop_state(), linear);
}

/// As many iterations as lately, and a loop for what they leave to do.
void NewtonPlan::enqueue_loop(bool whole)
{
    const State& s = t_.first();
    const auto p = places(whole);
    const auto slots = s.host.slots;
    LoopHandle handle;
    std::optional<GraphLoop> newton;
    if (no_loops_.empty())
        handle = newton.emplace(s.main).handle();
    const auto try_correction = [&](StreamRef stream) {
        loop_attempt(stream, p, s.solver->x.data(), slots, loop_state());
        loop_cells(stream);
        look(stream, handle);
    };
    begin_loop(s.main, p, slots, loop_state(), begin_.data());
    start_of_masses(s, own_[0]);
    loop_cells(s.main);
    look(s.main, handle);
    for (const int count : ahead_.iterations()) {
        for (int k = 0; k < count; ++k)
            loop_correction(s.main, {});
        try_correction(s.main);
    }
    if (newton)
        newton->enqueue(s.main, in_newton_, [&] {
            GraphLoop linear(in_newton_);
            loop_correction(in_newton_, linear.handle());
            linear.enqueue(in_newton_, in_linear_,
                           [&] { loop_correction(in_linear_, linear.handle()); });
            try_correction(in_newton_);
        });
    finish_loop(s.main, p, slots, loop_state());
}

/// The first look, its kernels measured.
void NewtonPlan::begin_from_host(bool whole)
{
    const State& s = t_.first();
    begin_loop(s.main, places(whole), s.host.slots, loop_state(), begin_.data());
    start_of_masses(s, own_[0]);
    look_from_host();
    asked();
}

void NewtonPlan::look_from_host()
{
    const StreamRef main = t_.first().main;
    part(f_reaction, [&] { loop_cells(main); });
    part(f_diffusion, [&] { look(main, {}); });
}

/// The rest of a step; the host asks for each loop's end.
void NewtonPlan::go_on_from_host(bool whole)
{
    const State& s = t_.first();
    const auto p = places(whole);
    const auto slots = s.host.slots;
    tells_ = true;
    while (told_.data()->progress.goes_on) {
        do
            part(f_solver, [&] {
                for (int k = 0; k < iterations_ahead; ++k)
                    loop_correction(s.main, {});
            });
        while (asked().phase == Phase::corrects);
        part(f_solver, [&] { loop_attempt(s.main, p, s.solver->x.data(), slots, loop_state()); });
        look_from_host();
        asked();
    }
    finish_loop(s.main, p, slots, loop_state());
}

} // namespace tawara::device::cuda
