// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of beats: the order of its rows, what paced them, what its plot is labelled with, its
// hint.
#include "tests/gui/cell_of.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/plots/scatter_plot.hpp"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>

#include <limits>

using namespace tawara;

class TestBeatsPanel : public fake::WindowTest
{
    Q_OBJECT
    static constexpr int at = 1, apd90 = 4, diastole = 7; // columns

    /// Beats with these times and APD90; the first has no diastolic interval.
    static BeatsPanel::Entry beatsOf(const QString& probe, const std::vector<double>& times_ms,
                                     const std::vector<double>& apd90_ms)
    {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        BeatsPanel::Entry e{probe, QColor(Qt::red), {}};
        for (std::size_t k = 0; k < times_ms.size(); ++k)
            e.beats.push_back({times_ms[k], 250, -85, 30, 115, 5, 7, apd90_ms[k],
                               k == 0 ? none : 100.0 - static_cast<double>(k), 350});
        return e;
    }
    static QStringList column(const QTableView* table, int k)
    {
        QStringList out;
        for (int row = 0; row < rows_of(table); ++row)
            out << cell_of(table, row, k).toString();
        return out;
    }
    static void clickTitle(QTableView* table, int k)
    {
        auto* header = table->horizontalHeader();
        const QPoint middle(header->sectionViewportPosition(k) + header->sectionSize(k) / 2,
                            header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, middle);
    }
    static ScatterPlot::Series seriesOf(const QString& name)
    {
        return {name, QColor(Qt::red), {QPointF(100, 200), QPointF(200, 250)}, false};
    }

  private Q_SLOTS:
    /// By numbers and not by their texts; what is not known comes last either way.
    void aClickOnATitleSorts()
    {
        BeatsPanel panel;
        panel.resize(1000, 400);
        const std::vector<BeatsPanel::Entry> entries{beatsOf("P1", {10, 610, 1110}, {100, 9.5, 20}),
                                                     beatsOf("P2", {12, 700}, {19, 300})};
        const std::vector<simulation::TissueEdit> edits{{650, "drug Dofetilide given"}};
        panel.setBeats(entries, edits);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* table = panel.table();
        const QStringList before = column(table, 0);
        QCOMPARE(before.size(), 7); // two rows say what was changed
        clickTitle(table, apd90);
        QCOMPARE(column(table, apd90), (QStringList{"9.5", "19.0", "20.0", "100.0", "300.0"}));
        QCOMPARE(column(table, 0), (QStringList{"P1", "P2", "P1", "P1", "P2"}));
        QVERIFY(table->selectionModel()->selectedRows().isEmpty());
        const auto title = [table](int k) {
            return table->model()->headerData(k, Qt::Horizontal).toString();
        };
        QCOMPARE(title(apd90), QString("APD90 ▲\n(ms)"));
        for (int row = 0; row < rows_of(table); ++row)
            QCOMPARE(table->columnSpan(row, 0), 1);
        clickTitle(table, apd90);
        QCOMPARE(column(table, apd90), (QStringList{"300.0", "100.0", "20.0", "19.0", "9.5"}));
        QCOMPARE(title(apd90), QString("APD90 ▼\n(ms)"));
        table->selectAll();
        panel.findChild<QAction*>("copyBeats")->trigger(); // as it stands there
        const auto lines = QGuiApplication::clipboard()->text().split('\n');
        QVERIFY2(lines[0].contains("APD90 (ms)") && lines[1].contains("300.0"),
                 qPrintable(lines[0]));
        for (const bool down : {false, true}) {
            clickTitle(table, diastole);
            QCOMPARE(column(table, diastole).mid(3), (QStringList{"–", "–"}));
            QCOMPARE(column(table, diastole).front(), QString(down ? "99.0" : "98.0"));
        }
        clickTitle(table, diastole); // as the beats came
        QCOMPARE(column(table, 0), before);
        QCOMPARE(title(diastole), QString("Diastole\n(ms)"));
        QCOMPARE(table->columnSpan(2, 0), BeatsModel::columns);
        clickTitle(table, at);
        QCOMPARE(column(table, 0), (QStringList{"P1", "P2", "P1", "P2", "P1"}));
        table->selectRow(4); // that of 1110 ms
        auto more = entries; // a beat that comes takes its place, and that stays selected
        more[1] = beatsOf("P2", {12, 700, 900}, {19, 300, 50});
        panel.setBeats(more, edits);
        QCOMPARE(column(table, 0), (QStringList{"P1", "P2", "P1", "P2", "P2", "P1"}));
        const auto selected = table->selectionModel()->selectedRows();
        QVERIFY(selected.size() == 1 && selected[0].row() == 5);
        clickTitle(table, 0);
        QCOMPARE(column(table, 0), (QStringList{"P1", "P1", "P1", "P2", "P2", "P2"}));
    }

