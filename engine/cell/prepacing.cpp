// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/prepacing.hpp"

#include "engine/cell/action_potential.hpp"
#include "engine/cell/cell_error.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tawara::cell {
namespace {

constexpr std::size_t vector_width = 16; // what a kernel's arrays are padded to
constexpr long measured_beats = 10;      // at the end

/// One cell of each type, in the arrays that a kernel takes.
class Cells
{
  public:
    explicit Cells(std::span<const CellType> types)
        : count_(types.size()), padded_((count_ + vector_width - 1) / vector_width * vector_width),
          states_(types.front().initial.size()), memory_((states_ + 1) * padded_), type_(padded_)
    {
        for (std::size_t s = 0; s <= states_; ++s)
            pointers_.push_back(memory_.data() + s * padded_);
        for (std::size_t i = 0; i < padded_; ++i) {
            const std::size_t k = std::min(i, count_ - 1); // the padding repeats the last
            type_[i] = static_cast<TypeIndex>(k);
            for (std::size_t s = 0; s < states_; ++s)
                pointers_[s][i] = types[k].initial[s];
        }
    }
    std::size_t count() const { return count_; }
    double v(std::size_t i) const { return pointers_[0][i]; }
    double value(std::size_t i, std::size_t s) const { return pointers_[s][i]; }
    std::vector<double> state(std::size_t i) const
    {
        std::vector<double> out;
        for (std::size_t s = 0; s < states_; ++s)
            out.push_back(pointers_[s][i]);
        return out;
    }
    void stimulate(double pA_per_pF) { std::fill_n(pointers_[states_], padded_, pA_per_pF); }
    CellArrays<double> arrays()
    {
        return {pointers_[0], pointers_.data() + 1, type_.data(), pointers_[states_], 0, padded_};
    }

  private:
    std::size_t count_, padded_, states_;
    AlignedVector<double> memory_;
    AlignedVector<TypeIndex> type_;
    std::vector<double*> pointers_;
};

void need_finite(const Cells& cells, std::span<const CellType> types, long step, double dt_ms)
{
    for (std::size_t i = 0; i < cells.count(); ++i) {
        const auto state = cells.state(i);
        if (!(std::abs(state[0]) < 1000) ||
            !std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); }))
            throw CellNumericsError(
                static_cast<double>(step) * dt_ms, step, state[0],
                types[i].model + ", paced alone before the run",
                "try a smaller step (time.dt_ms, --dt) or another scheme (reaction.scheme)",
                left_range(types[i], state[0]));
    }
}

/// @param beats    one for each pulse measured after which V was high
/// @param from_ms  the first of the pulses looked at
PacedCell measured(std::vector<double> state, std::vector<ActionPotential> beats, long looked_at,
                   double from_ms)
{
    std::erase_if(beats, [&](const ActionPotential& b) { return b.activation_ms < from_ms; });
    // a pulse onto a plateau makes no action potential
    std::erase_if(beats, [](const ActionPotential& b) {
        return b.rest_mV > ActionPotentialMeter::excited_mV;
    });
    PacedCell out;
    out.state = std::move(state);
    out.looked_at = looked_at;
    out.missed = looked_at - std::min(looked_at, static_cast<long>(beats.size()));
    if (!beats.empty())
        out.apd90_ms = beats.back().apd90_ms;
    if (beats.size() > 1)
        out.apd90_change_ms = out.apd90_ms - beats[beats.size() - 2].apd90_ms;
    return out;
}

} // namespace

std::vector<PacedCell> pace_cells(std::span<const CellType> types, const PaceOptions& o,
                                  const Progress& progress)
{
    const auto kernel = make_cpu_kernel<double>(types, o.scheme, o.table_step_mV);
    Cells cells(types);
    std::vector<ActionPotentialMeter> meters(cells.count());
    std::vector<SteadinessMeter> steadiness;
    for (const auto& type : types)
        steadiness.emplace_back(type);
    const long cycle = std::max(1L, std::lround(o.cycle_length_ms / o.dt_ms));
    const long pulse = std::max(1L, std::lround(o.stimulus_duration_ms / o.dt_ms));
    long last = o.beats * cycle;
    auto arrays = cells.arrays();
    for (long k = 0; k < last; ++k) {
        const long beat = k / cycle, in_beat = k % cycle;
        const bool measure = o.until_steady || beat >= o.beats - measured_beats;
        const double t = static_cast<double>(k) * o.dt_ms;
        if (in_beat == 0) {
            progress.at(static_cast<double>(beat) / static_cast<double>(o.beats),
                        "pacing cells before the run");
            need_finite(cells, types, k, o.dt_ms);
            for (auto& m : meters)
                if (measure)
                    m.start_beat(t);
        }
        if (in_beat == 0 || in_beat == pulse)
            cells.stimulate(in_beat == 0 ? o.stimulus_pA_per_pF : 0);
        kernel->step(arrays, t, o.dt_ms);
        for (std::size_t i = 0; i < cells.count(); ++i)
            if (!(std::abs(cells.v(i)) < 1000)) // what else went wrong is found beat by beat
                need_finite(cells, types, k + 1, o.dt_ms);
        if (measure)
            for (std::size_t i = 0; i < cells.count(); ++i)
                meters[i].sample(t + o.dt_ms, cells.v(i));
        if (in_beat != cycle - 1)
            continue;
        for (std::size_t i = 0; i < cells.count(); ++i)
            steadiness[i].beat([&](std::size_t s) { return cells.value(i, s); });
        if (o.until_steady && std::all_of(steadiness.begin(), steadiness.end(),
                                          [](const auto& m) { return m.settled(); }))
            last = k + 1;
    }
    need_finite(cells, types, last, o.dt_ms);
    const long beats = last / cycle, looked_at = std::min(beats, measured_beats);
    const double from_ms = static_cast<double>((beats - looked_at) * cycle) * o.dt_ms;
    std::vector<PacedCell> out;
    for (std::size_t i = 0; i < cells.count(); ++i) {
        out.push_back(measured(cells.state(i), meters[i].finish(), looked_at, from_ms));
        out.back().beats = beats;
        out.back().drift = steadiness[i].drift();
    }
    return out;
}

} // namespace tawara::cell
