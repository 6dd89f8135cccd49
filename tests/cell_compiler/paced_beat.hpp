// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/reference/reference.hpp"
#include "engine/core/aligned.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tawara::cell::compiler {

/// A stimulus of 1 ms at the start of a beat, or one at the start of each period.
struct Pulse
{
    double amplitude_pA_per_pF = 52, duration_ms = 1, period_ms = INFINITY;

    double at(double t_ms) const
    {
        return std::fmod(t_ms, period_ms) < duration_ms ? amplitude_pA_per_pF : 0;
    }
};

/// V of one paced beat at 0, every, 2 every ...; what a scheme and a step make of it, and CVODE.
/// @thread as they stand, one
inline std::vector<double> reference_beat(const Reference& reference,
                                          std::span<const double> parameters,
                                          std::span<const double> initial, const Pulse& pulse,
                                          double until_ms, double every_ms, double tolerance = 1e-8)
{
    ReferenceOptions o;
    o.relative_tolerance = o.absolute_tolerance = tolerance;
    o.largest_step_ms = pulse.duration_ms / 2;
    o.stimulus = [&](double t) { return pulse.at(t); };
    std::vector<double> v;
    for (const auto& row : reference.run(parameters, initial, until_ms, every_ms, o))
        v.push_back(row[0]);
    return v;
}

/// Steps of a compiled scheme, all cells of one vector the same.
template <class Real>
class PacedBeat
{
  public:
    PacedBeat(const CellSystem& s, Scheme scheme, double table_step_mV = 0)
        : PacedBeat(compile(CellSystem(s), scheme, options(s, table_step_mV)))
    {
    }
    explicit PacedBeat(Program p) : program_(std::move(p)), step_(program_) {}

    static OptimiseOptions options(const CellSystem& s, double table_step_mV)
    {
        auto o = processor_options(s, sizeof(Real) == sizeof(float));
        o.table_step_mV = table_step_mV;
        return o;
    }

    /// @param rounded  states that are rounded to single precision after each step
    /// @param after    called with a cell's states after each step
    /// @return V at 0, every, 2 every ...; ends early when V stops being finite or leaves
    ///         [-1000, 1000] mV
    std::vector<double> run(std::span<const double> parameters, std::span<const double> initial,
                            const Pulse& pulse, double dt_ms, double until_ms, double every_ms,
                            std::span<const std::size_t> rounded = {},
                            const std::function<void(std::span<const Real>)>& after = {}) const
    {
        constexpr std::size_t width = 16;
        const std::size_t n = initial.size();
        AlignedVector<Real> x(n * width), row, on(width), off(width);
        for (const double c : program_.row(parameters))
            row.push_back(static_cast<Real>(c));
        std::vector<Real*> states;
        for (std::size_t k = 0; k < n; ++k) {
            std::fill_n(x.data() + k * width, width, static_cast<Real>(initial[k]));
            if (k > 0)
                states.push_back(x.data() + k * width);
        }
        std::fill(on.begin(), on.end(), static_cast<Real>(pulse.amplitude_pA_per_pF));
        const auto steps = std::llround(until_ms / dt_ms), each = std::llround(every_ms / dt_ms);
        std::vector<double> v{initial[0]};
        std::vector<Real> cell(n);
        for (long long k = 0; k < steps; ++k) {
            const double t = static_cast<double>(k) * dt_ms;
            const bool stimulated = pulse.at(t + dt_ms / 2) != 0;
            step_(x.data(), states.data(), stimulated ? on.data() : off.data(), 0, 1, row.data(),
                  static_cast<Real>(t), static_cast<Real>(dt_ms), 0);
            for (const std::size_t s : rounded)
                for (std::size_t i = 0; i < width; ++i)
                    x[s * width + i] = static_cast<Real>(static_cast<float>(x[s * width + i]));
            if (after) {
                for (std::size_t i = 0; i < n; ++i)
                    cell[i] = x[i * width];
                after(cell);
            }
            if ((k + 1) % each == 0) {
                if (!(std::abs(x[0]) < 1000))
                    break;
                v.push_back(static_cast<double>(x[0]));
            }
        }
        return v;
    }

  private:
    Program program_;
    JitStep<Real> step_;
};

/// Where a program of backward Euler counts a cell's iterations, numbered as Part::next is.
inline std::size_t rounds_of_newton(const Program& p)
{
    return *p.before.at(1).until - 2;
}

/// 100 sqrt(sum (v - r)^2 / sum r^2) over the samples up to a time; infinite when v ended early.
inline double rrms_percent(std::span<const double> v, std::span<const double> r,
                           std::size_t samples)
{
    if (v.size() < samples || r.size() < samples)
        return INFINITY;
    double difference = 0, square = 0;
    for (std::size_t k = 0; k < samples; ++k) {
        difference += (v[k] - r[k]) * (v[k] - r[k]);
        square += r[k] * r[k];
    }
    return 100 * std::sqrt(difference / square);
}

} // namespace tawara::cell::compiler
