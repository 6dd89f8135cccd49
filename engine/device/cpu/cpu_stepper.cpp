// SPDX-License-Identifier: GPL-3.0-or-later
// The time loop of the CPU back end.
#include "engine/cell/cell_error.hpp"
#include "engine/core/room_for.hpp"
#include "engine/device/cpu/cpu_stepper_class.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

namespace tawara::device::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Slots that one worker takes through diffusion, reaction and record before the next ones: 1024
/// cells of 19 double states are 156 kB, which the second-level cache holds.
constexpr std::int64_t tile = 1024;

/// Unknowns for a thread of its own, where their number is free: a step of them takes some 70 us,
/// several times what waiting for each other costs.
constexpr std::size_t unknowns_per_thread = 2048;

/// Slots of cells with a reaction of their own, whose steps may take a thousand times longer, that
/// one worker takes at a time; of the matrix' rows as many lie together.
constexpr std::int64_t tile_of_own = 16;

template <class Real>
std::unique_ptr<cell::Reaction<Real>> make_reaction(const CellGroup& g, double table_step_mV)
{
    if (!g.reaction)
        return cell::compiled_reaction<Real>(g.types, g.scheme, table_step_mV);
    if constexpr (std::is_same_v<Real, double>)
        return g.reaction->on_cpu_double();
    else
        return g.reaction->on_cpu_single();
}

/// Adds the time since the last lap to a kernel.
class Lap
{
  public:
    explicit Lap(WorkerTimes& t) : times_(t), last_(Clock::now()) {}
    void to(Kernel k)
    {
        const auto now = Clock::now();
        times_.seconds[k] += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

  private:
    WorkerTimes& times_;
    Clock::time_point last_;
};

} // namespace

template <class Real>
CpuStepper<Real>::CpuStepper(const TissueProblem& p, unsigned threads, const Progress& progress,
                             Halo* halo)
    : pool_(
          threads_for(threads, progress.context.threads, weight_of_cells(p), unknowns_per_thread)),
      layout_((progress.at(0, "ordering unknowns"), make_layout(p))), position_(p.position_mm),
      groups_(p.groups), group_(p.group),
      places_(p, sizeof(Real) == sizeof(float) ? Precision::single : Precision::double_),
      dt_(p.dt_ms), threshold_(p.activation_threshold_mV), splitting_(p.splitting),
      diffusion_(p, layout_), currents_(layout_, p.dt_ms), record_(layout_), halo_(halo),
      elsewhere_(p.elsewhere), worker_(pool_.size())
{
    if (needs_solver(p)) {
        diffusion::ImplicitSolver::Options options;
        options.tolerance_mV = p.solver_tolerance_mV;
        options.most_iterations = p.solver_iterations;
        options.threads = pool_.size();
        solver_ = std::make_unique<diffusion::ImplicitSolver>(p.system, p.dt_ms, theta(p.stepping),
                                                              options);
        solver_v_.resize(p.size());
    }
    if (p.rest_tolerance_mV > 0)
        quiescent_.emplace(p, layout_, diffusion_);
    if (p.currents == IonicCurrents::interpolated)
        interpolated_.emplace(p, layout_, pool_);
    if (p.stepping == Stepping::newton) {
        if (std::is_same_v<Real, float>)
            throw InputError(
                "--precision",
                "Newton's method steps in double precision; leave --precision out, and "
                "`precision` of the session, or take another stepping");
        newton_ = std::make_unique<Newton>(p, layout_, pool_);
    }
    initial_state(p);
}

