// SPDX-License-Identifier: GPL-3.0-or-later
// A whole session with the real engine, as a person would do it: open, pace, scar, drug, maps,
// picture, movie, save, reopen; what comes out is checked.
#include "app/export/movie_job.hpp"
#include "app/real_engine.hpp"
#include "engine/simulation/ecg.hpp"
#include "engine/simulation/recording.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/movie/movie_reader.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QFile>
#include <QSignalSpy>

#include <cmath>

using namespace tawara;
using State = EngineHost::State;

namespace {

/// A slab that is quick to compute, paced at one end.
simulation::Session slab()
{
    simulation::Session s;
    s.name = "whole session";
    s.mesh = simulation::MeshSlab{{20, 10, 2}, 0.5};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].variant = "epi";
    s.dt_ms = 0.05;
    s.end_ms = 1000;
    return s;
}

} // namespace

class TestWholeSession : public QObject
{
    Q_OBJECT
    static void wait_until(EngineHost& host, double ms)
    {
        host.runUntil(ms);
        QTRY_VERIFY_WITH_TIMEOUT(
            host.status().time_ms >= ms - 0.1 && host.status().state == State::paused, 120000);
    }

  private Q_SLOTS:
    void everythingInARow()
    {
        const QTemporaryDir settings, folder;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        vtkNew<fake::VtkErrors> errors;
        vtkOutputWindow::SetInstance(errors);
        const QString file = folder.filePath("slab.json");
        simulation::write_session(slab(), file.toStdString());
        EngineHost host(real_engine({}), open_session);
        MainWindow window(&host);
        window.setAutoPlay(false);
        window.resize(1100, 760);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        auto* messages = window.findChild<MessageBar*>();

        // open
        window.open(file);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && window.viewController()->ready(), 60000);
        auto& edits = window.document()->edits();

        // pace: a site by a click, a probe
        window.view()->scene().look(scene::View::superior);
        window.setMode(ClickMode::site);
        QTest::mouseClick(window.view(), Qt::LeftButton, {},
                          fake::pixel_of(*window.view(), {2, 5, 2}));
        QTRY_COMPARE(window.document()->session().stimuli.size(), 1U);
        window.document()->addProbe("far", {18, 5, 2});
        QTRY_COMPARE(window.probes()->rowCount(), 1);

        // maps and two views
        auto* panel = window.findChild<ViewPanel*>();
        ViewSettings view = panel->settings();
        view.count = 2;
        panel->setSettings(view);
        Q_EMIT panel->changed(view);
        wait_until(host, 60);
        const quint64 id = window.probes()->entries()[0].id;
        QTRY_VERIFY(window.plot()->valueAt(id, 55).value_or(-90) > -20);
        const auto lastActivation = [&] { // of the newest map that arrived; -1: of nothing
            double last = -1;
            for (float t : window.viewController()->values(Quantity::activation))
                if (std::isfinite(t))
                    last = std::max(last, static_cast<double>(t));
            return last;
        };
        QTRY_VERIFY2(lastActivation() > 15, qPrintable(QString::number(lastActivation())));
        QVERIFY2(lastActivation() < 60, qPrintable(QString::number(lastActivation())));
        QTRY_COMPARE(window.document()->captures().at(0).last, CaptureState::Last::captured);

        // a scar and a drug, while it runs
        host.play();
        edits.edit("scar", [](simulation::Session& s) {
            simulation::Region scar;
            scar.model.clear();
            scar.kind = "scar_core";
            scar.conductivity_scale = 0.01;
            scar.where = simulation::Sphere{{10, 5, 1}, 3};
            s.regions.push_back(scar);
            s.drugs.push_back({"I_Kr block", {{"g_Kr", 0.5}}});
        });
        QTRY_VERIFY_WITH_TIMEOUT(host.scene()->session.drugs.size() == 1, 60000);
        QVERIFY2(messages->level() != MessageBar::Level::error || !messages->isVisible(),
                 qPrintable(messages->text()));
        host.pause();
        QTRY_COMPARE_WITH_TIMEOUT(host.status().state, State::paused, 20000);
        QTRY_VERIFY(!window.viewController()->values(Quantity::regions).empty());

        // picture
        QString why;
        PictureOptions o;
        o.size = {640, 360};
        const QImage image = window.pictureOfHeart(o, &why);
        QVERIFY2(image.size() == o.size, qPrintable(why));
        QCOMPARE(savePicture(image, folder.filePath("heart.png")), QString());

        // movie of the recorded frames
        const auto recording = host.recording();
        QVERIFY(recording && recording->frame_count() > 20);
        float low = 1e9F, high = -1e9F;
        const auto middle = recording->at(30);
        for (float v : middle->values)
            low = std::min(low, v), high = std::max(high, v);
        QVERIFY2(low < -70 && low > -100 && high > 0 && high < 60, "V within its physical range");
        const QString movie = folder.filePath("wave.mp4");
        MovieJob job(recording, {0, 40, 40}, movie, {320, 180, 20, 60, "slab"},
                     [&](const simulation::RecordedFrame& f, const QSize& size, QString* reason) {
                         window.view()->setValues(f.values, f.time_ms);
                         PictureOptions p;
                         p.size = size;
                         return takePicture(*window.view(), p, reason);
                     });
        QSignalSpy written(&job, &MovieJob::written), failed(&job, &MovieJob::failed);
        job.start();
        QTRY_VERIFY_WITH_TIMEOUT(written.size() + failed.size() > 0, 120000);
        QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed[0][0].toString()));
        const auto decoded = test::decode_movie(movie.toStdString());
        QCOMPARE(static_cast<qint64>(decoded.frames.size()), job.frameCount());
        QCOMPARE(decoded.width, 320);
        QVERIFY2(decoded.frames.front() != decoded.frames.back(), "the wave moves");

        // save, reopen
        const QString saved = folder.filePath("saved.json");
        QCOMPARE(window.saveSession(saved), QString());
        const auto run = host.scene()->run;
        window.open(saved);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene()->run > run && window.viewController()->ready(),
                                 60000);
        const auto& back = window.document()->session();
        QCOMPARE(back.stimuli.size(), 1U);
        QCOMPARE(back.regions.size(), 2U);
        QCOMPARE(back.drugs.size(), 1U);
        QTRY_COMPARE(window.probes()->rowCount(), 1);
        QCOMPARE(window.views()->count(), 2);
        QVERIFY2(errors->text.empty(), errors->text.c_str());
        vtkOutputWindow::SetInstance(nullptr);
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestWholeSession>(argc, argv);
}
#include "test_whole_session.moc"
