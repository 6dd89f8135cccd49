// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/linear.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"

#include <cmath>
#include <utility>

namespace tawara::cell::compiler {
namespace {

/// Factors of a product or quotient, with numerator and denominator apart and the sign.
struct Factors
{
    std::vector<Node> above, below;
    double sign = 1;
};

void collect(const Graph& g, Node n, bool above, Factors& f, int depth)
{
    if (depth < 60 && (g.op(n) == Op::mul || g.op(n) == Op::div)) {
        collect(g, g.arg(n, 0), above, f, depth + 1);
        collect(g, g.arg(n, 1), (g.op(n) == Op::mul) == above, f, depth + 1);
    } else if (depth < 60 && g.op(n) == Op::neg) {
        f.sign = -f.sign;
        collect(g, g.arg(n, 0), above, f, depth + 1);
    } else
        (above ? f.above : f.below).push_back(n);
}

class Pass
{
  public:
    Pass(Graph& g, std::span<const double> typical) : g_(g), forms_(g, typical) {}

    Node quotient(Node n)
    {
        Factors f;
        collect(g_, n, true, f, 0);
        bool any = false;
        for (std::size_t d = 0; d < f.below.size();)
            if (replace(f, d)) {
                any = true;
                f.below.erase(f.below.begin() + static_cast<std::ptrdiff_t>(d));
            } else
                ++d;
        if (!any)
            return n;
        ++changes_;
        Node top = g_.constant(f.sign), bottom = g_.constant(1);
        for (const Node x : f.above)
            top = simple(g_, Op::mul, top, x);
        for (const Node x : f.below)
            bottom = simple(g_, Op::mul, bottom, x);
        return simple(g_, Op::div, top, bottom);
    }

    /// if(V == V0, limit, smooth): the limit is the smooth value. A condition of parameters alone
    /// is a switch between two of the text's formulas and stays.
    Node guard(Node n)
    {
        const Node c = g_.arg(n, 0);
        if (!depends_on_state(c))
            return n;
        if (g_.op(c) == Op::eq && smooth(g_.arg(n, 2)))
            return g_.arg(n, 2);
        if (g_.op(c) == Op::ne && smooth(g_.arg(n, 1)))
            return g_.arg(n, 1);
        if (g_.op(c) == Op::lt && g_.op(g_.arg(c, 0)) == Op::abs && g_.is_constant(g_.arg(c, 1)) &&
            g_.value(g_.arg(c, 1)) <= 1e-3 && smooth(g_.arg(n, 2)))
            return g_.arg(n, 2);
        return n;
    }
    int changes() const { return changes_; }

  private:
    bool depends_on_state(Node n) const
    {
        for (const Node k : reachable(g_, std::span(&n, 1)))
            if (g_.op(k) == Op::symbol && symbol_kind(g_.symbol_of(k)) == Symbol::state)
                return true;
        return false;
    }

    bool smooth(Node n) const
    {
        for (const Node k : reachable(g_, std::span(&n, 1)))
            if (g_.op(k) == Op::linexp)
                return true;
        return false;
    }

    /// below[d] = +-(exp(u) - C) against a factor k (u - log C) above.
    bool replace(Factors& f, std::size_t d)
    {
        const Node x = f.below[d];
        if (g_.op(x) != Op::sub && g_.op(x) != Op::add)
            return false;
        Node e = g_.arg(x, 0), c = g_.arg(x, 1);
        double sign = 1;
        if (g_.op(e) != Op::exp)
            std::swap(e, c);
        if (g_.op(x) == Op::sub && e == g_.arg(x, 1))
            sign = -1; // C - exp(u)
        if (g_.op(x) == Op::add)
            c = simple(g_, Op::neg, c);
        if (g_.op(e) != Op::exp || forms_.varies(c) || !(forms_.probe(c)[0] > 0))
            return false;
        const Node log_c = simple(g_, Op::log, c);
        const Node u = simple(g_, Op::sub, g_.arg(e, 0), log_c);
        const Linear lu = forms_.of(u);
        for (Node& a : f.above) {
            if (!forms_.varies(a))
                continue;
            const Node k = forms_.ratio(forms_.of(a), lu);
            if (k == no_node)
                continue;
            f.sign *= sign;
            a = simple(g_, Op::mul, simple(g_, Op::div, k, c), g_.make(Op::linexp, u));
            return true;
        }
        return false;
    }

    Graph& g_;
    LinearForms forms_;
    int changes_ = 0;
};

} // namespace

int remove_singularities(Graph& g, std::vector<Node>& roots, std::span<const double> typical)
{
    Pass pass(g, typical);
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.arity(n) == 0)
            return n;
        const Node m = simple(g, g.op(n), a[0], a[1], a[2]);
        if (g.op(m) == Op::div || g.op(m) == Op::mul)
            return pass.quotient(m);
        return g.op(m) == Op::select ? pass.guard(m) : m;
    });
    return pass.changes();
}

} // namespace tawara::cell::compiler
