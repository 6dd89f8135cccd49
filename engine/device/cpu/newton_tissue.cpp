// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/newton_tissue.hpp"

#include "engine/core/error.hpp"
#include "engine/diffusion/permute.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace tawara::device::cpu {
namespace {

constexpr std::int64_t tile = 512; ///< slots at a time; their states lie in the second-level cache
/// Of the tolerance, what cells that are not asked again may add to a residual.
constexpr double unmoved_part = 0.01;

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

diffusion::NewtonOptions options_of(const TissueProblem& p)
{
    diffusion::NewtonOptions o;
    o.tolerance_mV = p.newton.tolerance_mV;
    o.most_iterations = p.newton.iterations;
    o.most_linear_iterations = p.solver_iterations;
    return o;
}

} // namespace

NewtonTissue::NewtonTissue(const TissueProblem& p, const Layout& layout, ThreadPool& pool)
    : layout_(layout), pool_(pool), position_(p.position_mm), slot_(slots_with_cells(layout)),
      system_(in_slots(p.system, slot_, layout)), solver_(system_, options_of(p), pool),
      unmoved_mV_(unmoved_part * p.newton.tolerance_mV), scratch_(pool.size()),
      computed_(pool.size(), 0)
{
    for (const auto& g : p.groups) {
        if (g.reaction)
            throw InputError("", "/diffusion/stepping",
                             "Newton's method needs the equations of the cells, which " +
                                 g.reaction->name() +
                                 " does not have; take another stepping for it");
        kernels_.push_back(cell::make_source_kernel(g.types));
        states_.push_back(cell::model_info(g.types.front().model).states.size() - 1);
        const auto at = kernels_.size() - 1;
        first_row_.push_back(static_cast<std::size_t>(
            std::lower_bound(slot_.begin(), slot_.end(), layout.begin[at]) - slot_.begin()));
        first_array_.push_back(after_.size());
        for (std::size_t k = 0; k < states_.back(); ++k)
            after_.emplace_back(padded(layout.end[at] - layout.begin[at]), 0.0);
    }
    for (auto& s : scratch_) // V, F and F'
        s.values.assign(3 * tile, 0);
    for (auto* v : {&start_, &end_, &before_, &rate_, &slope_, &told_})
        v->assign(system_.size(), 0);
}

void NewtonTissue::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    kernels_[group]->set_types(types);
    types_changed_ = true;
}

template <class Body>
void NewtonTissue::pieces(Body&& body)
{
    pool_.for_range(
        layout_.stepped, tile, [&](std::size_t first, std::size_t last, unsigned worker) {
            for (std::size_t g = 0; g < kernels_.size(); ++g) {
                const auto from = std::max(static_cast<std::int64_t>(first), layout_.begin[g]);
                const auto to = std::min(static_cast<std::int64_t>(last), layout_.end[g]);
                for (auto b = from; b < to; b += tile)
                    body(g, b, std::min(b + tile, to), worker); // begin at whole blocks
            }
        });
}

template <class Body>
void NewtonTissue::rows(Body&& body) const
{
    pool_.for_range(slot_.size(), 64,
                    [&](std::size_t first, std::size_t last, unsigned) { body(first, last); });
}

template <class Body>
void NewtonTissue::each_array(Body&& body)
{
    auto& all = *now_.states;
    for (std::size_t g = 0; g < kernels_.size(); ++g)
        for (std::size_t k = 0; k < states_[g]; ++k)
            body(all.of(g)[k] + (layout_.begin[g] - all.first(g)),
                 static_cast<std::size_t>(layout_.end[g] - layout_.begin[g]), first_array_[g] + k);
}

bool NewtonTissue::stay(std::size_t first, std::size_t last, std::span<const double> v,
                        double dt_ms, std::span<const double> slope) const
{
    std::int64_t too_much = 0;
    for (std::size_t r = first; r < last; ++r) {
        const double moved = std::abs(v[r] - told_[r]); // much where it tells of a range
        const double felt = moved * std::max(1.0, std::abs(slope[r]) * dt_ms);
        too_much |= !(felt <= unmoved_mV_);
    }
    return too_much == 0;
}

