// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/cuda/cuda_text.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/optimise/tabulate.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "tests/cell_compiler/paced_beat.hpp"

#include <QtTest>
#include <chrono>

using namespace tawara::cell;
using namespace tawara::cell::compiler;

/// Errors of schemes and steps against CVODE at 1e-8: a part of what cell_accuracy.json records.
class TestAccuracy : public QObject
{
    Q_OBJECT
    static constexpr double until_ms = 450, every_ms = 0.1;

  private Q_SLOTS:
    void within_the_limit_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<double>("dt"); // that has to keep the beat within 1.5 %
        const auto row = [](const char* m, const char* v, double dt) {
            QTest::newRow(m) << QString(m) << QString(v) << dt;
        };
        row("beeler_reuter_1977", "", 0.05);
        row("luo_rudy_1991", "", 0.02);
        row("ten_tusscher_2006", "epi", 0.05);
        row("courtemanche_1998", "", 0.02);
        row("ohara_rudy_2011", "endo", 0.02);
        // calsequestrin settles in 0.0086 ms: an explicit step is bound by it
        row("grandi_bers_2010", "epi", 0.005);
        row("shannon_bers_2004", "", 0.005);
        row("stewart_2009", "", 0.02);
    }
    /// LRL, the scheme of tissue runs, in double and in single precision.
    void within_the_limit()
    {
        QFETCH(QString, model);
        QFETCH(QString, variant);
        QFETCH(double, dt);
        const CellSystem s = load_model(model.toStdString());
        const CellType t = cell_type(s, variant.toStdString(), {}, {});
        const Pulse pulse;
        const auto r =
            reference_beat(Reference(s), t.parameters, t.initial, pulse, until_ms, every_ms, 1e-8);
        const auto v = PacedBeat<double>(s, Scheme::rush_larsen_light)
                           .run(t.parameters, t.initial, pulse, dt, until_ms, every_ms);
        const auto f = PacedBeat<float>(s, Scheme::rush_larsen_light)
                           .run(t.parameters, t.initial, pulse, dt, until_ms, every_ms);
        const double error = rrms_percent(v, r, r.size()), single = rrms_percent(f, v, r.size());
        qInfo("%-20s LRL at %g ms: %.3f %%, single against double %.4f %%", qPrintable(model), dt,
              error, single);
        QVERIFY(error <= 1.5);
        QVERIFY(single <= 0.1);
    }

    void strong_pulses_on_the_plateau_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("period_ms");
        for (const char* model : {"ten_tusscher_2006", "stewart_2009", "ohara_rudy_2011"})
            for (const double period : {20., 110.})
                QTest::addRow("%s, every %g ms", model, period) << QString(model) << period;
    }
    /// Pulses that meet the plateau lift V far above any action potential, where gates that forward
    /// Euler steps are faster than a step: TT06's j has tau 0.003 ms at 110 mV and made LRL NaN.
    void strong_pulses_on_the_plateau()
    {
        QFETCH(QString, model);
        QFETCH(double, period_ms);
        const CellSystem s = load_model(model.toStdString());
        const auto p = s.parameter_values(), x = s.initial_values();
        const Pulse burst{50, 2, period_ms};
        constexpr double dt = 0.02, until = 1100, every = 1;
        const auto rl =
            PacedBeat<double>(s, Scheme::rush_larsen).run(p, x, burst, dt, until, every);
        const auto lrl =
            PacedBeat<double>(s, Scheme::rush_larsen_light).run(p, x, burst, dt, until, every);
        const auto single =
            PacedBeat<float>(s, Scheme::rush_larsen_light).run(p, x, burst, dt, until, every);
        QVERIFY(rl.size() == 1101 && *std::max_element(rl.begin(), rl.end()) > 90);
        const double error = rrms_percent(lrl, rl, rl.size()),
                     rounding = rrms_percent(single, lrl, rl.size());
        qInfo("LRL against RL %.3f %%, single against double %.4f %%, V up to %.0f mV", error,
              rounding, *std::max_element(rl.begin(), rl.end()));
        QVERIFY(error < 0.5);
        QVERIFY(rounding < 0.2); // O'Hara-Rudy, with V up to 296 mV: 0.105
    }

    /// Half the step, half the error (first order), a quarter by GRL2, far less by RK4.
    void order()
    {
        const CellSystem s = load_model("beeler_reuter_1977");
        const auto p = s.parameter_values(), x = s.initial_values();
        const Pulse pulse;
        const auto r = reference_beat(Reference(s), p, x, pulse, 100, every_ms, 1e-10);
        const auto ratio = [&](Scheme scheme, double dt) {
            const PacedBeat<double> beat(s, scheme);
            return rrms_percent(beat.run(p, x, pulse, dt, 100, every_ms), r, r.size()) /
                   rrms_percent(beat.run(p, x, pulse, dt / 2, 100, every_ms), r, r.size());
        };
        for (const Scheme scheme :
             {Scheme::forward_euler, Scheme::rush_larsen, Scheme::rush_larsen_light, Scheme::grl1,
              Scheme::backward_euler_single}) {
            const double q = ratio(scheme, 0.01);
            QVERIFY2(q > 1.85 && q < 2.15, std::string(name(scheme)).c_str());
        }
        const double q = ratio(Scheme::grl2, 0.02);
        QVERIFY2(q > 3.2 && q < 4.6, qPrintable(QString::number(q)));
        QVERIFY(ratio(Scheme::rk4, 0.02) > 6);
    }

    /// Tables of functions of V: a beat changes by less the finer they are, and values between the
    /// points are off by no more than what is reported.
    void tables_of_functions_of_V()
    {
        for (const char* model : {"ten_tusscher_2006", "ohara_rudy_2011"}) {
            const auto s = load_model(model);
            const auto p = s.parameter_values(), x = s.initial_values();
            const Pulse pulse;
            const auto beat = [&](double step_mV, double& seconds) {
                const PacedBeat<double> b(s, Scheme::rush_larsen_light, step_mV);
                const auto start = std::chrono::steady_clock::now();
                auto v = b.run(p, x, pulse, 0.02, until_ms, every_ms);
                seconds =
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                return v;
            };
            double plain_s = 0, coarse_s = 0, fine_s = 0;
            const auto plain = beat(0, plain_s), coarse = beat(0.5, coarse_s),
                       fine = beat(0.05, fine_s);
            QCOMPARE(fine.size(), plain.size());
            const double far = rrms_percent(coarse, plain, plain.size()),
                         near = rrms_percent(fine, plain, plain.size());
            QVERIFY2(near < 0.05 && far > near, qPrintable(QString("%1 %2").arg(near).arg(far)));

            auto o = processor_options(s, false);
            o.table_step_mV = 0.05;
            const auto program = compile(CellSystem(s), Scheme::rush_larsen_light, o);
            QVERIFY(program.lookups.size() > 10);
            double worst = 0;
            for (const auto& e :
                 table_errors(program.graph, program.lookups, p, program.table_step_mV))
                worst = tawara::larger_or_nan(worst, e.largest > 0 ? e.absolute / e.largest : 0);
            QVERIFY_THROWS_EXCEPTION(tawara::InputError, (void)cuda_text(program, false));
            qInfo(
                "%s: %zu tables, error of the largest value %.2g; RRMS with 0.05 mV %.4f %%, with "
                "0.5 mV %.4f %%; %.0f, %.0f, %.0f ms",
                model, program.lookups.size(), worst, near, far, 1e3 * plain_s, 1e3 * fine_s,
                1e3 * coarse_s);
        }
    }
};

QTEST_GUILESS_MAIN(TestAccuracy)
#include "test_accuracy.moc"
