// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tawara::cell::compiler {
namespace {

constexpr int worth_a_branch = 60; ///< vector instructions that a side has to save

bool differs(std::uint32_t id)
{
    return symbol_kind(id) == Symbol::state || symbol_kind(id) == Symbol::stimulus;
}

int cost(Op op)
{
    switch (op) {
    case Op::exp:
        return 15;
    case Op::div:
    case Op::sqrt:
        return 10;
    case Op::linexp:
    case Op::tanh:
        return 35;
    case Op::log:
        return 30;
    case Op::pow:
        return 45;
    case Op::rem:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
        return 200;
    default:
        return 1;
    }
}

class Planner
{
  public:
    Planner(const Graph& g, std::span<const Node> next)
        : g_(g), next_(next), order_(reachable(g, next))
    {
    }

    Plan run()
    {
        plan_.varying.assign(g_.size(), false);
        for (const Node n : order_) {
            plan_.varying[n] = g_.op(n) == Op::symbol && differs(g_.symbol_of(n));
            for (int k = 0; k < g_.arity(n); ++k)
                plan_.varying[n] = plan_.varying[n] || plan_.varying[g_.arg(n, k)];
        }
        plan_.branch_of.assign(g_.size(), -1);
        std::map<Node, std::vector<Node>> by_condition;
        for (const Node n : order_)
            if (g_.op(n) == Op::select && g_.type(n) == Type::real && plan_.varying[g_.arg(n, 0)])
                by_condition[g_.arg(n, 0)].push_back(n);
        std::vector<std::pair<int, Branch>> found;
        for (const auto& [condition, selects] : by_condition) {
            Branch b{condition, selects, {}, {}, {}};
            if (const int saved = sides(b); saved >= worth_a_branch && independent(b))
                found.emplace_back(saved, std::move(b));
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        taken_.assign(g_.size(), false);
        for (auto& [saved, b] : found)
            accept(std::move(b));
        order_states();
        find_early();
        return std::move(plan_);
    }

  private:
    /// Finds what each side alone needs. @return cost of the dearer side
    int sides(Branch& b) const
    {
        enum : char { unused, outside, then_side, else_side };
        std::vector<char> label(g_.size(), unused);
        const auto add = [&](Node n, char l) {
            label[n] = label[n] == unused || label[n] == l ? l : char(outside);
        };
        for (const Node r : next_)
            label[r] = outside;
        for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
            const Node n = *it;
            const bool mine = g_.op(n) == Op::select && g_.arg(n, 0) == b.condition;
            if (mine && label[n] == outside) {
                add(g_.arg(n, 0), outside);
                add(g_.arg(n, 1), then_side);
                add(g_.arg(n, 2), else_side);
                continue;
            }
            for (int k = 0; k < g_.arity(n); ++k)
                add(g_.arg(n, k), label[n]);
        }
        int costs[2] = {};
        for (const Node n : order_) {
            if (!plan_.varying[n] || g_.arity(n) == 0)
                continue;
            if (label[n] == then_side) {
                b.then_nodes.push_back(n);
                costs[0] += cost(g_.op(n));
            } else if (label[n] == else_side) {
                b.else_nodes.push_back(n);
                costs[1] += cost(g_.op(n));
            }
        }
        std::erase_if(b.selects, [&](Node n) { return label[n] != outside; });
        std::vector<bool> inside(g_.size(), false), listed(g_.size(), false);
        for (const auto* side : {&b.then_nodes, &b.else_nodes})
            for (const Node n : *side)
                inside[n] = true;
        const auto need = [&](Node n) {
            if (plan_.varying[n] && !inside[n] && !listed[n]) {
                listed[n] = true;
                b.inputs.push_back(n);
            }
        };
        for (const auto* side : {&b.then_nodes, &b.else_nodes})
            for (const Node n : *side)
                for (int k = 0; k < g_.arity(n); ++k)
                    need(g_.arg(n, k));
        for (const Node n : b.selects) {
            need(g_.arg(n, 1));
            need(g_.arg(n, 2));
        }
        need(b.condition);
        return std::max(costs[0], costs[1]);
    }

