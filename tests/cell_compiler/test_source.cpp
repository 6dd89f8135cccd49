// SPDX-License-Identifier: GPL-3.0-or-later
// What an implicit step of a tissue asks of a cell: the states that go with a V, the rate of V by
// the membrane, and its whole derivative.
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::cell;
using namespace tawara::cell::compiler;

namespace {

constexpr std::size_t lanes = 16;

/// One cell in each lane: V, the other states, F and F'.
struct Lanes
{
    explicit Lanes(const std::vector<double>& states)
    {
        for (const double x : states)
            arrays.emplace_back(lanes, x);
        arrays.emplace_back(lanes, 0);
        arrays.emplace_back(lanes, 0);
    }
    void step(const CpuKernel<double>& kernel, double dt)
    {
        std::vector<double*> pointers;
        for (std::size_t k = 1; k < arrays.size(); ++k)
            pointers.push_back(arrays[k].data());
        CellArrays<double> c;
        c.v = arrays[0].data();
        c.states = pointers.data();
        c.end = lanes;
        kernel.step(c, 0, dt);
    }
    const AlignedVector<double>& rate() const { return arrays[arrays.size() - 2]; }
    const AlignedVector<double>& slope() const { return arrays.back(); }
    std::vector<AlignedVector<double>> arrays;
};

/// States of a paced cell at some moments of its beat.
std::vector<std::vector<double>> moments(const CellType& type)
{
    const auto kernel = make_cpu_kernel<double>(std::span(&type, 1), Scheme::backward_euler);
    Lanes cell(type.initial);
    AlignedVector<double> pulse(lanes, 0);
    std::vector<double*> pointers;
    for (std::size_t k = 1; k < type.initial.size(); ++k)
        pointers.push_back(cell.arrays[k].data());
    constexpr double dt = 0.02;
    std::vector<std::vector<double>> found;
    for (int step = 0; step < 5000; ++step) {
        std::fill(pulse.begin(), pulse.end(), step * dt < 2 ? 40 : 0);
        CellArrays<double> c{
            cell.arrays[0].data(), pointers.data(), nullptr, pulse.data(), 0, lanes};
        kernel->step(c, step * dt, dt);
        for (const int at : {0, 50, 75, 100, 200, 1000, 4900})
            if (step == at) {
                found.emplace_back();
                for (std::size_t k = 0; k < type.initial.size(); ++k)
                    found.back().push_back(cell.arrays[k][0]);
            }
    }
    return found;
}

} // namespace

