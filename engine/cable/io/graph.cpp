// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/io/graph.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace tawara::cable::io {
namespace {

/// Which points hang together.
class Joined
{
  public:
    explicit Joined(std::size_t n) : up_(n) { std::iota(up_.begin(), up_.end(), std::size_t{0}); }
    std::size_t of(std::size_t i)
    {
        while (up_[i] != i)
            i = up_[i] = up_[up_[i]];
        return i;
    }
    /// @return false where they were joined before
    bool join(std::size_t a, std::size_t b)
    {
        a = of(a), b = of(b);
        up_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }

  private:
    std::vector<std::size_t> up_;
};

[[noreturn]] void fail(const Graph& g, const Graph::Point& at, const std::string& reason)
{
    if (at.line > 0)
        throw InputError(g.file, at.line, reason);
    throw InputError(g.file, reason);
}

class TreeMaker
{
  public:
    TreeMaker(Graph g, const ReadOptions& options, Loaded& to)
        : g_(std::move(g)), o_(options), to_(to), joined_(g_.points.size())
    {
    }

    void run()
    {
        join_pieces();
        make_wires();
        list_neighbours();
        const auto roots = find_roots();
        for (const auto r : roots)
            walk(r);
        say();
    }

  private:
    [[noreturn]] void fail(const Graph::Point& at, const std::string& reason) const
    {
        io::fail(g_, at, reason);
    }

    /// Two points may be joined once; a third piece would close a cycle.
    void join_pieces()
    {
        std::erase_if(g_.pieces, [&](const auto& p) {
            twice_ += p.from == p.to;
            return p.from == p.to;
        });
        auto sorted = g_.pieces;
        const auto ends = [](const Graph::Piece& p) { return std::minmax(p.from, p.to); };
        const auto less = [&](const auto& a, const auto& b) {
            const auto [a0, a1] = ends(a);
            const auto [b0, b1] = ends(b);
            return std::pair(a0, a1) < std::pair(b0, b1);
        };
        std::stable_sort(sorted.begin(), sorted.end(), less);
        const auto last =
            std::unique(sorted.begin(), sorted.end(),
                        [&](const auto& a, const auto& b) { return !less(a, b) && !less(b, a); });
        if (last != sorted.end()) { // in the file's order
            twice_ += static_cast<std::size_t>(sorted.end() - last);
            sorted.erase(last, sorted.end());
            g_.pieces = std::move(sorted);
        }
        for (const auto& p : g_.pieces)
            if (!joined_.join(static_cast<std::size_t>(p.from), static_cast<std::size_t>(p.to)))
                fail(point(p.to), "the piece between " + g_.what + "s " +
                                      std::to_string(point(p.from).number) + " and " +
                                      std::to_string(point(p.to).number) +
                                      " closes a cycle; a cable is a tree: leave one piece of the "
                                      "cycle out");
    }
    const Graph::Point& point(std::int64_t i) const
    {
        return g_.points[static_cast<std::size_t>(i)];
    }

    void make_wires()
    {
        for (auto& p : g_.pieces)
            if (!p.wire && !(norm(point(p.to).place_mm - point(p.from).place_mm) > 0)) {
                p.wire = true;
                on_parent_.push_back(point(p.to).number);
            }
    }

