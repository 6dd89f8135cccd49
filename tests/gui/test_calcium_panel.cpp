// SPDX-License-Identifier: GPL-3.0-or-later
// A cell is chosen on the heart, and its dyads are shown while they are computed.
#include "app/export/movie_dialog.hpp"
#include "app/saving_controller.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/simulation/observe/dyad_frame.hpp"
#include "engine/simulation/observe/spark_log.hpp"
#include "tests/gui/overlap.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/movie/movie_reader.hpp"
#include "widgets/panels/calcium_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/plots/transient_plot.hpp"
#include "widgets/view3d/dyad_view.hpp"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QJsonDocument>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace tawara;

class TestCalciumPanel : public fake::WindowTest
{
    Q_OBJECT
    const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};

    CalciumPanel* panel() { return child<CalciumPanel>(); }
    /// Clicks on the heart with the tool that is chosen.
    void click() { QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front)); }
    /// A window in which a cell was chosen at 30 ms, 10 ms after it was paced.
    void chosen()
    {
        if (!f->shared)
            f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->free_running = false;
        f->start();
        f->host->runUntil(30);
        QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms >= 30);
        f->window->setMode(ClickMode::cell);
        click();
        QTRY_VERIFY_WITH_TIMEOUT(panel()->frame(), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(panel()->view() != nullptr && panel()->view()->picturesDrawn() > 0,
                                 20000);
    }
    void runTo(double ms)
    {
        f->host->runUntil(ms);
        [&] { QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms >= ms); }();
    }
    void scrub(double ms) { Q_EMIT child<TransportBar>()->timeline()->scrubbed(ms); }
    /// The picture of the view when what was asked for is drawn.
    QImage drawn()
    {
        auto* view = panel()->view();
        const auto before = view->picturesDrawn();
        view->schedule();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(view->picturesDrawn() > before, 20000); }();
        return view->grabFramebuffer();
    }

  private Q_SLOTS:
    void aClickChoosesACell()
    {
        f->start();
        f->window->raisePanel("calciumDock");
        auto* hint = child<QLabel>("noDyads");
        QTRY_VERIFY(hint->isVisible());
        QVERIFY(hint->text().startsWith("Choose a cell"));
        QVERIFY(panel()->view() == nullptr); // no OpenGL for nothing
        QTest::mouseClick(child<QPushButton>("chooseFirstCell"), Qt::LeftButton);
        QCOMPARE(f->window->mode(), ClickMode::cell);
        f->window->raisePanel("plotDock");
        click();
        QTRY_COMPARE(f->posted<simulation::WatchDyads>().size(), 1U);
        const auto asked = newest<simulation::WatchDyads>().cell_mm;
        QVERIFY(asked && norm(*asked - front) < 1);
        QVERIFY(f->posted<simulation::Stimulate>().empty());
        QTRY_VERIFY(panel()->isVisible()); // it came to the front
        QTRY_VERIFY_WITH_TIMEOUT(panel()->view() != nullptr && panel()->view()->picturesDrawn() > 0,
                                 20000);
        QVERIFY(child<QToolButton>("chooseCell")->isChecked());
        const auto markers = [&] {
            const auto d = f->window->view()->scene().written().names;
            return std::count_if(d.begin(), d.end(),
                                 [](const auto& n) { return n.text == "Cell"; });
        };
        QTRY_COMPARE(markers(), 1);
        press("chooseCell");
        QCOMPARE(f->window->mode(), ClickMode::stimulate);
        press("stopDyads");
        QTRY_VERIFY(hint->isVisible());
        QVERIFY(!newest<simulation::WatchDyads>().cell_mm);
        QTRY_COMPARE(markers(), 0);
    }

    void countsAndTransientsAreTheCells()
    {
        chosen();
        QVERIFY(panel()->view() != nullptr);
        const auto frame = panel()->frame();
        const auto& dyads = frame->picture.state.dyads;
        QVERIFY(dyads.active > 10); // a beat releases
        const auto* counts = child<QLabel>("dyadCounts");
        QTRY_VERIFY2(counts->text().contains(QString("40 × 5 × 5 dyads")),
                     qPrintable(counts->text()));
        QVERIFY2(counts->text().contains(QString("%1 of 1").arg(dyads.active)),
                 qPrintable(counts->text()));
        QVERIFY(counts->toolTip().startsWith("Cell at "));
        auto* plot = child<TransientPlot>("transients");
        QTRY_VERIFY(plot->reading(0));
        QCOMPARE(*plot->reading(5), static_cast<double>(frame->history.back().active));
        QCOMPARE(*plot->reading(0), static_cast<double>(frame->history.back().c_myo_uM));
        // under the pointer it is that of then
        QTest::mouseMove(plot, {7, plot->height() / 8});
        QTRY_VERIFY(*plot->reading(5) < 5);
        QVERIFY(std::abs(*plot->reading(0) - static_cast<double>(frame->history.front().c_myo_uM)) <
                1e-3);
        QCOMPARE(plot->span(), 1000.0);
        plot->setFocus();
        QTest::keyClick(plot, Qt::Key_Plus);
        QCOMPARE(plot->span(), 500.0);
        // the run goes on, and the panel with it
        f->host->runUntil(40);
        QTRY_VERIFY(panel()->frame() && panel()->frame()->time_ms >= 40);
        QCOMPARE(panel()->frame()->history.size(), std::size_t{40});
    }

    void whatIsChosenIsDrawn()
    {
        chosen();
        QVERIFY(panel()->view() != nullptr);
        const QImage cleft = drawn();
        child<QComboBox>("dyadQuantity")->setCurrentIndex(static_cast<int>(DyadQuantity::jsr));
        const QImage jsr = drawn();
        QVERIFY(fake::difference(cleft, jsr) > 1);
        press("dyadLayers");
        const QImage layers = drawn();
        QVERIFY(fake::difference(jsr, layers) > 3);
        press("dyadVolume");
        child<QComboBox>("dyadQuantity")->setCurrentIndex(0);
        QVERIFY(fake::difference(cleft, drawn()) < 0.5);
        // it turns by keys, and Home is its own
        auto* view = panel()->view();
        view->setFocus();
        for (int k = 0; k < 4; ++k)
            QTest::keyClick(view, Qt::Key_Right);
        QVERIFY(!view->scene().fitted());
        QVERIFY(fake::difference(cleft, drawn()) > 0.5);
        QTest::keyClick(view, Qt::Key_Home);
        QVERIFY(view->scene().fitted());
        QVERIFY(fake::difference(cleft, drawn()) < 0.5);
    }

    void lookGoesWithTheSession()
    {
        chosen();
        QVERIFY(panel()->view() != nullptr);
        child<QComboBox>("dyadQuantity")->setCurrentIndex(static_cast<int>(DyadQuantity::open));
        press("dyadLayers");
        const auto look = panel()->look();
        CalciumPanel other;
        QVERIFY(other.look() != look);
        other.setLook(look);
        QCOMPARE(other.look(), look);
        other.setLook({}); // nothing is said of it
        QCOMPARE(other.look()["quantity"].toString(), QString("open"));
    }

    void whyThereAreNoneIsSaid()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->refuse_dyads = "the cells there have no dyads; choose a place";
        f->start();
        f->window->setMode(ClickMode::cell);
        click();
        QTRY_VERIFY(child<MessageBar>()->isVisible());
        QTRY_COMPARE(child<MessageBar>()->text(),
                     QString("The cells there have no dyads; choose a place."));
        QVERIFY(!panel()->frame());
        // dyads that go with a change of the tissue
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_dyads.clear();
        }
        click();
        QTRY_VERIFY(panel()->frame());
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->dyads_gone = true;
        }
        f->host->step(1);
        QTRY_VERIFY(!panel()->frame());
        QVERIFY(child<QLabel>("noDyads")->text().contains("no dyads any more"));
        // another heart has other cells
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->dyads_gone = false;
        }
        f->host->step(1);
        QTRY_VERIFY(panel()->frame());
        f->window->open({});
        QTRY_VERIFY(!panel()->frame());
        QVERIFY(child<QLabel>("noDyads")->text().startsWith("Choose a cell"));
    }

    /// The panel follows what is recorded of the cell, and the run again.
    void aReplayMovesTheCell()
    {
        chosen();
        f->host->startRecording(1, quint64{1} << 28);
        for (const double ms : {31.0, 32.0, 33.0})
            runTo(ms);
        auto* moment = child<QLabel>("dyadMoment");
        QVERIFY(moment->isHidden());
        const auto then = panel()->frame();
        press("stopDyads");
        QTRY_VERIFY(!panel()->frame());
        runTo(40);
        scrub(33.4); // of a cell that is no longer watched
        QTRY_VERIFY(panel()->frame());
        QCOMPARE(panel()->frame()->time_ms, 33.0);
        QVERIFY(panel()->frame() != then);
        QCOMPARE(panel()->frame()->picture.open_RyR, then->picture.open_RyR);
        QCOMPARE(panel()->frame()->history.size(), std::size_t{3});
        QTRY_COMPARE(moment->text(), QString("Recorded at 33.0 ms"));
        scrub(31);
        QTRY_COMPARE(panel()->frame()->time_ms, 31.0);
        f->host->step(1); // the run does not move it
        QTest::qWait(60);
        QCOMPARE(panel()->frame()->time_ms, 31.0);
        Q_EMIT child<TransportBar>()->timeline()->followRequested();
        QTRY_VERIFY(!panel()->frame());
    }

    void whyItStandsStillIsSaid()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->free_running = false;
        f->start();
        f->host->startRecording(1, quint64{1} << 28);
        runTo(5);
        runTo(6);
        f->window->setMode(ClickMode::cell);
        click();
        QTRY_VERIFY(panel()->frame());
        scrub(5);
        auto* moment = child<QLabel>("dyadMoment");
        QTRY_COMPARE(moment->text(), QString("Stands still at 6.0 ms: no cell was chosen while "
                                             "5.0 ms was recorded"));
        QVERIFY(moment->isVisible());
        QCOMPARE(panel()->frame()->time_ms, 6.0);
        scrub(6);
        QTRY_COMPARE(moment->text(), QString("Recorded at 6.0 ms"));
        Q_EMIT child<TransportBar>()->timeline()->followRequested();
        QTRY_VERIFY(moment->isHidden());
        QCOMPARE(panel()->frame()->time_ms, 6.0);
    }

    /// The cell is saved with the session, and chosen where that is opened.
    void theCellGoesWithTheSession()
    {
        chosen();
        const QTemporaryDir dir;
        const QString file = dir.filePath("cell.json");
        QCOMPARE(f->window->saving()->save(file), QString());
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const auto o = QJsonDocument::fromJson(saved.readAll()).object();
        const auto at = o["view"]["calcium"]["cell_mm"].toArray();
        QCOMPARE(at.size(), 3);
        simulation::Session again = session();
        again.view = QJsonDocument(o["view"].toObject()).toJson().toStdString();
        press("stopDyads");
        QTRY_VERIFY(!panel()->frame());
        f->window->raisePanel("plotDock");
        const auto asked = f->posted<simulation::WatchDyads>().size();
        f->host->load(again);
        QTRY_COMPARE(f->posted<simulation::WatchDyads>().size(), asked + 1);
        const auto cell = newest<simulation::WatchDyads>().cell_mm;
        QVERIFY(cell);
        for (int k = 0; k < 3; ++k)
            QCOMPARE((*cell)[static_cast<std::size_t>(k)], at[k].toDouble());
        QTRY_VERIFY(panel()->frame());
        // of one that says nothing no cell is chosen, and one that is not there is said
        again.view.clear();
        f->host->load(again);
        QTRY_VERIFY(!panel()->frame() && !f->host->isLoading());
        QCOMPARE(f->posted<simulation::WatchDyads>().size(), asked + 1);
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_dyads = "no cells of this tissue have dyads";
        }
        again.view = R"({"calcium": {"cell_mm": [1, 2, 3]}})";
        f->host->load(again);
        QTRY_COMPARE(child<MessageBar>()->text(),
                     QString("The cell that this session shows is not there. No cells of this "
                             "tissue have dyads."));
    }

    void sparksAreCountedAndSaved()
    {
        chosen();
        QVERIFY(panel()->view() != nullptr);
        runTo(120); // the beat's release is over
        const auto log = panel()->frame()->sparks;
        QVERIFY(log && log->until().count > 0);
        const auto* line = child<QLabel>("dyadSparks");
        QTRY_COMPARE(line->text(), sparksText(log->until(120)));
        QVERIFY2(line->text().contains("; the last at "), qPrintable(line->text()));
        const QTemporaryDir dir;
        const QString file = dir.filePath("sparks.csv");
        fake::chooseFile(file);
        press("saveSparks");
        QTRY_VERIFY(QFile::exists(file));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const auto rows = saved.readAll().trimmed().split('\n');
        QCOMPARE(rows.size(), static_cast<qsizetype>(log->sparks().size()) + 1);
        QVERIFY(rows[0].startsWith("number,start_ms,end_ms,x,y,z,dyads"));
        // words
        simulation::SparkSummary none;
        none.observed_ms = 12;
        QCOMPARE(sparksText(none), QString("No sparks in 12 ms"));
        none.under_way = 1;
        QCOMPARE(sparksText(none), QString("No sparks in 12 ms, 1 under way"));
        simulation::SparkSummary some;
        some.kinds = {1, 2, 0, 1};
        some.count = 4, some.under_way = 3;
        some.observed_ms = 200;
        some.last = calcium::Spark();
        some.last->start_ms = 150.22;
        some.last->rest_uM = 0.1;
        some.last->peak_uM = 0.41;
        QCOMPARE(sparksText(some),
                 QString("1 spark, 2 macro-sparks, 1 synchronous release in 200 ms (20 a second), "
                         "3 under way; the last at 150.2 ms: amplitude 4.1"));
        some.last->duration_ms = 28.31;
        QVERIFY(sparksText(some).endsWith("amplitude 4.1, 28.3 ms long"));
    }

    void aMovieShowsTheCell()
    {
        chosen();
        QVERIFY(panel()->view() != nullptr);
        f->host->startRecording(1, quint64{1} << 28);
        QTRY_VERIFY(f->host->recording() && f->host->recording()->frame_count() == 0);
        press("dyadMovie"); // nothing is recorded
        QTRY_VERIFY(child<MessageBar>()->text().startsWith("Nothing was recorded of a cell.\n"));
        QVERIFY(child<MovieDialog>() == nullptr);
        for (int ms = 31; ms < 36; ++ms)
            runTo(ms);
        const auto cells = f->host->recording()->cells();
        QTRY_COMPARE(cells->newest()->frames()->frame_count(), std::size_t{5});
        child<QComboBox>("dyadQuantity")->setCurrentIndex(static_cast<int>(DyadQuantity::jsr));
        press("dyadLayers");
        press("dyadMovie");
        auto* dialog = child<MovieDialog>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->range().fromMs, 31.0);
        QCOMPARE(dialog->options().width, 1280);
        dialog->findChild<QSpinBox*>("width")->setValue(320);
        dialog->findChild<QSpinBox*>("height")->setValue(240);
        dialog->findChild<QDoubleSpinBox*>("speed")->setValue(30);
        QSignalSpy written(dialog, &MovieDialog::written), failed(dialog, &MovieDialog::failed);
        const QTemporaryDir dir;
        dialog->make(dir.filePath("given-up.mp4"));
        dialog->findChild<QPushButton*>("cancel")->click();
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(!dialog->busy() && !QFile::exists(dir.filePath("given-up.mp4")));
        dialog->make(dir.filePath("cell.mp4"));
        QTRY_COMPARE_WITH_TIMEOUT(written.size(), 1, 60000);
        const auto movie = test::decode_movie(dir.filePath("cell.mp4").toStdString());
        QCOMPARE(movie.frames.size(), std::size_t{5});
        QCOMPARE(movie.width, 320);
        // the cell in its colours, not an empty ground, and another picture in the end
        const auto& last = movie.frames.back();
        int coloured = 0, changed = 0;
        for (std::size_t k = 0; k < last.size(); k += 3) {
            coloured += std::abs(last[k] - last[k + 2]) > 40 ? 1 : 0;
            changed += std::abs(last[k] - movie.frames[0][k]) > 20 ? 1 : 0;
        }
        QVERIFY2(coloured > 320 * 240 / 10, qPrintable(QString::number(coloured)));
        QVERIFY2(changed > 500, qPrintable(QString::number(changed)));
        dialog->close();
    }

    void everythingHasItsPlace_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("at the side") << QSize(300, 560);
        QTest::newRow("below") << QSize(640, 190);
        QTest::newRow("wide") << QSize(1500, 420);
    }
    void everythingHasItsPlace()
    {
        QFETCH(QSize, size);
        chosen();
        QVERIFY(panel()->view() != nullptr);
        auto* dock = child<QDockWidget>("calciumDock");
        dock->setFloating(true);
        panel()->setControls(true);
        dock->resize(size);
        for (int k = 0; k < 3; ++k) {
            QApplication::processEvents();
            const QString text = test::anyOverlap(*panel());
            QVERIFY2(text.isEmpty(), qPrintable(text));
        }
        QVERIFY(panel()->view()->width() > 100 && panel()->view()->height() > 50);
        for (auto* w : panel()->findChildren<QWidget*>())
            if (w->isVisible() && w->focusPolicy() != Qt::NoFocus && !w->inherits("QLineEdit"))
                QVERIFY2(!w->toolTip().isEmpty() || w->inherits("tawara::TransientPlot"),
                         w->metaObject()->className());
        QVERIFY(!panel()->picture().isNull());
    }

    void controlsSayWhatIsWanted()
    {
        chosen();
        QVERIFY(panel()->view() != nullptr);
        QVERIFY(!child<QToolButton>("holdRyR")->isVisible()); // until somebody takes them
        panel()->setControls(true);
        QTRY_VERIFY(child<QToolButton>("holdRyR")->isVisible());
        QList<double> held;
        QList<bool> pressed, drug;
        connect(panel(), &CalciumPanel::holdRequested, this, [&](double ms) { held << ms; });
        connect(panel(), &CalciumPanel::heldChanged, this, [&](bool on) { pressed << on; });
        connect(panel(), &CalciumPanel::isoproterenolRequested, this, [&](bool on) { drug << on; });
        press("holdRyR");
        QCOMPARE(held, QList<double>{100});
        QVERIFY(pressed.isEmpty());
        child<QDoubleSpinBox>("holdMs")->setValue(0);
        press("holdRyR");
        QCOMPARE(held.size(), 1);
        QCOMPARE(pressed, (QList<bool>{true, false}));
        auto* iso = child<QCheckBox>("isoproterenol");
        panel()->setIsoproterenol(true);
        QVERIFY(iso->isChecked() && drug.isEmpty());
        iso->click();
        QCOMPARE(drug, QList<bool>{false});
        disconnect(panel(), nullptr, this, nullptr);
    }

    void controlsChangeTheRegion()
    {
        chosen();
        auto& edits = f->window->document()->edits();
        edits.edit("dyads", [](simulation::Session& s) {
            s.regions.at(0).model = calcium::dyad_model;
            s.regions.at(0).variant.clear();
        });
        QTRY_VERIFY(child<QToolButton>("holdRyR")->isVisible());
        const auto openings = [&] {
            return newest<simulation::SetTissue>().regions.at(0).forced_opening_ms;
        };
        const double now = f->host->frame()->time_ms;
        press("holdRyR");
        QTRY_VERIFY(openings());
        QCOMPARE(openings()->size(), 1U);
        QVERIFY((openings()->at(0) == simulation::ForcedOpening{now, now + 100}));
        edits.stack().undo();
        QTRY_VERIFY(!openings());
        // while it is pressed
        child<QDoubleSpinBox>("holdMs")->setValue(0);
        auto* button = child<QToolButton>("holdRyR");
        QTest::mousePress(button, Qt::LeftButton);
        QTRY_VERIFY(openings() && openings()->at(0).until_ms > now + 1000);
        f->host->runUntil(50);
        QTRY_VERIFY(f->host->frame()->time_ms >= 50);
        QTest::mouseRelease(button, Qt::LeftButton);
        QTRY_COMPARE(openings()->at(0).until_ms, f->host->frame()->time_ms);
        QCOMPARE(openings()->at(0).from_ms, now);
        // isoproterenol is a variant, given and taken away
        auto* iso = child<QCheckBox>("isoproterenol");
        const auto variant = [&] { return newest<simulation::SetTissue>().regions.at(0).variant; };
        iso->click();
        QTRY_COMPARE(variant(), std::string("isoproterenol"));
        QVERIFY(iso->isChecked());
        iso->click();
        QTRY_COMPARE(variant(), std::string("healthy"));
        edits.edit("low", [](simulation::Session& s) { s.regions.at(0).variant = "low_IK1"; });
        QTRY_VERIFY(!iso->isEnabled());
        QVERIFY(iso->toolTip().contains("low_IK1"));
    }
};

static const fake::Further<TestCalciumPanel> further;
#include "test_calcium_panel.moc"
