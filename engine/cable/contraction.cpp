// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/contraction.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <array>

namespace tawara::cable {
namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// A node that leaves the tree, and its neighbours then.
struct Leaving
{
    std::size_t node, parent, child;
};

/// Nodes of a run from below, and its neighbours.
struct WholeRun
{
    std::vector<std::size_t> nodes;
    std::size_t parent, child, turn;
};

/// What is left of a tree while it is contracted.
class Remainder
{
  public:
    explicit Remainder(const Tree& t) : parent_(t.nodes(), nobody), children_(t.nodes())
    {
        for (std::size_t i = 1; i < t.nodes(); ++i) {
            alive_.push_back(i);
            parent_[i] = static_cast<std::size_t>(t.parent[i]);
            children_[parent_[i]].push_back(i);
        }
    }
    bool done() const { return alive_.empty(); }

    /// Takes runs out of all stretches without a fork, in pieces of about the same length with a
    /// node between two of them.
    std::vector<WholeRun> runs(std::size_t longest)
    {
        std::vector<WholeRun> out;
        std::vector<std::size_t> turns(parent_.size(), 0);
        for (const auto& s : stretches())
            cut(s, longest, turns, out);
        std::vector<char> gone(parent_.size(), 0);
        for (const auto& r : out)
            for (const auto i : r.nodes) {
                remove({i, parent_[i], children_[i].empty() ? nobody : children_[i].front()});
                gone[i] = 1;
            }
        std::erase_if(alive_, [&](std::size_t i) { return gone[i]; });
        return out;
    }

    /// The nodes that a round eliminates, chosen from the ends to the root.
    std::vector<Leaving> round()
    {
        std::vector<Leaving> out;
        std::vector<char> chosen(parent_.size(), 0), kept(parent_.size(), 0);
        std::vector<char> served(parent_.size(), 0); // by a chosen child
        for (auto at = alive_.rbegin(); at != alive_.rend(); ++at) {
            const auto i = *at, p = parent_[i];
            if (children_[i].size() > 1 || kept[i] || served[p])
                continue;
            chosen[i] = kept[p] = served[p] = 1;
            out.push_back({i, p, children_[i].empty() ? nobody : children_[i].front()});
        }
        for (const auto& e : out)
            remove(e);
        std::erase_if(alive_, [&](std::size_t i) { return chosen[i]; });
        return out;
    }

  private:
    /// Nodes with one child or none, each stretch from below.
    std::vector<std::vector<std::size_t>> stretches() const
    {
        std::vector<std::vector<std::size_t>> out;
        for (auto at = alive_.rbegin(); at != alive_.rend(); ++at) {
            const auto& below = children_[*at];
            const bool lowest =
                below.empty() || (below.size() == 1 && children_[below[0]].size() > 1);
            if (!lowest)
                continue;
            auto& s = out.emplace_back();
            for (auto i = *at; i != 0 && children_[i].size() <= 1; i = parent_[i])
                s.push_back(i);
        }
        return out;
    }
    void cut(const std::vector<std::size_t>& s, std::size_t longest,
             std::vector<std::size_t>& turns, std::vector<WholeRun>& out) const
    {
        const auto pieces = (s.size() + 1 + longest) / (longest + 1);
        std::size_t at = 0;
        for (std::size_t k = 0; k < pieces; ++k) {
            const auto left = s.size() - at - (pieces - 1 - k),
                       length = (left + pieces - 1 - k) / (pieces - k);
            if (length == 0)
                continue;
            WholeRun r;
            r.nodes.assign(s.begin() + static_cast<std::ptrdiff_t>(at),
                           s.begin() + static_cast<std::ptrdiff_t>(at + length));
            r.parent = parent_[r.nodes.back()];
            const auto& below = children_[r.nodes.front()];
            r.child = below.empty() ? nobody : below.front();
            at += length + 1; // one stays between
            r.turn = turns[r.parent]++;
            if (r.turn < 2) // of forks of more, the others go by rounds
                out.push_back(std::move(r));
        }
    }
    void remove(const Leaving& e)
    {
        auto& siblings = children_[e.parent];
        const auto at = std::find(siblings.begin(), siblings.end(), e.node);
        if (e.child != nobody) {
            *at = e.child;
            parent_[e.child] = e.parent;
        } else {
            siblings.erase(at);
        }
    }

    std::vector<std::size_t> parent_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::size_t> alive_; ///< ascending: parents first
};

/// Gives the nodes of runs their places, row by row.
void place_runs(const std::vector<WholeRun>& runs, Contraction& c)
{
    const auto longest = runs.empty() ? 0 : runs.front().nodes.size();
    std::size_t next = 0;
    for (std::size_t j = 0; j < longest; ++j) {
        c.row.push_back(static_cast<std::uint16_t>(next));
        std::size_t s = 0;
        for (; s < runs.size() && j < runs[s].nodes.size(); ++s)
            c.place[runs[s].nodes[j]] = static_cast<std::uint16_t>(next + s);
        // the next row begins 4 banks of a number further, so that 4 runs of 4 nodes share none
        next += j + 1 < longest ? (s + 11) / 16 * 16 + 4 : s;
    }
    c.rest = next;
}

template <class Real>
struct Numbers
{
    std::vector<Real> u, l, d, r;
};

template <class Real>
void eliminate_run(const Contraction& c, std::size_t s, Numbers<Real>& n,
                   std::vector<std::array<Real, 4>>& held)
{
    const auto& run = c.runs[s];
    const bool child = run.child != Elimination::none;
    Real cu = child ? n.u[run.child] : Real(0), cl = child ? n.l[run.child] : Real(0);
    Real d = 0, r = 0;
    auto& [dp, rp, dc, rc] = held[s];
    for (std::size_t j = 0; j < run.length; ++j) {
        const auto i = c.row[j] + s;
        d += n.d[i], r += n.r[i];
        const Real f = 1 / d, u = n.u[i];
        n.l[i] *= f;
        n.r[i] = r * f;
        d = -u * n.l[i];
        r = -u * n.r[i];
        n.u[i] = cu * f;
        dc -= cl * n.u[i];
        rc -= cl * n.r[i];
        cu = -u * n.u[i];
        cl = -cl * n.l[i];
    }
    dp = d, rp = r;
    if (child)
        n.u[run.child] = cu, n.l[run.child] = cl;
}

} // namespace

