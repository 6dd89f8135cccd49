// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/quiescent_steps.hpp"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/error.hpp"
#include "engine/device/quiescent_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tawara::device::cpu {
namespace {

constexpr std::int64_t longest_run = 256; ///< slots: what a worker takes at a time

void check(const TissueProblem& p)
{
    const auto refuse = [](const std::string& why) {
        throw InputError("", "/reaction/rest_tolerance_mV",
                         "needs " + why + "; leave rest_tolerance_mV out (or set 0)");
    };
    for (const auto& g : p.groups)
        if (g.reaction)
            refuse("compiled models of cells, not " + model_name(g));
    if (needs_solver(p) || p.stepping == Stepping::newton)
        refuse("explicit diffusion and lumped mass");
    if (p.splitting != Splitting::godunov)
        refuse("godunov splitting");
    if (p.dt_ms * 2 > p.longest_quiescent_ms * (1 + 1e-9))
        refuse("time steps of at most " + std::to_string(p.longest_quiescent_ms / 2) + " ms");
}

/// Potentials and states of some slots, copied; grows, and is a thread's own.
template <class Real>
struct Copy
{
    std::size_t room = 0;
    AlignedVector<Real> v;
    std::vector<AlignedVector<Real>> states;
    std::vector<Real*> pointers;
    void fit(std::size_t count, std::size_t n)
    {
        if (n > room || count > states.size()) {
            room = std::max(room, (n + 15) / 16 * 16);
            v.assign(room, Real(0));
            states.assign(std::max(count, states.size()), AlignedVector<Real>(room, Real(0)));
            pointers.clear();
            for (auto& s : states)
                pointers.push_back(s.data());
        }
    }
};

} // namespace

template <class Real>
QuiescentSteps<Real>::QuiescentSteps(const TissueProblem& p, const Layout& layout,
                                     DiffusionStep<Real>& diffusion)
    : layout_(layout), diffusion_(diffusion), dt_(p.dt_ms), tolerance_(p.rest_tolerance_mV)
{
    check(p);
    longest_ = static_cast<int>(p.longest_quiescent_ms * (1 + 1e-9) / p.dt_ms);
    rates_ = diffusion.rates();
    moving_.assign((layout.slots() + slice - 1) / slice, 0);
    ends_.assign(layout.slots(), Real(0));
    for (const auto& g : p.groups) {
        const auto system = cell::compiler::system_of(g.types);
        const auto scheme =
            cell::compiler::scheme_of_long_steps(*system, g.scheme, p.longest_quiescent_ms);
        long_kernels_.push_back(cell::make_cpu_kernel<Real>(g.types, scheme, p.table_step_mV));
        states_.push_back(g.types.at(0).initial.size() - 1);
    }
}

template <class Real>
void QuiescentSteps<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    long_kernels_.at(group)->set_types(types);
}

template <class Real>
void QuiescentSteps<Real>::begin(std::int64_t steady)
{
    length_ = static_cast<int>(std::min<std::int64_t>(longest_, steady));
}

template <class Real>
void QuiescentSteps<Real>::short_step(const Tissue& t, std::size_t group, std::int64_t begin,
                                      std::int64_t end) const
{
    cell::CellArrays<Real> a;
    a.v = t.next;
    a.states = t.states;
    a.type = t.type;
    a.stimulus = t.stimulus;
    a.begin = static_cast<std::size_t>(begin);
    a.end = static_cast<std::size_t>(end);
    t.reactions[group]->advance({a, nullptr}, {0, 0, t.t_ms, dt_});
}

template <class Real>
std::int64_t QuiescentSteps<Real>::look(const Tissue& t, std::int64_t begin, std::int64_t end,
                                        bool long_ones, bool short_ones) const
{
    std::int64_t bad = -1;
    const auto part = [&](std::int64_t from, std::int64_t to, bool quiescent) {
        if (quiescent ? !long_ones : !short_ones)
            return;
        const auto b = t.record.look(t.x, t.next, t.t_ms, quiescent ? length_ * dt_ : dt_,
                                     t.threshold_mV, from, to);
        bad = bad < 0 ? b : bad;
    };
    for (auto from = begin; from < end;) { // rows of slots that do the same
        auto to = from + 1;
        while (to < end && rests(to) == rests(from))
            ++to;
        part(from, to, rests(from));
        from = to;
    }
    return bad;
}

