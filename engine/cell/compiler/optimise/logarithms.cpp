// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/linear.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"

namespace tawara::cell::compiler {

int split_logarithms(Graph& g, std::vector<Node>& roots, std::span<const double> typical)
{
    LinearForms forms(g, typical);
    int changes = 0;
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.arity(n) == 0)
            return n;
        const Node m = simple(g, g.op(n), a[0], a[1], a[2]);
        if (g.op(m) != Op::log || !forms.varies(m))
            return m;
        const Node x = g.arg(m, 0);
        const Op op = g.op(x);
        if (op != Op::div && op != Op::mul)
            return m;
        const Node p = g.arg(x, 0), q = g.arg(x, 1);
        // a positive constant factor: log(p / q) = log(p) - log(q)
        const auto constant = [&](Node k) { return !forms.varies(k) && forms.probe(k)[0] > 0; };
        if (constant(p) || constant(q)) {
            ++changes;
            return simple(g, op == Op::div ? Op::sub : Op::add, simple(g, Op::log, p),
                          simple(g, Op::log, q));
        }
        return m;
    });
    return changes;
}

} // namespace tawara::cell::compiler
