// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::cell::compiler {
namespace {

Node simple_arithmetic(Graph& g, Op op, Node a, Node b)
{
    switch (op) {
    case Op::add:
        if (g.is_constant(a, 0))
            return b;
        if (g.is_constant(b, 0))
            return a;
        if (g.op(b) == Op::neg)
            return simple(g, Op::sub, a, g.arg(b, 0));
        if (g.op(a) == Op::neg)
            return simple(g, Op::sub, b, g.arg(a, 0));
        if (a > b) // one order for a commutative operation: more sharing
            std::swap(a, b);
        break;
    case Op::sub:
        if (g.is_constant(b, 0))
            return a;
        if (a == b)
            return g.constant(0);
        if (g.is_constant(a, 0))
            return simple(g, Op::neg, b);
        if (g.op(b) == Op::neg)
            return simple(g, Op::add, a, g.arg(b, 0));
        break;
    case Op::mul:
        if (g.is_constant(a, 0) || g.is_constant(b, 0))
            return g.constant(0);
        if (g.is_constant(a, 1))
            return b;
        if (g.is_constant(b, 1))
            return a;
        if (g.is_constant(a, -1))
            return simple(g, Op::neg, b);
        if (g.is_constant(b, -1))
            return simple(g, Op::neg, a);
        if (a > b)
            std::swap(a, b);
        break;
    case Op::div:
        if (g.is_constant(b, 1))
            return a;
        if (g.is_constant(a, 0) && !g.is_constant(b, 0))
            return a;
        if (a == b)
            return g.constant(1);
        break;
    case Op::pow:
        if (g.is_constant(b, 1))
            return a;
        if (g.is_constant(b, 0))
            return g.constant(1);
        if (g.is_constant(b, 0.5))
            return g.make(Op::sqrt, a);
        break;
    default:
        break;
    }
    return g.make(op, a, b);
}

bool is_literal(const Graph& g, Node n)
{
    return g.op(n) == Op::constant || g.op(n) == Op::truth;
}

Node simple_logic(Graph& g, Op op, Node a, Node b)
{
    const bool known_a = g.op(a) == Op::truth, known_b = g.op(b) == Op::truth;
    if (known_a)
        return (g.value(a) != 0) == (op == Op::both) ? b : a;
    if (known_b)
        return (g.value(b) != 0) == (op == Op::both) ? a : b;
    return a == b ? a : g.make(op, a, b);
}

} // namespace

double apply(Op op, double a, double b, double c)
{
    switch (op) {
    case Op::add:
        return a + b;
    case Op::sub:
        return a - b;
    case Op::mul:
        return a * b;
    case Op::div:
        return a / b;
    case Op::neg:
        return -a;
    case Op::pow:
        return std::pow(a, b);
    case Op::rem:
        return std::fmod(a, b);
    case Op::exp:
        return std::exp(a);
    case Op::log:
        return std::log(a);
    case Op::sqrt:
        return std::sqrt(a);
    case Op::abs:
        return std::abs(a);
    case Op::floor:
        return std::floor(a);
    case Op::ceil:
        return std::ceil(a);
    case Op::sin:
        return std::sin(a);
    case Op::cos:
        return std::cos(a);
    case Op::tan:
        return std::tan(a);
    case Op::asin:
        return std::asin(a);
    case Op::acos:
        return std::acos(a);
    case Op::atan:
        return std::atan(a);
    case Op::sinh:
        return std::sinh(a);
    case Op::cosh:
        return std::cosh(a);
    case Op::tanh:
        return std::tanh(a);
    case Op::min:
        return std::min(a, b);
    case Op::max:
        return std::max(a, b);
    case Op::linexp:
        return a == 0 ? 1 : a / std::expm1(a);
    case Op::eq:
        return a == b;
    case Op::ne:
        return a != b;
    case Op::lt:
        return a < b;
    case Op::le:
        return a <= b;
    case Op::both:
        return a != 0 && b != 0;
    case Op::either:
        return a != 0 || b != 0;
    case Op::negate:
        return a == 0;
    case Op::select:
        return a != 0 ? b : c;
    case Op::constant:
    case Op::symbol:
    case Op::truth:
        break;
    }
    return a;
}

