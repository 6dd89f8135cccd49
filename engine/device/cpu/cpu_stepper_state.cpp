// SPDX-License-Identifier: GPL-3.0-or-later
// What goes into a CPU stepper and comes out of it between steps.
#include "engine/core/error.hpp"
#include "engine/device/cpu/cpu_stepper_class.hpp"
#include "engine/device/snapshot_check.hpp"

#include <algorithm>

namespace tawara::device::cpu {

template <class Real>
Part& CpuStepper<Real>::add_part(const Ports& ports, const PartMaker& make)
{
    if (quiescent_)
        throw InputError("ports", "parts are joined to tissue that does not rest; leave "
                                  "rest_tolerance_mV out");
    check_ports(ports, group_);
    return currents_.add(ports, make);
}

template <class Real>
void CpuStepper<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    check_types(groups_.at(group), types);
    groups_[group].types.assign(types.begin(), types.end());
    reactions_[group]->set_types(types);
    if (quiescent_)
        quiescent_->set_types(group, types);
    if (interpolated_)
        interpolated_->set_types(group, types);
    if (newton_)
        newton_->tissue.set_types(group, types);
}

template <class Real>
void CpuStepper<Real>::set_probes(Gather probes, std::int64_t every_steps)
{
    probes_ = to_slots(std::move(probes), layout_);
    probe_every_ = std::max<std::int64_t>(every_steps, 1);
    sample_steps_.clear();
    samples_.clear();
}

template <class Real>
void CpuStepper<Real>::take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples)
{
    steps.clear();
    samples.clear();
    steps.swap(sample_steps_);
    samples.swap(samples_);
}

template <class Real>
void CpuStepper<Real>::display(std::span<float> out)
{
    pool_.for_range(std::min(out.size(), display_.size()), 1024,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                        for (std::size_t k = begin; k < end; ++k)
                            out[k] = static_cast<float>(weighted(display_, k, v_.data()));
                    });
}

template <class Real>
void CpuStepper<Real>::potential(std::span<double> out) const
{
    for (std::size_t u = 0; u < layout_.new_of.size() && u < out.size(); ++u)
        out[u] = static_cast<double>(v_[static_cast<std::size_t>(layout_.new_of[u])]);
}

template <class Real>
std::vector<double> CpuStepper<Real>::numbers_of_states(std::size_t k) const
{
    std::vector<double> out(group_.size(), 0);
    for (std::size_t u = 0; u < out.size(); ++u)
        if (group_[u] != no_cells && k < states_.numbers(group_[u]))
            out[u] = static_cast<double>(states_.number(group_[u], k, layout_.new_of[u]));
    return out;
}

template <class Real>
void CpuStepper<Real>::state(std::size_t state, std::span<double> out) const
{
    const auto values = numbers_of_states(state - 1);
    std::copy_n(values.begin(), std::min(values.size(), out.size()), out.begin());
}

template <class Real>
void CpuStepper<Real>::cell_numbers(std::size_t unknown, CellNumbers& out) const
{
    if (unknown >= group_.size() || group_[unknown] == no_cells)
        throw InputError("unknown " + std::to_string(unknown), "has no cells");
    const auto slot = layout_.new_of[unknown];
    out.v_mV = static_cast<double>(v_[static_cast<std::size_t>(slot)]);
    states_.numbers_of(group_[unknown], slot, out.numbers);
}

template <class Real>
Maps CpuStepper<Real>::maps() const
{
    Maps m;
    for (auto slot : layout_.new_of) {
        m.activation_ms.push_back(record_.activation_ms[static_cast<std::size_t>(slot)]);
        m.repolarisation_ms.push_back(record_.repolarisation_ms[static_cast<std::size_t>(slot)]);
    }
    return m;
}

template <class Real>
Snapshot CpuStepper<Real>::snapshot() const
{
    auto in_mesh_order = [&](const auto& values) {
        std::vector<double> out(layout_.new_of.size());
        for (std::size_t u = 0; u < out.size(); ++u)
            out[u] = static_cast<double>(values[static_cast<std::size_t>(layout_.new_of[u])]);
        return out;
    };
    Snapshot s;
    s.step = step_;
    s.v = in_mesh_order(v_);
    s.states = places_.zeros();
    for (std::size_t u = 0; u < group_.size(); ++u)
        for (std::size_t k = 0; group_[u] != no_cells && k < states_.numbers(group_[u]); ++k)
            places_.of(s.states, k, u) =
                static_cast<double>(states_.number(group_[u], k, layout_.new_of[u]));
    s.activation_ms = in_mesh_order(record_.activation_ms);
    s.repolarisation_ms = in_mesh_order(record_.repolarisation_ms);
    s.peak_mV = in_mesh_order(record_.peak_mV);
    s.rest_mV = in_mesh_order(record_.rest_mV);
    if (quiescent_)
        s.quiescent = quiescent_->snapshot();
    if (newton_)
        s.implicit = newton_->steps.snapshot(newton_->tissue);
    s.parts = currents_.snapshot();
    return s;
}

