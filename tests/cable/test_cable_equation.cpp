// SPDX-License-Identifier: GPL-3.0-or-later
// Compartments, and the cable equation on them: against integrals over frusta, Rall's analytic
// solutions, Hodgkin and Huxley's axon, and CVODE over a whole tree.
#include "engine/cable/compartments.hpp"
#include "engine/cable/step/cables.hpp"
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/core/error.hpp"
#include "tests/several.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

using namespace tawara;
using namespace tawara::cable;

namespace {

/// A straight piece along x behind point `from`, as so many points.
void add_line(Morphology& m, std::int32_t from, double length_um, double radius_um,
              std::int32_t kind = 3, int points = 1)
{
    const auto start = m.point_mm[static_cast<std::size_t>(from)];
    for (int k = 1; k <= points; ++k) {
        m.parent.push_back(k == 1 ? from : static_cast<std::int32_t>(m.points()) - 1);
        m.point_mm.push_back(start + (1e-3 * length_um * k / points) * Vec3{1, 0, 0});
        m.radius_um.push_back(radius_um);
        m.kind.push_back(kind);
    }
}
Morphology root(double radius_um)
{
    return {{-1}, {{0, 0, 0}}, {radius_um}, {3}};
}

/// Another radius at point `from`: a point on a wire.
std::int32_t add_step(Morphology& m, std::int32_t from, double radius_um)
{
    m.wire.resize(m.points(), 0);
    m.parent.push_back(from);
    m.point_mm.push_back(m.point_mm[static_cast<std::size_t>(from)]);
    m.radius_um.push_back(radius_um);
    m.kind.push_back(m.kind[static_cast<std::size_t>(from)]);
    m.wire.push_back(1);
    return static_cast<std::int32_t>(m.points()) - 1;
}

/// A membrane of a resistance alone: dV/dt = -V / tau.
cell::CellType passive(const QTemporaryDir& folder, double tau_ms)
{
    const auto path = folder.filePath("passive.mmt").toStdString();
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::WriteOnly))
        throw Error("cannot write " + path);
    file.write(("[[model]]\nname: passive\nmembrane.V = 0\nmembrane.x = 0\n\n[engine]\ntime = 0 "
                "[ms] in [ms] bind time\n\n[membrane]\ndot(V) = -V / tau\n    in [mV]\n    label "
                "membrane_potential\ntau = " +
                std::to_string(tau_ms) + " [ms] in [ms]\ndot(x) = -x / tau\n")
                   .c_str());
    file.close();
    return cell::make_cell_type(path, "", {}, {});
}

double sum(const std::vector<double>& v)
{
    return std::accumulate(v.begin(), v.end(), 0.0);
}

} // namespace

