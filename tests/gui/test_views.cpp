// SPDX-License-Identifier: GPL-3.0-or-later
// What the views say and of when: the current one, the beat, the phase, replays, texts.
#include "app/export_controller.hpp"
#include "app/saving_controller.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/steady_label.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/ecg_plot.hpp"
#include "widgets/plots/trace_plot.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QTemporaryDir>
#include <QToolButton>

using namespace tawara;

class TestViews : public fake::WindowTest
{
    Q_OBJECT
    const ViewSettings& settings() { return f->window->viewController()->settings(); }
    void show(int count, Quantity second = Quantity::activation)
    {
        auto s = settings();
        s.count = count;
        s.shown[1] = second;
        auto* panel = child<ViewPanel>();
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
        QTRY_COMPARE(f->window->views()->count(), count);
        f->window->views()->each([](HeartView& v, int) { QTRY_VERIFY(v.framesDrawn() > 0); });
    }
    /// What is written over a view.
    QString caption(int i)
    {
        return QString::fromStdString(f->window->views()->view(i)->texts()->shown().time);
    }
    QString note(int i)
    {
        return QString::fromStdString(f->window->views()->view(i)->texts()->shown().note);
    }
    bool software() { return f->window->view()->softwareRendering(); }
    /// Runs to 80 ms with a frame recorded every 20 ms, paused.
    void recordRun()
    {
        f->host->startRecording(1, 1 << 26);
        for (int t = 20; t <= 80; t += 20) {
            f->host->runUntil(t);
            QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms > t - 0.1);
        }
        QTRY_VERIFY(f->host->recording() && f->host->recording()->frame_count() > 3);
    }

  private Q_SLOTS:
    void init()
    {
        WindowTest::init();
        f->start();
    }

    void aPressMakesAViewCurrent()
    {
        show(4);
        auto* grid = f->window->views();
        QSignalSpy changed(grid, &ViewGrid::currentChanged);
        QTest::mouseClick(grid->view(2), Qt::LeftButton, {}, {6, 6}); // beside the heart
        QCOMPARE(grid->current(), 2);
        auto* frame = grid->view(3)->parentWidget();
        QTest::mouseClick(frame, Qt::LeftButton, {}, {frame->width() - 8, 8}); // its title
        QCOMPARE(grid->current(), 3);
        QVERIFY(frame->property("current").toBool());
        QVERIFY(!grid->view(2)->parentWidget()->property("current").toBool());
        QTest::mousePress(child<QComboBox>("quantity2"), Qt::LeftButton);
        QCOMPARE(grid->current(), 1);
        QTest::keyClick(child<QComboBox>("quantity2")->view(), Qt::Key_Escape);
        QCOMPARE(changed.count(), 3);
        // what speaks of the current view follows
        QCOMPARE(child<ViewPanel>()->findChild<QComboBox*>("quantity")->currentIndex(),
                 static_cast<int>(Quantity::activation));
    }

    /// What arrows are, how fast the wave is, and how long an arrow is for that.
    void arrowsSayTheVelocity()
    {
        auto* views = f->window->viewController();
        QVERIFY(!views->noteOf(Quantity::activation).contains("m/s"));
        auto s = settings();
        s.shown[0] = Quantity::activation;
        s.arrows = true;
        child<ViewPanel>()->setSettings(s);
        Q_EMIT child<ViewPanel>()->changed(s);
        recordRun();
        QTRY_VERIFY(views->noteOf(Quantity::activation)
                        .contains("Arrows' median 0.60 m/s, 9 in 10: 0.60 to 0.60"));
        s.arrows = false;
        child<ViewPanel>()->setSettings(s);
        Q_EMIT child<ViewPanel>()->changed(s);
        QTRY_VERIFY(!views->noteOf(Quantity::activation).contains("m/s"));
    }

    /// The speed of the beat's wave as colours: in m/s, with a bar, grey where it is not known.
    void velocityIsAMap()
    {
        show(2, Quantity::velocity);
        f->host->runUntil(100); // activated up to z = 0
        auto* views = f->window->viewController();
        const auto speeds = [views] { return views->values(Quantity::velocity); };
        const auto known = [&] {
            const auto v = speeds();
            return std::count_if(v.begin(), v.end(), [](float x) { return std::isfinite(x); });
        };
        QTRY_VERIFY(known() > 0 && known() < std::ssize(speeds()));
        for (const float x : speeds())
            QVERIFY(!std::isfinite(x) || std::abs(x - 0.6F) < 1e-6F);
        QCOMPARE(quantityTitle(Quantity::velocity), QString("Velocity (m/s)"));
        QTRY_VERIFY(views->noteOf(Quantity::velocity).contains("collision"));
        f->host->runUntil(400);
        QTRY_COMPARE(known(), std::ssize(speeds()));
        QTRY_VERIFY(!views->noteOf(Quantity::velocity).contains("grey"));
        auto s = settings();
        QCOMPARE(ViewSettings::fromJson(s.toJson()).shownIn(1), Quantity::velocity);
        s.cut = ViewSettings::Cut::clip;
        child<ViewPanel>()->setSettings(s);
        Q_EMIT child<ViewPanel>()->changed(s);
        QTRY_VERIFY(views->noteOf(Quantity::velocity).contains("on the wall only"));
        // nothing is activated before the first step
        f->host->reset();
        QTRY_VERIFY(known() == 0);
    }

    /// A view that comes shows what no other does.
    void aViewThatComesShowsAnother()
    {
        show(1);
        auto s = settings();
        s.shown[0] = Quantity::activation;
        child<ViewPanel>()->setSettings(s);
        Q_EMIT child<ViewPanel>()->changed(s);
        for (const std::size_t count : {2, 4}) {
            f->window->findChild<QAction*>("viewsTool")->trigger();
            const auto first = settings().shown.begin();
            const std::set<Quantity> different(first, first + static_cast<int>(count));
            QCOMPARE(different.size(), count);
            QCOMPARE(settings().shownIn(0), Quantity::activation);
        }
        s = settings();
        s.shown[1] = Quantity::activation; // chosen by hand: it stays
        s.setCount(2);
        s.setCount(4);
        QCOMPARE(s.shown[1], Quantity::activation);
    }

    /// Lines over a range: few, round, and farther apart than noise moves them.
    void linesAreFew()
    {
        for (double range = 0.7; range < 3000; range *= 1.07) {
            const double step = isochroneStep(100, 100 + range);
            QVERIFY(range / step <= 13.01);
            QVERIFY(range / step > 5 || step < 0.11);
            const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
            QVERIFY2(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 ||
                         std::abs(digit - 5) < 1e-6,
                     qPrintable(QString::number(step)));
        }
        QCOMPARE(isochroneStep(0, 120), 10.0);
        QCOMPARE(isochroneStep(280, 292), 1.0);
        QCOMPARE(isochroneStep(280, 292, 0.5), 5.0);
        for (int q = 0; q < quantity_count; ++q) { // lines of APD90 would be noise
            const auto of = static_cast<Quantity>(q);
            QCOMPARE(ViewSettings().styles[static_cast<std::size_t>(q)].isochrones,
                     of == Quantity::activation || of == Quantity::repolarisation);
        }
        const auto b = fake::bowl(40);
        std::vector<float> smooth, rough;
        unsigned seed = 1;
        for (auto v : b.surface->vertices) {
            const Vec3 p = b.mesh->vertex(static_cast<std::size_t>(v));
            smooth.push_back(static_cast<float>(280 + 0.2 * (60 + p[2])));
            seed = 1664525 * seed + 1013904223;
            rough.push_back(smooth.back() + static_cast<float>(seed >> 8) / (1 << 24) * 3.46F);
        }
        QVERIFY(mapNoise(smooth, b.surface->triangles) < 0.3);
        const double noise = mapNoise(rough, b.surface->triangles); // of a deviation of 1
        QVERIFY2(noise > 0.6 && noise < 1.3, qPrintable(QString::number(noise)));
        std::fill(rough.begin(), rough.end(), NAN);
        QCOMPARE(mapNoise(rough, b.surface->triangles), 0.0);
    }

    void fourViewsShowFourThings()
    {
        show(4);
        std::set<Quantity> all(settings().shown.begin(), settings().shown.end());
        QCOMPARE(all.size(), std::size_t(4));
        QVERIFY(!settings().needsPhase()); // the maps come together: the fourth is for nothing
    }

    void mapsSayTheirBeatAndAnyCanBeChosen()
    {
        show(4);
        QTRY_COMPARE(f->window->viewController()->beatLabel(),
                     QString("beat 2 of 3, from 400.0 ms; newest that propagated"));
        if (software())
            for (int i = 1; i < 4; ++i) {                         // the same in all
                QTRY_COMPARE(caption(i), QString("beat 2 of 3")); // short: views are narrow
                QVERIFY(f->window->viewController()
                            ->noteOf(settings().shownIn(i))
                            .startsWith("from 400.0 ms; newest that propagated"));
            }
        auto* box = child<ViewPanel>()->findChild<QComboBox*>("beat");
        QTRY_COMPARE(box->count(), 5); // the two newest, and each of three
        f->window->views()->setCurrent(1);
        QCOMPARE(box->currentText(), QString("Newest that propagated (2)"));
        const int whole = box->findText("Newest that repolarised (1)");
        box->setCurrentIndex(whole);
        Q_EMIT box->activated(whole);
        QTRY_COMPARE(f->window->viewController()->beatLabel(),
                     QString("beat 1 of 3, from 0.0 ms; newest that repolarised"));
        const int third = box->findData(3); // which did not: anybody who wants it can have it
        box->setCurrentIndex(third);
        Q_EMIT box->activated(third);
        QTRY_COMPARE(f->window->viewController()->beatLabel(),
                     QString("beat 3 of 3, from 812.0 ms, 3 % of the tissue"));
        const int second = box->findData(2);
        QVERIFY(box->itemText(second).startsWith("beat 2 of 3, from 400.0 ms"));
        box->setCurrentIndex(second);
        Q_EMIT box->activated(second);
        QTRY_COMPARE(f->posted<simulation::WatchMaps>().back().beat, 2);
        QTRY_COMPARE(f->window->viewController()->beatLabel(),
                     QString("beat 2 of 3, from 400.0 ms"));
        QCOMPARE(ViewSettings::fromJson(settings().toJson()).beat, 2);
        QJsonObject old = settings().toJson(); // a session from before
        old.remove("beat");
        old["newest_beat"] = false;
        QCOMPARE(ViewSettings::fromJson(old).beat, 1);
    }

    /// A scar that was activated long ago does not make the wave that goes round one colour.
    void aTurnsRangeIsOfItsNewestCycles()
    {
        show(2, Quantity::activation);
        auto* views = f->window->viewController();
        const auto n = f->host->scene()->surface->vertices.size();
        simulation::MapFrame m;
        m.run = f->host->status().run;
        m.beats = {{1, 0, 6000, 1, true}};
        m.beat = 1;
        m.period.assign(n, 200);
        m.repolarisation.assign(n, std::numeric_limits<float>::quiet_NaN());
        for (std::size_t k = 0; k < n; ++k) // a tenth is old
            m.activation.push_back(k % 10 == 0 ? 3000 : 5800 + 20 * static_cast<float>(k % 10));
        views->showMaps(std::make_shared<const simulation::MapFrame>(m));
        QVERIFY(views->range(Quantity::activation).first >= 5800);
        QVERIFY2(views->noteOf(Quantity::activation)
                     .contains("10 % of the wall last activated more than two cycles before"),
                 qPrintable(views->noteOf(Quantity::activation)));
        m.beats[0].turns = false; // one wave: all of it counts
        views->showMaps(std::make_shared<const simulation::MapFrame>(m));
        QCOMPARE(views->range(Quantity::activation).first, 3000.0);
    }

    void yetIsSaidWhileItMayCome()
    {
        show(2, Quantity::repolarisation);
        f->host->runUntil(200); // half of it is activated, nothing repolarised
        auto* views = f->window->viewController();
        const auto said = [views] { return views->noteOf(Quantity::repolarisation); };
        QTRY_VERIFY2(said().contains("not repolarised"), qPrintable(said()));
        QVERIFY2(!said().contains("yet"), qPrintable(said())); // beat 2 of 3
        auto s = settings();
        s.beat = 3;
        child<ViewPanel>()->setSettings(s);
        Q_EMIT child<ViewPanel>()->changed(s);
        QTRY_VERIFY2(said().contains("not repolarised yet"), qPrintable(said()));
        views->setRunEnded(true);
        QVERIFY2(said().contains("not repolarised") && !said().contains("yet"), qPrintable(said()));
    }

    void phaseSaysWhyThereIsNone()
    {
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->phase_known = false;
        }
        show(2, Quantity::phase);
        QVERIFY(f->window->viewController()->noteOf(Quantity::phase).contains("(Space)"));
        if (software()) {
            QTRY_VERIFY(note(1).contains("(Space)"));
            QCOMPARE(caption(1), QString()); // no time of something that is not there
        }
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->phase_known = true;
        }
        f->host->runUntil(12);
        QTRY_VERIFY(f->window->viewController()->noteOf(Quantity::phase).isEmpty());
        if (software())
            QTRY_COMPARE(caption(1), QString("12.0 ms"));
    }

    void backToTheStartMovesTheTimeline()
    {
        f->host->runUntil(80);
        auto* timeline = child<TransportBar>()->timeline();
        QTRY_COMPARE(timeline->now(), 80.0);
        f->host->reset(); // paused before and after
        QTRY_COMPARE(timeline->now(), 0.0);
        QTRY_COMPARE(child<QLabel>("time")->text(), QString("0.0 ms"));
        f->host->step(50);
        QTRY_COMPARE(timeline->now(), 1.0);
    }

    void aReplaySaysBothTimes()
    {
        f->host->addProbe("a", {0, 0, -60});
        f->window->document()->edits().edit("leads", [](simulation::Session& s) {
            s.leads.kind = simulation::Leads::Kind::twelve_lead;
        });
        recordRun();
        auto* time = child<QLabel>("time");
        auto* timeline = child<TransportBar>()->timeline();
        const QRect place = timeline->geometry();
        QTRY_COMPARE(time->text(), QString("80.0 ms"));
        Q_EMIT timeline->scrubbed(40);
        QCOMPARE(time->text(), QString("40.0 ms"));
        QCOMPARE(child<QLabel>("weak")->text(), QString("replay of 80.0 ms"));
        QApplication::processEvents();
        QCOMPARE(timeline->geometry(), place); // nothing moves under the mouse
        QCOMPARE(f->window->plot()->moment(), std::optional(40.0));
        auto* ecg = child<EcgPanel>()->plot();
        QCOMPARE(ecg->moment(), std::optional(40.0));
        if (software())
            QTRY_COMPARE(caption(0), QString("replay 40.0 ms"));
        f->host->runUntil(120); // the run goes on meanwhile
        QTRY_COMPARE(child<QLabel>("weak")->text(), QString("replay of 120.0 ms"));
        QCOMPARE(time->text(), QString("40.0 ms"));
        Q_EMIT timeline->followRequested();
        QCOMPARE(time->text(), QString("120.0 ms"));
        QVERIFY(!f->window->plot()->moment() && !ecg->moment());
        if (software())
            QTRY_COMPARE(caption(0), QString("120.0 ms"));
    }

    void aReplayOfTheRunBeforeSaysSo()
    {
        recordRun();
        f->host->stopRecording();
        QTRY_VERIFY(!f->host->status().recording);
        auto* timeline = child<TransportBar>()->timeline();
        QVERIFY(!timeline->toolTip().contains("run before"));
        QSignalSpy cleared(f->host.get(), &EngineHost::samplesCleared);
        fake::action(*f->window, "Back to the start")->trigger();
        // this ends a replay, and may come later than the time of 0
        QTRY_COMPARE(cleared.size(), 1);
        QTRY_COMPARE(f->host->status().time_ms, 0.0);
        f->host->runUntil(10);
        QTRY_VERIFY(timeline->toolTip().contains("run before"));
        Q_EMIT timeline->scrubbed(40);
        auto* below = child<SteadyLabel>("weak");
        QCOMPARE(child<QLabel>("time")->text(), QString("40.0 ms"));
        QCOMPARE(below->text(), QString("replay of run before"));
        QCOMPARE(below->shownText(), below->text());
        QTRY_VERIFY(child<QLabel>("time")->toolTip().contains("is at 10.0 ms now"));
        Q_EMIT timeline->followRequested();
        QVERIFY(!below->text().contains("run before"));
        recordRun(); // of this run
        QTRY_VERIFY(!timeline->toolTip().contains("run before"));
        Q_EMIT timeline->scrubbed(40);
        QCOMPARE(below->text(), QString("replay of 80.0 ms"));
    }

    void textsAreSharp()
    {
        if (!software())
            QSKIP("a graphics card draws every pixel");
        f->host->runUntil(30);
        auto* v = f->window->view();
        QTRY_COMPARE(caption(0), QString("30.0 ms"));
        // on the screen the scene writes nothing itself, whatever the picture's size
        QVERIFY(!v->scene().texts());
        QCOMPARE(v->texts()->size(), v->size());
        QVERIFY(v->texts()->isVisible() && v->texts()->shown().bar);
        QVERIFY(v->texts()->testAttribute(Qt::WA_TransparentForMouseEvents));
        const QImage over = const_cast<ViewTexts*>(v->texts())->grab().toImage();
        int ink = 0; // in the place of the time
        for (int y = 10; y < 34; ++y)
            for (int x = 10; x < 120; ++x)
                ink += qAlpha(over.pixel(x, y)) > 200 && qGray(over.pixel(x, y)) > 150;
        QVERIFY2(ink > 60, qPrintable(QString::number(ink)));
        // pictures have them as before, and the screen has its own again afterwards
        const QImage fine = v->finePicture();
        auto s = settings();
        s.annotations = false;
        f->window->viewController()->setSettings(s);
        QVERIFY(fake::difference(fine, v->finePicture()) > 0.2);
        s.annotations = true;
        f->window->viewController()->setSettings(s);
        const auto drawn = v->framesDrawn();
        QTRY_VERIFY(v->framesDrawn() > drawn);
        QTRY_VERIFY(!v->scene().texts());
    }

    /// What is on screen stays what it was before a picture of another size was drawn with the same
    /// window of VTK's.
    void theViewIsWholeAfterAPicture()
    {
        f->host->runUntil(60);
        QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms > 59);
        auto* v = f->window->view();
        QTest::qWait(600); // at rest: drawn with every pixel
        const auto onScreen = [&] {
            return f->window->screen()
                ->grabWindow(f->window->winId(), v->mapTo(f->window.get(), QPoint()).x(),
                             v->mapTo(f->window.get(), QPoint()).y(), v->width(), v->height())
                .toImage();
        };
        const QImage before = onScreen();
        PictureOptions o;
        o.size = {333, 177};
        QString why;
        QVERIFY2(!f->window->exporting()->pictureOfHeart(o, &why).isNull(), qPrintable(why));
        const auto drawn = v->framesDrawn();
        f->window->update();
        QTRY_VERIFY(v->framesDrawn() > drawn); // anew, at its own size
        QTRY_VERIFY(fake::difference(before, onScreen()) < 2);
    }

    /// A drag that begins on a picture of fewer pixels, while the next one has them all, turns the
    /// heart as far as the same drag does otherwise: nothing jumps.
    void noJumpWhenADragBeginsOnASmallPicture()
    {
        f->window->setMode(ClickMode::rotate);
        auto* v = f->window->view();
        auto* i = v->interactor();
        const QPoint at = v->rect().center() + QPoint(40, 30);
        const auto turned = [&](bool resized) {
            v->scene().reset_camera();
            v->finePicture(); // of every pixel
            QTest::mouseMove(v, at + QPoint(1, 0));
            QTest::mousePress(v, Qt::LeftButton, {}, at);
            if (resized) { // half of the pixels for a while, as when it moves too slowly
                const int* full = v->renderWindow()->GetSize();
                const std::array before{full[0], full[1]};
                const std::array place{i->GetEventPosition()[0], i->GetEventPosition()[1]};
                v->renderWindow()->SetSize(before[0] / 2, before[1] / 2);
                i->SetSize(before[0] / 2, before[1] / 2);
                i->SetEventPosition(place[0] / 2, place[1] / 2);
                v->finePicture(); // whole again: the press has other coordinates in it
            }
            QTest::mouseMove(v, at + QPoint(6, 0));
            const auto camera = v->scene().camera().position;
            QTest::mouseRelease(v, Qt::LeftButton, {}, at + QPoint(6, 0));
            return camera;
        };
        const Vec3 usual = turned(false), small = turned(true);
        QVERIFY2(norm(usual - small) < 0.02 * norm(usual),
                 qPrintable(QString("%1 mm apart").arg(norm(usual - small))));
    }

    void hintsStayOffTheStartPage()
    {
        qApp->setProperty("noHints", false);
        const auto back = qScopeGuard([] { qApp->setProperty("noHints", true); });
        f->start();
        auto* hints = child<QFrame>("hints");
        QTRY_VERIFY([&] {
            hints = child<QFrame>("hints");
            return hints != nullptr && hints->isVisible();
        }());
        auto* bar = child<MessageBar>();
        bar->showMessage(MessageBar::Level::warning,
                         "The mesh is coarse for this scheme: waves will be slower than they "
                         "should be; refine it (Mesh, Refine) or take fvm.");
        QApplication::processEvents();
        auto* v = f->window->view();
        const QRect time(v->mapTo(f->window.get(), QPoint(12, 8)), QSize(160, 26));
        QVERIFY(!QRect(bar->mapTo(f->window.get(), QPoint()), bar->size()).intersects(time));
        QVERIFY(!QRect(hints->mapTo(f->window.get(), QPoint()), hints->size()).intersects(time));
        f->window->showStart(true);
        QVERIFY(!hints->isVisible());
        f->window->showStart(false);
        QVERIFY(hints->isVisible());
        show(2); // it would lie across them
        QVERIFY(!hints->isVisible());
        show(1);
        QVERIFY(hints->isVisible());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestViews>(argc, argv);
}
#include "test_views.moc"
