// SPDX-License-Identifier: GPL-3.0-or-later
// A whole session, as a user has it, on the real engine with a small mesh: open, pace, scar, drug,
// maps, record, picture, movie, report, export, save, reopen. What it leaves is checked.
#include "app/export/movie_dialog.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/real_engine.hpp"
#include "engine/simulation/recording.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/movie/movie_reader.hpp"
#include "tests/simulation/igb_reader.hpp"

#include <QDoubleSpinBox>
#include <QJsonDocument>

#include <cmath>

using namespace tawara;
using simulation::Session;

namespace {

constexpr const char* slab = R"({"schema": 1, "name": "a session",
  "mesh": {"slab_mm": [20, 14, 3], "spacing_mm": 1},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.6, "sheet": 0.3, "normal": 0.3}}]},
  "diffusion": {"scheme": "p1"}, "reaction": {"scheme": "rush_larsen_light"},
  "time": {"dt_ms": 0.02, "end_ms": 400},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [2, 14, 3]]}, "start_ms": 1,
               "duration_ms": 2, "amplitude_pA_per_pF": 30}]})";

constexpr int patience = 60000; // [ms] of wall time for what takes a second on an idle machine

} // namespace

class TestSessionScript : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;
    vtkNew<fake::VtkErrors> errors;
    QString file(const char* name) const { return dir.filePath(QLatin1String(name)); }

    static void keep(const QImage& image, const char* name)
    {
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            image.save(folder + "/" + name);
    }
    /// Runs on to a time of the simulation and waits for it.
    static void runTo(EngineHost& host, double ms)
    {
        host.runUntil(ms);
        QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= ms - 0.02 &&
                                     host.status().state == EngineHost::State::paused,
                                 patience);
    }
    void open(MainWindow& w, EngineHost& host, const QString& path)
    {
        w.resize(1280, 800);
        w.setAutoPlay(false);
        w.show();
        QVERIFY(QTest::qWaitForWindowExposed(&w));
        w.open(path);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && w.viewController()->ready(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(w.view()->framesDrawn() > 0, patience);
    }
    void editTissue(MainWindow& w, EngineHost& host);
    void leaveWithResults(MainWindow& w, EngineHost& host);

  private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, dir.path());
        qputenv("XDG_CACHE_HOME", dir.path().toUtf8());
        QFile f(file("slab.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(slab);
        vtkOutputWindow::SetInstance(errors);
    }
    void cleanupTestCase()
    {
        QVERIFY2(errors->text.empty(), errors->text.c_str());
        vtkOutputWindow::SetInstance(nullptr);
    }

    void wholeSession()
    {
        simulation::EngineOptions options;
        options.devices = "cpu";
        {
            EngineHost host(real_engine(options), open_session);
            MainWindow w(&host);
            open(w, host, file("slab.json"));
            editTissue(w, host);
            if (QTest::currentTestFailed())
                return;
            leaveWithResults(w, host);
            if (QTest::currentTestFailed())
                return;
            QCOMPARE(w.saveSession(file("saved.json")), QString());
        }
        // reopened by another program
        EngineHost host(real_engine(options), open_session);
        MainWindow w(&host);
        open(w, host, file("saved.json"));
        const Session& s = host.scene()->session;
        QCOMPARE(s.stimuli.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(s.stimuli[1].name), QString("S2"));
        QCOMPARE(s.regions.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(s.regions[1].kind), QString("scar_core"));
        QCOMPARE(s.regions[1].conductivity_scale, 0.05);
        QCOMPARE(s.drugs.size(), std::size_t{1});
        QCOMPARE(s.drugs[0].factors.at(0).second, 0.5);
        QCOMPARE(s.probes.size(), std::size_t{1});
        QTRY_COMPARE_WITH_TIMEOUT(w.probes()->rowCount(), 1, patience);
        QTRY_COMPARE_WITH_TIMEOUT(w.views()->count(), 2, patience);
        QCOMPARE(w.viewController()->settings().shownIn(1), Quantity::activation);
        QCOMPARE(w.viewController()->settings().style(Quantity::potential).map, QString("viridis"));
        const auto camera = w.views()->view(0)->scene().camera();
        QVERIFY2(norm(camera.position - m_camera.position) < 1e-3, "the camera stands as it stood");
        runTo(host, 5); // and it runs
        QVERIFY(host.status().time_ms >= 4.9);
    }

  private:
    scene::CameraPose m_camera;
};