class TestCableEquation : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;

    static constexpr double resistivity = 100, tau_ms = 10; // ohm cm; C_m 1 uF/cm2: 10 kohm cm2
    /// sqrt(R_m a / (2 R_i)) [um]
    static double space_constant_um(double radius_um)
    {
        return 1e4 * std::sqrt(1e3 * tau_ms * 1e-4 * radius_um / (2 * resistivity));
    }
    /// Of the stub of a cable that goes on for ever: 1 / (lambda's axial resistance) [uS]
    static double infinite_conductance_uS(double radius_um)
    {
        return 100 * std::numbers::pi * radius_um * radius_um /
               (resistivity * space_constant_um(radius_um));
    }

    /// V [mV] at the nodes when a steady current of 1 nA flows into the root.
    std::vector<double> steady(const Compartments& c)
    {
        CablesDescription d;
        d.compartments = c;
        d.types = {passive(folder_, tau_ms)};
        d.dt_ms = 1e6; // backward Euler comes to the steady state at once
        Cables<double> cables(d);
        ThreadPool pool(1);
        const NodeCurrent into{0, 1};
        for (int k = 0; k < 3; ++k)
            cables.advance(std::span(&into, 1), pool);
        std::vector<double> v;
        for (std::size_t i = 0; i < c.nodes(); ++i)
            v.push_back(cables.potential(static_cast<std::int32_t>(i)));
        return v;
    }

  private Q_SLOTS:
    /// Area, resistance and places of a cone that is cut, against the formulas of the whole.
    void frustaAreIntegrated()
    {
        auto m = root(4);
        add_line(m, 0, 100, 4);
        m.radius_um.back() = 1;
        add_line(m, 1, 60, 1, 3, 7); // bends of the file are no nodes
        const auto c = discretise(m, {10});
        QCOMPARE(c.nodes(), std::size_t(17)); // one stretch of 160 um
        const double pi = std::numbers::pi, side = std::sqrt(100.0 * 100 + 9);
        QVERIFY(std::abs(sum(c.area_um2) - (pi * 5 * side + 2 * pi * 60)) < 1e-9);
        double resistance = 0; // 1e4 ohm
        for (std::size_t i = 1; i < c.nodes(); ++i)
            resistance += 1 / c.coupling_uS[i];
        const double due = 100 * (100 / (pi * 4 * 1) + 60 / pi) / 100;
        QVERIFY(std::abs(resistance - due) < 1e-9 * due);
        QVERIFY(std::abs(c.capacitance_nF[3] - 1e-5 * c.area_um2[3]) < 1e-15);
        QVERIFY(std::abs(c.place_mm[5][0] - 0.05) < 1e-12);
        QVERIFY(std::abs(c.from_root_um.back() - 160) < 1e-9);
        QVERIFY(std::abs(c.radius_um[5] - 2.5) < 1e-12);
        QCOMPARE(c.node_of_point.front(), 0);
        QCOMPARE(c.node_of_point.back(), 16);
        QCOMPARE(c.node_of_point[1], 10);
    }
    void forksWiresAndForests()
    {
        auto m = root(2);
        add_line(m, 0, 50, 2);
        add_line(m, 1, 40, 1);
        add_line(m, 1, 30, 1, 4);
        add_line(m, 0, 20, 0.5, 2, 2);
        m.wire.assign(m.points(), 0);
        m.wire[4] = 1; // 10 um that are no cable
        const auto c = discretise(m, {25});
        // root; 2 of 25; 2 of 20; 2 of 15; 1 of 10
        QCOMPARE(c.nodes(), std::size_t(8));
        QCOMPARE(c.node_of_point[4], 0);
        QCOMPARE(c.tree.parent[7], 0);
        QCOMPARE(c.kind[7], 2);
        QCOMPARE(c.kind[6], 4);
        QVERIFY(std::abs(sum(c.area_um2) - std::numbers::pi * (2 * 2 * 50 + 3 * std::sqrt(1601.0) +
                                                               3 * std::sqrt(901.0) + 1 * 10)) <
                1e-9);
        const Compartments two[]{c, c};
        const auto forest = joined(two);
        QCOMPARE(forest.nodes(), std::size_t(16));
        QCOMPARE(forest.tree.parent[8], 0);
        QCOMPARE(forest.coupling_uS[8], 0.0);
        QCOMPARE(forest.tree.parent[9], 8);
        check(forest.tree);
        QCOMPARE(forest.node_of_point[m.points() + 5], c.node_of_point[5] + 8);
        // what is no tree of frusta says so
        auto bad = m;
        bad.radius_um[2] = 0;
        QVERIFY_THROWS_EXCEPTION(Error, discretise(bad, {25}));
        bad = m;
        bad.point_mm[2] = bad.point_mm[1];
        QVERIFY_THROWS_EXCEPTION(Error, discretise(bad, {25}));
        bad = m;
        bad.parent[3] = 3;
        QVERIFY_THROWS_EXCEPTION(Error, discretise(bad, {25}));
        QVERIFY_THROWS_EXCEPTION(Error, discretise(m, {0}));
        QVERIFY_THROWS_EXCEPTION(Error, discretise(root(1), {10})); // no membrane
    }

    /// Rall's finite cable of length L with a sealed end: V(x) = I cosh(L - x) / (G sinh L).
    void finiteCableHasOrder2()
    {
        const double radius = 2, lambda = space_constant_um(radius);
        auto m = root(radius);
        add_line(m, 0, 1.2 * lambda, radius);
        double last = 0;
        for (const int parts : {8, 16, 32, 64}) {
            const auto c = discretise(m, {1.2 * lambda / parts});
            QCOMPARE(c.nodes(), static_cast<std::size_t>(parts + 1));
            const auto v = steady(c);
            double worst = 0;
            for (std::size_t i = 0; i < v.size(); ++i) {
                const double x = c.from_root_um[i] / lambda;
                const double due =
                    std::cosh(1.2 - x) / std::sinh(1.2) / infinite_conductance_uS(radius);
                worst = std::max(worst, std::abs(v[i] - due) / due);
            }
            if (last > 0) {
                const double order = std::log2(last / worst);
                QVERIFY2(order > 1.95 && order < 2.05, qPrintable(QString::number(order)));
            }
            last = worst;
        }
        QVERIFY2(last < 1e-4, qPrintable(QString::number(last)));
    }

    /// Two daughters by the 3/2 power law are one cable with their mother (Rall 1959), as long as
    /// both daughters are in space constants.
    void branchesOfRallHaveOrder2()
    {
        const double a = 2, small = 0.8,
                     large = std::pow(std::pow(a, 1.5) - std::pow(small, 1.5), 2.0 / 3);
        auto m = root(a);
        add_line(m, 0, 0.7 * space_constant_um(a), a);
        const auto end = [&](double radius) {
            add_line(m, add_step(m, 1, radius), 0.5 * space_constant_um(radius), radius);
            m.wire.push_back(0);
            return m.points() - 1;
        };
        const std::size_t places[]{0, 1, end(small), end(large)};
        double last = 0;
        for (const int parts : {4, 8, 16, 32}) {
            // the smaller daughter has 20 parts, or 40, ...
            const auto c = discretise(m, {0.1 * space_constant_um(small) / parts * (1 + 1e-9)});
            const auto v = steady(c);
            double worst = 0;
            for (const auto p : places) {
                const double x = p == 0 ? 0 : p == 1 ? 0.7 : 1.2;
                const double due = std::cosh(1.2 - x) / std::sinh(1.2) / infinite_conductance_uS(a);
                worst = std::max(
                    worst, std::abs(v[static_cast<std::size_t>(c.node_of_point[p])] - due) / due);
            }
            if (last > 0) {
                const double order = std::log2(last / worst);
                QVERIFY2(order > 1.9 && order < 2.1, qPrintable(QString::number(order)));
            }
            last = worst;
        }
    }

    /// A cosine along a sealed cable decays with one rate: order 1 and 2 in time.
    void orderInTime()
    {
        const double radius = 2, lambda = space_constant_um(radius);
        auto m = root(radius);
        add_line(m, 0, lambda, radius);
        const auto c = discretise(m, {lambda / 20});
        // of the mode cos(pi x / L) on the nodes
        const double h = 1.0 / 20, mode = 2 * (1 - std::cos(std::numbers::pi * h)) / (h * h);
        const double due = std::exp(-(1 + mode) * 4 / tau_ms);
        for (const bool second : {false, true}) {
            double last = 0;
            for (const double dt : {0.4, 0.2, 0.1, 0.05}) {
                CablesDescription d;
                d.compartments = c;
                d.types = {passive(folder_, tau_ms)};
                d.dt_ms = dt;
                d.second_order = second;
                Cables<double> cables(d);
                auto state = cables.snapshot();
                for (std::size_t i = 0; i < c.nodes(); ++i)
                    state.V_mV[i] = 10 * std::cos(std::numbers::pi * static_cast<double>(i) * h);
                cables.restore(state);
                ThreadPool pool(1);
                while (cables.time_ms() < 4 - 1e-9)
                    cables.advance({}, pool);
                const double error = std::abs(cables.potential(0) / 10 - due);
                if (last > 0) {
                    const double order = std::log2(last / error), wanted = second ? 2 : 1;
                    QVERIFY2(std::abs(order - wanted) < 0.12, qPrintable(QString::number(order)));
                }
                last = error;
            }
        }
    }
};

static test::Further<TestCableEquation> cable_equation;
#include "test_cable_equation.moc"
