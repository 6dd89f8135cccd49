// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"

namespace tawara::cell::compiler {
namespace {

/// Derivative of one node, given its arguments' derivatives.
class Rule
{
  public:
    Rule(Graph& g, Node n, const std::array<Node, 3>& d) : g_(g), n_(n), d_(d) {}

    Node operator()()
    {
        const Op op = g_.op(n_);
        const Node a = g_.arg(n_, 0), b = g_.arity(n_) > 1 ? g_.arg(n_, 1) : no_node;
        switch (op) {
        case Op::add:
        case Op::sub:
            return f(op, d_[0], d_[1]);
        case Op::neg:
            return f(Op::neg, d_[0]);
        case Op::mul:
            return f(Op::add, f(Op::mul, d_[0], b), f(Op::mul, a, d_[1]));
        case Op::div: // (a' - (a/b) b') / b
            return f(Op::div, f(Op::sub, d_[0], f(Op::mul, n_, d_[1])), b);
        case Op::pow:
            return power(a, b);
        case Op::rem:
            return d_[0];
        case Op::exp:
            return f(Op::mul, n_, d_[0]);
        case Op::log:
            return f(Op::div, d_[0], a);
        case Op::sqrt:
            return f(Op::div, d_[0], f(Op::mul, c(2), n_));
        case Op::abs:
            return f(Op::select, f(Op::lt, a, c(0)), f(Op::neg, d_[0]), d_[0]);
        case Op::min:
            return f(Op::select, f(Op::le, a, b), d_[0], d_[1]);
        case Op::max:
            return f(Op::select, f(Op::le, b, a), d_[0], d_[1]);
        case Op::select:
            return f(Op::select, a, d_[1], d_[2]);
        default:
            return f(Op::mul, outer(op, a), d_[0]);
        }
    }

  private:
    Node c(double v) { return g_.constant(v); }
    Node f(Op op, Node a, Node b = no_node, Node e = no_node) { return simple(g_, op, a, b, e); }

    Node power(Node a, Node b)
    {
        // b a^(b-1) a' + a^b log(a) b'
        const Node first = f(Op::mul, f(Op::mul, b, f(Op::pow, a, f(Op::sub, b, c(1)))), d_[0]);
        if (g_.is_constant(d_[1], 0))
            return first;
        return f(Op::add, first, f(Op::mul, f(Op::mul, n_, f(Op::log, a)), d_[1]));
    }

    Node outer(Op op, Node a)
    {
        const auto one_minus_square = [&](Node x) { return f(Op::sub, c(1), f(Op::mul, x, x)); };
        switch (op) {
        case Op::sin:
            return f(Op::cos, a);
        case Op::cos:
            return f(Op::neg, f(Op::sin, a));
        case Op::tan:
            return f(Op::add, c(1), f(Op::mul, n_, n_));
        case Op::asin:
            return f(Op::div, c(1), f(Op::sqrt, one_minus_square(a)));
        case Op::acos:
            return f(Op::div, c(-1), f(Op::sqrt, one_minus_square(a)));
        case Op::atan:
            return f(Op::div, c(1), f(Op::add, c(1), f(Op::mul, a, a)));
        case Op::sinh:
            return f(Op::cosh, a);
        case Op::cosh:
            return f(Op::sinh, a);
        case Op::tanh:
            return one_minus_square(n_);
        case Op::linexp:
            return linexp_slope(a);
        default:
            return c(0); // floor, ceil: piecewise constant
        }
    }

    /// L = x / (e^x - 1): L' = L (1 - x - L) / x, and -1/2 + x/6 - x^3/180 near 0, where the
    /// quotient would lose all digits.
    Node linexp_slope(Node x)
    {
        const Node x2 = f(Op::mul, x, x);
        const Node series = f(Op::add, c(-0.5),
                              f(Op::mul, x, f(Op::sub, c(1.0 / 6), f(Op::mul, x2, c(1.0 / 180)))));
        const Node exact = f(Op::div, f(Op::mul, n_, f(Op::sub, f(Op::sub, c(1), x), n_)), x);
        return f(Op::select, f(Op::lt, x2, c(1e-4)), series, exact);
    }

    Graph& g_;
    Node n_;
    const std::array<Node, 3>& d_;
};

} // namespace

std::vector<Node> differentiate(Graph& g, std::span<const Node> roots, std::uint32_t symbol)
{
    const Node zero = g.constant(0), one = g.constant(1);
    std::unordered_map<Node, Node> slope;
    for (const Node n : reachable(g, roots)) {
        if (g.type(n) == Type::boolean) {
            slope[n] = zero;
            continue;
        }
        std::array<Node, 3> d{no_node, no_node, no_node};
        bool any = false;
        for (int i = 0; i < g.arity(n); ++i) {
            d[static_cast<std::size_t>(i)] = slope.at(g.arg(n, i));
            any = any || d[static_cast<std::size_t>(i)] != zero;
        }
        if (g.op(n) == Op::symbol)
            slope[n] = g.symbol_of(n) == symbol ? one : zero;
        else
            slope[n] = any ? Rule(g, n, d)() : zero;
    }
    std::vector<Node> out;
    for (const Node r : roots)
        out.push_back(r == no_node ? no_node : slope.at(r));
    return out;
}

} // namespace tawara::cell::compiler
