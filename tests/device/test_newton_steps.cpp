// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of cells and diffusion at once by Newton's method, on the CPU, on one GPU and on a tissue
// in three shards; rows of GPUs are skipped where there is none. What every stepping promises is in
// test_contract.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/device/stepper.hpp"
#include "engine/diffusion/newton.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>
#include <cstring>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

constexpr auto p1 = diffusion::Scheme::p1;

/// A stepper on the devices of the test's row.
std::unique_ptr<Stepper> stepper_of(const TissueProblem& p, unsigned threads = 2)
{
    QFETCH(QByteArray, devices);
    StepperOptions o;
    o.devices = devices.toStdString();
    o.threads = threads;
    return make_stepper(p, o);
}

void on_each_back_end()
{
    QTest::addColumn<QByteArray>("devices");
    QTest::newRow("CPU") << QByteArray("cpu");
    QTest::newRow("one GPU") << QByteArray("cuda:0");
    QTest::newRow("three shards on a GPU") << QByteArray("cuda:0,0,0");
}

TissueProblem strip(Stepping stepping, double dt, diffusion::Mass mass = diffusion::Mass::lumped,
                    bool insulated = false, int types = 1)
{
    ProblemOptions o;
    o.scheme = p1;
    o.mass = mass;
    o.stepping = stepping;
    o.dt_ms = dt;
    o.insulated = insulated;
    o.types = types;
    auto p = slab_problem({8, 1, 1}, 0.5, o);
    p.newton.adaptive = false;
    return p;
}

/// When the wave passes x = 6 mm.
double arrival(const TissueProblem& p)
{
    const auto s = stepper_of(p);
    s->add_stimulus(left_end(p, 1));
    s->advance(static_cast<std::int64_t>(std::lround(25 / p.dt_ms)));
    return activation_near(p, s->maps(), 6, 0.1);
}

} // namespace

Q_DECLARE_METATYPE(tawara::diffusion::Mass)

