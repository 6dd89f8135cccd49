// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/optimise/short_exponentials.hpp"

#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tawara::cell::compiler {
namespace {

/// I_n(x), x <= 1
double bessel(int n, double x)
{
    double term = 1, sum = 0;
    for (int k = 1; k <= n; ++k)
        term *= x / (2 * k);
    for (int k = 1; k < 12; ++k) {
        sum += term;
        term *= x * x / (4.0 * k * (k + n));
    }
    return sum;
}

/// Operations of an exponential that is not short, with tables.
double cost_of_exponential(bool single)
{
    return single ? 9 : 12;
}

/// Powers of one exponential: exponent -> node; no_node while ways are only compared.
using Powers = std::map<int, Node>;

/// A power m of n's sign that is there, with n - m there too; 0: none.
int summand(int n, const Powers& power)
{
    for (const auto& [m, node] : power)
        if ((m > 0) == (n > 0) && ((n - m) > 0) == (n > 0) && power.count(n - m))
            return m;
    return 0;
}

/// The same where n - m is one product away, the largest such; 0: none.
int far_summand(int n, const Powers& power)
{
    int found = 0;
    for (const auto& [m, node] : power)
        if ((m > 0) == (n > 0) && ((n - m) > 0) == (n > 0) && std::abs(m) > std::abs(found) &&
            summand(n - m, power))
            found = m;
    return found;
}

/// Products that n takes beside the powers that are there. @pre n = 0, or n's sign is there
double products_for(int n, const Powers& power)
{
    if (n == 0 || power.count(n))
        return 0;
    if (summand(n, power))
        return 1;
    if (far_summand(n, power))
        return 2;
    return products_for(n / 2, power) + 1 + (n % 2 != 0);
}

/// exp(c V) as exp(b V)^n exp(+-f V)^|k| exp(rest V), the sign that of k.
struct Way
{
    int n = 0, k = 0;
    double rest = 0, cost = 0;
    double counted = 0;                             ///< of the cost: ExponentUnits::others_bear
    bool taken() const { return n != 0 || k != 0; } ///< else exp(c V) stays as it is
};

/// A base and a fine exponential that others are written with.
struct ExponentUnits
{
    double base = 0, fine = 0; ///< b and f, fine > 0 [1/mV]
    int largest_power = 0;
    bool single = false;
    double others_bear = 0;        ///< of what new powers cost: others may use them
    Powers powers{}, up{}, down{}; ///< of exp(b V), exp(f V) and exp(-f V)

    Powers& fine_powers(int k) { return k > 0 ? up : down; }
    double polynomial_cost(double c) const
    {
        return short_exponential_degree(std::abs(c) * V_reach, single);
    }

    Way cheapest(double c)
    {
        constexpr int largest_fine_power = 16;
        constexpr double exact = 1e-13; // a rest that rounding leaves
        const double as_it_is = cost_of_exponential(single);
        Way best{0, 0, 0, as_it_is, as_it_is};
        const double reach = largest_fine_power * fine;
        double from = std::ceil((c - reach) / base), to = std::floor((c + reach) / base);
        if (base < 0) {
            from = std::ceil((c + reach) / base);
            to = std::floor((c - reach) / base);
        }
        from = std::max(from, -1.0 * largest_power);
        to = std::min(to, 1.0 * largest_power);
        for (int n = static_cast<int>(from); n <= static_cast<int>(to); ++n) {
            if (n < 0 && !powers.count(-1))
                continue; // a division more
            Way w{n, static_cast<int>(std::round((c - n * base) / fine)), 0, 0, 0};
            w.rest = c - n * base - w.k * fine;
            if (std::abs(w.rest) < exact * std::abs(c))
                w.rest = 0;
            double fresh = products_for(n, powers);
            if (w.k != 0 && fine_powers(w.k).empty())
                fresh += polynomial_cost(fine) + products_for(std::abs(w.k), {{1, no_node}});
            else if (w.k != 0)
                fresh += products_for(std::abs(w.k), fine_powers(w.k));
            const double own =
                (n != 0 && w.k != 0) + (w.rest != 0 ? polynomial_cost(w.rest) + 1 : 0);
            w.cost = own + fresh;
            w.counted = own + (1 - others_bear) * fresh;
            if (w.taken() && w.counted < best.counted)
                best = w;
        }
        return best;
    }
};

class Shortener
{
  public:
    Shortener(Graph& g, std::vector<Node>& roots, int largest_power, bool single)
        : g_(g), roots_(roots), largest_power_(largest_power), single_(single)
    {
    }

    int run()
    {
        const int bells = join_bells();
        collect();
        double least = cost_of_exponential(single_) * static_cast<double>(list_.size());
        std::optional<ExponentUnits> best;
        std::vector<double> order;
        for (const auto& [b, powers] : bases())
            for (const int parts : {3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30}) {
                ExponentUnits units{b, std::abs(b) / parts, largest_power_, single_, 0, powers};
                if (!is_short(units.fine))
                    continue;
                for (const double share : {0.0, 0.5, 1.0})
                    for (const auto& list : {rates(false), rates(true)}) {
                        units.others_bear = share;
                        const double cost = cost_with(units, list);
                        if (cost < least) {
                            least = cost;
                            best = units;
                            order = list;
                        }
                    }
            }
        if (!best)
            return bells;
        std::map<Node, Node> to;
        for (const double c : order)
            if (c != best->base)
                if (const Node n = take(*best, c, true).second; n != no_node)
                    to[list_.at(c)] = n;
        replace(to);
        return bells + static_cast<int>(to.size());
    }

