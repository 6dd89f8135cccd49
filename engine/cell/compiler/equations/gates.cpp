// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cell::compiler {
namespace {

struct Linear
{
    Node inf = no_node, tau = no_node;
};

bool is_symbol(const Graph& g, Node n, std::uint32_t y)
{
    return g.op(n) == Op::symbol && g.symbol_of(n) == y;
}

/// inf and tau of a rate that the text has as (inf - y) / tau; tau = no_node when it has not.
Linear written_form(const Graph& g, Node rate, std::uint32_t y)
{
    if (g.op(rate) == Op::div && g.op(g.arg(rate, 0)) == Op::sub &&
        is_symbol(g, g.arg(g.arg(rate, 0), 1), y) && !depends_on(g, g.arg(g.arg(rate, 0), 0), y) &&
        !depends_on(g, g.arg(rate, 1), y))
        return {g.arg(g.arg(rate, 0), 0), g.arg(rate, 1)};
    return {};
}

/// inf and tau of a rate that is linear in symbol y; tau = no_node when it is not.
Linear linear_form(Graph& g, Node rate, std::uint32_t y, Node slope)
{
    const Linear written = written_form(g, rate, y);
    if (written.tau != no_node)
        return written;
    if (g.is_constant(slope, 0) || depends_on(g, slope, y))
        return {};
    const Node zero = g.constant(0);
    const Node at_zero = substitute(g, std::span(&rate, 1),
                                    [&](std::uint32_t id) { return id == y ? zero : no_node; })[0];
    const Node minus = simple(g, Op::neg, slope); // alpha + beta
    return {simple(g, Op::div, at_zero, minus), simple(g, Op::div, g.constant(1), minus)};
}

/// Does a condition depend on V and parameters alone?
bool decided_by_voltage(const Graph& g, Node condition)
{
    for (const Node n : reachable(g, std::span(&condition, 1)))
        if (g.op(n) == Op::symbol && symbol_kind(g.symbol_of(n)) != Symbol::parameter &&
            g.symbol_of(n) != symbol_id(Symbol::state, 0))
            return false;
    return true;
}

/// The states other than V that it depends on.
std::vector<std::uint32_t> other_states(const Graph& g, Node n)
{
    std::vector<std::uint32_t> out;
    for (const Node m : reachable(g, std::span(&n, 1)))
        if (g.op(m) == Op::symbol && symbol_kind(g.symbol_of(m)) == Symbol::state &&
            symbol_index(g.symbol_of(m)) != 0)
            out.push_back(symbol_index(g.symbol_of(m)));
    return out;
}

void recognise_relaxations(CellSystem& s)
{
    const Graph& g = s.graph;
    for (std::uint32_t k = 1; k < s.states.size(); ++k)
        if (auto& state = s.states[k]; !state.gate) {
            const Linear l = written_form(g, state.rate, symbol_id(Symbol::state, k));
            if (l.tau == no_node)
                continue;
            const auto others = other_states(g, l.tau);
            if (others.empty())
                continue;
            state.relaxation = Gate{l.inf, l.tau};
            for (const auto o : others)
                s.states[o].emptied = s.states[o].range.has_value();
        }
}

} // namespace

void recognise_gates(CellSystem& s)
{
    Graph& g = s.graph;
    auto x = s.initial_values();
    const auto p = s.parameter_values();
    for (std::uint32_t k = 1; k < s.states.size(); ++k) {
        SystemState& state = s.states[k];
        const std::uint32_t y = symbol_id(Symbol::state, k);
        const Node slope = differentiate(g, std::span(&state.rate, 1), y)[0];
        const Linear l = linear_form(g, state.rate, y, slope);
        if (l.tau == no_node)
            continue;
        Gate gate{l.inf, l.tau, true, INFINITY, INFINITY};
        const Node both[] = {l.inf, l.tau};
        bool sure = true; // a branch that V alone does not decide may have no slope: no tau there
        for (const Node n : reachable(g, both)) {
            if (g.op(n) == Op::symbol && symbol_kind(g.symbol_of(n)) == Symbol::state &&
                symbol_index(g.symbol_of(n)) != 0)
                gate.voltage_only = false;
            if (g.op(n) == Op::select && !decided_by_voltage(g, g.arg(n, 0)))
                sure = false;
        }
        if (!sure)
            continue;
        // a gate is a fraction: its steady state lies in [0, 1] and its time constant is positive
        bool fraction = state.initial >= -1e-9 && state.initial <= 1 + 1e-9;
        for (double v = -200; v <= 250 && fraction; v += 2.5) {
            x[0] = v + 0.0123; // away from removable singularities
            const auto value =
                evaluate(g, both, [&](std::uint32_t id) { return s.value(id, x, p, 0); });
            if (value[1] > 0) // no NaN
                gate.shortest_tau_anywhere_ms = std::min(gate.shortest_tau_anywhere_ms, value[1]);
            if (v < -100 || v > 60)
                continue;
            fraction = value[0] >= -1e-6 && value[0] <= 1 + 1e-6 && value[1] > 0;
            gate.shortest_tau_ms = std::min(gate.shortest_tau_ms, value[1]);
        }
        if (fraction)
            state.gate = gate;
    }
    recognise_relaxations(s);
}

} // namespace tawara::cell::compiler