    /// Kind, interval of what is premature, whether it captured; the site where there are several.
    void aBeatSaysWhatPacedIt()
    {
        constexpr int paced = BeatsModel::paced_by;
        BeatsPanel panel;
        auto e = beatsOf("P1", {10, 410, 730, 1020, 1300, 1600, 1900},
                         {250, 240, 220, 200, 210, 210, 210});
        e.beats[0].paced_by = {"Apex", "S1", 0, 0, true};
        e.beats[1].paced_by = {"Apex", "S1", 400, 400, true};
        e.beats[2].paced_by = {"Apex", "S2", 720, 320, true};
        e.beats[3].paced_by = {"Apex", "S3", 1010, 290.25, false};
        e.beats[4].paced_by = {"Apex", "Pace now", 1290, 280, {}};
        e.beats[5].paced_by = {"click", "", 1595, 0, true};
        panel.setBeats({e}, {});
        const auto* table = panel.table();
        QCOMPARE(column(table, paced),
                 (QStringList{"S1", "S1", "S2, 320 ms", "S3, 290.3 ms, not captured",
                              "Pace now (?)", "click", "–"}));
        const auto tip = [table](int row) {
            return cell_of(table, row, paced, Qt::ToolTipRole).toString();
        };
        QCOMPARE(tip(0), QString("S1 of Apex at 0 ms. The pulse captured."));
        QCOMPARE(tip(2), QString("S2 of Apex at 720 ms, 320 ms after the pulse before at this "
                                 "site. The pulse captured."));
        QVERIFY2(tip(3).contains("did not capture: its current alone"), qPrintable(tip(3)));
        QVERIFY2(tip(4).endsWith("Whether the pulse captured is not known."), qPrintable(tip(4)));
        QVERIFY2(tip(5).startsWith("Pulse of a click at "), qPrintable(tip(5)));
        QVERIFY2(tip(6).startsWith("No pulse of a site or a click"), qPrintable(tip(6)));
        panel.table()->selectAll();
        panel.findChild<QAction*>("copyBeats")->trigger();
        const auto lines = QGuiApplication::clipboard()->text().split('\n');
        QVERIFY2(lines[0].endsWith("\tPaced by") && lines[3].endsWith("\tS2, 320 ms"),
                 qPrintable(lines[0] + lines[3]));
        for (auto& b : e.beats)
            if (b.paced_by)
                b.paced_by->of_several = true;
        e.beats[1].paced_by->kind.clear(); // a plain train has no other name
        panel.setBeats({e}, {});
        QCOMPARE(column(table, paced), (QStringList{"Apex: S1", "Apex", "Apex: S2, 320 ms",
                                                    "Apex: S3, 290.3 ms, not captured",
                                                    "Apex: Pace now (?)", "click", "–"}));
    }
    /// By site, S1 before S2, those by interval; beats that no pulse made come last either way.
    void pulsesSort()
    {
        constexpr int paced = BeatsModel::paced_by;
        BeatsPanel panel;
        auto e = beatsOf("P1", {10, 300, 600, 900, 1200, 1500, 1800},
                         {250, 240, 220, 200, 210, 210, 210});
        e.beats[0].paced_by = {"B", "S1", 0, 0, true, true};
        e.beats[2].paced_by = {"A", "S10", 590, 90, true, true};
        e.beats[3].paced_by = {"A", "S2", 890, 320, true, true};
        e.beats[4].paced_by = {"A", "S2", 1190, 90, true, true};
        e.beats[5].paced_by = {"A", "Pace now", 1490, 50, true, true};
        e.beats[6].paced_by = {"A", "S1", 1790, 600, true, true};
        panel.setBeats({e}, {});
        const QStringList sites{"A: S1",         "A: S2, 90 ms", "A: S2, 320 ms",
                                "A: S10, 90 ms", "A: Pace now",  "B: S1"};
        auto* model = panel.table()->model();
        model->sort(paced);
        QCOMPARE(column(panel.table(), paced), sites + QStringList{"–"});
        model->sort(paced, Qt::DescendingOrder);
        QCOMPARE(column(panel.table(), paced),
                 QStringList(sites.rbegin(), sites.rend()) + QStringList{"–"});
    }

