// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of every panel, in both sizes and themes, to look at by eye: not a test.
//     gui_shots FOLDER [SESSION [MS]]
// The pictures of the guide and of README:
//     gui_shots --guide RESOURCES
// A report, as .pdf and .html:
//     gui_shots --report FOLDER SESSION MS
// The Study panel with a study, and the dialog for a new one, in three sizes and both themes:
//     gui_shots --study FOLDER STUDY
#include "app/export_controller.hpp"
#include "app/main_window.hpp"
#include "app/real_engine.hpp"
#include "app/study_controller.hpp"
#include "engine/core/resource.hpp"
#include "widgets/panels/guide_window.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSettings>
#include <QTemporaryDir>
#include <QTreeView>

namespace {

void wait(int ms)
{
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < ms)
        QApplication::processEvents(QEventLoop::AllEvents, 10);
}

using namespace tawara;

void show(MainWindow& window, const ViewSettings& s)
{
    auto* panel = window.findChild<ViewPanel*>();
    panel->setSettings(s);
    Q_EMIT panel->changed(s);
}

ViewSettings shown(MainWindow& window)
{
    return window.findChild<ViewPanel*>()->settings();
}

/// Opens a session and computes up to a time, with what the views ask for.
void runTo(MainWindow& window, EngineHost& host, const QString& session, double ms, int views)
{
    const auto before = host.scene();
    window.open(session);
    while (host.scene() == before || !window.viewController()->ready())
        wait(50);
    ViewSettings settings = shown(window);
    settings.count = views;
    show(window, settings);
    window.document()->edits().edit("leads", [](simulation::Session& s) {
        s.leads.kind = simulation::Leads::Kind::twelve_lead;
    });
    host.runUntil(ms);
    while (!host.frame() || host.frame()->time_ms < ms - 0.5)
        wait(50);
    host.pause();
    wait(1500); // maps and status follow
}

void guidePictures(MainWindow& window, EngineHost& host, const QString& resources)
{
    window.resize(1280, 800);
    const auto shot = [&](const QString& file, const char* right, const char* bottom, int width) {
        window.raisePanel(right);
        window.raisePanel(bottom);
        wait(1200);
        window.picture(true)
            .scaledToWidth(width, Qt::SmoothTransformation)
            .save(resources + "/" + file);
    };
    runTo(window, host, {}, 60, 1);
    shot("guide/window.png", "pacingDock", "plotDock", 1000);
    host.measureCeilings();
    QEventLoop measured;
    QObject::connect(&host, &EngineHost::ceilingsMeasured, &measured, &QEventLoop::quit);
    measured.exec();
    host.runUntil(90);
    wait(4000);
    shot("guide/performance.png", "performanceDock", "plotDock", 1000);
    ViewSettings s = shown(window);
    s.count = 2;
    show(window, s);
    shot("guide/tissue.png", "tissueDock", "beatsDock", 1000);
    const auto session = resource("resources/sessions/reentry_around_scar.json").string();
    runTo(window, host, QString::fromStdString(session), 460, 4);
    shot("guide/views.png", "viewDock", "ecgDock", 1000);
    shot("pictures/tawara.png", "viewDock", "ecgDock", 1280);
}

/// Opens a session, computes up to a time and writes its report in both formats.
void reports(MainWindow& window, EngineHost& host, const QString& folder, const QString& session,
             double ms)
{
    const QString path = folder + "/report";
    for (const char* kind : {".pdf", ".html"})
        QFile::remove(path + kind);
    window.open(session);
    while (!window.viewController()->ready())
        wait(50);
    host.measureCeilings();
    wait(3000);
    host.runUntil(ms);
    while (host.status().time_ms < ms - 0.5)
        wait(50);
    for (const char* kind : {".pdf", ".html"}) {
        window.exporting()->makeReport(path + kind);
        while (!QFile::exists(path + kind))
            wait(50);
    }
}

void panelPictures(MainWindow& window, const QString& folder)
{
    const QPair<const char*, const char*> panels[] = {{"pacingDock", "plotDock"},
                                                      {"tissueDock", "beatsDock"},
                                                      {"viewDock", "ecgDock"},
                                                      {"performanceDock", "ecgDock"},
                                                      {"infoDock", "conductionDock"}};
    for (const QSize& size : {QSize(1280, 800), QSize(1920, 1080)})
        for (Theme theme : {Theme::dark, Theme::light}) {
            window.resize(size);
            window.setTheme(theme);
            const auto shot = [&](const QString& what) {
                wait(700);
                window.picture(true).save(QString("%1/%2-%3-%4.png")
                                              .arg(folder, what)
                                              .arg(size.width())
                                              .arg(name(theme)));
            };
            for (const auto& [right, bottom] : panels) {
                window.raisePanel(right);
                window.raisePanel(bottom);
                ViewSettings s = shown(window);
                s.count = QLatin1String(right) == QLatin1String("viewDock")     ? 4
                          : QLatin1String(right) == QLatin1String("pacingDock") ? 1
                                                                                : 2;
                show(window, s);
                shot(QString(right).remove("Dock"));
            }
            window.showStart(true);
            shot("start");
            window.showStart(false);
        }
}

