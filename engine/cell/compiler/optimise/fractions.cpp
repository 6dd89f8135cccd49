// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/linear.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"

namespace tawara::cell::compiler {
namespace {

/// num / den whose division is put off; den = no_node stands for 1.
struct Fraction
{
    Node num = no_node, den = no_node;
    int factors = 0; ///< of the denominator
};

/// Carries quotients upwards through products and sums until a value is needed.
class Pass
{
  public:
    /// Products of more factors than this might overflow.
    static constexpr int most_factors = 5;

    Pass(Graph& g, std::span<const Node> roots)
        : g_(g), forms_(g, {}), uses_(g.size()), root_(g.size())
    {
        for (const Node n : reachable(g, roots))
            for (int i = 0; i < g.arity(n); ++i)
                ++uses_[g.arg(n, i)];
        for (const Node r : roots)
            root_[r] = true;
    }

    std::vector<Node> run(std::span<const Node> roots)
    {
        for (const Node n : reachable(g_, roots)) {
            Fraction f = visit(n);
            if (f.den != no_node && (root_[n] || uses_[n] != 1))
                f = {value_of(f), no_node, 0};
            at_[n] = f;
        }
        std::vector<Node> out;
        for (const Node r : roots)
            out.push_back(value(r));
        return out;
    }
    int saved = 0;

  private:
    Node f(Op op, Node a, Node b = no_node, Node c = no_node) { return simple(g_, op, a, b, c); }
    Node value_of(const Fraction& x) { return x.den == no_node ? x.num : f(Op::div, x.num, x.den); }
    Node value(Node old) { return value_of(at_.at(old)); }

    Fraction visit(Node n)
    {
        const Op op = g_.op(n);
        if (g_.arity(n) == 0 || !forms_.varies(n))
            return {n, no_node, 0};
        if (op == Op::neg) {
            Fraction x = at_.at(g_.arg(n, 0));
            x.num = f(Op::neg, x.num);
            return x;
        }
        if (op == Op::mul || op == Op::div)
            return product(at_.at(g_.arg(n, 0)), at_.at(g_.arg(n, 1)), op == Op::div);
        if (op == Op::add || op == Op::sub)
            return sum(n, op, at_.at(g_.arg(n, 0)), at_.at(g_.arg(n, 1)));
        std::array<Node, 3> a{no_node, no_node, no_node};
        for (int i = 0; i < g_.arity(n); ++i)
            a[static_cast<std::size_t>(i)] = value(g_.arg(n, i));
        return {f(op, a[0], a[1], a[2]), no_node, 0};
    }

    Node times(Node a, Node b) { return a == no_node ? b : b == no_node ? a : f(Op::mul, a, b); }

    Fraction product(Fraction a, Fraction b, bool divide)
    {
        if (divide && b.den == no_node &&
            !forms_.varies(b.num)) { // a constant: no division at run time
            a.num = f(Op::mul, a.num, f(Op::div, g_.constant(1), b.num));
            return a;
        }
        if (a.factors + b.factors + 1 > most_factors) {
            a = {value_of(a), no_node, 0};
            b = {value_of(b), no_node, 0};
        }
        saved += (a.den != no_node && (b.den != no_node || divide)) || (divide && b.den != no_node);
        if (divide)
            return {times(a.num, b.den), times(a.den, b.num), a.factors + 1};
        return {f(Op::mul, a.num, b.num), times(a.den, b.den), a.factors + b.factors};
    }

    Fraction sum(Node n, Op op, const Fraction& a, const Fraction& b)
    {
        if (a.den == no_node && b.den == no_node)
            return {f(op, a.num, b.num), no_node, 0};
        const bool last = root_[n] || uses_[n] != 1;
        if ((a.den == no_node || b.den == no_node) && last)
            return {f(op, value_of(a), value_of(b)), no_node, 0};
        if (a.den == b.den)
            return {f(op, a.num, b.num), a.den, a.factors};
        if (a.factors + b.factors > most_factors)
            return {f(op, value_of(a), value_of(b)), no_node, 0};
        saved += a.den != no_node && b.den != no_node;
        return {f(op, times(a.num, b.den), times(b.num, a.den)), times(a.den, b.den),
                a.factors + b.factors};
    }

    Graph& g_;
    LinearForms forms_;
    std::vector<int> uses_;
    std::vector<bool> root_;
    std::unordered_map<Node, Fraction> at_;
};

} // namespace

int merge_fractions(Graph& g, std::vector<Node>& roots)
{
    Pass pass(g, roots);
    roots = pass.run(roots);
    return pass.saved;
}

} // namespace tawara::cell::compiler
