// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/paced_cell.hpp"

#include "engine/cell/cell_error.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::calcium {
namespace {

void need_positive(double x, const char* option)
{
    if (!(x > 0) || !std::isfinite(x))
        throw InputError(option, "has to be a positive number of milliseconds");
}

/// Follows a run, step by step.
template <class Real>
class Watch
{
  public:
    Watch(const PacedCellOptions& o, Cells<Real>& cells) : options_(o), cells_(cells) {}

    /// Before step k.
    void before(double middle_ms, double t_ms)
    {
        const long pulse = options_.protocol.pulse_at(middle_ms);
        if (pulse > pulse_ || beats_.empty()) {
            close();
            beats_.emplace_back().start_ms = t_ms;
            if (pulse > pulse_)
                meter_.start_beat(t_ms);
            pulse_ = pulse;
            first_step_ = static_cast<std::int64_t>(std::lround(t_ms / options_.dt_ms));
        }
    }

    void after(double t_ms, double dt_ms, const CellStep& s)
    {
        auto& b = beats_.back();
        const double v = cells_.cell(0).v;
        const auto& m = cells_.model().membrane;
        const double c_myo = 1e3 * s.sums.c_myo / m.dyads;
        b.c_myo_rest_uM = std::min(b.c_myo_rest_uM, c_myo);
        if (c_myo > b.c_myo_peak_uM) {
            b.c_myo_peak_uM = c_myo;
            b.peak_after_ms = t_ms - dt_ms - b.start_ms;
        }
        b.i_CaL_peak = std::min(b.i_CaL_peak, s.dyads.CaL);
        b.release_uM += 1e3 * dt_ms * release(s);
        b.influx_uM -= 1e3 * dt_ms * m.amount / 2 * s.dyads.CaL;
        b.v_least_mV = std::min(b.v_least_mV, v);
        b.v_most_mV = std::max(b.v_most_mV, v);
        if (t_ms > dt_ms)
            b.upstroke_mV_per_ms = std::max(b.upstroke_mV_per_ms, (v - v_) / dt_ms);
        v_ = v;
        meter_.sample(t_ms, v);
    }

    /// Shows the cell to whoever looks for sparks.
    void look(double t_ms)
    {
        const auto a = cells_.dyads(0);
        const std::size_t n = cells_.model().layout.dyads();
        options_.sparks->look(t_ms, std::span<const std::uint8_t>(a.O1, n),
                              std::span<const Real>(a.c_myo, n));
    }

    Sample sample(double t_ms)
    {
        Sample s;
        s.t_ms = t_ms;
        s.cell = cells_.cell(0);
        s.dyads = cells_.observed(0);
        s.step = cells_.last(0);
        s.release_mM_per_ms = release(s.step);
        if (!beats_.empty()) {
            auto& b = beats_.back();
            b.c_jsr_least_mM = std::min(b.c_jsr_least_mM, s.dyads.c_jsr);
            b.c_jsr_most_mM = std::max(b.c_jsr_most_mM, s.dyads.c_jsr);
            b.largest_c_d_uM = std::max(b.largest_c_d_uM, s.dyads.largest_c_d);
        }
        return s;
    }

    PacedCellResult finish()
    {
        close();
        PacedCellResult r;
        r.calcium = beats_;
        r.beats = meter_.finish();
        r.final_cell = cells_.cell(0);
        r.final_dyads = cells_.observed(0);
        return r;
    }

  private:
    double release(const CellStep& s) const
    {
        const auto& m = cells_.model().membrane;
        return 1e-3 * m.cleft_per_myo * s.sums.release * m.p.full_dyads / m.sums_over;
    }
    void close()
    {
        if (beats_.empty())
            return;
        const auto a = cells_.dyads(0);
        const std::size_t n = cells_.model().layout.dyads();
        std::size_t active = 0;
        for (std::size_t i = 0; i < n; ++i)
            active += a.activated[i] >= first_step_ ? 1 : 0;
        beats_.back().active_percent = 100 * static_cast<double>(active) / static_cast<double>(n);
    }

