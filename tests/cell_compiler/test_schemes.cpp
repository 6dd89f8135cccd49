// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of the schemes, Newton's method of backward Euler, and removable singularities of every
// library model in single precision.
#include "engine/cell/compiler/emit/compiled_kernel.hpp"
#include "engine/cell/compiler/emit/llvm_step.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/newton.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/aligned.hpp"
#include "tests/cell_compiler/paced_beat.hpp"

#include <QtTest>
#include <cmath>
#include <optional>
#include <set>

using namespace tawara;
using namespace tawara::cell;
using namespace tawara::cell::compiler;

namespace {

constexpr std::size_t width = 16;

/// Cells of a model, stepped by its machine code.
template <class Real>
class Cells
{
  public:
    /// @param options  nothing: as the program's own kernels have them
    Cells(const std::string& model, Scheme scheme, std::size_t n = width,
          const std::optional<OptimiseOptions>& options = {})
    {
        const CellSystem s = load_model(model);
        const auto o = options.value_or(options_for(s, sizeof(Real) == sizeof(float)));
        type_ = {"", s.parameter_values(), s.initial_values(), {}};
        kernel_ = make_compiled_kernel<Real>(
            std::make_shared<Program>(compile(load_model(model), scheme, o)), std::span(&type_, 1));
        for (const double x : type_.initial)
            arrays.emplace_back(n, static_cast<Real>(x));
        for (std::size_t k = 1; k < arrays.size(); ++k)
            pointers_.push_back(arrays[k].data());
    }
    void step(double t, double dt)
    {
        CellArrays<Real> c;
        c.v = arrays[0].data();
        c.states = pointers_.data();
        c.begin = 0, c.end = arrays[0].size();
        kernel_->step(c, t, dt);
    }
    std::vector<AlignedVector<Real>> arrays;

  private:
    CellType type_;
    std::unique_ptr<CpuKernel<Real>> kernel_;
    std::vector<Real*> pointers_;
};

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

