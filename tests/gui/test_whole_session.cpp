// SPDX-License-Identifier: GPL-3.0-or-later
// A whole session, as a user has it, on the real engine with a small mesh: open, pace, maps,
// record, picture, movie, numbers, report, scar and drug while it runs, film, save, reopen. What it
// leaves is checked.
#include "app/export/movie_dialog.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/real_engine.hpp"
#include "app/saving_controller.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/movie/movie_reader.hpp"
#include "tests/simulation/igb_reader.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QRegularExpression>

#include <cmath>

using namespace tawara;
using simulation::Session;
using State = EngineHost::State;

namespace {

constexpr int patience = 120000; // [ms] of wall time for what takes a second on an idle machine

/// A slab that is quick to compute; nothing paces it yet.
Session slab()
{
    Session s;
    s.name = "whole session";
    s.mesh = simulation::MeshSlab{{20, 10, 2}, 0.5};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].variant = "epi";
    s.dt_ms = 0.05;
    s.end_ms = 1000;
    return s;
}

void append_scar_and_drug(Session& s)
{
    simulation::Region scar;
    scar.model.clear();
    scar.kind = "scar_core";
    scar.conductivity_scale = 0.05;
    scar.where = simulation::Sphere{{10, 5, 1}, 3};
    s.regions.push_back(scar);
    s.drugs.push_back({"I_Kr block", {{"g_Kr", 0.5}}});
}

} // namespace

class TestWholeSession : public QObject
{
    Q_OBJECT
    fake::WindowFixture surroundings; // settings in a folder of its own, VTK's errors
    QTemporaryDir dir;
    std::unique_ptr<EngineHost> host;
    std::unique_ptr<MainWindow> window;
    QString file(const char* name) const { return dir.filePath(QLatin1String(name)); }

    void open(const QString& path);
    void runTo(double ms);
    void pace();
    void maps();
    void pictureAndMovie();
    void numbersAndReports();
    void scarAndDrug();
    void film();
    void reopened();

  private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", dir.path().toUtf8());
        simulation::write_session(slab(), file("slab.json").toStdString());
    }
    void cleanupTestCase()
    {
        window.reset();
        host.reset();
        QVERIFY2(surroundings.errors->text.empty(), surroundings.errors->text.c_str());
    }
    void everythingInARow()
    {
        open(file("slab.json"));
        for (auto step :
             {&TestWholeSession::pace, &TestWholeSession::maps, &TestWholeSession::pictureAndMovie,
              &TestWholeSession::numbersAndReports, &TestWholeSession::scarAndDrug,
              &TestWholeSession::film, &TestWholeSession::reopened})
            if (!QTest::currentTestFailed())
                (this->*step)();
    }
};

/// A new window with an engine of its own.
void TestWholeSession::open(const QString& path)
{
    window.reset();
    simulation::EngineOptions options;
    options.devices = "cpu";
    host = std::make_unique<EngineHost>(real_engine(options), session_opener());
    window = std::make_unique<MainWindow>(host.get());
    window->resize(1280, 800);
    window->setAutoPlay(false);
    window->show();
    QVERIFY(QTest::qWaitForWindowExposed(window.get()));
    window->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(host->scene() && window->viewController()->ready(), patience);
    QTRY_VERIFY_WITH_TIMEOUT(window->view()->framesDrawn() > 0, patience);
}

/// Runs on to a time of the simulation and waits for it.
void TestWholeSession::runTo(double ms)
{
    host->runUntil(ms);
    QTRY_VERIFY_WITH_TIMEOUT(
        host->status().time_ms >= ms - 0.1 && host->status().state == State::paused, patience);
}

/// A site by a click and one by hand, a probe.
void TestWholeSession::pace()
{
    QSignalSpy refused(window->document(), &Document::refused);
    window->view()->scene().look(scene::View::superior);
    window->setMode(ClickMode::site);
    QTest::mouseClick(window->view(), Qt::LeftButton, {},
                      fake::pixel_of(*window->view(), {2, 5, 2}));
    QTRY_COMPARE(window->document()->session().stimuli.size(), 1U);
    auto& edits = window->document()->edits();
    edits.edit("site", [](Session& s) {
        simulation::Stimulus x;
        x.name = "S2";
        x.region = simulation::Sphere{{19, 9, 1}, 2};
        x.start_ms = 300;
        x.amplitude_pA_per_pF = 30;
        s.stimuli.push_back(x);
    });
    edits.stack().undo();
    edits.stack().redo();
    window->document()->addProbe("far", {18, 5, 2});
    QTRY_COMPARE_WITH_TIMEOUT(window->probes()->rowCount(), 1, patience);
    QTRY_VERIFY_WITH_TIMEOUT(host->scene()->session.stimuli.size() == 2, patience);
    QTRY_VERIFY_WITH_TIMEOUT(!host->status().changing_tissue, patience);
    QCOMPARE(refused.count(), 0);
}