  private:
    struct BySize
    {
        bool operator()(double a, double b) const
        {
            return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a < b;
        }
    };

    /// exp(rate (V - centre)^2)
    struct Bell
    {
        Node node = no_node;
        double rate = 0, centre = 0;
    };

    void replace(const std::map<Node, Node>& to)
    {
        roots_ = rewrite(g_, roots_, [&](Node n, const std::array<Node, 3>& a) {
            if (const auto it = to.find(n); it != to.end())
                return it->second;
            return g_.arity(n) == 0 ? n : simple(g_, g_.op(n), a[0], a[1], a[2]);
        });
    }

    /// x + c or x - c with a constant. @return x and c; no_node: it is something else
    std::pair<Node, double> offset(Node n) const
    {
        if (g_.op(n) != Op::add && g_.op(n) != Op::sub)
            return {};
        const Node a = g_.arg(n, 0), b = g_.arg(n, 1);
        if (g_.is_constant(b))
            return {a, g_.op(n) == Op::add ? g_.value(b) : -g_.value(b)};
        if (g_.is_constant(a) && g_.op(n) == Op::add)
            return {b, g_.value(a)};
        return {};
    }

    std::optional<Bell> bell(Node n)
    {
        if (g_.op(n) != Op::exp || g_.op(g_.arg(n, 0)) != Op::mul)
            return {};
        const Node x = g_.arg(n, 0), V = g_.symbol(symbol_id(Symbol::state, 0));
        for (int k = 0; k < 2; ++k) {
            const Node square = g_.arg(x, 1 - k);
            if (!g_.is_constant(g_.arg(x, k)) || g_.op(square) != Op::mul ||
                g_.arg(square, 0) != g_.arg(square, 1))
                continue;
            if (const auto [of, c] = offset(g_.arg(square, 0)); of == V)
                return Bell{n, g_.value(g_.arg(x, k)), -c};
        }
        return {};
    }

    static double linear_rate(const Bell& b, const Bell& a)
    {
        return 2 * b.rate * (a.centre - b.centre);
    }
    /// k, if b is a^k times an exponential of V, all of them numbers within the bounds of V.
    std::optional<int> power(const Bell& b, const Bell& a) const
    {
        constexpr double largest = 16, exact = 1e-9; // rounding of k
        const double k = b.rate / a.rate;
        const double far = std::max(most_V - a.centre, a.centre - least_V);
        const bool whole = k > 0.5 && k < largest && std::abs(k - std::round(k)) < exact;
        if (a.centre == b.centre || !whole ||
            std::abs(b.rate) * far * far > most_exponent(single_) ||
            !is_bounded(linear_rate(b, a), single_))
            return {};
        return static_cast<int>(std::round(k));
    }

    /// Bells as powers of others, times an exponential of V:
    ///     exp(k a (V - q)^2) = exp(a (V - p)^2)^k exp(2 k a (p - q) V) exp(k a (q^2 - p^2))
    int join_bells()
    {
        std::vector<Bell> list;
        for (const Node n : reachable(g_, roots_))
            if (const auto b = bell(n))
                list.push_back(*b);
        std::map<Node, Node> to;
        std::set<Node> kept;
        for (const Bell& b : list)
            for (const Bell& a : list) {
                const auto k = power(b, a);
                if (!k || to.count(a.node) || to.count(b.node) || kept.count(b.node))
                    continue;
                kept.insert(a.node);
                Powers powers = powers_of(a.node);
                const double factor =
                    std::exp(b.rate * (b.centre * b.centre - a.centre * a.centre));
                to[b.node] =
                    product(product(raise(*k, powers, true), exponential(linear_rate(b, a)), true),
                            g_.constant(factor), true);
            }
        replace(to);
        return static_cast<int>(to.size());
    }

    Node exponential(double c)
    {
        const Node V = g_.symbol(symbol_id(Symbol::state, 0));
        return simple(g_, Op::exp, simple(g_, Op::mul, g_.constant(c), V));
    }

    /// Exponentials of multiples of V, bounded with V and not short already.
    void collect()
    {
        const Node V = g_.symbol(symbol_id(Symbol::state, 0));
        for (const Node n : reachable(g_, roots_)) {
            if (g_.op(n) != Op::exp || g_.op(g_.arg(n, 0)) != Op::mul)
                continue;
            const Node x = g_.arg(n, 0);
            for (int k = 0; k < 2; ++k)
                if (g_.is_constant(g_.arg(x, k)) && g_.arg(x, 1 - k) == V)
                    if (const double c = g_.value(g_.arg(x, k));
                        !is_short(c) && is_bounded(c, single_))
                        list_[c] = n;
        }
    }