    /// What backward Euler ends with fulfils its equation.
    void newtonSolvesTheEquation()
    {
        for (const char* model : {"luo_rudy_1991", "ten_tusscher_2006"}) {
            const CellSystem s = load_model(model);
            const auto p = s.parameter_values();
            Cells<double> c(model, Scheme::backward_euler);
            for (auto& v : c.arrays[0])
                v = -60;
            double worst = 0;
            constexpr double dt = 0.02;
            for (int k = 0; k < 200; ++k) {
                std::vector<double> before, now;
                for (const auto& a : c.arrays)
                    before.push_back(a[0]);
                c.step(k * dt, dt);
                for (const auto& a : c.arrays)
                    now.push_back(a[0]);
                for (std::size_t i = 0; i < now.size(); ++i) {
                    const double rate = evaluate(s.graph, s.states[i].rate, [&](std::uint32_t id) {
                        return s.value(id, now, p, (k + 1) * dt);
                    });
                    const double residual = now[i] - before[i] - dt * rate;
                    worst = std::max(worst, std::abs(residual) / (1e-3 + std::abs(now[i])));
                }
            }
            qInfo("%s: largest relative residual %.1e", model, worst);
            QVERIFY(worst < 1e-6);
        }
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
            const auto system = load_model("ten_tusscher_2006");
            const Program p = compile(system, scheme, processor_options(system, true));
            std::set<Node> found;
            for (const Node n : reachable(p.graph, p.next))
                if (p.graph.op(n) == Op::select && p.graph.op(p.graph.arg(n, 0)) == Op::le)
                    found.insert(p.graph.arg(n, 0));
            QCOMPARE(static_cast<int>(found.size()), conditions);
        }
    }
    /// Its iterations are written once each, however often they are made, for all lengths of
    /// vectors; with functions of V looked up the step is nearly the same.
    void newtonIsWrittenInParts()
    {
        const Program p = compile(load_model("ten_tusscher_2006"), Scheme::backward_euler);
        std::vector<int> times;
        for (const Part& part : p.parts())
            times.push_back(part.times);
        QCOMPARE(times, (std::vector<int>{1, 4, 2, 1}));
        const auto stepped = [](double table_step_mV, unsigned bytes) {
            auto o = processor_options(load_model("ten_tusscher_2006"), false);
            o.table_step_mV = table_step_mV;
            limit_vectors(bytes);
            Cells<double> c("ten_tusscher_2006", Scheme::backward_euler, width, o);
            limit_vectors(0);
            for (std::size_t i = 0; i < width; ++i)
                c.arrays[0][i] = -90 + 8 * static_cast<double>(i);
            c.step(0, 0.02);
            return c.arrays;
        };
        const auto plain = stepped(0, 64), tables = stepped(0.002, 64);
        for (const unsigned bytes : {32u, 16u}) {
            const auto other = stepped(0, bytes);
            for (std::size_t k = 0; k < plain.size(); ++k)
                for (std::size_t i = 0; i < width; ++i)
                    QVERIFY(std::abs(plain[k][i] - other[k][i]) <= 1e-11 * std::abs(plain[k][i]));
        }
        for (std::size_t i = 0; i < width; ++i)
            QVERIFY2(std::abs(plain[0][i] - tables[0][i]) < 1e-4,
                     qPrintable(QString("%1, %2").arg(plain[0][i]).arg(tables[0][i])));
    }
    /// Slopes behind an exponential that single precision cannot hold (the release gate u of the
    /// one has 1 + exp(250) at rest) do not spoil the matrix.
    void newtonInSinglePrecision()
    {
        for (const char* model : {"courtemanche_1998", "ohara_rudy_2011"}) {
            Cells<double> twice(model, Scheme::backward_euler);
            Cells<float> once(model, Scheme::backward_euler);
            double worst = 0;
            for (int k = 0; k < 400; ++k) {
                if (k == 50) {
                    std::fill(twice.arrays[0].begin(), twice.arrays[0].end(), -40.0);
                    std::fill(once.arrays[0].begin(), once.arrays[0].end(), -40.0f);
                }
                twice.step(k * 0.02, 0.02);
                once.step(k * 0.02, 0.02);
                const double d = std::abs(twice.arrays[0][1] - double(once.arrays[0][1]));
                QVERIFY2(std::isfinite(d), qPrintable(QString("%1, step %2").arg(model).arg(k)));
                worst = std::max(worst, d);
            }
            qInfo("%s: V differs by at most %.1e mV", model, worst);
            QVERIFY(worst < 0.02);
        }
    }
    /// Full steps of Newton's method go astray in this upstroke at 0.1 ms; shortened ones do not.
    void newtonFindsTheUpstroke()
    {
        Cells<double> c("ten_tusscher_2006", Scheme::backward_euler);
        double peak = -100;
        for (auto& v : c.arrays[0])
            v = -30;
        for (int k = 0; k < 200; ++k) {
            c.step(0.1 * k, 0.1);
            peak = std::max(peak, c.arrays[0][0]);
        }
        QVERIFY2(peak > 25 && peak < 40, qPrintable(QString::number(peak)));
    }
    /// Upstrokes that Newton's method did not find: too few iterations (the first three), a state
    /// that drives itself on (Courtemanche's release gate u), slopes that overflow (of that gate
    /// above 85 mV), rates that jump (LR91's gates at -40 mV).
    void newtonConverges_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("dt");
        QTest::addColumn<double>("amplitude");
        QTest::addColumn<double>("duration");
        const auto row = [](const char* m, double dt, double amplitude, double duration) {
            QTest::addRow("%s, %g ms, %g pA/pF for %g", m, dt, amplitude, duration)
                << QString(m) << dt << amplitude << duration;
        };
        row("luo_rudy_1991", 0.1, 50, 1);
        row("luo_rudy_1991", 0.1, 50, 2);
        row("shannon_bers_2004", 0.1, 9.5, 5);
        row("courtemanche_1998", 0.01, 20, 2);
        row("courtemanche_1998", 0.02, 52, 1);
        row("courtemanche_1998", 0.02, 123.6, 1);
        row("courtemanche_1998", 0.05, 336, 0.5);
        row("luo_rudy_1991", 0.05, 30, 1);
        row("luo_rudy_1991", 0.1, 32.7, 1);
    }
    void newtonConverges()
    {
        QFETCH(QString, model);
        QFETCH(double, dt);
        QFETCH(double, amplitude);
        QFETCH(double, duration);
        const CellSystem s = load_model(model.toStdString());
        const auto v = PacedBeat<double>(s, Scheme::backward_euler)
                           .run(s.parameter_values(), s.initial_values(),
                                Pulse{amplitude, duration}, dt, 20, 0.1);
        QCOMPARE(v.size(), std::size_t{201});
        QVERIFY(*std::max_element(v.begin(), v.end()) > 10);
    }
    void newtonSaysWhereItDoesNotConverge()
    {
        Cells<double> c("ten_tusscher_2006", Scheme::backward_euler);
        for (auto& v : c.arrays[0])
            v = -50;
        bool finite = true;
        for (int k = 0; k < 40 && finite; ++k) {
            c.step(k * 2.0, 2.0); // a hundred times too long for the upstroke
            finite = std::isfinite(c.arrays[0][0]);
        }
        if (finite)
            QVERIFY(c.arrays[0][0] > -150 && c.arrays[0][0] < 100);
        else
            QVERIFY(std::isnan(c.arrays[0][0]));
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
