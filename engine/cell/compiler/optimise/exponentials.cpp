// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/optimise/linear.hpp"
#include "engine/cell/compiler/optimise/optimise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace tawara::cell::compiler {

int split_exponentials(Graph& g, std::vector<Node>& roots, std::span<const double> typical)
{
    LinearForms forms(g, typical);
    int changes = 0;
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (g.arity(n) == 0)
            return n;
        const Node m = simple(g, g.op(n), a[0], a[1], a[2]);
        if (g.op(m) != Op::exp || !forms.varies(m))
            return m;
        Linear l = forms.of(g.arg(m, 0));
        const Node offset = l.offset;
        if (l.terms.empty() || (offset != no_node && std::abs(forms.probe(offset)[0]) > 200))
            return m; // exp(offset) might leave the range of numbers
        const Node c = l.terms.begin()->second;
        const auto cv = forms.probe(c);
        if (!(cv[0] != 0) || !std::isfinite(cv[0]))
            return m;
        ++changes;
        const Node e = simple(g, Op::exp, simple(g, Op::mul, c, forms.base_of(l, c)));
        return offset == no_node ? e : simple(g, Op::mul, simple(g, Op::exp, offset), e);
    });
    return changes;
}

namespace {

/// exp(c w) that occurs in the model.
struct Exponential
{
    Node node, c, w;
    std::array<double, 2> value; ///< of c at the probes
};

/// n with value = n unit, 0 when there is none within `largest`.
int multiple(const std::array<double, 2>& value, const std::array<double, 2>& unit, int largest)
{
    const double q = value[0] / unit[0], n = std::round(q);
    if (n == 0 || std::abs(n) > largest || std::abs(q - n) > 1e-9 * std::abs(n))
        return 0;
    return std::abs(value[1] / unit[1] - n) > 1e-9 * std::abs(n) ? 0 : static_cast<int>(n);
}

/// Multiplications for the powers n of one number, sharing its squares.
double chain_cost(const std::vector<int>& powers)
{
    int squares = 0;
    double products = 0;
    for (const int n : powers) {
        const auto m = static_cast<unsigned>(std::abs(n));
        squares = std::max(squares, static_cast<int>(std::bit_width(m)) - 1);
        products += std::popcount(m) - 1;
    }
    return squares + products;
}

class Basis
{
  public:
    Basis(Graph& g, const OptimiseOptions& o)
        : g_(g), largest_(o.largest_power), exponential_cost_(o.exponential_cost),
          division_cost_(o.division_cost)
    {
    }

    /// Covers the exponentials of one w by powers of few; fills `to` with replacements.
    int run(std::vector<Exponential> left, std::unordered_map<Node, Node>& to)
    {
        int changes = 0;
        while (left.size() > 1) {
            const auto [unit, saving] = best(left);
            if (saving <= 0)
                break;
            std::vector<Exponential> rest;
            std::unordered_map<int, Node> power;
            const Node c = simple(g_, Op::div, left[unit.first].c, g_.constant(unit.second));
            const auto cv = scaled(left[unit.first].value, unit.second);
            power[1] = simple(g_, Op::exp, simple(g_, Op::mul, c, left[0].w));
            units_.push_back({cv, {}});
            std::vector<std::pair<int, Node>> powers;
            for (const Exponential& e : left)
                if (const int n = multiple(e.value, cv, largest_))
                    powers.emplace_back(n, e.node);
                else
                    rest.push_back(e);
            // small powers first: the others are put together from them
            std::sort(powers.begin(), powers.end(), [](const auto& x, const auto& y) {
                return std::abs(x.first) < std::abs(y.first);
            });
            for (const auto& [n, node] : powers) {
                to[node] = raise(n, power);
                ++changes;
            }
            left = std::move(rest);
            units_.back().power = std::move(power);
        }
        for (const Exponential& e : left)
            changes += combine(e, to);
        return changes;
    }

  private:
    struct Unit
    {
        std::array<double, 2> value;
        std::unordered_map<int, Node> power;
    };

    /// exp(c w) as the product of powers of two units, when that is cheaper than another
    /// exponential.
    int combine(const Exponential& e, std::unordered_map<Node, Node>& to)
    {
        const auto fresh = [this](const Unit& u, int n) { // multiplications that power n adds
            if (u.power.count(n))
                return 0.0;
            return chain_cost({n}) * 0.7 + (n < 0 && !u.power.count(-1) ? division_cost_ : 0);
        };
        double cheapest = exponential_cost_ - 1;
        std::array<std::size_t, 2> which{0, 0};
        std::array<int, 2> powers{0, 0};
        for (std::size_t i = 0; i < units_.size(); ++i)
            for (std::size_t j = 0; j < units_.size(); ++j)
                for (int n = -largest_; i != j && n <= largest_; ++n) {
                    if (n == 0)
                        continue;
                    const std::array rest{e.value[0] - n * units_[i].value[0],
                                          e.value[1] - n * units_[i].value[1]};
                    const int m = multiple(rest, units_[j].value, largest_);
                    const double exact = n * units_[i].value[0] + m * units_[j].value[0];
                    if (m == 0 || std::abs(exact - e.value[0]) > 1e-13 * std::abs(e.value[0]))
                        continue;
                    const double cost = fresh(units_[i], n) + fresh(units_[j], m) + 1;
                    if (cost < cheapest) {
                        cheapest = cost;
                        which = {i, j};
                        powers = {n, m};
                    }
                }
        if (powers[0] == 0)
            return 0;
        to[e.node] = simple(g_, Op::mul, raise(powers[0], units_[which[0]].power),
                            raise(powers[1], units_[which[1]].power));
        return 1;
    }