template <class Real>
void CpuStepper<Real>::initial_state(const TissueProblem& p)
{
    const std::size_t slots = layout_.slots();
    v_.assign(slots, Real(0));
    next_.assign(slots, Real(0));
    type_.assign(slots, 0);
    for (std::size_t slot = 0; slot < slots; ++slot)
        if (const auto old = layout_.old_of[slot]; old >= 0)
            type_[slot] = p.type[static_cast<std::size_t>(old)];
    const auto end_of = [&](std::size_t g) { // with the slots that fill its last block
        return g + 1 < p.groups.size() ? layout_.begin[g + 1]
                                       : static_cast<std::int64_t>(layout_.stepped);
    };
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
        CellGroup group = p.groups[g];
        if (newton_) // steps the cells itself: of this only the arrays and where cells begin
            group.scheme = cell::Scheme::forward_euler;
        reactions_.push_back(make_reaction<Real>(group, p.table_step_mV));
        states_.add(reactions_[g]->arrays(), layout_.begin[g], end_of(g));
        if (reactions_[g]->needs_unknowns())
            unknown_.assign(layout_.old_of.begin(), layout_.old_of.end());
    }
    states_.fill(slots);
    share_out(p.groups);
    for (std::size_t g = 0; g < p.groups.size(); ++g)
        reactions_[g]->prepare(cells(g, v_.data(), layout_.begin[g], end_of(g)));
    without_cells_from(v_);
    next_ = v_;
    if (splitting_ == Splitting::strang)
        half_ = v_;
}

template <class Real>
void CpuStepper<Real>::share_out(const std::vector<CellGroup>& groups)
{
    const auto own = [](const CellGroup& g) { return g.reaction != nullptr; };
    if (pool_.size() < 2 || std::none_of(groups.begin(), groups.end(), own))
        return;
    const auto cut = [&](std::int64_t from, std::int64_t to, std::int64_t most) {
        for (; from < to; from += most)
            uneven_.emplace_back(from, std::min(from + most, to));
    };
    const auto end_of = [&](std::size_t g) {
        return g + 1 < groups.size() ? layout_.begin[g + 1]
                                     : static_cast<std::int64_t>(layout_.stepped);
    };
    for (const bool first : {true, false}) // what takes longest
        for (std::size_t g = 0; g < groups.size(); ++g)
            if (own(groups[g]) == first)
                cut(layout_.begin[g], end_of(g), first ? tile_of_own : tile);
}

template <class Real>
template <class Body>
void CpuStepper<Real>::tiles(Body body)
{
    if (!uneven_.empty()) {
        std::atomic<std::size_t> next{0};
        return pool_.for_range(pool_.size(), 1, [&](std::size_t, std::size_t, unsigned worker) {
            for (std::size_t k = next++; k < uneven_.size(); k = next++)
                body(uneven_[k].first, uneven_[k].second, worker_[worker]);
        });
    }
    pool_.for_range(layout_.stepped, static_cast<std::size_t>(tile),
                    [&](std::size_t begin, std::size_t end, unsigned worker) {
                        for (auto b = static_cast<std::int64_t>(begin);
                             b < static_cast<std::int64_t>(end); b += tile)
                            body(b, std::min(b + tile, static_cast<std::int64_t>(end)),
                                 worker_[worker]);
                    });
}

template <class Real>
cell::ReactionCells<Real> CpuStepper<Real>::cells(std::size_t group, Real* v, std::int64_t begin,
                                                  std::int64_t end) const
{
    const auto first = states_.first(group);
    cell::ReactionCells<Real> c;
    c.cells.v = v + first;
    c.cells.states = states_.of(group);
    c.cells.type = type_.data() + first;
    c.cells.stimulus = current_ ? current_ + first : nullptr;
    c.cells.begin = static_cast<std::size_t>(begin - first);
    c.cells.end = static_cast<std::size_t>(end - first);
    c.unknown = unknown_.empty() ? nullptr : unknown_.data() + first;
    return c;
}

template <class Real>
void CpuStepper<Real>::react(Real* v, const cell::ReactionStep& s, std::int64_t begin,
                             std::int64_t end) const
{
    for (std::size_t g = 0; g < reactions_.size(); ++g) {
        const auto from = std::max(begin, layout_.begin[g]), to = std::min(end, layout_.end[g]);
        if (from < to)
            reactions_[g]->advance(cells(g, v, from, to), s);
    }
}

