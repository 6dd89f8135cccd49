// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the window with the fake engine: gui_look [TRIANGLES_ALONG [WIDTH HEIGHT]].
#include "app/main_window.hpp"
#include "app/theme.hpp"
#include "tests/gui/fake_engine.hpp"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

int main(int argc, char** argv)
{
    using namespace tawara;
    QSurfaceFormat::setDefaultFormat(VtkView::defaultFormat());
    QApplication app(argc, argv);
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    applyTheme(app);
    auto shared = std::make_shared<fake::FakeEngine::Shared>();
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
    return QApplication::exec();
}
