// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a user drives it, with a fake engine behind it.
#include "app/export/picture_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/saving_controller.hpp"
#include "app/settings.hpp"
#include "engine/core/provenance.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/models/speed_words.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QStandardItemModel>
#include <QStatusBar>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QWheelEvent>

#include <cmath>
#include <numeric>
#include <vtkCamera.h>
#include <vtkRenderer.h>

using namespace tawara;
using State = simulation::Status::State;

class TestWindow : public fake::WindowTest
{
    Q_OBJECT
    State state() { return f->host->status().state; }
    int regionCount() { return static_cast<int>(session().regions.size()); }
    const simulation::Region& newRegion() { return session().regions.back(); }
    void addBall(const simulation::Sphere& ball)
    {
        f->window->document()->edits().edit("a region", [&](simulation::Session& s) {
            simulation::Region r = s.regions.front();
            r.labels.clear();
            r.where = ball;
            s.regions.push_back(r);
        });
        child<TissuePanel>()->choose(regionCount() - 1);
    }
    /// On the wall, when what the panels have moved is drawn.
    void clickAt(const Vec3& place)
    {
        auto* v = f->window->view();
        const auto drawn = v->framesDrawn();
        v->update();
        QTRY_VERIFY_WITH_TIMEOUT(v->framesDrawn() > drawn, 60000);
        QTest::mouseClick(v, Qt::LeftButton, {}, f->pixelOf(place));
    }

  private Q_SLOTS:
    void transportPostsCommands()
    {
        f->start();
        QTRY_COMPARE(state(), State::paused);
        press("step");
        QTRY_COMPARE(f->posted<simulation::StepOnce>().size(), 1U);
        QCOMPARE(f->posted<simulation::StepOnce>()[0].steps, 1);
        press("play");
        QTRY_COMPARE(state(), State::running);
        QTRY_VERIFY(f->host->status().time_ms > 5);
        QTRY_VERIFY(child<QLabel>("time")->text() != "0.0 ms");
        press("play"); // is a pause button now
        QTRY_COMPARE(state(), State::paused);
        QCOMPARE(f->posted<simulation::Pause>().size(), 1U);
        press("reset");
        QTRY_COMPARE(f->posted<simulation::Reset>().size(), 1U);
        QTRY_COMPARE(child<QLabel>("time")->text(), QString("0.0 ms"));
    }

    void keysDoTheSame()
    {
        f->start();
        QTRY_COMPARE(state(), State::paused);
        QTest::keyClick(f->window.get(), Qt::Key_Space);
        QTRY_COMPARE(state(), State::running);
        QTest::keyClick(f->window.get(), Qt::Key_Space);
        QTRY_COMPARE(state(), State::paused);
        QTest::keyClick(f->window.get(), Qt::Key_Period);
        QTRY_COMPARE(f->posted<simulation::StepOnce>().size(), 1U);
        QTest::keyClick(f->window.get(), Qt::Key_P);
        QCOMPARE(f->window->view()->mode(), ClickMode::probe);
        QTest::keyClick(f->window.get(), Qt::Key_R);
        QCOMPARE(f->window->view()->mode(), ClickMode::rotate);
        QTest::keyClick(f->window.get(), Qt::Key_S);
        QCOMPARE(f->window->view()->mode(), ClickMode::stimulate);
    }

    void speedLimit()
    {
        f->start();
        auto* limit = child<QComboBox>("limit");
        limit->setCurrentIndex(2);
        QTRY_COMPARE(f->posted<simulation::LimitSpeed>().size(), 1U);
        QCOMPARE(f->posted<simulation::LimitSpeed>()[0].ms_per_second, 100.0);
        limit->setCurrentIndex(0);
        QTRY_COMPARE(f->posted<simulation::LimitSpeed>().size(), 2U);
        QCOMPARE(f->posted<simulation::LimitSpeed>()[1].ms_per_second, 0.0);
        QVERIFY(speedText(12.3).contains("12.3 ms/s"));
        QVERIFY(speedText(12.3).contains("81 × slower than real time"));
        QVERIFY(speedText(1800).contains("1.8 × faster than real time"));
        QVERIFY(speedText(1000).endsWith("real time") && !speedText(1000).contains("than"));
        QCOMPARE(ratioText(1800), QString("1.8 × faster"));
        QStatusBar bar;
        StatusStrip strip(&bar);
        simulation::Status s;
        s.state = State::running;
        s.ms_per_second = 1800;
        strip.setStatus(s, 30);
        QCOMPARE(bar.findChild<QLabel*>("slower")->text(), QString("1.8 × faster"));
    }

