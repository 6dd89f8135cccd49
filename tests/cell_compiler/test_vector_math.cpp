// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/llvm_plan.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/larger.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::cell::compiler;

/// Quotients, exponentials and logarithms of every instruction set, in units of the last place.
class TestVectorMath : public QObject
{
    Q_OBJECT
    template <class Real>
    static void check_functions(const Program& p, double factor)
    {
        constexpr std::size_t n = 4096;
        AlignedVector<Real> x(n), wide(n), near_one(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double t = static_cast<double>(i) / n;
            x[i] = static_cast<Real>((-80 + 160 * t) / std::max(factor, 1.0));
            wide[i] = static_cast<Real>(std::exp(-70 + 140 * t));
            near_one[i] = static_cast<Real>(0.6 + 0.9 * t);
        }
        auto e = x, a = wide, b = near_one;
        Real* states[] = {a.data(), b.data()};
        const JitStep<Real> step(p);
        const Real row = 0;
        step(e.data(), states, nullptr, 0, n, &row, 0, 0, 0);
        const auto ulps = [](Real found, long double expected) {
            const Real r = std::abs(static_cast<Real>(expected));
            const Real one = std::nextafter(r, std::numeric_limits<Real>::infinity()) - r;
            return static_cast<double>(std::abs(found - expected) / one);
        };
        double error[3] = {};
        for (std::size_t i = 0; i < n; ++i) {
            const long double t = x[i], u = wide[i], v = near_one[i];
            // the rounded argument of exp costs about |x|
            error[0] =
                larger_or_nan(error[0], ulps(e[i], std::exp(factor * t)) -
                                            1.1 * factor * std::abs(static_cast<double>(x[i])));
            error[1] = larger_or_nan(error[1], ulps(a[i], std::log(u)));
            error[2] = larger_or_nan(error[2], ulps(b[i], std::log(v)));
        }
        // what is raised to powers is within an ulp, others may have 3.5e-14
        const double most[] = {factor == 2 ? 4.0 : sizeof(Real) == 8 ? 230.0 : 2.0, 2, 2};
        for (int k = 0; k < 3; ++k)
            QVERIFY2(
                error[k] <= most[k],
                qPrintable(QString::fromStdString(step.target()) +
                           QString(": %1, %2, %3 ulp").arg(error[0]).arg(error[1]).arg(error[2])));
        a[0] = 0;
        a[1] = -1;
        step(e.data(), states, nullptr, 0, 16, &row, 0, 0, 0);
        QVERIFY(std::isinf(a[0]) && a[0] < 0 && std::isnan(a[1]));
    }
    template <class Real>
    static void check_quotients(const Program& p)
    {
        using Limits = std::numeric_limits<Real>;
        const Real inf = Limits::infinity(), most = Limits::max(), least = Limits::min();
        std::vector<Real> list{
            0,    -Real(0), 1,     -1,     3,        inf,      -inf, Limits::quiet_NaN(),
            most, least,    -most, -least, most / 3, least * 3};
        for (Real x = Real(1.0371); list.size() < 62; x *= Real(-1.731))
            list.insert(list.end(), {x, 1 / x});
        const std::size_t n = list.size() * list.size(), room = (n + 15) / 16 * 16;
        std::vector<AlignedVector<Real>> y(5, AlignedVector<Real>(room, Real(1)));
        for (std::size_t i = 0; i < n; ++i) {
            y[0][i] = list[i / list.size()];
            y[1][i] = list[i % list.size()];
        }
        const auto a = y[0], b = y[1];
        Real* states[] = {y[1].data(), y[2].data(), y[3].data(), y[4].data()};
        const JitStep<Real> step(p);
        const Real row = 0;
        step(y[0].data(), states, nullptr, 0, room, &row, 0, 0, 0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 2; k < 5; ++k) { // two of three may be made in another way
                const Real right = k == 4 ? 1 / b[i] : a[i] / b[i], found = y[k][i];
                const Real q = std::abs(right);
                const bool in_range = q == 0 || std::isnan(q) || std::isinf(q) || q >= 4 * least;
                const bool same = found == right || (std::isnan(found) && std::isnan(right)) ||
                                  std::abs(found - right) <= 2 * Limits::epsilon() * q ||
                                  (!in_range && std::abs(found) <= 8 * least) ||
                                  (q > most / 2 && std::abs(found) > most / 2);
                QVERIFY2(same, qPrintable(QString::fromStdString(step.target()) +
                                          QString(": %1 / %2 = %3, not %4")
                                              .arg(static_cast<double>(k == 4 ? 1 : a[i]))
                                              .arg(static_cast<double>(b[i]))
                                              .arg(static_cast<double>(found), 0, 'g', 17)
                                              .arg(static_cast<double>(right), 0, 'g', 17)));
            }
    }

