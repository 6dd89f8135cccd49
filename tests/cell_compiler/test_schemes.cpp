// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of the schemes, and removable singularities of every library model in single precision.
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "tests/cell_compiler/cells.hpp"

#include <QtTest>
#include <cmath>
#include <optional>
#include <set>

using namespace tawara;
using namespace tawara::cell;
using namespace tawara::cell::compiler;

namespace {

constexpr std::size_t width = 16;

/// V after `until` ms of an excited cell.
double after(const std::string& model, Scheme scheme, double dt, double until, double start_mV)
{
    Cells<double> c(model, scheme);
    for (auto& v : c.arrays[0])
        v = start_mV;
    for (std::int64_t k = 0, n = std::lround(until / dt); k < n; ++k)
        c.step(static_cast<double>(k) * dt, dt);
    return c.arrays[0][3];
}

/// Potentials in [-120, 80] mV at which an argument of linexp vanishes, other states at rest.
std::set<double> singular_places(const std::string& model)
{
    const CellSystem s = load_model(model);
    const Program p = compile(load_model(model), Scheme::forward_euler);
    const auto row = p.row(s.parameter_values());
    const auto initial = s.initial_values();
    const auto at = [&](Node n, double v) {
        return evaluate(p.graph, n, [&](std::uint32_t id) {
            switch (symbol_kind(id)) {
            case Symbol::state:
                return symbol_index(id) == 0 ? v : initial[symbol_index(id)];
            case Symbol::table:
                return row[symbol_index(id)];
            case Symbol::dt:
                return 0.02;
            default:
                return 0.0;
            }
        });
    };
    std::set<double> places;
    for (const Node n : reachable(p.graph, p.next))
        if (p.graph.op(n) == Op::linexp) {
            const Node x = p.graph.arg(n, 0);
            double left = at(x, -120);
            for (double v = -120; v < 80; v += 1) {
                const double right = at(x, v + 1);
                if (left * right <= 0 && left != right)
                    places.insert(v - left / (right - left));
                left = right;
            }
        }
    return places;
}

/// Largest difference between the steps of neighbours 1e-5 mV apart around the places, relative to
/// the largest step there, beyond what the digits of a state hide.
double largest_jump(const std::string& model, const std::set<double>& places,
                    const std::optional<OptimiseOptions>& options)
{
    constexpr std::size_t n = 2048;
    double worst = 0;
    for (const double centre : places) {
        Cells<float> c(model, Scheme::forward_euler, n, options);
        for (std::size_t i = 0; i < n; ++i)
            c.arrays[0][i] = static_cast<float>(centre + 1e-5 * (static_cast<double>(i) - n / 2.0));
        const auto before = c.arrays;
        c.step(0, 1);
        for (std::size_t k = 0; k < before.size(); ++k) {
            const auto step = [&](std::size_t at) {
                return static_cast<double>(c.arrays[k][at]) - static_cast<double>(before[k][at]);
            };
            double size = 1e-9; // smaller steps are the rounding of what is at rest
            for (std::size_t i = 0; i < n; ++i)
                size = std::max(size, std::abs(step(i)));
            for (std::size_t i = 1; i < n; ++i) {
                const double digits = 2.4e-7 * (std::abs(static_cast<double>(before[k][i])) +
                                                std::abs(static_cast<double>(c.arrays[k][i])));
                worst = std::max(worst, (std::abs(step(i) - step(i - 1)) - digits) / size);
            }
        }
    }
    return worst;
}

} // namespace

