// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/newton_steps.hpp"

#include "engine/core/error.hpp"
#include "engine/diffusion/permute.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tawara::device::cpu {
namespace {

constexpr std::int64_t tile = 512; ///< slots at a time; their states lie in the second-level cache
constexpr double largest_error_mV = 0.1; ///< local error of a step of several time steps
constexpr int most_parts = 64;           ///< of a time step
constexpr double largest_guess_mV = 5;   ///< by which V is moved before the first iteration

/// The System in the order of the slots that hold an unknown.
diffusion::System in_slots(const diffusion::System& s, const std::vector<std::int32_t>& slot,
                           const Layout& layout)
{
    std::vector<std::int32_t> old_of, new_of(s.size());
    for (const auto at : slot)
        old_of.push_back(layout.old_of[static_cast<std::size_t>(at)]);
    std::vector<bool> there(s.size(), false);
    for (const auto u : old_of)
        there[static_cast<std::size_t>(u)] = true;
    for (std::size_t u = 0; u < s.size(); ++u) // what has no cells comes last
        if (!there[u])
            old_of.push_back(static_cast<std::int32_t>(u));
    for (std::size_t r = 0; r < old_of.size(); ++r)
        new_of[static_cast<std::size_t>(old_of[r])] = static_cast<std::int32_t>(r);
    return diffusion::permuted(s, old_of, new_of);
}

std::vector<std::int32_t> slots_with_cells(const Layout& layout)
{
    std::vector<std::int32_t> out;
    for (std::size_t slot = 0; slot < layout.stepped; ++slot)
        if (layout.old_of[slot] >= 0)
            out.push_back(static_cast<std::int32_t>(slot));
    return out;
}

/// Whole vectors are written at the end of a group.
std::size_t padded(std::int64_t slots)
{
    return static_cast<std::size_t>((slots + Layout::block - 1) / Layout::block * Layout::block);
}

int longest_length(const TissueProblem& p)
{
    int n = 1;
    while (p.newton.adaptive && 2 * n * p.dt_ms <= p.newton.dt_max_ms * (1 + 1e-9))
        n *= 2;
    return n;
}

diffusion::NewtonSolver::Options options_of(const TissueProblem& p)
{
    diffusion::NewtonSolver::Options o;
    o.tolerance_mV = p.newton.tolerance_mV;
    o.most_iterations = p.newton.iterations;
    o.most_linear_iterations = p.solver_iterations;
    return o;
}

} // namespace

NewtonSteps::NewtonSteps(const TissueProblem& p, const Layout& layout, ThreadPool& pool)
    : layout_(layout), pool_(pool), position_(p.position_mm), slot_(slots_with_cells(layout)),
      system_(in_slots(p.system, slot_, layout)), dt_(p.dt_ms), longest_(longest_length(p)),
      solver_(system_, options_of(p), pool), scratch_(pool.size())
{
    row_.assign(layout.slots(), -1);
    for (std::size_t r = 0; r < slot_.size(); ++r)
        row_[static_cast<std::size_t>(slot_[r])] = static_cast<std::int32_t>(r);
    for (const auto& g : p.groups) {
        if (g.reaction)
            throw InputError("", "/diffusion/stepping",
                             "Newton's method needs the equations of the cells, which " +
                                 g.reaction->name() +
                                 " does not have; take another stepping for it");
        kernels_.push_back(cell::make_source_kernel(g.types));
        states_.push_back(cell::model_info(g.types.front().model).states.size() - 1);
        const auto at = kernels_.size() - 1;
        first_array_.push_back(after_.size());
        for (std::size_t k = 0; k < states_.back(); ++k)
            after_.emplace_back(padded(layout.end[at] - layout.begin[at]), 0.0);
    }
    for (auto& s : scratch_) // V, F and F'
        s.values.assign(3 * tile, 0);
    for (auto* v : {&start_, &end_, &before_, &rate_, &slope_, &told_})
        v->assign(system_.size(), 0);
}

void NewtonSteps::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    kernels_[group]->set_types(types);
    types_changed_ = true;
}