    /// The quotients of bounded_denominators_are_found(), |V| <= most.
    template <class Real>
    static void check_bounded(const Program& p, double most)
    {
        constexpr std::size_t n = 4096;
        AlignedVector<Real> v(n), zero(n, Real(0));
        for (std::size_t i = 0; i < n; ++i)
            v[i] = static_cast<Real>(most * (2.0 * static_cast<double>(i) / (n - 1) - 1));
        const auto at = v;
        std::vector<AlignedVector<Real>> y(5, zero);
        Real* states[] = {y[0].data(), y[1].data(), y[2].data(), y[3].data(), y[4].data()};
        const JitStep<Real> step(p);
        const Real row = 0;
        step(v.data(), states, nullptr, 0, n, &row, 0, 0, 0);
        constexpr double two_exponentials = sizeof(Real) == 8 ? 172 : 4; // ulp
        for (std::size_t i = 0; i < n; ++i) {
            const double V = at[i], slow = 1 + std::exp(static_cast<double>(Real(0.1)) * V),
                         steep = 1 + std::exp(static_cast<double>(Real(-0.35)) * V),
                         product = steep * (1 + std::exp(static_cast<double>(Real(-0.3)) * V));
            const double right[] = {1 / slow, 1 / steep, 1 / product, V < 0 ? 1 / slow : 1 / steep,
                                    slow / 2};
            for (std::size_t k = 0; k < 5; ++k) // the rounded exponents cost about |0.65 V| ulp
                if (right[k] > 4 * static_cast<double>(std::numeric_limits<Real>::min()))
                    QVERIFY2(std::abs(y[k][i] / right[k] - 1) <=
                                 (4 + two_exponentials + std::abs(V)) *
                                     static_cast<double>(std::numeric_limits<Real>::epsilon()),
                             qPrintable(QString("%1, quotient %2 at %3 mV: %4, not %5")
                                            .arg(QString::fromStdString(step.target()))
                                            .arg(k)
                                            .arg(V)
                                            .arg(static_cast<double>(y[k][i]))
                                            .arg(right[k])));
        }
    }