class TestSource : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void isOfTheEquations_data()
    {
        QTest::addColumn<QString>("model");
        for (const auto& m : model_names())
            QTest::addRow("%s", m.c_str()) << QString::fromStdString(m);
    }
    /// From moments of a beat, to V beside: the states solve their equations, F is the model's rate
    /// there, F' the difference quotient of F.
    void isOfTheEquations()
    {
        QFETCH(QString, model);
        const auto type = make_cell_type(model.toStdString(), "", {}, {});
        const auto& s = *system_of(std::span(&type, 1));
        const auto kernel = make_source_kernel(std::span(&type, 1));
        const std::size_t n = s.states.size();
        double worst_state = 0, worst_rate = 0, worst_slope = 0;
        for (const auto& from : moments(type))
            for (const double dt : {0.02, 0.1, 0.5}) {
                Lanes c(from);
                constexpr double h = 1e-4; // mV
                std::array<double, 5> V{};
                for (std::size_t k = 0; k < V.size(); ++k) { // a lane before and one behind
                    V[k] = from[0] + std::array{0.0, 0.3, -0.7, 4.0, -9.0}[k];
                    for (const int side : {-1, 0, 1})
                        c.arrays[0][3 * k + static_cast<std::size_t>(side + 1)] = V[k] + side * h;
                }
                const auto given = c.arrays[0];
                c.step(*kernel, dt);
                for (std::size_t k = 0; k < V.size(); ++k) {
                    const std::size_t lane = 3 * k + 1;
                    QCOMPARE(c.arrays[0][lane], given[lane]);
                    std::vector<double> now;
                    for (std::size_t i = 0; i < n; ++i)
                        now.push_back(c.arrays[i][lane]);
                    const auto rates = evaluate(s.graph, s.rates(), [&](std::uint32_t id) {
                        return s.value(id, now, type.parameters, dt);
                    });
                    for (std::size_t i = 1; i < n; ++i) {
                        const double left = now[i] - from[i] - dt * rates[i];
                        const double size =
                            std::abs(now[i]) + 1e-2 * std::abs(s.states[i].initial) + 1e-6;
                        worst_state = larger_or_nan(worst_state, std::abs(left) / size);
                    }
                    const double F = c.rate()[lane];
                    worst_rate = larger_or_nan(worst_rate,
                                               std::abs(F - rates[0]) / (1 + std::abs(rates[0])));
                    const double quotient = (c.rate()[lane + 1] - c.rate()[lane - 1]) / (2 * h);
                    worst_slope = larger_or_nan(worst_slope, std::abs(c.slope()[lane] - quotient) /
                                                                 (0.1 + std::abs(quotient)));
                }
            }
        qInfo("states %.1e, rate %.1e, slope %.1e", worst_state, worst_rate, worst_slope);
        QVERIFY(worst_state < 1e-9);
        QVERIFY(worst_rate < 1e-12);
        QVERIFY(worst_slope < 1e-6);
    }

    void cablesHoldV_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* m : {"hodgkin_huxley_1952", "luo_rudy_1991", "stewart_2009",
                              "fitzhugh_nagumo_1994", "grandi_bers_2010"})
            QTest::addRow("%s", m) << m;
    }
    /// What a cable asks: V stays, the other states are those of the scheme's own step where that
    /// steps them by V at its start, the rate is the model's with them, the slope its partial one.
    void cablesHoldV()
    {
        QFETCH(QString, model);
        const auto type = make_cell_type(model.toStdString(), "", {}, {});
        const auto types = std::span(&type, 1);
        const auto& s = *system_of(types);
        const auto plain = make_cpu_kernel<double>(types, Scheme::rush_larsen);
        for (const auto scheme : {Scheme::rush_larsen, Scheme::grl2}) {
            const auto kernel = make_cable_kernel<double>(types, scheme);
            Lanes c(type.initial), own(type.initial);
            for (std::size_t lane = 0; lane < lanes; ++lane)
                c.arrays[0][lane] = own.arrays[0][lane] =
                    type.initial[0] + 6.3 * static_cast<double>(lane);
            const auto given = c.arrays[0];
            constexpr double dt = 0.01;
            c.step(*kernel, dt);
            own.step(*plain, dt);
            QVERIFY(c.arrays[0] == given);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                std::vector<double> now;
                for (std::size_t i = 0; i < s.states.size(); ++i) {
                    now.push_back(c.arrays[i][lane]);
                    // the same scheme; or one whose gates are nearly the same
                    const bool same = scheme == Scheme::rush_larsen;
                    const double by = same ? 1e-12 : 1e-3;
                    if (i > 0 && (same || s.states[i].gate))
                        QVERIFY2(std::abs(now[i] - own.arrays[i][lane]) <=
                                     by * (std::abs(own.arrays[i][lane]) + 1e-6),
                                 s.states[i].full_name.c_str());
                }
                const auto rate_at = [&](double V) {
                    auto x = now;
                    x[0] = V;
                    return evaluate(s.graph, s.rates()[0], [&](std::uint32_t id) {
                        return s.value(id, x, type.parameters, dt);
                    });
                };
                const double rate = rate_at(now[0]), h = 1e-4;
                const double slope = (rate_at(now[0] + h) - rate_at(now[0] - h)) / (2 * h);
                QVERIFY(std::abs(c.rate()[lane] - rate) < 1e-9 * (1 + std::abs(rate)));
                QVERIFY(std::abs(c.slope()[lane] - slope) < 1e-5 * (0.1 + std::abs(slope)));
            }
        }
        QVERIFY_THROWS_EXCEPTION(InputError,
                                 make_cable_kernel<double>(types, Scheme::backward_euler));
    }
};

QTEST_GUILESS_MAIN(TestSource)
#include "test_source.moc"
