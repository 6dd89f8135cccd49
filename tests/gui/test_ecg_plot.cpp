// SPDX-License-Identifier: GPL-3.0-or-later
// The electrocardiogram as an instrument: times of places, cursors, mouse and keys.
#include "tests/gui/ecg_beats.hpp"
#include "tests/gui/several.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QApplication>
#include <QLabel>
#include <QToolButton>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>
#include <limits>
#include <set>

using namespace tawara;
using namespace tawara::fake;

namespace {

/// A saw of 2 mV every 800 ms, in the lead k times (k + 1): its value says the time.
double saw(double t, int lead)
{
    return (lead + 1) * 2 * std::fmod(t, 800) / 800;
}

void feed(EcgPlot& p, double from, double to)
{
    std::vector<double> t;
    std::vector<std::vector<float>> mV(static_cast<std::size_t>(p.leads().size()));
    for (double x = from; x <= to; ++x) {
        t.push_back(x);
        for (std::size_t l = 0; l < mV.size(); ++l)
            mV[l].push_back(static_cast<float>(saw(x, static_cast<int>(l))));
    }
    p.append(t, mV);
}

void wheel(EcgPlot& p, double notches)
{
    const QPointF at = p.traceArea(0).center();
    QWheelEvent e(at, p.mapToGlobal(at), {}, {0, static_cast<int>(120 * notches)}, Qt::NoButton, {},
                  Qt::NoScrollPhase, false);
    QApplication::sendEvent(&p, &e);
}

void move(EcgPlot& p, const QPointF& at, Qt::MouseButtons held = Qt::NoButton)
{
    QMouseEvent e(QEvent::MouseMove, at, p.mapToGlobal(at), Qt::NoButton, held, {});
    QApplication::sendEvent(&p, &e);
}

QPoint place(const EcgPlot& p, int lead, double part)
{
    const QRectF r = p.traceArea(lead);
    return QPointF(r.left() + part * r.width(), r.center().y()).toPoint();
}

} // namespace

