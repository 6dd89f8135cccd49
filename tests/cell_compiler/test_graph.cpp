// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/parse/mmt_expression.hpp"
#include "engine/core/error.hpp"

#include <QtTest>

using namespace tawara::cell::compiler;

namespace {

Node parse(Graph& g, const char* text)
{
    const MmtScope scope{
        "test", [](const std::string& n, long) { return static_cast<std::uint32_t>(n[0]); },
        nullptr};
    return parse_mmt_expression(g, text, 1, scope);
}
double value(const Graph& g, Node n, double x, double y = 0)
{
    return evaluate(g, n, [&](std::uint32_t s) { return s == 'x' ? x : y; });
}

} // namespace

class TestGraph : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void equal_expressions_are_one_node()
    {
        Graph g;
        QCOMPARE(parse(g, "x * y + exp(x)"), parse(g, "exp(x) + y * x"));
        QVERIFY(parse(g, "x - y") != parse(g, "y - x"));
        QVERIFY(g.constant(0.0) != g.constant(-0.0));
    }
    void simplification_folds()
    {
        Graph g;
        const Node x = g.symbol('x');
        for (const char* t :
             {"x + 0", "1 * x", "x / 1", "--x", "x^1", "if(1 < 2, x, y)", "exp(log(x))"})
            QCOMPARE(parse(g, t), x);
        QCOMPARE(parse(g, "0 * x + 2 * 3 - x + x^0 * x"), parse(g, "6 - x + x"));
        QCOMPARE(parse(g, "x - x"), g.constant(0));
        QCOMPARE(g.op(parse(g, "1 / 0")), Op::div); // left for run time
    }
    void types_are_checked()
    {
        Graph g;
        const Node x = g.symbol('x');
        QVERIFY_THROWS_EXCEPTION(tawara::Error, g.make(Op::both, x, x));
        QVERIFY_THROWS_EXCEPTION(tawara::InputError, parse(g, "(x < 1) + 2"));
        QVERIFY_THROWS_EXCEPTION(tawara::InputError, parse(g, "if(x, 1, 2)"));
    }
    void memory_is_bounded()
    {
        Graph g(100);
        QVERIFY_THROWS_EXCEPTION(tawara::Error, for (int i = 0; i < 200; ++i) g.constant(i));
    }
    void derivatives_match_differences_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* t :
             {"x^3 - 2*x", "exp(-x/3)*x", "log(1+x^2)", "1/(1+exp((x-3)/5))", "sqrt(x+5)", "x^y",
              "y^x", "sin(x)*cos(x)", "tan(x/3)", "asin(x/4)", "acos(x/4)", "atan(x)", "abs(x-4)",
              "if(x < 2, x^2, 3*x)", "log10(x)", "log(x, 3)", "piecewise(x < 1, x, x < 3, x*x, 0)"})
            QTest::newRow(t) << QString(t);
    }
    void derivatives_match_differences()
    {
        QFETCH(QString, text);
        Graph g;
        const Node f = parse(g, text.toUtf8().constData());
        const Node d = differentiate(g, std::span(&f, 1), 'x')[0];
        const double x = 1.3, y = 2.1, h = 1e-5;
        const double difference = (value(g, f, x + h, y) - value(g, f, x - h, y)) / (2 * h);
        QVERIFY2(std::abs(value(g, d, x, y) - difference) < 1e-8 * (1 + std::abs(difference)),
                 qPrintable(QString::number(value(g, d, x, y) - difference)));
    }
    void removable_quotient_is_smooth()
    {
        Graph g;
        const Node f = g.make(Op::linexp, g.symbol('x'));
        const Node d = differentiate(g, std::span(&f, 1), 'x')[0];
        QCOMPARE(value(g, f, 0), 1.0);
        QCOMPARE(value(g, d, 0), -0.5);
        for (const double x : {-2.0, -0.02, -0.0099, 0.003, 0.0101, 1.0}) {
            const double h = 1e-4, difference = (value(g, f, x + h) - value(g, f, x - h)) / (2 * h);
            QVERIFY(std::abs(value(g, d, x) - difference) < 1e-8);
        }
    }
    void substitution_and_dependence()
    {
        Graph g;
        const Node f = parse(g, "exp(x) * y");
        QVERIFY(depends_on(g, f, 'y'));
        const Node s = substitute(g, std::span(&f, 1), [&](std::uint32_t id) {
            return id == 'y' ? g.constant(0) : no_node;
        })[0];
        QCOMPARE(s, g.constant(0));
    }
};

QTEST_APPLESS_MAIN(TestGraph)
#include "test_graph.moc"