template <class Real>
void CpuStepper<Real>::implicit_diffusion(std::vector<WorkerTimes>& times)
{
    Lap lap(times[0]);
    const Real* from = splitting_ == Splitting::strang ? half_.data() : v_.data();
    for (std::size_t u = 0; u < solver_v_.size(); ++u)
        solver_v_[u] = static_cast<double>(from[layout_.new_of[u]]);
    iterations_done_ += solver_->step(solver_v_) + solver_->sub_steps(); // products
    std::copy(from, from + layout_.slots(), next_.data());
    for (std::size_t u = 0; u < solver_v_.size(); ++u)
        next_[static_cast<std::size_t>(layout_.new_of[u])] = static_cast<Real>(solver_v_[u]);
    lap.to(k_diffusion);
    for (std::size_t w = 1; w < times.size(); ++w) // the others waited
        times[w].seconds[k_diffusion] = times[0].seconds[k_diffusion];
}

template <class Real>
void CpuStepper<Real>::take_from_others(Real* v, bool with_states)
{
    if (halo_ == nullptr)
        return;
    const auto start = Clock::now();
    const std::size_t each = 1 + (with_states ? states_.numbers() : 0);
    const auto given = halo_->given(), taken = halo_->taken();
    give_.assign(each * given.size(), 0);
    take_.resize(each * taken.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto u = static_cast<std::size_t>(given[i]);
        const auto slot = layout_.new_of[u];
        give_[i * each] = static_cast<double>(v[slot]);
        for (std::size_t k = 0; k + 1 < each && k < states_.numbers(group_[u]); ++k)
            give_[i * each + 1 + k] = static_cast<double>(states_.number(group_[u], k, slot));
    }
    halo_->swap(give_, take_, each);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const auto u = static_cast<std::size_t>(taken[i]);
        const auto slot = layout_.new_of[u];
        v[slot] = static_cast<Real>(take_[i * each]);
        for (std::size_t k = 0; k + 1 < each && k < states_.numbers(elsewhere_[u]); ++k)
            states_.number(elsewhere_[u], k, slot) = static_cast<Real>(take_[i * each + 1 + k]);
    }
    exchange_s_ += std::chrono::duration<double>(Clock::now() - start).count();
    exchange_bytes_ += static_cast<double>(sizeof(double) * (give_.size() + take_.size()));
}

template <class Real>
void CpuStepper<Real>::set_current(const Real* v, double t_ms, double dt_ms)
{
    current_ = currents_.values();
    if (interpolated_)
        current_ = interpolated_->with_stimulus({v, states_.shared(), type_.data(), current_}, t_ms,
                                                dt_ms);
}

template <class Real>
void CpuStepper<Real>::one_step()
{
    const double t = time_ms();
    take_from_others(v_.data(), interpolated_.has_value());
    currents_.set(step_, v_.data());
    const bool strang = splitting_ == Splitting::strang;
    set_current(v_.data(), t, strang ? dt_ / 2 : dt_);
    if (strang)
        tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
            Lap lap(w);
            std::copy(v_.data() + b, v_.data() + e, half_.data() + b);
            react(half_.data(), {step_, 0, t, dt_ / 2}, b, e);
            lap.to(k_reaction);
        });
    if (strang)
        take_from_others(half_.data());
    const cell::ReactionStep second{step_, strang ? 1 : 0, strang ? t + dt_ / 2 : t,
                                    strang ? dt_ / 2 : dt_};
    const Real* from = strang ? half_.data() : v_.data();
    const int last = diffusion_.passes() - 1;
    const bool again = strang && interpolated_; // from all of V after diffusion
    if (solver_)
        implicit_diffusion(worker_);
    else
        for (int k = 0; k < (again ? last + 1 : last); ++k) {
            tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
                Lap lap(w);
                diffusion_.run(k, from, next_.data(), b, e);
                lap.to(k_diffusion);
            });
            if (k < last)
                take_from_others(diffusion_.written(k));
        }
    if (again) {
        take_from_others(next_.data(), true);
        set_current(next_.data(), second.t_ms, second.dt_ms);
    }
    tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
        Lap lap(w);
        if (!solver_ && !again) {
            diffusion_.run(last, from, next_.data(), b, e);
            lap.to(k_diffusion);
        }
        react(next_.data(), second, b, e);
        lap.to(k_reaction);
        const auto bad = record_.look(v_.data(), next_.data(), t, dt_, threshold_, b, e);
        if (bad >= 0 && (w.bad < 0 || bad < w.bad))
            w.bad = bad;
        lap.to(k_record);
    });
    currents_.advance_parts(step_, pool_);
    v_.swap(next_);
    ++step_;
    ++steps_done_;
}

