// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/figures.hpp"

#include "engine/analysis/beats.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

namespace tawara::simulation {
namespace {

/// The first sample, from one on, at which V is at rest: in the lowest tenth of the trace's span,
/// or in its lower half and settled. As many as there are: none is.
std::size_t first_at_rest(std::span<const double> t_ms, std::span<const float> v_mV,
                          std::size_t from)
{
    constexpr float tenth = 0.1F, half = 0.5F;
    constexpr float settled_mV = 5;
    constexpr double settled_ms = 10;
    const auto [low, high] = std::minmax_element(v_mV.begin(), v_mV.end());
    const float span = *high - *low;
    std::size_t since = from;         // V has been within settled_mV
    float least = 1e9F, most = -1e9F; // from there on
    for (std::size_t k = from; k < v_mV.size(); ++k) {
        if (v_mV[k] <= *low + tenth * span)
            return k;
        least = std::min(least, v_mV[k]);
        most = std::max(most, v_mV[k]);
        if (most - least > settled_mV || v_mV[k] > *low + half * span) {
            since = k;
            least = most = v_mV[k];
        } else if (t_ms[k] - t_ms[since] >= settled_ms) {
            return k;
        }
    }
    return v_mV.size();
}

void add_beats(std::vector<Beat>& to, std::span<const double> t_ms, std::span<const float> v_mV)
{
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    double before_ms = unknown, apd_ms = unknown; // of the beat before
    for (const auto& a : analysis::find_beats(t_ms, v_mV)) {
        Beat b{a.activation_ms, a.upstroke_mV_per_ms, a.rest_mV,  a.peak_mV, a.peak_mV - a.rest_mV,
               a.apd30_ms,      a.apd50_ms,           a.apd90_ms, unknown,   unknown};
        b.cycle_ms = a.activation_ms - before_ms;
        b.diastolic_ms = b.cycle_ms - apd_ms; // NaN where that one did not end
        before_ms = a.activation_ms;
        apd_ms = a.apd90_ms;
        to.push_back(b);
    }
}

} // namespace

KernelFigure figure(const device::KernelRecord& k, const std::string& device,
                    const std::optional<device::Ceilings>& ceilings, bool single)
{
    KernelFigure f{k.name, device, k.calls, k.ms, k.bytes, k.flops, 0, 0, 0, {}, k.counted_bytes};
    if (!ceilings)
        return f;
    f.ceiling_GB_per_s = ceilings->triad_GB_per_s;
    f.ceiling_GFLOP_per_s = (single ? ceilings->fp32_GFLOP_per_s : ceilings->fp64_GFLOP_per_s) / 2;
    const double memory_s = k.bytes / 1e9 / f.ceiling_GB_per_s;
    const double arithmetic_s = k.flops / 1e9 / f.ceiling_GFLOP_per_s;
    f.fraction = k.ms > 0 ? std::max(memory_s, arithmetic_s) / (k.ms / 1e3) : 0;
    f.bound_by = memory_s >= arithmetic_s ? "memory" : "arithmetic";
    return f;
}

std::string remark_on(const KernelFigure& k)
{
    constexpr double too_much = 1.05; // what measuring twice may differ by
    if (!(k.fraction > too_much))
        return {};
    return k.bound_by == "memory"
               ? "above the measured ceiling: its data stay in caches, or the ceiling was measured "
                 "on a busy machine; measure again"
               : "above the measured ceiling: it was measured on a busy machine; measure again";
}

std::vector<device::KernelRecord> added(std::vector<device::KernelRecord> kernels,
                                        std::span<const device::KernelRecord> before, double sign)
{
    for (const auto& b : before) {
        auto at = std::find_if(kernels.begin(), kernels.end(),
                               [&](const auto& k) { return k.name == b.name; });
        if (at == kernels.end()) {
            kernels.push_back({b.name});
            at = kernels.end() - 1;
        }
        // what was counted in some steps is given for all of them
        const double counted = at->bytes > 0 ? at->counted_bytes / at->bytes : 0;
        at->calls += sign < 0 ? -b.calls : b.calls;
        at->ms += sign * b.ms;
        at->bytes += sign * b.bytes;
        at->flops += sign * b.flops;
        at->counted_bytes = counted * at->bytes;
    }
    return kernels;
}

CountedKernels count_kernels(device::Stepper& stepper)
{
    constexpr int steps = 4;
    CountedKernels c{stepper.kernels(), "", ""};
    const auto before = stepper.snapshot();
    bool broke = false; // maybe within a step
    try {
        c.not_counted = stepper.advance_counted(steps);
    } catch (const std::exception& e) {
        c.not_counted = e.what();
        broke = true;
    }
    try {
        if (broke || stepper.step() != before.step)
            stepper.restore(before);
    } catch (const std::exception& e) {
        std::ostringstream text;
        text << "The steps taken for counting bytes could not be undone (" << e.what()
             << "): the run's state is no longer the one at "
             << static_cast<double>(before.step) * stepper.dt_ms() << " ms.";
        c.not_restored = text.str();
    }
    if (!c.not_counted.empty())
        return c;
    const auto after = stepper.kernels();
    for (auto& k : c.kernels) // what was counted is given for all of a kernel's calls
        for (const auto& now : after)
            if (now.name == k.name && now.calls > 0)
                k.counted_bytes = now.counted_bytes * static_cast<double>(k.calls) /
                                  static_cast<double>(now.calls);
    return c;
}

std::vector<Beat> beats_of(std::span<const double> t_ms, std::span<const float> v_mV,
                           std::span<const double> switched_ms, std::span<const Driven> driven)
{
    std::vector<Beat> out;
    if (v_mV.empty())
        return out;
    std::size_t from = 0;
    for (const double renewed : switched_ms) { // V there is the same before and after
        const auto after = static_cast<std::size_t>(
            std::upper_bound(t_ms.begin(), t_ms.end(), renewed) - t_ms.begin());
        if (after > from)
            add_beats(out, t_ms.subspan(from, after - from), v_mV.subspan(from, after - from));
        from = std::max(from, first_at_rest(t_ms, v_mV, after > 0 ? after - 1 : 0));
    }
    add_beats(out, t_ms.subspan(from), v_mV.subspan(from));
    for (auto& b : out)
        for (const auto& d : driven)
            if (d.from_ms <= b.activation_ms && b.activation_ms <= d.to_ms)
                b.driven_by = d.by;
    return out;
}

std::string beats_csv_head()
{
    return "probe,beat,activation_ms,upstroke_mV_per_ms,rest_mV,peak_mV,amplitude_mV,apd30_ms,"
           "apd50_ms,apd90_ms,diastolic_ms,cycle_ms,tissue,tissue_since_ms,tissue_changed_ms," +
           pulse_columns() + ",driven_by\n";
}

std::string beats_csv_rows(const std::string& probe, std::span<const double> t_ms,
                           std::span<const float> v_mV, std::span<const TissueEdit> edits,
                           std::span<const double> switched_ms, std::span<const Pulse> pulses,
                           const std::optional<Vec3>& place, std::span<const Driven> driven)
{
    std::string rows;
    std::size_t number = 0;
    const auto beats = beats_of(t_ms, v_mV, switched_ms, driven);
    const auto makers = pulses_behind(beats, pulses, place);
    for (const auto& b : beats) {
        rows += csv_field(probe) + "," + std::to_string(++number);
        for (double x :
             {b.activation_ms, b.upstroke_mV_per_ms, b.rest_mV, b.peak_mV, b.amplitude_mV,
              b.apd30_ms, b.apd50_ms, b.apd90_ms, b.diastolic_ms, b.cycle_ms}) {
            rows += ",";
            append_number(rows, x, 7);
        }
        const auto before = edits_until(edits, b.activation_ms);
        rows += "," + std::to_string(before + 1) + ",";
        append_number(rows, before > 0 ? edits[before - 1].time_ms : 0, 7);
        rows += ",";
        if (before < edits.size() && b.holds(edits[before].time_ms))
            append_number(rows, edits[before].time_ms, 7);
        rows += "," + pulse_fields(makers[number - 1]) + "," + csv_field(b.driven_by) + "\n";
    }
    return rows;
}

std::string restitution_csv_head()
{
    return "probe,beat,activation_ms,diastolic_ms,apd90_ms,tissue," + pulse_columns() + "\n";
}

std::string restitution_csv_rows(const std::string& probe, std::span<const double> t_ms,
                                 std::span<const float> v_mV, std::span<const TissueEdit> edits,
                                 std::span<const double> switched_ms, std::span<const Pulse> pulses,
                                 const std::optional<Vec3>& place)
{
    std::string rows;
    const auto beats = beats_of(t_ms, v_mV, switched_ms);
    const auto makers = pulses_behind(beats, pulses, place);
    for (std::size_t k = 0; k < beats.size(); ++k) {
        const auto& b = beats[k];
        if (!std::isfinite(b.diastolic_ms) || !std::isfinite(b.apd90_ms))
            continue;
        rows += csv_field(probe) + "," + std::to_string(k + 1);
        for (double x : {b.activation_ms, b.diastolic_ms, b.apd90_ms}) {
            rows += ",";
            append_number(rows, x, 7);
        }
        rows += "," + std::to_string(edits_until(edits, b.activation_ms) + 1) + "," +
                pulse_fields(makers[k]) + "\n";
    }
    return rows;
}

} // namespace tawara::simulation
