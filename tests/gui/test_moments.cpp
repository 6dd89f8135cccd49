// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown is of its moment (regions, scar, cut face), and panels say what is drawn. With the
// real engine on a small slab.
#include "app/export/grid_painter.hpp"
#include "app/painting_controller.hpp"
#include "app/real_engine.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/bullseye_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QCheckBox>
#include <QLabel>
#include <QSlider>

#include <algorithm>
#include <limits>
#include <vtkActor.h>
#include <vtkActorCollection.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>

using namespace tawara;

constexpr int patience = 60000; // [ms] a machine may have others to serve

class TestMoments : public QObject
{
    Q_OBJECT
    fake::WindowFixture surroundings;
    QTemporaryDir dir;
    std::unique_ptr<EngineHost> host;
    std::unique_ptr<MainWindow> window;

    ViewController* views() { return window->viewController(); }
    template <class W>
    W* child(const char* name = nullptr)
    {
        return window->findChild<W*>(QString::fromLatin1(name));
    }
    void edit(const std::function<void(simulation::Session&)>& change)
    {
        window->document()->edits().edit("edit", change);
    }
    void apply(const ViewSettings& s)
    {
        auto* panel = child<ViewPanel>();
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
    }
    void show(Quantity q)
    {
        auto s = views()->settings();
        s.shown[0] = q;
        apply(s);
    }
    void runUntil(double ms)
    {
        host->runUntil(ms);
        QTRY_VERIFY_WITH_TIMEOUT(host->status().time_ms >= ms - 1e-6, 60000);
    }
    void scrub(double ms) { Q_EMIT child<TransportBar>()->timeline()->scrubbed(ms); }
    void follow() { Q_EMIT child<TransportBar>()->timeline()->followRequested(); }
    void addScar()
    {
        const auto before = host->scene()->tissue_edits.size();
        edit([](simulation::Session& s) {
            simulation::Region scar;
            scar.model.clear();
            scar.kind = "scar_core";
            scar.name = "scar";
            scar.scale = {{"g_Na", 0}, {"g_NaL", 0}, {"g_CaL", 0}};
            scar.where = simulation::Sphere{{10, 5, 2}, 3};
            s.regions.push_back(scar);
        });
        QTRY_COMPARE_WITH_TIMEOUT(host->scene()->tissue_edits.size(), before + 1, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(views()->scar().count() > 20, patience);
    }
    /// Records to 8 ms; at 4 ms a scar comes.
    void recordWithScar()
    {
        host->startRecording(1, quint64{1} << 26);
        runUntil(4);
        addScar();
        runUntil(8);
        QTRY_VERIFY_WITH_TIMEOUT(host->recording() && host->recording()->frame_count() == 9,
                                 patience);
    }
    float highestRegion()
    {
        const auto v = views()->values(Quantity::regions);
        return v.empty() ? -1 : *std::max_element(v.begin(), v.end());
    }
    QImage drawn(GridPainter& painter, const simulation::RecordedFrame& frame)
    {
        QString why = painter.begin(frame, {480, 320});
        std::optional<QImage> image;
        const auto there = [&] { return (image = painter.take(&why)).has_value(); };
        if (!why.isEmpty() || !QTest::qWaitFor(there, 30000))
            qWarning("%s", qPrintable(why));
        return image.value_or(QImage());
    }

  private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", dir.path().toUtf8()); }
    void init()
    {
        simulation::Session s;
        s.name = "slab";
        s.mesh = simulation::MeshSlab{{20, 10, 2}, 0.5};
        s.scheme = diffusion::Scheme::p1;
        s.dt_ms = 0.05;
        const auto file = dir.filePath("slab.json");
        simulation::write_session(s, file.toStdString());
        simulation::EngineOptions options;
        options.devices = "cpu";
        host = std::make_unique<EngineHost>(real_engine(options), session_opener());
        window = std::make_unique<MainWindow>(host.get());
        window->resize(1280, 800);
        window->setAutoPlay(false);
        window->setAsking(false);
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(window.get()));
        window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(host->scene() && views()->ready(), 60000);
        QTRY_VERIFY_WITH_TIMEOUT(window->view()->framesDrawn() > 0, 60000);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 0.0F, patience);
        window->view()->scene().look_from({0, 0, 1}, {0, 1, 0});
    }
    void cleanup()
    {
        window.reset();
        host.reset();
        QVERIFY2(surroundings.errors->text.empty(), surroundings.errors->text.c_str());
    }

    void aReplayShowsTheScarOfItsMoment()
    {
        const auto around = [&] { // the scar, in the picture
            auto& scene = window->view()->scene();
            const auto a = scene.project({6, 9, 2}), b = scene.project({14, 1, 2});
            const int h = window->view()->renderWindow()->GetSize()[1];
            return QRect(QPoint(qRound(a[0]), qRound(h - a[1])),
                         QPoint(qRound(b[0]), qRound(h - b[1])));
        };
        const QImage plain = window->view()->finePicture();
        recordWithScar();
        const QImage marked = window->view()->finePicture();
        QVERIFY(fake::difference(plain, marked, around()) > 2);
        scrub(2);
        QTRY_COMPARE_WITH_TIMEOUT(views()->scar().count(), std::size_t(0), patience);
        QVERIFY(fake::difference(plain, window->view()->finePicture(), around()) < 0.5);
        scrub(6);
        QVERIFY(views()->scar().count() > 20);
        QVERIFY(fake::difference(marked, window->view()->finePicture(), around()) < 0.5);
        scrub(3);
        QCOMPARE(views()->scar().count(), std::size_t(0)); // it was laid before
        follow();
        QVERIFY(views()->scar().count() > 20);
        QVERIFY(fake::difference(marked, window->view()->finePicture(), around()) < 0.5);
    }

    void aReplayShowsTheRegionsOfItsMoment()
    {
        show(Quantity::regions);
        recordWithScar();
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 1.0F, patience);
        QCOMPARE(views()->regionNames().size(), 2);
        QCOMPARE(views()->noteOf(Quantity::regions), QString());
        scrub(2);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 0.0F, patience);
        QCOMPARE(views()->regionNames().size(), 1);
        QCOMPARE(window->view()->scene().written().legend.size(), std::size_t(1));
        QTRY_COMPARE_WITH_TIMEOUT(window->view()->scene().written().time,
                                  std::string("replay 2.0 ms"), patience);
        QCOMPARE(views()->noteOf(Quantity::regions),
                 QString("Regions as they were before the change at 4 ms"));
        scrub(6);
        QCOMPARE(highestRegion(), 1.0F);
        QCOMPARE(views()->noteOf(Quantity::regions), QString());
        // a change after the run's newest moment leaves all of the replay as it was
        window->document()->edits().stack().undo();
        QTRY_COMPARE_WITH_TIMEOUT(host->scene()->tissue_edits.size(), std::size_t(2), patience);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 1.0F, patience);
        QTRY_VERIFY_WITH_TIMEOUT(views()->noteOf(Quantity::regions).contains("at 8 ms"), patience);
        scrub(2);
        QCOMPARE(highestRegion(), 0.0F);
        QCOMPARE(views()->noteOf(Quantity::regions), QString()); // as it is now
        scrub(6);
        follow();
        QCOMPARE(highestRegion(), 0.0F);
    }

    /// The brush changes the tissue of now: its first stroke ends a replay.
    void aStrokeEndsTheReplay()
    {
        recordWithScar();
        QTRY_VERIFY_WITH_TIMEOUT(window->painting()->ready(), 60000);
        window->setMode(ClickMode::paint);
        scrub(2);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 0.0F, patience);
        auto* v = window->view();
        Q_EMIT v->painted({{4, 5, 2}, {0, 0, 1}, 0, 0}, false);
        QVERIFY(!views()->lookingBack());
        QCOMPARE(highestRegion(), 2.0F); // a region of its own
        Q_EMIT v->paintEnded();
    }

    void anotherNameIsNoOtherTissue()
    {
        recordWithScar();
        edit([](simulation::Session& s) {
            s.regions[1].name = "infarct";
            simulation::Region waiting; // for tissue
            waiting.where = simulation::Tetrahedra{};
            s.regions.push_back(waiting);
        });
        scrub(6);
        QTest::qWait(100);
        QVERIFY(views()->regionNames().join(' ').contains("infarct"));
        QCOMPARE(views()->noteOf(Quantity::regions), QString());
    }

    void aRecordingThatStaysKeepsItsTissue()
    {
        recordWithScar();
        host->stopRecording();
        QTRY_VERIFY_WITH_TIMEOUT(!host->status().recording, patience);
        QSignalSpy cleared(host.get(), &EngineHost::samplesCleared);
        fake::action(*window, "Back to the start")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(cleared.size(), 1, patience); // what ends a replay
        QTRY_COMPARE_WITH_TIMEOUT(host->status().time_ms, 0.0, patience);
        QVERIFY(host->scene()->tissue_edits.empty());
        show(Quantity::regions);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 1.0F, patience); // the scar stays
        scrub(2);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 0.0F, patience);
        QVERIFY(views()->noteOf(Quantity::regions).contains("at 4 ms"));
        scrub(6);
        QTRY_COMPARE_WITH_TIMEOUT(highestRegion(), 1.0F, patience);
        // the next one is of the run as it is
        host->startRecording(1, quint64{1} << 26);
        runUntil(4);
        scrub(2);
        QTest::qWait(50);
        QCOMPARE(highestRegion(), 1.0F);
    }

    void aMovieShowsTheTissueOfEachMoment()
    {
        auto s = views()->settings();
        s.setCount(2);
        s.shown[1] = Quantity::regions;
        apply(s);
        QTRY_VERIFY_WITH_TIMEOUT(window->views()->view(1)->framesDrawn() > 0, patience);
        host->startRecording(1, quint64{1} << 26);
        runUntil(4);
        const auto made = [&] {
            auto p = std::make_unique<GridPainter>(*window->views(), std::vector{true, false},
                                                   QString(), false);
            p->setTissue(views()->tissueOfMovie(host->recording().get()));
            return p;
        };
        QVERIFY(!views()->tissueOfMovie(host->recording().get()).of); // the same all the time
        QTRY_VERIFY_WITH_TIMEOUT(host->recording()->frame_count() == 5, patience);
        const QImage before = drawn(*made(), *host->recording()->at(2));
        addScar();
        runUntil(8);
        QTRY_VERIFY_WITH_TIMEOUT(host->recording()->frame_count() == 9, patience);
        const auto painter = made();
        const QImage at2 = drawn(*painter, *host->recording()->at(2));
        const QImage at6 = drawn(*painter, *host->recording()->at(6));
        const QImage again = drawn(*painter, *host->recording()->at(2));
        const QRect left(0, 0, 240, 320), right(240, 0, 240, 320);
        for (const QRect& view : {left, right}) {
            const double same = fake::difference(before, at2, view),
                         other = fake::difference(at2, at6, view);
            QVERIFY2(same < 0.01 && other > 0.05,
                     qPrintable(QString("%1 %2").arg(same).arg(other)));
            QVERIFY(fake::difference(at2, again, view) < 0.01);
        }
    }

    /// Maps of a beat that was over when the tissue was changed show what it ran through.
    void mapsSayThatTheTissueWasChanged()
    {
        runUntil(4);
        addScar();
        runUntil(8);
        const auto n = host->scene()->surface->vertices.size();
        constexpr float none = std::numeric_limits<float>::quiet_NaN();
        const auto maps = [&](std::int64_t beat, float repolarised) {
            auto m = std::make_shared<simulation::MapFrame>();
            m->run = host->scene()->run;
            m->beats = {{1, 1, 1.5, 1, false}, {2, 5, 5.5, 1, false}};
            m->beat = beat;
            m->activation.assign(n, 1);
            m->repolarisation.assign(n, repolarised);
            m->apd90 = m->period = m->repolarisation;
            views()->showMaps(m);
            return views()->noteOf(Quantity::activation);
        };
        const auto scar = [&] { return views()->scar(Quantity::activation).count(); };
        QVERIFY2(maps(1, 2).contains("Tissue changed at 4 ms, after this beat"),
                 qPrintable(maps(1, 2)));
        QTRY_COMPARE_WITH_TIMEOUT(scar(), std::size_t(0), patience);
        QVERIFY(views()->scar().count() > 20); // the potential is of now
        QVERIFY(maps(1, none).contains("Tissue changed at 4 ms, during this beat"));
        QVERIFY(scar() > 20);
        QVERIFY(!maps(2, none).contains("Tissue changed"));
        QVERIFY(scar() > 20);
    }

    /// What view and panel say of a cut face is one sentence.
    void theCutFaceIsSpokenOfOnce()
    {
        host->startRecording(1, quint64{1} << 26);
        runUntil(4);
        QTRY_VERIFY_WITH_TIMEOUT(host->recording() && host->recording()->frame_count() == 5,
                                 patience);
        window->raisePanel("viewDock");
        auto s = views()->settings();
        s.cut = ViewSettings::Cut::clip;
        apply(s);
        auto* hint = child<QLabel>("cutHint");
        const QString shows = "The cut face shows what the wall shows.";
        QCOMPARE(hint->text(), shows);
        scrub(2);
        QCOMPARE(views()->noteOf(Quantity::potential),
                 QString("Cut face grey: only the wall is recorded"));
        QCOMPARE(hint->text(), views()->noteOf(Quantity::potential) + '.');
        follow();
        QCOMPARE(hint->text(), shows);
        scrub(2);
        show(Quantity::activation); // of the run: known inside
        QCOMPARE(hint->text(), shows);
        show(Quantity::velocity);
        QCOMPARE(hint->text(), QString("Cut face grey: the velocity is known on the wall only."));
    }

    /// The phase of a paused run comes later than the bull's-eye asks for it.
    void theBullseyeFillsWhenThePhaseArrives()
    {
        simulation::Session s;
        s.name = "heart";
        s.mesh = simulation::MeshEmbedded{};
        s.scheme = diffusion::Scheme::p1;
        s.dt_ms = 0.05;
        simulation::Stimulus lateral; // tissue at rest keeps its phase
        lateral.name = "LV lateral";
        lateral.region = simulation::Sphere{{28, 0, -20}, 8};
        s.stimuli = {lateral};
        const auto file = dir.filePath("heart.json");
        simulation::write_session(s, file.toStdString());
        const auto run = host->scene()->run;
        window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(host->scene()->run > run && views()->ready(), 2 * patience);
        QVERIFY(views()->hasSegments());
        window->raisePanel("viewDock");
        auto* plot = child<ViewPanel>()->findChild<BullseyePlot*>(); // studies have one, too
        const auto known = [plot] {
            return std::all_of(plot->values().begin(), plot->values().end(),
                               [](double v) { return std::isfinite(v); });
        };
        runUntil(30); // the phase takes V 25 ms before
        show(Quantity::phase);
        QTRY_VERIFY_WITH_TIMEOUT(!views()->values(Quantity::phase).empty(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(known(), patience);
        const auto before = plot->values();
        host->step(1); // while paused each step is shown
        QTRY_VERIFY_WITH_TIMEOUT(plot->values() != before, patience);
    }

    /// Edits that are undone and redone take no sample of a curve away.
    void curvesSurviveUndo()
    {
        auto* d = window->document();
        auto& undo = d->edits().stack();
        const auto* plot = child<TracePlot>();
        const auto& probes = window->probes()->entries();
        const auto samples = [&] {
            return probes.size() == 1 ? plot->sampleCount(probes[0].id).value_or(0) : 0;
        };
        d->addProbe("P", {10, 5, 1});
        QTRY_COMPARE(probes.size(), std::size_t{1});
        runUntil(3);
        QTRY_VERIFY_WITH_TIMEOUT(samples() > 20, patience);
        const auto at_rest = [&] { return plot->valueAt(probes.at(0).id, 1).has_value(); };
        QVERIFY(at_rest());
        addScar();
        undo.undo();
        QVERIFY(samples() > 20);
        const auto kept = samples();
        d->moveProbe("P", {5, 5, 1});
        QTRY_COMPARE_WITH_TIMEOUT(samples(), std::size_t{0}, patience);
        runUntil(4);
        QTRY_VERIFY_WITH_TIMEOUT(samples() > 2, patience);
        QVERIFY(!at_rest());
        undo.undo();
        QTRY_VERIFY_WITH_TIMEOUT(samples() > kept && at_rest(), patience);
        const auto whole = samples();
        d->removeProbe("P", probes[0].id);
        QTRY_VERIFY_WITH_TIMEOUT(probes.empty(), patience);
        undo.undo();
        QTRY_VERIFY_WITH_TIMEOUT(samples() >= whole && at_rest(), patience);
        undo.undo(); // as before it was placed
        QTRY_VERIFY_WITH_TIMEOUT(probes.empty(), patience);
        undo.redo();
        QTRY_VERIFY_WITH_TIMEOUT(samples() >= whole && at_rest(), patience);
    }
    /// What is at rest is not measured again.
    void anIdleWindowDoesNothing()
    {
        window->document()->addProbe("P", {10, 5, 1});
        window->raisePanel("beatsDock");
        QSignalSpy measured(host.get(), &EngineHost::beatsMeasured);
        runUntil(3);
        QTRY_VERIFY_WITH_TIMEOUT(host->status().state != EngineHost::State::running, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!measured.isEmpty(), patience);
        QTest::qWait(900); // two looks at what there is
        measured.clear();
        QTest::qWait(1300);
        QCOMPARE(measured.size(), 0);
        runUntil(4);
        QTRY_VERIFY_WITH_TIMEOUT(!measured.isEmpty(), patience);
        measured.clear();
        host->reset();
        QTRY_VERIFY_WITH_TIMEOUT(!measured.isEmpty(), patience);
    }
    /// The opacity that is said is the one that is drawn.
    void thePanelSaysTheOpacityThatIsDrawn()
    {
        auto *text = child<QLabel>("opacityText"), *hint = child<QLabel>("opacityHint");
        auto* slider = child<QSlider>("opacity");
        const auto drawn = [this] { // of what is drawn the most transparent: the wall
            double least = 1;
            auto* actors = window->view()->scene().renderer()->GetActors();
            actors->InitTraversal();
            while (auto* a = actors->GetNextActor())
                least = std::min(least, a->GetVisibility() ? a->GetProperty()->GetOpacity() : 1.0);
            return least;
        };
        QCOMPARE(text->text(), QString("100 %"));
        QVERIFY(hint->text().isEmpty());
        window->raisePanel("viewDock");
        const auto boxes = [this] { // what a click may be meant for
            QCoreApplication::processEvents();
            QList<QPoint> at;
            for (const char* name : {"opacity", "depolarised", "fibres", "filaments", "arrows"})
                at << child<QWidget>(name)->mapTo(window.get(), QPoint());
            return at;
        };
        const auto before = boxes();
        child<QCheckBox>("filaments")->setChecked(true);
        QCOMPARE(boxes(), before);
        QCOMPARE(text->text(), QString("45 %"));
        QCOMPARE(drawn(), 0.45);
        QCOMPARE(hint->text(), QString("At most 45 % while filaments are shown."));
        QCOMPARE(slider->value(), 100); // what it goes back to
        slider->setValue(30);
        QCOMPARE(text->text(), QString("30 %"));
        QCOMPARE(drawn(), 0.3);
        QVERIFY(hint->text().isEmpty());
        slider->setValue(80);
        QCOMPARE(text->text(), QString("45 %"));
        auto s = views()->settings();
        s.fibres = ViewSettings::Fibres::glyphs;
        apply(s);
        QCOMPARE(hint->text(), QString("At most 45 % while fibres and filaments are shown."));
        s.cut = ViewSettings::Cut::slice;
        apply(s);
        QCOMPARE(text->text(), QString("25 %"));
        QCOMPARE(hint->text(), QString("At most 25 % around a slice."));
        QCOMPARE(boxes(), before);
        QCOMPARE(drawn(), 0.25);
        s.cut = ViewSettings::Cut::none;
        s.fibres = ViewSettings::Fibres::none;
        s.filaments = false;
        apply(s);
        QCOMPARE(text->text(), QString("80 %"));
        QCOMPARE(drawn(), 0.8);
        QVERIFY(hint->text().isEmpty());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestMoments>(argc, argv);
}
#include "test_moments.moc"