void TestSessionScript::editTissue(MainWindow& w, EngineHost& host)
{
    // a second pacing site, a scar in the middle, a drug, a probe
    QSignalSpy refused(w.document(), &Document::refused);
    auto& edits = w.document()->edits();
    edits.edit("site", [](Session& s) {
        simulation::Stimulus x;
        x.name = "S2";
        x.region = simulation::Sphere{{19, 13, 1.5}, 2};
        x.start_ms = 300;
        x.amplitude_pA_per_pF = 30;
        s.stimuli.push_back(x);
    });
    edits.edit("scar", [](Session& s) {
        simulation::Region scar;
        scar.model.clear();
        scar.name = "scar";
        scar.kind = "scar_core";
        scar.where = simulation::Sphere{{10, 7, 1.5}, 3};
        scar.conductivity_scale = 0.05;
        s.regions.push_back(scar);
    });
    edits.edit("drug", [](Session& s) { s.drugs.push_back({"blocker", {{"g_Kr", 0.5}}}); });
    w.document()->addProbe("far", {18, 7, 3});
    QTRY_COMPARE_WITH_TIMEOUT(w.probes()->rowCount(), 1, patience);
    QTRY_VERIFY_WITH_TIMEOUT(host.scene()->session.drugs.size() == 1 &&
                                 host.scene()->session.regions.size() == 2 &&
                                 host.scene()->session.stimuli.size() == 2,
                             patience);
    QTRY_VERIFY_WITH_TIMEOUT(!host.status().changing_tissue, patience);
    QCOMPARE(refused.count(), 0);
    // undone and done again
    edits.stack().undo();
    edits.stack().redo();

    // two views: V, and activation as it is computed
    ViewSettings look = w.viewController()->settings();
    look.count = 2;
    look.shown[1] = Quantity::activation;
    look.style(Quantity::potential).map = "viridis";
    w.viewController()->setSettings(look);
    host.watchMaps(true);
    w.view()->scene().look(scene::View::oblique);
    QTRY_COMPARE_WITH_TIMEOUT(w.views()->count(), 2, patience);
}

void TestSessionScript::leaveWithResults(MainWindow& w, EngineHost& host)
{
    QSignalSpy maps(&host, &EngineHost::mapsArrived);
    host.startRecording(1, 64 << 20);
    runTo(host, 60);
    QTRY_VERIFY_WITH_TIMEOUT(!maps.isEmpty(), patience);
    // the wave has crossed the slab, later at the far end, and late in the scar
    QTRY_VERIFY_WITH_TIMEOUT(!w.viewController()->values(Quantity::activation).empty(), patience);
    const auto recording = host.recording();
    QVERIFY(recording);
    QTRY_COMPARE_WITH_TIMEOUT(recording->frame_count(), std::size_t{61}, patience);
    float low = 0, high = -100;
    for (std::size_t k = 0; k < recording->frame_count(); ++k) {
        const auto frame = recording->frame(k);
        for (float v : frame->values) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    }
    QVERIFY2(low > -95 && low < -80, qPrintable(QString::number(low)));
    QVERIFY2(high > 10 && high < 60, qPrintable(QString::number(high)));

    // picture
    QString why;
    const QImage image = w.pictureOfHeart({{960, 540}}, &why);
    QVERIFY2(!image.isNull(), qPrintable(why));
    keep(image, "script-picture.png");
    keep(w.picture(true), "script-window.png");
    QCOMPARE(writePicture(image, file("heart.png")), QString());
    QCOMPARE(QImage(file("heart.png")).size(), QSize(960, 540));
    m_camera = w.views()->view(0)->scene().camera();

    // movie of the recording
    MovieDialog movie(
        recording,
        [&w](const simulation::RecordedFrame& f, const QSize& size, QString* reason) {
            w.view()->setValues(f.values, f.time_ms);
            return w.pictureOfHeart({size}, reason);
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

    // numbers
    QSignalSpy exported(&host, &EngineHost::exported);
    host.exportResults("frames-igb", file("wave.igb"));
    host.exportResults("maps-csv", file("maps.csv"));
    host.exportResults("traces-csv", file("traces.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 3, patience);
    for (const auto& e : exported)
        QVERIFY2(e[1].toString().isEmpty(), qPrintable(e[1].toString()));
    const auto igb = test::read_igb(file("wave.igb").toStdString());
    QCOMPARE(igb.t, 61);
    QCOMPARE(igb.inc_t, 1.0);
    QFile csv(file("traces.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QVERIFY(csv.readAll().startsWith("time_ms,far\n"));

    // report
    for (const char* name : {"report.pdf", "report.html"}) {
        w.makeReport(file(name));
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(file(name)).size() > 10000, patience);
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            QFile::copy(file(name), folder + "/script-" + name);
    }

    // a film of the screen
    w.filmScreen(file("film.webm"));
    QVERIFY(w.filming());
    runTo(host, 70);
    w.endFilm();
    QTRY_VERIFY_WITH_TIMEOUT(!w.filming(), patience);
    QVERIFY(!test::decode_movie(file("film.webm").toStdString()).frames.empty());
}

int main(int argc, char** argv)
{
    return fake::run<TestSessionScript>(argc, argv);
}
#include "test_session_script.moc"
