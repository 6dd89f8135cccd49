// SPDX-License-Identifier: GPL-3.0-or-later
// What goes into steps by Newton's method and comes out of them between steps.
#include "engine/device/cuda/newton_plan.cuh"

#include <algorithm>
#include <cmath>

namespace tawara::device::cuda {

void NewtonPlan::fail(double t_ms, double dt_ms, const diffusion::NewtonResult& r)
{
    double most = -1, v_mV = 0;
    std::int64_t unknown = 0;
    each([&](State& s, Own& o) {
        std::vector<double> left(o.minus_r.size()), volume(o.volume.size()), v(s.scratch[0].size());
        o.minus_r.download(left, s.main);
        o.volume.download(volume, s.main);
        s.scratch[0].download(v, s.main);
        s.main->synchronize();
        for (std::size_t slot = 0; slot < left.size(); ++slot)
            if (volume[slot] != 0 && !(std::abs(left[slot] / volume[slot]) <= most)) {
                most = std::abs(left[slot] / volume[slot]);
                unknown = s.host.old_of[slot];
                v_mV = v[slot];
            }
    });
    throw diffusion::NewtonError(t_ms, dt_ms, r.iterations, r.residual_mV(), unknown,
                                 position_[static_cast<std::size_t>(unknown)], v_mV);
}

void NewtonPlan::forget()
{
    types_changed_ = evaluated_ = stimulated_ = false;
    each([&](State& s, Own& o) { copy(s.main, s.states, o.after); });
}

void NewtonPlan::restore(const Snapshot& s)
{
    each([&](State& d, Own& o) { // with halos and what fills slices
        for (const auto* b : {&o.start, &o.before, &o.told})
            copy(d.main, d.v[0], *b);
        copy(d.main, d.v[0], d.scratch[0]);
        copy(d.main, d.v[0], d.scratch[1]);
    });
    steps_.restore(s.implicit, *this);
    t_.synchronize();
}

const Buffer<double>& NewtonPlan::buffer(const State& s, const Own& o, ImplicitVector v) const
{
    switch (v) {
    case ImplicitVector::start:
        return o.start;
    case ImplicitVector::end:
        return s.scratch[0];
    case ImplicitVector::before:
        return o.before;
    case ImplicitVector::stimulus:
        break;
    }
    return o.stimulus;
}

std::vector<double> NewtonPlan::values(ImplicitVector v) const
{
    std::vector<double> out(t_.place.size(), 0);
    if (v == ImplicitVector::stimulus && !stimulated_)
        return out;
    each([&](State& s, Own& o) {
        const auto& from = buffer(s, o, v);
        std::vector<double> values(from.size());
        from.download(values, s.main);
        s.main->synchronize();
        for (std::size_t slot = 0; slot < s.host.old_of.size(); ++slot)
            if (s.host.old_of[slot] >= 0)
                out[static_cast<std::size_t>(s.host.old_of[slot])] = values[slot];
    });
    return out;
}

void NewtonPlan::set_values(ImplicitVector v, const std::vector<double>& values)
{
    if (v == ImplicitVector::stimulus)
        stimulated_ = std::any_of(values.begin(), values.end(), [](double x) { return x != 0; });
    each([&](State& s, Own& o) {
        const auto& to = buffer(s, o, v);
        std::vector<double> here(to.size());
        to.download(here, s.main);
        s.main->synchronize();
        for (std::size_t slot = 0; slot < s.host.old_of.size(); ++slot)
            if (s.host.old_of[slot] >= 0)
                here[slot] = values[static_cast<std::size_t>(s.host.old_of[slot])];
        to.upload(here, s.main);
        s.main->synchronize();
    });
}

std::optional<NewtonCounts> NewtonPlan::newton_counts() const
{
    auto c = steps_.counts();
    c.questions = questions_;
    c.host_decides = host_decides_;
    if (c.host_decides.empty() && !no_loops_.empty())
        c.host_decides = "where more iterations are needed than lately, since " + no_loops_;
    return c;
}

std::vector<KernelRecord> NewtonPlan::kernels() const
{
    const auto& counts = steps_.counts();
    const auto steps = static_cast<double>(counts.steps);
    const auto time_steps = static_cast<double>(t_.steps_done);
    std::vector<KernelRecord> out;
    for (std::size_t k = 0; k < t_.shards.size(); ++k) {
        const State& s = *t_.shards[k];
        const auto slots = static_cast<double>(s.host.slots);
        const double matrix = matrix_bytes(s), vector = 8 * slots;
        double cell_bytes = 0, cell_flops = 0;
        for (const auto& r : s.host.ranges) {
            const auto n = static_cast<double>(r.end - r.begin);
            cell_bytes += n * 8 * (2 * static_cast<double>(s.tiles.numbers_of(r.group)) + 4);
            cell_flops += n * s.cells[r.group]->flops();
        }
        const auto add = [&](const char* name, Family f, std::int64_t calls, double bytes,
                             double flops) {
            KernelRecord r;
            r.name = name + where(k);
            r.calls = calls;
            r.ms = t_.profiler.ms_per_step(0, f) * steps;
            r.bytes = bytes, r.flops = flops;
            r.counted_bytes = t_.profiler.bytes_per_step(f) * time_steps;
            out.push_back(r);
        };
        const auto evaluations = static_cast<double>(cells_calls_),
                   residuals = static_cast<double>(residuals_),
                   systems = static_cast<double>(systems_),
                   updates = static_cast<double>(counts.linear);
        const auto nonzeros = static_cast<double>(s.host.nonzeros);
        add("cells (Newton)", f_reaction, cells_calls_, evaluations * cell_bytes,
            evaluations * cell_flops);
        if (host_decides_.empty()) {
            add("residual and matrix", f_diffusion, residuals_, residuals * (matrix + 13 * vector),
                residuals * (2 * nonzeros + 13 * slots));
            add("conjugate gradients", f_solver, counts.linear,
                updates * (matrix + 14 * vector) + systems * 4 * vector,
                updates * (2 * nonzeros + 12 * slots) + systems * 2 * slots);
            continue;
        }
        add("residual and matrix", f_diffusion, residuals_, residuals * (matrix + 8 * vector),
            residuals * (2 * nonzeros + 8 * slots));
        // a product shows that the iterations were enough; see SolvedPlan
        add("conjugate gradients", f_solver, counts.linear,
            (updates + systems) * (matrix + 4 * vector) + updates * 10 * vector +
                systems * 11 * vector,
            (updates + systems) * (2 * nonzeros + 6 * slots) + updates * 6 * slots);
    }
    return out;
}

} // namespace tawara::device::cuda
