// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"
#include "engine/cell/compiler/schemes/step_nodes.hpp"

#include <compare>
#include <functional>

namespace tawara::cell::compiler {

/// A cell model with one scheme, ready for any back end: one step, in which table entries stand for
/// what depends on parameters alone.
struct Program : StepNodes
{
    std::string name;
    Graph graph;
    std::vector<Node> table; ///< of parameters alone: what a cell type's row of constants holds
    /// Functions of V that are looked up (tabulate.hpp), symbols of states behind those kept;
    /// their values follow the table in a row.
    std::vector<Node> lookups;
    double table_step_mV = 0;
    unsigned vector_bytes = 0; ///< the widest that a processor's code of it may use; 0: any
    OptimiseReport report;

    /// The row of constants of a cell type. @param parameters in CellSystem order
    std::vector<double> row(std::span<const double> parameters) const;
    /// All parts in their order, `next` the last one.
    std::vector<Part> parts() const;
    /// The states after a step, as every back end has to compute them.
    /// @param value_of  of the symbols other than states
    std::vector<double> step(std::span<const double> states,
                             const std::function<double(std::uint32_t)>& value_of) const;
};

/// @throws InputError when the scheme is not available
Program compile(CellSystem system, Scheme scheme, const OptimiseOptions& options = {});
/// The program of source_nodes(): two states more than the system has, F and F'.
Program compile_source(CellSystem system, const OptimiseOptions& options = {});

/// The program of cable_nodes(): two states more than the system has, f and its slope.
Program compile_cable(CellSystem system, Scheme scheme, const OptimiseOptions& options = {});

/// The program of current_nodes().
Program compile_current(CellSystem system, const OptimiseOptions& options = {});
/// The states but V that it reads, counted from 1, ascending.
std::vector<std::size_t> states_read(const Program& current);

/// What a program is compiled for, as far as its optimisation depends on it. Back ends say what
/// they are.
struct Target
{
    bool single_precision = false;
    bool processor = false;    ///< functions and divisions cost more than on a GPU
    unsigned vector_bytes = 0; ///< of a processor's code
    double quotient_cost = FractionOptions().division; ///< of a processor in single precision

    static Target gpu(bool single_precision) { return {single_precision}; }
    auto operator<=>(const Target&) const = default;
};

/// The passes and bounds for a target, as shared_program() uses them.
OptimiseOptions options_for(const CellSystem& system, const Target& target);

/// The program of a system and a scheme, compiled once and kept. Quotients are merged as
/// far as the precision's range of numbers allows.
/// @param table_step_mV  0, or functions of V are looked up in tables of this step (processors)
/// @throws InputError when the scheme is not available
/// @thread any
std::shared_ptr<const Program> shared_program(const std::shared_ptr<const CellSystem>& system,
                                              Scheme scheme, const Target& target,
                                              double table_step_mV = 0);

/// The same of compile_source().
std::shared_ptr<const Program>
shared_source_program(const std::shared_ptr<const CellSystem>& system, const Target& target);

/// The same of compile_cable().
std::shared_ptr<const Program> shared_cable_program(const std::shared_ptr<const CellSystem>& system,
                                                    Scheme scheme, const Target& target);

/// The same of compile_current().
std::shared_ptr<const Program>
shared_current_program(const std::shared_ptr<const CellSystem>& system, const Target& target,
                       double table_step_mV = 0);

/// Additions, multiplications, divisions and functions per cell and step, counted on the graph.
struct Operations
{
    int add = 0, mul = 0, div = 0, exp = 0, log = 0, other = 0;
    /// fp64 add + mul + fma instructions on a GPU, estimated: a division 9, exp 17, log 24, others
    /// 1 each
    int instructions() const { return add + mul + 9 * div + 17 * exp + 24 * log + 20 * other; }
    /// What a processor's multipliers issue at least, exp and log in the shortest form of LlvmMath.
    /// Additions are not counted: most are taken along by a multiplication (fma), and some
    /// processors have units of their own for the others. So the rate of fma bounds it everywhere.
    int processor_instructions(bool single) const
    {
        return mul + div + (single ? 5 * exp + 9 * log : 8 * exp + 15 * log) + 6 * other;
    }
};
/// How often a part is made in most steps: one that ends when a cell is done twice, since nearly
/// all steps take Newton's method one or two iterations (tests/bench/records/cell_pulses.json).
int usual_rounds(const Part& part);

/// Operations of a step; parts count as often as they are usually made.
Operations count_operations(const Program& p);

} // namespace tawara::cell::compiler
