// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/contraction.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <numeric>

namespace tawara::cable {
namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// A node that leaves the tree, and its neighbours then.
struct Leaving
{
    std::size_t node, parent, child;
};

/// What is left of a tree while it is contracted.
class Remainder
{
  public:
    explicit Remainder(const Tree& t)
        : parent_(t.parent), children_(t.nodes()), alive_(t.nodes() - 1)
    {
        std::iota(alive_.begin(), alive_.end(), 1);
        for (std::size_t i = 1; i < t.nodes(); ++i)
            children_[static_cast<std::size_t>(parent_[i])].push_back(i);
    }
    bool done() const { return alive_.empty(); }

    /// The nodes that a round eliminates, chosen from the ends to the root.
    std::vector<Leaving> round()
    {
        std::vector<Leaving> out;
        std::vector<char> chosen(parent_.size(), 0), kept(parent_.size(), 0);
        std::vector<char> served(parent_.size(), 0); // by a chosen child
        for (auto at = alive_.rbegin(); at != alive_.rend(); ++at) {
            const auto i = static_cast<std::size_t>(*at), p = static_cast<std::size_t>(parent_[i]);
            if (children_[i].size() > 1 || kept[i] || served[p])
                continue;
            chosen[i] = kept[p] = served[p] = 1;
            out.push_back({i, p, children_[i].empty() ? nobody : children_[i].front()});
        }
        for (const auto& e : out)
            remove(e);
        std::erase_if(alive_, [&](std::int32_t i) { return chosen[static_cast<std::size_t>(i)]; });
        return out;
    }

  private:
    void remove(const Leaving& e)
    {
        auto& siblings = children_[e.parent];
        const auto at = std::find(siblings.begin(), siblings.end(), e.node);
        if (e.child != nobody) {
            *at = e.child;
            parent_[e.child] = static_cast<std::int32_t>(e.parent);
        } else {
            siblings.erase(at);
        }
    }
    std::vector<std::int32_t> parent_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::int32_t> alive_;
};

} // namespace

Contraction contraction_of(const Tree& t)
{
    if (t.nodes() > most_contracted)
        throw Error("a tree of " + std::to_string(t.nodes()) + " nodes is contracted up to " +
                    std::to_string(most_contracted));
    Contraction c;
    std::vector<Leaving> all;
    std::vector<std::uint16_t> place(t.nodes(), static_cast<std::uint16_t>(t.nodes() - 1));
    for (Remainder rest(t); !rest.done();) {
        for (const auto& e : rest.round()) {
            place[e.node] = static_cast<std::uint16_t>(all.size());
            c.node.push_back(static_cast<std::uint16_t>(e.node));
            all.push_back(e);
        }
        c.first.push_back(static_cast<std::int32_t>(all.size()));
    }
    c.node.push_back(0);
    for (const auto& e : all)
        c.steps.push_back(
            {place[e.parent], e.child == nobody ? Elimination::none : place[e.child]});
    return c;
}

template <class Real>
void solve(const Contraction& c, const System<Real>& s)
{
    for (std::size_t q = 0; q < c.steps.size(); ++q) {
        const std::size_t i = c.node[q], p = c.node[c.steps[q].parent];
        const Real f = 1 / s.diagonal[i], u = s.upper[i];
        s.lower[i] *= f;
        s.rhs[i] *= f;
        s.diagonal[p] -= u * s.lower[i];
        s.rhs[p] -= u * s.rhs[i];
        if (c.steps[q].child == Elimination::none)
            continue;
        const std::size_t k = c.node[c.steps[q].child];
        const Real of_child = s.upper[k] * f, l = s.lower[k];
        s.diagonal[k] -= l * of_child;
        s.rhs[k] -= l * s.rhs[i];
        s.upper[k] = -u * of_child;
        s.lower[k] = -l * s.lower[i];
        s.upper[i] = of_child;
    }
    s.rhs[0] /= s.diagonal[0];
    for (std::size_t q = c.steps.size(); q-- > 0;) {
        const auto& e = c.steps[q];
        Real& x = s.rhs[c.node[q]];
        x -= s.lower[c.node[q]] * s.rhs[c.node[e.parent]];
        if (e.child != Elimination::none)
            x -= s.upper[c.node[q]] * s.rhs[c.node[e.child]];
    }
}
template void solve(const Contraction&, const System<double>&);
template void solve(const Contraction&, const System<float>&);

} // namespace tawara::cable