template <class Body>
void NewtonSteps::pieces(Body&& body)
{
    pool_.for_range(
        layout_.stepped, tile, [&](std::size_t first, std::size_t last, unsigned worker) {
            for (std::size_t g = 0; g < kernels_.size(); ++g) {
                const auto from = std::max(static_cast<std::int64_t>(first), layout_.begin[g]);
                const auto to = std::min(static_cast<std::int64_t>(last), layout_.end[g]);
                for (auto b = from; b < to; b += tile)
                    body(g, b, std::min(b + tile, to), worker);
            }
        });
}

template <class Body>
void NewtonSteps::each_array(const Tissue& t, Body&& body)
{
    for (std::size_t g = 0; g < kernels_.size(); ++g)
        for (std::size_t k = 0; k < states_[g]; ++k)
            body(t.states.of(g)[k] + (layout_.begin[g] - t.states.first(g)),
                 static_cast<std::size_t>(layout_.end[g] - layout_.begin[g]), first_array_[g] + k);
}

void NewtonSteps::cells(const Tissue& t, std::span<const double> v, double dt_ms,
                        std::span<double> rate, std::span<double> slope)
{
    const auto since = std::chrono::steady_clock::now();
    pieces([&](std::size_t g, std::int64_t begin, std::int64_t end, unsigned worker) {
        const std::size_t states = states_[g];
        const auto n = static_cast<std::size_t>(end - begin);
        const auto first = static_cast<std::size_t>(begin);
        const auto offset = static_cast<std::size_t>(begin - t.states.first(g));
        Scratch& s = scratch_[worker];
        const auto array = [&](std::size_t k) { return s.values.data() + k * tile; };
        double* const V = array(0);
        for (std::size_t i = 0; i < n; ++i) { // slots without an unknown repeat what they have
            const auto row = row_[first + i];
            V[i] = row < 0 ? t.v[first + i] : v[static_cast<std::size_t>(row)];
        }
        s.arrays.clear();
        for (std::size_t k = 0; k < states; ++k) {
            double* const after = after_[first_array_[g] + k].data() + (begin - layout_.begin[g]);
            std::copy_n(t.states.of(g)[k] + offset, n, after);
            s.arrays.push_back(after);
        }
        double *const F = array(1), *const dF = array(2);
        s.arrays.insert(s.arrays.end(), {F, dF});
        cell::CellArrays<double> c;
        c.v = V;
        c.states = s.arrays.data();
        c.type = t.type + first;
        c.stimulus = stimulus_.empty() ? nullptr : stimulus_.data() + first;
        c.end = n;
        kernels_[g]->step(c, t.t_ms, dt_ms);
        for (std::size_t i = 0; i < n; ++i) {
            if (row_[first + i] < 0)
                continue;
            const auto row = static_cast<std::size_t>(row_[first + i]);
            rate[row] = F[i];
            slope[row] = dF[i];
            told_[row] = V[i];
        }
    });
    ++cells_calls_;
    cells_ms_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

void NewtonSteps::keep(const Tissue& t, double dt_ms)
{
    if (!evaluated_)
        cells(t, end_, dt_ms, rate_, slope_);
    each_array(
        t, [&](double* x, std::size_t n, std::size_t k) { std::copy_n(after_[k].data(), n, x); });
    std::swap(end_, told_);
    kept_ = true;
}

/// From start_ to end_, the states being those at the start. @return whether it converged
bool NewtonSteps::solve(const Tissue& t, double dt_ms)
{
    for (std::size_t r = 0; r < start_.size(); ++r) {
        const double guess = before_ms_ > 0 ? (start_[r] - before_[r]) * (dt_ms / before_ms_) : 0;
        end_[r] = start_[r] + std::clamp(guess, -largest_guess_mV, largest_guess_mV);
    }
    last_ = solver_.step(start_, end_, dt_ms,
                         [&](std::span<const double> v, std::span<double> rate,
                             std::span<double> slope) { cells(t, v, dt_ms, rate, slope); });
    evaluated_ = last_.converged; // at end_, and that last
    counts_.newton += last_.iterations;
    counts_.linear += last_.linear_iterations;
    counts_.most_newton = std::max(counts_.most_newton, last_.iterations);
    return last_.converged;
}

double NewtonSteps::local_error(double dt_ms) const
{
    double most = 0;
    for (std::size_t r = 0; r < slot_.size(); ++r) {
        const double now = (end_[r] - start_[r]) / dt_ms,
                     then = (start_[r] - before_[r]) / before_ms_;
        most = std::max(most, std::abs(now - then) * dt_ms * dt_ms / (dt_ms + before_ms_));
    }
    return most;
}

/// Chooses a length, and solves. Leaves a single time step's parts to single().
void NewtonSteps::begin(const Tissue& t)
{
    for (std::size_t r = 0; r < slot_.size(); ++r)
        start_[r] = t.v[slot_[r]];
    stimulus_.clear();
    if (t.stimulus)
        stimulus_.assign(t.stimulus, t.stimulus + layout_.slots());
    types_changed_ = false;
    kept_ = false;
    length_ = wanted_;
    while (length_ > t.steady)
        length_ /= 2;
    for (; length_ > 1; length_ /= 2, ++counts_.rejected) {
        const double dt = length_ * dt_;
        if (before_ms_ > 0 && solve(t, dt)) {
            const double error = local_error(dt);
            if (error <= largest_error_mV) {
                wanted_ = error <= largest_error_mV / 8 ? std::min(2 * length_, longest_) : length_;
                return;
            }
        }
    }
    single(t);
    const double error = before_ms_ > 0 && longest_ > 1 ? local_error(dt_) : largest_error_mV;
    wanted_ = error <= largest_error_mV / 8 ? std::min(2, longest_) : 1;
}

void NewtonSteps::single(const Tissue& t)
{
    if (solve(t, dt_))
        return;
    // states are kept after each part, so those before are set aside
    std::vector<std::vector<double>> aside;
    each_array(t, [&](double* x, std::size_t n, std::size_t) { aside.emplace_back(x, x + n); });
    const auto start = start_, before = before_;
    const double before_ms = before_ms_;
    const auto back = [&] {
        each_array(t, [&](double* x, std::size_t n, std::size_t k) {
            std::copy_n(aside[k].data(), n, x);
        });
        start_ = start;
        before_ = before;
        before_ms_ = before_ms;
    };
    for (int parts = 2; parts <= most_parts; parts *= 2) {
        ++counts_.halved;
        const bool done = in_parts(t, parts);
        if (done) {
            start_ = start;
            before_ = before;
            before_ms_ = before_ms;
            return;
        }
        back();
    }
    fail(t);
}

bool NewtonSteps::in_parts(const Tissue& t, int parts)
{
    const double dt = dt_ / parts;
    for (int k = 0; k < parts; ++k) {
        if (!solve(t, dt))
            return false;
        keep(t, dt);
        before_ = start_;
        before_ms_ = dt;
        start_ = end_;
    }
    return true;
}

void NewtonSteps::fail(const Tissue& t) const
{
    const auto row = last_.where;
    const auto unknown = layout_.old_of[static_cast<std::size_t>(slot_[row])];
    throw diffusion::NewtonError(t.t_ms, dt_ / most_parts, last_.iterations, last_.residual_mV(),
                                 unknown, position_[static_cast<std::size_t>(unknown)]);
}

bool NewtonSteps::stimulus_changed(const Tissue& t) const
{
    // no stimulus and one of 0 are the same, so that a restored step is not cut
    const auto differs = [&](std::int32_t slot) {
        const double then = stimulus_.empty() ? 0 : stimulus_[static_cast<std::size_t>(slot)];
        return then != (t.stimulus ? t.stimulus[slot] : 0);
    };
    return types_changed_ || std::any_of(slot_.begin(), slot_.end(), differs);
}

void NewtonSteps::step(const Tissue& t)
{
    if (at_ > 0 && stimulus_changed(t)) { // what was foreseen does not come
        for (std::size_t r = 0; r < slot_.size(); ++r)
            end_[r] = t.v[slot_[r]];
        evaluated_ = false;
        Tissue past = t;
        past.t_ms -= at_ * dt_;
        keep(past, at_ * dt_);
        before_ = start_;
        before_ms_ = at_ * dt_;
        at_ = 0;
        wanted_ = 1;
    }
    if (at_ == 0) {
        begin(t);
        ++counts_.steps;
    }
    ++at_;
    if (at_ < length_) {
        const double part = static_cast<double>(at_) / length_;
        for (std::size_t r = 0; r < slot_.size(); ++r)
            t.next[slot_[r]] = start_[r] + part * (end_[r] - start_[r]);
        return;
    }
    if (!kept_) {
        Tissue whole = t;
        whole.t_ms -= (length_ - 1) * dt_;
        keep(whole, length_ * dt_);
    }
    for (std::size_t r = 0; r < slot_.size(); ++r)
        t.next[slot_[r]] = end_[r];
    std::swap(before_, start_);
    before_ms_ = length_ * dt_;
    at_ = 0;
}

std::vector<KernelRecord> NewtonSteps::kernels(const StateArrays<double>& states) const
{
    double bytes = 0, flops = 0;
    for (std::size_t g = 0; g < kernels_.size(); ++g) {
        const auto cells = static_cast<double>(layout_.end[g] - layout_.begin[g]);
        bytes +=
            cells * (8.0 * static_cast<double>(states.numbers(g) + 3) + sizeof(cell::TypeIndex));
        flops += cells * kernels_[g]->flops_per_cell();
    }
    const auto calls = static_cast<double>(cells_calls_);
    return {{"cells (Newton)", cells_calls_, cells_ms_, calls * bytes, calls * flops},
            {"residual and matrix", counts_.newton, solver_.assembly.ms, solver_.assembly.bytes,
             solver_.assembly.flops},
            {"conjugate gradients", counts_.linear, solver_.solver.ms, solver_.solver.bytes,
             solver_.solver.flops}};
}

std::vector<std::vector<double>> NewtonSteps::snapshot() const
{
    // start_ and end_ of a step that is under way, where the last one began, and the stimulus
    const auto in_mesh_order = [&](const std::vector<double>& rows) {
        std::vector<double> out(layout_.new_of.size(), 0);
        for (std::size_t r = 0; r < slot_.size(); ++r)
            out[static_cast<std::size_t>(layout_.old_of[static_cast<std::size_t>(slot_[r])])] =
                rows[r];
        return out;
    };
    std::vector<std::vector<double>> s{{before_ms_, double(wanted_), double(length_), double(at_)},
                                       in_mesh_order(before_)};
    if (at_ > 0) {
        s.push_back(in_mesh_order(start_));
        s.push_back(in_mesh_order(end_));
        std::vector<double> stimulus(slot_.size(), 0);
        for (std::size_t r = 0; r < slot_.size() && !stimulus_.empty(); ++r)
            stimulus[r] = stimulus_[static_cast<std::size_t>(slot_[r])];
        s.push_back(in_mesh_order(stimulus));
    }
    return s;
}

void NewtonSteps::restore(const std::vector<std::vector<double>>& s)
{
    at_ = 0;
    wanted_ = length_ = 1;
    before_ms_ = 0;
    types_changed_ = kept_ = evaluated_ = false;
    if (s.empty())
        return;
    const auto in_rows = [&](const std::vector<double>& values, std::vector<double>& rows) {
        for (std::size_t r = 0; r < slot_.size(); ++r)
            rows[r] = values[static_cast<std::size_t>(
                layout_.old_of[static_cast<std::size_t>(slot_[r])])];
    };
    before_ms_ = s[0][0];
    wanted_ = static_cast<int>(s[0][1]);
    length_ = static_cast<int>(s[0][2]);
    at_ = static_cast<int>(s[0][3]);
    in_rows(s[1], before_);
    stimulus_.clear();
    if (at_ == 0)
        return;
    in_rows(s[2], start_);
    in_rows(s[3], end_);
    std::vector<double> stimulus(slot_.size());
    in_rows(s[4], stimulus);
    if (std::any_of(stimulus.begin(), stimulus.end(), [](double x) { return x != 0; })) {
        stimulus_.assign(layout_.slots(), 0);
        for (std::size_t r = 0; r < slot_.size(); ++r)
            stimulus_[static_cast<std::size_t>(slot_[r])] = stimulus[r];
    }
}

} // namespace tawara::device::cpu