    static std::array<double, 2> scaled(const std::array<double, 2>& v, int k)
    {
        return {v[0] / k, v[1] / k};
    }

    /// The unit c_i / k that saves most: ((i, k), saving).
    std::pair<std::pair<std::size_t, int>, double> best(const std::vector<Exponential>& left) const
    {
        std::pair<std::pair<std::size_t, int>, double> found{{0, 1}, 0};
        for (std::size_t i = 0; i < left.size(); ++i)
            for (int k = -largest_; k <= largest_; ++k) {
                if (k == 0)
                    continue;
                const auto unit = scaled(left[i].value, k);
                std::vector<int> up, down;
                for (const Exponential& e : left)
                    if (const int n = multiple(e.value, unit, largest_))
                        (n > 0 ? up : down).push_back(n);
                const double saving =
                    exponential_cost_ * (static_cast<double>(up.size() + down.size()) - 1) -
                    chain_cost(up) - chain_cost(down) - (down.empty() ? 0 : division_cost_);
                if (saving > found.second + 1e-9)
                    found = {{i, k}, saving};
            }
        return found;
    }

    /// A power m of n's sign that is there, with n - m there too, or (steps 2) one product away
    /// from being there; 0: none.
    static int summand(int n, const std::unordered_map<int, Node>& power, int steps)
    {
        int found = 0;
        for (const auto& [m, node] : power) {
            const int rest = n - m;
            if ((m > 0) != (n > 0) || (rest > 0) != (n > 0))
                continue;
            if (power.count(rest))
                return m;
            if (steps > 1 && std::abs(m) > std::abs(found) && summand(rest, power, 1))
                found = m;
        }
        return found;
    }

    Node raise(int n, std::unordered_map<int, Node>& power)
    {
        if (const auto it = power.find(n); it != power.end())
            return it->second;
        Node r;
        if (n == -1)
            r = simple(g_, Op::div, g_.constant(1), power.at(1));
        else if (const int m = summand(n, power, 2)) {
            const Node rest = raise(n - m, power);
            r = simple(g_, Op::mul, rest, power.at(m));
        } else { // halves
            const Node h = raise(n / 2, power);
            r = simple(g_, Op::mul, h, n % 2 == 0 ? h : raise(n - n / 2, power));
        }
        return power[n] = r;
    }

    Graph& g_;
    int largest_;
    double exponential_cost_, division_cost_;
    std::vector<Unit> units_;
};

/// Each exponential is compared with one of each group: half a million times at the most. Models
/// have some thirty to 120, and four times as many in a step by stages.
constexpr std::ptrdiff_t most_to_compare = 1024;
/// The search for a basis goes with the cube of a group's number: half a second for 256 of one
/// group, or for 160 of each of four stages.
constexpr double most_steps = 256. * 256 * 256;

} // namespace

int exponential_basis(Graph& g, std::vector<Node>& roots, std::span<const double> typical,
                      const OptimiseOptions& options)
{
    const auto all = reachable(g, roots);
    if (std::count_if(all.begin(), all.end(), [&](Node n) { return g.op(n) == Op::exp; }) >
        most_to_compare)
        return 0;
    LinearForms forms(g, typical);
    struct Group
    {
        Linear form; ///< of the first: the others are multiples of it
        Node w;
        std::vector<Exponential> list;
    };
    std::vector<Group> groups;
    for (const Node n : all) {
        if (g.op(n) != Op::exp || !forms.varies(n))
            continue;
        const Linear l = forms.of(g.arg(n, 0));
        if (l.terms.empty() || (l.offset != no_node && forms.probe(l.offset)[0] != 0))
            continue;
        const Node c = l.terms.begin()->second;
        const auto value = forms.probe(c);
        if (!std::isfinite(value[0]) || value[0] == 0 || value[1] == 0)
            continue;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& x) {
            return forms.ratio(l, x.form) != no_node;
        });
        if (group == groups.end())
            group = groups.insert(groups.end(), {l, forms.base_of(l, c), {}});
        group->list.push_back({n, c, group->w, value});
    }
    std::unordered_map<Node, Node> to;
    int changes = 0;
    double steps = 0;
    for (const Group& x : groups) {
        const double more = std::pow(static_cast<double>(x.list.size()), 3);
        if (steps + more > most_steps)
            continue;
        steps += more;
        changes += Basis(g, options).run(x.list, to);
    }
    // replacements refer to old arguments w, which hold no exponential of the same group
    roots = rewrite(g, roots, [&](Node n, const std::array<Node, 3>& a) {
        if (const auto it = to.find(n); it != to.end())
            return it->second;
        return g.arity(n) == 0 ? n : simple(g, g.op(n), a[0], a[1], a[2]);
    });
    return changes;
}

} // namespace tawara::cell::compiler
