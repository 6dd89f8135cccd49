// SPDX-License-Identifier: GPL-3.0-or-later
// Plots by themselves.
#include "tests/gui/several.hpp"
#include "tests/slowdown.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/plots/axes.hpp"
#include "widgets/plots/bullseye_plot.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QRegularExpression>
#include <QToolTip>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>
#include <limits>
#include <map>

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
    /// However few data there are and however small the plot is: two labelled ticks at least.
    void axesHaveTwoTicks_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("one beat") << 286.0 << 306.0; // APD of it, with the margin
        QTest::newRow("few beats") << 640.0 << 664.0;
        QTest::newRow("across 0") << -85.0 << 45.0;
        QTest::newRow("close to a round number") << 199.0 << 201.0;
        QTest::newRow("between round numbers") << 1.01 << 1.99;
        QTest::newRow("narrow") << 0.030 << 0.031;
        QTest::newRow("long") << 0.0 << 1e6;
    }
    void axesHaveTwoTicks()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        for (const bool log : {false, true})
            for (double count = 0.2; count < 30; count *= 1.3) {
                const double from = log ? std::max(low, 1e-3) : low;
                const auto ticks = axisTicks(from, high, count, log);
                QVERIFY2(ticks.size() >= 2, qPrintable(QString::number(count)));
                QVERIFY(log || static_cast<double>(ticks.size()) <= std::max(7.0, count + 1));
                for (std::size_t i = 0; i < ticks.size(); ++i) {
                    const double slack = 1e-3 * (high - from);
                    QVERIFY(ticks[i] >= from - slack && ticks[i] <= high + slack);
                    QVERIFY(i == 0 || ticks[i] > ticks[i - 1]);
                    QVERIFY(!numberText(ticks[i], 4).contains(QLatin1Char('e')) || high > 1e4);
                }
            }
    }
    void axesWithoutARangeHaveNone()
    {
        QVERIFY(axisTicks(3, 3, 5).empty());
        QVERIFY(axisTicks(0, std::numeric_limits<double>::infinity(), 5).empty());
        QVERIFY(axisTicks(std::nan(""), 3, 5).empty());
    }

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
        const test::ProcessorClock clock;
        QVERIFY(inked(p, QColor(0, 255, 0)) > 200);
        QVERIFY2(clock.elapsed() < 2000 * tawara::test::slowdown, "600 thousand samples");
    }

    /// What was kept stays, in its own look, while the run begins anew and other curves come.
    void keptCurvesStayToCompareWith()
    {
        TracePlot p;
        p.resize(600, 200);
        QVERIFY(!p.keep(true)); // nothing is there
        p.addCurve(1, "P", Qt::red);
        QVERIFY(!p.keep(true));
        feed(p, 1, 0, 400, 0.5);
        QVERIFY(p.keep(true));
        const auto before = p.valueAt(1, 100);
        const QImage only = p.grab().toImage();
        p.clearSamples();
        p.removeCurve(1);
        p.addCurve(7, "P", Qt::red); // the same place in another heart
        QVERIFY(!p.valueAt(7, 100));
        QCOMPARE(p.keptAt("P", 100), before);
        QVERIFY(!p.keptAt("Q", 100));
        const QImage kept = p.grab().toImage();
        p.keep(false);
        QVERIFY(!p.keptAt("P", 100));
        const QImage none = p.grab().toImage();
        QVERIFY(kept != none && kept != only); // dashed
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

    void cursorsSayTheirDifference()
    {
        TracePlot p;
        p.resize(600, 130);
        p.addCurve(1, "site", Qt::red);
        feed(p, 1, 0, 400, 1);
        QVERIFY(p.markLines().isEmpty());
        p.setMark(0, 100);
        p.setMark(1, 130);
        const double by = *p.valueAt(1, 130) - *p.valueAt(1, 100);
        QCOMPARE(p.markLines(), (QStringList{"A  100.0 ms", "B  130.0 ms", "B − A  30.0 ms",
                                             QString("site, B − A  %1 mV").arg(by, 0, 'f', 1)}));
        feed(p, 1, 401, 580, 1); // A has left the window of time, B has not
        p.setWindowMs(460);
        QCOMPARE(p.markLines().size(), 4);
        feed(p, 1, 581, 700, 1);
        QVERIFY(p.markLines().isEmpty());
    }

    /// More lines than are below each other in a low plot stand beside each other.
    void theBoxOfTheCursorsIsWhole()
    {
        TracePlot p;
        p.setPalette(QPalette(Qt::white, QColor(20, 20, 20)));
        p.resize(600, 130);
        const QImage without = [&] {
            for (quint64 id = 1; id <= TracePlot::boxed_curves; ++id) {
                p.addCurve(id, QString("probe %1").arg(id), Qt::red);
                feed(p, id, 0, 400, 1);
            }
            return p.grab().toImage();
        }();
        p.setMark(0, 300);
        p.setMark(1, 330);
        const QImage with = p.grab().toImage();
        int below = 0, right = 0;
        for (int y = 0; y < with.height(); ++y)
            for (int x = 0; x < 330; ++x) // left of the cursors' lines
                if (with.pixel(x, y) != without.pixel(x, y)) {
                    below = std::max(below, y);
                    right = std::max(right, x);
                }
        QVERIFY2(below < 130 - 34, qPrintable(QString::number(below))); // within the axes
        QVERIFY2(right > 200, qPrintable(QString::number(right)));
    }

    /// Of many curves the boxes name the nearest one, or none: they would hide the others.
    void boxesOfManyCurvesStaySmall()
    {
        TracePlot p;
        p.resize(600, 200); // 54 px and 14 px beside 500 ms
        const QSignalSpy told(&p, &TracePlot::readingChanged);
        const std::vector<double> t{0, 500};
        for (quint64 id = 1; id <= 4; ++id) {
            p.addCurve(id, QString("probe %1").arg(id), Qt::red);
            const auto v = static_cast<float>(30 - 20 * static_cast<int>(id)); // 10 to -50
            p.append(id, t, std::vector<float>{v, v});
            p.setMark(0, 100);
            p.setMark(1, 130);
            QCOMPARE(p.markLines().size(), id <= 3 ? qsizetype(3 + id) : qsizetype(3));
            QCOMPARE(p.bothMarks().has_value(), id > 3);
        }
        QVERIFY(!p.reading() && p.readingLines().isEmpty());
        const auto move = [&p](double x, double y) {
            QMouseEvent e(QEvent::MouseMove, QPointF(x, y), p.mapToGlobal(QPointF(x, y)),
                          Qt::NoButton, Qt::NoButton, {});
            QApplication::sendEvent(&p, &e);
        };
        const auto before = told.count();
        move(54 + 266, 200 - 34 - 5); // low, where probe 4 is
        QCOMPARE(told.count(), before + 1);
        QVERIFY(std::abs(p.reading().value() - 250) < 1);
        QCOMPARE(p.readingLines().size(), qsizetype{2});
        QCOMPARE(p.readingLines()[1], QString("probe 4  -50.0 mV"));
        move(54 + 266, 14);
        QCOMPARE(p.readingLines()[1], QString("probe 1  10.0 mV"));
        p.removeCurve(2);
        QCOMPARE(p.readingLines().size(), qsizetype{4}); // the time, and all three
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&p, &leave);
        QVERIFY(!p.reading() && !p.bothMarks());
    }

    /// What a plot's tip says stands above it, where no curve is read.
    void tipsStandAboveThePlot()
    {
        QWidget window;
        window.resize(700, 600);
        auto* p = new TracePlot(&window);
        p->setGeometry(20, 300, 600, 200);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QPoint at(200, 60);
        QHelpEvent e(QEvent::ToolTip, at, p->mapToGlobal(at));
        QApplication::sendEvent(p, &e);
        QVERIFY(QToolTip::isVisible());
        const auto all = QApplication::topLevelWidgets();
        const auto tip = std::find_if(all.begin(), all.end(), [](const QWidget* w) {
            return w->isVisible() && w->inherits("QTipLabel");
        });
        QVERIFY(tip != all.end());
        const int gap = p->mapToGlobal(QPoint(0, 0)).y() - (*tip)->geometry().bottom();
        QVERIFY2(gap >= 0 && gap < 40, qPrintable(QString::number(gap)));
        QToolTip::hideText();
    }

    /// A dashed line where the tissue was changed, and what it is; of lines close together once.
    void changesOfTheTissueAreMarked()
    {
        TracePlot p;
        p.setPalette(QPalette(Qt::white, QColor(20, 20, 20)));
        p.resize(600, 190);
        p.addCurve(1, "site", Qt::red);
        feed(p, 1, 0, 500, 1);
        const auto columns = [&] { // where the lines are
            const QImage image = p.grab().toImage();
            std::vector<int> found;
            for (int x = 55; x < image.width() - 14; ++x) {
                int n = 0;
                for (int y = 12; y < image.height() - 34; ++y)
                    n += image.pixelColor(x, y) == changeColor() ? 1 : 0;
                if (n > 0) {
                    Q_ASSERT(n > 40 && n < 130); // dashes, from top to bottom
                    found.push_back(x);
                }
            }
            return found;
        };
        QVERIFY(columns().empty());
        p.setChanges({250});
        QCOMPARE(columns().size(), std::size_t{1});
        QVERIFY(std::abs(columns()[0] - (54 + 532 / 2)) <= 1); // in the middle of 0 to 500 ms
        const auto written = [&] {
            int n = 0;
            const QImage image = p.grab().toImage();
            for (int x = 330; x < 420; ++x)
                for (int y = 76; y < 92; ++y)
                    n += image.pixelColor(x, y) != p.palette().color(QPalette::Base) ? 1 : 0;
            return n;
        };
        const int once = written();
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            p.grab().save(folder + "/changes.png");
        QVERIFY2(once > 200, qPrintable(QString::number(once)));
        p.setChanges({250, 254});
        QCOMPARE(columns().size(), std::size_t{2});
        p.setChanges({250, 600}); // not reached yet
        QCOMPARE(columns().size(), std::size_t{1});
        QCOMPARE(written(), once);
        p.setChanges({498}); // there is room on its left alone
        QCOMPARE(columns().size(), std::size_t{1});
        p.setChanges({});
        QVERIFY(columns().empty());
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
        m.clearValues();
        QCOMPARE(m.data(m.index(1, ProbeModel::ValueColumn), Qt::DisplayRole).toString(),
                 QString("–"));
        m.remove(1);
        QCOMPARE(m.rowCount(), 1);
        QCOMPARE(m.freeName(), QString("Probe 1"));
        QCOMPARE(m.add(3, "x", {}).color, first); // a free colour is used again
        m.remove(99);
        QCOMPARE(m.rowCount(), 2);
    }

    /// Rows that are lower than their edges still end.
    void manyLeadsInALowStrip()
    {
        EcgPlot plot;
        plot.resize(400, 110);
        for (int leads = 1; leads < 60; ++leads) {
            QStringList names;
            for (int k = 0; k < leads; ++k)
                names << QStringLiteral("L%1").arg(k);
            plot.setLeads(names);
            plot.append(std::vector<double>{0, 100},
                        std::vector<std::vector<float>>(static_cast<std::size_t>(leads), {0, 1}));
            QVERIFY(!plot.grab().isNull());
        }
    }
    /// Own leads stand below the twelve, each of which stays where it is looked for.
    void ownLeadsStandBelowTheTwelve()
    {
        EcgPlot plot;
        plot.resize(860, 240);
        QStringList names;
        for (const char* n :
             {"I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"})
            names << n;
        plot.setLayout(EcgPlot::Layout::sheet);
        plot.setLeads(names);
        const double left = plot.traceArea(6).left(); // V1
        names << "E1"
              << "E2";
        plot.setLeads(names);
        QVERIFY(std::abs(plot.traceArea(6).left() - left) < 1);
        QVERIFY(plot.traceArea(6).top() < plot.traceArea(7).top()); // V1, below it V2
        QVERIFY(plot.traceArea(12).top() > plot.traceArea(11).bottom());
        QCOMPARE(plot.traceArea(12).top(), plot.traceArea(13).top());
        QVERIFY(plot.traceArea(12).left() < plot.traceArea(13).left());
        // a lead that came later is drawn from there on
        std::vector<double> t;
        std::vector<std::vector<float>> mV(14);
        for (int k = 0; k <= 1000; ++k) {
            t.push_back(k);
            for (std::size_t l = 0; l < mV.size(); ++l)
                mV[l].push_back(l == 12 && k < 500 ? std::numeric_limits<float>::quiet_NaN()
                                                   : 0.3F);
        }
        plot.append(t, mV);
        plot.setWindowMs(1000);
        const QImage image = plot.grab().toImage();
        const auto inked = [&](int lead, double from, double to) {
            const QRectF r = plot.traceArea(lead);
            int n = 0;
            for (int x = static_cast<int>(r.left() + from * r.width()) + 2;
                 x < r.left() + to * r.width() - 2; ++x)
                for (int y = static_cast<int>(r.top()) + 1; y < r.bottom() - 1; ++y) {
                    const QColor c = image.pixelColor(x, y);
                    n += isDark(&plot) ? c.green() > 120 && c.red() < 160 : c.red() < 90;
                }
            return n;
        };
        QVERIFY(inked(11, 0, 0.5) > 20 && inked(12, 0.5, 1) > 20 && inked(13, 0, 0.5) > 20);
        QCOMPARE(inked(12, 0, 0.5), 0);
    }
    /// An electrode near the heart does not flatten the twelve.
    void ownLeadsHaveAGainOfTheirOwn()
    {
        EcgPlot plot;
        plot.resize(860, 240);
        const QStringList names{"II", "V1", "E1"};
        const std::vector<double> t{0, 100};
        plot.setLeads(names);
        plot.append(t, {{1, -1}, {1, 0}, {30, 0}});
        const double flat = plot.scale().gain * plot.scale().pixelsPerMm;
        QVERIFY(!plot.caption().contains("own"));
        plot.setOwn(1);
        QVERIFY(plot.scale().gain * plot.scale().pixelsPerMm > 3 * flat);
        QVERIFY(std::abs(plot.scale(true).gain * plot.scale(true).pixelsPerMm - flat) < 1e-9);
        // a square is 5 mm, whatever became of the paper: gains and squares say the same
        const auto agrees = [&plot](const QString& before) {
            static const QRegularExpression pair(
                "([0-9.]+) mm/mV[^m]*(?:[0-9]+ ms, )?([0-9.]+) mV");
            const auto found = pair.match(plot.caption().mid(plot.caption().indexOf(before)));
            const double all = found.captured(1).toDouble() * found.captured(2).toDouble();
            return found.hasMatch() && std::abs(all - 5) < 0.05;
        };
        QVERIFY2(plot.caption().contains("own leads: "), qPrintable(plot.caption()));
        QVERIFY2(agrees({}) && agrees("own leads: "), qPrintable(plot.caption()));
        plot.setLeads(names); // the same anew
        plot.append(t, {{1, -1}, {1, 0}, {30, 0}});
        QVERIFY(plot.caption().contains("own leads: "));
        plot.setShown({"E1"});
        QVERIFY2(agrees({}) && !plot.caption().contains("own"), qPrintable(plot.caption()));
        plot.setLeads({"I", "II", "III"});
        plot.setShown({});
        QVERIFY(!plot.caption().contains("own"));
    }
    void paperStaysPaper()
    {
        QCOMPARE(EcgPlot::squareStep(40), 1);
        QCOMPARE(EcgPlot::squareStep(3.5), 2);
        QCOMPARE(EcgPlot::squareStep(0.7), 10);
        EcgPlot plot;
        plot.resize(860, 240);
        QStringList names;
        for (const char* n :
             {"I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"})
            names << n;
        plot.setLeads(names);
        plot.setLayout(EcgPlot::Layout::sheet);
        for (const float mV : {1.F, 4.F, 20.F}) { // the larger, the nearer the lines of 0.5 mV
            plot.setLeads(names);
            const std::vector<double> t{0, 100};
            plot.append(t, std::vector<std::vector<float>>(12, {0, mV}));
            const QImage image = plot.grab().toImage();
            const QRectF area = plot.traceArea(11);
            QVERIFY2(!area.intersects(plot.captionArea()), "the caption covers V6");
            QVERIFY(QRectF(plot.rect()).contains(plot.captionArea().adjusted(0, 0, 0, -1)));
            // strong lines across, in a column right of the trace and between lines along
            std::map<QRgb, int> colors;
            const int x = static_cast<int>(area.right()) - 7;
            for (int y = static_cast<int>(area.top()) + 1; y < area.bottom() - 1; ++y)
                ++colors[image.pixel(x, y)];
            const QRgb bold = isDark(&plot) ? qRgb(0x40, 0x28, 0x2b) : qRgb(0xf2, 0xbd, 0xb8);
            QVERIFY2(colors[bold] >= 3, qPrintable(QString::number(static_cast<double>(mV))));
            QVERIFY2(colors[bold] < 0.2 * area.height(), "paper, not a wash");
        }
    }
};

int main(int argc, char** argv)
{
    return fake::runWidgets<TestPlot>(argc, argv);
}
#include "test_plot.moc"
