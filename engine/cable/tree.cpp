// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/tree.hpp"

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tawara::cable {
namespace {

std::vector<std::int32_t> children_of(const Tree& t)
{
    std::vector<std::int32_t> n(t.nodes(), 0);
    for (std::size_t i = 1; i < t.nodes(); ++i)
        ++n[static_cast<std::size_t>(t.parent[i])];
    return n;
}

/// A number in [0, n), drawn as number `draw` of a tree's.
std::size_t chosen(std::uint64_t seed, std::uint32_t draw, std::size_t n)
{
    return philox(random_counter({.seed = seed}, draw), static_cast<std::uint32_t>(seed),
                  static_cast<std::uint32_t>(seed >> 32))[0] %
           n;
}

} // namespace

void check(const Tree& t)
{
    if (t.parent.empty() || t.parent[0] != -1)
        throw Error("a tree begins with its root, whose parent is -1");
    for (std::size_t i = 1; i < t.nodes(); ++i)
        if (t.parent[i] < 0 || static_cast<std::size_t>(t.parent[i]) >= i)
            throw Error("node " + std::to_string(i) + " of a tree has the parent " +
                        std::to_string(t.parent[i]) + ", which must be from 0 to " +
                        std::to_string(i - 1));
}

std::size_t branches(const Tree& t)
{
    const auto n = children_of(t);
    std::size_t count = static_cast<std::size_t>(n[0]);
    for (std::size_t i = 1; i < t.nodes(); ++i)
        if (n[i] > 1)
            count += static_cast<std::size_t>(n[i]);
    return count;
}

Tree chain(std::size_t nodes)
{
    Tree t;
    t.parent.resize(nodes);
    std::iota(t.parent.begin(), t.parent.end(), -1);
    return t;
}

Tree random_tree(std::size_t nodes, std::size_t branches, std::uint64_t seed)
{
    if (branches < 1 || nodes < branches + 1)
        throw Error("a tree of " + std::to_string(branches) + " branches has at least " +
                    std::to_string(branches + 1) + " nodes, not " + std::to_string(nodes));
    std::uint32_t draw = 0;
    // which branch each hangs on: an end that forks becomes two
    std::vector<std::size_t> mother(branches, branches), ends;
    std::size_t made = branches % 2 == 1 ? 1 : 2;
    for (std::size_t b = 0; b < made; ++b)
        ends.push_back(b);
    while (made < branches) {
        const auto k = chosen(seed, draw++, ends.size());
        mother[made] = mother[made + 1] = ends[k];
        ends[k] = made;
        ends.push_back(made + 1);
        made += 2;
    }
    // nodes: one a branch, the others where chance puts them
    std::vector<std::size_t> length(branches, 1);
    for (std::size_t rest = nodes - 1 - branches; rest > 0; --rest)
        ++length[chosen(seed, draw++, branches)];
    Tree t;
    t.parent.reserve(nodes);
    std::vector<std::int32_t> last(branches);
    for (std::size_t b = 0; b < branches; ++b)
        for (std::size_t k = 0; k < length[b]; ++k) {
            const auto from = k > 0 ? static_cast<std::int32_t>(t.nodes()) - 1
                                    : (mother[b] == branches ? 0 : last[mother[b]]);
            last[b] = static_cast<std::int32_t>(t.nodes());
            t.parent.push_back(from);
        }
    return t;
}

std::span<const StandIn> stand_ins()
{
    static const std::array<StandIn, 6> all{{{"small-low", 76, 7},
                                             {"small-high", 76, 29},
                                             {"medium-low", 305, 30},
                                             {"medium-high", 319, 157},
                                             {"big-low", 695, 66},
                                             {"big-high", 691, 341}}};
    return all;
}

template <class Real>
void solve(const Tree& t, const System<Real>& s)
{
    for (std::size_t i = t.nodes() - 1; i > 0; --i) {
        const auto p = static_cast<std::size_t>(t.parent[i]);
        const Real f = s.upper[i] / s.diagonal[i];
        s.diagonal[p] -= f * s.lower[i];
        s.rhs[p] -= f * s.rhs[i];
    }
    s.rhs[0] /= s.diagonal[0];
    for (std::size_t i = 1; i < t.nodes(); ++i) {
        const auto p = static_cast<std::size_t>(t.parent[i]);
        s.rhs[i] = (s.rhs[i] - s.lower[i] * s.rhs[p]) / s.diagonal[i];
    }
}
template void solve(const Tree&, const System<double>&);
template void solve(const Tree&, const System<float>&);

} // namespace tawara::cable
