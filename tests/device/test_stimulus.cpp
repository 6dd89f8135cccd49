// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/problem.hpp"

#include <QtTest>

using namespace tawara::device;

class TestStimulus : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void onePulse()
    {
        StimulusSource s;
        s.start_ms = 1;
        s.duration_ms = 2;
        QCOMPARE(s.overlap(0.98, 0.02), 0.0);
        QCOMPARE(s.overlap(1.0, 0.02), 1.0);
        QCOMPARE(s.overlap(2.98, 0.02), 1.0);
        QCOMPARE(s.overlap(3.0, 0.02), 0.0);
        QVERIFY(!s.over(2.99));
        QVERIFY(s.over(3.0));
    }
    void partOfAStep()
    {
        StimulusSource s;
        s.start_ms = 0.5;
        s.duration_ms = 1;
        QVERIFY(qAbs(s.overlap(0, 1) - 0.5) < 1e-12);
        QVERIFY(qAbs(s.overlap(1, 1) - 0.5) < 1e-12);
        QVERIFY(qAbs(s.overlap(0, 2) - 0.5) < 1e-12);
    }
    void trainGivesItsWholeCharge_data()
    {
        QTest::addColumn<double>("dt");
        for (double dt : {0.02, 0.03, 0.07, 1.0, 3.0})
            QTest::addRow("dt %g", dt) << dt;
    }
    void trainGivesItsWholeCharge()
    {
        QFETCH(double, dt);
        StimulusSource s;
        s.start_ms = 1.234;
        s.duration_ms = 2;
        s.period_ms = 10;
        s.count = 4;
        double charge = 0;
        for (int k = 0; k * dt < 100; ++k)
            charge += s.overlap(k * dt, dt) * dt;
        QVERIFY2(qAbs(charge - 8) < 1e-6, qPrintable(QString::number(charge)));
        QVERIFY(!s.over(33.2));
        QVERIFY(s.over(33.3));
    }
    void forEver()
    {
        StimulusSource s;
        s.duration_ms = 1;
        s.period_ms = 800;
        s.count = 0;
        QCOMPARE(s.overlap(800 * 1000, 0.02), 1.0);
        QVERIFY(!s.over(1e9));
    }
};
QTEST_GUILESS_MAIN(TestStimulus)
#include "test_stimulus.moc"
