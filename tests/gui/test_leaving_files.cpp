// SPDX-License-Identifier: GPL-3.0-or-later
// What is not lost unasked while files are being written, and which frames count as saved.
#include "app/export/movie_dialog.hpp"
#include "app/export_controller.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "tests/gui/leaving_test.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QToolButton>

using namespace tawara;

class TestLeavingFiles : public fake::LeavingTest
{
    Q_OBJECT
  private Q_SLOTS:
    void closingAsksEverythingBeforeItWaits()
    {
        f->start();
        auto* w = f->window.get();
        const auto unsaved = [this] { return child<QMessageBox>("unsaved"); };
        const auto edit = [w](double end) {
            w->document()->edits().edit("end", [=](simulation::Session& s) { s.end_ms = end; });
        };
        const auto wait = [&] {
            QVERIFY(!w->close());
            QVERIFY(exportBox() != nullptr);
            answer(exportBox(), "Wait");
            QTRY_VERIFY(exportBox() == nullptr);
        };
        recordOnPurpose();
        edit(7777);
        holdExports(true);
        f->host->exportResults("maps-csv", "maps.csv");
        wait();
        QVERIFY(unsaved() != nullptr && unsaved()->text().contains("recorded frames"));
        unsaved()->button(QMessageBox::Cancel)->click(); // then it does not close at all
        QTRY_VERIFY(unsaved() == nullptr);
        holdExports(false);
        QTRY_VERIFY(!f->host->exporting());
        QApplication::processEvents();
        QVERIFY(w->isVisible() && unsaved() == nullptr);
        holdExports(true);
        f->host->exportResults("maps-csv", "maps.csv");
        wait();
        unsaved()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(unsaved() == nullptr);
        QVERIFY(w->isVisible() && child<QMessageBox>("recorded") == nullptr);
        edit(8888); // an edit after the answer is not covered by it
        holdExports(false);
        QTRY_VERIFY(unsaved() != nullptr);
        unsaved()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(unsaved() == nullptr);
        holdExports(true);
        f->host->exportResults("maps-csv", "maps.csv");
        wait();
        unsaved()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(unsaved() == nullptr);
        QVERIFY(w->isVisible());
        holdExports(false);
        QTRY_VERIFY(!w->isVisible()); // and nothing is asked again
        QVERIFY(unsaved() == nullptr && child<QMessageBox>("recorded") == nullptr);
    }