/// Two views: V, and activation as it is computed; the wave crosses the slab.
void TestWholeSession::maps()
{
    ViewSettings look = window->viewController()->settings();
    look.count = 2;
    look.shown[1] = Quantity::activation;
    look.style(Quantity::potential).map = "viridis";
    window->viewController()->setSettings(look);
    host->watchMaps(true);
    window->view()->scene().look(scene::View::oblique);
    QTRY_COMPARE_WITH_TIMEOUT(window->views()->count(), 2, patience);
    host->startRecording(1, 64 << 20);
    runTo(60);
    const quint64 id = window->probes()->entries()[0].id;
    QTRY_VERIFY_WITH_TIMEOUT(window->plot()->valueAt(id, 55).value_or(-90) > -20, patience);
    const auto last = [&] { // of the newest map that arrived; -1: of nothing
        double t_ms = -1;
        for (float t : window->viewController()->values(Quantity::activation))
            if (std::isfinite(t))
                t_ms = std::max(t_ms, static_cast<double>(t));
        return t_ms;
    };
    QTRY_VERIFY2_WITH_TIMEOUT(last() > 15, qPrintable(QString::number(last())), patience);
    QVERIFY2(last() < 60, qPrintable(QString::number(last())));
    QTRY_COMPARE(window->document()->captures().at(0).last, CaptureState::Last::captured);

    const auto recording = host->recording();
    QVERIFY(recording);
    QTRY_COMPARE_WITH_TIMEOUT(recording->frame_count(), std::size_t{61}, patience);
    float low = 0, high = -100;
    for (std::size_t k = 10; k < recording->frame_count(); ++k) { // after the stimulus
        const auto frame = recording->frame(k);
        const auto [a, b] = std::minmax_element(frame->values.begin(), frame->values.end());
        low = std::min(low, *a);
        high = std::max(high, *b);
    }
    QVERIFY2(low > -95 && low < -80, qPrintable(QString::number(low)));
    QVERIFY2(high > 10 && high < 60, qPrintable(QString::number(high)));
}

void TestWholeSession::pictureAndMovie()
{
    QString why;
    const QImage image = window->exporting()->pictureOfHeart({{960, 540}}, &why);
    QVERIFY2(!image.isNull(), qPrintable(why));
    QCOMPARE(writePicture(image, file("heart.png")), QString());
    QCOMPARE(QImage(file("heart.png")).size(), QSize(960, 540));
    const QImage whole = window->picture(true);
    QCOMPARE(writePicture(whole, file("window.png")), QString());
    QCOMPARE(QImage(file("window.png")).size(), whole.size());

    MovieDialog movie(
        host->recording(),
        [this](const simulation::RecordedFrame& f, const QSize& size, QString* reason) {
            window->view()->setValues(f.values, f.time_ms);
            return window->exporting()->pictureOfHeart({size}, reason);
        },
        QSize(480, 270));
    movie.findChild<QDoubleSpinBox*>("speed")->setValue(60); // 2 ms a frame
    QSignalSpy written(&movie, &MovieDialog::written);
    movie.make(file("wave.mp4"));
    QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience);
    const auto m = test::decode_movie(file("wave.mp4").toStdString());
    QCOMPARE(m.frames.size(), std::size_t{31});
    QCOMPARE(m.width, 480);
    QCOMPARE(m.height, 270);
    double change = 0;
    for (std::size_t i = 0; i < m.frames[0].size(); ++i)
        change += std::abs(m.frames[0][i] - m.frames[20][i]);
    QVERIFY2(change / static_cast<double>(m.frames[0].size()) > 1, "the wave moved");
}