    /// The window gives its tab bars a line of the style when it makes them anew.
    void tabBarsHaveNoLine()
    {
        f->start();
        const auto lines = [&] {
            int n = 0;
            for (auto* bar :
                 f->window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
                n += bar->drawBase();
            return n;
        };
        QTRY_COMPARE(lines(), 0);
        fake::action(*f->window, "Start page")->trigger();
        QTest::qWait(300);
        QCOMPARE(lines(), 0);
        const auto docks = f->window->findChildren<QDockWidget*>();
        for (auto* d : docks)
            d->hide();
        for (auto* bar : f->window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            bar->setDrawBase(true); // as when the window takes one that it had put aside
        QTest::qWait(100);
        for (auto* d : docks)
            d->show();
        QTest::qWait(300);
        QCOMPARE(lines(), 0);
    }

    void computingComesFirst()
    {
        f->start();
        press("play");
        QTRY_COMPARE(state(), State::running);
        QSignalSpy shown(f->host.get(), &EngineHost::frameArrived);
        QTRY_VERIFY_WITH_TIMEOUT(shown.size() > 20, 30000); // one each 10 ms
        QElapsedTimer clock;
        if (const auto* v = f->window->view(); v->softwareRendering()) {
            // drawing takes a third of the time, not all of it, whatever each picture takes: what
            // one took by the time of a frame delays the frame after the next, by 2 s at most
            std::vector<double> came, due;
            const auto c = connect(f->host.get(), &EngineHost::frameArrived, this, [&] {
                came.push_back(static_cast<double>(clock.elapsed()));
                due.push_back(std::min(2.5 * v->paintMilliseconds(), 2000.0));
            });
            shown.clear();
            clock.start();
            QTRY_VERIFY_WITH_TIMEOUT(shown.size() > 7, 60000);
            disconnect(c);
            const double least = std::accumulate(due.begin(), due.end() - 2, 0.0);
            QVERIFY2(
                came.back() - came[1] > least,
                qPrintable(QString("%1 ms, at least %2").arg(came.back() - came[1]).arg(least)));
        }
        child<QAction>("computeFirst")->trigger();
        shown.clear();
        clock.start();
        QTRY_VERIFY(shown.size() >= 4);
        QVERIFY2(clock.elapsed() >= 740, qPrintable(QString::number(clock.elapsed())));
        press("play"); // the last one is shown, whenever it came
        QTRY_COMPARE(state(), State::paused);
        QTRY_COMPARE(f->host->frame()->time_ms, f->host->status().time_ms);
    }

    void beatsByItself()
    {
        f->start(true);
        QTRY_COMPARE(state(), State::running);
        const auto drawn = f->window->view()->framesDrawn();
        QTRY_VERIFY(f->window->view()->framesDrawn() > drawn + 3);
    }

    void clickStimulatesThere()
    {
        f->start(true);
        auto* panel = child<StimulusPanel>();
        panel->setSettings({4.5, 60, 1.5});
        const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};
        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front));
        QTRY_COMPARE(f->posted<simulation::Stimulate>().size(), 1U);
        const auto s = f->posted<simulation::Stimulate>()[0];
        QVERIFY2(norm(s.position_mm - front) < 1.5, "within a pixel's slant of the wall");
        QCOMPARE(s.radius_mm, 4.5);
        QCOMPARE(s.amplitude_pA_per_pF, 60.0);
        QCOMPARE(s.duration_ms, 1.5);
        QTRY_COMPARE(state(), State::running); // at once, while it runs
    }

    void exportsSayWhatTheyLack()
    {
        f->start();
        auto* menu = child<QMenu>("exports");
        const auto of = [&](const char* kind) -> QAction* {
            Q_EMIT menu->aboutToShow();
            for (QAction* a : menu->actions())
                if (a->data().toString() == QLatin1String(kind))
                    return a;
            return nullptr;
        };
        QVERIFY(of("ecg-csv") && !of("ecg-csv")->isEnabled());
        QVERIFY(of("ecg-csv")->toolTip().contains("electrodes"));
        QVERIFY(!of("traces-csv")->isEnabled() && of("traces-csv")->toolTip().contains("probe"));
        QVERIFY(of("maps-csv")->isEnabled() && of("maps-csv")->toolTip().contains("beat"));
        f->window->document()->addProbe("A", {0, 0, -60});
        QTRY_VERIFY(of("traces-csv")->isEnabled());
    }

    void clickBesideTheHeartDoesNothing()
    {
        f->start();
        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, {200, 8});
        QTRY_VERIFY(child<MessageBar>()->isVisible());
        QVERIFY(f->posted<simulation::Stimulate>().empty());
    }

    void probeShowsItsCurve()
    {
        f->start(true);
        f->window->setMode(ClickMode::probe);
        const Vec3 front{0, -30 * std::cos(0.6), -60 * std::sin(0.6)};
        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front));
        QTRY_COMPARE(f->window->probes()->rowCount(), 1);
        QVERIFY(f->posted<simulation::Stimulate>().empty());
        const quint64 id = f->window->probes()->entries()[0].id;
        auto* plot = f->window->plot();
        QCOMPARE(plot->curveCount(), 1);
        QTRY_VERIFY(plot->sampleCount(id).value_or(0) > 20);
        const Vec3 at = f->window->probes()->entries()[0].position;
        double t = 0; // after the first sample, however late the status is
        QTRY_VERIFY([&] {
            t = f->host->status().time_ms - 5;
            return plot->valueAt(id, t).has_value();
        }());
        QVERIFY(std::abs(*plot->valueAt(id, t) - static_cast<double>(fake::wave_mV(at, t))) < 5);
        QTRY_VERIFY(f->window->probes()->entries()[0].V.has_value());

        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front) + QPoint(40, 0));
        QTRY_COMPARE(f->window->probes()->rowCount(), 2);
        QVERIFY(f->window->probes()->entries()[0].color != f->window->probes()->entries()[1].color);
        auto removers = f->window->findChildren<QToolButton*>("removeProbe");
        QTRY_VERIFY([&] {
            removers = f->window->findChildren<QToolButton*>("removeProbe");
            return removers.size() == 2;
        }());
        removers[0]->click();
        QTRY_COMPARE(f->window->probes()->rowCount(), 1);
        QTRY_COMPARE(plot->curveCount(), 1);
        QCOMPARE(f->posted<simulation::RemoveProbe>().size(), 1U);
    }

    void resetEmptiesCurves()
    {
        f->start(true);
        f->host->addProbe("A", {0, 0, -60});
        QTRY_COMPARE(f->window->probes()->rowCount(), 1);
        const quint64 id = f->window->probes()->entries()[0].id;
        QTRY_VERIFY(f->window->plot()->sampleCount(id).value_or(0) > 5);
        f->host->reset();
        QTRY_COMPARE(f->window->plot()->sampleCount(id).value_or(99), 0U);
        QVERIFY(!f->window->probes()->entries()[0].V);
    }

    /// The click that places a region is taken whatever the tool is, and Esc takes the wish back.
    void aRegionIsPlacedWithAnyTool()
    {
        f->start();
        addBall(simulation::Sphere{{0, 0, -60}, 5});
        const auto centre = [&] { return std::get<simulation::Sphere>(*newRegion().where).centre; };
        for (const ClickMode mode : {ClickMode::rotate, ClickMode::paint, ClickMode::site}) {
            f->window->setMode(mode);
            const double angle = 0.5 + 0.1 * static_cast<double>(mode);
            const Vec3 front{0, -30 * std::cos(angle), -60 * std::sin(angle)};
            child<QToolButton>("regionCentre")->click();
            clickAt(front);
            QVERIFY2(norm(centre() - front) < 1.5, qPrintable(QString::number(int(mode))));
            QCOMPARE(f->window->mode(), mode);
            QCOMPARE(f->window->view()->mode(), mode);
        }
        QVERIFY(session().stimuli.empty() && f->posted<simulation::Stimulate>().empty());
        const Vec3 before = centre();
        child<QToolButton>("regionCentre")->click();
        QTest::keyClick(f->window.get(), Qt::Key_Escape);
        clickAt({0, -30, 0});
        QCOMPARE(centre(), before);
    }

    void aBoxHasItsCorners()
    {
        f->start();
        addBall(simulation::Sphere{{1, 2, -60}, 5});
        auto* kind = child<QComboBox>("regionPlace");
        kind->setCurrentIndex(6);
        Q_EMIT kind->activated(6);
        const auto box = [&] { return std::get<simulation::Box>(*newRegion().where); };
        QCOMPARE(box(), (simulation::Box{{-4, -3, -65}, {6, 7, -55}}));
        auto* from = child<QDoubleSpinBox>("boxFromY");
        auto* to = child<QDoubleSpinBox>("boxToY");
        QVERIFY(!from->isHidden() && !child<QWidget>("regionCentre")->isHidden());
        QCOMPARE(from->value(), -3.0);
        to->setValue(5);
        QCOMPARE(box(), (simulation::Box{{-4, -3, -65}, {6, 5, -55}}));
        QCOMPARE(child<QTreeWidget>("regions")->topLevelItem(regionCount() - 1)->text(1),
                 QString("box 10 × 8 × 10 mm"));
        from->setValue(5); // no box at all
        QCOMPARE(from->value(), -3.0);
        QCOMPARE(box().low[1], -3.0);
        child<QAction>("undo")->trigger();
        QCOMPARE(to->value(), 7.0);
        f->window->setMode(ClickMode::rotate);
        child<QToolButton>("regionCentre")->click();
        const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};
        clickAt(front);
        QVERIFY(norm(0.5 * (box().low + box().high) - front) < 1.5);
        QVERIFY(norm(box().high - box().low - Vec3{10, 10, 10}) < 0.01);
    }

    /// What is chosen in a list of any kind is read in both themes.
    void whatIsChosenIsReadable()
    {
        f->start();
        QStandardItemModel words(1, 1);
        words.setItem(0, new QStandardItem("MMMMMMMM"));
        for (const Theme theme : {Theme::light, Theme::dark}) {
            f->window->setTheme(theme);
            QTableView table;
            QTreeView tree;
            QListView list;
            for (QAbstractItemView* v :
                 std::initializer_list<QAbstractItemView*>{&table, &tree, &list}) {
                v->setModel(&words);
                v->resize(300, 120);
                v->show();
                v->setCurrentIndex(words.index(0, 0));
                QApplication::processEvents();
                const QImage row = v->viewport()->grab(v->visualRect(words.index(0, 0))).toImage();
                int least = 255, most = 0;
                for (int y = 3; y < row.height() - 3; ++y)
                    for (int x = 3; x < row.width() - 3; ++x) {
                        least = std::min(least, qGray(row.pixel(x, y)));
                        most = std::max(most, qGray(row.pixel(x, y)));
                    }
                QVERIFY2(most - least > 140, qPrintable(QString("%1, %2: %3 to %4")
                                                            .arg(name(theme))
                                                            .arg(v->metaObject()->className())
                                                            .arg(least)
                                                            .arg(most)));
            }
        }
        f->window->setTheme(Theme::dark);
    }

    void filmingIsShownAndEnded()
    {
        f->start();
        QTemporaryDir dir;
        QVERIFY(child<QWidget>("filming")->isHidden());
        f->window->exporting()->filmScreen(dir.filePath("screen.mp4"));
        QVERIFY(child<QWidget>("filming")->isVisible());
        QVERIFY(child<QLabel>("filmed")->text().contains("Filming the screen"));
        const auto since = [&] { return child<QLabel>("filmed")->text().section(' ', -1); };
        QVERIFY(QTest::qWaitFor([&] { return since() != "0:00"; }, 20000));
        static const QRegularExpression clock("^0:[0-2][0-9]$");
        QVERIFY2(clock.match(since()).hasMatch(), qPrintable(since()));
        press("endFilm");
        QTRY_VERIFY_WITH_TIMEOUT(!f->window->exporting()->filming(), 20000);
        QVERIFY(child<QWidget>("filming")->isHidden());
        QVERIFY(QFileInfo(dir.filePath("screen.mp4")).size() > 0);
    }

    void cameraMovesWhileRunning()
    {
        f->start(true);
        auto* view = f->window->view();
        auto* camera = view->scene().renderer()->GetActiveCamera();
        double a[3], b[3];
        camera->GetPosition(a);
        const QPoint c(view->width() / 2, view->height() / 2);
        QTest::mousePress(view, Qt::LeftButton, {}, c);
        QTest::mouseMove(view, c + QPoint(60, 20));
        QTest::mouseRelease(view, Qt::LeftButton, {}, c + QPoint(60, 20));
        camera->GetPosition(b);
        QVERIFY2(norm(Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]}) > 1, "turned by the drag");
        QVERIFY2(f->posted<simulation::Stimulate>().empty(), "a drag is no click");
        const double far = camera->GetDistance();
        QWheelEvent wheel(c, view->mapToGlobal(QPointF(c)), {}, {0, 120}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view, &wheel);
        QVERIFY(camera->GetDistance() < far);
        QTRY_COMPARE(state(), State::running);
        const auto drawn = view->framesDrawn();
        QTRY_VERIFY(view->framesDrawn() > drawn);
        f->window->view()->scene().reset_camera();
        camera->GetPosition(b);
        QVERIFY(norm(Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]}) < 1e-6);
    }

    void drawsOnlyWhenSomethingChanged()
    {
        f->start();
        auto* view = f->window->view();
        QTRY_COMPARE(state(), State::paused);
        // what is under way ends (the last picture is the finer one at rest): then nothing is drawn
        QSignalSpy rendered(view, &VtkView::rendered);
        for (int tries = 0; rendered.wait(1000); ++tries)
            QVERIFY2(tries < 100, "it draws on and on");
    }

    void picture()
    {
        f->start();
        const QImage image = f->window->picture(false);
        QCOMPARE(image.size(), f->window->view()->size() * f->window->view()->devicePixelRatioF());
        const QTemporaryDir dir;
        const QString path = dir.filePath("heart.png");
        QCOMPARE(writePicture(image, path), QString());
        QVERIFY(fake::difference(QImage(path), image) < 0.01);
        QCOMPARE(QImage(path).text(provenance_name), QString::fromStdString(program_provenance()));
        PictureOptions small;
        small.size = {64, 64};
        const auto run =
            QJsonDocument::fromJson(
                f->window->exporting()->pictureOfHeart(small).text(provenance_name).toUtf8())
                .object();
        QCOMPARE(run["session"].toObject()["name"].toString(),
                 QString::fromStdString(f->host->scene()->session.name));
        QCOMPARE(run["mesh_sha256"].toString().size(), 64);
        QVERIFY(writePicture(image, dir.filePath("no/such/folder/a.png"))
                    .contains("cannot be written"));
        QVERIFY(!writePicture(image, dir.filePath("a.xyz")).isEmpty());
        QVERIFY(!QFile::exists(dir.filePath("a.xyz")));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestWindow>(argc, argv);
}
#include "test_window.moc"
