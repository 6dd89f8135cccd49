// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/placement.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <deque>
#include <limits>

namespace tawara::cell::compiler {
namespace {

/// Orders operations depth first; `second(n)` says whether argument 1 goes before argument 0.
template <class Swap>
std::vector<Node> ordered(const Graph& g, std::span<const Node> roots, Swap&& swap)
{
    const auto varies = differs_between_cells(g);
    std::vector<bool> done(g.size(), false);
    std::vector<Node> order, stack;
    const auto wanted = [&](Node n) { return varies[n] && g.arity(n) > 0 && !done[n]; };
    for (const Node root : roots) {
        if (root == no_node)
            continue;
        stack.push_back(root);
        while (!stack.empty()) {
            const Node n = stack.back();
            if (!wanted(n)) {
                stack.pop_back();
                continue;
            }
            const auto before = stack.size();
            for (int k = g.arity(n) - 1; k >= 0; --k) // the last one pushed is made first
                if (wanted(g.arg(n, k)))
                    stack.push_back(g.arg(n, k));
            if (stack.size() - before == 2 && swap(stack[before + 1], stack[before]))
                std::swap(stack[before], stack[before + 1]);
            if (stack.size() > before)
                continue;
            done[n] = true;
            order.push_back(n);
            stack.pop_back();
        }
    }
    return order;
}

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

} // namespace

std::vector<bool> differs_between_cells(const Graph& g)
{
    return depends(g, [](std::uint32_t id) {
        return symbol_kind(id) == Symbol::state || symbol_kind(id) == Symbol::stimulus;
    });
}

std::vector<Node> depth_first(const Graph& g, std::span<const Node> roots)
{
    return ordered(g, roots, [](Node, Node) { return false; });
}

std::vector<Node> larger_first(const Graph& g, std::span<const Node> roots)
{
    const auto varies = differs_between_cells(g);
    std::vector<int> need(g.size(), 0); // of registers, were it a tree
    for (const Node n : reachable(g, roots)) {
        if (!varies[n] || g.arity(n) == 0)
            continue;
        std::vector<int> needs;
        for (int k = 0; k < g.arity(n); ++k)
            needs.push_back(need[g.arg(n, k)]);
        std::sort(needs.rbegin(), needs.rend());
        need[n] = 1;
        for (std::size_t k = 0; k < needs.size(); ++k)
            need[n] = std::max(need[n], needs[k] + static_cast<int>(k));
    }
    return ordered(g, roots, [&](Node first, Node second) { return need[first] < need[second]; });
}

Traffic place_values(const Graph& g, std::span<const Node> order, std::size_t registers,
                     Eviction eviction)
{
    std::vector<bool> is_value(g.size(), false), stored(g.size(), false);
    for (const Node n : order)
        is_value[n] = true;
    std::vector<std::deque<std::size_t>> uses(g.size());
    for (std::size_t p = 0; p < order.size(); ++p)
        for (int k = 0; k < g.arity(order[p]); ++k)
            if (const Node a = g.arg(order[p], k); is_value[a])
                uses[a].push_back(p);
    Traffic t;
    std::vector<std::pair<Node, std::size_t>> held; // with the position of the last use
    std::size_t alive = 0;
    const auto next = [&](Node n) { return uses[n].empty() ? never : uses[n].front(); };
    const auto take = [&](Node n, std::size_t p) {
        if (held.size() >= registers) {
            auto victim = held.end();
            for (auto it = held.begin(); it != held.end(); ++it) {
                if (it->second == p)
                    continue; // the operation needs it
                const bool better =
                    victim == held.end() ||
                    (eviction == Eviction::farthest_use ? next(it->first) > next(victim->first)
                                                        : it->second < victim->second);
                if (better)
                    victim = it;
            }
            if (next(victim->first) != never && !stored[victim->first]) {
                stored[victim->first] = true;
                ++t.stores;
            }
            held.erase(victim);
        }
        held.emplace_back(n, p);
    };
    for (std::size_t p = 0; p < order.size(); ++p) {
        const Node n = order[p];
        for (int pass = 0; pass < 2; ++pass) // those that are there first: they must stay
            for (int k = 0; k < g.arity(n); ++k) {
                const Node a = g.arg(n, k);
                if (!is_value[a])
                    continue;
                const auto it = std::find_if(held.begin(), held.end(),
                                             [&](const auto& h) { return h.first == a; });
                if (it != held.end())
                    it->second = p;
                else if (pass == 1) {
                    ++t.loads;
                    take(a, p);
                }
            }
        for (int k = 0; k < g.arity(n); ++k)
            if (const Node a = g.arg(n, k); is_value[a] && !uses[a].empty()) {
                while (!uses[a].empty() && uses[a].front() == p)
                    uses[a].pop_front();
                alive -= uses[a].empty();
            }
        std::erase_if(held, [&](const auto& h) { return next(h.first) == never; });
        if (!uses[n].empty()) {
            take(n, p);
            t.most_alive = std::max(t.most_alive, ++alive);
        }
    }
    return t;
}

} // namespace tawara::cell::compiler
