// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/single_cell.hpp"

#include "engine/cell/cell_error.hpp"
#include "engine/cell/compiler/equations/own_stimulus.hpp"
#include "engine/cell/compiler/equations/ranges.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/reference/reference.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

namespace tawara::cell {
namespace {

void check(const SingleCellOptions& o)
{
    const auto positive = [](double x, const char* option) {
        if (!(x > 0) || !std::isfinite(x))
            throw InputError(option, "", "has to be a positive number of milliseconds");
    };
    const auto not_negative = [](double x, const char* option) {
        if (!(x >= 0) || !std::isfinite(x))
            throw InputError(option, "", "has to be 0 or a positive number of milliseconds");
    };
    positive(o.dt_ms, "--dt");
    positive(o.end_ms, "--until");
    not_negative(o.sample_every_ms, "--every");
    not_negative(o.stimulus_duration_ms, "--stimulus duration");
    not_negative(o.stimulus_period_ms, "--bcl");
    if (!std::isfinite(o.stimulus_pA_per_pF) || !std::isfinite(o.stimulus_start_ms))
        throw InputError("--stimulus", "", "amplitude and start have to be finite");
    if (o.table_step_mV != 0 &&
        !(o.table_step_mV >= finest_table_mV && o.table_step_mV <= coarsest_table_mV))
        throw InputError("--tables", "", "has to be a step from 0.001 to 1 mV");
    if (o.table_step_mV != 0 && o.scheme == Scheme::cvode)
        throw InputError("--tables", "",
                         "cvode is the reference and looks nothing up; leave it out");
    if (o.end_ms / o.dt_ms > 1e10)
        throw InputError("--dt", "", "would take more than 1e10 steps; give a larger step");
}

/// The arrays of one cell, padded to a kernel's vector.
template <class Real>
struct OneCell
{
    static constexpr std::size_t width = 16;
    explicit OneCell(const std::vector<double>& initial) : memory((initial.size() + 1) * width)
    {
        for (std::size_t s = 0; s < initial.size(); ++s) {
            pointers.push_back(memory.data + s * width);
            std::fill_n(pointers.back(), width, static_cast<Real>(initial[s]));
        }
        stimulus = memory.data + initial.size() * width;
        std::fill_n(stimulus, width, Real(0));
    }
    struct Memory
    {
        explicit Memory(std::size_t n)
            : data(static_cast<Real*>(::operator new(n * sizeof(Real), std::align_val_t(64))))
        {
        }
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
        ~Memory() { ::operator delete(data, std::align_val_t(64)); }
        Real* data;
    } memory;
    std::vector<Real*> pointers;
    Real* stimulus;
    TypeIndex type[width] = {};
    CellArrays<Real> arrays() { return {pointers[0], pointers.data() + 1, type, stimulus, 0, 1}; }
    double value(std::size_t s) const { return static_cast<double>(pointers[s][0]); }
};

/// Number of the stimulus that is on at time t, or -1.
long stimulus_at(const SingleCellOptions& o, double t)
{
    const double since = t - o.stimulus_start_ms;
    if (since < 0)
        return -1;
    const double beat = o.stimulus_period_ms > 0 ? std::floor(since / o.stimulus_period_ms) : 0;
    if ((o.beats > 0 && beat >= static_cast<double>(o.beats)) ||
        since - beat * o.stimulus_period_ms >= o.stimulus_duration_ms)
        return -1;
    return static_cast<long>(beat);
}

/// Collects what a run gives.
class Recorder
{
  public:
    /// @param paces_ms  when the model's own protocol paces it, ascending
    explicit Recorder(const SingleCellOptions& o, std::vector<double> paces_ms = {})
        : options_(o), paces_ms_(std::move(paces_ms)),
          unpaced_(!o.own_stimulus && o.stimulus_pA_per_pF == 0),
          steps_(std::max(1L, std::lround(o.end_ms / o.dt_ms))),
          every_(o.sample_every_ms > 0 ? std::max(1L, std::lround(o.sample_every_ms / o.dt_ms))
                                       : 0),
          tell_(std::max(1L, std::lround(10 / o.dt_ms)))
    {
        result_.states.resize(o.type.initial.size());
    }

    long steps() const { return steps_; }

