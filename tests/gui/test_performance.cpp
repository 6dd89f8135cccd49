// SPDX-License-Identifier: GPL-3.0-or-later
// What the performance panel makes of sums that come when they come.
#include "widgets/panels/performance_panel.hpp"
#include "widgets/plots/roofline_plot.hpp"

#include <QTableWidget>
#include <QtTest>

using namespace tawara;

class TestPerformance : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
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
};

QTEST_MAIN(TestPerformance)
#include "test_performance.moc"
