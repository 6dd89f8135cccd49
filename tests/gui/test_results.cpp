// SPDX-License-Identifier: GPL-3.0-or-later
// What a user leaves with: pictures, movies, reports.
#include "app/export/job.hpp"
#include "app/export/live_movie.hpp"
#include "app/export/movie_dialog.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/export/save_dialog.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/results/export.hpp"
#include "tests/gui/results_test.hpp"
#include "tests/movie/movie_reader.hpp"
#include "widgets/scene/overlays.hpp"
#include "widgets/view3d/picture.hpp"
#include "widgets/view3d/stand_in.hpp"
#include "widgets/view3d/view_grid.hpp"

#include <QClipboard>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTextDocument>

#include <cmath>

using namespace tawara;
using fake::values;

namespace {

/// Mean colour of a picture.
std::array<double, 3> mean(const QImage& image)
{
    std::array<double, 3> sum{};
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QRgb c = image.pixel(x, y);
            sum[0] += qRed(c), sum[1] += qGreen(c), sum[2] += qBlue(c);
        }
    for (double& s : sum)
        s /= image.width() * image.height();
    return sum;
}

} // namespace

class TestResults : public fake::ResultsTest
{
    Q_OBJECT
  private Q_SLOTS:
    void picturesOfAnySize_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("wide") << QSize(1280, 400);
        QTest::newRow("small, odd") << QSize(161, 121);
        QTest::newRow("large") << QSize(2560, 1440);
    }
    void picturesOfAnySize()
    {
        QFETCH(QSize, size);
        HeartView v;
        show(v);
        const QImage before = v.finePicture();
        PictureOptions o;
        o.size = size;
        QString why;
        const QImage image = takePicture(v, o, &why);
        QVERIFY2(!image.isNull(), qPrintable(why));
        QCOMPARE(image.size(), size);
        QVERIFY(!image.hasAlphaChannel());
        keep(image, QTest::currentDataTag()[0] == 'w' ? "wide.png" : "large.png");
        // the heart is in it, and its colours are those on screen
        const QImage same =
            takePicture(v, {before.size(), false, true, v.devicePixelRatioF()}, &why);
        QVERIFY2(fake::difference(before, same) < 2.0,
                 qPrintable(QString::number(fake::difference(before, same))));
        // and what is on screen is as it was
        QVERIFY(fake::difference(before, v.finePicture()) < 0.5);
        QCOMPARE(v.renderWindow()->GetSize()[0], qRound(500 * v.devicePixelRatioF()));
    }

    void withoutBackgroundAndAnnotations()
    {
        HeartView v;
        show(v);
        PictureOptions o;
        o.size = {640, 480};
        const QImage whole = takePicture(v, o);
        o.annotations = false;
        const QImage bare = takePicture(v, o);
        keep(bare, "bare.png");
        QVERIFY(fake::difference(whole, bare) > 0.1);
        o.transparent = true;
        const QImage clear = takePicture(v, o);
        keep(clear, "clear.png");
        QVERIFY(clear.hasAlphaChannel());
        QCOMPARE(qAlpha(clear.pixel(2, 2)), 0);
        QCOMPARE(qAlpha(clear.pixel(638, 240)), 0); // no colour bar
        int solid = 0, edge = 0, pale = 0, other = 0;
        for (int y = 0; y < 480; ++y)
            for (int x = 0; x < 640; ++x) {
                const QRgb c = clear.pixel(x, y);
                solid += qAlpha(c) == 255;
                edge += qAlpha(c) > 0 && qAlpha(c) < 255;
                // edges have the heart's colours, too: nothing of the background is in them
                pale += qAlpha(c) > 0 && qAlpha(c) < 255 && qBlue(c) > 150;
                // inside, the colours are those of the picture with a background, but for edges of
                // the heart in front of itself
                other += qAlpha(c) == 255 && std::abs(qRed(c) - qRed(bare.pixel(x, y))) > 2;
            }
        QVERIFY(solid > 20000);
        QVERIFY2(other < solid / 50, qPrintable(QString::number(other)));
        QCOMPARE(pale, 0);
        QVERIFY(edge > 100 && edge < 8000); // smooth, and only at the edges
        o.annotations = true;
        const QImage labelled = takePicture(v, o);
        keep(labelled, "clear-labelled.png");
        QVERIFY(fake::difference(labelled, clear) > 0.1);
        QCOMPARE(takePicture(v, {{640, 480}}).pixel(5, 470), whole.pixel(5, 470));
        // what is written can be read on the paper it is for, whatever the window's theme is
        o.dark_paper = true;
        const QImage slide = takePicture(v, o);
        keep(slide, "clear-slide.png");
        const auto brightest = [](const QImage& picture) { // of the letters of the colour bar
            int out = 0;
            for (int y = 0; y < 480; ++y)
                for (int x = 610; x < 640; ++x)
                    if (const QRgb c = picture.pixel(x, y); qAlpha(c) > 90)
                        out = std::max(out, std::min({qRed(c), qGreen(c), qBlue(c)}));
            return out;
        };
        QVERIFY2(brightest(labelled) < 60, qPrintable(QString::number(brightest(labelled))));
        QVERIFY2(brightest(slide) > 200, qPrintable(QString::number(brightest(slide))));
        QCOMPARE(v.scene().written().text, scene::SceneTheme{}.text); // and the view is as it was
    }

    /// A picture beside the screen has the lines and surfaces of the view, prepared in steps or
    /// not; VTK has nothing to warn of (cleanup()).
    void besideTheScreen()
    {
        HeartView v;
        show(v);
        scene::Lines across;
        for (const float y : {-60.0F, 60.0F}) { // before the bowl, wherever one looks from
            for (const float x : {-20.0F, 20.0F}) {
                across.points.insert(across.points.end(), {x, y, 0});
                across.values.push_back(1);
            }
            across.starts.push_back(static_cast<std::int32_t>(across.values.size()));
        }
        across.starts.insert(across.starts.begin(), 0);
        v.scene().overlays().set_lines(scene::Overlays::Kind::fibres, across,
                                       scene::color_map("viridis"), 0, 1, 4);
        QImage pictures[2];
        for (const int k : {0, 1}) {
            StandIn stand(v);
            StandIn::Options o;
            o.size = {480, 360};
            int steps = 0;
            while (k == 1 && !stand.prepare(o))
                ++steps;
            QVERIFY(k != 1 || steps >= 1);
            QCOMPARE(stand.begin(o, {}, 0), QString());
            std::optional<QImage> picture;
            QTRY_VERIFY([&] {
                picture = stand.take();
                return picture.has_value();
            }());
            pictures[k] = *picture;
        }
        keep(pictures[0], "beside.png");
        QCOMPARE(pictures[0], pictures[1]);
    }

    void refusesWhatCannotBeDrawn()
    {
        HeartView never;
        QString why;
        QVERIFY(takePicture(never, {}, &why).isNull());
        QVERIFY(why.contains("not drawn"));
        HeartView v;
        show(v);
        QVERIFY(takePicture(v, {{100000, 100}}, &why).isNull());
        QVERIFY2(why.contains("smaller"), qPrintable(why));
    }

    void fourViews()
    {
        ViewGrid grid({"V", "Activation"});
        grid.resize(700, 500);
        grid.setCount(4);
        grid.show();
        QVERIFY(QTest::qWaitForWindowExposed(&grid));
        grid.each([&](HeartView& v, int i) {
            v.setSurface(*bowl.mesh, *bowl.surface);
            v.setValues(values(bowl, 30 * (i + 1)), 30 * (i + 1));
        });
        QTRY_VERIFY(grid.view(3)->framesDrawn() > 0);
        QString why;
        const QImage image = takePicture(grid, {{1000, 800}}, &why);
        QVERIFY2(!image.isNull(), qPrintable(why));
        keep(image, "four.png");
        QCOMPARE(image.size(), QSize(1000, 800));
        // linked views look alike: the heart is as wide in each
        const auto width = [&](int x0) {
            int n = 0;
            for (int x = x0; x < x0 + 420; ++x) // without the colour bar
                n += qRed(image.pixel(x, 200)) > 60;
            return n;
        };
        QVERIFY2(std::abs(width(0) - width(501)) < 12,
                 qPrintable(QString("%1 %2").arg(width(0)).arg(width(501))));
        const auto a = mean(image.copy(0, 0, 499, 399)), b = mean(image.copy(501, 401, 499, 399));
        QVERIFY(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]) > 3);
    }

    void pictureDialog()
    {
        HeartView v;
        show(v);
        PictureDialog d(
            [&](const PictureOptions& o, QString* why) { return takePicture(v, o, why); },
            v.size());
        d.show();
        QCOMPARE(d.options().size, QSize(500, 400));
        d.findChild<QSpinBox*>("width")->setValue(800);
        d.findChild<QSpinBox*>("height")->setValue(600);
        QCOMPARE(d.copy(), QString());
        QCOMPARE(QGuiApplication::clipboard()->image().size(), QSize(800, 600));
        QCOMPARE(d.saveAs(dir.filePath("a.jpg")), QString());
        d.findChild<QAbstractButton*>("transparent")->setChecked(true);
        QVERIFY(d.saveAs(dir.filePath("b.jpg")).contains(".png"));
        QVERIFY(!QFile::exists(dir.filePath("b.jpg")));
        QCOMPARE(d.saveAs(dir.filePath("b.png")), QString());
        QVERIFY(QImage(dir.filePath("b.png")).hasAlphaChannel());
        QVERIFY(d.saveAs(dir.filePath("none/b.png")).contains("cannot be written"));
        keep(d.grab().toImage(), "picture-dialog.png");
    }

    void movieOfARecording()
    {
        HeartView v;
        show(v);
        MovieDialog d(
            recording,
            [&](const simulation::RecordedFrame& f, const QSize& size, QString* why) {
                v.setValues(f.values, f.time_ms);
                return takePicture(v, {size}, why);
            },
            QSize(321, 240));
        d.show();
        keep(d.grab().toImage(), "movie-dialog.png");
        d.findChild<QDoubleSpinBox*>("to")->setValue(100);
        d.findChild<QDoubleSpinBox*>("speed")->setValue(120); // 4 ms a frame at 30 a second
        QCOMPARE(d.range().toMs, 100.0);
        QSignalSpy written(&d, &MovieDialog::written), failed(&d, &MovieDialog::failed);
        const QString path = dir.filePath("m.mp4");
        const auto heights = [&d] {
            std::vector<int> out;
            for (auto* field : d.findChildren<QDoubleSpinBox*>())
                out.push_back(field->height());
            return out;
        };
        const auto before = heights();
        d.make(path);
        QVERIFY(d.busy());
        QApplication::processEvents();
        QCOMPARE(heights(), before); // the bar takes nothing from the fields
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, 30000);
        QCOMPARE(failed.count(), 0);
        QVERIFY(!d.busy());
        const auto m = test::decode_movie(path.toStdString());
        QCOMPARE(m.frames.size(), std::size_t{26}); // 0, 4, .. 100 ms
        QCOMPARE(m.width, 320);                     // an odd column is left out
        QCOMPARE(m.height, 240);
        double change = 0;
        for (std::size_t i = 0; i < m.frames[0].size(); ++i)
            change += std::abs(m.frames[0][i] - m.frames[25][i]);
        QVERIFY(change / static_cast<double>(m.frames[0].size()) > 2); // the wave moved
    }

    void movieOfTheScreen()
    {
        HeartView v;
        show(v);
        int drawn = 0;
        LiveMovie live(dir.filePath("live.mp4"), {320, 240, 20, 60, ""},
                       [&](const PictureOptions& o, QString* why) {
                           ++drawn;
                           v.setValues(values(bowl, 10 * drawn), 10 * drawn);
                           return takePicture(v, o, why);
                       });
        QSignalSpy written(&live, &LiveMovie::written);
        QElapsedTimer clock;
        clock.start();
        live.start();
        QTRY_VERIFY_WITH_TIMEOUT(drawn >= 8, 20000);
        const double seconds = static_cast<double>(clock.elapsed()) / 1e3;
        live.stop();
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, 20000);
        // as long as it was watched, however slowly it was drawn
        const auto m = test::decode_movie(dir.filePath("live.mp4").toStdString());
        QVERIFY2(std::abs(m.seconds - seconds) < 0.4 + 0.2 * seconds,
                 qPrintable(QString("%1 s, watched %2 s").arg(m.seconds).arg(seconds)));
        QCOMPARE(m.width, 320);
    }

    void movieGivenUp()
    {
        int drawn = 0;
        MovieDialog d(
            recording,
            [&](const simulation::RecordedFrame&, const QSize& size, QString*) {
                ++drawn;
                QImage image(size, QImage::Format_RGB32);
                image.fill(Qt::red);
                return image;
            },
            QSize(320, 240));
        QSignalSpy failed(&d, &MovieDialog::failed);
        const QString path = dir.filePath("gone.webm");
        d.make(path);
        QTRY_VERIFY(drawn > 3);
        d.findChild<QPushButton*>("cancel")->click();
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(failed[0][0].toString().isEmpty());
        QVERIFY(!d.busy());
        QTRY_VERIFY(QDir(dir.path()).entryList({"*gone*"}, QDir::Files | QDir::Hidden).isEmpty());
        d.make(dir.filePath("none/x.avi"));
        QTRY_COMPARE(failed.count(), 2);
        QVERIFY(failed[1][0].toString().contains(".mp4"));
    }

    /// Recorded frames for other programs: told how far, and given up without a trace.
    void recordedFrames()
    {
        simulation::ExportSource source;
        auto scene = std::make_shared<simulation::Scene>();
        scene->mesh = bowl.mesh;
        scene->surface = bowl.surface;
        source.scene = scene;
        source.recording = recording;
        const QString path = dir.filePath("out/wave.pvd");
        const auto left = [&] {
            return QDir(dir.filePath("out")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
        };
        QVERIFY(QDir(dir.path()).mkpath("out"));
        for (const bool cancels : {true, false}) {
            Job job(
                [&](const Progress& p) {
                    simulation::export_results(source, simulation::ExportKind::frames_pvd,
                                               path.toStdString(), p);
                },
                Context{});
            QSignalSpy ended(&job, &Job::ended), progressed(&job, &Job::progressed);
            if (cancels)
                connect(&job, &Job::progressed, &job, &Job::cancel);
            job.start();
            QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 20000);
            QVERIFY(progressed.count() > 0);
            QCOMPARE(ended[0][0].toString(), QString());
            QCOMPARE(ended[0][1].toBool(), cancels);
            QCOMPARE(left(), cancels ? QStringList() : QStringList({"wave.pvd", "wave_frames"}));
        }
        Job lost(
            [&](const Progress& p) {
                simulation::export_results(source, simulation::ExportKind::frames_igb,
                                           dir.filePath("out/wave.pvd/x.igb").toStdString(), p);
            },
            Context{});
        QSignalSpy ended(&lost, &Job::ended);
        lost.start();
        QTRY_COMPARE(ended.count(), 1);
        QVERIFY(ended[0][0].toString().contains("x.igb"));
    }

    /// Where files are offered to go, and under which name.
    void proposals()
    {
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, dir.filePath("settings"));
        const QDir d(dir.path());
        for (const char* folder : {"a", "b", "c", "resources/sessions"})
            QVERIFY(d.mkpath(folder));
        setSaveDefaults("slab, corner: 1/2", d.filePath("a/s.json"));
        QCOMPARE(saveProposal("report", ".pdf"), d.filePath("a/slab_corner_1_2-report.pdf"));
        rememberSaved(d.filePath("b/x.png")); // chosen: the next is offered there
        QCOMPARE(saveProposal({}, ".png"), d.filePath("b/slab_corner_1_2.png"));
        setSaveDefaults("other", d.filePath("c/o.json")); // another session's own folder
        QCOMPARE(saveProposal("maps", ".csv"), d.filePath("c/other-maps.csv"));
        setSaveDefaults("built-in heart", {}); // of no file: where one saved last
        QCOMPARE(saveProposal({}, ".mp4"), d.filePath("b/built-in_heart.mp4"));
        setSaveDefaults("example", d.filePath("resources/sessions/e.json"));
        QCOMPARE(saveProposal({}, ".mp4"), d.filePath("b/example.mp4"));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestResults>(argc, argv);
}
#include "test_results.moc"
