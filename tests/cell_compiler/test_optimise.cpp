// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_plan.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/optimise/placement.hpp"
#include "engine/cell/compiler/optimise/short_exponentials.hpp"
#include "engine/cell/compiler/parse/mmt_expression.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"

#include <QtTest>
#include <set>

using namespace tawara;
using namespace tawara::cell::compiler;

namespace {

constexpr std::uint32_t V = symbol_id(Symbol::state, 0), ca = symbol_id(Symbol::state, 1);
const std::vector<double> typical{0.037, 2.5}; ///< parameters k, p

/// An expression of V, ca, k and p in a graph of its own.
struct Expression
{
    explicit Expression(const char* text)
    {
        const MmtScope scope{"test",
                             [](const std::string& n, long) {
                                 return n == "V" ? V
                                        : n == "ca"
                                            ? ca
                                            : symbol_id(Symbol::parameter, n == "k" ? 0 : 1);
                             },
                             nullptr};
        roots = {parse_mmt_expression(g, text, 1, scope)};
    }
    int count(Op op) const
    {
        int n = 0;
        for (const Node k : reachable(g, roots))
            n += g.op(k) == op;
        return n;
    }
    double at(double v, double calcium = 0.3) const
    {
        return evaluate(g, roots, [&](std::uint32_t id) {
            return id == V ? v : id == ca ? calcium : typical[symbol_index(id)];
        })[0];
    }
    Graph g;
    std::vector<Node> roots;
};

bool near(double a, double b, double tolerance = 1e-13)
{
    return std::abs(a - b) <= tolerance * (std::abs(a) + std::abs(b));
}

} // namespace

