// SPDX-License-Identifier: GPL-3.0-or-later
// The cable equation with cells: many copies of one tree, or one network, stepped on the CPU.
#pragma once
#include "engine/cable/compartments.hpp"
#include "engine/cell/model.hpp"
#include "engine/core/thread_pool.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::cable {

/// What is stepped.
struct CablesDescription
{
    Compartments compartments; ///< of each copy
    /// Membranes, of one model or several: cells of these types sit at the nodes.
    std::vector<cell::CellType> types;
    std::vector<cell::TypeIndex> type_of_node; ///< [nodes]; none: type 0 everywhere
    std::size_t copies = 1;
    double dt_ms = 0.01;
    /// How states other than V are stepped; nothing: usual_cable_scheme() of each model. Neither
    /// cvode nor backward_euler, which step V with them.
    std::optional<cell::Scheme> scheme{};
    /// V by Crank-Nicolson, states half a step behind it (Hines 1984): second order in time where
    /// their scheme is of second order with V held (grl2; rush_larsen for gates). Else V by
    /// backward Euler, first order, which dampens whatever step is taken.
    bool second_order = false;
};

/// The scheme of states where none is asked for: grl2 for second order; else the model's
/// usual_scheme(), or grl1 where that is backward_euler.
cell::Scheme usual_cable_scheme(const cell::ModelInfo& model, bool second_order);

/// A current into a node during a step, at its potential V_0 when the step begins and V when it
/// ends: I = I_0 - slope (V - V_0). A junction to something at the potential U by a resistance R
/// has I_0 = (U - V_0) / R and the slope 1 / R: then no step is too long for it.
struct NodeCurrent
{
    std::int32_t node = 0;
    double nA = 0;       ///< I_0, positive depolarises
    double slope_uS = 0; ///< at least 0
    std::size_t copy = 0;
};

/// All that a step depends on, to go on from. Plain numbers in an order that does not depend on
/// threads.
struct CablesState
{
    std::int64_t step = 0;
    std::vector<double> V_mV;   ///< [copies][nodes]
    std::vector<double> states; ///< of each copy, of each node in its order, the model's but V
};

/// Copies of a cable with cells. A step is
///
///     states by their scheme, with V as it was (gates meet V at the middle of their step)
///     (C / h - C f' + G) (V_1 - V_0) = C f(V_0) - G V_0 + I
///
/// with f the rate of V by the membrane, f' its slope by V with states held, G the tree's
/// conductances and h = dt; with second_order h = dt / 2, and V moves by twice what was solved. One
/// elimination a step (Hines 1984) by vectors over 16 copies; a single copy node by node. Where f'
/// exceeds 1 / (2 h) it counts as that, so that the diagonal dominates.
///
/// Copies do not depend on each other nor on threads: the same bits for any number of either, but
/// for those of one copy alone against the same in a batch (rounding).
/// @thread one caller at a time
template <class Real>
class Cables
{
  public:
    /// @throws Error for arrays that do not fit the nodes; InputError for a scheme that is not
    /// there
    explicit Cables(CablesDescription d);
    ~Cables();
    Cables(Cables&&) noexcept;
    Cables& operator=(Cables&&) noexcept;

    const CablesDescription& description() const;
    std::size_t nodes() const;
    std::size_t copies() const;
    std::int64_t step() const; ///< taken so far
    double time_ms() const;    ///< step() dt

    /// Takes a step with these currents, of which a node may have several.
    /// @throws NumericsError where V is no number or beyond 1000 mV, or a concentration has left
    ///         its range; the state is of no use then
    void advance(std::span<const NodeCurrent> currents, ThreadPool& pool);

    /// Potential of a node [mV].
    double potential(std::int32_t node, std::size_t copy = 0) const;
    /// Of several nodes of a copy. @param out  as many
    void potentials(std::span<const std::int32_t> nodes, std::span<double> out,
                    std::size_t copy = 0) const;

    /// The conductances between nodes and their parents from now on, of all copies; 0 cuts the
    /// cable.
    /// @param uS  [nodes], the first is not looked at
    /// @throws Error for another number of them, or one below 0
    void set_couplings(std::span<const double> uS);

    CablesState snapshot() const;
    /// @throws Error for a state of another description
    void restore(const CablesState& s);

    /// For runs of many steps, in which copies need not wait for each other: copies are stepped in
    /// blocks, each of which stays in a core's caches.
    std::size_t blocks() const;
    /// The copies [begin, end) of a block.
    std::pair<std::size_t, std::size_t> block(std::size_t b) const;
    /// Takes one step of a block alone; scratch memory is the thread's own. All blocks have to come
    /// to the same step by end_block_steps().
    /// @param step      its number, from step() on
    /// @param currents  of this block's copies
    /// @thread any; several at once, for different blocks
    void advance_block(std::size_t b, std::int64_t step, std::span<const NodeCurrent> currents);
    /// All blocks have taken so many steps.
    void end_block_steps(std::int64_t steps);

    std::string target() const; ///< instruction set of the cells
    double compile_ms() const;  ///< of their machine code; 0 when it was there already

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};
extern template class Cables<double>;
extern template class Cables<float>;

} // namespace tawara::cable
