// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/linear.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"
#include "engine/cell/compiler/optimise/samples.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace tawara::cell::compiler {
namespace {

/// num / (product of den) whose division is put off.
struct Fraction
{
    Node num = no_node;
    std::vector<Node> den;
};

/// Carries quotients upwards through products, sums and selections until a value is needed.
class Pass
{
  public:
    /// Products of more factors than this might overflow.
    static constexpr std::size_t most_factors = 6;

    Pass(Graph& g, std::span<const Node> roots, const FractionOptions& o, Samples* samples)
        : g_(g), forms_(g, {}), largest_(o.largest), share_all_(o.share_all), samples_(samples),
          users_(g.size()), root_(g.size())
    {
        for (const Node n : reachable(g, roots)) {
            const int count = g.arity(n);
            for (int i = 0; i < count; ++i) // x x is one user of x
                users_[g.arg(n, i)] += i == 0 || g.arg(n, i) != g.arg(n, 0);
        }
        for (const Node r : roots)
            root_[r] = true;
    }

    /// @param shared  quotients that every user may carry on by itself, dividing later
    std::vector<Node> run(std::span<const Node> roots, const std::set<Node>& shared)
    {
        at_.clear();
        may_share.clear();
        saved = 0;
        for (const Node n : reachable(g_, roots)) {
            Fraction f = visit(n);
            if (f.den.size() > 1 && shared.count(n)) // a power of a reciprocal: of one number
                f.den = {product_of(no_node, f.den)};
            if (!f.den.empty() && (root_[n] || (users_[n] > 1 && !shared.count(n)))) {
                if (!root_[n] && (share_all_ || !forms_.varies(f.num)))
                    may_share.push_back(n);
                f = {value_of(f), {}};
            }
            at_[n] = std::move(f);
        }
        std::vector<Node> out;
        for (const Node r : roots)
            out.push_back(value(r));
        return out;
    }

    bool varies(Node n) { return forms_.varies(n); }
    int saved = 0;
    std::vector<Node> may_share; ///< quotients that several need

  private:
    using Factors = std::vector<Node>;

    Node f(Op op, Node a, Node b = no_node, Node c = no_node) { return simple(g_, op, a, b, c); }
    Node product_of(Node start, const Factors& factors)
    {
        for (const Node x : factors)
            start = start == no_node ? x : f(Op::mul, start, x);
        return start == no_node ? g_.constant(1) : start;
    }
    Node value_of(const Fraction& x)
    {
        return x.den.empty() ? x.num : f(Op::div, x.num, product_of(no_node, x.den));
    }
    Node value(Node old) { return value_of(at_.at(old)); }

    /// Takes from both what they have in common. @return that
    static Factors common(Factors& a, Factors& b)
    {
        Factors both;
        std::erase_if(a, [&](Node x) {
            const auto it = std::find(b.begin(), b.end(), x);
            if (it == b.end())
                return false;
            b.erase(it);
            both.push_back(x);
            return true;
        });
        return both;
    }
    static Factors joined(Factors a, const Factors& b)
    {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }

    /// Numerator and denominator stay within the range of numbers.
    bool fits(const Fraction& x)
    {
        if (x.den.size() > most_factors)
            return false;
        return !samples_ || (samples_->within(x.num, largest_, true) &&
                             samples_->within(product_of(no_node, x.den), largest_, false));
    }

    Fraction visit(Node n)
    {
        const Op op = g_.op(n);
        if (g_.arity(n) == 0 || !forms_.varies(n))
            return {n, {}};
        if (op == Op::neg) {
            Fraction x = at_.at(g_.arg(n, 0));
            x.num = f(Op::neg, x.num);
            return x;
        }
        if (op == Op::mul || op == Op::div)
            return product(at_.at(g_.arg(n, 0)), at_.at(g_.arg(n, 1)), op == Op::div);
        if (op == Op::add || op == Op::sub)
            return sum(n, op, at_.at(g_.arg(n, 0)), at_.at(g_.arg(n, 1)));
        if (op == Op::select && g_.type(n) == Type::real)
            return selection(n, value(g_.arg(n, 0)), at_.at(g_.arg(n, 1)), at_.at(g_.arg(n, 2)));
        std::array<Node, 3> a{no_node, no_node, no_node};
        for (int i = 0; i < g_.arity(n); ++i)
            a[static_cast<std::size_t>(i)] = value(g_.arg(n, i));
        return {f(op, a[0], a[1], a[2]), {}};
    }

    Fraction product(Fraction a, Fraction b, bool divide)
    {
        if (divide && b.den.empty() && !forms_.varies(b.num)) { // no division at run time
            a.num = f(Op::mul, a.num, f(Op::div, g_.constant(1), b.num));
            return a;
        }
        Fraction out;
        if (divide) {
            Factors above = b.den, below = a.den;
            common(above, below);
            out = {product_of(a.num, above), joined(std::move(below), {b.num})};
        } else
            out = {f(Op::mul, a.num, b.num), joined(a.den, b.den)};
        if (!fits(out)) {
            const Node x = value_of(a), y = value_of(b);
            return divide ? Fraction{x, {y}} : Fraction{f(Op::mul, x, y), {}};
        }
        saved += (!a.den.empty() && (!b.den.empty() || divide)) || (divide && !b.den.empty());
        return out;
    }