    /// A title that is cut at both ends tells nothing.
    void titlesOfTheRestitutionPlotFit()
    {
        ScatterPlot plot("diastolic interval (ms)", "action potential duration (ms)", "none");
        plot.setShortTitles("DI (ms)", "APD90");
        plot.setSeries({seriesOf("A")});
        plot.resize(600, 300);
        QCOMPARE(plot.shownXTitle(), QString("diastolic interval (ms)"));
        QCOMPARE(plot.shownYTitle(), QString("action potential duration (ms)"));
        plot.resize(plot.minimumSizeHint());
        QCOMPARE(plot.shownXTitle(), QString("DI (ms)"));
        QCOMPARE(plot.shownYTitle(), QString("APD90"));
        constexpr int beside = 58 + 12; // of the axes
        QVERIFY(plot.fontMetrics().horizontalAdvance(plot.shownXTitle()) <= plot.width() - beside);
    }

    /// It names the series where there are several, and says how many have no room.
    void theLegendNamesTheProbes()
    {
        ScatterPlot plot("x", "y", "none");
        plot.resize(800, 400);
        plot.setSeries({seriesOf("A"), seriesOf("A")}); // of two tissues
        QCOMPARE(plot.legend(), QStringList());
        auto without = seriesOf("C");
        without.points.clear();
        plot.setSeries({seriesOf("A"), seriesOf("B"), without});
        QCOMPARE(plot.legend(), (QStringList{"A", "B"}));
        std::vector<ScatterPlot::Series> many;
        QStringList names;
        for (int k = 0; k < 30; ++k) {
            names << QStringLiteral("P%1").arg(k);
            many.push_back(seriesOf(names.back()));
        }
        plot.setSeries(many);
        QCOMPARE(plot.legend(), names);
        plot.resize(plot.minimumSizeHint());
        const QStringList shown = plot.legend();
        QVERIFY2(shown.size() >= 2 && shown.size() < 30, qPrintable(shown.join(' ')));
        QCOMPARE(shown.mid(0, shown.size() - 1), names.mid(0, shown.size() - 1));
        QCOMPARE(shown.back(), QStringLiteral("+%1").arg(names.size() - shown.size() + 1));
        const QImage with = plot.grab().toImage();
        plot.setSeries({seriesOf("P0")});
        QVERIFY2(plot.grab().toImage() != with, "it is drawn");
    }

    /// Who waits for a run that is over waits in vain.
    void theHintKnowsThatTheRunHasEnded()
    {
        BeatsPanel panel;
        const auto hint = [&panel] { return panel.findChild<QLabel*>("noBeats")->text(); };
        const std::vector<BeatsPanel::Entry> silent{beatsOf("P1", {}, {})};
        QVERIFY2(hint().contains("let the simulation run"), qPrintable(hint()));
        panel.setBeats(silent, {});
        QVERIFY2(hint().contains("Let the simulation run"), qPrintable(hint()));
        panel.setEnded(true);
        QVERIFY2(hint().startsWith("The run has ended, and no beat was found"), qPrintable(hint()));
        QVERIFY(!hint().contains("simulation run") && !hint().contains("yet"));
        panel.setBeats({}, {});
        QVERIFY2(hint().startsWith("The run has ended, and there is no probe. Place one (P)"),
                 qPrintable(hint()));
        QVERIFY(!hint().contains("simulation run"));
        panel.setEnded(false); // it was made longer, or is back at the start
        panel.setBeats(silent, {});
        QVERIFY2(hint().contains("Let the simulation run"), qPrintable(hint()));
    }

    void theWindowTellsTheHintOfTheEnd()
    {
        f->start();
        const auto hint = [this] { return child<QLabel>("noBeats")->text(); };
        QVERIFY2(hint().contains("simulation run"), qPrintable(hint()));
        auto s = f->host->status();
        s.state = simulation::Status::State::finished;
        Q_EMIT f->host->statusPolled(s);
        QVERIFY2(hint().contains("The run has ended"), qPrintable(hint()));
    }
};

static const fake::Further<TestBeatsPanel> further;
#include "test_beats_panel.moc"
