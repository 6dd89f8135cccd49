// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/split.hpp"

#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/placement.hpp"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tawara::cell::compiler {
namespace {

double cost(Op op)
{
    switch (op) {
    case Op::exp:
    case Op::linexp:
        return 17;
    case Op::div:
    case Op::sqrt:
        return 9;
    case Op::log:
    case Op::pow:
    case Op::tanh:
        return 24;
    default:
        return 1;
    }
}

class Splitter
{
  public:
    explicit Splitter(const Program& p)
        : p_(p), g_(p.graph), varies_(differs_between_cells(g_)), position_(g_.size(), 0),
          last_use_(g_.size(), 0), state_use_(p.next.size(), 0)
    {
        for (const Node n : depth_first(g_, p.next))
            if (g_.type(n) == Type::real)
                order_.push_back(n);
        for (std::size_t k = 0; k < order_.size(); ++k)
            position_[order_[k]] = k;
        for (std::size_t k = 0; k < order_.size(); ++k)
            for_each_input(order_[k], [&](Node a) {
                if (g_.arity(a) > 0)
                    last_use_[a] = std::max(last_use_[a], k);
                else if (symbol_kind(g_.symbol_of(a)) == Symbol::state) {
                    auto& use = state_use_[symbol_index(g_.symbol_of(a))];
                    use = std::max(use, k);
                }
            });
        // a result waits for the last reader of the old value
        for (std::size_t k = 0; k < p.next.size(); ++k)
            if (is_value(p.next[k]))
                last_use_[p.next[k]] = std::max(last_use_[p.next[k]], state_use_[k]);
    }

    Split run(std::size_t parts)
    {
        choose_cuts(std::clamp<std::size_t>(parts, 1, 16));
        Split out;
        std::unordered_map<Node, std::uint32_t> slot; // of what is passed on
        for (const Node n : order_)
            if (part_of(position_[n]) != part_of(last_use_[n]) && last_use_[n] > position_[n])
                slot.emplace(n, static_cast<std::uint32_t>(p_.next.size() + slot.size()));
        out.passed = slot.size();
        for (std::size_t q = 0; q <= cuts_.size(); ++q)
            out.parts.push_back(part(q, slot));
        out.times.assign(out.parts.size(), 1);
        out.until.assign(out.parts.size(), {});
        return out;
    }

  private:
    bool is_value(Node n) const { return varies_[n] && g_.arity(n) > 0; }

    /// The real inputs that differ between cells, those of conditions included.
    template <class F>
    void for_each_input(Node n, F&& f) const
    {
        std::vector<Node> stack{n};
        while (!stack.empty()) {
            const Node m = stack.back();
            stack.pop_back();
            for (int k = 0; k < g_.arity(m); ++k) {
                const Node a = g_.arg(m, k);
                if (!varies_[a])
                    continue;
                if (g_.type(a) == Type::boolean)
                    stack.push_back(a);
                else
                    f(a);
            }
        }
    }

    std::size_t part_of(std::size_t position) const
    {
        return static_cast<std::size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), position) -
                                        cuts_.begin());
    }

    /// cuts_: positions at which the second and later parts begin.
    void choose_cuts(std::size_t parts)
    {
        cuts_.clear();
        std::vector<double> sum{0};
        for (const Node n : order_)
            sum.push_back(sum.back() + cost(g_.op(n)));
        std::vector<int> alive(order_.size() + 1, 0); // across the border before each position
        for (const Node n : order_)
            if (last_use_[n] > position_[n]) {
                ++alive[position_[n] + 1];
                --alive[last_use_[n] + 1 < alive.size() ? last_use_[n] + 1 : alive.size() - 1];
            }
        for (std::size_t k = 1; k < alive.size(); ++k)
            alive[k] += alive[k - 1];
        const double size = sum.back() / static_cast<double>(parts);
        for (std::size_t q = 1; q < parts; ++q) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < order_.size(); ++k) {
                const double off = std::abs(sum[k] / size - static_cast<double>(q));
                if (off <= 0.3 && (best == 0 || alive[k] < alive[best]))
                    best = k;
            }
            if (best > 0 && (cuts_.empty() || best > cuts_.back()))
                cuts_.push_back(best);
        }
    }

    Program part(std::size_t q, const std::unordered_map<Node, std::uint32_t>& slot) const
    {
        Program out;
        out.name = p_.name;
        out.vector_bytes = p_.vector_bytes;
        out.graph = g_;
        out.table = p_.table;
        const auto own = [&](std::size_t k) {
            return out.graph.symbol(symbol_id(Symbol::state, static_cast<std::uint32_t>(k)));
        };
        std::vector<Node> roots;
        for (std::size_t k = 0; k < p_.next.size() + slot.size(); ++k)
            roots.push_back(own(k));
        for (std::size_t k = 0; k < p_.next.size(); ++k) {
            const Node r = p_.next[k];
            const std::size_t stored =
                part_of(is_value(r) ? std::max(position_[r], state_use_[k]) : state_use_[k]);
            if (stored == q)
                roots[k] = r;
        }
        for (const auto& [n, index] : slot)
            if (part_of(position_[n]) == q)
                roots[index] = n;
        out.next = rewrite(out.graph, roots, [&](Node n, const std::array<Node, 3>& a) {
            if (n < varies_.size() && is_value(n) && g_.type(n) == Type::real &&
                part_of(position_[n]) < q)
                if (const auto it = slot.find(n); it != slot.end())
                    return own(it->second);
            return out.graph.arity(n) == 0 ? n : out.graph.make(out.graph.op(n), a[0], a[1], a[2]);
        });
        return out;
    }

    const Program& p_;
    const Graph& g_;
    const std::vector<bool> varies_;
    std::vector<Node> order_;                      ///< real operations
    std::vector<std::size_t> position_, last_use_; ///< in order_, per node
    std::vector<std::size_t> state_use_;           ///< last reader of each state's old value
    std::vector<std::size_t> cuts_;
};

/// What the program keeps is passed on.
Split own_parts(const Program& p)
{
    Split out;
    out.passed = p.kept;
    for (const Part& part : p.parts()) {
        Program q;
        q.name = p.name;
        q.vector_bytes = p.vector_bytes;
        q.graph = p.graph;
        q.table = p.table;
        q.next = part.next;
        for (auto k = static_cast<std::uint32_t>(q.next.size()); k < p.next.size() + p.kept; ++k)
            q.next.push_back(q.graph.symbol(symbol_id(Symbol::state, k)));
        out.parts.push_back(std::move(q));
        out.times.push_back(part.times);
        out.until.push_back(part.until);
    }
    return out;
}

} // namespace

Split split_program(const Program& p, std::size_t parts)
{
    if (!p.lookups.empty())
        throw InputError("parts", "", "a program with tables stays whole; leave the tables out");
    if (!p.before.empty())
        return own_parts(p);
    return Splitter(p).run(parts);
}

} // namespace tawara::cell::compiler
