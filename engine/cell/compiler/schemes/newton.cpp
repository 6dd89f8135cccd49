// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/schemes/newton.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tawara::cell::compiler {
namespace {

/// A sparse matrix of expressions; entries that are not there are 0.
using Row = std::map<std::size_t, Node>;

/// The elimination of one pattern of non-zeros: which pivots, in which order. V is the last, so
/// that its correction is known before all others.
std::vector<std::size_t> pivot_order(std::vector<Row> a)
{
    const std::size_t n = a.size();
    std::vector<std::size_t> order;
    std::vector<bool> done(n, false);
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t best = n, least = std::numeric_limits<std::size_t>::max();
        for (std::size_t p = 0; p < n; ++p) {
            if (done[p] || (p == 0 && step + 1 < n))
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
    Newton(CellSystem& s, const NewtonOptions& options)
        : s_(s), o_(options), g_(s.graph), n_(s.states.size()), m_(n_ + (o_.fixed_V ? 2 : 0)),
          dt_(g_.symbol(symbol_id(Symbol::dt)))
    {
        const Node end = f(Op::add, g_.symbol(symbol_id(Symbol::time)), dt_);
        f_ = substitute(g_, s.rates(), [&](std::uint32_t id) {
            return symbol_kind(id) == Symbol::time ? end : no_node;
        });
        for (std::uint32_t k = 0; k < n_; ++k)
            y_.push_back(g_.symbol(symbol_id(Symbol::state, k)));
        rate_ = f_[0];
        if (o_.fixed_V)
            f_[0] = number(0);
        a_.resize(n_);
        for (std::uint32_t j = 0; j < n_; ++j) {
            const auto column = differentiate(g_, f_, symbol_id(Symbol::state, j));
            for (std::size_t i = 0; i < n_; ++i) {
                const Node slope = finite(column[i]);
                if (i == j || !g_.is_constant(slope, 0))
                    a_[i][j] = minus(i == j ? number(1) : number(0), times(dt_, slope));
            }
        }
        for (std::uint32_t i = 0; i < n_; ++i)
            if (i == 0 ? !o_.fixed_V
                       : !follows_V(i) && depends_on(g_, a_[i][i], symbol_id(Symbol::state, i)))
                bracketed_.push_back(i);
        order_ = pivot_order(a_);
        positive_ = under_logarithms();
    }

    StepNodes run(std::vector<Node> start)
    {
        StepNodes s = iterations(std::move(start));
        s.next = y_;
        s.next[0] = f(Op::select, found(), y_[0], nan());
        return s;
    }
    StepNodes source(std::vector<Node> start)
    {
        StepNodes s = iterations(std::move(start));
        s.next = y_;
        const auto turns = solve(eliminated(), std::vector<Node>(n_, number(0)),
                                 [&](Node) { return number(1); }); // ds/dV
        Node slope = number(0);
        for (std::uint32_t j = 0; j < n_; ++j) {
            const auto by = differentiate(g_, std::span(&rate_, 1), symbol_id(Symbol::state, j));
            slope = f(Op::add, slope, times(finite(by[0]), turns[j]));
        }
        s.next.push_back(f(Op::select, found(), rate_, nan()));
        s.next.push_back(finite(slope));
        compute_once(s);
        return s;
    }

  private:
    /// The start and the iterations.
    StepNodes iterations(std::vector<Node> start)
    {
        for (std::size_t i = 0; i < n_; ++i) // slopes may have overflown; gates that follow V
            start[i] = follows_V(i)          // come with the first iteration
                           ? y_[i]
                           : kept_in_range(i, f(Op::select, within(start[i]), start[i], y_[i]));
        if (o_.fixed_V)
            start[0] = y_[0];
        start.resize(m_, number(0));
        start.insert(start.end(), y_.begin(), y_.end());
        start.insert(start.end(), 3, number(0)); // iterations made, the verdicts
        for (std::size_t k = 0; k < bracketed_.size(); ++k) {
            start.push_back(number(-unbounded));
            start.push_back(number(unbounded));
        }
        StepNodes s;
        s.before = {{start, 1, {}}, {iteration(eliminated()), o_.most, m_ + ended()}};
        s.kept = bounds(bracketed_.size());
        return s;
    }
    /// What later parts would compute anew in each round, though V and the states before the step
    /// alone decide it, is computed with the start and kept: exponentials of V above all.
    void compute_once(StepNodes& s)
    {
        Part& rounds = s.before.at(1);
        std::vector<Node> roots = rounds.next;
        roots.insert(roots.end(), s.next.begin(), s.next.end());
        const auto changes = depends(g_, [&](std::uint32_t id) {
            const std::uint32_t k = symbol_index(id);
            return symbol_kind(id) == Symbol::state && k != 0 && (k < m_ || k >= m_ + n_);
        });
        std::vector<bool> dear(g_.size(), false), wanted(g_.size(), false);
        const auto order = reachable(g_, roots);
        for (const Node n : order) {
            const Op op = g_.op(n);
            dear[n] = op == Op::exp || op == Op::log || op == Op::linexp || op == Op::pow ||
                      op == Op::tanh || op == Op::sqrt || op == Op::div;
            for (int k = 0; k < g_.arity(n); ++k)
                dear[n] = dear[n] || dear[g_.arg(n, k)];
        }
        for (const Node r : roots)
            wanted[r] = true;
        const auto by_V = depends(g_, [](std::uint32_t id) {
            return symbol_kind(id) == Symbol::state || symbol_kind(id) == Symbol::stimulus;
        });
        std::vector<Node> once;
        std::map<Node, Node> to;
        for (auto it = order.rbegin(); it != order.rend(); ++it) { // the largest ones
            const Node n = *it;
            if (!wanted[n])
                continue;
            if (g_.type(n) == Type::real && dear[n] && by_V[n] && !changes[n]) {
                to[n] = kept(s.kept + once.size());
                once.push_back(n);
            } else
                for (int k = 0; k < g_.arity(n); ++k)
                    wanted[g_.arg(n, k)] = true;
        }
        s.kept += once.size();
        roots = rewrite(g_, roots, [&](Node n, const std::array<Node, 3>& a) {
            if (const auto it = to.find(n); it != to.end())
                return it->second;
            return g_.arity(n) == 0 ? n : simple(g_, g_.op(n), a[0], a[1], a[2]);
        });
        rounds.next.assign(roots.begin(), roots.begin() + std::ssize(rounds.next));
        s.next.assign(roots.begin() + std::ssize(rounds.next), roots.end());
        // the states before the step are the states themselves while the start is computed
        const auto first = substitute(g_, once, [&](std::uint32_t id) {
            const std::uint32_t k = symbol_index(id);
            return symbol_kind(id) == Symbol::state && k >= m_ ? y_[k - m_] : no_node;
        });
        s.before.front().next.insert(s.before.front().next.end(), first.begin(), first.end());
    }
    Node found() { return f(Op::lt, number(0), kept(accepted())); }
    Node nan() { return number(std::numeric_limits<double>::quiet_NaN()); }

    Node f(Op op, Node a, Node b = no_node, Node c = no_node) { return simple(g_, op, a, b, c); }
    Node number(double v) { return g_.constant(v); }
    Node times(Node a, Node b) { return f(Op::mul, a, b); }
    Node minus(Node a, Node b) { return f(Op::sub, a, b); }

    Node within(Node x)
    {
        return f(Op::lt, f(Op::abs, x), number(o_.single_precision ? 1e30 : 1e290));
    }
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

    /// What counts as a small change of a state that is near 0.
    double floor_of(std::size_t i) const
    {
        if (i == 0)
            return 100; // mV
        return s_.states[i].gate ? 0.01 : 0.01 * std::abs(s_.states[i].initial) + 1e-9;
    }
    /// Gates stay in [0, 1], and what the rates take logarithms or roots of stays positive: a tenth
    /// of it is left.
    Node kept_in_range(std::size_t i, Node y)
    {
        if (i == 0)
            return f(Op::max, f(Op::min, y, number(largest_mV)), number(-largest_mV));
        if (s_.states[i].gate)
            return f(Op::min, f(Op::max, y, number(0)), number(1));
        if (!positive_[i])
            return y;
        const Node least = times(number(0.1), y_[i]);
        return f(Op::select, f(Op::lt, number(0), y_[i]), f(Op::max, y, least), y);
    }
    /// States other than V that the rates take logarithms or roots of.
    std::vector<bool> under_logarithms() const
    {
        std::vector<Node> arguments;
        for (const Node n : reachable(g_, f_))
            if (g_.op(n) == Op::log || g_.op(n) == Op::sqrt ||
                (g_.op(n) == Op::pow && !is_integer(g_.arg(n, 1))))
                arguments.push_back(g_.arg(n, 0));
        std::vector<bool> found(n_, false);
        for (const Node n : reachable(g_, arguments))
            if (g_.op(n) == Op::symbol && symbol_kind(g_.symbol_of(n)) == Symbol::state)
                found[symbol_index(g_.symbol_of(n))] = true;
        found[0] = false;
        return found;
    }
    bool is_integer(Node n) const
    {
        return g_.is_constant(n) && g_.value(n) == std::round(g_.value(n));
    }

    /// What is kept, behind the states: those before the step, the number of iterations, whether
    /// the last correction was small enough to go on with, whether it was so small that no other
    /// one is needed (1, else 0), and what each bracketed state is known to lie between.
    std::size_t rounds() const { return n_; }
    std::size_t accepted() const { return n_ + 1; }
    std::size_t ended() const { return n_ + 2; }
    std::size_t bounds(std::size_t k) const { return n_ + 3 + 2 * k; }
    Node kept(std::size_t k)
    {
        return g_.symbol(symbol_id(Symbol::state, static_cast<std::uint32_t>(m_ + k)));
    }

    Node since(int round) { return f(Op::le, number(round), kept(rounds())); }
    Node part_of(std::size_t i, double relative)
    {
        return times(number(relative), f(Op::add, f(Op::abs, y_[i]), number(floor_of(i))));
    }

    struct Bracketed
    {
        Node y = no_node, low = no_node,
             high = no_node; ///< the state after the correction c, what it lies between
    };
    /// State i less its correction c, or the middle of what the signs of its corrections say that
    /// it lies between, where it would leave that by more than `least`. What other states did
    /// meanwhile may have made that wrong: where it has shut, it opens again.
    Bracketed bracketed(std::size_t k, Node c, Node active, Node least, Node opens)
    {
        const Node y = y_[bracketed_[k]], rises = f(Op::lt, c, number(0));
        Bracketed b;
        b.low = f(Op::select, f(Op::both, active, rises), y, kept(bounds(k)));
        b.high = f(Op::select, f(Op::both, active, f(Op::negate, rises)), y, kept(bounds(k) + 1));
        b.y = minus(y, c);
        const Node leaves = f(Op::either, f(Op::le, b.y, b.low), f(Op::le, b.high, b.y));
        const Node far = f(Op::lt, least, f(Op::abs, c));
        b.y = f(Op::select, f(Op::both, f(Op::both, active, far), leaves),
                times(number(0.5), f(Op::add, b.low, b.high)), b.y);
        const Node shut = f(Op::both, opens, f(Op::lt, minus(b.high, b.low), least));
        b.low = f(Op::select, shut, number(-unbounded), b.low);
        b.high = f(Op::select, shut, number(unbounded), b.high);
        return b;
    }
    /// V after its correction, of which no more is made than the largest change.
    Bracketed moved_V(Node c)
    {
        const Node most = number(o_.largest_change_mV);
        const Node shorter = f(Op::max, f(Op::min, c, most), f(Op::neg, most));
        const Node least = f(Op::select, since(o_.bracket_from), number(o_.least_halving_mV),
                             number(o_.first_halving_mV));
        auto b = bracketed(0, shorter, g_.truth(true), least, f(Op::negate, since(o_.jump_from)));
        // what jumps are told by is found anew, with the other states as they are by then
        const Node anew = f(Op::both, since(o_.jump_from - 1), f(Op::negate, since(o_.jump_from)));
        b.low = f(Op::select, anew, number(-unbounded), b.low);
        b.high = f(Op::select, anew, number(unbounded), b.high);
        return b;
    }
    /// Whether V, which Newton's method would move by c, is at a jump of the rates: it proved too
    /// low on one side and too high on the other.
    Node at_jump(const Bracketed& V, Node c)
    {
        const Node both_sides =
            f(Op::both, f(Op::lt, number(-unbounded), V.low), f(Op::lt, V.high, number(unbounded)));
        const Node near = f(Op::le, f(Op::abs, c), number(o_.largest_jump_mV));
        return f(Op::both, since(o_.jump_from), f(Op::both, both_sides, near));
    }

    /// An iteration from the states y: the next ones, and what is kept. Cells where the iterations
    /// have ended stay as they are, so that a cell's result does not depend on its neighbours'.
    std::vector<Node> iteration(const std::vector<Row>& matrix)
    {
        std::vector<Node> residual;
        for (std::size_t i = 0; i < n_; ++i)
            residual.push_back(follows_V(i) || (i == 0 && o_.fixed_V)
                                   ? number(0)
                                   : minus(minus(y_[i], kept(i)), times(dt_, f_[i])));
        std::vector<Node> correction, y, between;
        if (o_.fixed_V) {
            correction = solve(matrix, std::move(residual), [&](Node) { return number(0); });
            y = {y_[0]};
        } else {
            Bracketed V;
            Node whole = no_node; // correction of V, most of which may not be made
            correction = solve(matrix, std::move(residual), [&](Node c) {
                whole = c;
                V = moved_V(c);
                return minus(y_[0], V.y);
            });
            correction[0] = f(Op::select, at_jump(V, whole), correction[0], whole);
            y = {kept_in_range(0, V.y)};
            between = {V.low, V.high};
        }
        for (std::size_t i = 1, k = between.size() / 2; i < n_; ++i) {
            Node next = minus(y_[i], correction[i]);
            if (k < bracketed_.size() && bracketed_[k] == i) {
                const auto b = bracketed(k++, correction[i], since(o_.bracket_from),
                                         part_of(i, o_.tolerance), g_.truth(true));
                next = b.y;
                between.insert(between.end(), {b.low, b.high});
            }
            y.push_back(kept_in_range(i, next));
        }
        y.resize(m_, number(0));
        for (std::size_t i = 0; i < n_; ++i)
            y.push_back(kept(i));
        y.push_back(f(Op::add, kept(rounds()), number(1)));
        for (const double relative : {o_.accepted, o_.tolerance})
            y.push_back(f(Op::select, is_small(correction, relative), number(1), number(0)));
        y.insert(y.end(), between.begin(), between.end());
        y = with_gates(y);
        const Node goes_on = f(Op::lt, kept(ended()), number(1));
        for (std::size_t k = 0; k < y.size(); ++k)
            if (k < n_ || k >= m_)
                y[k] = f(Op::select, goes_on, y[k], k < n_ ? y_[k] : kept(k - m_));
        return y;
    }
    Node is_small(const std::vector<Node>& correction, double relative)
    {
        Node small = g_.truth(true);
        for (std::size_t i = 0; i < n_; ++i)
            if (!follows_V(i))
                small =
                    f(Op::both, small, f(Op::le, f(Op::abs, correction[i]), part_of(i, relative)));
        return small;
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
    /// The corrections. @param limit  makes of V's, the last pivot's, the one that the others
    /// follow
    template <class Limit>
    std::vector<Node> solve(const std::vector<Row>& a, std::vector<Node> x, Limit&& limit)
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
            if (p == 0)
                x[p] = limit(x[p]);
        }
        return x;
    }
    bool is_before(std::size_t j, std::size_t p) const
    {
        return std::find(order_.begin(), order_.end(), j) <
               std::find(order_.begin(), order_.end(), p);
    }

    static constexpr double least_pivot = 0.1, largest_mV = 1000, unbounded = 1e30;

    CellSystem& s_;
    const NewtonOptions o_;
    Graph& g_;
    std::size_t n_, m_; ///< states; and with what the last part leaves behind them
    Node dt_;
    std::vector<Node> f_, y_; ///< rates at the end of the step; states
    Node rate_ = no_node;     ///< of V, whether it moves or not
    std::vector<Row> a_;      ///< I - dt J, of the states' symbols
    std::vector<std::size_t> order_;
    std::vector<bool> positive_;         ///< states that have to be
    std::vector<std::size_t> bracketed_; ///< V and states whose own slope changes with them
};

} // namespace

StepNodes newton_step(CellSystem& s, const std::vector<Node>& start, const NewtonOptions& options)
{
    return Newton(s, options).run(start);
}

StepNodes source_step(CellSystem& s, const std::vector<Node>& start, NewtonOptions options)
{
    options.fixed_V = true;
    return Newton(s, options).source(start);
}

} // namespace tawara::cell::compiler