    void list_neighbours()
    {
        first_.assign(g_.points.size() + 1, 0);
        for (const auto& p : g_.pieces) {
            ++first_[static_cast<std::size_t>(p.from) + 1];
            ++first_[static_cast<std::size_t>(p.to) + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        around_.resize(2 * g_.pieces.size());
        auto at = first_;
        for (std::size_t k = 0; k < g_.pieces.size(); ++k) {
            around_[at[static_cast<std::size_t>(g_.pieces[k].from)]++] = k;
            around_[at[static_cast<std::size_t>(g_.pieces[k].to)]++] = k;
        }
    }

    std::vector<std::size_t> find_roots()
    {
        const auto n = g_.points.size();
        std::vector<std::size_t> root(n, n); // of each tree, by where its points meet
        for (const auto r : g_.roots) {
            auto& of = root[joined_.of(static_cast<std::size_t>(r))];
            of = of == n ? static_cast<std::size_t>(r) : of;
        }
        if (o_.root) {
            std::size_t i = 0;
            while (i < n && g_.points[i].number != *o_.root)
                ++i;
            if (i == n)
                throw InputError(g_.file, "has no " + g_.what + " " + std::to_string(*o_.root) +
                                              ", which is to be the root (--root)");
            root[joined_.of(i)] = i;
        }
        std::vector<std::size_t> roots;
        std::vector<std::int64_t> numbers;
        for (std::size_t i = 0; i < n; ++i)
            if (joined_.of(i) == i) {
                roots.push_back(root[i] == n ? i : root[i]);
                numbers.push_back(g_.points[roots.back()].number);
            }
        if (roots.size() > 1 && !o_.several_trees)
            fail(g_.points[roots[1]], "has " + std::to_string(roots.size()) +
                                          " trees that are not joined, with the roots " +
                                          listed(numbers) + "; a cable has one root");
        return roots;
    }

    /// From its root, each branch to its end before the next one begins.
    void walk(std::size_t root)
    {
        struct Step
        {
            std::size_t point;
            std::int32_t parent;
            std::size_t piece;
        };
        const auto none = g_.pieces.size();
        Morphology m;
        std::vector<std::int64_t> numbers;
        std::vector<Step> open{{root, -1, none}};
        bool wires = false;
        while (!open.empty()) {
            const auto s = open.back();
            open.pop_back();
            const auto& p = g_.points[s.point];
            const auto here = static_cast<std::int32_t>(m.points());
            m.parent.push_back(s.parent);
            m.point_mm.push_back(p.place_mm);
            m.radius_um.push_back(p.radius_um);
            m.kind.push_back(s.piece == none ? p.kind : point(g_.pieces[s.piece].to).kind);
            m.wire.push_back(s.piece != none && g_.pieces[s.piece].wire);
            wires = wires || m.wire.back() != 0;
            numbers.push_back(p.number);
            for (auto k = first_[s.point + 1]; k-- > first_[s.point];) {
                if (around_[k] == s.piece)
                    continue;
                const auto& next = g_.pieces[around_[k]];
                const auto other =
                    static_cast<std::size_t>(next.from) == s.point ? next.to : next.from;
                open.push_back({static_cast<std::size_t>(other), here, around_[k]});
            }
        }
        if (!wires)
            m.wire.clear();
        to_.trees.push_back(std::move(m));
        to_.number.push_back(std::move(numbers));
    }

    void say()
    {
        if (twice_ > 0)
            to_.notices.push_back({Notice::Level::info, std::to_string(twice_) +
                                                            " pieces stand twice or join a point "
                                                            "with itself; they are left out"});
        if (!on_parent_.empty())
            to_.notices.push_back(
                {Notice::Level::info,
                 "without length: " + g_.what + (on_parent_.size() > 1 ? "s " : " ") +
                     listed(on_parent_) +
                     " on the one before; the cable goes on there with the new radius"});
    }

    Graph g_;
    const ReadOptions& o_;
    Loaded& to_;
    Joined joined_;
    std::size_t twice_ = 0;
    std::vector<std::int64_t> on_parent_;
    std::vector<std::size_t> first_, around_; ///< pieces at each point
};

} // namespace

void give_radii(Graph& g, const ReadOptions& options, Notices& notices)
{
    std::vector<std::int64_t> without;
    const Graph::Point* first = nullptr;
    for (auto& p : g.points)
        if (p.radius_um == 0) {
            without.push_back(p.number);
            first = first ? first : &p;
            p.radius_um = options.radius_um.value_or(0);
        }
    if (without.empty())
        return;
    const auto of = without.size() == g.points.size()
                        ? std::string("all points")
                        : g.what + (without.size() > 1 ? "s " : " ") + listed(without);
    if (!options.radius_um)
        fail(g, *first,
             "the radius of " + of +
                 " is 0 or not there; radii above 0 are due, or --radius UM for such points");
    char radius[40];
    std::snprintf(radius, sizeof radius, "%g um", *options.radius_um);
    notices.push_back(
        {Notice::Level::info, "the radius of " + of + " is " + radius + ", as given"});
}

void make_trees(Graph g, const ReadOptions& options, Loaded& to)
{
    TreeMaker(std::move(g), options, to).run();
}

std::string listed(const std::vector<std::int64_t>& numbers)
{
    constexpr std::size_t most = 6;
    std::string out;
    for (std::size_t k = 0; k < std::min(most, numbers.size()); ++k)
        out += (k > 0 ? ", " : "") + std::to_string(numbers[k]);
    if (numbers.size() > most)
        out += " and " + std::to_string(numbers.size() - most) + " others";
    return out;
}

void need_length(const std::string& file, long line, const char* what, double value)
{
    constexpr double most = 1e12;
    if (!std::isfinite(value) || std::abs(value) > most) {
        char text[100];
        std::snprintf(text, sizeof text, "%s is %g; a finite number below %g is due", what, value,
                      most);
        throw InputError(file, line, text);
    }
}

} // namespace tawara::cable::io