void NewtonTissue::compute(std::size_t group, std::int64_t begin, std::int64_t end, Scratch& s,
                           std::span<const double> v, const Moment& m, std::span<double> rate,
                           std::span<double> slope)
{
    const auto n = static_cast<std::size_t>(end - begin), row = row_of(group, begin);
    const auto array = [&](std::size_t k) { return s.values.data() + k * tile; };
    double *const V = array(0), *const F = array(1), *const dF = array(2);
    std::copy_n(v.data() + row, n, V);
    s.arrays.clear();
    for (std::size_t k = 0; k < states_[group]; ++k) {
        double* const after =
            after_[first_array_[group] + k].data() + (begin - layout_.begin[group]);
        std::copy_n(now_.states->of(group)[k] + (begin - now_.states->first(group)), n, after);
        s.arrays.push_back(after);
    }
    s.arrays.insert(s.arrays.end(), {F, dF});
    cell::CellArrays<double> c;
    c.v = V;
    c.states = s.arrays.data();
    c.type = now_.type + begin;
    c.stimulus = stimulus_.empty() ? nullptr : stimulus_.data() + begin;
    c.end = n;
    kernels_[group]->step(c, m.t_ms, m.dt_ms);
    std::copy_n(F, n, rate.data() + row);
    std::copy_n(dF, n, slope.data() + row);
    std::copy_n(V, n, told_.data() + row);
}

void NewtonTissue::cells(std::span<const double> v, const Moment& m, std::span<double> rate,
                         std::span<double> slope)
{
    const auto since = std::chrono::steady_clock::now();
    pieces([&](std::size_t g, std::int64_t begin, std::int64_t end, unsigned worker) {
        const auto end_of = [&](std::int64_t b) { return std::min(b + Layout::block, end); };
        const auto rests = [&](std::int64_t b) {
            return again_ && b < end && stay(row_of(g, b), row_of(g, end_of(b)), v, m.dt_ms, slope);
        };
        for (auto b = begin; b < end;) {
            while (rests(b))
                b = end_of(b);
            auto last = b;
            while (last < end && (last == b || !rests(last)))
                last = end_of(last);
            if (b < last)
                compute(g, b, last, scratch_[worker], v, m, rate, slope);
            computed_[worker] += last - b;
            b = last;
        }
    });
    again_ = true;
    ++cells_calls_;
    cells_ms_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

void NewtonTissue::keep(double t_ms, double dt_ms)
{
    if (!evaluated_) {
        again_ = false;
        cells(end_, {t_ms, dt_ms}, rate_, slope_);
    }
    each_array([&](double* x, std::size_t n, std::size_t k) {
        const double* const after = after_[k].data();
        pool_.for_range(n, 64, [&](std::size_t first, std::size_t last, unsigned) {
            std::copy(after + first, after + last, x + first);
        });
    });
    rows([&](std::size_t first, std::size_t last) { // what tells of a range stays to be looked at
        for (std::size_t r = first; r < last; ++r)
            end_[r] = std::abs(told_[r] - end_[r]) < 1 ? end_[r] : told_[r];
    });
}

diffusion::NewtonResult NewtonTissue::solve(double t_ms, double dt_ms, double slope_ms)
{
    rows([&](std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; ++r) {
            const double guess = slope_ms > 0 ? (start_[r] - before_[r]) * slope_ms : 0;
            end_[r] = start_[r] + std::clamp(guess, -largest_guess_mV, largest_guess_mV);
        }
    });
    again_ = false;
    auto result = solver_.step(
        start_, end_, dt_ms,
        [&](std::span<const double> v, std::span<double> rate, std::span<double> slope) {
            cells(v, {t_ms, dt_ms}, rate, slope);
        });
    evaluated_ = result.converged; // at end_, and that last
    failed_row_ = result.where;
    return result;
}

double NewtonTissue::largest_turn(double dt_ms, double before_ms) const
{
    double most = 0;
    for (std::size_t r = 0; r < slot_.size(); ++r) {
        const double now = (end_[r] - start_[r]) / dt_ms,
                     then = (start_[r] - before_[r]) / before_ms;
        most = std::max(most, std::abs(now - then));
    }
    return most;
}

void NewtonTissue::begin()
{
    pieces([&](std::size_t g, std::int64_t begin, std::int64_t end, unsigned) {
        std::copy(now_.v + begin, now_.v + end, start_.data() + row_of(g, begin));
    });
    stimulus_.clear();
    if (now_.stimulus)
        stimulus_.assign(now_.stimulus, now_.stimulus + layout_.slots());
    types_changed_ = false;
}

bool NewtonTissue::changed() const
{
    // no stimulus and one of 0 are the same, so that a restored step is not cut
    const auto differs = [&](std::int32_t slot) {
        const double then = stimulus_.empty() ? 0 : stimulus_[static_cast<std::size_t>(slot)];
        return then != (now_.stimulus ? now_.stimulus[slot] : 0);
    };
    return types_changed_ || std::any_of(slot_.begin(), slot_.end(), differs);
}

void NewtonTissue::end_is_now()
{
    for (std::size_t r = 0; r < slot_.size(); ++r)
        end_[r] = now_.v[slot_[r]];
    evaluated_ = false;
}