template <class Real>
void CpuStepper<Real>::quiescent_step()
{
    take_from_others(v_.data(), interpolated_.has_value());
    currents_.set(step_, v_.data());
    set_current(v_.data(), time_ms(), dt_);
    const typename QuiescentSteps<Real>::Tissue t{v_.data(),    next_.data(), states_.shared(),
                                                  type_.data(), current_,     reactions_,
                                                  record_,      time_ms(),    threshold_};
    const auto timed = [&](WorkerTimes& w, auto&& body) {
        Lap lap(w);
        const std::int64_t bad = body();
        if (bad >= 0 && w.bad < 0)
            w.bad = bad;
        lap.to(k_reaction);
    };
    const bool passes = quiescent_->passes_ahead() > 0, first = quiescent_->at() == 0;
    if (first) {
        quiescent_->begin(currents_.steady(step_, quiescent_->longest()));
        tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
            timed(w, [&] { return quiescent_->first(t, b, e); });
        });
        if (passes)
            quiescent_->begin_passes();
    }
    if (quiescent_->at() == 1) // what rests is the same in both buffers from here on
        std::copy(v_.begin(), v_.end(), next_.begin());
    for (int k = 0; k < quiescent_->passes_ahead(); ++k) {
        pool_.for_range(quiescent_->runs(), 1,
                        [&](std::size_t begin, std::size_t end, unsigned worker) {
                            timed(worker_[worker], [&] {
                                quiescent_->pass(k, t, begin, end);
                                return std::int64_t{-1};
                            });
                        });
        take_from_others(diffusion_.written(k));
    }
    if (!first || passes) {
        pool_.for_range(
            quiescent_->runs(), 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
                timed(worker_[worker], [&] { return quiescent_->later(t, begin, end); });
            });
    }
    if (quiescent_->at_last())
        tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
            timed(w, [&] {
                quiescent_->come_to_end(t.next, b, e);
                return std::int64_t{-1};
            });
        });
    quiescent_->end_step();
    v_.swap(next_);
    ++step_;
    ++steps_done_;
}

template <class Real>
void CpuStepper<Real>::newton_step()
{
    if constexpr (std::is_same_v<Real, double>) {
        currents_.set(step_, v_.data());
        const std::int64_t most = currents_.has_parts() ? 1 : newton_->steps.longest();
        newton_->tissue.set_arrays(
            {v_.data(), next_.data(), &states_, type_.data(), currents_.values()});
        newton_->steps.step(newton_->tissue, time_ms(), currents_.steady(step_, most));
        tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
            Lap lap(w);
            const auto bad =
                record_.look(v_.data(), next_.data(), time_ms(), dt_, threshold_, b, e);
            if (bad >= 0 && w.bad < 0)
                w.bad = bad;
            lap.to(k_record);
        });
        currents_.advance_parts(step_, pool_);
        v_.swap(next_);
        ++step_;
        ++steps_done_;
    }
}