class TestNewtonSteps : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init()
    {
        if (!QTest::currentDataTag() || !QByteArray(QTest::currentDataTag()).contains("GPU"))
            return;
        need_gpu();
    }

    /// Against explicit steps of 0.001 ms, the error of the arrival halves with the step.
    void errorsAreOfTheFirstOrderInTime_data() { on_each_back_end(); }
    void errorsAreOfTheFirstOrderInTime()
    {
        const double fine = arrival(strip(Stepping::explicit_, 0.001));
        std::vector<double> error;
        for (const double dt : {0.04, 0.02, 0.01}) {
            error.push_back(arrival(strip(Stepping::newton, dt)) - fine);
            qInfo("%g ms: arrives %.4f ms late, of %.3f ms", dt, error.back(), fine);
        }
        QVERIFY(std::abs(error[2]) < 0.02 * fine);
        for (const std::size_t k : {0U, 1U}) {
            const double order = std::log2(error[k] / error[k + 1]);
            QVERIFY2(order > 0.8 && order < 1.3, qPrintable(QString::number(order)));
        }
    }

    /// Consistent mass: a wave that is as fast as explicit steps' with it but for the vertex rule,
    /// which counts the cells' part as lumped mass does.
    void consistentMassConducts_data() { on_each_back_end(); }
    void consistentMassConducts()
    {
        const double lumped = arrival(strip(Stepping::newton, 0.02)),
                     consistent =
                         arrival(strip(Stepping::newton, 0.02, diffusion::Mass::consistent)),
                     explicit_steps =
                         arrival(strip(Stepping::explicit_, 0.005, diffusion::Mass::consistent));
        qInfo("lumped %.2f ms, consistent %.2f, consistent and explicit %.2f", lumped, consistent,
              explicit_steps);
        QVERIFY(consistent < lumped);
        QVERIFY(consistent > explicit_steps);
        QVERIFY(consistent < 1.15 * explicit_steps);
    }

    /// Steps grow where V moves slowly, and V stays what single time steps make of it.
    void longStepsKeepThePotential_data() { on_each_back_end(); }
    void longStepsKeepThePotential()
    {
        auto p = strip(Stepping::newton, 0.05);
        const auto single = stepper_of(p);
        p.newton.adaptive = true;
        p.newton.dt_max_ms = 1;
        const auto adaptive = stepper_of(p);
        for (auto* s : {single.get(), adaptive.get()})
            s->add_stimulus(left_end(p, 1));
        double worst = 0;
        for (int ms = 20; ms <= 420; ms += 20) {
            single->advance(400);
            adaptive->advance(400);
            const auto a = potential(*single, p.size()), b = potential(*adaptive, p.size());
            for (std::size_t u = 0; u < a.size(); ++u)
                worst = larger_or_nan(worst, std::abs(a[u] - b[u]));
        }
        const auto few = adaptive->newton_counts()->steps, many = single->newton_counts()->steps;
        qInfo("%lld steps in place of %lld, V differs by %.2f mV at most", (long long)few,
              (long long)many, worst);
        QCOMPARE(many, 8400);
        QVERIFY(few < many / 4);
        QVERIFY(worst < 2);
        const auto m = adaptive->maps(), n = single->maps();
        for (std::size_t u = 0; u < p.size(); ++u) {
            QVERIFY(std::abs(m.activation_ms[u] - n.activation_ms[u]) < 0.02);
            QVERIFY(std::abs(m.repolarisation_ms[u] - n.repolarisation_ms[u]) < 1);
        }
    }

    /// Where a wave is under way, steps of several time steps do not add to the error of single
    /// ones.
    void longStepsKeepTheOrder_data() { on_each_back_end(); }
    void longStepsKeepTheOrder()
    {
        const std::pair<std::string, double> fast[] = {{"t_unit", 4}};
        std::vector<double> single, adaptive;
        for (const double dt : {0.2, 0.1, 0.05}) {
            ProblemOptions o;
            o.scheme = p1;
            o.stepping = Stepping::newton;
            o.dt_ms = dt;
            o.sigma = {0.4, 0.4, 0.4};
            auto p = slab_problem({8, 1, 1}, 0.5, o);
            p.groups[0].types = {cell::make_cell_type("aliev_panfilov_1996", "", fast, {})};
            p.newton.adaptive = false;
            single.push_back(arrival(p));
            p.newton.adaptive = true;
            p.newton.dt_max_ms = 1;
            adaptive.push_back(arrival(p));
        }
        const double change = std::abs(single[1] - single[2]);
        qInfo("arrives after %g, %g, %g ms", single[0], single[1], single[2]);
        QVERIFY(change > 0.01 && change < 1);
        for (std::size_t k = 0; k < single.size(); ++k)
            QVERIFY2(std::abs(adaptive[k] - single[k]) < 0.3 * change,
                     qPrintable(QString("%1 and %2").arg(adaptive[k]).arg(single[k])));
    }

    void nothingRestsBesideThem_data() { on_each_back_end(); }
    void nothingRestsBesideThem()
    {
        auto p = strip(Stepping::newton, 0.02);
        p.rest_tolerance_mV = 0.1;
        QVERIFY_THROWS_EXCEPTION(InputError, stepper_of(p));
    }

    /// A snapshot inside of a long step goes on bit for bit, whatever the number of threads.
    void aLongStepGoesOn_data() { on_each_back_end(); }
    void aLongStepGoesOn()
    {
        auto p = strip(Stepping::newton, 0.05, diffusion::Mass::lumped, true, 2);
        p.newton.adaptive = true;
        p.newton.dt_max_ms = 2;
        const auto s = stepper_of(p, 1);
        s->add_stimulus(left_end(p, 1));
        const auto idle = left_end(p, 1, 0, 1000); // a source of 0 is as good as none
        s->add_stimulus(idle);
        s->advance(3000);
        while (s->snapshot().implicit.size() != 5) // until inside of one
            s->advance(1);
        const auto middle = s->snapshot();
        s->advance(500);
        const auto other = stepper_of(p, 3);
        other->add_stimulus(left_end(p, 1));
        other->add_stimulus(idle);
        other->restore(middle);
        other->advance(500);
        const auto a = s->snapshot(), b = other->snapshot();
        QVERIFY(a.states == b.states);
        QVERIFY(a.implicit == b.implicit);
        for (std::size_t u = 0; u < p.size(); ++u)
            QVERIFY(a.v[u] == b.v[u] || (std::isnan(a.v[u]) && std::isnan(b.v[u])));
        QVERIFY(empty_without_cells(p, a));
    }

    /// A pulse that nobody foresaw ends a long step where it is.
    void aPulseActsAtOnce_data() { on_each_back_end(); }
    void aPulseActsAtOnce()
    {
        auto p = strip(Stepping::newton, 0.05);
        p.newton.adaptive = true;
        p.newton.dt_max_ms = 2;
        const auto s = stepper_of(p);
        s->advance(2000); // 100 ms at rest
        while (s->snapshot().implicit.size() != 5)
            s->advance(1);
        auto pulse = left_end(p, 1);
        pulse.start_ms = s->time_ms();
        const auto before = potential(*s, p.size());
        s->add_stimulus(pulse);
        s->advance(1);
        const auto after = potential(*s, p.size());
        const auto at = static_cast<std::size_t>(pulse.unknowns.front());
        qInfo("%.3f to %.3f mV in 0.05 ms", before[at], after[at]);
        QVERIFY(after[at] - before[at] > 1.5); // 50 mV/ms, less what flows on
        s->advance(600);
        const auto m = s->maps();
        for (const double t : m.activation_ms)
            QVERIFY(t > pulse.start_ms && t < pulse.start_ms + 25);
    }

    /// A time step that is too long for Newton's method is cut into parts.
    void stepsAreCut_data() { on_each_back_end(); }
    void stepsAreCut()
    {
        const auto p = strip(Stepping::newton, 0.5);
        const auto s = stepper_of(p);
        s->add_stimulus(left_end(p, 1));
        s->advance(60);
        const auto c = *s->newton_counts();
        qInfo("%lld steps, cut %lld times", (long long)c.steps, (long long)c.halved);
        QVERIFY(c.halved > 0);
        for (const double t : s->maps().activation_ms)
            QVERIFY(std::isfinite(t));
    }

    /// Where no step is short enough, time, place and residual are said, and the state is kept.
    void whatDoesNotConvergeIsSaid_data() { on_each_back_end(); }
    void whatDoesNotConvergeIsSaid()
    {
        auto p = strip(Stepping::newton, 0.1);
        const auto s0 = stepper_of(p);
        s0->add_stimulus(left_end(p, 1));
        s0->advance(50);
        p.newton.iterations = 1;
        p.newton.tolerance_mV = 1e-12;
        const auto s = stepper_of(p);
        s->add_stimulus(left_end(p, 1));
        auto from = s0->snapshot();
        s->restore(from);
        for (int again = 0; again < 2; ++again)
            try {
                s->advance(10);
                QFAIL("it converged");
            } catch (const diffusion::NewtonError& e) {
                const QString text = e.what();
                QVERIFY2(text.contains("did not converge at 5 ms"), e.what());
                QVERIFY2(text.contains("mm; a smaller time step"), e.what());
                QVERIFY(e.residual_mV > 1e-12 && e.unknown >= 0);
            }
        const auto after = s->snapshot();
        QCOMPARE(after.step, from.step);
        QVERIFY(after.v == from.v);
        QVERIFY(after.states == from.states);
    }

    /// GPUs take the steps of the CPU, but for rounding.
    void gpusTakeTheSameSteps_data()
    {
        QTest::addColumn<QByteArray>("devices");
        QTest::addColumn<diffusion::Mass>("mass");
        for (const char* devices : {"cuda:0", "cuda:0,0,0"})
            for (const auto mass : {diffusion::Mass::lumped, diffusion::Mass::consistent})
                QTest::addRow("GPU, %s, %s mass", devices,
                              mass == diffusion::Mass::lumped ? "lumped" : "consistent")
                    << QByteArray(devices) << mass;
    }
    void gpusTakeTheSameSteps()
    {
        QFETCH(diffusion::Mass, mass);
        auto p = strip(Stepping::newton, 0.05, mass, true, 3);
        p.newton.adaptive = true;
        p.newton.dt_max_ms = 0.8;
        const auto gpu = stepper_of(p), cpu = on(p, "cpu");
        for (auto* s : {gpu.get(), cpu.get()})
            s->add_stimulus(left_end(p, 1));
        double worst = 0;
        for (int k = 0; k < 60; ++k) {
            gpu->advance(20);
            cpu->advance(20);
            worst = larger_or_nan(worst, largest_difference_of_V(p, potential(*gpu, p.size()),
                                                                 potential(*cpu, p.size())));
        }
        const auto a = *gpu->newton_counts(), b = *cpu->newton_counts();
        qInfo("V differs by %.2g mV; steps %lld and %lld, iterations %lld and %lld", worst,
              (long long)a.steps, (long long)b.steps, (long long)a.newton, (long long)b.newton);
        QVERIFY(worst < 1e-3);
        QVERIFY(std::abs(a.steps - b.steps) <= 2 && std::abs(a.newton - b.newton) <= 10);
        QVERIFY(difference_of_states(gpu->snapshot(), cpu->snapshot()) < 1e-3);
        // either goes on with what the other has
        const auto other = on(p, "cpu");
        other->add_stimulus(left_end(p, 1));
        other->restore(gpu->snapshot());
        other->advance(40);
        gpu->advance(40);
        QVERIFY(largest_difference_of_V(p, potential(*gpu, p.size()), potential(*other, p.size())) <
                1e-3);
    }

    /// One device decides by itself as the host decides for it, bit for bit, in one graph as kernel
    /// by kernel: single time steps, such as are cut, and long ones.
    void theDeviceDecidesAsTheHostDoes_data()
    {
        QTest::addColumn<double>("dt");
        QTest::addColumn<diffusion::Mass>("mass");
        QTest::addColumn<double>("longest");
        QTest::addColumn<int>("steps");
        const auto lumped = diffusion::Mass::lumped, consistent = diffusion::Mass::consistent;
        QTest::newRow("GPU, lumped mass") << 0.05 << lumped << 0.0 << 200;
        QTest::newRow("GPU, consistent mass") << 0.05 << consistent << 0.0 << 100;
        QTest::newRow("GPU, steps that are cut") << 0.5 << lumped << 0.0 << 60;
        QTest::newRow("GPU, long steps") << 0.05 << lumped << 0.8 << 400;
        QTest::newRow("GPU, long steps, consistent mass") << 0.05 << consistent << 0.8 << 200;
    }
    void theDeviceDecidesAsTheHostDoes()
    {
        QFETCH(double, dt);
        QFETCH(diffusion::Mass, mass);
        QFETCH(double, longest);
        QFETCH(int, steps);
        auto p = strip(Stepping::newton, dt, mass, true, 3);
        p.newton.adaptive = longest > 0;
        p.newton.dt_max_ms = longest;
        StepperOptions o;
        o.devices = "cuda:0";
        o.tuning.timed_every = 0;
        const auto device = make_stepper(p, o);
        o.tuning.timed_every = 1;
        const auto kernels = make_stepper(p, o);
        o.tuning.graph_steps = 0;
        const auto host = make_stepper(p, o);
        for (auto* s : {device.get(), kernels.get(), host.get()}) {
            s->add_stimulus(left_end(p, 1));
            s->advance(steps_of(steps));
        }
        const auto a = *host->newton_counts();
        const auto state = host->snapshot();
        QVERIFY(!a.host_decides.empty());
        QVERIFY(dt < 0.5 || short_tests() || a.halved > 0);
        for (auto* s : {device.get(), kernels.get()}) {
            const auto b = *s->newton_counts();
            qInfo("%lld steps, iterations %lld, linear %lld, cut %lld; questions %lld, by the host "
                  "%lld",
                  (long long)b.steps, (long long)b.newton, (long long)b.linear, (long long)b.halved,
                  (long long)b.questions, (long long)a.questions);
            QCOMPARE(b.host_decides, std::string());
            QCOMPARE(b.steps, a.steps);
            QCOMPARE(b.newton, a.newton);
            QCOMPARE(b.linear, a.linear);
            QCOMPARE(b.rejected, a.rejected);
            QCOMPARE(b.halved, a.halved);
            const auto other = s->snapshot();
            QCOMPARE(std::memcmp(other.v.data(), state.v.data(), 8 * state.v.size()), 0);
            QVERIFY(other.states == state.states);
            QVERIFY(other.implicit == state.implicit);
        }
        if (dt < 0.5 && longest == 0)
            QCOMPARE(device->newton_counts()->questions, device->newton_counts()->steps);
    }

    void singlePrecisionIsRefused()
    {
        StepperOptions o;
        o.devices = "cpu";
        o.precision = Precision::single;
        QVERIFY_THROWS_EXCEPTION(InputError, make_stepper(strip(Stepping::newton, 0.05), o));
    }

    void countsAndKernelsAreThere_data() { on_each_back_end(); }
    void countsAndKernelsAreThere()
    {
        const auto p = strip(Stepping::newton, 0.05);
        const auto s = stepper_of(p);
        s->add_stimulus(left_end(p, 1));
        s->advance(40);
        const auto c = *s->newton_counts();
        QCOMPARE(c.steps, 40);
        QVERIFY(c.newton >= 40 && c.linear >= c.newton && c.most_newton >= 2);
        const auto k = s->kernels();
        QVERIFY(k.size() >= 3);
        for (const auto& kernel : k)
            QVERIFY2(kernel.calls > 0 && kernel.ms > 0 && kernel.bytes > 0, kernel.name.c_str());
        QCOMPARE(k[2].calls, c.linear);
        QVERIFY(!stepper_of(strip(Stepping::explicit_, 0.02))->newton_counts());
    }

    /// Tables are refused aloud, also where no session was read.
    void tablesAreRefused()
    {
        auto p = strip(Stepping::newton, 0.05);
        p.table_step_mV = 0.1;
        try {
            on(p, "cpu");
            QFAIL("tables were taken");
        } catch (const InputError& e) {
            QVERIFY2(QString(e.what()).contains("/reaction/tables_mV: has no meaning with stepping "
                                                "\"newton\""),
                     e.what());
        }
    }
};

QTEST_GUILESS_MAIN(TestNewtonSteps)
#include "test_newton_steps.moc"