template <class Real>
std::int64_t QuiescentSteps<Real>::first(const Tissue& t, std::int64_t begin, std::int64_t end)
{
    std::int64_t bad = -1;
    for (std::size_t g = 0; g < long_kernels_.size(); ++g) {
        const auto from = std::max(begin, layout_.begin[g]), to = std::min(end, layout_.end[g]);
        if (from < to) {
            const auto b = first_of_group(t, g, from, to);
            bad = bad < 0 ? b : bad;
        }
    }
    return bad;
}

template <class Real>
std::int64_t QuiescentSteps<Real>::first_of_group(const Tissue& t, std::size_t g,
                                                  std::int64_t begin, std::int64_t end)
{
    const auto n = static_cast<std::size_t>(end - begin);
    const auto tolerance = static_cast<Real>(tolerance_), length = static_cast<Real>(length_);
    diffusion_.flow(t.x, t.next, begin, end);
    thread_local Copy<Real> copy;
    copy.fit(states_[g], n);
    const auto long_flow = [&](std::int64_t slot) {
        return length * t.next[slot] /
               std::max(Real(1), length * rates_[static_cast<std::size_t>(slot)]);
    };
    for (auto slot = begin; slot < end; ++slot)
        copy.v[static_cast<std::size_t>(slot - begin)] = t.x[slot] + long_flow(slot);
    for (std::size_t s = 0; s < states_[g]; ++s)
        std::copy(t.states[s] + begin, t.states[s] + end, copy.pointers[s]);
    cell::CellArrays<Real> a;
    a.v = copy.v.data();
    a.states = copy.pointers.data();
    a.type = t.type + begin;
    a.stimulus = t.stimulus ? t.stimulus + begin : nullptr;
    a.end = n;
    long_kernels_[g]->step(a, t.t_ms, length_ * dt_);

    for (auto from = begin; from < end; from += slice) {
        std::uint16_t moving = 0;
        for (auto slot = from; slot < std::min(from + slice, end); ++slot) {
            const Real change = copy.v[static_cast<std::size_t>(slot - begin)] - t.x[slot];
            const Real whole = length * t.next[slot], lost = whole - long_flow(slot);
            if (!(std::abs(whole) <= tolerance && std::abs(change) <= tolerance &&
                  std::abs(lost) <=
                      static_cast<Real>(TissueProblem::most_lost_at_rest) * tolerance))
                moving |= static_cast<std::uint16_t>(1U << (slot - from));
        }
        moving_[static_cast<std::size_t>(from / slice)] = moving;
    }
    const bool apart = passes_ahead() > 0; // what moves takes its passes after all have decided
    for (auto slot = begin; slot < end && !apart; ++slot)
        t.next[slot] += t.x[slot];
    for (auto from = begin; from < end && !apart;) { // slices with moving slots take the short step
        auto to = from;
        while (to < end && moving_[static_cast<std::size_t>(to / slice)])
            to += slice;
        if (to > from)
            short_step(t, g, from, std::min(to, end));
        from = std::max(to, from + slice);
    }
    for (auto slot = begin; slot < end; ++slot) // and all others what the long one gave
        if (rests(slot)) {
            const auto k = static_cast<std::size_t>(slot - begin);
            t.next[slot] = copy.v[k];
            for (std::size_t s = 0; s < states_[g]; ++s)
                t.states[s][slot] = copy.states[s][k];
        }
    const auto bad = look(t, begin, end, true, !apart);
    for (auto slot = begin; slot < end; ++slot)
        if (rests(slot)) {
            ends_[static_cast<std::size_t>(slot)] = t.next[slot];
            if (length_ > 1)
                t.next[slot] = (t.x[slot] + t.next[slot]) / 2;
            diffusion_.keep(slot, t.next[slot]);
        }
    return bad;
}

template <class Real>
void QuiescentSteps<Real>::come_to_end(Real* next, std::int64_t begin, std::int64_t end) const
{
    for (std::size_t g = 0; g < long_kernels_.size(); ++g)
        for (auto slot = std::max(begin, layout_.begin[g]); slot < std::min(end, layout_.end[g]);
             ++slot)
            if (rests(slot))
                next[slot] = ends_[static_cast<std::size_t>(slot)];
}

template <class Real>
void QuiescentSteps<Real>::pass(int k, const Tissue& t, std::size_t begin, std::size_t end)
{
    for (std::size_t r = begin; r < end; ++r) {
        const Run& run = runs_[r];
        diffusion_.run(k, t.x, t.next, run.begin, run.end);
        for (auto slot = run.begin; slot < run.end; ++slot)
            if (rests(slot))
                diffusion_.keep(slot, at_ == 0 ? t.next[slot] : t.x[slot]);
    }
}

