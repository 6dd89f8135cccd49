// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/single_cell.hpp"

#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

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
    std::uint8_t type[width] = {};
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

template <class Real>
SingleCellResult run(const SingleCellOptions& o)
{
    const auto kernel = make_cpu_kernel<Real>(std::span(&o.type, 1), o.scheme);
    OneCell<Real> cell(o.type.initial);
    const std::size_t n_states = o.type.initial.size();
    SingleCellResult result;
    result.states.resize(n_states);
    const long steps = std::max(1L, std::lround(o.end_ms / o.dt_ms));
    const long every =
        o.sample_every_ms > 0 ? std::max(1L, std::lround(o.sample_every_ms / o.dt_ms)) : 0;
    const long tell = std::max(1L, std::lround(10 / o.dt_ms));
    ActionPotentialMeter meter;
    const auto keep = [&](double t) {
        if (t < o.sample_from_ms - 0.5 * o.dt_ms)
            return;
        result.time_ms.push_back(t);
        for (std::size_t s = 0; s < n_states; ++s)
            result.states[s].push_back(cell.value(s));
    };
    if (every)
        keep(0);
    meter.sample(0, cell.value(0));
    long beat = -1;
    for (long k = 0; k < steps; ++k) {
        const double t = static_cast<double>(k) * o.dt_ms;
        const long on = stimulus_at(o, t + 0.5 * o.dt_ms);
        if (on > beat) {
            meter.start_beat(t);
            beat = on;
        }
        cell.stimulus[0] = static_cast<Real>(on >= 0 ? o.stimulus_pA_per_pF : 0.0);
        kernel->step(cell.arrays(), t, o.dt_ms);
        const double now = static_cast<double>(k + 1) * o.dt_ms, v = cell.value(0);
        if (!(std::abs(v) < 1000))
            throw NumericsError(now, k + 1, 0, {0, 0, 0}, v, o.type.model);
        meter.sample(now, v);
        if (every && (k + 1) % every == 0)
            keep(now);
        if (o.progress && (k + 1) % tell == 0 && !o.progress(now))
            throw Cancelled();
    }
    for (std::size_t s = 0; s < n_states; ++s)
        result.final_state.push_back(cell.value(s));
    result.beats = meter.finish();
    result.steps = steps;
    return result;
}

} // namespace

SingleCellResult run_single_cell(const SingleCellOptions& options)
{
    check(options);
    return options.single_precision ? run<float>(options) : run<double>(options);
}

} // namespace tawara::cell
