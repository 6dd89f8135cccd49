// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/step/run.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

namespace tawara::cable {
namespace {

/// A block of copies with what is kept of it.
template <class Real>
class Watched
{
  public:
    Watched(RunningCables<Real>& of, std::size_t cable, std::size_t block, double spike_mV)
        : of_(of), cable_(cable), block_(block), spike_mV_(spike_mV)
    {
        std::tie(begin_, end_) = of.cables.block(block);
        before_ = potentials();
    }

    std::vector<NodeCurrent> currents(std::int64_t step) const
    {
        std::vector<NodeCurrent> out;
        const auto& c = of_.cables;
        const double middle = (static_cast<double>(step) + 0.5) * c.description().dt_ms;
        for (const auto& p : of_.pulses)
            for (auto k = begin_; k < end_ && p.on(middle); ++k)
                out.push_back({p.node, p.height_nA(k, c.copies()), 0, k});
        return out;
    }
    /// After a step.
    void look(std::int64_t step)
    {
        const double dt = of_.cables.description().dt_ms;
        auto now = potentials();
        for (std::size_t k = 0; k < now.size(); ++k)
            if (before_[k] < spike_mV_ && now[k] >= spike_mV_) {
                const double share = (spike_mV_ - before_[k]) / (now[k] - before_[k]);
                spikes_.push_back({cable_, begin_ + k / of_.probes.size(), k % of_.probes.size(),
                                   (static_cast<double>(step) + share) * dt});
            }
        before_ = std::move(now);
    }
    /// Adds V to the traces of the copies that are traced.
    void sample(std::vector<std::vector<std::vector<float>>>& traces, std::size_t at) const
    {
        for (auto copy = begin_; copy < std::min(end_, traces.size()); ++copy)
            for (std::size_t p = 0; p < of_.probes.size(); ++p)
                traces[copy][p][at] = static_cast<float>(of_.cables.potential(of_.probes[p], copy));
    }
    void step(std::int64_t at) { of_.cables.advance_block(block_, at, currents(at)); }

    RunningCables<Real>& of() { return of_; }
    std::size_t cable() const { return cable_; }
    std::vector<Spike> spikes() { return std::move(spikes_); }

  private:
    std::vector<double> potentials() const
    {
        std::vector<double> v;
        for (auto copy = begin_; copy < end_; ++copy)
            for (const auto p : of_.probes)
                v.push_back(of_.cables.potential(p, copy));
        return v;
    }

    RunningCables<Real>& of_;
    std::size_t cable_, block_, begin_ = 0, end_ = 0;
    double spike_mV_;
    std::vector<double> before_;
    std::vector<Spike> spikes_;
};

template <class Real>
class Runner
{
  public:
    Runner(std::vector<RunningCables<Real>>& cables, const CablesRunOptions& o, const Progress& p)
        : cables_(cables), o_(o), progress_(p), pool_(std::max(1U, p.context.threads))
    {
        dt_ = cables.at(0).cables.description().dt_ms;
        for (const auto& c : cables)
            if (c.cables.description().dt_ms != dt_ || c.cables.step() != cables[0].cables.step())
                throw Error("cables of one run have one time step and begin together");
        first_ = cables[0].cables.step();
        steps_ = static_cast<std::int64_t>(std::ceil(o.end_ms / dt_ - 1e-9));
        every_ = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::llround(o.sample_every_ms / dt_)));
        for (std::size_t c = 0; c < cables.size(); ++c)
            for (std::size_t b = 0; b < cables[c].cables.blocks(); ++b)
                blocks_.emplace_back(cables[c], c, b, o.spike_mV);
    }

    CablesRunResult run()
    {
        make_room();
        const auto start = std::chrono::steady_clock::now();
        std::int64_t at = first_;
        const auto end = first_ + steps_;
        while (at < end && !progress_.stop.stop_requested()) {
            if (progress_.report)
                progress_.report(static_cast<double>(at - first_) / static_cast<double>(steps_),
                                 "running");
            const auto to = std::min(end, at + window());
            if (blocks_.size() == 1)
                together(at, to);
            else
                apart(at, to);
            at = to;
        }
        result_.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        result_.steps = at - first_;
        result_.stopped = at < end;
        finish(result_.steps);
        return std::move(result_);
    }