    /// Whether no input of the branch depends on one of its own selects.
    bool independent(const Branch& b) const
    {
        std::vector<bool> after(g_.size(), false);
        for (const Node n : b.selects)
            after[n] = true;
        for (const Node n : order_)
            for (int k = 0; k < g_.arity(n); ++k)
                after[n] = after[n] || after[g_.arg(n, k)];
        return std::none_of(b.inputs.begin(), b.inputs.end(), [&](Node n) { return after[n]; });
    }

    /// Takes a branch that shares nothing with those taken before.
    void accept(Branch b)
    {
        const auto free = [&](const std::vector<Node>& nodes) {
            return std::none_of(nodes.begin(), nodes.end(), [&](Node n) { return taken_[n]; });
        };
        if (!free(b.then_nodes) || !free(b.else_nodes) || !free(b.selects))
            return;
        for (const Node n : b.selects)
            plan_.branch_of[n] = static_cast<int>(plan_.branches.size());
        plan_.branches.push_back(std::move(b));
        const Branch& last = plan_.branches.back();
        if (!acyclic()) {
            for (const Node n : last.selects)
                plan_.branch_of[n] = -1;
            plan_.branches.pop_back();
            return;
        }
        for (const auto* nodes : {&last.then_nodes, &last.else_nodes, &last.selects})
            for (const Node n : *nodes)
                taken_[n] = true;
    }

    /// Whether all can be computed, a branch's selects at once.
    bool acyclic() const
    {
        enum : char { fresh, open, done };
        std::vector<char> state(g_.size(), fresh);
        std::vector<Node> stack;
        const auto each_need = [&](Node n, auto&& visit) {
            if (const int which = plan_.branch_of[n]; which >= 0)
                for (const Node a : plan_.branches[static_cast<std::size_t>(which)].inputs)
                    visit(a);
            else
                for (int k = 0; k < g_.arity(n); ++k)
                    visit(g_.arg(n, k));
        };
        for (const Node root : next_) {
            stack.push_back(root);
            while (!stack.empty()) {
                const Node n = stack.back();
                if (state[n] != fresh) {
                    state[n] = done;
                    stack.pop_back();
                    continue;
                }
                state[n] = open;
                bool circle = false;
                each_need(n, [&](Node a) {
                    circle = circle || state[a] == open;
                    if (state[a] == fresh)
                        stack.push_back(a);
                });
                if (circle)
                    return false;
            }
        }
        return true;
    }

    /// States that many results need are stored last: until then they can be read again.
    void order_states()
    {
        const std::size_t count = next_.size();
        std::vector<std::size_t> users(count, 0);
        for (const Node& r : next_)
            for (const Node n : reachable(g_, std::span(&r, 1)))
                if (g_.op(n) == Op::symbol && symbol_kind(g_.symbol_of(n)) == Symbol::state &&
                    symbol_index(g_.symbol_of(n)) < count)
                    ++users[symbol_index(g_.symbol_of(n))];
        for (std::size_t k = 0; k < count; ++k)
            plan_.order.push_back(k);
        std::stable_sort(plan_.order.begin(), plan_.order.end(),
                         [&](std::size_t a, std::size_t b) { return users[a] < users[b]; });
    }

    /// Exponentials that can be computed several at a time.
    void find_early()
    {
        plan_.early.assign(g_.size(), false);
        plan_.raised.assign(g_.size(), false);
        for (const Node n : order_)
            if (g_.op(n) == Op::mul && g_.arg(n, 0) == g_.arg(n, 1))
                plan_.raised[g_.arg(n, 0)] = true;
        std::vector<int> steps(g_.size(), 0);  // operations on V so far; many: not early
        std::vector<int> simple(g_.size(), 0); // the same on any state
        constexpr int many = 6;
        for (const Node n : order_) {
            if (!plan_.varying[n])
                continue;
            if (g_.op(n) == Op::exp)
                plan_.early[n] = steps[g_.arg(n, 0)] < many;
            if (g_.op(n) == Op::log && simple[g_.arg(n, 0)] < many && !in_a_branch(n))
                plan_.logarithms.push_back(n);
            const bool cheap = g_.op(n) == Op::add || g_.op(n) == Op::sub || g_.op(n) == Op::mul ||
                               g_.op(n) == Op::neg;
            if (g_.arity(n) == 0)
                steps[n] = g_.symbol_of(n) == symbol_id(Symbol::state, 0) ? 0 : many;
            else
                steps[n] = cheap ? 1 : many;
            simple[n] = g_.arity(n) == 0 ? 0 : cheap ? 1 : many;
            for (int k = 0; k < g_.arity(n); ++k)
                if (plan_.varying[g_.arg(n, k)]) {
                    steps[n] = std::min(many, steps[n] + steps[g_.arg(n, k)]);
                    simple[n] = std::min(many, simple[n] + simple[g_.arg(n, k)]);
                }
        }
    }