  private Q_SLOTS:
    /// Whichever way they are made.
    void quotients_are_accurate()
    {
        Program p;
        p.name = "quotients";
        auto& g = p.graph;
        const auto state = [&](std::uint32_t k) { return g.symbol(symbol_id(Symbol::state, k)); };
        const Node x = state(0), y = state(1);
        p.next = {x, y, g.make(Op::div, x, y),
                  g.make(Op::neg, g.make(Op::div, g.make(Op::neg, x), y)),
                  g.make(Op::div, g.constant(1), y)};
        for (const unsigned bytes : {64u, 32u, 16u}) {
            p.vector_bytes = bytes;
            check_quotients<double>(p);
            check_quotients<float>(p);
        }
    }
    /// Which denominators need no care, and that quotients by them are right wherever V may be.
    void bounded_denominators_are_found()
    {
        Program p;
        p.name = "bounded";
        auto& g = p.graph;
        const Node v = g.symbol(symbol_id(Symbol::state, 0)),
                   x = g.symbol(symbol_id(Symbol::state, 1));
        const auto growth = [&](double c) {
            return g.make(Op::exp, g.make(Op::mul, g.constant(c), v));
        };
        const auto sum = [&](double a, Node b) { return g.make(Op::add, g.constant(a), b); };
        const Node slow = sum(1, growth(0.1)), steep = sum(1, growth(-0.35)),
                   product = g.make(Op::mul, steep, sum(1, growth(-0.3))),
                   choice = g.make(Op::select, g.make(Op::lt, v, x), slow, steep),
                   quotient = g.make(Op::div, g.constant(2), slow), crossing = sum(-1, growth(0.1)),
                   any = g.make(Op::mul, slow, x);
        const std::vector<Node> roots{slow, steep, product, choice, quotient, crossing, any};
        const bool in_double[] = {true, true, true, true, true, false, false},
                   in_single[] = {true, true, false, true, true, false, false};
        for (const bool single : {false, true}) {
            const auto found = intervals(g, roots, single);
            for (std::size_t k = 0; k < roots.size(); ++k)
                QCOMPARE(found[roots[k]].has_reciprocal(single),
                         single ? in_single[k] : in_double[k]);
        }
        p.next = {v};
        for (const Node n : {slow, steep, product, choice, quotient})
            p.next.push_back(g.make(Op::div, g.make(Op::add, x, g.constant(1)), n));
        for (const unsigned bytes : {64u, 32u, 16u}) {
            p.vector_bytes = bytes;
            check_bounded<double>(p, 1000);
            check_bounded<float>(p, most_V);
        }
    }
    /// a / (x / (exp(x) - 1)): both quotients are one.
    void growth_is_accurate()
    {
        Program p;
        p.name = "growth";
        auto& g = p.graph;
        const Node x = g.symbol(symbol_id(Symbol::state, 0)),
                   a = g.symbol(symbol_id(Symbol::state, 1));
        p.next = {x, g.make(Op::div, a, g.make(Op::linexp, x))};
        constexpr std::size_t n = 336;
        for (const unsigned bytes : {64u, 32u, 16u}) {
            p.vector_bytes = bytes;
            AlignedVector<double> v(n);
            for (std::size_t i = 0; i < n; ++i)
                v[i] = i == 160 ? 0 : (static_cast<double>(i) - 160) * (i % 2 ? 1e-9 : 0.21);
            AlignedVector<double> x0 = v, y(n, 3);
            double* states[] = {y.data()};
            const JitStep<double> step(p);
            const double row = 0;
            step(x0.data(), states, nullptr, 0, n, &row, 0, 0, 0);
            for (std::size_t i = 0; i < n; ++i) {
                const double right = v[i] == 0 ? 3 : 3 * std::expm1(v[i]) / v[i];
                QVERIFY2(std::abs(y[i] - right) <= 2e-14 * std::abs(right),
                         qPrintable(QString("%1: %2, not %3")
                                        .arg(v[i])
                                        .arg(y[i], 0, 'g', 17)
                                        .arg(right, 0, 'g', 17)));
            }
        }
    }
    /// exp and log of every instruction set, in units of the last place.
    void functions_are_accurate()
    {
        Program p;
        p.name = "functions";
        const auto state = [&](std::uint32_t k) {
            return p.graph.symbol(symbol_id(Symbol::state, k));
        };
        p.next = {p.graph.make(Op::exp, state(0)), p.graph.make(Op::log, state(1)),
                  p.graph.make(Op::log, state(2))};
        const auto check = [&](double factor) {
            for (const unsigned bytes : {64u, 32u, 16u}) {
                p.vector_bytes = bytes;
                check_functions<double>(p, factor);
                check_functions<float>(p, factor);
            }
        };
        check(1);
        p.next[0] = p.graph.make(Op::mul, p.next[0], p.next[0]);
        check(2);
        p.next[0] = p.graph.make( // stays within the range of numbers: without bounds
            Op::exp, p.graph.make(Op::mul, p.graph.constant(0.25), state(0)));
        check(0.25);
    }

    /// Beyond the bounds of V they keep the values that they have there.
    void short_exponentials_are_accurate()
    {
        constexpr double c = -0.001;
        static_assert(is_short(c));
        Program p;
        p.name = "short";
        auto& g = p.graph;
        const Node v = g.symbol(symbol_id(Symbol::state, 0));
        p.next = {v, g.make(Op::exp, g.make(Op::mul, g.constant(c), v))};
        constexpr std::size_t n = 800;
        for (const unsigned bytes : {64u, 32u, 16u}) {
            p.vector_bytes = bytes;
            AlignedVector<float> x(n), y(n);
            for (std::size_t i = 0; i < n; ++i)
                x[i] = -400.F + static_cast<float>(i);
            float* states[] = {y.data()};
            const JitStep<float> step(p);
            const float row = 0;
            step(x.data(), states, nullptr, 0, n, &row, 0, 0, 0);
            for (std::size_t i = 0; i < n; ++i) {
                const double V = std::clamp(static_cast<double>(x[i]), least_V, most_V);
                QVERIFY(std::abs(y[i] / std::exp(c * V) - 1) < 2e-7);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestVectorMath)
#include "test_vector_math.moc"
