// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cpu/cpu_stepper.hpp"

#include "engine/cell/cell_error.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/cpu/activation.hpp"
#include "engine/device/cpu/diffusion_step.hpp"
#include "engine/device/cpu/resting.hpp"
#include "engine/device/snapshot_check.hpp"
#include "engine/diffusion/implicit.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

namespace tawara::device::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Slots that one worker takes through diffusion, reaction and record before the next ones: 1024
/// cells of 19 double states are 156 kB, which the second-level cache holds.
constexpr std::int64_t tile = 1024;

/// Unknowns for a thread of its own, where their number is free: a step of them takes some 70 us,
/// several times what waiting for each other costs.
constexpr std::size_t unknowns_per_thread = 2048;

enum Kernel { k_diffusion, k_reaction, k_record, kernel_count };

/// Wall time per kernel of one worker, in a cache line of its own.
struct alignas(64) WorkerTimes
{
    double seconds[kernel_count] = {};
    std::int64_t bad = -1;
};

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

template <class Real>
class CpuStepper final : public Stepper
{
  public:
    CpuStepper(const TissueProblem& p, unsigned threads, const Progress& progress);

    void advance(std::int64_t n) override;
    std::int64_t step() const override { return step_; }
    double dt_ms() const override { return dt_; }
    std::size_t add_stimulus(StimulusSource source) override;
    void remove_stimulus(std::size_t id) override { sources_.at(id).unknowns = {}; }
    void set_types(std::size_t group, std::span<const cell::CellType> types) override;
    void set_probes(Gather probes, std::int64_t every_steps) override;
    void take_samples(std::vector<std::int64_t>& steps, std::vector<double>& samples) override;
    void set_display(Gather display) override { display_ = to_slots(std::move(display)); }
    void display(std::span<float> out) override;
    void potential(std::span<double> out) const override;
    void state(std::size_t state, std::span<double> out) const override;
    Maps maps() const override;
    Snapshot snapshot() const override;
    void restore(const Snapshot& s) override;
    std::vector<KernelRecord> kernels() const override;
    std::string device() const override;
    unsigned threads() const override { return pool_.size(); }
    double share_at_rest() const override;

  private:
    using Arrays = cell::CellArrays<Real>;
    Gather to_slots(Gather g) const;
    double weighted(const Gather& g, std::size_t k) const;
    bool fill_stimulus();
    void one_step();
    void resting_step();
    std::int64_t steady(std::int64_t most) const;
    void implicit_diffusion(std::vector<WorkerTimes>& times);
    void react(Real* v, double t_ms, double dt_ms, std::int64_t begin, std::int64_t end) const;
    template <class Body>
    void tiles(Body body);
    /// NaN in the slots of unknowns without cells.
    template <class Values>
    void without_cells_from(Values& values) const
    {
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(layout_.stepped), values.end(),
                  std::numeric_limits<typename Values::value_type>::quiet_NaN());
    }
    void fail(std::int64_t slot) const;
    void initial_state(const TissueProblem& p);

    ThreadPool pool_;
    Layout layout_;
    std::vector<Vec3> position_;
    std::vector<CellGroup> groups_;
    double dt_, threshold_;
    Splitting splitting_;
    DiffusionStep<Real> diffusion_;
    std::unique_ptr<diffusion::ImplicitSolver> solver_; ///< consistent mass or implicit stepping
    std::vector<double> solver_v_;
    AlignedVector<Real> v_, next_, half_;
    std::vector<AlignedVector<Real>> states_;
    std::vector<Real*> state_pointers_;
    AlignedVector<std::uint8_t> type_;
    std::vector<std::size_t> group_states_;
    std::vector<std::unique_ptr<cell::CpuKernel<Real>>> kernels_;
    AlignedVector<Real> stimulus_;
    bool stimulated_ = false;
    std::vector<StimulusSource> sources_;
    Gather probes_, display_;
    std::int64_t probe_every_ = 1, step_ = 0, steps_done_ = 0;
    std::int64_t iterations_done_ = 0; ///< of the solver
    std::vector<std::int64_t> sample_steps_;
    std::vector<double> samples_;
    ActivationRecord<Real> record_;
    std::optional<Resting<Real>> resting_;
    std::vector<WorkerTimes> worker_;
};

template <class Real>
CpuStepper<Real>::CpuStepper(const TissueProblem& p, unsigned threads, const Progress& progress)
    : pool_(threads_for(threads, p.with_cells(), unknowns_per_thread)), layout_((progress.at(0, "ordering unknowns"), make_layout(p))),
      position_(p.position_mm), groups_(p.groups), dt_(p.dt_ms),
      threshold_(p.activation_threshold_mV), splitting_(p.splitting), diffusion_(p, layout_),
      record_(layout_), worker_(pool_.size())
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
        resting_.emplace(p, layout_, diffusion_);
    initial_state(p);
}