    const PacedCellOptions& options_;
    Cells<Real>& cells_;
    cell::ActionPotentialMeter meter_;
    std::vector<CalciumBeat> beats_;
    double v_ = 0;
    long pulse_ = -1;
    std::int64_t first_step_ = 0;
};

template <class Real>
PacedCellResult run(const PacedCellOptions& o, const Progress& progress,
                    const std::function<void(const Sample&)>& sampled)
{
    Cells<Real> cells(CellModel<Real>(o.parameters, o.grid, o.dt_ms), 1, o.seed);
    cells.begin(*o.start);
    ThreadPool pool(progress.context.threads);
    Watch<Real> watch(o, cells);
    const long steps = std::max(1L, std::lround(o.end_ms / o.dt_ms));
    const long every = std::max(1L, std::lround(o.sample_every_ms / o.dt_ms));
    const long tell = std::max(1L, std::lround(5 / o.dt_ms));
    const long look =
        o.sparks ? std::max(1L, std::lround(o.sparks->criteria().every_ms / o.dt_ms)) : 0;
    sampled(watch.sample(0));
    if (look > 0)
        watch.look(0);
    long k = 0;
    bool stopped = false;
    while (k < steps && !stopped) {
        const double t = static_cast<double>(k) * o.dt_ms, middle = t + 0.5 * o.dt_ms;
        watch.before(middle, t);
        const double stimulus =
            o.protocol.pulse_at(middle) >= 0 ? o.protocol.amplitude_pA_per_pF : 0.0;
        cells.advance(pool, k, std::span(&stimulus, 1), o.protocol.forced_at(middle));
        ++k;
        const double now = static_cast<double>(k) * o.dt_ms;
        if (const double v = cells.cell(0).v; !(std::abs(v) < 1000))
            throw cell::CellNumericsError(now, k, v, dyad_model, "try a smaller step (--dt)");
        watch.after(now, o.dt_ms, cells.last(0));
        if (k % every == 0)
            sampled(watch.sample(now));
        if (look > 0 && k % look == 0)
            watch.look(now);
        if (k % tell == 0 && progress.report)
            progress.report(static_cast<double>(k) / static_cast<double>(steps), "running");
        stopped = k < steps && k % tell == 0 && progress.stop.stop_requested();
    }
    if (look > 0)
        o.sparks->finish();
    auto result = watch.finish();
    result.steps = k;
    result.stopped = stopped;
    return result;
}

} // namespace

long Protocol::pulse_at(double t_ms) const
{
    const double since = t_ms - start_ms;
    if (since < 0 || amplitude_pA_per_pF == 0)
        return -1;
    const double beat = period_ms > 0 ? std::floor(since / period_ms) : 0;
    if ((beats > 0 && beat >= static_cast<double>(beats)) ||
        since - beat * period_ms >= duration_ms)
        return -1;
    return static_cast<long>(beat);
}

PacedCellResult run_paced_cell(const PacedCellOptions& o, const Progress& progress,
                               const std::function<void(const Sample&)>& sampled)
{
    need_positive(o.dt_ms, "--dt");
    need_positive(o.end_ms, "--until");
    need_positive(o.sample_every_ms, "--every");
    constexpr double most_steps = 2e9; // steps are counted in 32 bits
    if (o.end_ms / o.dt_ms > most_steps)
        throw InputError("--until", "takes more than 2e9 steps; give an earlier end");
    return o.mixed ? run<float>(o, progress, sampled) : run<double>(o, progress, sampled);
}

std::vector<TraceColumn> trace_columns()
{
    using S = const Sample&;
    return {
        {"membrane.V", [](S s) { return s.cell.v; }},
        {"membrane.Na_i", [](S s) { return s.cell.Na_i; }},
        {"membrane.K_i", [](S s) { return s.cell.K_i; }},
        {"dyads.c_myo_mM", [](S s) { return s.dyads.c_myo; }},
        {"dyads.c_ss_mM", [](S s) { return s.dyads.c_ss; }},
        {"dyads.c_nsr_mM", [](S s) { return s.dyads.c_nsr; }},
        {"dyads.c_jsr_mM", [](S s) { return s.dyads.c_jsr; }},
        {"dyads.c_d_uM", [](S s) { return s.dyads.c_d; }},
        {"dyads.largest_c_d_uM", [](S s) { return s.dyads.largest_c_d; }},
        {"dyads.release_mM_per_ms", [](S s) { return s.release_mM_per_ms; }},
        {"dyads.open_RyR", [](S s) { return s.dyads.open_RyR; }},
        {"dyads.open_LCC", [](S s) { return s.step.sums.LCC; }},
        {"dyads.active", [](S s) { return s.dyads.active; }},
        {"dyads.CaMKII", [](S s) { return s.cell.camk; }},
        {"currents.CaL", [](S s) { return s.step.dyads.CaL; }},
        {"currents.NCX", [](S s) { return s.step.dyads.NCX; }},
        {"currents.pCa", [](S s) { return s.step.dyads.pCa; }},
        {"currents.Cab", [](S s) { return s.step.dyads.Cab; }},
        {"currents.Na", [](S s) { return s.step.membrane.Na; }},
        {"currents.NaL", [](S s) { return s.step.membrane.NaL; }},
        {"currents.to", [](S s) { return s.step.membrane.to; }},
        {"currents.Kr", [](S s) { return s.step.membrane.Kr; }},
        {"currents.Ks", [](S s) { return s.step.membrane.Ks; }},
        {"currents.K1", [](S s) { return s.step.membrane.K1; }},
        {"currents.NaK", [](S s) { return s.step.membrane.NaK; }},
    };
}

} // namespace tawara::calcium
