// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/linear.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"

#include <cmath>

namespace tawara::cell::compiler {
namespace {

/// shared * rest; no_node: 1
struct Product
{
    Node shared = no_node, rest = no_node;
};

} // namespace

int gather_factors(Graph& g, std::vector<Node>& roots, std::span<const double> typical)
{
    LinearForms forms(g, typical);
    std::vector<int> users(g.size(), 0);
    for (const Node n : reachable(g, roots))
        for (int i = 0; i < g.arity(n); ++i)
            ++users[g.arg(n, i)];
    for (const Node r : roots)
        users[r] += 2;
    constexpr double largest = 1e15; // single precision has room for the rest of the product
    const auto moderate = [&](Node k) {
        const double x = std::abs(forms.probe(k)[0]);
        return x > 1 / largest && x < largest;
    };
    const auto times = [&](Node a, Node b) {
        return a == no_node ? b : b == no_node ? a : simple(g, Op::mul, a, b);
    };
    int changes = 0;
    std::unordered_map<Node, Product> at; // products that one other product uses
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.arity(n) == 0)
            return n;
        const Op op = g.op(n);
        if ((op != Op::mul && op != Op::div) || !forms.varies(n))
            return simple(g, op, a[0], a[1], a[2]);
        const auto part = [&](int k) {
            const Node old = g.arg(n, k), now = a[static_cast<std::size_t>(k)];
            if (!forms.varies(old))
                return moderate(now) ? Product{now, no_node} : Product{no_node, now};
            const auto it = at.find(old);
            return it != at.end() && users[old] == 1 ? it->second : Product{no_node, now};
        };
        Product x = part(0), y = part(1);
        const bool both = x.shared != no_node && y.shared != no_node;
        if (op == Op::div && (x.rest == no_node || y.rest == no_node))
            return simple(g, op, a[0], a[1]); // one is shared altogether
        if (op == Op::div && y.shared != no_node)
            y.shared = simple(g, Op::div, g.constant(1), y.shared);
        const Node shared = times(x.shared, y.shared);
        if (both && !moderate(shared))
            return simple(g, op, a[0], a[1]);
        changes += both;
        const Product p{shared,
                        op == Op::div ? simple(g, op, x.rest, y.rest) : times(x.rest, y.rest)};
        at[n] = p;
        return times(p.shared, p.rest);
    });
    return changes;
}

} // namespace tawara::cell::compiler