template <class Real>
void CpuStepper<Real>::initial_state(const TissueProblem& p)
{
    const std::size_t slots = layout_.slots();
    v_.assign(slots, Real(0));
    next_.assign(slots, Real(0));
    stimulus_.assign(slots, Real(0));
    type_.assign(slots, 0);
    std::size_t most = 0;
    for (const auto& g : p.groups) {
        const std::size_t states = g.types.at(0).initial.size() - 1;
        group_states_.push_back(states);
        kernels_.push_back(cell::make_cpu_kernel<Real>(g.types, g.scheme, p.table_step_mV));
        most = std::max(most, states);
    }
    states_.assign(most, AlignedVector<Real>(slots, Real(0)));
    for (auto& s : states_)
        state_pointers_.push_back(s.data());
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
        const auto last =
            static_cast<std::int64_t>(g + 1 < p.groups.size()
                                          ? static_cast<std::size_t>(layout_.begin[g + 1])
                                          : layout_.stepped);
        for (auto slot = layout_.begin[g]; slot < last; ++slot) {
            const auto i = static_cast<std::size_t>(slot);
            const auto old = layout_.old_of[i];
            type_[i] = old < 0 ? std::uint8_t(0) : p.type[static_cast<std::size_t>(old)];
            const auto& initial = p.groups[g].types[type_[i]].initial;
            v_[i] = static_cast<Real>(initial[0]);
            for (std::size_t s = 1; s < initial.size(); ++s)
                states_[s - 1][i] = static_cast<Real>(initial[s]);
        }
    }
    without_cells_from(v_);
    next_ = v_;
    if (splitting_ == Splitting::strang)
        half_ = v_;
}

template <class Real>
template <class Body>
void CpuStepper<Real>::tiles(Body body)
{
    pool_.for_range(layout_.stepped, static_cast<std::size_t>(tile),
                    [&](std::size_t begin, std::size_t end, unsigned worker) {
                        for (auto b = static_cast<std::int64_t>(begin);
                             b < static_cast<std::int64_t>(end); b += tile)
                            body(b, std::min(b + tile, static_cast<std::int64_t>(end)),
                                 worker_[worker]);
                    });
}

template <class Real>
bool CpuStepper<Real>::fill_stimulus()
{
    if (stimulated_)
        std::fill(stimulus_.begin(), stimulus_.end(), Real(0));
    stimulated_ = false;
    for (const auto& s : sources_) {
        const double part = s.unknowns.empty() ? 0 : s.overlap(time_ms(), dt_);
        if (part == 0)
            continue;
        stimulated_ = true;
        for (auto u : s.unknowns)
            stimulus_[static_cast<std::size_t>(layout_.new_of[static_cast<std::size_t>(u)])] +=
                static_cast<Real>(part * s.amplitude_pA_per_pF);
    }
    return stimulated_;
}

template <class Real>
void CpuStepper<Real>::react(Real* v, double t_ms, double dt_ms, std::int64_t begin,
                             std::int64_t end) const
{
    for (std::size_t g = 0; g < kernels_.size(); ++g) {
        Arrays a;
        a.begin = static_cast<std::size_t>(std::max(begin, layout_.begin[g]));
        a.end = static_cast<std::size_t>(std::min(end, layout_.end[g]));
        if (a.begin >= a.end)
            continue;
        a.v = v;
        a.states = state_pointers_.data();
        a.type = type_.data();
        a.stimulus = stimulated_ ? stimulus_.data() : nullptr;
        kernels_[g]->step(a, t_ms, dt_ms);
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
void CpuStepper<Real>::one_step()
{
    const double t = time_ms();
    fill_stimulus();
    const bool strang = splitting_ == Splitting::strang;
    if (strang)
        tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
            Lap lap(w);
            std::copy(v_.data() + b, v_.data() + e, half_.data() + b);
            react(half_.data(), t, dt_ / 2, b, e);
            lap.to(k_reaction);
        });
    const Real* from = strang ? half_.data() : v_.data();
    const int last = diffusion_.passes() - 1;
    if (solver_)
        implicit_diffusion(worker_);
    else
        for (int k = 0; k < last; ++k)
            tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
                Lap lap(w);
                diffusion_.run(k, from, next_.data(), b, e);
                lap.to(k_diffusion);
            });
    tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
        Lap lap(w);
        if (!solver_) {
            diffusion_.run(last, from, next_.data(), b, e);
            lap.to(k_diffusion);
        }
        react(next_.data(), strang ? t + dt_ / 2 : t, strang ? dt_ / 2 : dt_, b, e);
        lap.to(k_reaction);
        const auto bad = record_.look(v_.data(), next_.data(), t, dt_, threshold_, b, e);
        if (bad >= 0 && w.bad < 0)
            w.bad = bad;
        lap.to(k_record);
    });
    v_.swap(next_);
    ++step_;
    ++steps_done_;
}

