// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals in the panel of the electrocardiogram.
#include "tests/gui/ecg_beats.hpp"
#include "tests/gui/several.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/plots/ecg_plot.hpp"

#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QToolButton>

#include <cmath>
#include <limits>
#include <set>

using namespace tawara;
using namespace tawara::fake;

class TestEcgPanel : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Of the newest beat that has repolarised; what is not known is a dash, and the tip says why.
    void thePanelReadsTheIntervals()
    {
        EcgPanel panel;
        panel.resize(860, 240);
        panel.show();
        QVERIFY(panel.readings().isEmpty());
        panel.setLeads(twelve + QStringList{"E1"});
        auto* label = panel.findChild<QLabel*>("ecgReadings");
        feedBeats(*panel.plot(), 0, 300);
        QTRY_COMPARE(panel.readings(), QString("QRS 73 ms · QT – · RR – · QTcF –"));
        QVERIFY2(label->toolTip().contains("QT –: no repolarisation yet"),
                 qPrintable(label->toolTip()));
        QVERIFY(label->toolTip().contains("RR –: no beat before it"));
        QVERIFY(Qt::mightBeRichText(label->toolTip())); // else it is one line across the screen
        feedBeats(*panel.plot(), 301, 1100);
        QTRY_COMPARE(panel.readings(),
                     QString("QRS 73 ms · QT 418 ms · RR – · QTcF –")); // the first beat
        feedBeats(*panel.plot(), 1101, 1500);
        QTRY_COMPARE(panel.readings(), QString("QRS 73 ms · QT 418 ms · RR 800 ms · QTcF 451 ms"));
        QVERIFY(label->toolTip().contains("Beat at 9"));
        QVERIFY(label->toolTip().contains("Resolution 1 ms"));
        QCOMPARE(panel.plot()->ends().size(), std::size_t{2});
        const auto ends = panel.plot()->ends()[1];
        QVERIFY(std::abs(ends[0] - 913.6) < 1 && std::abs(ends[1] - 986.4) < 1 &&
                std::abs(ends[2] - 1331.5) < 1);
        panel.plot()->setMoment(400); // of a replay: the beat that is shown
        QTRY_COMPARE(panel.readings(), QString("QRS 73 ms · QT 418 ms · RR – · QTcF –"));
        panel.addPulse(915.5); // which brought the second: it begins with that
        panel.plot()->setMoment({});
        QTRY_COMPARE(panel.readings(), QString("QRS 71 ms · QT 416 ms · RR 802 ms · QTcF 448 ms"));
        for (const double ms : {100.0, 1000.0}) { // how much is shown changes no beat
            panel.plot()->setWindowMs(ms);
            QTRY_COMPARE(panel.readings(),
                         QString("QRS 71 ms · QT 416 ms · RR 802 ms · QTcF 448 ms"));
            QCOMPARE(panel.plot()->ends().size(), std::size_t{2});
        }
        panel.clearPulses();
        panel.setActivated(false); // what moves the leads is no beat
        panel.plot()->setMoment(400);
        QTRY_COMPARE(panel.readings(), QString("QRS – · QT – · RR – · QTcF –"));
        QVERIFY(label->toolTip().contains("no tissue was activated"));
        panel.setActivated(true);
        panel.plot()->setMoment({});
        QTRY_COMPARE(panel.readings(), QString("QRS 73 ms · QT 418 ms · RR 800 ms · QTcF 451 ms"));
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            panel.grab().save(folder + "/readings.png");
        panel.resize(500, 240); // it takes what place there is
        QApplication::processEvents();
        QCOMPARE(panel.width(), 500);
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            panel.grab().save(folder + "/readings-narrow.png");
    }

    /// All of them can be read, however wide the panel is and whatever stands beside its buttons.
    void theIntervalsAreWholeInNarrowPanels()
    {
        EcgPanel panel;
        simulation::Session s;
        s.electrodes = {{"E1", {0, 0, 100}}, {"V2", {0, 20, 100}}};
        s.leads.kind = simulation::Leads::Kind::list;
        s.leads.list = {{"mine", {{"V2", 1}}}};
        panel.setSession(s);
        panel.resize(1272, 240);
        panel.show();
        auto* label = panel.findChild<QLabel*>("ecgReadings");
        QVERIFY2(!label->isVisible(), "without leads its room is the plot's");
        panel.setLeads(twelve + QStringList{"E1"});
        feedBeats(*panel.plot(), 0, 1500);
        QTRY_COMPARE(panel.readings(), QString("QRS 73 ms · QT 418 ms · RR 800 ms · QTcF 451 ms"));
        for (const int width : {1272, 940, 700, 460}) {
            panel.resize(width, 240);
            QApplication::processEvents();
            QCOMPARE(panel.width(), width);
            QVERIFY(label->isVisible() &&
                    panel.rect().contains(QRect(label->mapTo(&panel, QPoint()), label->size())));
            const int wanted = label->fontMetrics().horizontalAdvance(label->text());
            QVERIFY2(label->width() >= wanted && label->height() >= label->fontMetrics().height(),
                     qPrintable(QStringLiteral("%1: %2 x %3 for %4")
                                    .arg(width)
                                    .arg(label->width())
                                    .arg(label->height())
                                    .arg(wanted)));
        }
        panel.setLeads({});
        QVERIFY(!label->isVisible());
    }

    /// Leads that come when a run is under way, or over, have no samples: when these come is said.
    void leadsWithoutSamplesSayWhenTheyBegin()
    {
        EcgPanel panel;
        panel.resize(700, 300);
        panel.show();
        auto* plot = panel.plot();
        const auto picture = [plot] { return plot->grab().toImage(); };
        panel.setTime(600, true);
        QCOMPARE(plot->waiting(), QString()); // no leads: the plot says how to get some
        panel.setLeads({"I", "II"});
        QVERIFY2(plot->waiting().startsWith("The run ended without these leads"),
                 qPrintable(plot->waiting()));
        const QImage ended = picture();
        // names stand beside the text or are left out, never beneath it
        for (const int width : {360, 700}) {
            plot->resize(width, 120);
            const QRectF names(0, 0, plot->traceArea(0).left() - 1, plot->height());
            QVERIFY(!names.intersects(plot->waitingArea()));
        }
        panel.setTime(600, false);
        QVERIFY(plot->waiting().startsWith("These leads begin with the next steps of the run. Back "
                                           "to the start"));
        QVERIFY(picture() != ended);
        panel.setTime(0, false);
        QCOMPARE(plot->waiting(), QString("These leads begin with the next steps of the run."));
        plot->append(std::vector<double>{601.0}, {{0.1F}, {0.2F}});
        QCOMPARE(plot->waiting(), QString());
    }

    /// Samples that another conductor has no use for go only when somebody said so.
    void recordedLeadsAreNotDroppedUnasked()
    {
        EcgPanel panel;
        panel.show();
        simulation::Session s;
        s.leads.kind = simulation::Leads::Kind::twelve_lead;
        s.leads.conductor = simulation::Leads::Conductor::unbounded;
        panel.setSession(s);
        panel.setLeads({"I", "II"});
        QStringList edits;
        connect(&panel, &EcgPanel::edited, this,
                [&](const QString& what, const auto&, const QString&) { edits << what; });
        auto* torso = panel.findChild<QToolButton*>("ecgTorso");
        const auto asked = [&] { return panel.findChild<QMessageBox*>("ecgLoss"); };
        torso->click(); // nothing is lost yet
        QCOMPARE(edits, QStringList{"ECG in a torso"});
        panel.setSession(s);
        panel.plot()->append(std::vector<double>{1.0}, {{0.1F}, {0.2F}});
        for (const auto answer : {QMessageBox::Cancel, QMessageBox::Discard}) {
            torso->click();
            QVERIFY(asked() != nullptr && !torso->isChecked());
            asked()->button(answer)->click();
            QTRY_VERIFY(asked() == nullptr);
        }
        panel.findChild<QToolButton*>("twelveLeads")->click();
        QVERIFY(asked() != nullptr);
        asked()->button(QMessageBox::Cancel)->click();
        QCOMPARE(edits, (QStringList{"ECG in a torso", "ECG in a torso"}));
    }

    /// A mark on the trace at the beginning and the end of QRS and at the end of T; none on own
    /// leads.
    void theIntervalsEndsAreMarked()
    {
        EcgPlot plot;
        plot.resize(900, 240);
        plot.setLeads({"II", "E1"});
        plot.setOwn(1);
        feedBeats(plot, 0, 700);
        const QImage without = plot.grab().toImage();
        plot.setEnds({{113.6, 186.4, std::numeric_limits<double>::quiet_NaN()}, {500, 530, 600}});
        const QImage with = plot.grab().toImage();
        std::set<int> columns[2];
        for (int lead = 0; lead < 2; ++lead) {
            const QRectF r = plot.traceArea(lead);
            for (int y = static_cast<int>(r.top()); y < r.bottom(); ++y)
                for (int x = static_cast<int>(r.left()); x < r.right(); ++x)
                    if (with.pixel(x, y) != without.pixel(x, y))
                        columns[lead].insert(x);
        }
        QVERIFY(columns[1].empty());
        const QRectF r = plot.traceArea(0);
        int near = 0;
        for (const double ms : {113.6, 186.4, 500.0, 530.0, 600.0})
            for (int d = -2; d <= 2; ++d)
                near += static_cast<int>(columns[0].erase(
                    static_cast<int>(std::floor(r.left() + ms / 2500 * r.width())) + d));
        QVERIFY(near >= 10);
        QVERIFY(columns[0].empty());
    }
};

static const fake::Further<TestEcgPanel> further;
#include "test_ecg_panel.moc"
