// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the window with the fake engine: gui_look [TRIANGLES_ALONG [WIDTH HEIGHT [SECONDS]]]; with
// SECONDS it ends by itself and says what a picture cost.
#include "app/main_window.hpp"
#include "app/theme.hpp"
#include "tests/gui/fake_engine.hpp"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>
#include <ctime>

namespace {

double cpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace

int main(int argc, char** argv)
{
    using namespace tawara;
    QSurfaceFormat::setDefaultFormat(viewFormat());
    QApplication app(argc, argv);
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    applyTheme(app);
    auto shared = std::make_shared<fake::FakeEngine::Shared>();
    shared->dyads = {100, 10, 10};
    if (argc > 1)
        shared->mesh_n = QString(argv[1]).toInt();
    EngineHost host(fake::maker(shared), [](const std::filesystem::path&) {
        simulation::Session s;
        s.name = "Fake bowl";
        s.probes = {{"Apex", {0, 0, -60}}, {"Base", {30, 0, 0}}};
        return s;
    });
    MainWindow window(&host);
    if (argc > 3)
        window.resize(QString(argv[2]).toInt(), QString(argv[3]).toInt());
    window.show();
    window.open({});
    QTimer feed;
    double from = 0, painted = 0, paintFrom = 0;
    quint64 frames = 0;
    if (argc > 4) {
        const int ms = QString(argv[4]).toInt() * 1000;
        QTimer::singleShot(2000, &window, [&, ms] { // after loading
            host.pause();
            const auto b = fake::bowl(shared->mesh_n);
            QObject::connect(&feed, &QTimer::timeout, &window, [&, b, step = 0]() mutable {
                std::vector<float> v(b.surface->vertices.size(), static_cast<float>(step++ % 100));
                window.view()->setValues(v, step);
            });
            QObject::connect(window.view(), &VtkView::aboutToRender, &window,
                             [&] { paintFrom = cpuSeconds(); });
            QObject::connect(window.view(), &VtkView::rendered, &window, [&] {
                painted += cpuSeconds() - paintFrom;
                ++frames;
            });
            feed.start(5);
            from = cpuSeconds();
            QTimer::singleShot(ms, &app, [&, ms] {
                const double n = static_cast<double>(frames);
                std::printf("%.1f pictures a second; CPU time of each: %.1f ms to draw, %.1f ms in "
                            "all; %lld triangles\n",
                            1e3 * n / ms, 1e3 * painted / n, 1e3 * (cpuSeconds() - from) / n,
                            static_cast<long long>(window.view()->scene().triangle_count()));
                QApplication::quit();
            });
        });
    }
    return QApplication::exec();
}
