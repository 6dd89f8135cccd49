// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tawara::cell {

/// Arrays of the cells that one kernel call steps, structure of arrays. All arrays are indexed by
/// the same cell index i in [begin, end); they must be 64-byte aligned and padded so that whole
/// vectors of 64 bytes may be read and written at begin (begin is a multiple of 16).
template <class Real>
struct CellArrays
{
    Real* v = nullptr; ///< membrane potential [mV], in and out
    Real* const* states =
        nullptr; ///< states[s][i] for s in [0, state_count - 1): all but V, in and out
    const TypeIndex* type = nullptr; ///< row of the kernel's table, per cell
    const Real* stimulus = nullptr;  ///< stimulus current [pA/pF], positive depolarises; null: none
    std::size_t begin = 0, end = 0;
    double pace =
        0; ///< level of the model's own protocol; only for systems with their own stimulus
};

/// One cell model with one scheme on the CPU, compiled in this process and vectorised to the widest
/// instruction set of the machine, in double or single precision.
template <class Real>
class CpuKernel
{
  public:
    virtual ~CpuKernel() = default;
    /// Advances the cells by dt. Results do not depend on how a range is cut at multiples of 16.
    /// @thread any; const, no shared state
    virtual void step(const CellArrays<Real>& cells, double t_ms, double dt_ms) const = 0;
    /// Replaces the table of cell types (same model, same count; normal where all before were).
    /// @thread not while step() runs
    virtual void set_types(std::span<const CellType> types) = 0;
    /// Instruction set in use, e.g. "AVX-512", "AVX2".
    virtual std::string target() const = 0;
    /// Floating-point instructions of one cell's step that need a multiplier, estimated and at
    /// least: mul, fma and division count one each.
    virtual double flops_per_cell() const = 0;
    /// What compiling the machine code took; 0 when it was there already.
    virtual double compile_ms() const = 0;
};

/// A kernel of the model's equations. Machine code is made once for a model, scheme and precision.
/// @param types          1 to most_types cell types of one model
/// @param table_step_mV  step of tables in which functions of V at the start of a step are looked
/// up
///                       (compiler/optimise/tabulate.hpp); 0: they are computed
/// @throws InputError when the scheme is not available for the model
template <class Real>
std::unique_ptr<CpuKernel<Real>> make_cpu_kernel(std::span<const CellType> types, Scheme scheme,
                                                 double table_step_mV = 0);
extern template std::unique_ptr<CpuKernel<double>> make_cpu_kernel(std::span<const CellType>,
                                                                   Scheme, double);
extern template std::unique_ptr<CpuKernel<float>> make_cpu_kernel(std::span<const CellType>, Scheme,
                                                                  double);

/// What an implicit step of a tissue asks of its cells (NUMERICS.md, 6): given V at the end of a
/// step and the other states at its start, CpuKernel::step() leaves the states at the end, and in
/// two arrays behind them dV/dt by the membrane F [mV/ms] and its whole derivative F' [1/ms]:
///
///     s = s_0 + dt g(V, s),   F = f(V, s),   F' = f_V + f_s (I - dt g_s)^-1 dt g_V
///
/// V stays as it is, but where a concentration has left its range; F is NaN where s was not found.
std::unique_ptr<CpuKernel<double>> make_source_kernel(std::span<const CellType> types);

/// What a step of a cable asks of its membrane (NUMERICS.md, 8): CpuKernel::step() leaves V as it
/// is, but where a concentration has left its range, steps the other states by the scheme with V
/// held, and in two arrays behind them leaves the rate of V that the membrane then makes [mV/ms]
/// and its slope by V with the other states held [1/ms].
/// @throws InputError when the scheme is not available for the model, or steps V with the states
template <class Real>
std::unique_ptr<CpuKernel<Real>> make_cable_kernel(std::span<const CellType> types, Scheme scheme);
extern template std::unique_ptr<CpuKernel<double>> make_cable_kernel(std::span<const CellType>,
                                                                     Scheme);
extern template std::unique_ptr<CpuKernel<float>> make_cable_kernel(std::span<const CellType>,
                                                                    Scheme);

/// The rate of V that the membrane makes, f(V, s) of dV/dt = f(V, s) + stimulus [mV/ms], at places
/// that need not be cells: CpuKernel::step() puts it in place of V, and leaves all else. Between
/// cells V and states are interpolated ones (NUMERICS.md, 4.1).
template <class Real>
struct MembraneCurrent
{
    std::unique_ptr<CpuKernel<Real>> kernel;
    /// What it reads of CellArrays::states: arrays of the others are needed, whatever they hold.
    std::vector<std::size_t> reads;
    std::size_t states = 0; ///< without V
};
/// @param table_step_mV  as make_cpu_kernel() has it
template <class Real>
MembraneCurrent<Real> make_membrane_current(std::span<const CellType> types,
                                            double table_step_mV = 0);
extern template MembraneCurrent<double> make_membrane_current(std::span<const CellType>, double);
extern template MembraneCurrent<float> make_membrane_current(std::span<const CellType>, double);

/// Steps of tables that may be asked for [mV].
inline constexpr double finest_table_mV = 0.001, coarsest_table_mV = 1;

} // namespace tawara::cell