    /// Before step k.
    void before(long k)
    {
        const double t = static_cast<double>(k) * options_.dt_ms;
        if (!paces_ms_.empty()) {
            const bool begins =
                next_pace_ < paces_ms_.size() && paces_ms_[next_pace_] <= t + 0.5 * options_.dt_ms;
            if (begins)
                meter_.start_beat(t);
            while (next_pace_ < paces_ms_.size() &&
                   paces_ms_[next_pace_] <= t + 0.5 * options_.dt_ms)
                ++next_pace_;
            return;
        }
        const long on = stimulus_at(options_, t + 0.5 * options_.dt_ms);
        if (on > beat_) {
            meter_.start_beat(t);
            beat_ = on;
        }
    }

    /// After k steps; value(s) is state s.
    /// @return whether the run goes on
    template <class Value>
    bool after(long k, Value&& value)
    {
        taken_ = k;
        const double now = static_cast<double>(k) * options_.dt_ms, v = value(0);
        if (!(std::abs(v) < 1000))
            throw CellNumericsError(now, k, v, options_.type.model, smaller(),
                                    left_range(options_.type, v));
        if (options_.scheme == Scheme::cvode)
            need_ranges(k, value);
        meter_.sample(now, v);
        if (unpaced_ && v > excited_mV && last_mV_ <= excited_mV && std::exchange(fired_, true))
            meter_.start_beat_at_rest();
        last_mV_ = v;
        if (every_ && k % every_ == 0 && now >= options_.sample_from_ms - 0.5 * options_.dt_ms) {
            result_.time_ms.push_back(now);
            for (std::size_t s = 0; s < result_.states.size(); ++s)
                result_.states[s].push_back(value(s));
            need_finite(k, value);
        }
        if (beat_ended(now)) {
            steadiness_.beat(value);
            result_.settled = options_.until_steady && steadiness_.settled();
            if (result_.settled)
                return false;
        }
        if (k == 0 || k % tell_ != 0)
            return true;
        if (options_.progress && !options_.progress(now))
            throw Cancelled();
        result_.stopped = k < steps_ && options_.stop.stop_requested();
        return !result_.stopped;
    }

    template <class Value>
    SingleCellResult finish(Value&& value)
    {
        for (std::size_t s = 0; s < result_.states.size(); ++s)
            result_.final_state.push_back(value(s));
        need_finite(taken_, value);
        result_.beats = meter_.finish();
        result_.steps = taken_;
        result_.drift = steadiness_.drift();
        return std::move(result_);
    }

  private:
    /// Schemes of steps let V tell of concentrations; CVODE's states are looked at.
    template <class Value>
    void need_ranges(long k, Value&& value)
    {
        states_.clear();
        for (std::size_t s = 0; s < result_.states.size(); ++s)
            states_.push_back(value(s));
        if (const auto left = compiler::left_range(*system_, states_); !left.empty())
            throw CellNumericsError(static_cast<double>(k) * options_.dt_ms, k, value(0),
                                    options_.type.model, smaller(), left);
    }

    /// A whole cycle has gone by since the last time, or since the first pulse.
    bool beat_ended(double now_ms)
    {
        if (options_.own_stimulus || unpaced_ || !(options_.stimulus_period_ms > 0))
            return false;
        const double since = now_ms + 0.5 * options_.dt_ms - options_.stimulus_start_ms;
        if (since < static_cast<double>(cycles_ + 1) * options_.stimulus_period_ms)
            return false;
        ++cycles_;
        return true;
    }

    /// V is looked at after each step, the other states where they are kept and at the end.
    template <class Value>
    void need_finite(long k, Value&& value) const
    {
        for (std::size_t s = 0; s < result_.states.size(); ++s)
            if (const double x = value(s); !std::isfinite(x))
                throw CellNumericsError(static_cast<double>(k) * options_.dt_ms, k, value(0),
                                        options_.type.model + ", whose state " +
                                            system_->states[s].full_name + " is " +
                                            (std::isnan(x) ? "no number" : "infinite"),
                                        smaller());
    }

    /// Advice where the step was too long; CVODE chooses its own.
    std::string smaller() const
    {
        return options_.scheme == Scheme::cvode
                   ? ""
                   : "try a smaller step (--dt) or another scheme (--scheme)";
    }

