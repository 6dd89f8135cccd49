// SPDX-License-Identifier: GPL-3.0-or-later
// What the performance panel makes of sums that come when they come.
#include "engine/simulation/results/figures.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/plots/roofline_plot.hpp"

#include <QLabel>
#include <QScrollBar>
#include <QTableWidget>
#include <QtTest>

using namespace tawara;

class TestPerformance : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// The last row is what of a step is in no kernel, so that the table adds up to the step.
    void theTableAddsUp()
    {
        PerformancePanel panel;
        simulation::Status s;
        s.state = simulation::Status::State::running;
        const auto tell = [&](std::int64_t step, double ms, bool two) {
            s.step = step;
            std::vector<simulation::KernelFigure> k{
                {"reaction", "CPU", step, ms, 1e6, 1e7, 0, 0, 0, {}},
                {"diffusion", "CPU", step, 2 * ms, 1e6, 1e7, 0, 0, 0, {}}};
            if (two)
                k.push_back({"reaction", "cuda:0", step, 4 * ms, 1e6, 1e7, 0, 0, 0, {}});
            panel.setKernels(k, s);
        };
        const auto row = [&] { return panel.table()->rowCount() - 1; };
        const auto other = [&] { return panel.table()->item(row(), 1)->text(); };
        for (const bool two : {false, true}) {
            const double busy = two ? 4 : 3; // devices work at the same time
            panel.reset();
            // the panel's clock begins and ends within the two calls: its ten steps took more than
            // what lies between them, and less than all of it
            QElapsedTimer outer, inner;
            outer.start();
            tell(100, 1, two);
            inner.start();
            QCOMPARE(row(), two ? 3 : 2);
            QCOMPARE(other(), QString("–")); // no time of these steps is known
            QTest::qWait(200);
            const double least = static_cast<double>(inner.nsecsElapsed()) / 1e6 / 10;
            tell(110, 11, two);
            const double most = static_cast<double>(outer.nsecsElapsed()) / 1e6 / 10;
            const double step = other().toDouble() + busy, rounded = 0.01 * step;
            QVERIFY2(step > least - rounded && step < most + rounded,
                     qPrintable(QString("%1, of %2 to %3 ms").arg(other()).arg(least).arg(most)));
            QVERIFY(panel.table()->item(row(), 0)->text().startsWith("other"));
            QVERIFY(panel.table()->item(row(), 0)->toolTip().contains("launching"));
            tell(120, 100011, two); // kernels' clocks are others
            QCOMPARE(other().toDouble(), 0.0);
        }
    }

    /// Sums that are the same as before, or none after a reset, are no kernels that take no time.
    void whatIsShownStays()
    {
        PerformancePanel panel;
        simulation::Status s;
        s.state = simulation::Status::State::running;
        const auto tell = [&](std::int64_t step, double ms) {
            s.step = step;
            panel.setKernels({{"reaction", "CPU", step, ms, 1e6 * ms, 1e7 * ms, 0, 0, 0, {}}}, s);
        };
        const auto shown = [&] { return panel.table()->item(0, 1)->text().toDouble(); };
        tell(100, 50);
        QCOMPARE(shown(), 0.5);
        QCOMPARE(panel.roofline()->pointCount(), std::size_t(1));
        tell(150, 50); // asked before there was more
        QCOMPARE(shown(), 0.5);
        QCOMPARE(panel.roofline()->pointCount(), std::size_t(1));
        tell(200, 125); // of all steps since
        QCOMPARE(shown(), 0.75);
        s.state = simulation::Status::State::paused;
        tell(210, 130); // the last steps
        QCOMPARE(shown(), 0.5);
        tell(210, 0); // set back, the step not yet told
        tell(0, 0);
        QCOMPARE(shown(), 0.5);
        QCOMPARE(panel.roofline()->pointCount(), std::size_t(1));
        s.state = simulation::Status::State::running;
        tell(20, 40);
        QCOMPARE(shown(), 2.0);
        QCOMPARE(panel.roofline()->pointCount(), std::size_t(1));
    }

    /// What Newton's method takes is said where it steps, and nowhere else.
    void newtonsIterationsAreCounted()
    {
        PerformancePanel panel;
        auto* said = panel.findChild<QLabel*>("newtonCounts");
        simulation::Status s;
        s.state = simulation::Status::State::running;
        s.step = 100;
        panel.setKernels({{"reaction", "CPU", 100, 50, 1e9, 1e8, 20, 60, 0.5, "memory"}}, s);
        QVERIFY(!said->isVisibleTo(&panel));
        s.step = 200;
        device::NewtonCounts counts;
        counts.steps = 50, counts.newton = 120, counts.linear = 300, counts.most_newton = 7;
        counts.rejected = 3, counts.halved = 2;
        s.newton = counts;
        panel.setKernels({{"cells (Newton)", "CPU", 200, 90, 2e9, 2e8, 20, 60, 0.5, "memory"}}, s);
        QVERIFY(said->isVisibleTo(&panel));
        QCOMPARE(said->text(),
                 QString("Newton's method: 2.4 iterations a step (7 at most), 6.0 of conjugate "
                         "gradients; 50 steps. 3 long steps were refused, 2 time steps were cut."));
        QVERIFY(!said->toolTip().contains("host"));
        s.step = 300;
        s.newton->host_decides = "several shards add up what each finds";
        panel.setKernels({{"cells (Newton)", "CPU", 300, 99, 3e9, 3e8, 20, 60, 0.5, "memory"}}, s);
        QVERIFY2(said->toolTip().contains("The host decides") &&
                     said->toolTip().contains("several shards"),
                 qPrintable(said->toolTip()));
    }
    void aboveItsCeilingIsExplained()
    {
        PerformancePanel panel;
        panel.show();
        simulation::Status s;
        s.state = simulation::Status::State::running;
        const auto* note = panel.findChild<QLabel*>("aboveCeiling");
        s.step = 100;
        panel.setKernels({{"diffusion", "CPU", 100, 50, 1e9, 1e8, 20, 60, 0.98, "memory"}}, s);
        QVERIFY(!note->isVisible());
        s.step = 200;
        panel.setKernels({{"diffusion", "CPU", 200, 90, 2e9, 2e8, 20, 60, 1.4, "memory"}}, s);
        QVERIFY(note->isVisible() && note->text().contains("100 %") &&
                note->text().contains("caches"));
        const QString tip = panel.table()->item(0, 2)->toolTip();
        QVERIFY2(tip.contains("caches"), qPrintable(tip));
        panel.reset();
        QVERIFY(!note->isVisible());
    }

    /// A point and the share of its ceiling are of the same time: the run so far.
    void thePointStandsWhereTheTableSays()
    {
        PerformancePanel panel;
        simulation::Status s;
        s.state = simulation::Status::State::running;
        s.step = 100; // 1 GB in 100 ms at 20 GB/s: half of the roof
        panel.setKernels({{"diffusion", "CPU", 100, 100, 1e9, 1e8, 20, 60, 0.5, "memory"}}, s);
        s.step = 200; // then as much in 25 ms: 16 GB/s of the two together
        panel.setKernels({{"diffusion", "CPU", 200, 125, 2e9, 2e8, 20, 60, 0.8, "memory"}}, s);
        QCOMPARE(panel.table()->item(0, 2)->text(), QString("80 %"));
        const auto point = panel.roofline()->point(0);
        QCOMPARE(point.GFLOP_per_s / point.flop_per_byte, 16.0);
    }

    void bytesByHardwareStandBeside()
    {
        PerformancePanel panel;
        panel.resize(480, 760);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        simulation::Status s;
        s.state = simulation::Status::State::running;
        s.step = 100;
        constexpr int column = 6;
        device::KernelRecord k{"diffusion", 100, 50, 1e9, 1e8};
        panel.setKernels({simulation::figure(k, "CPU", {}, false)}, s);
        QVERIFY(panel.table()->isColumnHidden(column));
        k.calls = 200, k.ms = 100, k.bytes = 2e9, k.counted_bytes = 2.1e9, s.step = 200;
        panel.setKernels({simulation::figure(k, "cuda:0", {}, false)}, s);
        QVERIFY(!panel.table()->isColumnHidden(column));
        QCOMPARE(panel.table()->item(0, column)->text(), QStringLiteral("1.05×"));
        panel.resize(340, 760);
        QTRY_VERIFY(panel.table()->isColumnHidden(column));
        QVERIFY(panel.table()->item(0, 0)->toolTip().contains("1.05×"));
        panel.setCeilings({20, 18, 60, 120}, "CPU", "it is no GPU");
        QVERIFY(panel.findChild<QLabel*>("ceilings")->toolTip().contains("it is no GPU"));
        panel.setCeilings({20, 18, 60, 120}, "cuda:0");
        QVERIFY(!panel.findChild<QLabel*>("ceilings")->toolTip().contains("counters"));
    }

    void theTableFitsItsPanel()
    {
        PerformancePanel panel;
        panel.resize(340, 760); // as in a window of 1280
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        simulation::Status s;
        s.state = simulation::Status::State::running;
        s.step = 100;
        panel.setKernels({{"reaction ten_tusscher_2006", "CPU", 300, 5, 123.4e9, 123.4e9, 20, 60,
                           0.98, "memory"},
                          {"diffusion", "CPU", 300, 5, 1e9, 1e8, 20, 60, 1.02, "arithmetic"}},
                         s);
        QApplication::processEvents();
        const auto* bar = panel.table()->horizontalScrollBar();
        QVERIFY2(bar->maximum() == 0, qPrintable(QString::number(bar->maximum())));
        QVERIFY2(panel.table()->columnWidth(0) >= 70,
                 qPrintable(QString::number(panel.table()->columnWidth(0))));
        QVERIFY(panel.table()->item(0, 0)->toolTip().contains("called 300 times"));
        QVERIFY(panel.table()->isColumnHidden(4));
        panel.resize(480, 760);
        QTRY_VERIFY(!panel.table()->isColumnHidden(4) && !panel.table()->isColumnHidden(5));
        QCOMPARE(bar->maximum(), 0);
        QVERIFY(panel.table()->item(1, 3)->toolTip().contains("arithmetic"));
    }

    void aMultiplyAddIsOneOperationEverywhere()
    {
        PerformancePanel panel;
        device::Ceilings c; // measured with a multiply-add as two
        c.triad_GB_per_s = 20, c.copy_GB_per_s = 18;
        c.fp64_GFLOP_per_s = 60, c.fp32_GFLOP_per_s = 120;
        panel.setCeilings(c, "CPU");
        const auto* text = panel.findChild<QLabel*>("ceilings");
        QVERIFY2(text->text().contains("30 G operations/s double") &&
                     text->text().contains("60 G operations/s single"),
                 qPrintable(text->text()));
        QVERIFY(text->toolTip().contains("multiply-add"));
        // what the engine says of a kernel on the same machine
        const auto k = simulation::figure({"reaction"}, "CPU", c, false);
        QCOMPARE(k.ceiling_GFLOP_per_s, 30.0);
        QCOMPARE(panel.roofline()->arithmetic(), k.ceiling_GFLOP_per_s);
    }
};

QTEST_MAIN(TestPerformance)
#include "test_performance.moc"
