// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of results: views, ECG, beats, curves, performance, the timeline.
#include "tests/gui/cell_of.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/bullseye_plot.hpp"
#include "widgets/plots/roofline_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include <cmath>

using namespace tawara;
using State = simulation::Status::State;

class TestPanelsOfResults : public fake::WindowTest
{
    Q_OBJECT
    const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};

  private Q_SLOTS:
    void linkedViewsShowDifferentThings()
    {
        f->start(true);
        auto* panel = child<ViewPanel>();
        auto s = panel->settings();
        s.count = 4;
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
        QCOMPARE(f->window->views()->count(), 4);
        QTRY_VERIFY(f->posted<simulation::WatchMaps>().size() == 1);
        QTRY_VERIFY(!f->window->viewController()->values(Quantity::activation).empty());
        auto* first = f->window->views()->view(0);
        const QPoint c(first->width() / 2, first->height() / 2);
        f->window->setMode(ClickMode::rotate);
        QTest::mousePress(first, Qt::LeftButton, {}, c);
        QTest::mouseMove(first, c + QPoint(40, 10));
        QTest::mouseRelease(first, Qt::LeftButton, {}, c + QPoint(40, 10));
        QCOMPARE(f->window->views()->view(3)->scene().camera().position,
                 first->scene().camera().position);
        s.count = 1;
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
        QCOMPARE(f->window->views()->count(), 1);
        QTRY_COMPARE(f->posted<simulation::WatchMaps>().size(), 2U);
        QVERIFY2(!newest<simulation::WatchMaps>().on, "nothing shows them any more");
    }

    void phaseAndOwnColours()
    {
        f->start(true);
        auto* quantity = child<QComboBox>("quantity");
        quantity->setCurrentIndex(static_cast<int>(Quantity::phase));
        Q_EMIT quantity->activated(static_cast<int>(Quantity::phase));
        QTRY_VERIFY(!f->window->viewController()->values(Quantity::phase).empty());
        quantity->setCurrentIndex(0);
        Q_EMIT quantity->activated(0);
        QTest::mouseClick(child<QPushButton>("ownMap"), Qt::LeftButton);
        const auto s = child<ViewPanel>()->settings();
        QCOMPARE(s.customMaps.size(), 1);
        QCOMPARE(s.style(Quantity::potential).map, s.customMaps.firstKey());
        QCOMPARE(ViewSettings::fromJson(s.toJson()), s);
    }

    void ecgRuns()
    {
        f->start(true);
        f->window->raisePanel("ecgDock");
        QTest::mouseClick(child<QToolButton>("twelveLeads"), Qt::LeftButton);
        QTRY_COMPARE(child<EcgPanel>()->plot()->leads().size(), 12);
        QTRY_VERIFY(child<EcgPanel>()->plot()->sampleCount() > 20);
        QTest::mouseClick(child<QToolButton>("ecgSheet"), Qt::LeftButton);
        QCOMPARE(child<EcgPanel>()->plot()->ecgLayout(), EcgPlot::Layout::sheet);
        QTest::mouseClick(child<QToolButton>("placeElectrode"), Qt::LeftButton);
        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front));
        QTRY_COMPARE(session().electrodes.size(), 1U);
        QVERIFY(norm(session().electrodes[0].position_mm - front) > 10);
        QVERIFY2(f->posted<simulation::Stimulate>().empty(), "the click was for the electrode");
    }

    void beatsAreListed()
    {
        f->start(true);
        f->window->document()->addProbe("A", {0, 0, -60});
        f->window->raisePanel("beatsDock");
        auto* table = child<QTableView>("beats");
        QTRY_COMPARE_WITH_TIMEOUT(rows_of(table), 3, 10000);
        QCOMPARE(cell_of(table, 1, 4).toString(), QString("258.0"));
        QCOMPARE(cell_of(table, 0, 7).toString(), QString("–"));
        QCOMPARE(cell_of(table, 0, 9).toString(), QString("S1"));
        QCOMPARE(cell_of(table, 2, 9).toString(), QString("S2, 500 ms (?)"));
        f->host->removeProbe(f->window->probes()->entries().at(0).id); // its beats go with it
        QTRY_COMPARE(rows_of(table), 0);
        f->window->document()->addProbe("B", {0, 0, -60});
        QTRY_COMPARE_WITH_TIMEOUT(rows_of(table), 3, 10000);
        f->window->open({}); // another tissue, without probes
        QTRY_COMPARE_WITH_TIMEOUT(rows_of(table), 0, 10000);
    }

    /// What stands beside the curves is of the time beneath the mouse, or between the cursors, and
    /// of the run that is shown.
    void probesFollowTheirPlot()
    {
        f->start(true);
        for (const char* name : {"A", "B", "C", "D"})
            f->window->document()->addProbe(name, {0, 0, -60});
        const QAbstractItemModel* model = f->window->probes();
        QTRY_COMPARE(model->rowCount(), 4);
        auto* plot = child<TracePlot>();
        const auto title = [&] { return model->headerData(1, Qt::Horizontal).toString(); };
        const auto value = [&] { return model->data(model->index(0, 1)).toString(); };
        const auto& probes = f->window->probes()->entries();
        const quint64 first = probes.at(0).id;
        QTRY_VERIFY(plot->sampleCount(first).value_or(0) > 40);
        double t = 0; // [ms] the first that is known; the run goes on, and probes came later
        while (t < 1000 && !plot->valueAt(first, t))
            t += 0.5;
        QCOMPARE(title(), QString("V now"));
        plot->setMark(0, t);
        plot->setMark(1, t + 0.5);
        QCOMPARE(title(), QString("B − A"));
        QVERIFY2(value().endsWith(" mV"), qPrintable(value()));
        plot->setMark(1, 1e6); // not there yet
        QCOMPARE(value(), QString("–"));
        plot->setMark(1, t + 0.5);
        auto* keep = f->window->findChild<QAction*>("keepCurves");
        keep->trigger();
        QString cleared; // the values of the run before are no values of the next
        connect(f->host.get(), &EngineHost::samplesCleared, this, [&] { cleared = value(); });
        f->host->reset();
        QTRY_COMPARE(cleared, QString("–"));
        f->host->removeProbe(probes.at(3).id);
        QTRY_COMPARE(title(), QString("V now")); // three have room in the plot
        QVERIFY(keep->isChecked());
        auto* ecg = child<EcgPanel>()->plot();
        ecg->setMark(0, 1);
        f->window->open({}); // another document
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), 0, 10000);
        QVERIFY(!plot->mark(0) && !ecg->mark(0) && title() == "V now");
        QVERIFY(!keep->isChecked());
    }

    void bullseyeSaysWhyItIsEmpty()
    {
        f->start();
        auto* plot = child<ViewPanel>()->findChild<BullseyePlot*>(); // studies have one, too
        QTRY_VERIFY(plot->reason().contains("no left ventricle"));   // of a bowl
    }

    void performanceShowsKernels()
    {
        f->start(true);
        f->window->raisePanel("performanceDock");
        QTRY_COMPARE_WITH_TIMEOUT(child<QTableWidget>("kernels")->rowCount(), 3, 10000);
        // a column is never blank: where nothing was measured it says so, and how to
        const auto* table = child<QTableWidget>("kernels");
        const auto* known = table->item(0, 2);
        QVERIFY2(known->text().endsWith(" %") || known->text() == "not measured",
                 qPrintable(known->text()));
        QTRY_COMPARE_WITH_TIMEOUT(child<RooflinePlot>("roofline")->pointCount(), 2U, 10000);
        QTest::mouseClick(child<QPushButton>("measureCeilings"), Qt::LeftButton);
        QTRY_VERIFY(child<QLabel>("ceilings")->text().contains("GB/s triad"));
        QTest::mouseClick(child<QPushButton>("showPartition"), Qt::LeftButton);
        QCOMPARE(f->window->viewController()->settings().shownIn(0), Quantity::partition);
    }

    void timelineLooksBack()
    {
        f->start(true);
        QTRY_VERIFY(f->posted<simulation::StartRecording>().size() == 1);
        QTRY_VERIFY(f->host->recording() && f->host->recording()->frame_count() > 30);
        auto* line = child<Timeline>("timeline");
        Q_EMIT line->scrubbed(10);
        QVERIFY(f->window->viewController()->lookingBack());
        QVERIFY(line->shown() && std::abs(*line->shown() - 10) < 2);
        QCOMPARE(child<QTableView>("probes")->model()->headerData(1, Qt::Horizontal).toString(),
                 QString("V then"));
        QCOMPARE(f->host->status().state, State::running);
        const auto now = f->host->frame()->time_ms;
        QTRY_VERIFY(f->host->frame()->time_ms > now + 5); // the run goes on
        QVERIFY(f->window->viewController()->lookingBack());
        Q_EMIT line->followRequested();
        QVERIFY(!f->window->viewController()->lookingBack());
    }
};

static const fake::Further<TestPanelsOfResults> further;
#include "test_panels_of_results.moc"
