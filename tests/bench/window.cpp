// SPDX-License-Identifier: GPL-3.0-or-later
// The real window with the real engine, measured from inside: time to open, solver's step with and
// without pictures, pictures a second, longest event of the GUI thread, values in OpenGL's buffer
// against the host's.
//     tawara-bench-window FILE --out RECORD.json   (under an X server; --help lists the options)
#include "app/main_window.hpp"
#include "app/real_engine.hpp"
#include "tests/gui/watchdog.hpp"

#include <QCommandLineParser>
#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QSaveFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <cmath>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

using namespace tawara;

namespace {

struct Options
{
    QString file, out, shots, commit;
    std::vector<QSize> sizes;
    double seconds = 4, open_limit_s = 300;
};

double resident_GB()
{
    QFile f(QStringLiteral("/proc/self/statm"));
    return f.open(QIODevice::ReadOnly) ? f.readAll().split(' ').value(1).toDouble() *
                                             static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e9
                                       : 0;
}

double processor_s(int who)
{
    rusage u{};
    getrusage(who, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

QJsonObject json(fake::WatchedApplication& app)
{
    const auto worst = app.end();
    return {{"events", static_cast<double>(app.events())},
            {"longest_wall_ms", worst.wall_ms},
            {"longest_processor_ms", worst.cpu_ms},
            {"longest_processor_what", QString::fromStdString(worst.what)},
            {"wall_99_percent_ms", app.wall(0.99)}};
}

class Bench
{
  public:
    Bench(fake::WatchedApplication& app, EngineHost& host, MainWindow& window, const Options& o)
        : app_(app), host_(host), window_(window), o_(o)
    {
        QObject::connect(&host, &EngineHost::statusPolled, &window,
                         [this](const simulation::Status& s) { status_ = s; });
    }

    void wait(double s)
    {
        QEventLoop loop;
        QTimer::singleShot(static_cast<int>(1e3 * s), Qt::PreciseTimer, &loop, &QEventLoop::quit);
        loop.exec();
    }
    template <class F>
    bool until(F f, double limit_s)
    {
        QElapsedTimer clock;
        clock.start();
        while (!f() && static_cast<double>(clock.nsecsElapsed()) < 1e9 * limit_s)
            wait(0.005);
        return f();
    }

    /// Opens the file; false when that fails or takes too long.
    bool open()
    {
        QElapsedTimer clock;
        clock.start();
        const auto now = [&] { return static_cast<double>(clock.nsecsElapsed()) / 1e9; };
        QString failed;
        QObject::connect(&host_, &EngineHost::openFailed, &window_,
                         [&](const QString& why) { failed = why; });
        app_.begin();
        window_.open(o_.file);
        until([&] { return host_.scene() || !failed.isEmpty(); }, o_.open_limit_s);
        if (!host_.scene()) {
            std::fprintf(stderr, "error: %s\n", qPrintable(failed.isEmpty() ? "too slow" : failed));
            return false;
        }
        const double loaded = now();
        until([&] { return window_.viewController()->ready() && host_.frame(); }, 120);
        const double ready = now();
        const auto drawn = window_.view()->framesDrawn();
        until([&] { return window_.view()->framesDrawn() > drawn; }, 60);
        const double first = now();
        host_.stopRecording();
        wait(3); // what is made ready after opening
        const auto scene = host_.scene();
        record_["mesh"] = QJsonObject{
            {"file", QFileInfo(o_.file).fileName()},
            {"tetrahedra", static_cast<double>(scene->mesh->tetrahedron_count())},
            {"vertices", static_cast<double>(scene->mesh->vertex_count())},
            {"surface_triangles", static_cast<double>(scene->surface->triangles.size())},
            {"surface_vertices", static_cast<double>(scene->surface->vertices.size())}};
        record_["unknowns"] = static_cast<double>(scene->unknowns);
        record_["scheme"] =
            QString::fromLatin1(scene->session.scheme == diffusion::Scheme::p1 ? "p1" : "fvm");
        record_["diffusion"] = QString::fromStdString(scene->substeps);
        record_["dt_ms"] = scene->dt_ms;
        record_["device"] = QString::fromStdString(scene->device);
        record_["renderer"] = window_.view()->glDescription();
        record_["open"] = QJsonObject{{"engine_loaded_s", loaded},
                                      {"wall_ready_s", ready},
                                      {"first_picture_s", first},
                                      {"gui_thread", json(app_)},
                                      {"resident_GB", resident_GB()}};
        return true;
    }

    /// Runs for a while; the solver's time per step, pictures, events.
    QJsonObject phase(const QString& name)
    {
        wait(0.7); // until it is as it will be
        const auto before = status_;
        QElapsedTimer clock;
        clock.start();
        const auto drawn = window_.view()->framesDrawn();
        const auto written = window_.view()->scene().live_writes();
        const double all = processor_s(RUSAGE_SELF), gui = processor_s(RUSAGE_THREAD);
        QElapsedTimer first, last; // between two status values
        std::int64_t from = -1, to = -1;
        const auto seen = QObject::connect(&host_, &EngineHost::statusPolled, &window_,
                                           [&](const simulation::Status& s) {
                                               if (from < 0) {
                                                   from = s.step;
                                                   first.start();
                                               }
                                               to = s.step;
                                               last.start();
                                           });
        app_.begin();
        wait(o_.seconds);
        const auto events = json(app_);
        const double took = static_cast<double>(clock.nsecsElapsed()) / 1e9;
        const double stepped =
            static_cast<double>(last.msecsSinceReference() - first.msecsSinceReference());
        QObject::disconnect(seen);
        const auto pictures = static_cast<double>(window_.view()->framesDrawn() - drawn);
        QJsonObject p{
            {"phase", name},
            {"seconds", took},
            {"steps", static_cast<double>(to - from)},
            {"ms_a_step", to > from ? stepped / static_cast<double>(to - from) : 0.0},
            {"pictures_a_second", pictures / took},
            {"written_by_cuda",
             static_cast<double>(window_.view()->scene().live_writes() - written)},
            {"render_path", window_.displayPath()->text()},
            {"paint_ms", window_.view()->paintMilliseconds()},
            {"frames_published",
             static_cast<double>(status_.frames_published - before.frames_published)},
            {"processor_ms_a_second", 1e3 * (processor_s(RUSAGE_SELF) - all) / took},
            {"gui_processor_ms_a_second", 1e3 * (processor_s(RUSAGE_THREAD) - gui) / took},
            {"gui_thread", events}};
        std::fprintf(stderr,
                     "%-28s %8.4f ms a step, %6.1f pictures/s, longest event %.1f ms (%s)\n",
                     qPrintable(name), p["ms_a_step"].toDouble(), p["pictures_a_second"].toDouble(),
                     events["longest_wall_ms"].toDouble(), qPrintable(p["render_path"].toString()));
        return p;
    }

    /// The solver alone, then with pictures on both paths.
    void run()
    {
        QJsonArray phases;
        host_.play();
        until([&] { return status_.step > 0; }, 60);
        const auto alone = [&](const QString& name) {
            window_.hide();
            host_.setFrameInterval(1e9);
            phases.append(phase(name));
            window_.show();
        };
        alone("alone");
        for (const QSize& size : o_.sizes) {
            window_.resize(size);
            for (const bool direct : {true, false}) {
                window_.displayPath()->setAllowed(direct);
                const QString way = direct ? "interop" : "host";
                const QString where = QString("%1x%2").arg(size.width()).arg(size.height());
                host_.setFrameInterval(1000.0 / 60);
                window_.view()->setLeastInterval(0);
                auto at60 = phase(way + ", 60 a second, " + where);
                at60["window"] = where;
                at60["view_pixels"] =
                    QString("%1x%2").arg(window_.view()->width()).arg(window_.view()->height());
                phases.append(at60);
                host_.setFrameInterval(0);
                window_.view()->setLeastInterval(0);
                auto most = phase(way + ", as many as it can, " + where);
                most["window"] = where;
                phases.append(most);
            }
        }
        window_.displayPath()->setAllowed(true);
        window_.hide();
        for (const bool direct : {true, false}) {
            window_.displayPath()->setAllowed(direct);
            host_.setFrameInterval(1000.0 / 60);
            for (const QSize& size : o_.sizes)
                phases.append(drawn(QString("%1, drawn 60 a second, not presented, %2x%3")
                                        .arg(direct ? "interop" : "host")
                                        .arg(size.width())
                                        .arg(size.height()),
                                    size));
        }
        alone("alone again");
        window_.view()->setLeastInterval(-1);
        host_.setFrameInterval(16);
        window_.displayPath()->setAllowed(true);
        host_.pause();
        wait(1);
        record_["phases"] = phases;
        record_["turning"] = turn();
        record_["comparison"] = compare();
        record_["resident_GB"] = resident_GB();
        shots();
    }

    /// The solver while the view is drawn 60 times a second and no window system presents it: a
    /// virtual X server does that with the processor, reading every picture back.
    QJsonObject drawn(const QString& name, const QSize& size)
    {
        auto* view = window_.view();
        std::int64_t pictures = 0;
        QTimer timer;
        timer.setTimerType(Qt::PreciseTimer);
        QElapsedTimer clock;
        clock.start();
        QObject::connect(&timer, &QTimer::timeout, &window_, [&] {
            if (static_cast<double>(clock.nsecsElapsed()) <
                1e9 / 60 * static_cast<double>(pictures))
                return;
            ++pictures;
            view->makeCurrent();
            view->renderWindow()->SetSize(size.width(), size.height());
            view->scene().prepare(size.width(), size.height(), 1);
            view->renderWindow()->Render();
            view->context()->functions()->glFlush();
            view->doneCurrent();
        });
        timer.start(1);
        auto p = phase(name);
        timer.stop();
        p["pictures_a_second"] =
            1e9 * static_cast<double>(pictures) / static_cast<double>(clock.nsecsElapsed());
        p["view_pixels"] = QString("%1x%2").arg(size.width()).arg(size.height());
        std::fprintf(stderr, "    %.1f pictures/s\n", p["pictures_a_second"].toDouble());
        return p;
    }

    /// Paused, the camera turns: what drawing alone reaches.
    QJsonObject turn()
    {
        auto* view = window_.view();
        view->setLeastInterval(0);
        const auto drawn = view->framesDrawn();
        QElapsedTimer clock;
        clock.start();
        const auto again = QObject::connect(view, &QOpenGLWidget::frameSwapped, &window_, [&] {
            auto pose = view->scene().camera();
            const Vec3 d = pose.position - pose.focal_point;
            const double c = std::cos(0.02), s = std::sin(0.02);
            pose.position = pose.focal_point + Vec3{c * d[0] - s * d[1], s * d[0] + c * d[1], d[2]};
            pose.fitted = false;
            view->scene().set_camera(pose);
            view->update();
        });
        app_.begin();
        view->update();
        wait(o_.seconds);
        QObject::disconnect(again);
        view->setLeastInterval(-1);
        return {{"pictures_a_second", 1e9 * static_cast<double>(view->framesDrawn() - drawn) /
                                          static_cast<double>(clock.nsecsElapsed())},
                {"gui_thread", json(app_)}};
    }

    /// What OpenGL's buffer holds against the same frame on the host.
    QJsonObject compare()
    {
        auto& scene = window_.view()->scene();
        const bool live = window_.displayPath()->live();
        window_.displayPath()->needHost(true);
        until([&] { return host_.frame() && !host_.frame()->values.empty(); }, 10);
        window_.view()->update();
        wait(0.5);
        const auto source = scene.gl_buffer_sources();
        window_.view()->makeCurrent();
        const auto values = interop::read_buffer(scene.gl_buffer(), source.size());
        window_.view()->doneCurrent();
        double largest = 0, low = 1e9, high = -1e9;
        const auto& host = host_.frame()->values;
        for (std::size_t i = 0; i < values.size(); ++i) {
            largest =
                std::max(largest, std::abs(static_cast<double>(
                                      values[i] - host[static_cast<std::size_t>(source[i])])));
            low = std::min(low, static_cast<double>(values[i]));
            high = std::max(high, static_cast<double>(values[i]));
        }
        window_.displayPath()->needHost(false);
        std::fprintf(stderr,
                     "buffer (%s): %zu values from %.2f to %.2f mV, largest difference %g\n",
                     live ? "by CUDA" : "by the host", values.size(), low, high, largest);
        return {{"by_cuda", live},
                {"values", static_cast<double>(values.size())},
                {"time_ms", host_.frame()->time_ms},
                {"low_mV", low},
                {"high_mV", high},
                {"largest_difference_mV", largest}};
    }

    void shots()
    {
        if (o_.shots.isEmpty())
            return;
        for (const QSize& size : o_.sizes) {
            window_.resize(size);
            wait(1);
            window_.picture(true).save(QString("%1/window-%2.png").arg(o_.shots).arg(size.width()));
        }
    }

    QJsonObject& record() { return record_; }

  private:
    fake::WatchedApplication& app_;
    EngineHost& host_;
    MainWindow& window_;
    const Options& o_;
    simulation::Status status_;
    QJsonObject record_;
};

} // namespace

int main(int argc, char** argv)
{
    QSurfaceFormat::setDefaultFormat(viewFormat());
    fake::WatchedApplication app(argc, argv);
    app.setProperty("noHints", true);
    QCommandLineParser cli;
    cli.addHelpOption();
    cli.addPositionalArgument("FILE", "session or mesh");
    cli.addOptions(
        {{"devices", "as of tawara", "text", "auto"},
         {"precision", "double, mixed or single", "text", "double"},
         {"sizes", "of the window", "list", "1280x800,1920x1080"},
         {"seconds", "of each phase", "s", "4"},
         {"samples", "a pixel, where a GPU draws; as the window does where not given", "n"},
         {"out", "record to append to", "file"},
         {"shots", "folder for pictures of the window", "folder"},
         {"commit", "for the record", "text"}});
    cli.process(app);
    Options o;
    o.file = cli.positionalArguments().value(0);
    o.out = cli.value("out"), o.shots = cli.value("shots"), o.commit = cli.value("commit");
    o.seconds = cli.value("seconds").toDouble();
    for (const QString& s : cli.value("sizes").split(','))
        o.sizes.emplace_back(s.section('x', 0, 0).toInt(), s.section('x', 1, 1).toInt());
    QString why;
    if (!viewsSupported(&why)) {
        std::fprintf(stderr, "error: %s\n", qPrintable(why));
        return 2;
    }
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    applyTheme(app);
    simulation::EngineOptions options;
    options.context = Context::whole_machine();
    options.devices = cli.value("devices").toStdString();
    options.precision = cli.value("precision") == "single"  ? Precision::single
                        : cli.value("precision") == "mixed" ? Precision::mixed
                                                            : Precision::double_;
    EngineHost host(real_engine(options), session_opener(options.context));
    MainWindow window(&host);
    window.setAutoPlay(false);
    window.resize(o.sizes.front());
    bool given = true;
    if (const int samples = cli.value("samples").toInt(&given); given)
        QObject::connect(window.view(), &VtkView::glReady, &window, [&window, samples] {
            window.view()->renderWindow()->SetMultiSamples(samples);
        });
    window.show();
    Bench bench(app, host, window, o);
    bench.wait(1);
    if (!bench.open())
        return 2;
    bench.run();
    QJsonObject record{{"bench", "window"},
                       {"commit", o.commit},
                       {"precision", cli.value("precision")},
                       {"samples", window.view()->renderWindow()->GetMultiSamples()}};
    for (auto it = bench.record().begin(); it != bench.record().end(); ++it)
        record[it.key()] = it.value();
    const auto text = QJsonDocument(record).toJson(QJsonDocument::Compact) + "\n";
    if (o.out.isEmpty()) {
        std::fputs(text.constData(), stdout);
        return 0;
    }
    QFile f(o.out);
    return f.open(QIODevice::Append) && f.write(text) == text.size() ? 0 : 2;
}