void TestWholeSession::numbersAndReports()
{
    QSignalSpy exported(host.get(), &EngineHost::exported);
    host->exportResults("frames-igb", file("wave.igb"));
    host->exportResults("maps-csv", file("maps.csv"));
    host->exportResults("traces-csv", file("traces.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 3, patience);
    for (const auto& e : exported)
        QVERIFY2(e[1].toString().isEmpty(), qPrintable(e[1].toString()));
    const auto igb = test::read_igb(file("wave.igb").toStdString());
    QCOMPARE(igb.t, 61);
    QCOMPARE(igb.inc_t, 1.0);
    QFile csv(file("traces.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QVERIFY(csv.readAll().startsWith("time_ms,far\n"));
    for (const char* name : {"report.pdf", "report.html"}) {
        window->exporting()->makeReport(file(name));
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(file(name)).size() > 10000, patience);
    }
}

/// While it runs.
void TestWholeSession::scarAndDrug()
{
    QSignalSpy refused(window->document(), &Document::refused);
    host->play();
    window->document()->edits().edit("scar", append_scar_and_drug);
    QTRY_VERIFY_WITH_TIMEOUT(host->scene()->session.drugs.size() == 1 &&
                                 host->scene()->session.regions.size() == 2,
                             patience);
    const auto* messages = window->findChild<MessageBar*>();
    QVERIFY2(messages->level() != MessageBar::Level::error || !messages->isVisible(),
             qPrintable(messages->text()));
    host->pause();
    QTRY_COMPARE_WITH_TIMEOUT(host->status().state, State::paused, patience);
    QTRY_VERIFY_WITH_TIMEOUT(!host->status().changing_tissue, patience);
    QTRY_VERIFY(!window->viewController()->values(Quantity::regions).empty());
    QCOMPARE(refused.count(), 0);
    // what lies on a region with a model has a velocity as well, of the model beneath
    auto* tissue = window->findChild<TissuePanel*>();
    const auto said = [&] { return tissue->findChild<QLabel*>("velocity")->text(); };
    tissue->choose(1);
    QTRY_VERIFY2_WITH_TIMEOUT(said().contains("m/s"), qPrintable(said()), patience);
    const QRegularExpression over(
        "^Over “.*epi.*”, conduction along fibre, sheet, normal: 0\\.1\\d, ");
    QVERIFY2(said().contains(over), qPrintable(said()));
    window->document()->edits().edit("dead",
                                     [](Session& s) { s.regions[1].conductivity_scale = 1e-6; });
    QTRY_COMPARE_WITH_TIMEOUT(said(), QString("A scar: no wave enters it, waves go around."),
                              patience);
    window->document()->edits().stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(said().contains(over), patience);
}

/// A film of the screen.
void TestWholeSession::film()
{
    window->exporting()->filmScreen(file("film.webm"));
    QVERIFY(window->exporting()->filming());
    runTo(host->status().time_ms + 10);
    window->exporting()->endFilm();
    QTRY_VERIFY_WITH_TIMEOUT(!window->exporting()->filming(), patience);
    QVERIFY(!test::decode_movie(file("film.webm").toStdString()).frames.empty());
}

/// In the same window, and by another program: it is as it was, and runs.
void TestWholeSession::reopened()
{
    const auto camera = window->views()->view(0)->scene().camera();
    QCOMPARE(window->saving()->save(file("saved.json")), QString());
    const auto run = host->scene()->run;
    window->open(file("saved.json"));
    QTRY_VERIFY_WITH_TIMEOUT(host->scene()->run > run && window->viewController()->ready(),
                             patience);
    QTRY_COMPARE_WITH_TIMEOUT(window->probes()->rowCount(), 1, patience);
    QCOMPARE(window->views()->count(), 2);

    open(file("saved.json"));
    const Session& s = host->scene()->session;
    QCOMPARE(s.stimuli.size(), std::size_t{2});
    QCOMPARE(QString::fromStdString(s.stimuli[1].name), QString("S2"));
    QCOMPARE(s.regions.size(), std::size_t{2});
    QCOMPARE(QString::fromStdString(s.regions[1].kind), QString("scar_core"));
    QCOMPARE(s.regions[1].conductivity_scale.fibre, 0.05);
    QCOMPARE(s.drugs.size(), std::size_t{1});
    QCOMPARE(s.drugs[0].factors.at(0).second, 0.5);
    QCOMPARE(s.probes.size(), std::size_t{1});
    QTRY_COMPARE_WITH_TIMEOUT(window->probes()->rowCount(), 1, patience);
    QTRY_COMPARE_WITH_TIMEOUT(window->views()->count(), 2, patience);
    const auto& look = window->viewController()->settings();
    QCOMPARE(look.shownIn(1), Quantity::activation);
    QCOMPARE(look.style(Quantity::potential).map, QString("viridis"));
    const auto stands = window->views()->view(0)->scene().camera();
    QVERIFY2(norm(stands.position - camera.position) < 1e-3, "the camera stands as it stood");
    runTo(5);
}

int main(int argc, char** argv)
{
    return fake::run<TestWholeSession>(argc, argv);
}
#include "test_whole_session.moc"