class TestOptimise : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void singularities_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("at");
        QTest::newRow("rate") << "0.32 * (V + 47.13) / (1 - exp(-0.1 * (V + 47.13)))" << -47.13;
        QTest::newRow("turned") << "-(V + 47) / (exp(-0.1 * (V + 47)) - 1)" << -47.0;
        QTest::newRow("guarded") << "if(V == -20, 7, 0.7 * (V + 20) / (1 - exp(-(V + 20) / 10)))"
                                 << -20.0;
        QTest::newRow("flux") << "4 * (V - 15) * p * (0.25 * ca * exp(2 * (V - 15) * k) - 2) / "
                                 "(exp(2 * (V - 15) * k) - 1)"
                              << 15.0;
        QTest::newRow("scaled") << "V / (exp(k * V) - 1)" << 0.0;
    }
    void singularities()
    {
        QFETCH(QString, text);
        QFETCH(double, at);
        const Expression plain(text.toUtf8().constData());
        Expression e(text.toUtf8().constData());
        QCOMPARE(remove_singularities(e.g, e.roots, typical), 1);
        for (const double v : {-80.0, -3.3, 31.0})
            QVERIFY(near(e.at(v), plain.at(v)));
        QVERIFY(std::isfinite(e.at(at)));
        QVERIFY(near(e.at(at), (plain.at(at - 1e-3) + plain.at(at + 1e-3)) / 2, 1e-7));
    }
    void true_poles_stay()
    {
        Expression e("(V + 46) / (1 - exp(-0.1 * (V + 47.13)))");
        QCOMPARE(remove_singularities(e.g, e.roots, typical), 0);
    }
    void constants_leave_exponentials()
    {
        Expression e("exp((V + 35) / 5) + exp(-(V - p) * k)");
        const Expression plain("exp((V + 35) / 5) + exp(-(V - p) * k)");
        QCOMPARE(split_exponentials(e.g, e.roots, typical), 2);
        QVERIFY(near(e.at(-62.5), plain.at(-62.5)));
    }
    void exponentials_share_a_basis()
    {
        const char* text =
            "exp(V / 5) + exp(V / 10) + exp(-V / 20) + exp(V / 4) + exp(k * V) + exp(2 * k * V)";
        Expression e(text);
        const Expression plain(text);
        QCOMPARE(e.count(Op::exp), 6);
        QVERIFY(exponential_basis(e.g, e.roots, typical, {}) >= 5);
        QCOMPARE(e.count(Op::exp), 2);
        for (const double v : {-90.0, -13.0, 45.0})
            QVERIFY(near(e.at(v), plain.at(v)));
    }
    void manyExponentialsKeepTheirs_data()
    {
        QTest::addColumn<QStringList>("exponents"); ///< each in a group of its own
        QTest::addColumn<int>("each");
        QTest::addColumn<bool>("kept");
        QTest::newRow("of one group") << QStringList{"V"} << 300 << true;
        QTest::newRow("as a model has") << QStringList{"V"} << 100 << false;
        QTest::newRow("four stages of a model")
            << QStringList{"V", "ca", "(V + ca)", "(V - ca)"} << 100 << false;
        QTest::newRow("too many to compare")
            << QStringList{"V", "ca", "(V + ca)", "(V - ca)"} << 300 << true;
    }
    /// More than models have are left as they are, since the search goes with their number cubed.
    void manyExponentialsKeepTheirs()
    {
        QFETCH(QStringList, exponents);
        QFETCH(int, each);
        QFETCH(bool, kept);
        std::string text = "0";
        for (const QString& x : exponents)
            for (int n = 1; n <= each; ++n)
                text += " + exp(" + std::to_string(n) + " * " + x.toStdString() + ")";
        Expression e(text.c_str());
        const int before = e.count(Op::exp);
        QCOMPARE(before, int(exponents.size()) * each);
        QCOMPARE(exponential_basis(e.g, e.roots, typical, {}) == 0, kept);
        if (kept)
            QCOMPARE(e.count(Op::exp), before);
        else
            QVERIFY(e.count(Op::exp) < before / 2);
    }
    /// All but the base are powers times exponentials so slow that polynomials do.
    void exponentials_near_powers_become_short()
    {
        const char* text =
            "exp(V / 10) + exp(V / 12) + exp(-V / 15) + exp(V / 20) + exp(0.13459 * V) + "
            "exp(-0.110742 * V) + exp(0.0714286 * V) + exp(0.2444 * V) + exp(0.311 * V) + "
            "exp(0.057 * V) + exp(0.079 * V) + exp(-0.0769231 * V) + exp(0.3485 * V) + exp(V)";
        for (const bool single : {true, false}) {
            Expression e(text);
            const Expression plain(text);
            const auto long_ones = [&] {
                int found = 0;
                for (const Node n : reachable(e.g, e.roots))
                    found += e.g.op(n) == Op::exp && !is_short(rate_of_V(e.g, e.g.arg(n, 0)));
                return found;
            };
            split_exponentials(e.g, e.roots, typical);
            exponential_basis(e.g, e.roots, typical, {});
            const int before = long_ones(),
                      changes = shorten_exponentials(e.g, e.roots, 48, single);
            QCOMPARE(changes, 9);
            QCOMPARE(long_ones(), before - 9); // exp(V) leaves the range of numbers
            for (const double v : {least_V, -90.0, -13.0, 45.0, most_V})
                QVERIFY(near(e.at(v), plain.at(v), 1e-12));
        }
    }
    void short_exponentials_keep_their_error()
    {
        for (const double range : {0.2, 0.05, 0.001})
            for (const bool single : {true, false}) {
                const auto c = short_exponential(range, single);
                QCOMPARE(c.size(), std::size_t(short_exponential_degree(range, single) + 1));
                double most = 0;
                for (int k = -500; k <= 500; ++k) {
                    const double x = range * k / 500;
                    double sum = 0;
                    for (auto i = c.rbegin(); i != c.rend(); ++i)
                        sum = sum * x + *i;
                    most = larger_or_nan(most, std::abs(sum / std::exp(x) - 1));
                }
                QVERIFY2(most < (single ? 3e-8 : 8e-16), qPrintable(QString::number(most)));
            }
        QVERIFY(short_exponential_degree(0.05, true) < 5);
    }
    /// exp(-(V + 27)^2 / 3600) squared and moved; the third leaves the range of numbers, the last
    /// is no power of another.
    void bells_become_powers_of_one()
    {
        const char* text = "exp(-(V + 27)^2 / 3600) + 9.5 * exp(-(V + 40)^2 / 1800) + "
                           "exp(-(V + 30)^2 / 300) + exp(-(V + 35)^2 / 1300)";
        Expression e(text);
        const Expression plain(text);
        integer_powers(e.g, e.roots);
        split_exponentials(e.g, e.roots, typical);
        QCOMPARE(shorten_exponentials(e.g, e.roots, 48, true), 1);
        QCOMPARE(e.count(Op::exp), 4); // one of them of a multiple of V now
        for (const double v : {least_V, -90.0, -13.0, 45.0, most_V})
            QVERIFY(near(e.at(v), plain.at(v), 1e-12));
    }
    void fractions_take_one_division()
    {
        const char* text = "1 / (1 + exp(V)) * 3 / (1 + exp(-V)) + ca / (ca + 2)";
        Expression e(text);
        const Expression plain(text);
        QCOMPARE(e.count(Op::div), 3);
        QVERIFY(merge_fractions(e.g, e.roots) > 0);
        QCOMPARE(e.count(Op::div), 1);
        QVERIFY(near(e.at(0.7), plain.at(0.7)));
    }
    void fractions_pass_through_selections_squares_and_reciprocals()
    {
        const char* select = "if(V > 0, 3 / (1 + exp(V)), ca / (2 + ca)) * 2 / (3 + ca)";
        const char* square = "p / (1 + (p / ca)^2)";
        const char* reciprocal = "1 / (1 + k / exp(V)) * 2 / (3 + k / exp(V))";
        for (const char* text : {select, square, reciprocal}) {
            Expression e(text);
            const Expression plain(text);
            integer_powers(e.g, e.roots);
            merge_fractions(e.g, e.roots);
            QCOMPARE(e.count(Op::div), 1);
            for (const double v : {-2.0, 0.7})
                QVERIFY(near(e.at(v), plain.at(v)));
        }
    }
    /// a / (a + b) with a quotient a that two need: it may divide later, where that is cheaper.
    void quotients_that_several_need_may_divide_later()
    {
        const char* text = "V / (ca + 1) / (V / (ca + 1) + p)";
        for (const bool share : {false, true}) {
            Expression e(text);
            const Expression plain(text);
            merge_fractions(e.g, e.roots, {.share_all = share});
            QCOMPARE(e.count(Op::div), share ? 1 : 2);
            QVERIFY(near(e.at(0.7), plain.at(0.7)));
        }
    }
    /// With V of 200 mV each factor is 2e17: two of them are within single precision, not three.
    void fractions_stay_within_the_range_of_numbers()
    {
        const auto divisions = [](const char* text, double largest) {
            Expression e(text);
            const FractionOptions o{
                .largest = largest, .probe = true, .states = {-80, 0.3}, .parameters = typical};
            merge_fractions(e.g, e.roots, o);
            return e.count(Op::div);
        };
        const char* two = "1 / (1 + exp(V / 5)) * 1 / (2 + exp(V / 5))";
        const char* three = "1 / (1 + exp(V / 5)) * 1 / (2 + exp(V / 5)) * 1 / (3 + exp(V / 5))";
        QCOMPARE(divisions(two, 1e36), 1);
        QCOMPARE(divisions(three, 1e36), 2);
        QCOMPARE(divisions(three, 1e300), 1);
    }
    /// Multiples of one sum are multiples of one exponent, constants in logarithms or not.
    void exponentials_of_a_reversal_potential_share_a_basis()
    {
        const char* text = "exp(0.1 * (V - p * log(k / ca))) + exp(0.2 * (V - p * log(k / ca)))";
        Expression e(text);
        const Expression plain(text);
        split_logarithms(e.g, e.roots, typical);
        split_exponentials(e.g, e.roots, typical);
        QVERIFY(exponential_basis(e.g, e.roots, typical, {}) >= 1);
        int varying = 0;
        const auto v = depends(e.g, [](auto id) { return symbol_kind(id) == Symbol::state; });
        for (const Node n : reachable(e.g, e.roots))
            varying += e.g.op(n) == Op::exp && v[n];
        QCOMPARE(varying, 1);
        QVERIFY(near(e.at(-20), plain.at(-20), 1e-12));
    }
    void powers_and_logarithms()
    {
        Expression e("V^5 + ca^-2 + ca^1.5 + log(p / ca)");
        const Expression plain("V^5 + ca^-2 + ca^1.5 + log(p / ca)");
        QCOMPARE(integer_powers(e.g, e.roots), 3);
        QCOMPARE(split_logarithms(e.g, e.roots, typical), 1);
        QCOMPARE(e.count(Op::pow), 0);
        QVERIFY(near(e.at(-3), plain.at(-3)));
    }
    void parameters_are_hoisted()
    {
        Expression e("(p * exp(k) + 3) * V + if(p > 2, k, 2 * k) * ca / (k + 1)");
        const Expression plain("(p * exp(k) + 3) * V + if(p > 2, k, 2 * k) * ca / (k + 1)");
        multiply_by_reciprocals(e.g, e.roots);
        const auto table = hoist(e.g, e.roots);
        for (const Node n : reachable(e.g, e.roots))
            QVERIFY(e.g.op(n) != Op::symbol || symbol_kind(e.g.symbol_of(n)) != Symbol::parameter);
        QCOMPARE(e.count(Op::exp), 0);
        const auto row =
            evaluate(e.g, table, [](std::uint32_t id) { return typical[symbol_index(id)]; });
        const double x = evaluate(e.g, e.roots, [&](std::uint32_t id) {
            return id == V ? -7 : id == ca ? 0.3 : row[symbol_index(id)];
        })[0];
        QVERIFY(near(x, plain.at(-7)));
    }
    void library_is_described()
    {
        const auto names = library_names();
        QVERIFY(names.size() >= 6);
        for (const auto& n : names) {
            const CellSystem s = load_model(n);
            QCOMPARE(s.name, n);
            QVERIFY(!describe(s).source.empty());
            QVERIFY(!s.stimulus.empty());
        }
        const CellSystem s = load_model("ten_tusscher_2006");
        const std::pair<std::string, double> over[] = {{"g_Ks", 0.5}};
        const auto t = cell_type(s, "endo", over, {});
        for (std::size_t k = 0; k < s.parameters.size(); ++k) {
            if (s.parameters[k].name == "g_to")
                QCOMPARE(t.parameters[k], 0.073);
            if (s.parameters[k].name == "g_Ks")
                QCOMPARE(t.parameters[k], 0.5);
        }
        QVERIFY_THROWS_EXCEPTION(InputError, load_model("ten_tuscher"));
        QVERIFY_THROWS_EXCEPTION(InputError, cell_type(s, "atrial", {}, {}));
    }

    /// k ca (p (V + 1)) / (3 ca) has one product of k, p and 1/3; what is used twice stays.
    void shared_factors_come_together()
    {
        Expression e("k * ((V + 1) * (p * ca)) / (3 * (2 + ca))");
        const double before = e.at(-20);
        const int products = e.count(Op::mul);
        QCOMPARE(gather_factors(e.g, e.roots, typical), 2);
        QVERIFY(near(e.at(-20), before));
        (void)hoist(e.g, e.roots);
        QCOMPARE(e.count(Op::mul), 2);
        QVERIFY(products > 2);
        Expression twice("k * (p * ca) + exp(p * ca)"); // p ca has another user
        const double value = twice.at(-20);
        QCOMPARE(gather_factors(twice.g, twice.roots, typical), 0);
        QVERIFY(near(twice.at(-20), value));
    }

    /// (a b) (c d) + ... by hand: enough registers move nothing, MIN never loads more than LRU.
    void values_in_registers()
    {
        // a chain of ten values made first and used last in the same order
        std::string text = "0";
        for (int k = 1; k <= 10; ++k)
            text += " + V / (ca + " + std::to_string(k) + ")";
        Expression e(("exp(" + text + ") * (" + text + ")").c_str());
        for (const auto& order : {depth_first(e.g, e.roots), larger_first(e.g, e.roots)}) {
            std::set<Node> seen;
            for (const Node n : order) {
                for (int k = 0; k < e.g.arity(n); ++k)
                    QVERIFY(e.g.arity(e.g.arg(n, k)) == 0 || seen.count(e.g.arg(n, k)) ||
                            !differs_between_cells(e.g)[e.g.arg(n, k)]);
                QVERIFY(seen.insert(n).second);
            }
            const auto all = place_values(e.g, order, 64, Eviction::farthest_use);
            QCOMPARE(all.loads + all.stores, std::size_t(0));
            QVERIFY(all.most_alive >= 2);
        }
        // Belady's own kind of example: 1 / (ca + k) all made before any is used again
        Graph g;
        std::vector<Node> made;
        Node sum = no_node;
        for (int k = 1; k <= 8; ++k) {
            made.push_back(g.make(Op::exp, g.make(Op::mul, g.symbol(V), g.constant(k))));
            sum = sum == no_node ? made.back() : g.make(Op::add, sum, made.back());
        }
        Node product = g.make(Op::exp, sum);
        for (const Node m : made)
            product = g.make(Op::mul, product, m);
        const auto order = depth_first(g, std::span(&product, 1));
        std::size_t before = 100, better = 0;
        for (const std::size_t registers : {4u, 6u, 8u, 9u, 10u}) {
            const auto least = place_values(g, order, registers, Eviction::farthest_use);
            const auto lru = place_values(g, order, registers, Eviction::oldest_use);
            QVERIFY(least.loads <= lru.loads && least.loads <= before);
            QVERIFY(least.stores <= least.loads);
            before = least.loads;
            better += lru.loads - least.loads;
        }
        QVERIFY(better > 0);
        QCOMPARE(before, std::size_t(0));
    }
};

QTEST_GUILESS_MAIN(TestOptimise)
#include "test_optimise.moc"