    Fraction sum(Node n, Op op, const Fraction& a, const Fraction& b)
    {
        if (a.den.empty() && b.den.empty())
            return {f(op, a.num, b.num), {}};
        const bool last = root_[n] || users_[n] != 1;
        if ((a.den.empty() || b.den.empty()) && last)
            return {f(op, value_of(a), value_of(b)), {}};
        Factors only_a = a.den, only_b = b.den;
        Factors den = common(only_a, only_b);
        Fraction out{f(op, product_of(a.num, only_b), product_of(b.num, only_a)),
                     joined(joined(std::move(den), only_a), only_b)};
        if (!fits(out))
            return {f(op, value_of(a), value_of(b)), {}};
        saved += !a.den.empty() && !b.den.empty();
        return out;
    }

    Fraction selection(Node n, Node condition, const Fraction& a, const Fraction& b)
    {
        const bool last = root_[n] || users_[n] != 1;
        if ((a.den.empty() && b.den.empty()) || ((a.den.empty() || b.den.empty()) && last))
            return {f(Op::select, condition, value_of(a), value_of(b)), {}};
        Factors only_a = a.den, only_b = b.den;
        Fraction out{f(Op::select, condition, a.num, b.num), common(only_a, only_b)};
        if (!only_a.empty() || !only_b.empty())
            out.den.push_back(
                f(Op::select, condition, product_of(no_node, only_a), product_of(no_node, only_b)));
        if (!fits(out))
            return {f(Op::select, condition, value_of(a), value_of(b)), {}};
        saved += !a.den.empty() && !b.den.empty();
        return out;
    }

    Graph& g_;
    LinearForms forms_;
    double largest_;
    bool share_all_;
    Samples* samples_;
    std::vector<int> users_;
    std::vector<bool> root_;
    std::unordered_map<Node, Fraction> at_;
};

/// Instructions of the arithmetic that is left.
double cost(const Graph& g, std::span<const Node> roots, Pass& pass, double division)
{
    double sum = 0;
    for (const Node n : reachable(g, roots)) {
        const Op op = g.op(n);
        if (op == Op::div && pass.varies(n))
            sum += pass.varies(g.arg(n, 1)) ? division : 1;
        else if ((op == Op::add || op == Op::sub || op == Op::mul) && pass.varies(n))
            sum += op == Op::mul ? 1 : 0.5; // every other addition is part of an fma
        else if (op == Op::select && pass.varies(n))
            sum += 1;
    }
    return sum;
}

/// What to try: reciprocals together with their powers, and every quotient by itself.
std::vector<std::vector<Node>> to_share(const Graph& g, std::span<const Node> roots,
                                        const std::vector<Node>& quotients)
{
    std::vector<std::vector<Node>> out;
    const auto order = reachable(g, roots);
    for (const Node q : quotients) {
        std::vector<Node> powers{q};
        const auto known = [&](Node n) {
            return std::find(powers.begin(), powers.end(), n) != powers.end();
        };
        for (const Node n : order)
            if (g.op(n) == Op::mul && known(g.arg(n, 0)) && known(g.arg(n, 1)))
                powers.push_back(n);
        if (powers.size() > 1)
            out.push_back(std::move(powers));
    }
    for (const Node q : quotients)
        out.push_back({q});
    return out;
}

} // namespace

int merge_fractions(Graph& g, std::vector<Node>& roots, const FractionOptions& o)
{
    constexpr std::size_t small = 6000; // above: no search, and no samples of every node
    const std::size_t size = reachable(g, roots).size();
    if (o.probe && size > small && o.largest < 1e100)
        return 0;
    std::optional<Samples> samples;
    if (o.probe && size <= small)
        samples.emplace(g, o.states, o.parameters);
    Pass pass(g, roots, o, samples ? &*samples : nullptr);
    std::set<Node> shared;
    auto best = pass.run(roots, shared);
    int saved = pass.saved;
    double least = cost(g, best, pass, o.division);
    const double before = cost(g, roots, pass, o.division);
    if (before <= least && !o.share_all)
        return 0;
    if (size <= small) {
        for (const auto& candidates : to_share(g, roots, pass.may_share)) {
            auto trial = shared;
            trial.insert(candidates.begin(), candidates.end());
            auto made = pass.run(roots, trial);
            if (const double c = cost(g, made, pass, o.division); c < least) {
                least = c;
                best = std::move(made);
                shared = std::move(trial);
                saved = pass.saved;
            }
        }
    }
    if (before <= least)
        return 0;
    roots = best;
    return saved;
}

} // namespace tawara::cell::compiler
