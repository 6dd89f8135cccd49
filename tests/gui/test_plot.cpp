// SPDX-License-Identifier: GPL-3.0-or-later
// The live plot by itself.
#include "widgets/models/probe_model.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QApplication>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>

using namespace tawara;

class TestPlot : public QObject
{
    Q_OBJECT
    static void feed(TracePlot& p, quint64 id, double from, double to, double step)
    {
        std::vector<double> t;
        std::vector<float> v;
        for (double x = from; x < to; x += step) {
            t.push_back(x);
            v.push_back(static_cast<float>(-30 + 50 * std::sin(x / 20)));
        }
        p.append(id, t, v);
    }
    static int inked(TracePlot& p, const QColor& color)
    {
        const QImage image = p.grab().toImage();
        int n = 0;
        for (int y = 20; y < image.height() - 40; ++y)
            for (int x = 60; x < image.width() - 20; ++x)
                n += image.pixelColor(x, y) == color ? 1 : 0;
        return n;
    }

  private Q_SLOTS:
    void samplesAndValues()
    {
        TracePlot p;
        p.addCurve(7, "A", Qt::red);
        QCOMPARE(p.sampleCount(7).value_or(9), 0U);
        QVERIFY(!p.sampleCount(8));
        const std::vector<double> t{0, 1, 3};
        const std::vector<float> v{-80, -60, 20};
        p.append(7, t, v);
        QCOMPARE(*p.valueAt(7, 0), -80.0);
        QCOMPARE(*p.valueAt(7, 2), -20.0);
        QCOMPARE(*p.valueAt(7, 3), 20.0);
        QVERIFY(!p.valueAt(7, 3.1));
        p.append(7, std::vector<double>{4}, std::vector<float>{});
        QCOMPARE(*p.sampleCount(7), 3U);
        p.clearSamples();
        QCOMPARE(*p.sampleCount(7), 0U);
        p.removeCurve(7);
        QCOMPARE(p.curveCount(), 0);
    }

    void drawsCurves()
    {
        TracePlot p;
        p.resize(600, 220);
        p.addCurve(1, "A", QColor(0, 255, 0));
        QVERIFY(inked(p, QColor(0, 255, 0)) < 60); // the legend alone
        feed(p, 1, 0, 400, 0.1);
        QVERIFY(inked(p, QColor(0, 255, 0)) > 200);
        feed(p, 1, 400, 60000, 0.1); // long runs are thinned out, and still drawn
        p.setWindowMs(20000);
        QElapsedTimer clock;
        clock.start();
        QVERIFY(inked(p, QColor(0, 255, 0)) > 200);
        QVERIFY2(clock.elapsed() < 2000, "600 thousand samples");
    }

    void wheelAndDrag()
    {
        TracePlot p;
        p.resize(600, 220);
        p.addCurve(1, "A", Qt::red);
        feed(p, 1, 0, 3000, 1);
        const double before = p.windowMs();
        QWheelEvent in({300, 100}, p.mapToGlobal(QPointF(300, 100)), {}, {0, 120}, Qt::NoButton, {},
                       Qt::NoScrollPhase, false);
        QApplication::sendEvent(&p, &in);
        QVERIFY(p.windowMs() < before);
        QVERIFY(p.following());
        QTest::mousePress(&p, Qt::LeftButton, {}, {200, 100});
        QMouseEvent move(QEvent::MouseMove, {400, 100}, p.mapToGlobal(QPointF(400, 100)),
                         Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&p, &move);
        QTest::mouseRelease(&p, Qt::LeftButton, {}, {400, 100});
        QVERIFY(!p.following());
        QTest::mouseDClick(&p, Qt::LeftButton, {}, {300, 100});
        QVERIFY(p.following());
    }

    void probeModel()
    {
        ProbeModel m;
        QCOMPARE(m.freeName(), QString("Probe 1"));
        const QColor first = m.add(1, m.freeName(), {}).color;
        m.add(2, m.freeName(), {});
        QVERIFY(m.entries()[1].color != first);
        m.setValue(2, -12.34F);
        QCOMPARE(m.data(m.index(1, ProbeModel::ValueColumn), Qt::DisplayRole).toString(),
                 QString("-12.3 mV"));
        m.remove(1);
        QCOMPARE(m.rowCount(), 1);
        QCOMPARE(m.freeName(), QString("Probe 1"));
        QCOMPARE(m.add(3, "x", {}).color, first); // a free colour is used again
        m.remove(99);
        QCOMPARE(m.rowCount(), 2);
    }
};

QTEST_MAIN(TestPlot)
#include "test_plot.moc"
