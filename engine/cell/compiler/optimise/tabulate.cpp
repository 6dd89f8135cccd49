// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/tabulate.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tawara::cell::compiler {
namespace {

bool is_dear(Op op)
{
    return op == Op::exp || op == Op::log || op == Op::linexp || op == Op::pow || op == Op::tanh;
}

} // namespace

std::size_t table_points(double step_mV)
{
    return static_cast<std::size_t>(std::lround((table_high_mV - table_low_mV) / step_mV)) + 1;
}

std::vector<Node> tabulate(Graph& g, std::vector<Node>& roots, std::uint32_t states)
{
    constexpr std::uint32_t v = symbol_id(Symbol::state, 0);
    const auto of_v = depends(g, [](std::uint32_t id) { return id == v; });
    const auto of_others = depends(
        g, [](std::uint32_t id) { return id != v && symbol_kind(id) != Symbol::parameter; });
    std::vector<bool> dear(g.size(), false), wanted(g.size(), false);
    const auto order = reachable(g, roots);
    for (const Node n : order) {
        dear[n] = is_dear(g.op(n)) && of_v[n];
        for (int k = 0; k < g.arity(n); ++k)
            dear[n] = dear[n] || dear[g.arg(n, k)];
    }
    for (const Node r : roots)
        wanted[r] = true;
    std::vector<Node> functions;
    std::unordered_map<Node, Node> to;
    for (auto it = order.rbegin(); it != order.rend(); ++it) { // the largest ones
        const Node n = *it;
        if (!wanted[n])
            continue;
        if (g.type(n) == Type::real && dear[n] && !of_others[n]) {
            to[n] = g.symbol(
                symbol_id(Symbol::state, states + static_cast<std::uint32_t>(functions.size())));
            functions.push_back(n);
        } else
            for (int k = 0; k < g.arity(n); ++k)
                wanted[g.arg(n, k)] = true;
    }
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (const auto it = to.find(n); it != to.end())
            return it->second;
        return g.arity(n) == 0 ? n : simple(g, g.op(n), a[0], a[1], a[2]);
    });
    return functions;
}

std::vector<double> table_values(const Graph& g, std::span<const Node> functions,
                                 std::span<const double> parameters, double step_mV)
{
    std::vector<double> out;
    const std::size_t points = table_points(step_mV);
    for (std::size_t i = 0; i < points; ++i) {
        const double at = table_low_mV + static_cast<double>(i) * step_mV;
        const auto row = evaluate(g, functions, [&](std::uint32_t id) {
            return symbol_kind(id) == Symbol::state ? at : parameters[symbol_index(id)];
        });
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

std::vector<TableError> table_errors(const Graph& g, std::span<const Node> functions,
                                     std::span<const double> parameters, double step_mV)
{
    constexpr int between = 4;
    const auto fine = table_values(g, functions, parameters, step_mV / between);
    const std::size_t count = functions.size(), points = table_points(step_mV);
    std::vector<TableError> out(count);
    for (std::size_t f = 0; f < count; ++f) {
        const auto value = [&](std::size_t i) { return fine[i * count + f]; };
        for (std::size_t i = 0; i + 1 < points; ++i)
            for (int k = 0; k <= between; ++k) {
                const double x = static_cast<double>(k) / between;
                const double exact = value(i * between + static_cast<std::size_t>(k));
                const double error =
                    std::abs((1 - x) * value(i * between) + x * value((i + 1) * between) - exact);
                out[f].absolute = std::max(out[f].absolute, error);
                out[f].largest = std::max(out[f].largest, std::abs(exact));
                if (exact != 0)
                    out[f].relative = std::max(out[f].relative, error / std::abs(exact));
            }
    }
    return out;
}

} // namespace tawara::cell::compiler