Contraction contraction_of(const Tree& t, std::size_t longest_run)
{
    if (t.nodes() > most_contracted)
        throw Error("a tree of " + std::to_string(t.nodes()) + " nodes is contracted up to " +
                    std::to_string(most_contracted));
    Contraction c;
    c.place.resize(t.nodes());
    Remainder rest(t);
    std::vector<WholeRun> runs;
    if (longest_run > 0)
        runs = rest.runs(longest_run);
    std::stable_sort(runs.begin(), runs.end(), [](const WholeRun& a, const WholeRun& b) {
        return a.nodes.size() > b.nodes.size();
    });
    place_runs(runs, c);
    std::vector<Leaving> all;
    while (!rest.done()) {
        for (const auto& e : rest.round()) {
            c.place[e.node] = static_cast<std::uint16_t>(c.rest + all.size());
            all.push_back(e);
        }
        c.first.push_back(static_cast<std::int32_t>(all.size()));
    }
    c.place[0] = static_cast<std::uint16_t>(c.rest + all.size());
    c.places = c.rest + all.size() + 1;
    const auto place_of = [&](std::size_t i) {
        return i == nobody ? Elimination::none : c.place[i];
    };
    for (const auto& e : all)
        c.steps.push_back({place_of(e.parent), place_of(e.child)});
    for (const auto& r : runs)
        c.runs.push_back({static_cast<std::uint16_t>(r.nodes.size()), place_of(r.parent),
                          place_of(r.child), static_cast<std::uint16_t>(r.turn)});
    if (c.places > Elimination::none)
        throw Error("a tree of " + std::to_string(t.nodes()) + " nodes takes " +
                    std::to_string(c.places) + " places, and may take " +
                    std::to_string(Elimination::none) + "; fewer or longer runs would be right");
    return c;
}

template <class Real>
void solve(const Contraction& c, const System<Real>& s)
{
    Numbers<Real> n{std::vector<Real>(c.places), std::vector<Real>(c.places),
                    std::vector<Real>(c.places), std::vector<Real>(c.places)};
    for (std::size_t i = 0; i < c.place.size(); ++i) {
        n.u[c.place[i]] = s.upper[i], n.l[c.place[i]] = s.lower[i];
        n.d[c.place[i]] = s.diagonal[i], n.r[c.place[i]] = s.rhs[i];
    }
    std::vector<std::array<Real, 4>> held(c.runs.size(), {0, 0, 0, 0});
    for (std::size_t k = 0; k < c.runs.size(); ++k)
        eliminate_run(c, k, n, held);
    for (std::size_t k = 0; k < c.runs.size(); ++k) {
        n.d[c.runs[k].parent] += held[k][0], n.r[c.runs[k].parent] += held[k][1];
        if (c.runs[k].child != Elimination::none)
            n.d[c.runs[k].child] += held[k][2], n.r[c.runs[k].child] += held[k][3];
    }
    for (std::size_t q = 0; q < c.steps.size(); ++q) {
        const std::size_t i = c.rest + q, p = c.steps[q].parent, k = c.steps[q].child;
        const Real f = 1 / n.d[i], u = n.u[i];
        n.l[i] *= f;
        n.r[i] *= f;
        n.d[p] -= u * n.l[i];
        n.r[p] -= u * n.r[i];
        if (k == Elimination::none)
            continue;
        const Real of_child = n.u[k] * f, l = n.l[k];
        n.d[k] -= l * of_child;
        n.r[k] -= l * n.r[i];
        n.u[k] = -u * of_child;
        n.l[k] = -l * n.l[i];
        n.u[i] = of_child;
    }
    n.r[c.places - 1] /= n.d[c.places - 1];
    for (std::size_t q = c.steps.size(); q-- > 0;) {
        Real& x = n.r[c.rest + q];
        x -= n.l[c.rest + q] * n.r[c.steps[q].parent];
        if (c.steps[q].child != Elimination::none)
            x -= n.u[c.rest + q] * n.r[c.steps[q].child];
    }
    for (std::size_t k = 0; k < c.runs.size(); ++k) {
        const Real below = c.runs[k].child == Elimination::none ? Real(0) : n.r[c.runs[k].child];
        Real x = n.r[c.runs[k].parent];
        for (std::size_t j = c.runs[k].length; j-- > 0;) {
            const auto i = c.row[j] + k;
            x = n.r[i] - n.l[i] * x - n.u[i] * below;
            n.r[i] = x;
        }
    }
    for (std::size_t i = 0; i < c.place.size(); ++i)
        s.rhs[i] = n.r[c.place[i]];
}
template void solve(const Contraction&, const System<double>&);
template void solve(const Contraction&, const System<float>&);

} // namespace tawara::cable