    static constexpr double excited_mV = ActionPotentialMeter::excited_mV;
    const SingleCellOptions& options_;
    std::shared_ptr<const compiler::CellSystem> system_ = compiler::system_of(options_.type);
    std::vector<double> paces_ms_, states_;
    std::size_t next_pace_ = 0;
    bool unpaced_, fired_ = false;
    double last_mV_ = excited_mV;
    long steps_, every_, tell_, beat_ = -1, cycles_ = 0, taken_ = 0;
    ActionPotentialMeter meter_;
    SteadinessMeter steadiness_{options_.type};
    SingleCellResult result_;
};

/// When the protocol of the model's file lets the level rise, for a cell that it paces.
std::vector<double> paces(const compiler::CellSystem& system, const SingleCellOptions& o)
{
    std::vector<double> out;
    if (!o.own_stimulus)
        return out;
    double before = 0;
    for (const double t : compiler::pace_jumps(system.protocol, o.end_ms)) {
        const double level = compiler::pace_level(system.protocol, t);
        if (std::abs(level) > std::abs(before))
            out.push_back(t);
        before = level;
    }
    return out;
}

template <class Real>
SingleCellResult run(const SingleCellOptions& o)
{
    const auto kernel = make_cpu_kernel<Real>(std::span(&o.type, 1), o.scheme, o.table_step_mV);
    const auto system = compiler::system_of(o.type);
    OneCell<Real> cell(o.type.initial);
    Recorder recorder(o, paces(*system, o));
    const auto value = [&](std::size_t s) { return cell.value(s); };
    recorder.after(0, value);
    auto arrays = cell.arrays();
    for (long k = 0; k < recorder.steps(); ++k) {
        recorder.before(k);
        const double t = static_cast<double>(k) * o.dt_ms, middle = t + 0.5 * o.dt_ms;
        const bool on = !o.own_stimulus && stimulus_at(o, middle) >= 0;
        cell.stimulus[0] = static_cast<Real>(on ? o.stimulus_pA_per_pF : 0.0);
        arrays.pace = o.own_stimulus ? compiler::pace_level(system->protocol, middle) : 0;
        kernel->step(arrays, o.own_stimulus ? middle : t, o.dt_ms);
        if (!recorder.after(k + 1, value))
            break;
    }
    auto result = recorder.finish(value);
    result.compile_ms = kernel->compile_ms();
    return result;
}

SingleCellResult run_reference(const SingleCellOptions& o)
{
    const auto system = compiler::system_of(o.type);
    const compiler::Reference reference(*system);
    compiler::ReferenceOptions r;
    if (o.own_stimulus) {
        r.largest_step_ms = 0.2; // a stimulus that is a function of time is not stepped over
    } else {
        r.stimulus = [&](double t) { return stimulus_at(o, t) >= 0 ? o.stimulus_pA_per_pF : 0.0; };
        for (double start = o.stimulus_start_ms; start < o.end_ms; start += o.stimulus_period_ms) {
            r.jumps_ms.push_back(start);
            r.jumps_ms.push_back(start + o.stimulus_duration_ms);
            if (!(o.stimulus_period_ms > 0))
                break;
        }
        std::sort(r.jumps_ms.begin(), r.jumps_ms.end());
    }
    Recorder recorder(o, paces(*system, o));
    std::vector<double> last(o.type.initial);
    const auto value = [&](std::size_t s) { return last[s]; };
    long k = 0;
    reference.run(o.type.parameters, o.type.initial,
                  static_cast<double>(recorder.steps()) * o.dt_ms, o.dt_ms, r,
                  [&](double, std::span<const double> x) {
                      std::copy(x.begin(), x.end(), last.begin());
                      const bool on = recorder.after(k, value);
                      recorder.before(k++);
                      return on;
                  });
    auto result = recorder.finish(value);
    result.compile_ms = reference.compile_ms();
    return result;
}

} // namespace

SingleCellResult run_single_cell(const SingleCellOptions& options)
{
    check(options);
    if (options.scheme == Scheme::cvode && options.single_precision)
        throw InputError("--precision", "", "cvode computes in double precision; leave it out");
    if (options.scheme == Scheme::cvode)
        return run_reference(options);
    return options.single_precision ? run<float>(options) : run<double>(options);
}

} // namespace tawara::cell