/// Steps from here, at most `most`, over which every stimulus stays as it is.
template <class Real>
std::int64_t CpuStepper<Real>::steady(std::int64_t most) const
{
    for (std::int64_t n = 1; n < most; ++n)
        for (const auto& s : sources_)
            if (!s.unknowns.empty() &&
                s.overlap(static_cast<double>(step_ + n) * dt_, dt_) != s.overlap(time_ms(), dt_))
                return n;
    return most;
}

template <class Real>
void CpuStepper<Real>::resting_step()
{
    fill_stimulus();
    const typename Resting<Real>::Tissue t{v_.data(),
                                           next_.data(),
                                           state_pointers_.data(),
                                           type_.data(),
                                           stimulated_ ? stimulus_.data() : nullptr,
                                           kernels_,
                                           record_,
                                           time_ms(),
                                           threshold_};
    const auto timed = [&](WorkerTimes& w, auto&& body) {
        Lap lap(w);
        const std::int64_t bad = body();
        if (bad >= 0 && w.bad < 0)
            w.bad = bad;
        lap.to(k_reaction);
    };
    if (resting_->at() == 0) {
        resting_->begin(steady(resting_->longest()));
        tiles([&](std::int64_t b, std::int64_t e, WorkerTimes& w) {
            timed(w, [&] { return resting_->first(t, b, e); });
        });
    } else {
        if (resting_->at() == 1) // what rests is the same in both buffers from here on
            std::copy(v_.begin(), v_.end(), next_.begin());
        pool_.for_range(resting_->runs(), 1,
                        [&](std::size_t begin, std::size_t end, unsigned worker) {
                            timed(worker_[worker], [&] { return resting_->later(t, begin, end); });
                        });
    }
    resting_->end_step();
    v_.swap(next_);
    ++step_;
    ++steps_done_;
}

template <class Real>
void CpuStepper<Real>::advance(std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) {
        if (resting_)
            resting_step();
        else
            one_step();
        if (probes_.size() && step_ % probe_every_ == 0) {
            sample_steps_.push_back(step_);
            for (std::size_t k = 0; k < probes_.size(); ++k)
                samples_.push_back(weighted(probes_, k));
        }
        for (const auto& w : worker_)
            if (w.bad >= 0)
                fail(w.bad);
    }
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
    const auto type_of = [&](std::int64_t at) -> const cell::CellType& {
        return groups_[group_of(at)].types.front();
    };
    const auto v = [&](std::int64_t at) {
        return static_cast<double>(v_[static_cast<std::size_t>(at)]);
    };
    const auto tells = [&](std::int64_t at) {
        return !(std::abs(v(at)) < 1000) && !cell::left_range(type_of(at), v(at)).empty();
    };
    // diffusion within the step may have carried it to neighbours, and slots without an unknown
    // repeat the cell before them: the cell itself is named
    for (std::int64_t other = 0; other < std::ssize(v_); ++other)
        if (layout_.old_of[static_cast<std::size_t>(other)] >= 0 && tells(other) &&
            (!tells(slot) || layout_.old_of[static_cast<std::size_t>(slot)] < 0))
            slot = other;
    const auto old = std::max<std::int32_t>(layout_.old_of[static_cast<std::size_t>(slot)], 0);
    const auto& type = type_of(slot);
    cell::fail_in_tissue(
        {time_ms(), step_, old, position_[static_cast<std::size_t>(old)], v(slot), type.model},
        type);
}

template <class Real>
std::size_t CpuStepper<Real>::add_stimulus(StimulusSource source)
{
    for (std::size_t k = 0; k < sources_.size(); ++k) // reuse the place of one that is over
        if (sources_[k].unknowns.empty()) {
            sources_[k] = std::move(source);
            return k;
        }
    sources_.push_back(std::move(source));
    return sources_.size() - 1;
}

template <class Real>
void CpuStepper<Real>::set_types(std::size_t group, std::span<const cell::CellType> types)
{
    check_types(groups_.at(group), types);
    groups_[group].types.assign(types.begin(), types.end());
    kernels_[group]->set_types(types);
    if (resting_)
        resting_->set_types(group, types);
}

template <class Real>
Gather CpuStepper<Real>::to_slots(Gather g) const
{
    for (auto& u : g.unknown)
        u = layout_.new_of.at(static_cast<std::size_t>(u));
    return g;
}

template <class Real>
double CpuStepper<Real>::weighted(const Gather& g, std::size_t k) const
{
    double sum = 0;
    for (auto i = static_cast<std::size_t>(g.first[k]);
         i < static_cast<std::size_t>(g.first[k + 1]); ++i)
        sum += static_cast<double>(g.weight[i]) *
               static_cast<double>(v_[static_cast<std::size_t>(g.unknown[i])]);
    return sum;
}

