// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/small_growth.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tawara::cell::compiler {
namespace {

constexpr double small = 0.25;

class Growth
{
  public:
    Growth(Graph& g, bool single) : g_(g), terms_(single ? 6 : 12) {}

    int run(std::vector<Node>& roots)
    {
        int changes = 0;
        for (int level = 0; find(roots, level); ++level) {
            Node sum = no_node; // of squares
            for (const auto& [quotient, growth] : below_) {
                const Node x = g_.arg(growth, 0), square = simple(g_, Op::mul, x, x);
                if (taken_.insert(growth).second)
                    sum = sum == no_node ? square : simple(g_, Op::add, sum, square);
            }
            condition_ = simple(g_, Op::le, sum, g_.constant(small * small));
            changes += static_cast<int>(below_.size());
            roots = rewrite(g_, roots, [&](Node n, const std::array<Node, 3>& a) {
                if (g_.arity(n) == 0)
                    return n;
                if (const auto it = below_.find(n); it != below_.end())
                    return stepped(a[0], a[1], it->second);
                return simple(g_, g_.op(n), a[0], a[1], a[2]);
            });
        }
        return changes;
    }

  private:
    /// A linexp of the time step among the factors of a product.
    std::optional<Node> growth_in(Node n, const std::vector<bool>& of_step) const
    {
        if (g_.op(n) == Op::linexp)
            return of_step[n] ? std::optional(n) : std::nullopt;
        if (g_.op(n) != Op::mul)
            return {};
        const auto found = growth_in(g_.arg(n, 0), of_step);
        return found ? found : growth_in(g_.arg(n, 1), of_step);
    }

    /// Quotients by growths before which `level` others are, one after the other; these alone are
    /// the same nodes after rewriting. @return whether there are any
    bool find(const std::vector<Node>& roots, int level)
    {
        const auto of_step =
            depends(g_, [](std::uint32_t id) { return id == symbol_id(Symbol::dt); });
        const auto order = reachable(g_, roots);
        std::map<Node, Node> all;
        std::set<Node> growths;
        for (const Node n : order)
            if (g_.op(n) == Op::div)
                if (const auto x = growth_in(g_.arg(n, 1), of_step)) {
                    all.emplace(n, *x);
                    growths.insert(*x);
                }
        std::vector<int> before(g_.size(), 0);
        for (const Node n : order)
            for (int k = 0; k < g_.arity(n); ++k) {
                const Node a = g_.arg(n, k);
                before[n] = std::max(before[n], before[a] + static_cast<int>(growths.count(a)));
            }
        below_.clear();
        for (const auto& [quotient, growth] : all)
            if (before[growth] == level && !taken_.count(growth))
                below_.emplace(quotient, growth);
        return !below_.empty();
    }

    /// numerator / denominator without the growth in it
    Node stepped(Node numerator, Node denominator, Node growth)
    {
        const Node x = g_.arg(growth, 0);
        double factor = 1; // 1 / (k + 1)!
        std::vector<double> c;
        for (int k = 0; k < terms_; ++k)
            c.push_back(factor /= k + 1);
        Node sum = g_.constant(c.back());
        for (auto k = c.rbegin() + 1; k != c.rend(); ++k)
            sum = simple(g_, Op::add, simple(g_, Op::mul, sum, x), g_.constant(*k));
        const Node all =
            simple(g_, Op::select, condition_, sum, simple(g_, Op::div, g_.constant(1), growth));
        return simple(g_, Op::div, simple(g_, Op::mul, numerator, all),
                      without(denominator, growth));
    }

    /// A product without one of its factors.
    Node without(Node product, Node factor)
    {
        if (product == factor)
            return g_.constant(1);
        if (g_.op(product) != Op::mul)
            return product;
        const Node a = g_.arg(product, 0), b = g_.arg(product, 1);
        if (const Node left = without(a, factor); left != a)
            return simple(g_, Op::mul, left, b);
        return simple(g_, Op::mul, a, without(b, factor));
    }

    Graph& g_;
    const int terms_;
    std::map<Node, Node> below_; ///< quotient -> growth in its denominator
    std::set<Node> taken_;
    Node condition_ = no_node;
};

} // namespace

int branch_small_growth(Graph& g, std::vector<Node>& roots, bool single)
{
    return Growth(g, single).run(roots);
}

} // namespace tawara::cell::compiler