    void closingWaitsForAMovieOfWhatItWouldLose()
    {
        f->start();
        auto* w = f->window.get();
        recordOnPurpose();
        auto* d = movieDialog();
        d->findChild<QDoubleSpinBox*>("speed")->setValue(1); // hundreds of frames
        d->make(dir.filePath("all.mp4"));
        QVERIFY(!w->close());
        QVERIFY(exportBox() != nullptr && exportBox()->text().contains("a movie"));
        answer(exportBox(), "Wait");
        QTRY_VERIFY(exportBox() == nullptr);
        QVERIFY(child<QMessageBox>("recorded") == nullptr); // they are being saved
        d->findChild<QPushButton*>("cancel")->click();      // no longer
        QTRY_VERIFY(child<QMessageBox>("recorded") != nullptr);
        QVERIFY(w->isVisible());
        child<QMessageBox>("recorded")->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!w->isVisible());
    }

    void aMovieDialogGoesWithItsRecording()
    {
        f->start();
        auto* w = f->window.get();
        w->setAsking(false);
        const auto dialog = [w] { return w->findChild<MovieDialog*>(); };
        const auto another = [&] {
            const auto before = f->host->scene()->run;
            w->open({});
            QTRY_VERIFY_WITH_TIMEOUT(f->host->scene()->run > before && !f->host->isLoading(),
                                     20000);
            QTRY_VERIFY_WITH_TIMEOUT(w->viewController()->ready(), 20000);
        };
        const auto recorded = [&] {
            f->host->startRecording(1, quint64{1} << 26);
            f->host->play();
            QTRY_VERIFY(f->host->recording() && f->host->recording()->frame_count() > 5);
            f->host->pause();
            fake::action(*w, "Make a movie…")->trigger();
            QVERIFY(dialog() != nullptr && dialog()->isVisible());
        };
        recorded();
        another();
        QTRY_VERIFY(dialog() == nullptr);
        recorded(); // one that is being made goes on with what it has, and is ended by Cancel
        const QTemporaryDir folder;
        dialog()->findChild<QDoubleSpinBox*>("speed")->setValue(1); // hundreds of frames
        dialog()->make(folder.filePath("wave.mp4"));
        QVERIFY(dialog()->busy());
        another();
        QVERIFY(dialog() != nullptr && dialog()->busy());
        QSignalSpy failed(dialog(), &MovieDialog::failed);
        dialog()->findChild<QPushButton*>("cancel")->click();
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), QString()); // not an error
        QVERIFY(child<MessageBar>()->text().contains("no file was written"));
        QVERIFY(!dialog()->busy());
        QTRY_VERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
        dialog()->findChild<QPushButton*>("cancel")->click(); // Close now
        QTRY_VERIFY(dialog() == nullptr);
        recorded(); // closed by its own button
        dialog()->findChild<QPushButton*>("cancel")->click();
        QTRY_VERIFY(dialog() == nullptr);
    }

    /// Ctrl+E asks for frames as the button does.
    void framesOfTheMenuAreNotLostUnasked()
    {
        f->start();
        auto* record = fake::action(*f->window, "Start or end a recording");
        const auto box = [this] { return child<QMessageBox>("recorded"); };
        record->trigger(); // it records by itself: off
        QTRY_VERIFY(!f->host->status().recording);
        record->trigger();
        QTRY_VERIFY(f->host->status().recording);
        goOn();
        QVERIFY(asksAboutFrames());
        press("reset");
        QVERIFY(box() != nullptr);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        QVERIFY(!f->window->close());
        QTRY_VERIFY(box() != nullptr);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        record->trigger();
        QTRY_VERIFY(!f->host->status().recording);
        record->trigger(); // a new one in its place
        QVERIFY(box() != nullptr);
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(f->host->status().recording);
    }

    void aMovieFromTheStartCountsAsSaved()
    {
        f->start();
        recordOnPurpose();
        QVERIFY(asksAboutFrames());
        auto* d = movieDialog();
        QVERIFY(d != nullptr);
        auto *from = d->findChild<QDoubleSpinBox*>("from"),
             *to = d->findChild<QDoubleSpinBox*>("to");
        const double first = from->value(), last = to->value();
        const auto make = [&](double a, double b) {
            from->setValue(a), to->setValue(b);
            d->findChild<QDoubleSpinBox*>("speed")->setValue(100);
            QSignalSpy written(d, &MovieDialog::written);
            d->make(dir.filePath("wave.mp4"));
            QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, 30000);
        };
        make(first + 1, last); // the first moment is in no file
        QVERIFY(asksAboutFrames());
        make(first, last - 1); // the last one
        QVERIFY(asksAboutFrames());
        make(first, last);
        d->findChild<QPushButton*>("cancel")->click();
        QVERIFY(f->window->close());
        f->window->show();
        goOn(); // newer ones are not
        QVERIFY(asksAboutFrames());
    }

    void exportedFramesCountAsSaved()
    {
        f->start();
        recordOnPurpose();
        const auto save = [&](const char* name, const std::function<void()>& ask) {
            QSignalSpy exported(f->host.get(), &EngineHost::exported);
            const QString file = dir.filePath(name); // that is not there: no other question
            fake::chooseFile(file);
            ask();
            QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, 20000);
            QCOMPARE(exported[0][1].toString(), QString());
            QVERIFY(QFile::exists(file));
        };
        const auto byMenu = [this] {
            Q_EMIT child<QMenu>("exports")->aboutToShow();
            for (QAction* a : child<QMenu>("exports")->actions())
                if (a->data().toString() == "frames-pvd")
                    a->trigger();
        };
        save("wave.pvd", byMenu);
        QVERIFY(f->window->close());
        f->window->show();
        goOn(); // newer ones are not
        QVERIFY(asksAboutFrames());
        // from the question itself: then what was asked for comes
        const auto run = f->host->scene()->run;
        save("asked.pvd", [this] {
            fake::action(*f->window, "Open the built-in heart")->trigger();
            answer(child<QMessageBox>("recorded"), "Save frames");
        });
        QTRY_VERIFY_WITH_TIMEOUT(f->host->scene()->run > run, 20000);
        // what is recorded from the start again is another recording
        QTRY_VERIFY(!f->host->isLoading());
        recordOnPurpose();
        save("another.pvd", byMenu);
        press("reset"); // saved: not asked about
        QVERIFY(child<QMessageBox>("recorded") == nullptr);
        QTRY_COMPARE(f->host->status().time_ms, 0.0);
        goOn();
        QVERIFY(asksAboutFrames());
    }

    void closingAsksWhileAnExportIsWritten()
    {
        f->start();
        auto* w = f->window.get();
        auto* bar = child<MessageBar>();
        const auto begin = [&] {
            holdExports(true);
            f->host->exportResults("maps-csv", "maps.csv");
            QVERIFY(!w->close());
            QVERIFY(exportBox() != nullptr && w->isVisible());
        };
        begin();
        QVERIFY(!w->close()); // it asks once
        QCOMPARE(w->findChildren<QMessageBox*>("exporting").size(), 1);
        answer(exportBox(), "Go on working");
        QTRY_VERIFY(exportBox() == nullptr);
        holdExports(false);
        QTRY_VERIFY(!f->host->exporting());
        QApplication::processEvents();
        QVERIFY(w->isVisible());
        begin(); // waited for; an error keeps the window open
        answer(exportBox(), "Wait");
        QTRY_VERIFY(exportBox() == nullptr);
        holdExports(false, "no space left on the device");
        QTRY_VERIFY(bar->isVisible() && bar->text().contains("no space left"));
        QApplication::processEvents();
        QVERIFY(w->isVisible());
        begin();
        answer(exportBox(), "Wait");
        QTRY_VERIFY(exportBox() == nullptr);
        QVERIFY(w->isVisible());
        holdExports(false);
        QTRY_VERIFY(!w->isVisible());
        w->show();
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        begin(); // given up: unsaved changes are asked about as ever
        answer(exportBox(), "Give it up");
        QTRY_VERIFY(child<QMessageBox>("unsaved") != nullptr);
        child<QMessageBox>("unsaved")->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(child<QMessageBox>("unsaved") == nullptr);
        QVERIFY(w->isVisible() && !w->close()); // and it goes on
        answer(exportBox(), "Give it up");
        child<QMessageBox>("unsaved")->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!w->isVisible());
        f->start();
        holdExports(true);
        f->host->exportResults("maps-csv", "maps.csv");
        f->window->setAsking(false); // nobody there
        QVERIFY(f->window->close());
    }

    void closingWaitsForMoviesAndFilms()
    {
        f->start();
        auto* w = f->window.get();
        f->host->play();
        QTRY_VERIFY(frames() > 5);
        f->host->pause();
        auto* d = movieDialog();
        d->findChild<QDoubleSpinBox*>("speed")->setValue(1); // hundreds of frames
        d->make(dir.filePath("long.mp4"));
        QVERIFY(!w->close());
        QVERIFY(exportBox() != nullptr);
        answer(exportBox(), "Wait");
        QVERIFY(w->isVisible());
        QTRY_VERIFY(exportBox() == nullptr);
        d->findChild<QPushButton*>("cancel")->click(); // what was waited for is given up
        QTRY_VERIFY(!w->isVisible());
        f->start();
        w = f->window.get();
        const QString film = dir.filePath("film.mp4");
        w->exporting()->filmScreen(film);
        QVERIFY(!w->close());
        answer(exportBox(), "Wait"); // ends it, for it would never end
        QTRY_VERIFY_WITH_TIMEOUT(!w->isVisible(), 30000);
        QVERIFY(QFileInfo(film).size() > 500);
    }
};

static const fake::Further<TestLeavingFiles> further;
#include "test_leaving_files.moc"