    std::vector<double> rates(bool largest_first) const
    {
        std::vector<double> out;
        for (const auto& [c, node] : list_)
            out.push_back(c);
        if (largest_first)
            std::reverse(out.begin(), out.end());
        return out;
    }

    /// Those with most powers, which cost nothing more.
    std::vector<std::pair<double, Powers>> bases() const
    {
        constexpr std::size_t few = 4;
        std::vector<std::pair<double, Powers>> out;
        for (const auto& [c, node] : list_)
            out.emplace_back(c, powers_of(node));
        std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
            return a.second.size() > b.second.size();
        });
        out.resize(std::min(few, out.size()));
        return out;
    }

    double cost_with(ExponentUnits units, const std::vector<double>& list)
    {
        double all = cost_of_exponential(single_); // the base
        for (const double c : list)
            if (c != units.base)
                all += take(units, c, false).first;
        return all;
    }

    /// Powers of an exponential that the graph has, their reciprocals too.
    Powers powers_of(Node base) const
    {
        Powers out{{1, base}};
        std::unordered_map<Node, int> exponent{{base, 1}};
        for (const Node n : reachable(g_, roots_)) {
            if (exponent.count(n))
                continue;
            int e = 0;
            if (g_.op(n) == Op::mul) {
                const auto a = exponent.find(g_.arg(n, 0)), b = exponent.find(g_.arg(n, 1));
                if (a != exponent.end() && b != exponent.end())
                    e = a->second + b->second;
            } else if (g_.op(n) == Op::div && g_.is_constant(g_.arg(n, 0)) &&
                       g_.value(g_.arg(n, 0)) == 1)
                if (const auto a = exponent.find(g_.arg(n, 1)); a != exponent.end())
                    e = -a->second;
            if (e == 0)
                continue;
            exponent[n] = e;
            out.try_emplace(e, n);
        }
        return out;
    }

    Node product(Node a, Node b, bool make) { return make ? simple(g_, Op::mul, a, b) : no_node; }
    /// @pre n's sign is there
    Node raise(int n, Powers& power, bool make)
    {
        if (const auto it = power.find(n); it != power.end())
            return it->second;
        Node r;
        const int near = summand(n, power), m = near != 0 ? near : far_summand(n, power);
        if (m != 0) {
            const Node rest = raise(n - m, power, make);
            r = product(rest, power.at(m), make);
        } else {
            const Node half = raise(n / 2, power, make);
            r = product(half, n % 2 == 0 ? half : raise(n - n / 2, power, make), make);
        }
        return power[n] = r;
    }

    /// Cost of exp(c V) in the cheaper way, and what it is then, no_node where it stays as it is.
    /// Its powers are there afterwards.
    std::pair<double, Node> take(ExponentUnits& units, double c, bool make)
    {
        const Way w = units.cheapest(c);
        if (!w.taken())
            return {w.cost, no_node};
        Node all = no_node;
        const auto times = [&](Node x) { all = all == no_node ? x : product(all, x, make); };
        if (w.k != 0) {
            Powers& there = units.fine_powers(w.k);
            if (there.empty())
                there[1] = make ? exponential(w.k > 0 ? units.fine : -units.fine) : no_node;
            times(raise(std::abs(w.k), there, make));
        }
        if (w.n != 0)
            times(raise(w.n, units.powers, make));
        if (w.rest != 0 && make)
            times(exponential(w.rest));
        return {w.cost, all};
    }

    Graph& g_;
    std::vector<Node>& roots_;
    const int largest_power_;
    const bool single_;
    std::map<double, Node, BySize> list_; ///< rate [1/mV] -> exponential
};

} // namespace

int short_exponential_degree(double range, bool single)
{
    const double wanted = single ? 3e-8 : 3e-16;
    int degree = 1;
    while (2 * bessel(degree + 1, range) * std::exp(range) > wanted)
        ++degree;
    return degree;
}

std::vector<double> short_exponential(double range, bool single)
{
    const auto size = static_cast<std::size_t>(short_exponential_degree(range, single)) + 1;
    std::vector<double> sum(size, 0), before(size, 0), now(size, 0); // powers of t = x / range
    before[0] = now[1] = 1;                                          // T_0, T_1
    sum[0] = bessel(0, range);
    for (std::size_t n = 1; n < size; ++n) {
        std::vector<double> next(size, 0);
        for (std::size_t k = 0; k < size; ++k) {
            sum[k] += 2 * bessel(static_cast<int>(n), range) * now[k];
            next[k] = (k > 0 ? 2 * now[k - 1] : 0) - before[k];
        }
        before = std::exchange(now, std::move(next));
    }
    for (std::size_t k = 1; k < size; ++k)
        sum[k] /= std::pow(range, static_cast<double>(k));
    return sum;
}

int shorten_exponentials(Graph& g, std::vector<Node>& roots, int largest_power, bool single)
{
    return Shortener(g, roots, largest_power, single).run();
}

} // namespace tawara::cell::compiler