Node simple(Graph& g, Op op, Node a, Node b, Node c)
{
    const int n = arity(op);
    if (n > 0 && is_literal(g, a) && (n < 2 || is_literal(g, b)) && (n < 3 || is_literal(g, c))) {
        const double v = apply(op, g.value(a), n > 1 ? g.value(b) : 0, n > 2 ? g.value(c) : 0);
        if (result_type(op) == Type::boolean)
            return g.truth(v != 0);
        if (std::isfinite(
                v)) // 1/0 is left for run time: it may sit in a branch that is never taken
            return g.constant(v);
        return g.make(op, a, b, c);
    }
    switch (op) {
    case Op::neg:
        if (g.op(a) == Op::neg)
            return g.arg(a, 0);
        if (g.op(a) == Op::sub)
            return simple(g, Op::sub, g.arg(a, 1), g.arg(a, 0));
        return g.make(op, a);
    case Op::exp:
        return g.op(a) == Op::log ? g.arg(a, 0) : g.make(op, a);
    case Op::negate:
        return g.op(a) == Op::negate ? g.arg(a, 0) : g.make(op, a);
    case Op::both:
    case Op::either:
        return simple_logic(g, op, a, b);
    case Op::select:
        if (g.op(a) == Op::truth)
            return g.value(a) != 0 ? b : c;
        if (b == c)
            return b;
        if (g.op(a) == Op::negate)
            return simple(g, op, g.arg(a, 0), c, b);
        return g.make(op, a, b, c);
    default:
        return n == 2 ? simple_arithmetic(g, op, a, b) : g.make(op, a, b, c);
    }
}

std::vector<Node> substitute(Graph& g, std::span<const Node> roots,
                             const std::function<Node(std::uint32_t)>& by)
{
    return rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.op(n) == Op::symbol) {
            const Node r = by(g.symbol_of(n));
            return r == no_node ? n : r;
        }
        return g.arity(n) == 0 ? n : simple(g, g.op(n), a[0], a[1], a[2]);
    });
}

std::vector<Node> simplify(Graph& g, std::span<const Node> roots)
{
    return substitute(g, roots, [](std::uint32_t) { return no_node; });
}

std::vector<double> evaluate(const Graph& g, std::span<const Node> roots,
                             const std::function<double(std::uint32_t)>& value_of)
{
    std::vector<double> v(g.size());
    for (const Node n : reachable(g, roots)) {
        if (g.op(n) == Op::symbol)
            v[n] = value_of(g.symbol_of(n));
        else if (g.arity(n) == 0)
            v[n] = g.value(n);
        else {
            double a[3] = {0, 0, 0};
            for (int i = 0; i < g.arity(n); ++i)
                a[i] = v[g.arg(n, i)];
            v[n] = apply(g.op(n), a[0], a[1], a[2]);
        }
    }
    std::vector<double> out;
    for (const Node r : roots)
        out.push_back(r == no_node ? 0 : v[r]);
    return out;
}

double evaluate(const Graph& g, Node root, const std::function<double(std::uint32_t)>& value_of)
{
    return evaluate(g, std::span(&root, 1), value_of)[0];
}

std::vector<bool> depends(const Graph& g, const std::function<bool(std::uint32_t)>& is)
{
    std::vector<bool> d(g.size());
    for (Node n = 0; n < g.size(); ++n) {
        if (g.op(n) == Op::symbol)
            d[n] = is(g.symbol_of(n));
        for (int i = 0; i < g.arity(n); ++i)
            d[n] = d[n] || d[g.arg(n, i)];
    }
    return d;
}

bool depends_on(const Graph& g, Node root, std::uint32_t symbol)
{
    for (const Node n : reachable(g, std::span(&root, 1)))
        if (g.op(n) == Op::symbol && g.symbol_of(n) == symbol)
            return true;
    return false;
}

std::string to_text(const Graph& g, Node root,
                    const std::function<std::string(std::uint32_t)>& name_of)
{
    std::unordered_map<Node, std::string> text;
    for (const Node n : reachable(g, std::span(&root, 1))) {
        std::string& t = text[n];
        const auto a = [&](int i) -> const std::string& { return text.at(g.arg(n, i)); };
        static constexpr std::pair<Op, const char*> infix[] = {
            {Op::add, " + "}, {Op::sub, " - "}, {Op::mul, " * "}, {Op::div, " / "}, {Op::pow, "^"},
            {Op::eq, " == "}, {Op::ne, " != "}, {Op::lt, " < "},  {Op::le, " <= "}};
        const auto op = g.op(n);
        const auto it = std::find_if(std::begin(infix), std::end(infix),
                                     [op](const auto& p) { return p.first == op; });
        if (op == Op::symbol)
            t = name_of(g.symbol_of(n));
        else if (op == Op::truth)
            t = g.value(n) != 0 ? "true" : "false";
        else if (op == Op::constant) {
            char buffer[40];
            std::snprintf(buffer, sizeof buffer, "%.17g", g.value(n));
            t = buffer;
        } else if (it != std::end(infix))
            t = "(" + a(0) + it->second + a(1) + ")";
        else {
            t = std::string(op_name(op)) + "(";
            for (int i = 0; i < g.arity(n); ++i)
                t += (i > 0 ? ", " : "") + a(i);
            t += ")";
        }
        if (t.size() > 100000)
            throw Error("an expression is too long to be written as text");
    }
    return text.at(root);
}

} // namespace tawara::cell::compiler
