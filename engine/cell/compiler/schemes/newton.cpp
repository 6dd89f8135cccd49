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
    Newton(CellSystem& s, bool single_precision)
        : s_(s), single_(single_precision), g_(s.graph), n_(s.states.size()),
          dt_(g_.symbol(symbol_id(Symbol::dt)))
    {
        const Node end = f(Op::add, g_.symbol(symbol_id(Symbol::time)), dt_);
        f_ = substitute(g_, s.rates(), [&](std::uint32_t id) {
            return symbol_kind(id) == Symbol::time ? end : no_node;
        });
        for (std::uint32_t k = 0; k < n_; ++k)
            y_.push_back(g_.symbol(symbol_id(Symbol::state, k)));
        a_.resize(n_);
        for (std::uint32_t j = 0; j < n_; ++j) {
            const auto column = differentiate(g_, f_, symbol_id(Symbol::state, j));
            for (std::size_t i = 0; i < n_; ++i) {
                const Node slope = finite(column[i]);
                if (i == j || !g_.is_constant(slope, 0))
                    a_[i][j] = minus(i == j ? number(1) : number(0), times(dt_, slope));
            }
        }
        order_ = pivot_order(a_);
    }

    StepNodes run(std::vector<Node> start, const NewtonOptions& o)
    {
        // V stays within what the emitted exponentials are made for, whatever the iterations do
        const double most = 1000 - (o.exact + o.simplified) * o.largest_change_mV;
        start[0] = f(Op::max, f(Op::min, start[0], number(most)), number(-most));
        for (std::size_t i = 0; i < n_; ++i) // slopes may have overflown; gates that follow V
            start[i] = follows_V(i) ? y_[i]  // come with the first iteration
                                    : f(Op::select, within(start[i]), start[i], y_[i]);
        start.insert(start.end(), y_.begin(), y_.end()); // kept: the states before the step,
        start.push_back(number(-unbounded_mV));          // what V is known to lie between
        start.push_back(number(unbounded_mV));

        auto matrix = eliminated();
        auto exact = iteration(matrix, o);
        replace_gates(matrix);
        const auto varies = depends(g_, [](std::uint32_t id) {
            return symbol_kind(id) == Symbol::state || symbol_kind(id) == Symbol::stimulus;
        });
        std::vector<Node> factors;
        for (auto& row : matrix)
            for (auto& [j, x] : row)
                if (varies[x]) {
                    factors.push_back(x);
                    x = kept(verdict() + factors.size());
                }
        auto simplified = iteration(matrix, o);
        if (o.simplified > 0)
            exact.back() = kept(verdict()); // the verdict is the last part's
        exact.insert(exact.end(), factors.begin(), factors.end());

        StepNodes s;
        s.before = {{start, 1}, {exact, o.exact}};
        if (o.simplified > 0)
            s.before.push_back({simplified, o.simplified});
        s.kept = verdict() + 1 + factors.size();
        s.next = y_;
        s.next[0] = f(Op::select, f(Op::lt, number(0), kept(verdict())), y_[0],
                      number(std::numeric_limits<double>::quiet_NaN()));
        return s;
    }

  private:
    Node f(Op op, Node a, Node b = no_node, Node c = no_node) { return simple(g_, op, a, b, c); }
    Node number(double v) { return g_.constant(v); }
    Node times(Node a, Node b) { return f(Op::mul, a, b); }
    Node minus(Node a, Node b) { return f(Op::sub, a, b); }

    Node within(Node x) { return f(Op::lt, f(Op::abs, x), number(single_ ? 1e30 : 1e290)); }
    /// A slope, 0 where it overflows or is not a number: behind an exponential that is as large as
    /// can be, as in 1 / (1 + exp(250)), the chain rule multiplies 0 and infinity. Newton's method
    /// does with a matrix that lacks an entry; whether it converged is checked anyway.
    Node finite(Node x) { return g_.is_constant(x) ? x : f(Op::select, within(x), x, number(0)); }

    /// A gate of V alone: its equation is linear, so it has no part in the iterations and is what V
    /// makes of it.
    bool follows_V(std::size_t i) const
    {
        return s_.states[i].gate && s_.states[i].gate->voltage_only;
    }
    /// Expressions with the gates that follow V where V puts them at the end of the step.
    std::vector<Node> with_gates(const std::vector<Node>& roots)
    {
        std::vector<Node> before(n_, no_node), after(n_, no_node);
        for (std::size_t i = 0; i < n_; ++i)
            if (follows_V(i))
                before[i] = kept(i);
        const auto put = [&](const std::vector<Node>& x) {
            return [&](std::uint32_t id) {
                return symbol_kind(id) == Symbol::state && symbol_index(id) < n_
                           ? x[symbol_index(id)]
                           : no_node;
            };
        };
        const auto rates = substitute(g_, f_, put(before));
        for (std::size_t i = 0; i < n_; ++i)
            if (follows_V(i))
                after[i] = kept_in_range(
                    i, f(Op::add, kept(i), f(Op::div, times(dt_, rates[i]), a_[i][i])));
        return substitute(g_, roots, put(after));
    }
    void replace_gates(std::vector<Row>& matrix)
    {
        std::vector<Node> all;
        for (const auto& row : matrix)
            for (const auto& [j, x] : row)
                all.push_back(x);
        all = with_gates(all);
        auto from = all.begin();
        for (auto& row : matrix)
            for (auto& [j, x] : row)
                x = *from++;
    }

    /// What counts as a small change of a state that is near 0.
    double floor_of(std::size_t i) const
    {
        if (i == 0)
            return 100; // mV
        return s_.states[i].gate ? 0.01 : 0.01 * std::abs(s_.states[i].initial) + 1e-9;
    }
    Node kept_in_range(std::size_t i, Node y)
    {
        if (!s_.states[i].gate)
            return y;
        return f(Op::min, f(Op::max, y, number(0)), number(1));
    }

    /// What is kept, behind the states: those before the step, what V is known to lie between,
    /// whether the last correction was small (1, else 0), then the factors of the last exact
    /// iteration.
    std::size_t below() const { return n_; }
    std::size_t above() const { return n_ + 1; }
    std::size_t verdict() const { return n_ + 2; }
    Node kept(std::size_t k)
    {
        return g_.symbol(symbol_id(Symbol::state, static_cast<std::uint32_t>(n_ + k)));
    }

    /// The share of a correction that is made: no more of V than the largest change; and where V
    /// would leave what it is known to lie between, up to the middle of that. So the iterations end
    /// where they would go to and fro, as at a jump of the rates (LR91's gates at -40 mV).
    Node share_of(Node c, Node low, Node high, const NewtonOptions& o)
    {
        const Node most = number(o.largest_change_mV), size = f(Op::abs, c);
        const Node share = f(Op::div, most, f(Op::max, most, size));
        const Node V = minus(y_[0], times(share, c));
        const Node leaves = f(Op::either, f(Op::lt, V, low), f(Op::lt, high, V));
        const Node half = times(number(0.5), f(Op::add, low, high));
        return f(Op::select, f(Op::both, leaves, f(Op::lt, number(o.smallest_halving_mV), size)),
                 f(Op::div, minus(y_[0], half), c), share);
    }

    /// An iteration from the states y: the next ones, and what is kept up to the verdict.
    std::vector<Node> iteration(const std::vector<Row>& matrix, const NewtonOptions& o)
    {
        std::vector<Node> residual;
        for (std::size_t i = 0; i < n_; ++i)
            residual.push_back(follows_V(i) ? number(0)
                                            : minus(minus(y_[i], kept(i)), times(dt_, f_[i])));
        const auto correction = solve(matrix, std::move(residual));
        const Node rises = f(Op::lt, correction[0], number(0));
        const Node low = f(Op::select, rises, y_[0], kept(below())),
                   high = f(Op::select, rises, kept(above()), y_[0]);
        const Node share = share_of(correction[0], low, high, o);
        std::vector<Node> y;
        Node converged = g_.truth(true);
        for (std::size_t i = 0; i < n_; ++i) {
            const Node c = times(share, correction[i]);
            y.push_back(kept_in_range(i, minus(y_[i], c)));
            if (follows_V(i))
                continue;
            const Node size = f(Op::add, f(Op::abs, y[i]), number(floor_of(i)));
            converged =
                f(Op::both, converged, f(Op::le, f(Op::abs, c), times(number(o.tolerance), size)));
        }
        for (std::size_t i = 0; i < n_; ++i)
            y.push_back(kept(i));
        y.insert(y.end(), {low, high, f(Op::select, converged, number(1), number(0))});
        return with_gates(y);
    }

    /// Factors in place: below the pivots the multipliers, at them their reciprocals. A state that
    /// drives itself on has a pivot near 0 or below, and its correction would be huge or lead
    /// backwards; there the least pivot counts.
    std::vector<Row> eliminated()
    {
        auto a = a_;
        std::vector<bool> done(n_, false);
        for (const std::size_t p : order_) {
            done[p] = true;
            if (!s_.states[p].gate)
                a[p][p] = f(Op::max, a[p][p], number(least_pivot));
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

    static constexpr double least_pivot = 0.1, unbounded_mV = 2000;

    CellSystem& s_;
    bool single_;
    Graph& g_;
    std::size_t n_;
    Node dt_;
    std::vector<Node> f_, y_; ///< rates at the end of the step; states
    std::vector<Row> a_;      ///< I - dt J, of the states' symbols
    std::vector<std::size_t> order_;
};

} // namespace

StepNodes newton_step(CellSystem& s, const std::vector<Node>& start, const NewtonOptions& options)
{
    return Newton(s, options.single_precision).run(start, options);
}

} // namespace tawara::cell::compiler
