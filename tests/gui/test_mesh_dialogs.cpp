// SPDX-License-Identifier: GPL-3.0-or-later
// New hearts, slabs and refined meshes from the window, with the fake and with the real engine.
#include "app/export/movie_dialog.hpp"
#include "app/mesh_dialog.hpp"
#include "app/numerics_dialog.hpp"
#include "app/real_engine.hpp"
#include "app/saving_controller.hpp"
#include "engine/core/resource.hpp"
#include "tests/gui/watchdog.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/slowdown.hpp"
#include "widgets/panels/field_note.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>

using namespace tawara;
using simulation::MeshFile;
using simulation::Session;

namespace {

constexpr int patience = 60000 * test::slowdown;
constexpr const char* slab = R"({"schema": 1, "name": "coarse",
  "mesh": {"slab_mm": [10, 6, 3], "spacing_mm": 1},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.6, "sheet": 0.3, "normal": 0.3}}]},
  "diffusion": {"scheme": "p1"}, "time": {"dt_ms": 0.02, "end_ms": 400},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [1, 6, 3]]}, "start_ms": 1,
               "duration_ms": 2, "amplitude_pA_per_pF": 30}]})";

} // namespace

class TestMeshDialogs : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;

    template <class Dialog>
    static Dialog* opened(MainWindow& w, const QString& menu)
    {
        fake::action(w, menu)->trigger();
        auto* d = w.findChild<Dialog*>();
        return d;
    }
    void look(QWidget* w, const char* name)
    {
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            w->grab().save(folder + "/" + name + ".png");
    }

    /// Recorded frames are asked about when a refined mesh is there: a movie may be made of them,
    /// and the mesh waits.
    void movieBeforeTheNextMesh(MainWindow& w, EngineHost& host)
    {
        auto* record = w.findChild<QToolButton*>("record");
        const auto box = [&w] { return w.findChild<QMessageBox*>("recorded"); };
        if (host.status().recording)
            record->click();
        QTRY_VERIFY(!host.status().recording);
        record->click();
        QTRY_VERIFY(host.status().recording);
        host.runUntil(6);
        QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= 5.9, patience);
        auto* d = opened<RefineDialog>(w, "Refine…");
        QTRY_VERIFY_WITH_TIMEOUT(d->described(), patience);
        const auto run = host.scene()->run;
        auto* make = d->findChild<QPushButton*>("make");
        make->click();
        QTRY_VERIFY_WITH_TIMEOUT(box() != nullptr, patience);
        for (auto* b : box()->buttons())
            if (b->text().contains("movie"))
                b->click();
        auto* movie = w.findChild<MovieDialog*>();
        QVERIFY(movie && movie->isVisible() && d->isVisible());
        QCOMPARE(QApplication::activeModalWidget(), movie); // nothing blocks it
        movie->findChild<QPushButton*>("cancel")->click();
        QTRY_COMPARE(QApplication::activeModalWidget(), d);
        make->click();
        QVERIFY(box() != nullptr);
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY_WITH_TIMEOUT(host.scene()->run > run, patience);
        QCOMPARE(host.scene()->mesh->tetrahedron_count(), std::size_t{64 * 1080});
        QTRY_VERIFY_WITH_TIMEOUT(w.viewController()->ready(), patience);
    }

  private Q_SLOTS:
    void heartIsForecastRefusedAndCancelled()
    {
        fake::WindowFixture f;
        f.start();
        auto* d = opened<HeartDialog>(*f.window, "New heart…");
        QVERIFY(d);
        auto* make = d->findChild<QPushButton*>("make");
        QVERIFY(!d->described());
        QApplication::processEvents();
        const int top = make->mapTo(d, QPoint()).y(); // it stays under the pointer
        QTRY_VERIFY_WITH_TIMEOUT(d->described(), patience);
        QVERIFY2(d->said().contains(spacedNumber(83000)),
                 qPrintable(d->said())); // the built-in heart's
        QApplication::processEvents();
        QCOMPARE(make->mapTo(d, QPoint()).y(), top);
        look(d, "heart-dialog");
        QVERIFY(make->isEnabled());
        // every parameter is there, with its unit, range and what it means
        for (const auto& p : mesh::generator::parameter_table()) {
            const QString name =
                QString::fromUtf8(p.name.data(), static_cast<qsizetype>(p.name.size()));
            auto* box = d->findChild<NumberBox*>(name);
            QVERIFY2(box, qPrintable(name));
            QCOMPARE(box->minimum(), p.min);
            QCOMPARE(box->maximum(), p.max);
            QVERIFY(std::abs(box->value() - p.fallback) < 1e-9);
            QVERIFY(box->toolTip().contains("from"));
        }
        QVERIFY(d->parameters() == mesh::generator::HeartParameters{});
        // a shape that cannot be is said, and cannot be made
        d->findChild<NumberBox*>("rv_reach_mm")->setValue(20);
        QVERIFY(!make->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(d->described(), patience);
        QCOMPARE(d->said(), QString::fromUtf8("“Centre from axis” is 22; it should be less than "
                                              "“Reach from axis” (20)"));
        QVERIFY(!make->isEnabled());
        look(d, "heart-dialog-refused");
        // the left ventricle has none of it
        d->findChild<QComboBox*>("shape")->setCurrentIndex(0);
        QVERIFY(!d->findChild<NumberBox*>("rv_reach_mm")->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(d->described() && make->isEnabled(), patience);
        // making is given up
        d->findChild<NumberBox*>("edge_mm")->setValue(1);
        QTRY_VERIFY_WITH_TIMEOUT(d->described() && make->isEnabled(), patience);
        QSignalSpy failed(d, &MeshDialog::failed);
        make->click();
        QVERIFY(d->busy());
        look(d, "heart-dialog-busy");
        d->findChild<QPushButton*>("cancel")->click();
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);
        QVERIFY(failed[0][0].toString().isEmpty());
        QVERIFY(!d->busy() && d->isVisible() && make->isEnabled());
        d->findChild<QPushButton*>("cancel")->click();
        QVERIFY(!d->isVisible());
        QTRY_VERIFY(f.window->findChild<HeartDialog*>() == nullptr);
        // the next one begins with what was last to be made
        d = opened<HeartDialog>(*f.window, "New heart…");
        QVERIFY(d && d->parameters().edge_mm == 1);
        QCOMPARE(d->findChild<QComboBox*>("shape")->currentIndex(), 0);
        d->findChild<QPushButton*>("defaults")->click();
        QVERIFY(d->parameters() == mesh::generator::HeartParameters{});
        d->close();
    }
    void slabIsMadeWithTheFakeEngine()
    {
        fake::WindowFixture f;
        f.start();
        f.window->setAsking(false);
        auto* d = opened<SlabDialog>(*f.window, "New slab…");
        QVERIFY(d);
        QTRY_VERIFY_WITH_TIMEOUT(d->described(), patience);
        QVERIFY2(d->said().contains(spacedNumber(20160)), qPrintable(d->said()));
        look(d, "slab-dialog");
        const QString file = dir.filePath("mine.vtu");
        d->setFile(dir.filePath("nowhere/mine.vtu"));
        d->make();
        QVERIFY2(d->said().contains("There is no folder"), qPrintable(d->said()));
        d->setFile(file);
        const auto loads = f.posted<simulation::Load>().size();
        d->make();
        QTRY_COMPARE_WITH_TIMEOUT(f.posted<simulation::Load>().size(), loads + 1, patience);
        const Session s = f.posted<simulation::Load>().back().session;
        QCOMPARE(QString::fromStdString((s.folder / std::get<MeshFile>(s.mesh).file).string()),
                 file);
        QVERIFY(QFileInfo(file).size() > 10000);
        QTRY_VERIFY(!f.host->isLoading());
        QVERIFY(f.window->document()->edits().modified());
        QVERIFY(f.window->isWindowModified());
        // nothing was lost: the fake's own mesh cannot be refined, and that is said
        auto* r = opened<RefineDialog>(*f.window, "Refine…");
        QVERIFY(r);
        QTRY_VERIFY_WITH_TIMEOUT(r->described(), patience);
        QVERIFY2(r->said().contains("no tetrahedra"), qPrintable(r->said()));
        r->close();
    }
    /// What the chosen format has no place for is said, as the command line does.
    void whatAFormatLosesIsSaid_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("loses");
        QTest::newRow("CARP") << "fine.pts" << true;
        QTest::newRow("TetGen") << "fine.node" << true;
        QTest::newRow("VTU") << "fine.vtu" << false;
    }
    void whatAFormatLosesIsSaid()
    {
        QFETCH(QString, file);
        QFETCH(bool, loses);
        fake::WindowFixture f;
        f.shared = std::make_shared<fake::FakeEngine::Shared>();
        f.shared->slab = true; // its label has a name
        f.start();
        f.window->setAsking(false);
        auto* d = opened<RefineDialog>(*f.window, "Refine…");
        QTRY_VERIFY_WITH_TIMEOUT(d->described(), patience);
        d->setFile(dir.filePath(file));
        const auto loads = f.posted<simulation::Load>().size();
        d->make();
        QTRY_COMPARE_WITH_TIMEOUT(f.posted<simulation::Load>().size(), loads + 1, patience);
        QTRY_VERIFY(!f.host->isLoading());
        auto* bar = f.window->findChild<MessageBar*>();
        const QString want = file + ": this format has no place for the regions' names";
        QVERIFY2(bar->text().contains(want) == loses, qPrintable(bar->text()));
    }

    void aMeshOutlivesCancel()
    {
        fake::WindowFixture f;
        f.start();
        const auto box = [&f] { return f.window->findChild<QMessageBox*>("unsaved"); };
        const auto cancel = [&box] {
            box()->button(QMessageBox::Cancel)->click();
            QTRY_VERIFY(box() == nullptr);
        };
        f.window->document()->edits().edit("end", [](Session& s) { s.end_ms = 77; });
        const auto loads = f.posted<simulation::Load>().size();
        QPointer d = opened<SlabDialog>(*f.window, "New slab…");
        QVERIFY(d);
        auto* spacing = d->findChild<NumberBox*>("spacing");
        spacing->setValue(1);
        auto* make = d->findChild<QPushButton*>("make");
        QTRY_VERIFY_WITH_TIMEOUT(d->described() && make->isEnabled(), patience);
        QApplication::processEvents();
        const QRect still(make->mapTo(d.data(), QPoint()), make->size());
        make->click();
        QVERIFY(d->busy() && !spacing->isEnabled());
        const auto place = [&] { return QRect(make->mapTo(d.data(), QPoint()), make->size()); };
        QApplication::processEvents();
        QCOMPARE(place(), still); // its bar takes room that was kept
        QTRY_VERIFY_WITH_TIMEOUT(box() != nullptr, patience);
        cancel();
        QVERIFY(d && d->isVisible() && !d->busy());
        QCOMPARE(make->text().remove('&'), QString("Open it"));
        QApplication::processEvents();
        QCOMPARE(place(), still);
        look(d, "slab-dialog-made");
        make->click(); // is asked about again, not made again
        QVERIFY(box() != nullptr && !d->busy());
        cancel();
        spacing->setValue(2); // is another mesh
        QCOMPARE(make->text().remove('&'), QString("Make and open"));
        QTRY_VERIFY_WITH_TIMEOUT(d->described() && make->isEnabled(), patience);
        make->click();
        QVERIFY(d->busy());
        QTRY_VERIFY_WITH_TIMEOUT(box() != nullptr, patience);
        QCOMPARE(f.posted<simulation::Load>().size(), loads);
        box()->button(QMessageBox::Discard)->click();
        QTRY_COMPARE(f.posted<simulation::Load>().size(), loads + 1);
        QTRY_VERIFY(!d);
    }
    /// Other schemes and another step: what is known of them is said, what cannot be is refused,
    /// and the session goes on with them from its start, edits included.
    void numericsAreChosen()
    {
        const QTemporaryDir settings;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        const QString file = dir.filePath("numerics.json");
        QFile f(file);
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(slab);
        f.close();
        simulation::EngineOptions options;
        options.devices = "cpu";
        EngineHost host(real_engine(options), session_opener());
        MainWindow w(&host);
        w.setAutoPlay(false);
        w.resize(1280, 800);
        w.show();
        w.open(file);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && w.viewController()->ready(), patience);
        w.document()->edits().edit("rename", [](Session& s) { s.stimuli.at(0).name = "edited"; });
        auto* d = opened<NumericsDialog>(w, "Numerics…");
        QVERIFY(d);
        const auto box = [d](const char* name) { return d->findChild<QComboBox*>(name); };
        auto* go = d->findChild<QPushButton*>("numericsGo");
        auto* step = d->findChild<NumberBox*>("numericsStep");
        QCOMPARE(box("numericsReaction")->currentText(),
                 QString("Rush-Larsen light, the stiff gate exponential"));
        QCOMPARE(step->value(), 0.02);
        QVERIFY(!go->isEnabled() && d->said().isEmpty());
        step->setValue(0.1);
        QVERIFY2(
            d->said().contains(
                "ten_tusscher_2006 by rush_larsen_light stays within 1.5 % of the reference with "
                "steps up to 0.02 ms"),
            qPrintable(d->said()));
        QVERIFY(go->isEnabled());
        look(d, "numerics-dialog");
        auto* reaction = box("numericsReaction");
        reaction->setCurrentIndex(reaction->findData(int(cell::Scheme::backward_euler)));
        QVERIFY2(d->said().isEmpty(), qPrintable(d->said()));
        box("numericsScheme")
            ->setCurrentIndex(box("numericsScheme")->findData(int(diffusion::Scheme::fvm)));
        QVERIFY(!box("numericsMass")->isEnabled());
        const auto run = host.scene()->run;
        go->click();
        QTRY_VERIFY_WITH_TIMEOUT(host.scene()->run > run && w.viewController()->ready(), patience);
        const auto& s = w.document()->session();
        QCOMPARE(s.reaction, cell::Scheme::backward_euler);
        QCOMPARE(s.scheme, diffusion::Scheme::fvm);
        QCOMPARE(host.scene()->dt_ms, 0.1);
        QCOMPARE(s.stimuli.at(0).name, std::string("edited"));
        QVERIFY(w.isWindowModified());
        host.runUntil(3);
        QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= 2.9, patience);
        opened<NumericsDialog>(w, "Numerics…");
        auto* again = w.findChildren<NumericsDialog*>().back();
        again->findChild<QComboBox*>("numericsScheme")->setCurrentIndex(1);
        QVERIFY(again->findChild<QComboBox*>("numericsMass")->isEnabled());
        again->reject();
        QCOMPARE(w.document()->session().scheme, diffusion::Scheme::fvm);
    }
    /// Of a session in a folder of its own with a cell model of a file there.
    void numericsOfAModelFileAndAFineStep()
    {
        QVERIFY(QDir(dir.path()).mkpath("own"));
        QVERIFY(QFile::copy(
            QString::fromStdString(resource("resources/models/beeler_reuter_1977.mmt").string()),
            dir.filePath("own/mine.mmt")));
        QByteArray text(slab);
        text.replace(R"("ten_tusscher_2006", "variant": "epi")", R"("mine.mmt")");
        text.replace(R"("dt_ms": 0.02)", R"("dt_ms": 0.00625)");
        QFile f(dir.filePath("own/mine.json"));
        QVERIFY(f.open(QIODevice::WriteOnly) && f.write(text) == text.size());
        f.close();
        const Session s = simulation::read_session(f.fileName().toStdString());
        QVERIFY(!QFileInfo::exists("mine.mmt"));
        NumericsDialog d(s);
        auto* go = d.findChild<QPushButton*>("numericsGo");
        const auto choose = [&d](const char* name, auto value) {
            auto* box = d.findChild<QComboBox*>(name);
            box->setCurrentIndex(box->findData(int(value)));
        };
        QVERIFY(!go->isEnabled()); // nothing is changed, the rounded step neither
        choose("numericsReaction", cell::Scheme::rush_larsen);
        QVERIFY2(go->isEnabled() && d.said().isEmpty(), qPrintable(d.said()));
        QCOMPARE(d.session().dt_ms, 0.00625);
        d.findChild<NumberBox*>("numericsStep")->setValue(0.005);
        QCOMPARE(d.session().dt_ms, 0.005);
        // consistent mass goes with every stepping: an explicit one solves for it, too
        choose("numericsMass", diffusion::Mass::consistent);
        for (const auto stepping :
             {simulation::Stepping::explicit_, simulation::Stepping::crank_nicolson}) {
            choose("numericsStepping", stepping);
            QVERIFY2(go->isEnabled() && d.said().isEmpty(), qPrintable(d.said()));
            QCOMPARE(d.session().stepping, stepping);
        }
        QCOMPARE(d.session().mass, diffusion::Mass::consistent);
        // not with interpolated currents
        choose("numericsCurrents", simulation::IonicCurrents::interpolated);
        QVERIFY(!go->isEnabled());
        QVERIFY2(d.said().contains("interpolated currents"), qPrintable(d.said()));
        choose("numericsMass", diffusion::Mass::lumped);
        QVERIFY2(go->isEnabled() && d.said().isEmpty(), qPrintable(d.said()));
        QCOMPARE(d.session().currents, simulation::IonicCurrents::interpolated);
        choose("numericsCurrents", simulation::IonicCurrents::nodal);
        // Newton's method steps cells itself, at once with diffusion, and on linear elements alone
        auto* reaction = d.findChild<QComboBox*>("numericsReaction");
        auto* splitting = d.findChild<QComboBox*>("numericsSplitting");
        auto* longest = d.findChild<NumberBox*>("numericsLongest");
        QVERIFY(reaction->isEnabled() && splitting->isEnabled() && !longest->isEnabled());
        choose("numericsStepping", simulation::Stepping::newton);
        QVERIFY(!reaction->isEnabled() && !splitting->isEnabled() && longest->isEnabled());
        QVERIFY2(go->isEnabled() && d.said().isEmpty(), qPrintable(d.said()));
        longest->setValue(2.5);
        QCOMPARE(d.session().newton.dt_max_ms, 2.5);
        choose("numericsScheme", diffusion::Scheme::fvm);
        QVERIFY(!go->isEnabled());
        QVERIFY2(d.said().contains("scheme \"p1\" alone"), qPrintable(d.said()));
    }
    void refinesAndKeepsWhatItMade()
    {
        const QTemporaryDir settings;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        QFile file(dir.filePath("coarse.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(slab);
        file.close();
        simulation::EngineOptions options;
        options.devices = "cpu";
        const QString saved = dir.filePath("refined.json");
        {
            EngineHost host(real_engine(options), session_opener());
            MainWindow w(&host);
            w.setAutoPlay(false);
            w.resize(1280, 800);
            w.show();
            w.open(file.fileName());
            QTRY_VERIFY_WITH_TIMEOUT(host.scene() && w.viewController()->ready(), patience);
            const auto tetrahedra = host.scene()->mesh->tetrahedron_count();
            w.document()->edits().edit("scar", [](Session& s) {
                simulation::Region scar;
                scar.model.clear();
                scar.name = "scar";
                scar.where = simulation::Tetrahedra{{5, 6}};
                scar.conductivity_scale = 0.1;
                s.regions.push_back(scar);
            });
            auto* d = opened<RefineDialog>(w, "Refine…");
            QVERIFY(d);
            QTRY_VERIFY_WITH_TIMEOUT(d->described(), patience);
            QVERIFY2(d->said().contains(spacedNumber(8640)) && d->said().contains("m/s"),
                     qPrintable(d->said()));
            look(d, "refine-dialog");
            const auto run = host.scene()->run;
            auto* app = static_cast<fake::WatchedApplication*>(qApp);
            app->begin();
            d->findChild<QPushButton*>("make")->click();
            QTRY_VERIFY_WITH_TIMEOUT(host.scene()->run > run && w.viewController()->ready(),
                                     patience);
            const auto longest = app->end();
            QVERIFY(w.findChild<RefineDialog*>() == nullptr || !d->isVisible());
            QVERIFY2(longest.cpu_ms < 100, longest.what.c_str()); // drawing on software included
            QCOMPARE(host.scene()->mesh->tetrahedron_count(), 8 * tetrahedra);
            const auto& s = w.document()->session();
            QCOMPARE(s.name, std::string("coarse"));
            QCOMPARE(std::get<simulation::Tetrahedra>(*s.regions.at(1).where).tetrahedra.size(),
                     std::size_t{16});
            QVERIFY(w.isWindowModified());
            // saved: the mesh goes beside the session, once
            QCOMPARE(w.saving()->save(saved), QString());
            QVERIFY(!w.isWindowModified());
            QVERIFY(QFileInfo::exists(dir.filePath("refined-mesh.vtu")));
            QCOMPARE(w.saving()->save(saved), QString());
            QVERIFY(!QFileInfo::exists(dir.filePath("refined-mesh-2.vtu")));
            host.runUntil(3);
            QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= 2.9, patience);
            movieBeforeTheNextMesh(w, host);
        }
        // the temporary place is gone; the session still opens
        EngineHost host(real_engine(options), session_opener());
        MainWindow w(&host);
        w.setAutoPlay(false);
        w.show();
        w.open(saved);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && w.viewController()->ready(), patience);
        QCOMPARE(host.scene()->mesh->tetrahedron_count(), std::size_t{8 * 1080});
        QCOMPARE(QString::fromStdString(std::get<MeshFile>(w.document()->session().mesh).file),
                 QString("refined-mesh.vtu"));
        // saved into another folder it refers to the same mesh
        QVERIFY(QDir(dir.path()).mkpath("elsewhere"));
        QCOMPARE(w.saving()->save(dir.filePath("elsewhere/again.json")), QString());
        const auto again =
            simulation::read_session(dir.filePath("elsewhere/again.json").toStdString());
        QCOMPARE(std::get<MeshFile>(again.mesh).file, std::string("../refined-mesh.vtu"));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestMeshDialogs, fake::WatchedApplication>(argc, argv);
}
#include "test_mesh_dialogs.moc"