class TestEcgPlot : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// A sweep: left of the beam this turn, right of it the one before; as it is drawn.
    void aPlaceOfTheSweepHasTheTimeDrawnThere()
    {
        EcgPlot plot;
        plot.resize(1000, 200);
        plot.setLeads({"II"});
        QVERIFY(!plot.timeAt({2, 100})); // beside the traces
        feed(plot, 0, 1000);
        const QRectF r = plot.traceArea(0);
        const auto at = [&](double part) {
            return plot.timeAt({r.left() + part * r.width(), r.center().y()}).value_or(-1);
        };
        QCOMPARE(at(0.2), 500.0);
        QCOMPARE(at(0.8), 2000.0); // nothing yet
        QVERIFY(!plot.valueAt(0, at(0.8)));
        feed(plot, 1001, 6000); // the beam is at 1000 of the third turn
        QVERIFY(std::abs(at(0.2) - 5500) < 1e-6);
        QVERIFY(std::abs(at(0.39) - 5975) < 1e-6);
        QVERIFY(std::abs(at(0.41) - 3525) < 1e-6);
        QVERIFY(std::abs(at(0.8) - 4500) < 1e-6);
        // what is drawn there says the same: the steps of the saw, by their ink, are at its times
        const QImage image = plot.grab().toImage();
        const double middle = r.center().y();
        int found = 0;
        for (int x = static_cast<int>(r.left()) + 3; x < r.right() - 45; ++x) {
            const double time = *plot.timeAt({x + 0.5, middle});
            const double up = 2 * std::fmod(time, 800) / 800; // of the saw, above the middle
            const double y = middle - up * plot.scale().gain * plot.scale().pixelsPerMm;
            const bool step = std::fmod(time, 800) < 12 || std::fmod(time, 800) > 788;
            const bool beam = std::abs(time - 6000) < 30 || (time > 3490 && time < 3640);
            if (step || beam)
                continue;
            bool ink = false;
            for (int d = -2; d <= 2; ++d) {
                const QColor c = image.pixelColor(x, static_cast<int>(std::round(y)) + d);
                ink = ink || (c.green() > c.red() + 40) || c.lightness() < 110;
            }
            QVERIFY2(ink, qPrintable(QString("x %1 t %2").arg(x).arg(time)));
            ++found;
        }
        QVERIFY(found > 700);
    }

    /// The sheet, and a strip that looks back, are linear.
    void aPlaceOfTheSheetHasTheTimeDrawnThere()
    {
        EcgPlot plot;
        plot.resize(1000, 300);
        plot.setLeads(twelve);
        plot.setLayout(EcgPlot::Layout::sheet);
        feed(plot, 0, 6000);
        for (const int lead : {0, 7, 11}) {
            QCOMPARE(plot.leadAt(place(plot, lead, 0.5)), lead);
            const QRectF r = plot.traceArea(lead);
            for (const double part : {0.1, 0.5, 0.9})
                QVERIFY(std::abs(*plot.timeAt({r.left() + part * r.width(), r.center().y()}) -
                                 (4800 + part * 1200)) < 1e-6);
        }
        plot.setLayout(EcgPlot::Layout::strip);
        plot.setShown({"II"});
        QTest::mousePress(&plot, Qt::LeftButton, {}, place(plot, 1, 0.2));
        move(plot, place(plot, 1, 0.203), Qt::LeftButton);
        QVERIFY2(plot.following(), "a hand is not that still");
        move(plot, place(plot, 1, 0.6), Qt::LeftButton); // 0.4 of 2500 ms back
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, place(plot, 1, 0.6));
        QVERIFY(!plot.following());
        QVERIFY(std::abs(*plot.timeAt(plot.traceArea(1).center()) - (5000 - 1250)) < 6);
        feed(plot, 6001, 7000); // it stands still while the run goes on
        QVERIFY(std::abs(*plot.timeAt(plot.traceArea(1).center()) - (5000 - 1250)) < 6);
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, place(plot, 1, 0.5));
        QVERIFY(plot.following());
    }

    void theWheelChangesThePaperSpeed()
    {
        EcgPlot plot;
        plot.resize(900, 200);
        plot.setLeads({"II"});
        feed(plot, 0, 9000);
        QCOMPARE(plot.windowMs(), 2500.0);
        std::set<double> passed;
        for (int k = 0; k < 12; ++k) {
            const double before = plot.windowMs();
            wheel(plot, 1);
            QVERIFY(plot.windowMs() < before);
            QVERIFY(plot.windowMs() > 0.79 * before);
            passed.insert(std::round(10 * plot.paperSpeed()) / 10);
        }
        QVERIFY(passed.count(100) && passed.count(200));
        for (int k = 0; k < 26; ++k) {
            wheel(plot, -1);
            passed.insert(std::round(10 * plot.paperSpeed()) / 10);
            if (std::abs(plot.paperSpeed() - 25) < 1e-6) {
                QVERIFY2(plot.caption().startsWith("25 mm/s"), qPrintable(plot.caption()));
                // then squares are squares: 200 ms as wide as 5 mm are high
                const double wide = plot.traceArea(0).width() * 200 / plot.windowMs();
                QVERIFY(std::abs(wide - 5 * plot.scale().pixelsPerMm) < 0.01);
            }
        }
        QString all;
        for (const double s : passed)
            all += QString::number(s) + QLatin1Char(' ');
        QVERIFY2(passed.count(50) && passed.count(25) && passed.count(12.5), qPrintable(all));
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, place(plot, 0, 0.5));
        QCOMPARE(plot.windowMs(), 2500.0);
        // strip and sheet have a length each
        wheel(plot, 3);
        plot.setLayout(EcgPlot::Layout::sheet);
        QCOMPARE(plot.windowMs(), 1200.0);
        wheel(plot, 1);
        QVERIFY(plot.windowMs() < 1200);
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, place(plot, 0, 0.5));
        QCOMPARE(plot.windowMs(), 1200.0);
    }

    /// What recorders print: squares of one size whatever the leads and the window are.
    void standardPaperHasStandardSquares()
    {
        EcgPanel panel;
        panel.resize(900, 300);
        panel.show();
        panel.setLeads(twelve + QStringList{"E1"});
        auto& plot = *panel.plot();
        auto* paper = panel.findChild<QToolButton*>("ecgPaper");
        auto* sheet = panel.findChild<QToolButton*>("ecgSheet");
        feedBeats(plot, 0, 1500);
        const double usual = plot.windowMs();
        paper->click();
        for (int k = 0; k < 4; ++k) {
            QApplication::processEvents();
            const auto s = plot.scale();
            QCOMPARE(s.gain, 10.0);
            QVERIFY(std::abs(plot.paperSpeed() - 25) < 1e-6);
            QVERIFY(s.pixelsPerMm >= 3 && s.pixelsPerMm < 5); // small squares are seen
            const double wide = plot.traceArea(1).width() * 200 / plot.windowMs();
            QVERIFY(std::abs(wide - 5 * s.pixelsPerMm) < 1e-6);
            QVERIFY2(plot.caption().startsWith("25 mm/s · 10 mm/mV · large squares: 200 ms, 0.5 "
                                               "mV · small ones: 40 ms, 0.1 mV"),
                     qPrintable(plot.caption()));
            const double before = plot.windowMs();
            wheel(plot, 2);
            QCOMPARE(plot.windowMs(), before);
            if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
                panel.grab().save(folder + QString("/paper-%1.png").arg(k));
            if (k == 0)
                sheet->click();
            else
                panel.resize(k == 1 ? QSize(500, 180) : QSize(1400, 700));
        }
        QVERIFY(plot.caption().contains("own leads: "));
        QVERIFY(plot.scale(true).gain < 10); // 30 mV
        QCOMPARE(panel.look()["paper"].toBool(), true);
        panel.setLook({{"sheet", false}});
        QVERIFY(!plot.paper());
        QCOMPARE(plot.windowMs(), usual);
    }

    void cursorsSayIntervalRateAndDifference()
    {
        EcgPlot plot;
        plot.resize(900, 240);
        plot.setLeads({"I", "II", "V1"});
        plot.setShown({"I", "V1"});
        feed(plot, 0, 2000);
        QVERIFY(plot.markLines().isEmpty());
        plot.setMark(0, 100);
        QCOMPARE(plot.markLines(), QStringList{"A  100.0 ms"});
        plot.setMark(1, 500);
        QCOMPARE(plot.markLines(),
                 (QStringList{"A  100.0 ms", "B  500.0 ms", "B − A  400.0 ms", "150.0 /min",
                              "I, B − A  1.000 mV", "V1, B − A  3.000 mV"}));
        plot.setMark(1, 100);
        QCOMPARE(plot.markLines().size(), 5); // no rate of nothing
        // a lead that came later has no value at A
        plot.setLeads({"I", "II"});
        plot.setShown({});
        plot.setMark(1, 500);
        std::vector<double> t;
        std::vector<std::vector<float>> mV(2);
        for (int k = 0; k <= 600; ++k) {
            t.push_back(k);
            mV[0].push_back(1);
            mV[1].push_back(k < 300 ? std::numeric_limits<float>::quiet_NaN() : 2);
        }
        plot.append(t, mV);
        QCOMPARE(plot.markLines().mid(4), QStringList{"I, B − A  0.000 mV"});
        plot.setMark(0, -1e4); // both out of the window
        plot.setMark(1, -1e4);
        QVERIFY(plot.markLines().isEmpty());
    }

    /// Shift + click sets A, then B, then the nearer; a drag on its line moves it; right click
    /// takes both away.
    void cursorsAreSetAndDragged()
    {
        EcgPlot plot;
        plot.resize(1000, 240);
        plot.setLeads({"II", "V1"});
        feed(plot, 0, 2400);
        const auto shift = [&](double part) {
            QTest::mouseClick(&plot, Qt::LeftButton, Qt::ShiftModifier, place(plot, 1, part));
        };
        shift(0.2);
        QVERIFY(std::abs(*plot.mark(0) - 500) < 3 && !plot.mark(1));
        shift(0.6);
        QVERIFY(std::abs(*plot.mark(1) - 1500) < 3);
        shift(0.3); // A is nearer
        QVERIFY(std::abs(*plot.mark(0) - 750) < 3 && std::abs(*plot.mark(1) - 1500) < 3);
        QTest::mousePress(&plot, Qt::LeftButton, {}, place(plot, 0, 0.6)); // in another lead
        move(plot, place(plot, 0, 0.7), Qt::LeftButton);
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, place(plot, 0, 0.7));
        QVERIFY(std::abs(*plot.mark(1) - 1750) < 3);
        QVERIFY(plot.following()); // no look back
        move(plot, place(plot, 0, 0.7));
        QCOMPARE(plot.cursor().shape(), Qt::SplitHCursor);
        move(plot, place(plot, 0, 0.5));
        QCOMPARE(plot.cursor().shape(), Qt::ArrowCursor);
        QTest::mouseClick(&plot, Qt::RightButton, {}, place(plot, 0, 0.5));
        QVERIFY(!plot.mark(0) && !plot.mark(1));
    }

    /// The action potentials' cursors are taken by a press on them as well.
    void theOtherPlotsCursorsAreDraggedLikewise()
    {
        TracePlot plot;
        plot.resize(600, 200); // 54 px and 14 px beside 500 ms
        plot.addCurve(1, "a", Qt::red);
        plot.append(1, std::vector<double>{0, 500}, std::vector<float>{-80, 20});
        plot.setMark(0, 250);
        QTest::mousePress(&plot, Qt::LeftButton, {}, {54 + 266, 90});
        QMouseEvent e(QEvent::MouseMove, QPointF(54 + 133, 90),
                      plot.mapToGlobal(QPointF(54 + 133, 90)), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&plot, &e);
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, {54 + 133, 90});
        QVERIFY(std::abs(*plot.mark(0) - 125) < 2);
        QVERIFY(plot.following());
    }

    /// They are drawn, in each lead and in the foot, which moves nothing.
    void cursorsAreSeen()
    {
        EcgPlot plot;
        plot.resize(900, 240);
        plot.setLeads(twelve);
        plot.setLayout(EcgPlot::Layout::sheet);
        feed(plot, 0, 1000);
        const QRectF before = plot.traceArea(7);
        const QImage without = plot.grab().toImage();
        plot.setMark(0, 300);
        plot.setMark(1, 700);
        QCOMPARE(plot.traceArea(7), before);
        const QImage with = plot.grab().toImage();
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            with.save(folder + "/cursors.png");
        const auto changed = [&](const QRectF& r) {
            int n = 0;
            for (int y = static_cast<int>(r.top()) + 1; y < r.bottom() - 1; ++y)
                for (int x = static_cast<int>(r.left()) + 1; x < r.right() - 1; ++x)
                    n += with.pixel(x, y) != without.pixel(x, y) ? 1 : 0;
            return n;
        };
        for (int lead = 0; lead < 12; ++lead) {
            const QRectF r = plot.traceArea(lead);
            for (const double ms : {300.0, 700.0}) {
                const double x = r.left() + ms / 1200 * r.width();
                QVERIFY2(changed({x - 3, r.top(), 6, r.height()}) > r.height() - 6,
                         qPrintable(QString("%1 %2").arg(lead).arg(ms)));
            }
            QVERIFY2(changed({r.right() - 80, r.top(), 80, 14}) > 60, "its difference");
        }
        QVERIFY(changed(QRectF(0, plot.captionArea().top(), 300, 14)) > 200);
    }

    void theMouseReadsTheLeadBeneath()
    {
        EcgPlot plot;
        plot.resize(1000, 240);
        plot.setLeads({"II", "V1"});
        feed(plot, 0, 2400);
        QVERIFY(plot.reading().isEmpty());
        move(plot, place(plot, 1, 0.2));
        const double time = *plot.timeAt(place(plot, 1, 0.2));
        QCOMPARE(plot.reading(), (QStringList{QString("%1 ms").arg(time, 0, 'f', 1),
                                              QString("V1  %1 mV").arg(saw(time, 1), 0, 'f', 3)}));
        QVERIFY(plot.accessibleDescription().contains(" mV"));
        move(plot, place(plot, 0, 0.99)); // nothing is there yet
        QCOMPARE(plot.reading().size(), 1);
        move(plot, {2, 100});
        QVERIFY(plot.reading().isEmpty());
    }

    /// All of it without a mouse.
    void keysDoWhatTheMouseDoes()
    {
        EcgPlot plot;
        plot.resize(1000, 240);
        plot.setLeads({"II", "V1"});
        feed(plot, 0, 2400);
        QVERIFY(plot.focusPolicy() & Qt::TabFocus);
        QCOMPARE(plot.accessibleName(), QString("Electrocardiogram"));
        QVERIFY(plot.accessibleDescription().contains("Enter sets a cursor"));
        QTest::keyClick(&plot, Qt::Key_Right); // shows the reading
        QVERIFY(plot.reading().value(1).startsWith("II"));
        const double start = plot.reading()[0].section(' ', 0, 0).toDouble();
        QTest::keyClick(&plot, Qt::Key_Right);
        const double one = plot.reading()[0].section(' ', 0, 0).toDouble() - start;
        QVERIFY(one > 1 && one < 4); // a pixel
        QTest::keyClick(&plot, Qt::Key_Return);
        QTest::keyClick(&plot, Qt::Key_Left, Qt::ControlModifier);
        QTest::keyClick(&plot, Qt::Key_Return);
        QVERIFY(plot.mark(0) && plot.mark(1));
        QVERIFY(std::abs(*plot.mark(0) - *plot.mark(1) - 10 * one) < 1.5);
        QVERIFY(plot.accessibleDescription().contains("/min"));
        QTest::keyClick(&plot, Qt::Key_Down);
        QVERIFY(plot.reading().value(1).startsWith("V1"));
        QTest::keyClick(&plot, Qt::Key_Backspace);
        QVERIFY(!plot.mark(0));
        const double window = plot.windowMs();
        QTest::keyClick(&plot, Qt::Key_Plus);
        QVERIFY(plot.windowMs() < window);
        QTest::keyClick(&plot, Qt::Key_PageUp);
        QVERIFY(!plot.following());
        QTest::keyClick(&plot, Qt::Key_Home);
        QVERIFY(plot.following());
        QTest::keyClick(&plot, Qt::Key_Home);
        QCOMPARE(plot.windowMs(), window);
    }

    /// Leads of a run before stay beneath those of the same name.
    void keptLeadsStayToCompareWith()
    {
        EcgPlot plot;
        plot.resize(1000, 200);
        QVERIFY(!plot.keep(true));
        plot.setLeads({"II"});
        feed(plot, 0, 2000);
        QVERIFY(plot.keep(true) && plot.caption().endsWith(" · dashed: kept"));
        plot.setLeads({"II"}); // anew
        feed(plot, 0, 1000);
        const QImage both = plot.grab().toImage();
        plot.setLeads({"V1"});
        feed(plot, 0, 1000);
        const QImage other = plot.grab().toImage();
        QVERIFY(plot.keeps()); // another lead is not drawn
        plot.keep(false);
        QVERIFY(!plot.caption().contains("kept"));
        const QRect trace = plot.traceArea(0).toRect();
        QCOMPARE(plot.grab().toImage().copy(trace), other.copy(trace));
        QVERIFY(both.copy(trace) != other.copy(trace));
    }
};

int main(int argc, char** argv)
{
    return fake::runWidgets<TestEcgPlot>(argc, argv);
}
#include "test_ecg_plot.moc"
