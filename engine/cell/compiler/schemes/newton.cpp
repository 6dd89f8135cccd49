// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/schemes/newton.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace tawara::cell::compiler {
namespace {

/// A sparse matrix of expressions; entries that are not there are 0.
using Row = std::map<std::size_t, Node>;

/// The elimination of one pattern of non-zeros: which pivots, in which order.
std::vector<std::size_t> pivot_order(std::vector<Row> a)
{
    const std::size_t n = a.size();
    std::vector<std::size_t> order;
    std::vector<bool> done(n, false);
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t best = n, least = std::numeric_limits<std::size_t>::max();
        for (std::size_t p = 0; p < n; ++p) {
            if (done[p])
                continue;
            std::size_t column = 0, row = 0;
            for (std::size_t i = 0; i < n; ++i)
                column += !done[i] && i != p && a[i].count(p);
            for (const auto& [j, x] : a[p])
                row += !done[j] && j != p;
            if (row * column < least)
                least = row * column, best = p;
        }
        order.push_back(best);
        done[best] = true;
        for (std::size_t i = 0; i < n; ++i)
            if (!done[i] && a[i].count(best))
                for (const auto& [j, x] : a[best])
                    if (!done[j])
                        a[i].try_emplace(j, x);
    }
    return order;
}

class Newton
{
  public:
    explicit Newton(CellSystem& s)
        : s_(s), g_(s.graph), n_(s.states.size()), dt_(g_.symbol(symbol_id(Symbol::dt))),
          f_(s.rates())
    {
        for (std::uint32_t k = 0; k < n_; ++k)
            y_.push_back(g_.symbol(symbol_id(Symbol::state, k)));
        a_.resize(n_);
        for (std::uint32_t j = 0; j < n_; ++j) {
            const auto column = differentiate(g_, f_, symbol_id(Symbol::state, j));
            for (std::size_t i = 0; i < n_; ++i) {
                const Node x = minus(i == j ? number(1) : number(0), times(dt_, column[i]));
                if (i == j || !g_.is_constant(x, 0))
                    a_[i][j] = x;
            }
        }
        order_ = pivot_order(a_);
    }

    std::vector<Node> run(std::vector<Node> y, const NewtonOptions& o)
    {
        std::vector<Row> matrix;
        std::vector<Node> correction;
        for (int k = 0; k < o.exact + o.simplified; ++k) {
            if (k < o.exact)
                matrix = eliminated(at(y));
            correction = solve(matrix, residual(y));
            const Node most = number(o.largest_change_mV); // shorter, in the same direction
            const Node share = f(Op::div, most, f(Op::max, most, f(Op::abs, correction[0])));
            for (std::size_t i = 0; i < n_; ++i) {
                correction[i] = times(share, correction[i]);
                y[i] = kept_in_range(i, minus(y[i], correction[i]));
            }
        }
        Node converged = g_.truth(true);
        for (std::size_t i = 0; i < n_; ++i) {
            const Node size = f(Op::add, f(Op::abs, y[i]), number(floor_of(i)));
            converged = f(Op::both, converged,
                          f(Op::le, f(Op::abs, correction[i]), times(number(o.tolerance), size)));
        }
        y[0] = f(Op::select, converged, y[0], number(std::numeric_limits<double>::quiet_NaN()));
        return y;
    }

  private:
    Node f(Op op, Node a, Node b = no_node, Node c = no_node) { return simple(g_, op, a, b, c); }
    Node number(double v) { return g_.constant(v); }
    Node times(Node a, Node b) { return f(Op::mul, a, b); }
    Node minus(Node a, Node b) { return f(Op::sub, a, b); }

    /// What counts as a small change of a state that is near 0.
    double floor_of(std::size_t i) const
    {
        if (i == 0)
            return 1; // mV
        return s_.states[i].gate ? 0.01 : 0.01 * std::abs(s_.states[i].initial) + 1e-9;
    }
    Node kept_in_range(std::size_t i, Node y)
    {
        if (!s_.states[i].gate)
            return y;
        return f(Op::min, f(Op::max, y, number(0)), number(1));
    }

    std::vector<Node> there(const std::vector<Node>& roots, const std::vector<Node>& y)
    {
        const Node end = f(Op::add, g_.symbol(symbol_id(Symbol::time)), dt_);
        return substitute(g_, roots, [&](std::uint32_t id) {
            return symbol_kind(id) == Symbol::state  ? y[symbol_index(id)]
                   : symbol_kind(id) == Symbol::time ? end
                                                     : no_node;
        });
    }
    std::vector<Node> residual(const std::vector<Node>& y)
    {
        const auto rates = there(f_, y);
        std::vector<Node> r;
        for (std::size_t i = 0; i < n_; ++i)
            r.push_back(minus(minus(y[i], y_[i]), times(dt_, rates[i])));
        return r;
    }
    std::vector<Row> at(const std::vector<Node>& y)
    {
        std::vector<Node> entries;
        for (const auto& row : a_)
            for (const auto& [j, x] : row)
                entries.push_back(x);
        entries = there(entries, y);
        auto matrix = a_;
        auto next = entries.begin();
        for (auto& row : matrix)
            for (auto& [j, x] : row)
                x = *next++;
        return matrix;
    }

    /// Factors in place: below the pivots the multipliers, at them their reciprocals.
    std::vector<Row> eliminated(std::vector<Row> a)
    {
        std::vector<bool> done(n_, false);
        for (const std::size_t p : order_) {
            done[p] = true;
            a[p][p] = f(Op::div, number(1), a[p][p]);
            for (std::size_t i = 0; i < n_; ++i) {
                if (done[i] || !a[i].count(p))
                    continue;
                const Node l = a[i][p] = times(a[i][p], a[p][p]);
                for (const auto& [j, x] : a[p])
                    if (!done[j]) {
                        const auto [it, fresh] = a[i].try_emplace(j, number(0));
                        it->second = minus(it->second, times(l, x));
                    }
            }
        }
        return a;
    }
    std::vector<Node> solve(const std::vector<Row>& a, std::vector<Node> x)
    {
        std::vector<bool> done(n_, false);
        for (const std::size_t p : order_) {
            done[p] = true;
            for (std::size_t i = 0; i < n_; ++i)
                if (const auto l = a[i].find(p); !done[i] && l != a[i].end())
                    x[i] = minus(x[i], times(l->second, x[p]));
        }
        for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
            const std::size_t p = *it;
            done[p] = false;
            for (const auto& [j, u] : a[p])
                if (j != p && !is_before(j, p))
                    x[p] = minus(x[p], times(u, x[j]));
            x[p] = times(x[p], a[p].at(p));
        }
        return x;
    }
    bool is_before(std::size_t j, std::size_t p) const
    {
        return std::find(order_.begin(), order_.end(), j) <
               std::find(order_.begin(), order_.end(), p);
    }

    CellSystem& s_;
    Graph& g_;
    std::size_t n_;
    Node dt_;
    std::vector<Node> f_, y_;
    std::vector<Row> a_; ///< I - dt J, of the states' symbols
    std::vector<std::size_t> order_;
};

} // namespace

std::vector<Node> newton_step(CellSystem& s, const std::vector<Node>& start,
                              const NewtonOptions& options)
{
    return Newton(s).run(start, options);
}

} // namespace tawara::cell::compiler
