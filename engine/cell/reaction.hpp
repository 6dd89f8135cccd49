// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in the cells of a tissue, whatever computes it: a compiled model, or code of its
// own.
#pragma once
#include "engine/cell/cpu_kernel.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tawara::cell {

/// One array of a reaction's state beside V: for each unknown so many numbers, which lie together.
struct StateArray
{
    std::string name;
    std::size_t per_unknown = 1;
};

/// How many numbers all arrays have for one unknown.
std::size_t numbers_per_unknown(std::span<const StateArray> arrays);

/// The unknowns that a call is about, and their arrays.
///
/// `cells` is as for CpuKernel, but states[k] is array k of Reaction::arrays(): the numbers of the
/// unknown in slot i are [i per_unknown, (i + 1) per_unknown). Slots without an unknown (fillings
/// of a back end's order) may be computed or not.
template <class Real>
struct ReactionCells
{
    CellArrays<Real> cells;
    /// Number of each slot's unknown in the whole tissue; -1: there is none. Null where
    /// Reaction::needs_unknowns() is false.
    const std::int64_t* unknown = nullptr;
};

/// When a step is taken.
struct ReactionStep
{
    std::int64_t step = 0; ///< the number of the time step that it is part of, from 0
    int part = 0;          ///< of that time step: 1 for the second half of a Strang step
    double t_ms = 0, dt_ms = 0;
};

/// Steps the cells of one group on the CPU. Has no state of its own: all of it lies in the arrays
/// that it declares, which a back end keeps, saves and restores; random numbers are drawn by place
/// (core/random.hpp). So results depend neither on how the unknowns are shared out nor on threads.
template <class Real>
class Reaction
{
  public:
    virtual ~Reaction() = default;
    /// The same for all time.
    virtual std::span<const StateArray> arrays() const = 0;
    virtual bool needs_unknowns() const { return false; }
    /// Sets V and the arrays of the slots [begin, end) to where cells of their types begin.
    virtual void prepare(const ReactionCells<Real>& c) const = 0;
    /// Advances the slots [begin, end). Results do not depend on how a range is cut at multiples
    /// of 16.
    /// @thread any; several at once, for different slots
    virtual void advance(const ReactionCells<Real>& c, const ReactionStep& s) const = 0;
    /// Replaces the table of cell types, as many and of the same model as before.
    /// @throws InputError where the reaction has none
    /// @thread not while advance() runs
    virtual void set_types(std::span<const CellType> types);
    /// Instruction set in use, e.g. "AVX2"; empty: the compiler's.
    virtual std::string target() const { return {}; }
    /// Of one cell's step, estimated, as CpuKernel has them; 0: nobody knows.
    virtual double flops_per_cell() const { return 0; }
};
extern template class Reaction<double>;
extern template class Reaction<float>;

/// A reaction that is not a compiled model, as a tissue's description names it. A value that many
/// steppers may share; it makes what steps the cells on a back end.
class ReactionModel
{
  public:
    virtual ~ReactionModel() = default;
    virtual std::string name() const = 0; ///< for messages
    /// One word that tells whether cells of two models have the same state, so that those of one
    /// may go on as those of the other; parameters have no part in it.
    virtual std::string identity() const { return name(); }
    /// Rows of its table of cell types: 1 to most_types.
    virtual std::size_t types() const = 0;
    virtual std::unique_ptr<Reaction<double>> on_cpu_double() const = 0;
    virtual std::unique_ptr<Reaction<float>> on_cpu_single() const = 0;
};

/// The reaction of a compiled model (make_cpu_kernel()): an array for each state but V.
template <class Real>
std::unique_ptr<Reaction<Real>> compiled_reaction(std::span<const CellType> types, Scheme scheme,
                                                  double table_step_mV = 0);
extern template std::unique_ptr<Reaction<double>> compiled_reaction(std::span<const CellType>,
                                                                    Scheme, double);
extern template std::unique_ptr<Reaction<float>> compiled_reaction(std::span<const CellType>,
                                                                   Scheme, double);

} // namespace tawara::cell
