// SPDX-License-Identifier: GPL-3.0-or-later
// Compartments, and the cable equation on them: against integrals over frusta, Rall's analytic
// solutions, and of copies, models and cuts.
#include "engine/cable/compartments.hpp"
#include "engine/cable/step/cables.hpp"
#include "engine/cell/compiler/equations/system.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
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

    static Compartments branched(double step_um)
    {
        auto m = root(2);
        add_line(m, 0, 300, 2);
        add_line(m, 1, 260, 1);
        add_line(m, 1, 340, 1.5, 2);
        add_line(m, 3, 120, 0.7, 4);
        add_line(m, 3, 90, 0.9);
        return discretise(m, {step_um});
    }
    static CablesDescription with(const Compartments& c, std::vector<cell::CellType> types,
                                  double dt_ms)
    {
        CablesDescription d;
        d.compartments = c;
        d.types = std::move(types);
        d.dt_ms = dt_ms;
        return d;
    }
    static cell::CellType squid(double temperature = 6.3)
    {
        const std::pair<std::string, double> warm{"temperature", temperature};
        return cell::make_cell_type("hodgkin_huxley_1952", "", std::span(&warm, 1), {});
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
                worst = larger_or_nan(worst, std::abs(v[i] - due) / due);
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
                worst = larger_or_nan(
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

    /// A step of random potentials against dense elimination, of one copy and of 16 together.
    void stepAgreesWithADenseSolution()
    {
        const auto c = branched(20);
        const auto n = c.nodes();
        const double dt = 0.05;
        const auto noise = [](std::size_t i, std::size_t copy) {
            return 80 * std::sin(12.9898 * static_cast<double>(i + 1) +
                                 78.233 * static_cast<double>(copy));
        };
        for (const std::size_t copies : {1, 18}) {
            auto d = with(c, {passive(folder_, tau_ms)}, dt);
            d.copies = copies;
            Cables<double> cables(d);
            auto state = cables.snapshot();
            for (std::size_t k = 0; k < copies; ++k)
                for (std::size_t i = 0; i < n; ++i)
                    state.V_mV[k * n + i] = noise(i, k);
            cables.restore(state);
            ThreadPool pool(2);
            const NodeCurrent in[]{{3, 0.2, 0, copies - 1}, {5, -0.1, 0.02, copies - 1}};
            cables.advance(in, pool);
            const auto k = copies - 1;
            // (C / dt + C / tau + G + slope) x = C / dt V + I + slope V, without a tree
            std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0));
            for (std::size_t i = 0; i < n; ++i) {
                const double capacitance = c.capacitance_nF[i];
                a[i][i] += capacitance / dt + capacitance / tau_ms;
                a[i][n] = capacitance / dt * noise(i, k);
                if (i == 0)
                    continue;
                const auto p = static_cast<std::size_t>(c.tree.parent[i]);
                a[i][i] += c.coupling_uS[i];
                a[p][p] += c.coupling_uS[i];
                a[i][p] -= c.coupling_uS[i];
                a[p][i] -= c.coupling_uS[i];
            }
            a[3][n] += 0.2;
            a[5][n] += -0.1 + 0.02 * noise(5, k);
            a[5][5] += 0.02;
            for (std::size_t i = 0; i < n; ++i) // dominant: no pivots
                for (std::size_t r = i + 1; r < n; ++r)
                    for (std::size_t j = n + 1; j-- > i;)
                        a[r][j] -= a[r][i] / a[i][i] * a[i][j];
            double worst = 0;
            for (std::size_t i = n; i-- > 0;) {
                for (std::size_t j = i + 1; j < n; ++j)
                    a[i][n] -= a[i][j] * a[j][n];
                a[i][n] /= a[i][i];
                worst = larger_or_nan(
                    worst, std::abs(cables.potential(static_cast<std::int32_t>(i), k) - a[i][n]));
            }
            QVERIFY2(worst < 1e-12 * 80, qPrintable(QString::number(worst)));
        }
    }

    /// No bit depends on threads; copies know nothing of each other; a state goes on as it was.
    void copiesAreTheirOwn()
    {
        const auto c = branched(25);
        auto d = with(c, {squid()}, 0.02);
        d.copies = 37;
        std::vector<NodeCurrent> in;
        for (std::size_t k = 0; k < d.copies; ++k)
            in.push_back({0, 0.02 * static_cast<double>(k), 0, k});
        const auto run = [&](unsigned threads, int steps) {
            Cables<double> cables(d);
            ThreadPool pool(threads);
            for (int s = 0; s < steps; ++s)
                cables.advance(s < 50 ? in : std::vector<NodeCurrent>(), pool);
            return cables.snapshot();
        };
        const auto one = run(1, 150), three = run(3, 150);
        QVERIFY(one.V_mV == three.V_mV && one.states == three.states);
        QVERIFY(one.V_mV.front() < -60 &&
                *std::max_element(one.V_mV.begin(), one.V_mV.end()) > 0); // some have fired
        // alone
        auto alone = d;
        alone.copies = 1;
        Cables<double> single(alone);
        ThreadPool pool(2);
        for (int s = 0; s < 150; ++s) {
            const NodeCurrent into{0, 0.02 * 30};
            single.advance(s < 50 ? std::span(&into, 1) : std::span<const NodeCurrent>(), pool);
        }
        for (std::size_t i = 0; i < c.nodes(); ++i)
            QVERIFY(std::abs(single.potential(static_cast<std::int32_t>(i)) -
                             one.V_mV[30 * c.nodes() + i]) < 1e-9);
        // single precision
        Cables<float> rough(alone);
        for (int s = 0; s < 150; ++s) {
            const NodeCurrent into{0, 0.02 * 30};
            rough.advance(s < 50 ? std::span(&into, 1) : std::span<const NodeCurrent>(), pool);
        }
        QVERIFY(std::abs(rough.potential(0) - single.potential(0)) < 0.02);
        // in two parts
        Cables<double> later(d);
        later.restore(run(1, 70));
        for (int s = 70; s < 150; ++s)
            later.advance({}, pool);
        QVERIFY(later.snapshot().V_mV == one.V_mV && later.snapshot().states == one.states);
        QCOMPARE(later.step(), std::int64_t(150));
        auto wrong = one;
        wrong.states.pop_back();
        QVERIFY_THROWS_EXCEPTION(Error, later.restore(wrong));
    }

    /// Models by kind: two names of one model step as one; others meet at their border.
    void severalModels()
    {
        const auto copy = folder_.filePath("squid.mmt");
        QFile::copy(TAWARA_SOURCE_DIR "/resources/models/hodgkin_huxley_1952.mmt", copy);
        const auto c = branched(25);
        for (const std::size_t copies : {1, 5}) {
            auto d = with(c, {squid()}, 0.02);
            d.copies = copies;
            auto two = d;
            two.types = {squid(), cell::make_cell_type(copy.toStdString(), "", {}, {}), squid(20),
                         passive(folder_, 5)};
            for (const auto kind : c.kind)
                two.type_of_node.push_back(kind == 2 ? 1 : 0);
            Cables<double> a(d), b(two);
            ThreadPool pool(2);
            const NodeCurrent into{0, 0.6};
            double highest = -100;
            for (int s = 0; s < 200; ++s) {
                const auto in = s < 50 ? std::span(&into, 1) : std::span<const NodeCurrent>();
                a.advance(in, pool);
                b.advance(in, pool);
                highest = std::max(highest, a.potential(0));
            }
            QVERIFY(highest > 20);
            for (std::size_t i = 0; i < c.nodes(); ++i)
                QVERIFY(std::abs(a.potential(static_cast<std::int32_t>(i)) -
                                 b.potential(static_cast<std::int32_t>(i))) < 1e-9);
            QVERIFY(a.snapshot().states.size() == b.snapshot().states.size());
            // a passive branch and a warm one are others
            two.type_of_node.clear();
            for (const auto kind : c.kind)
                two.type_of_node.push_back(kind == 2 ? 3 : kind == 4 ? 2 : 0);
            Cables<double> e(two);
            e.restore(e.snapshot());
            for (int s = 0; s < 20; ++s)
                e.advance({}, pool);
            const auto end = e.snapshot();
            std::size_t k = 0;
            while (c.kind[k] != 2)
                ++k;
            QVERIFY(end.V_mV[k] > -60 && end.V_mV[k] < 0); // it rests at 0
        }
    }

    /// A coupling of 0 cuts the cable.
    void cutsBlock()
    {
        const auto c = branched(25);
        const auto fires = [&](bool cut) {
            Cables<double> cables(with(c, {squid()}, 0.02));
            auto couplings = c.coupling_uS;
            couplings[static_cast<std::size_t>(c.node_of_point[1])] = 0;
            if (cut)
                cables.set_couplings(couplings);
            ThreadPool pool(1);
            const NodeCurrent into{0, 0.6};
            double highest = -100;
            for (int s = 0; s < 300; ++s) {
                cables.advance(s < 50 ? std::span(&into, 1) : std::span<const NodeCurrent>(), pool);
                highest = std::max(highest, cables.potential(c.node_of_point[2]));
            }
            return highest > 0;
        };
        QVERIFY(fires(false));
        QVERIFY(!fires(true));
    }
};

static test::Further<TestCableEquation> cable_equation;
#include "test_cable_equation.moc"
