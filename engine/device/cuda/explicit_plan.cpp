// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/step_plan.cuh"

namespace tawara::device::cuda {

template <class Real>
void ExplicitPlan<Real>::enqueue(int steps, int parity)
{
    auto& t = this->t_;
    t.exchange.fork();
    for (int k = 0; k < steps; ++k, parity = 1 - parity) {
        t.ports.enqueue(parity, k, t.dt_ms, this->cells_follow_ports());
        this->enqueue_stages(parity, k);
    }
    this->enqueue_end(steps, 0);
    t.exchange.join();
}

template <class Real>
std::int64_t ExplicitPlan<Real>::run(std::int64_t n)
{
    auto& t = this->t_;
    if (t.profiler.due(t.steps_done)) {
        this->measured_stages();
        for (auto& s : t.shards) {
            const Current here(s->device);
            end_steps(s->main, s->status.data(), 1);
        }
        if (!t.single())
            t.synchronize();
        t.profiler.step_taken(t.steps_done);
        t.step_done();
        return 1;
    }
    const int steps = steps_at_once(this->choice_.most_steps, n);
    if (this->choice_.graphs) {
        auto& graph = graphs_[{steps, t.parity(), t.stimulated()}];
        const StreamRef main = t.first().main;
        const Current here(main.device);
        if (!graph)
            graph = Graph::capture(main, [&] { enqueue(steps, t.parity()); });
        graph.launch(main);
    } else {
        enqueue(steps, t.parity());
    }
    t.step_done(steps);
    return steps;
}

template class ExplicitPlan<double>;
template class ExplicitPlan<float>;

} // namespace tawara::device::cuda
