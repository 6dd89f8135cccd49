// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/linear.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <cmath>

namespace tawara::cell::compiler {

LinearForms::LinearForms(Graph& g, std::span<const double> typical) : g_(g)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> near(0.9, 1.1);
    parameters_[0].assign(typical.begin(), typical.end());
    for (const double p : typical)
        parameters_[1].push_back(p * near(random));
}

/// Extends the per-node tables to nodes made since.
void LinearForms::update()
{
    for (Node n = static_cast<Node>(varies_.size()); n < g_.size(); ++n) {
        bool v = false;
        double value[2] = {0, 0};
        if (g_.op(n) == Op::symbol) {
            const auto id = g_.symbol_of(n);
            const auto kind = symbol_kind(id);
            v = kind == Symbol::state || kind == Symbol::stimulus;
            for (std::size_t k = 0; k < 2; ++k)
                value[k] = kind == Symbol::parameter && symbol_index(id) < parameters_[k].size()
                               ? parameters_[k][symbol_index(id)]
                               : (kind == Symbol::dt ? 0.02 : 1);
        } else if (g_.arity(n) == 0)
            value[0] = value[1] = g_.value(n);
        else {
            for (int i = 0; i < g_.arity(n); ++i)
                v = v || varies_[g_.arg(n, i)];
            for (std::size_t k = 0; k < 2; ++k) {
                double a[3] = {0, 0, 0};
                for (int i = 0; i < g_.arity(n); ++i)
                    a[i] = values_[k][g_.arg(n, i)];
                value[k] = apply(g_.op(n), a[0], a[1], a[2]);
            }
        }
        varies_.push_back(v);
        values_[0].push_back(value[0]);
        values_[1].push_back(value[1]);
    }
}

bool LinearForms::varies(Node n)
{
    update();
    return varies_[n];
}

std::array<double, 2> LinearForms::probe(Node n)
{
    update();
    return {values_[0][n], values_[1][n]};
}

Linear LinearForms::of(Node n)
{
    if (!varies(n))
        return {{}, n};
    const Op op = g_.op(n);
    const auto scaled = [&](Linear l, Op how, Node by) {
        for (auto& [base, c] : l.terms)
            c = simple(g_, how, c, by);
        if (l.offset != no_node)
            l.offset = simple(g_, how, l.offset, by);
        return l;
    };
    if (op == Op::add || op == Op::sub) {
        Linear a = of(g_.arg(n, 0));
        const Linear b = of(g_.arg(n, 1));
        const Node zero = g_.constant(0);
        for (const auto& [base, c] : b.terms) {
            const auto it = a.terms.try_emplace(base, zero).first;
            it->second = simple(g_, op, it->second, c);
            if (g_.is_constant(it->second, 0))
                a.terms.erase(it);
        }
        if (b.offset != no_node)
            a.offset = simple(g_, op, a.offset == no_node ? zero : a.offset, b.offset);
        return a;
    }
    if (op == Op::neg)
        return scaled(of(g_.arg(n, 0)), Op::mul, g_.constant(-1));
    if (op == Op::mul && !varies(g_.arg(n, 0)))
        return scaled(of(g_.arg(n, 1)), Op::mul, g_.arg(n, 0));
    if (op == Op::mul && !varies(g_.arg(n, 1)))
        return scaled(of(g_.arg(n, 0)), Op::mul, g_.arg(n, 1));
    if (op == Op::div && !varies(g_.arg(n, 1)))
        return scaled(of(g_.arg(n, 0)), Op::div, g_.arg(n, 1));
    return {{{n, g_.constant(1)}}, no_node};
}

Node LinearForms::ratio(const Linear& a, const Linear& b)
{
    if (a.terms.empty() || a.terms.size() != b.terms.size())
        return no_node;
    const Node k = simple(g_, Op::div, a.terms.begin()->second, b.terms.begin()->second);
    const auto kv = probe(k);
    const auto same = [&](Node x, Node y) { // x = k y ?
        const auto xv = x == no_node ? std::array{0.0, 0.0} : probe(x);
        const auto yv = y == no_node ? std::array{0.0, 0.0} : probe(y);
        for (std::size_t i = 0; i < 2; ++i)
            if (!(std::abs(xv[i] - kv[i] * yv[i]) <=
                  1e-11 * (std::abs(xv[i]) + std::abs(kv[i] * yv[i]))))
                return false;
        return true;
    };
    for (const auto& [base, c] : a.terms) {
        const auto it = b.terms.find(base);
        if (it == b.terms.end() || !same(c, it->second))
            return no_node;
    }
    return same(a.offset, b.offset) ? k : no_node;
}

Node LinearForms::base_of(const Linear& l, Node coefficient)
{
    Node sum = no_node;
    for (const auto& [base, c] : l.terms) {
        const Node part = simple(g_, Op::mul, simple(g_, Op::div, c, coefficient), base);
        sum = sum == no_node ? part : simple(g_, Op::add, sum, part);
    }
    return sum;
}

} // namespace tawara::cell::compiler