template <class Real>
void CpuStepper<Real>::advance(std::int64_t n)
{
    if (!goes_on()) // a failed step is not gone beyond
        return;
    for (std::int64_t i = 0; i < n; ++i) {
        if (quiescent_)
            quiescent_step();
        else if (newton_)
            newton_step();
        else
            one_step();
        if (probes_.size() && step_ % probe_every_ == 0) {
            room_for(sample_steps_, 1); // a row whole, or none of it
            room_for(samples_, probes_.size());
            sample_steps_.push_back(step_);
            for (std::size_t k = 0; k < probes_.size(); ++k)
                samples_.push_back(weighted(probes_, k, v_.data()));
        }
        if (!goes_on())
            return;
    }
}

template <class Real>
bool CpuStepper<Real>::goes_on() const
{
    std::int64_t bad = -1; // the first place, whoever found it
    for (const auto& w : worker_)
        if (w.bad >= 0 && (bad < 0 || w.bad < bad))
            bad = w.bad;
    const bool stops = halo_ != nullptr ? halo_->any(bad >= 0) : bad >= 0;
    if (bad >= 0)
        fail(bad);
    return !stops;
}

template <class Real>
void CpuStepper<Real>::fail(std::int64_t slot) const
{
    const auto group_of = [&](std::int64_t at) {
        std::size_t g = 0;
        while (g + 1 < layout_.begin.size() && at >= layout_.begin[g + 1])
            ++g;
        return g;
    };
    const auto cells_of = [&](std::int64_t at) -> const CellGroup& {
        return groups_[group_of(at)];
    };
    // Strang's second half of the reaction meets what diffusion carried to neighbours of a cell
    // that failed in the first half: that cell is named
    std::int64_t first = 0;
    const auto half_slots =
        half_.empty() ? 0 : static_cast<std::int64_t>(layout_.stepped); // of Strang's alone
    while (first < half_slots && (layout_.old_of[static_cast<std::size_t>(first)] < 0 ||
                                  std::abs(half_[static_cast<std::size_t>(first)]) < 1000))
        ++first;
    const bool in_half = first < half_slots;
    if (in_half)
        slot = first;
    const auto v = [&](std::int64_t at) {
        return static_cast<double>((in_half ? half_ : v_)[static_cast<std::size_t>(at)]);
    };
    const auto tells = [&](std::int64_t at) {
        const CellGroup& g = cells_of(at);
        return !(std::abs(v(at)) < 1000) && !g.reaction &&
               !cell::left_range(g.types.front(), v(at)).empty();
    };
    // diffusion within the step may have carried it to neighbours, and slots without an unknown
    // repeat the cell before them: the cell itself is named
    for (std::int64_t other = 0; other < static_cast<std::int64_t>(layout_.stepped); ++other)
        if (layout_.old_of[static_cast<std::size_t>(other)] >= 0 && tells(other) &&
            (!tells(slot) || layout_.old_of[static_cast<std::size_t>(slot)] < 0))
            slot = other;
    const auto old = std::max<std::int32_t>(layout_.old_of[static_cast<std::size_t>(slot)], 0);
    const CellGroup& group = cells_of(slot);
    const NumericsError at(time_ms(), step_, old, position_[static_cast<std::size_t>(old)], v(slot),
                           model_name(group));
    if (group.reaction)
        throw at;
    cell::fail_in_tissue(at, group.types.front());
}

template class CpuStepper<double>;
template class CpuStepper<float>;

template <class Real>
std::unique_ptr<Stepper> make_cpu_stepper(const TissueProblem& problem, unsigned threads,
                                          const Progress& progress, Halo* halo)
{
    return std::make_unique<CpuStepper<Real>>(problem, threads, progress, halo);
}

template std::unique_ptr<Stepper> make_cpu_stepper<double>(const TissueProblem&, unsigned,
                                                           const Progress&, Halo*);
template std::unique_ptr<Stepper> make_cpu_stepper<float>(const TissueProblem&, unsigned,
                                                          const Progress&, Halo*);

} // namespace tawara::device::cpu