    bool in_a_branch(Node n) const
    {
        return std::any_of(plan_.branches.begin(), plan_.branches.end(), [&](const Branch& b) {
            return std::binary_search(b.then_nodes.begin(), b.then_nodes.end(), n) ||
                   std::binary_search(b.else_nodes.begin(), b.else_nodes.end(), n);
        });
    }

    const Graph& g_;
    const std::span<const Node> next_;
    std::vector<Node> order_;
    Plan plan_;
    std::vector<bool> taken_;
};

Interval hull(std::initializer_list<double> values)
{
    Interval out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const double v : values) {
        if (std::isnan(v))
            return {};
        out.low = std::min(out.low, v);
        out.high = std::max(out.high, v);
    }
    return out;
}

Interval product(const Interval& a, const Interval& b)
{
    return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

} // namespace

double rate_of_V(const Graph& g, Node n)
{
    for (int k = 0; k < 2 && g.op(n) == Op::mul; ++k)
        if (g.is_constant(g.arg(n, k)) && g.op(g.arg(n, 1 - k)) == Op::symbol &&
            g.symbol_of(g.arg(n, 1 - k)) == symbol_id(Symbol::state, 0))
            return std::abs(g.value(g.arg(n, k)));
    return std::numeric_limits<double>::infinity();
}

bool Interval::has_reciprocal(bool single) const
{
    const double least = single ? 0x1p-124 : 0x1p-1020;
    return (low >= least && high <= 1 / least) || (high <= -least && low >= -1 / least);
}

Plan make_plan(const Graph& g, std::span<const Node> next)
{
    return Planner(g, next).run();
}

std::vector<Interval> intervals(const Graph& g, std::span<const Node> roots, bool single)
{
    std::vector<Interval> out(g.size());
    const auto exponential = [&](Interval x, Node argument) {
        if (const double c = rate_of_V(g, argument); single && is_bounded(c, true))
            x = {c * least_V, -c * least_V};
        // LlvmMath::exp2() bounds what is beyond
        const double least = single ? -87.1 : -708.1, most = single ? 88.1 : 709.1;
        return Interval{std::exp(std::clamp(x.low, least, most)),
                        std::exp(std::clamp(x.high, least, most))};
    };
    const auto linexp = [](double x) { // falls from -x to 0
        return x == 0 ? 1.0 : x > 700 ? 0.0 : x / std::expm1(x);
    };
    for (const Node n : reachable(g, roots)) {
        const auto a = [&](int k) { return out[g.arg(n, k)]; };
        switch (g.op(n)) {
        case Op::constant:
            out[n] = {g.value(n), g.value(n)};
            break;
        case Op::symbol:
            if (g.symbol_of(n) == symbol_id(Symbol::state, 0))
                out[n] = {-1000, 1000};
            break;
        case Op::add:
            out[n] = hull({a(0).low + a(1).low, a(0).high + a(1).high});
            break;
        case Op::sub:
            out[n] = hull({a(0).low - a(1).high, a(0).high - a(1).low});
            break;
        case Op::neg:
            out[n] = {-a(0).high, -a(0).low};
            break;
        case Op::mul:
            out[n] = product(a(0), a(1));
            if (g.arg(n, 0) == g.arg(n, 1))
                out[n].low = std::max(out[n].low, 0.0);
            break;
        case Op::div:
            if (a(1).low > 0 || a(1).high < 0)
                out[n] = product(a(0), hull({1 / a(1).low, 1 / a(1).high}));
            break;
        case Op::exp:
            out[n] = exponential(a(0), g.arg(n, 0));
            break;
        case Op::linexp:
            out[n] = hull({linexp(a(0).high), a(0).low < -700 ? -a(0).low : linexp(a(0).low)});
            break;
        case Op::select:
            if (g.type(n) == Type::real)
                out[n] = hull({a(1).low, a(1).high, a(2).low, a(2).high});
            break;
        default:
            break;
        }
    }
    return out;
}

} // namespace tawara::cell::compiler