class TestSchemes : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Observed order on a smooth stretch of Beeler and Reuter's plateau, from errors at two steps
    /// against Runge-Kutta at a much smaller one.
    void orders_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<double>("order");
        QTest::addColumn<double>("dt");
        const auto row = [](Scheme s, double order, double dt) {
            QTest::addRow("%s", std::string(name(s)).c_str()) << int(s) << order << dt;
        };
        row(Scheme::forward_euler, 1, 0.01);
        row(Scheme::rush_larsen, 1, 0.02);
        row(Scheme::rush_larsen_light, 1, 0.01);
        row(Scheme::grl1, 1, 0.02);
        row(Scheme::backward_euler_single, 1, 0.02);
        row(Scheme::backward_euler, 1, 0.02);
        row(Scheme::grl2, 2, 0.0125);
        row(Scheme::rk4, 4, 0.005);
    }
    void orders()
    {
        QFETCH(int, scheme);
        QFETCH(double, order);
        QFETCH(double, dt);
        const auto s = static_cast<Scheme>(scheme);
        static const double exact = after("beeler_reuter_1977", Scheme::rk4, 0.00125, 20, -40);
        const double a = std::abs(after("beeler_reuter_1977", s, dt, 20, -40) - exact),
                     b = std::abs(after("beeler_reuter_1977", s, dt / 2, 20, -40) - exact);
        const double observed = std::log2(a / b);
        qInfo("errors %.2e, %.2e mV: order %.2f", a, b, observed);
        QVERIFY(std::abs(observed - order) < 0.25);
    }

    /// Polynomials for states that move slowly are the exponentials that they stand for, and a
    /// vector of cells takes one side: with the step of the last two times the other one.
    void smallGrowthIsTheSame()
    {
        for (const Scheme scheme : {Scheme::grl1, Scheme::grl2})
            for (const double dt : {0.002, 0.02, 0.5, 5.0}) {
                const auto stepped = [&](bool small_growth) {
                    auto o = processor_options(load_model("ten_tusscher_2006"), false);
                    o.small_growth = small_growth;
                    Cells<double> c("ten_tusscher_2006", scheme, width, o);
                    for (std::size_t i = 0; i < width; ++i)
                        c.arrays[0][i] = -90 + 8 * static_cast<double>(i);
                    c.step(0, dt);
                    return c.arrays;
                };
                const auto with = stepped(true), without = stepped(false);
                for (std::size_t k = 0; k < with.size(); ++k)
                    for (std::size_t i = 0; i < width; ++i)
                        QVERIFY2(std::abs(with[k][i] - without[k][i]) <=
                                     1e-12 * std::max(std::abs(without[k][i]), 1e-3),
                                 qPrintable(QString("state %1, dt %2: %3, not %4")
                                                .arg(k)
                                                .arg(dt)
                                                .arg(with[k][i])
                                                .arg(without[k][i])));
            }
        // GRL1: one condition, seven states; GRL2: one of each of its two stages
        for (const auto& [scheme, conditions] : {std::pair(Scheme::grl1, 1), {Scheme::grl2, 2}}) {
            auto system = load_model("ten_tusscher_2006");
            for (auto& state : system.states)
                state.range.reset(); // whose conditions are not counted
            const Program p = compile(system, scheme, processor_options(system, true));
            std::set<Node> found;
            for (const Node n : reachable(p.graph, p.next))
                if (p.graph.op(n) == Op::select && p.graph.op(p.graph.arg(n, 0)) == Op::le)
                    found.insert(p.graph.arg(n, 0));
            QCOMPARE(static_cast<int>(found.size()), conditions);
        }
    }
    void singularitiesAreSmooth_data()
    {
        QTest::addColumn<QString>("model");
        for (const auto& m : library_names())
            QTest::addRow("%s", m.c_str()) << QString::fromStdString(m);
    }
    /// V through every place where the argument of a linexp vanishes: a step of no state in single
    /// precision jumps there by more than 1e-4 of itself.
    void singularitiesAreSmooth()
    {
        QFETCH(QString, model);
        const auto places = singular_places(model.toStdString());
        const double worst = largest_jump(model.toStdString(), places, {});
        qInfo("%zu places, largest jump %.1e", places.size(), worst);
        QVERIFY(worst < 1e-4);
    }
    /// Slopes of what is 0 / 0 somewhere are finite there too: fluxes of constant fields at 0 mV.
    void slopesAreFiniteAtSingularities()
    {
        for (const auto& [model, scheme] : {std::pair{"shannon_bers_2004", Scheme::grl1},
                                            {"grandi_bers_2010", Scheme::grl2},
                                            {"ohara_rudy_2011", Scheme::backward_euler_single},
                                            {"shannon_bers_2004", Scheme::backward_euler}}) {
            Cells<double> c(model, scheme);
            for (std::size_t i = 0; i < width; ++i)
                c.arrays[0][i] = i == 8 ? 0 : 1e-6 * (static_cast<double>(i) - 8);
            c.step(0, 0.001);
            for (const auto& a : c.arrays) {
                const double middle = 0.5 * (a[7] + a[9]);
                QVERIFY2(std::abs(a[8] - middle) <= 1e-9 * (1 + std::abs(middle)), model);
            }
        }
    }
    /// singularitiesAreSmooth() sees what the pass removes.
    void withoutThePassTheyAreNot()
    {
        OptimiseOptions o = no_optimisation();
        const auto places = singular_places("beeler_reuter_1977");
        QVERIFY(largest_jump("beeler_reuter_1977", places, o) > 1e-4);
    }
};

QTEST_GUILESS_MAIN(TestSchemes)
#include "test_schemes.moc"