void NewtonTissue::go_on()
{
    std::swap(before_, start_);
    rows([&](std::size_t first, std::size_t last) {
        std::copy(end_.begin() + static_cast<std::ptrdiff_t>(first),
                  end_.begin() + static_cast<std::ptrdiff_t>(last),
                  start_.begin() + static_cast<std::ptrdiff_t>(first));
    });
}

void NewtonTissue::set_aside()
{
    aside_ = {{}, start_, before_};
    each_array(
        [&](double* x, std::size_t n, std::size_t) { aside_.states.emplace_back(x, x + n); });
}

void NewtonTissue::put_back(bool states_stay)
{
    start_ = aside_.start;
    before_ = aside_.before;
    if (!states_stay)
        each_array([&](double* x, std::size_t n, std::size_t k) {
            std::copy_n(aside_.states[k].data(), n, x);
        });
}

void NewtonTissue::leave(double share)
{
    pieces([&](std::size_t g, std::int64_t begin, std::int64_t end, unsigned) {
        const auto row = row_of(g, begin);
        for (std::size_t i = 0; i < static_cast<std::size_t>(end - begin); ++i) {
            const double from = start_[row + i], to = end_[row + i];
            now_.next[static_cast<std::size_t>(begin) + i] =
                share < 1 ? from + share * (to - from) : to;
        }
    });
}

void NewtonTissue::fail(double t_ms, double dt_ms, const diffusion::NewtonResult& r)
{
    const auto unknown = layout_.old_of[static_cast<std::size_t>(slot_[failed_row_])];
    throw diffusion::NewtonError(t_ms, dt_ms, r.iterations, r.residual_mV(), unknown,
                                 position_[static_cast<std::size_t>(unknown)],
                                 end_[static_cast<std::size_t>(failed_row_)]);
}

void NewtonTissue::forget()
{
    types_changed_ = evaluated_ = false;
    stimulus_.clear();
}

std::vector<KernelRecord> NewtonTissue::kernels(const StateArrays<double>& states,
                                                const NewtonCounts& counts) const
{
    double bytes = 0, flops = 0, all = 0;
    for (std::size_t g = 0; g < kernels_.size(); ++g) {
        const auto cells = static_cast<double>(layout_.end[g] - layout_.begin[g]);
        all += cells;
        bytes +=
            cells * (8.0 * static_cast<double>(states.numbers(g) + 3) + sizeof(cell::TypeIndex));
        flops += cells * kernels_[g]->flops_per_cell();
    }
    const auto whole = // calls, if each had computed all cells
        static_cast<double>(std::accumulate(computed_.begin(), computed_.end(), std::int64_t{0})) /
        std::max(all, 1.0);
    return {{"cells (Newton)", cells_calls_, cells_ms_, whole * bytes, whole * flops},
            {"residual and matrix", counts.newton, solver_.assembly.ms, solver_.assembly.bytes,
             solver_.assembly.flops},
            {"conjugate gradients", counts.linear, solver_.solver.ms, solver_.solver.bytes,
             solver_.solver.flops}};
}

const std::vector<double>& NewtonTissue::rows_of(ImplicitVector v) const
{
    return v == ImplicitVector::start ? start_ : v == ImplicitVector::end ? end_ : before_;
}

std::vector<double> NewtonTissue::values(ImplicitVector v) const
{
    std::vector<double> out(layout_.new_of.size(), 0);
    const auto& of = rows_of(v);
    for (std::size_t r = 0; r < slot_.size(); ++r) {
        const auto slot = static_cast<std::size_t>(slot_[r]);
        out[static_cast<std::size_t>(layout_.old_of[slot])] = v != ImplicitVector::stimulus ? of[r]
                                                              : stimulus_.empty()           ? 0
                                                                                  : stimulus_[slot];
    }
    return out;
}

void NewtonTissue::set_values(ImplicitVector v, const std::vector<double>& values)
{
    const bool stimulus = v == ImplicitVector::stimulus;
    if (stimulus && std::all_of(values.begin(), values.end(), [](double x) { return x == 0; }))
        return stimulus_.clear();
    if (stimulus)
        stimulus_.assign(layout_.slots(), 0);
    auto& to = v == ImplicitVector::start ? start_ : v == ImplicitVector::end ? end_ : before_;
    for (std::size_t r = 0; r < slot_.size(); ++r) {
        const auto slot = static_cast<std::size_t>(slot_[r]);
        (stimulus ? stimulus_[slot] : to[r]) =
            values[static_cast<std::size_t>(layout_.old_of[slot])];
    }
}

} // namespace tawara::device::cpu