  private:
    /// Steps between looks at the clock and the stop: about a millisecond's or more of copies.
    std::int64_t window() const { return std::max<std::int64_t>(1, std::min(every_, most_steps)); }

    void make_room()
    {
        const auto samples = static_cast<std::size_t>(steps_ / every_) + 1;
        for (const auto& c : cables_)
            result_.traces.emplace_back(
                std::min(o_.traced_copies, c.cables.copies()),
                std::vector<std::vector<float>>(c.probes.size(), std::vector<float>(samples)));
        for (auto& b : blocks_)
            b.sample(result_.traces[b.cable()], 0);
    }
    void after(Watched<Real>& b, std::int64_t step)
    {
        b.look(step);
        if (const auto taken = step + 1 - first_; taken % every_ == 0)
            b.sample(result_.traces[b.cable()], static_cast<std::size_t>(taken / every_));
    }
    /// One block: threads share its cells.
    void together(std::int64_t from, std::int64_t to)
    {
        auto& b = blocks_[0];
        for (auto s = from; s < to; ++s) {
            b.of().cables.advance(b.currents(s), pool_);
            after(b, s);
        }
    }
    void apart(std::int64_t from, std::int64_t to)
    {
        pool_.for_range(blocks_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
            for (auto k = begin; k < end; ++k)
                for (auto s = from; s < to; ++s) {
                    blocks_[k].step(s);
                    after(blocks_[k], s);
                }
        });
        for (auto& c : cables_)
            c.cables.end_block_steps(to - from);
    }
    void finish(std::int64_t taken)
    {
        const auto samples = taken / every_ + 1;
        for (std::int64_t k = 0; k < samples; ++k)
            result_.time_ms.push_back(static_cast<double>(first_ + k * every_) * dt_);
        for (auto& cable : result_.traces)
            for (auto& copy : cable)
                for (auto& probe : copy)
                    probe.resize(static_cast<std::size_t>(samples));
        for (auto& b : blocks_) {
            const auto more = b.spikes();
            result_.spikes.insert(result_.spikes.end(), more.begin(), more.end());
        }
        std::stable_sort(result_.spikes.begin(), result_.spikes.end(),
                         [](const Spike& a, const Spike& b) {
                             return std::tuple(a.cable, a.copy, a.probe, a.time_ms) <
                                    std::tuple(b.cable, b.copy, b.probe, b.time_ms);
                         });
    }

    static constexpr std::int64_t most_steps = 200;

    std::vector<RunningCables<Real>>& cables_;
    const CablesRunOptions& o_;
    const Progress& progress_;
    ThreadPool pool_;
    double dt_ = 0;
    std::int64_t first_ = 0, steps_ = 0, every_ = 1;
    std::vector<Watched<Real>> blocks_;
    CablesRunResult result_;
};

} // namespace

bool CurrentPulses::on(double middle_ms) const
{
    double since = middle_ms - start_ms;
    if (period_ms > 0 && since > 0)
        since = std::fmod(since, period_ms);
    return since >= 0 && since < duration_ms;
}

double CurrentPulses::height_nA(std::size_t copy, std::size_t copies) const
{
    return copies < 2 ? nA
                      : nA + (nA_of_last_copy - nA) * static_cast<double>(copy) /
                                 static_cast<double>(copies - 1);
}

template <class Real>
CablesRunResult run_cables(std::vector<RunningCables<Real>>& cables, const CablesRunOptions& o,
                           const Progress& progress)
{
    if (cables.empty())
        throw Error("a run of cables has at least one");
    return Runner<Real>(cables, o, progress).run();
}
template CablesRunResult run_cables(std::vector<RunningCables<double>>&, const CablesRunOptions&,
                                    const Progress&);
template CablesRunResult run_cables(std::vector<RunningCables<float>>&, const CablesRunOptions&,
                                    const Progress&);

} // namespace tawara::cable
