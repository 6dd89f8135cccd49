// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/optimise.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/short_exponentials.hpp"
#include "engine/cell/compiler/optimise/small_growth.hpp"

#include <cmath>

namespace tawara::cell::compiler {

std::vector<Node> hoist(Graph& g, std::vector<Node>& roots)
{
    const auto not_shared =
        depends(g, [](std::uint32_t id) { return symbol_kind(id) != Symbol::parameter; });
    const auto parameter =
        depends(g, [](std::uint32_t id) { return symbol_kind(id) == Symbol::parameter; });
    std::vector<Node> table;
    std::unordered_map<Node, Node> entry;
    const auto hoistable = [&](Node n) {
        return n < not_shared.size() && parameter[n] && !not_shared[n] && g.type(n) == Type::real;
    };
    // conditions on parameters are kept as numbers 0 or 1
    const auto replaced = [&](Node n) {
        if (!hoistable(n))
            return no_node;
        const auto [it, fresh] = entry.try_emplace(n, no_node);
        if (fresh) {
            it->second =
                g.symbol(symbol_id(Symbol::table, static_cast<std::uint32_t>(table.size())));
            table.push_back(n);
        }
        return it->second;
    };
    // from the roots downwards, so that only the largest subexpressions become entries
    std::unordered_map<Node, Node> to;
    const auto order = reachable(g, roots);
    std::vector<bool> wanted(g.size());
    for (const Node r : roots)
        wanted[r] = true;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (!wanted[*it])
            continue;
        if (const Node t = replaced(*it); t != no_node)
            to[*it] = t;
        else
            for (int k = 0; k < g.arity(*it); ++k)
                wanted[g.arg(*it, k)] = true;
    }
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (const auto it = to.find(n); it != to.end())
            return it->second;
        return g.arity(n) == 0 ? n : g.make(g.op(n), a[0], a[1], a[2]);
    });
    return table;
}

int multiply_by_reciprocals(Graph& g, std::vector<Node>& roots)
{
    int changes = 0;
    const auto varies = [](std::uint32_t id) { return symbol_kind(id) != Symbol::parameter; };
    const auto v = depends(g, varies);
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.op(n) == Op::div && v[g.arg(n, 0)] && !v[g.arg(n, 1)]) {
            ++changes;
            return simple(g, Op::mul, a[0], simple(g, Op::div, g.constant(1), a[1]));
        }
        return g.arity(n) == 0 ? n : simple(g, g.op(n), a[0], a[1], a[2]);
    });
    return changes;
}

int integer_powers(Graph& g, std::vector<Node>& roots)
{
    int changes = 0;
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.op(n) == Op::pow && g.is_constant(a[1])) {
            const double e = g.value(a[1]), twice = 2 * e;
            if (twice == std::round(twice) && std::abs(e) <= 64) {
                ++changes;
                const int k = static_cast<int>(std::floor(std::abs(e)));
                Node r = twice == 2 * std::floor(e) ? g.constant(1) : simple(g, Op::sqrt, a[0]);
                Node square = a[0];
                for (int m = k; m > 0; m >>= 1) {
                    if (m & 1)
                        r = simple(g, Op::mul, r, square);
                    if (m > 1)
                        square = simple(g, Op::mul, square, square);
                }
                return e < 0 ? simple(g, Op::div, g.constant(1), r) : r;
            }
        }
        return g.arity(n) == 0 ? n : simple(g, g.op(n), a[0], a[1], a[2]);
    });
    return changes;
}

OptimiseOptions no_optimisation()
{
    OptimiseOptions o;
    for (bool* pass : {&o.singularities, &o.exponentials, &o.logarithms, &o.basis, &o.fractions,
                       &o.powers, &o.reciprocals})
        *pass = false;
    return o;
}

OptimiseReport optimise(Graph& g, std::vector<Node>& roots, std::span<const double> typical,
                        const OptimiseOptions& o)
{
    OptimiseReport report;
    const auto note = [&](const char* pass, int changes) {
        report.push_back({pass, changes, reachable(g, roots).size()});
    };
    note("as read", 0);
    if (o.singularities)
        note("removable singularities", remove_singularities(g, roots, typical));
    if (o.powers)
        note("integer powers", integer_powers(g, roots));
    if (o.logarithms)
        note("constants out of logarithms", split_logarithms(g, roots, typical));
    if (o.exponentials)
        note("constants out of exponentials", split_exponentials(g, roots, typical));
    if (o.basis)
        note("basis of exponentials", exponential_basis(g, roots, typical, o));
    if (o.short_exponentials)
        note("exponentials near powers",
             shorten_exponentials(g, roots, o.largest_power, o.largest < 1e39));
    if (o.fractions)
        note("fractions", merge_fractions(g, roots,
                                          {.largest = o.largest,
                                           .probe = !o.states.empty(),
                                           .share_all = o.share_quotients,
                                           .division = o.quotient_cost,
                                           .states = o.states,
                                           .parameters = {typical.begin(), typical.end()}}));
    if (o.small_growth)
        note("steps of slow states", branch_small_growth(g, roots, o.largest < 1e39));
    if (o.reciprocals)
        note("reciprocals of constants", multiply_by_reciprocals(g, roots));
    if (o.products)
        note("factors of products", gather_factors(g, roots, typical));
    return report;
}

} // namespace tawara::cell::compiler