template <class Real>
void CpuStepper<Real>::restore(const Snapshot& s)
{
    check_shape(s,
                {layout_.new_of.size(), places_.lengths(), quiescent_ ? quiescent_->longest() : 0,
                 currents_.sizes(), newton_ ? newton_->steps.longest() : 0});
    auto from_mesh_order = [&](const std::vector<double>& values, auto& to) {
        using Value = typename std::remove_reference_t<decltype(to)>::value_type;
        for (std::size_t u = 0; u < values.size(); ++u)
            to[static_cast<std::size_t>(layout_.new_of[u])] = static_cast<Value>(values[u]);
    };
    step_ = s.step;
    from_mesh_order(s.v, v_);
    for (std::size_t u = 0; u < group_.size(); ++u)
        for (std::size_t k = 0; group_[u] != no_cells && k < states_.numbers(group_[u]); ++k)
            states_.number(group_[u], k, layout_.new_of[u]) =
                static_cast<Real>(places_.of(s.states, k, u));
    from_mesh_order(s.activation_ms, record_.activation_ms);
    from_mesh_order(s.repolarisation_ms, record_.repolarisation_ms);
    from_mesh_order(s.peak_mV, record_.peak_mV);
    from_mesh_order(s.rest_mV, record_.rest_mV);
    without_cells_from(v_);
    without_cells_from(record_.activation_ms);
    without_cells_from(record_.repolarisation_ms);
    if (quiescent_) {
        next_ = v_;
        quiescent_->restore(s, v_.data());
    }
    if (newton_) {
        next_ = v_;
        newton_->steps.restore(s.implicit, newton_->tissue);
    }
    currents_.restore(s.parts);
    for (auto& w : worker_)
        w.bad = -1;
    sample_steps_.clear();
    samples_.clear();
}

template <class Real>
std::vector<KernelRecord> CpuStepper<Real>::kernels() const
{
    std::vector<KernelRecord> out(kernel_count);
    const char* names[] = {solver_ ? "diffusion (linear system)" : "diffusion", "reaction",
                           "record"};
    const auto steps = quiescent_
                           ? quiescent_->cells_stepped() / static_cast<double>(layout_.stepped)
                           : static_cast<double>(steps_done_);
    double reaction_bytes = 0, reaction_flops = 0;
    for (std::size_t g = 0; g < reactions_.size(); ++g) {
        const auto cells = static_cast<double>(layout_.end[g] - layout_.begin[g]);
        reaction_bytes +=
            cells * (2.0 * sizeof(Real) * static_cast<double>(states_.numbers(g) + 1) +
                     sizeof(cell::TypeIndex));
        reaction_flops += cells * reactions_[g]->flops_per_cell();
    }
    const double halves = splitting_ == Splitting::strang ? 2 : 1;
    const double slots = static_cast<double>(layout_.stepped);
    const double bytes[] = {solver_ ? 0 : diffusion_.bytes_per_step(), halves * reaction_bytes,
                            slots * (2.0 * sizeof(Real) + 16)};
    const double flops[] = {solver_ ? 0 : diffusion_.flops_per_step(), halves * reaction_flops, 0};
    for (int k = 0; k < kernel_count; ++k) {
        const auto i = static_cast<std::size_t>(k);
        out[i].name = names[k];
        out[i].calls = steps_done_;
        for (const auto& w : worker_)
            out[i].ms += 1e3 * w.seconds[k] / static_cast<double>(worker_.size());
        out[i].bytes = steps * bytes[k];
        out[i].flops = steps * flops[k];
    }
    if (solver_) {
        const auto iterations = static_cast<double>(iterations_done_);
        out[k_diffusion].bytes = iterations * solver_->bytes_per_iteration();
        out[k_diffusion].flops = iterations * solver_->flops_per_iteration();
    }
    if constexpr (std::is_same_v<Real, double>)
        if (newton_) {
            auto all = newton_->tissue.kernels(states_, newton_->steps.counts());
            all.push_back(out[k_record]);
            return all;
        }
    if (quiescent_) { // each worker takes its slots through all three at once
        out[0].name = "diffusion, reaction and record";
        for (int k = 1; k < kernel_count; ++k) {
            out[0].ms += out[static_cast<std::size_t>(k)].ms;
            out[0].bytes += out[static_cast<std::size_t>(k)].bytes;
            out[0].flops += out[static_cast<std::size_t>(k)].flops;
        }
        out.resize(1);
    }
    if (halo_ != nullptr)
        out.push_back({"exchange", steps_done_, 1e3 * exchange_s_, exchange_bytes_, 0});
    if (interpolated_)
        out.insert(out.begin() + std::min<std::ptrdiff_t>(1, std::ssize(out) - 1),
                   interpolated_->record());
    return out;
}

template <class Real>
double CpuStepper<Real>::share_quiescent() const
{
    return quiescent_ ? quiescent_->share_quiescent() : 0;
}

template <class Real>
std::string CpuStepper<Real>::device() const
{
    const auto target = reactions_.empty() ? std::string() : reactions_.front()->target();
    return "CPU, " + std::to_string(pool_.size()) +
           (pool_.size() == 1 ? " thread, " : " threads, ") +
           (target.empty() ? vector_target() : target);
}

template class CpuStepper<double>;
template class CpuStepper<float>;

} // namespace tawara::device::cpu