template <class Real>
void CpuStepper<Real>::set_probes(Gather probes, std::int64_t every_steps)
{
    probes_ = to_slots(std::move(probes));
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
                            out[k] = static_cast<float>(weighted(display_, k));
                    });
}

template <class Real>
void CpuStepper<Real>::potential(std::span<double> out) const
{
    for (std::size_t u = 0; u < layout_.new_of.size() && u < out.size(); ++u)
        out[u] = static_cast<double>(v_[static_cast<std::size_t>(layout_.new_of[u])]);
}

template <class Real>
void CpuStepper<Real>::state(std::size_t state, std::span<double> out) const
{
    const auto& values = states_.at(state - 1);
    for (std::size_t u = 0; u < layout_.new_of.size() && u < out.size(); ++u)
        out[u] = static_cast<double>(values[static_cast<std::size_t>(layout_.new_of[u])]);
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
    for (const auto& state : states_)
        s.states.push_back(in_mesh_order(state));
    s.activation_ms = in_mesh_order(record_.activation_ms);
    s.repolarisation_ms = in_mesh_order(record_.repolarisation_ms);
    s.peak_mV = in_mesh_order(record_.peak_mV);
    s.rest_mV = in_mesh_order(record_.rest_mV);
    if (resting_)
        s.resting = resting_->snapshot();
    return s;
}

template <class Real>
void CpuStepper<Real>::restore(const Snapshot& s)
{
    check_shape(s, {layout_.new_of.size(), states_.size(), resting_ ? resting_->longest() : 0});
    auto from_mesh_order = [&](const std::vector<double>& values, auto& to) {
        using Value = typename std::remove_reference_t<decltype(to)>::value_type;
        for (std::size_t u = 0; u < values.size(); ++u)
            to[static_cast<std::size_t>(layout_.new_of[u])] = static_cast<Value>(values[u]);
    };
    step_ = s.step;
    from_mesh_order(s.v, v_);
    for (std::size_t k = 0; k < states_.size(); ++k)
        from_mesh_order(s.states[k], states_[k]);
    from_mesh_order(s.activation_ms, record_.activation_ms);
    from_mesh_order(s.repolarisation_ms, record_.repolarisation_ms);
    from_mesh_order(s.peak_mV, record_.peak_mV);
    from_mesh_order(s.rest_mV, record_.rest_mV);
    without_cells_from(v_);
    without_cells_from(record_.activation_ms);
    without_cells_from(record_.repolarisation_ms);
    if (resting_) {
        next_ = v_;
        resting_->restore(s.resting);
    }
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
    const auto steps = resting_ ? resting_->cells_stepped() / static_cast<double>(layout_.stepped)
                                : static_cast<double>(steps_done_);
    double reaction_bytes = 0, reaction_flops = 0;
    for (std::size_t g = 0; g < kernels_.size(); ++g) {
        const auto cells = static_cast<double>(layout_.end[g] - layout_.begin[g]);
        reaction_bytes +=
            cells * (2.0 * sizeof(Real) * static_cast<double>(group_states_[g] + 1) + 1);
        reaction_flops += cells * kernels_[g]->flops_per_cell();
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
    if (resting_) { // each worker takes its slots through all three at once
        out[0].name = "diffusion, reaction and record";
        for (int k = 1; k < kernel_count; ++k) {
            out[0].ms += out[static_cast<std::size_t>(k)].ms;
            out[0].bytes += out[static_cast<std::size_t>(k)].bytes;
            out[0].flops += out[static_cast<std::size_t>(k)].flops;
        }
        out.resize(1);
    }
    return out;
}

template <class Real>
double CpuStepper<Real>::share_at_rest() const
{
    return resting_ ? resting_->share_at_rest() : 0;
}

template <class Real>
std::string CpuStepper<Real>::device() const
{
    return "CPU, " + std::to_string(pool_.size()) +
           (pool_.size() == 1 ? " thread, " : " threads, ") +
           (kernels_.empty() ? vector_target() : kernels_.front()->target());
}

} // namespace

template <class Real>
std::unique_ptr<Stepper> make_cpu_stepper(const TissueProblem& problem, unsigned threads,
                                          const Progress& progress)
{
    return std::make_unique<CpuStepper<Real>>(problem, threads, progress);
}

template std::unique_ptr<Stepper> make_cpu_stepper<double>(const TissueProblem&, unsigned,
                                                           const Progress&);
template std::unique_ptr<Stepper> make_cpu_stepper<float>(const TissueProblem&, unsigned,
                                                          const Progress&);

} // namespace tawara::device::cpu
