// SPDX-License-Identifier: GPL-3.0-or-later
// Several files opened one after the other, good ones and bad ones: what the window says is open is
// what is open.
#include "app/fibre_rule_dialog.hpp"
#include "app/real_engine.hpp"
#include "app/settings.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/start_page.hpp"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>

using namespace tawara;

namespace {

constexpr int patience = 120000;

} // namespace

class TestOpening : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;

    QString slab(const QString& name, double size_mm, double spacing_mm) const
    {
        simulation::Session s;
        s.name = name.toStdString();
        s.mesh = simulation::MeshSlab{{size_mm, size_mm, 2}, spacing_mm};
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {1, 1, 1}; // waves are not said to be slow on it
        s.end_ms = 50;
        const QString path = dir.filePath(name + ".json");
        simulation::write_session(s, path.toStdString());
        return path;
    }
    static QString time(const MainWindow& w) { return w.findChild<QLabel*>("time")->text(); }

  private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, dir.path());
        QFile f(dir.filePath("wrong.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write("{\"schema\": 1, \"program\": \"none of a session's\"}");
    }
    /// A session may come from others: the window says what it reads outside its folder.
    void filesOutsideTheFolderAreSaid()
    {
        simulation::EngineOptions options;
        options.devices = "cpu";
        EngineHost host(real_engine(options), session_opener());
        MainWindow w(&host);
        w.setAutoPlay(false);
        w.show();
        const auto* message = w.findChild<MessageBar*>();
        w.open(slab("inside", 4, 1));
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && !host.isLoading(), patience);
        QVERIFY2(!message->text().contains("outside its folder"), qPrintable(message->text()));
        simulation::Session s;
        const QString heart =
            QFileInfo(TAWARA_SOURCE_DIR "/meshes/default_heart.vtu").canonicalFilePath();
        s.mesh = simulation::MeshFile{heart.toStdString(), {}, {}};
        s.regions[0].variant = "epi";
        s.end_ms = 50;
        const QString path = dir.filePath("outside.json");
        simulation::write_session(s, path.toStdString());
        const auto run = host.scene()->run;
        w.open(path);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene()->run > run && !host.isLoading(), patience);
        QVERIFY2(message->text().contains("outside its folder: " + heart),
                 qPrintable(message->text()));
    }
    /// What a mesh's format leaves out, or numbers anew, is a warning in the window as well.
    void whatReadingLosesIsSaid_data()
    {
        QTest::addColumn<QByteArray>("extension");
        QTest::addColumn<QString>("said");
        QTest::newRow("Gmsh") << QByteArray(".msh") << "do not stand in the order of their tags";
        QTest::newRow("TetGen") << QByteArray(".node") << "more columns than its header announces";
    }
    void whatReadingLosesIsSaid()
    {
        QFETCH(QByteArray, extension);
        QFETCH(QString, said);
        QTemporaryDir folder;
        const QString file = folder.filePath("mesh" + extension);
        const auto write = [&](const QString& path, const QByteArray& text) {
            QFile out(path);
            QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
        };
        if (extension == ".msh") {
            write(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n4 0 0 9\n1 0 0 0\n"
                        "2 9 0 0\n3 0 9 0\n$EndNodes\n$Elements\n1\n1 4 2 7 7 1 2 3 4\n"
                        "$EndElements\n");
        } else {
            write(file, "4 3 0 0\n1 0 0 0 5\n2 9 0 0 5\n3 0 9 0 5\n4 0 0 9 5\n");
            write(folder.filePath("mesh.ele"), "1 4 0\n1 1 2 3 4\n");
        }
        fake::WindowFixture f;
        f.shared = std::make_shared<fake::FakeEngine::Shared>();
        f.shared->notices = mesh::io::read(file.toStdString(), LengthUnit::mm).check.notices;
        f.start();
        auto* bar = f.window->findChild<MessageBar*>();
        QTRY_VERIFY2(bar->text().contains(said), qPrintable(bar->text()));
    }

    void aRefusedFileNeverNamesWhatIsOpen()
    {
        simulation::EngineOptions options;
        options.devices = "cpu";
        EngineHost host(real_engine(options), session_opener());
        MainWindow w(&host);
        w.setAutoPlay(false);
        w.show();
        const QString first = slab("first", 4, 1), second = slab("second", 40, 0.38),
                      wrong = dir.filePath("wrong.json");
        w.open(first);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && !host.isLoading(), patience);
        QVERIFY2(w.windowTitle().contains("first.json"), qPrintable(w.windowTitle()));
        host.runUntil(1);
        QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= 0.99, patience);
        QTRY_VERIFY2(time(w).startsWith("1.0"), qPrintable(time(w)));

        // while the second is being made into tissue a file is chosen that is no session
        const auto* overlay = w.findChild<Overlay*>();
        const auto* message = w.findChild<MessageBar*>();
        QSignalSpy failed(&host, &EngineHost::openFailed),
            progress(&host, &EngineHost::loadingProgress);
        w.open(second);
        QTRY_VERIFY_WITH_TIMEOUT(!progress.isEmpty(), patience);
        w.open(wrong);
        QVERIFY2(overlay->title().contains("wrong.json"), qPrintable(overlay->title()));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);
        QVERIFY2(host.isLoading(), "the second is too small a mesh for this test");
        QVERIFY2(overlay->title().contains("second.json"), qPrintable(overlay->title()));
        QVERIFY2(message->text().contains("second.json is still being opened"),
                 qPrintable(message->text()));
        QTRY_VERIFY_WITH_TIMEOUT(!host.isLoading(), patience);
        QVERIFY2(w.windowTitle().contains("second.json"), qPrintable(w.windowTitle()));
        QCOMPARE(host.origin().file, second);
        QVERIFY2(message->text().contains("program"), qPrintable(message->text())); // it stays

        // and now what was open stays, with its name and its time
        host.runUntil(0.5);
        QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= 0.49, patience);
        QTRY_VERIFY_WITH_TIMEOUT(time(w).startsWith("0.5"), patience);
        w.open(wrong);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 2, patience);
        QVERIFY2(w.windowTitle().contains("second.json"), qPrintable(w.windowTitle()));
        QVERIFY(message->text().contains("What was open before is still here"));
        QTRY_VERIFY2(time(w).startsWith("0.5"), qPrintable(time(w)));
        QFile untouched(wrong);
        QVERIFY(untouched.open(QIODevice::ReadOnly));
        QVERIFY(untouched.readAll().contains("none of a session's"));
    }
    /// A session that the engine refuses, while something is open.
    void timeIsThereAgainAfterARefusal()
    {
        fake::WindowFixture f;
        f.start();
        f.host->runUntil(10);
        QTRY_VERIFY_WITH_TIMEOUT(!time(*f.window).startsWith("0.0"), patience);
        const QString before = time(*f.window);
        {
            std::lock_guard hold(f.shared->mutex);
            f.shared->refuse_load = "no such tissue";
        }
        QSignalSpy failed(f.host.get(), &EngineHost::openFailed);
        f.window->open(slab("third", 4, 1));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);
        QTRY_COMPARE(time(*f.window), before);
    }
    /// Whatever opens another file asks about recorded frames as Back to the start does.
    void everyWayToOpenAsksAboutRecordedFrames()
    {
        simulation::EngineOptions options;
        options.devices = "cpu";
        EngineHost host(real_engine(options), session_opener());
        MainWindow window(&host);
        auto* w = &window;
        w->setAutoPlay(false);
        w->show();
        w->open(slab("recorded", 4, 1));
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && !host.isLoading(), patience);
        const QString file = slab("other", 4, 1);
        openSettings()->setValue("files/recent", QStringList(file));
        auto* record = fake::action(*w, "Start or end a recording");
        record->trigger(); // it records by itself: off
        QTRY_VERIFY(!host.status().recording);
        record->trigger();
        QTRY_VERIFY(host.status().recording);
        host.play(); // to its end
        QTRY_COMPARE_WITH_TIMEOUT(host.status().state, EngineHost::State::finished, patience);
        QVERIFY(host.recording()->frame_count() > 3);
        const auto run = host.scene()->run;
        const auto asks = [&](const char* by, const std::function<void()>& open) {
            open();
            QTRY_VERIFY2(w->findChild<QMessageBox*>("recorded") != nullptr, by);
            w->findChild<QMessageBox*>("recorded")->button(QMessageBox::Cancel)->click();
            QTRY_VERIFY2(w->findChild<QMessageBox*>("recorded") == nullptr, by);
            QVERIFY2(!host.isLoading() && host.scene()->run == run, by);
        };
        asks("Back to the start", [&] { fake::action(*w, "Back to the start")->trigger(); });
        asks("the built-in heart", [&] { fake::action(*w, "Open the built-in heart")->trigger(); });
        asks("a file dropped on the window", [&] {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(file)});
            QDragEnterEvent enter({300, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(w, &enter);
            QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(w, &drop);
        });
        asks("a recent file", [&] {
            auto* menu = fake::action(*w, "Open recent")->menu();
            Q_EMIT menu->aboutToShow();
            menu->actions().first()->trigger();
        });
        asks("a card of the start page", [&] {
            w->showStart(true);
            w->findChild<StartPage*>()->findChild<QPushButton*>("example")->click();
        });
        asks("Ctrl+O", [&] {
            fake::chooseFile(file);
            fake::action(*w, "Open mesh or session…")->trigger();
        });
    }
    /// Nobody is asked to give something up for a file that cannot be opened.
    void aBrokenFileIsSaidBeforeItIsAsked()
    {
        fake::WindowFixture f;
        f.start();
        auto* w = f.window.get();
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        const auto box = [w] { return w->findChild<QMessageBox*>("unsaved"); };
        const QString wrong = dir.filePath("wrong.json");
        openSettings()->setValue("files/recent", QStringList(wrong));
        const auto recent = [w] {
            auto* menu = fake::action(*w, "Open recent")->menu();
            Q_EMIT menu->aboutToShow();
            menu->actions().first()->trigger();
        };
        f.opener_error = "no JSON";
        QSignalSpy failed(f.host.get(), &EngineHost::openFailed);
        recent();
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(box() == nullptr && w->isWindowModified());
        QVERIFY(w->findChild<MessageBar*>()->text().contains("no JSON"));
        f.opener_error.clear();
        const auto run = f.host->scene()->run;
        recent();
        QTRY_VERIFY(box() != nullptr);
        QVERIFY(!f.host->isLoading() && f.host->scene()->run == run);
        QVERIFY(!w->findChild<Overlay*>()->loading());
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(f.host->scene()->run > run);
        QTRY_COMPARE(w->windowTitle(), QString("wrong.json[*] – Tawara"));
    }
    /// Cancel leaves all as it was, what was said and the start page, too.
    void anOpeningThatIsCancelledChangesNothing()
    {
        fake::WindowFixture f;
        f.start();
        auto* w = f.window.get();
        const auto box = [w] { return w->findChild<QMessageBox*>("unsaved"); };
        const auto cancel = [&] {
            box()->button(QMessageBox::Cancel)->click();
            QTRY_VERIFY(box() == nullptr);
        };
        const auto* start = w->findChild<StartPage*>();
        const auto* message = w->findChild<MessageBar*>();
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        openSettings()->setValue("files/recent", QStringList(dir.filePath("wrong.json")));
        const auto recent = [w] {
            auto* menu = fake::action(*w, "Open recent")->menu();
            Q_EMIT menu->aboutToShow();
            menu->actions().first()->trigger();
        };
        Q_EMIT f.host->stateLost("this is still to be read");
        w->showStart(true);
        QVERIFY(start->isVisible());
        const auto run = f.host->scene()->run;
        recent();
        QTRY_VERIFY(box() != nullptr);
        cancel();
        QVERIFY(start->isVisible() && !w->findChild<Overlay*>()->isVisible());
        const auto told = [message] {
            return message->isVisible() && message->text().contains("still to be read");
        };
        QVERIFY2(told(), qPrintable(message->text()));
        // another question is open when the file was read: this one comes after it
        recent();
        QVERIFY(!w->close());
        QVERIFY(box() != nullptr && box()->text().contains("window closes"));
        QTRY_VERIFY(!f.host->isLoading());
        QCOMPARE(w->findChildren<QMessageBox*>("unsaved").size(), 1);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() != nullptr && box()->text().contains("another is opened"));
        QCOMPARE(f.host->scene()->run, run);
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(f.host->scene()->run > run);
        QVERIFY(!start->isVisible() && !told());
        // a window that the other answer has closed asks nothing
        QTRY_VERIFY(!f.host->isLoading());
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 78; });
        recent();
        QVERIFY(!w->close());
        QTRY_VERIFY(!f.host->isLoading());
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!w->isVisible() && box() == nullptr);
        QCoreApplication::processEvents();
        QVERIFY(box() == nullptr && !f.host->isLoading());
    }
    /// --paused, say: the choice of the menu is for the next start as it was.
    void aSwitchHoldsForOneStart()
    {
        fake::WindowFixture f;
        for (const bool chosen : {true, false}) {
            f.start(true, false); // chooses nothing itself
            auto* action = fake::action(*f.window, "Start when opened");
            if (action->isChecked() != chosen)
                action->trigger();
            QVERIFY(f.window->close());
            f.start(!chosen, false); // a switch
            QCOMPARE(fake::action(*f.window, "Start when opened")->isChecked(), !chosen);
            QVERIFY(f.window->close());
            QCOMPARE(openSettings()->value("run/autoPlay").toBool(), chosen);
        }
        f.stop();
    }
    /// The examples are at hand in the dialog.
    void theFileDialogKnowsTheExamples()
    {
        fake::WindowFixture f;
        f.start();
        QStringList places;
        QTimer::singleShot(50, this, [&] {
            auto* d = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            for (const QUrl& u : d->sidebarUrls())
                places << u.toLocalFile();
            d->reject();
        });
        fake::action(*f.window, "Open mesh or session…")->trigger();
        QVERIFY2(places.join(' ').contains("resources/sessions"), qPrintable(places.join(' ')));
    }
    void fibresByRuleAreGivenInTheWindow()
    {
        fake::WindowFixture f;
        f.start();
        const auto loads = f.posted<simulation::Load>().size();
        auto* byRule = f.window->findChild<QAction*>("fibresByRule");
        QVERIFY(byRule != nullptr);
        simulation::Session s;
        s.mesh = simulation::MeshFile{"heart.vtu", LengthUnit::mm, {}};
        s.regions[0].variant = "epi";
        f.host->load(s, {dir.filePath("of.json"), false});
        QTRY_COMPARE(f.posted<simulation::Load>().size(), loads + 1);
        QTRY_VERIFY(!f.host->isLoading());
        byRule->trigger();
        auto* dialog = f.window->findChild<FibreRuleDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(dialog->rule() == mesh::generator::FibreRules{});
        dialog->findChild<NumberBox*>("helixEndo")->setValue(70);
        dialog->findChild<NumberBox*>("helixEpi")->setValue(-50);
        dialog->accept();
        QTRY_COMPARE(f.posted<simulation::Load>().size(), loads + 2);
        const auto mesh =
            std::get<simulation::MeshFile>(f.posted<simulation::Load>().back().session.mesh);
        QCOMPARE(mesh.fibres, std::string("rule-based"));
        QVERIFY((mesh.rule == mesh::generator::FibreRules{70, -50, -65, 25}));
        QTRY_VERIFY(!f.host->isLoading());
        QCOMPARE(f.host->origin().file, dir.filePath("of.json"));
        QVERIFY(f.window->isWindowModified()); // it is in no file yet
    }
};

int main(int argc, char** argv)
{
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    return fake::run<TestOpening>(argc, argv);
}

#include "test_opening.moc"