template <class Real>
std::int64_t QuiescentSteps<Real>::later(const Tissue& t, std::size_t begin, std::size_t end)
{
    std::int64_t bad = -1;
    thread_local Copy<Real> copy;
    for (std::size_t k = begin; k < end; ++k) {
        const Run& run = runs_[k];
        const std::size_t count = states_[run.group];
        copy.fit(count, static_cast<std::size_t>(longest_run));
        const auto at = [&](std::int64_t slot) {
            return static_cast<std::size_t>(slot - run.begin);
        };
        const Real* resting = at_ == 0 ? t.next : t.x; // V of slots at rest
        for (auto slot = run.begin; slot < run.end; ++slot)
            copy.v[at(slot)] = resting[slot];
        diffusion_.run(passes_ahead(), t.x, t.next, run.begin, run.end);
        for (auto slot = run.begin; slot < run.end; ++slot)
            for (std::size_t s = 0; s < count && rests(slot); ++s)
                copy.states[s][at(slot)] = t.states[s][slot];
        short_step(t, run.group, run.begin, run.end);
        for (auto slot = run.begin; slot < run.end; ++slot)
            if (rests(slot)) {
                t.next[slot] = copy.v[at(slot)];
                for (std::size_t s = 0; s < count; ++s)
                    t.states[s][slot] = copy.states[s][at(slot)];
            }
        const auto b = look(t, run.begin, run.end, false, true);
        bad = bad < 0 ? b : bad;
    }
    return bad;
}

template <class Real>
void QuiescentSteps<Real>::list_runs()
{
    runs_.clear();
    for (std::size_t g = 0; g < long_kernels_.size(); ++g)
        for (auto from = layout_.begin[g]; from < layout_.end[g]; from += slice) {
            if (!moving_[static_cast<std::size_t>(from / slice)])
                continue;
            const auto to = std::min(from + slice, layout_.end[g]);
            if (!runs_.empty() && runs_.back().group == g && runs_.back().end == from &&
                to - runs_.back().begin <= longest_run)
                runs_.back().end = to;
            else
                runs_.push_back({from, to, g});
        }
}

template <class Real>
void QuiescentSteps<Real>::end_step()
{
    if (at_ == 0) {
        list_runs();
        cells_stepped_ += static_cast<double>(layout_.stepped);
        for (const Run& r : runs_)
            if (passes_ahead() > 0)
                cells_stepped_ += static_cast<double>(r.end - r.begin);
    }
    ++steps_;
    for (const Run& r : runs_) {
        cells_stepped_ += static_cast<double>(r.end - r.begin);
        moved_ += static_cast<double>(r.end - r.begin);
    }
    at_ = (at_ + 1) % length_;
}

template <class Real>
std::vector<double> QuiescentSteps<Real>::snapshot() const
{
    if (at_ == 0)
        return {};
    QuiescentState out(at_, length_, layout_.new_of.size());
    for (std::size_t u = 0; u < layout_.new_of.size(); ++u) {
        const auto slot = layout_.new_of[u];
        out.rests[u] = rests(slot) ? 1 : 0;
        if (rests(slot))
            out.end_mV[u] = static_cast<double>(ends_[static_cast<std::size_t>(slot)]);
    }
    return out.packed();
}

template <class Real>
void QuiescentSteps<Real>::restore(const Snapshot& s, const Real* v)
{
    at_ = 0, length_ = 1;
    std::fill(moving_.begin(), moving_.end(), std::uint16_t(0));
    std::fill(ends_.begin(), ends_.end(), Real(0));
    if (!s.quiescent.empty()) {
        const QuiescentState q(s.quiescent, s.v);
        at_ = q.done;
        length_ = q.length;
        for (std::size_t u = 0; u < layout_.new_of.size(); ++u) {
            const auto slot = static_cast<std::size_t>(layout_.new_of[u]);
            ends_[slot] = static_cast<Real>(q.end_mV[u]);
            if (q.rests[u] == 0)
                moving_[slot / slice] |= static_cast<std::uint16_t>(1U << (slot % slice));
        }
        for (std::size_t slot = 0; slot < layout_.slots(); ++slot)
            diffusion_.keep(static_cast<std::int64_t>(slot), v[slot]);
    }
    list_runs();
}

template class QuiescentSteps<double>;
template class QuiescentSteps<float>;

} // namespace tawara::device::cpu