/// The Study panel without a study and with one, and the pages of its dialog.
void studyPictures(MainWindow& window, EngineHost& host, const QString& folder,
                   const QString& study)
{
    window.setAutoPlay(false);
    window.open({});
    while (!host.scene() || !window.viewController()->ready())
        wait(50);
    const auto shots = [&](const QString& what) {
        for (const QSize& size : {QSize(1000, 700), QSize(1280, 800), QSize(1920, 1080)})
            for (Theme theme : {Theme::dark, Theme::light}) {
                window.resize(size);
                window.setTheme(theme);
                window.raisePanel("studyDock");
                wait(900);
                window.picture(true).save(QString("%1/%2-%3-%4.png")
                                              .arg(folder, what)
                                              .arg(size.width())
                                              .arg(name(theme)));
            }
    };
    window.raisePanel("studyDock");
    shots("study-none");
    window.study()->askForNew();
    auto* dialog = window.findChild<QDialog*>("studyDialog");
    for (int kind = 0; kind < 3; ++kind)
        for (Theme theme : {Theme::dark, Theme::light}) {
            window.setTheme(theme);
            dialog->findChild<QComboBox*>("studyKind")->setCurrentIndex(kind);
            wait(400);
            dialog->grab().save(
                QString("%1/study-dialog-%2-%3.png").arg(folder).arg(kind).arg(name(theme)));
        }
    dialog->reject();
    window.study()->open(study);
    wait(2000);
    shots("study");
    auto* table = window.findChild<QTreeView*>("studyRuns");
    table->setCurrentIndex(table->model()->index(0, 0));
    wait(500);
    auto* which = window.findChild<QComboBox*>("studyWhich");
    which->setCurrentIndex(which->count() - 1);
    shots("study-picture");
}

/// What can be shown inside and on the heart, four at a time.
void lookPictures(MainWindow& window, EngineHost& host, const QString& folder)
{
    window.resize(1600, 1000);
    window.setTheme(Theme::dark);
    const auto look = [&](const char* what, const std::function<void(ViewSettings&)>& change) {
        ViewSettings s;
        change(s);
        show(window, s);
        host.play(); // frames with what is watched now
        wait(2500);
        host.pause();
        wait(600);
        window.views()->picture().save(QString("%1/look-%2.png").arg(folder, what));
    };
    look("phase", [](ViewSettings& s) { s.shown[0] = Quantity::phase, s.filaments = true; });
    look("clip",
         [](ViewSettings& s) { s.cut = ViewSettings::Cut::clip, s.axis = 1, s.flip = true; });
    look("slice", [](ViewSettings& s) { s.cut = ViewSettings::Cut::slice, s.axis = 2; });
    look("front", [](ViewSettings& s) { s.depolarised = true, s.opacity = 0.25; });
    look("fibres", [](ViewSettings& s) { s.fibres = ViewSettings::Fibres::streamlines; });
    look("arrows", [](ViewSettings& s) { s.shown[0] = Quantity::activation, s.arrows = true; });
    look("regions", [](ViewSettings& s) { s.shown[0] = Quantity::regions; });
}

} // namespace

int main(int argc, char** argv)
{
    QSurfaceFormat::setDefaultFormat(viewFormat());
    QApplication app(argc, argv);
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    applyTheme(app);
    app.setProperty("noHints", true);
    const QString folder = argc > 1 ? argv[1] : ".";
    const double until = argc > 3 ? QString(argv[3]).toDouble() : 40;
    EngineHost host(real_engine({}), session_opener());
    MainWindow window(&host);
    window.show();
    if (folder == QLatin1String("--guide")) {
        guidePictures(window, host, argc > 2 ? argv[2] : "resources");
        return 0;
    }
    if (folder == QLatin1String("--report") && argc > 4) {
        reports(window, host, argv[2], argv[3], QString(argv[4]).toDouble());
        return 0;
    }
    if (folder == QLatin1String("--study") && argc > 3) {
        studyPictures(window, host, argv[2], argv[3]);
        return 0;
    }
    window.open(argc > 2 ? QString(argv[2]) : QString());
    while (!window.viewController()->ready())
        wait(50);
    window.document()->edits().edit("leads", [](simulation::Session& s) {
        s.leads.kind = simulation::Leads::Kind::twelve_lead;
        if (s.drugs.empty())
            s.drugs.push_back({"I_Kr block", {{"g_Kr", 0.5}}});
    });
    ViewSettings two = shown(window);
    two.count = 2;
    show(window, two);
    window.raisePanel("performanceDock");
    host.measureCeilings();
    while (!host.frame() || host.frame()->time_ms < until)
        wait(50);
    host.pause();
    panelPictures(window, folder);
    lookPictures(window, host, folder);
    GuideWindow guide;
    guide.show();
    wait(300);
    guide.grab().save(folder + "/guide.png");
    return 0;
}
