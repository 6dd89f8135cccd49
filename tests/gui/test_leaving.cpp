// SPDX-License-Identifier: GPL-3.0-or-later
// What is not lost unasked: changes, recorded frames, files that are being written.
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
using State = simulation::Status::State;

class TestLeaving : public fake::LeavingTest
{
    Q_OBJECT
  private Q_SLOTS:
    void closingAsksWhenThereAreChanges()
    {
        f->start();
        auto* w = f->window.get();
        const auto box = [w] { return w->findChild<QMessageBox*>("unsaved"); };
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        QVERIFY(!w->close());
        QVERIFY(box() != nullptr && w->isVisible());
        QVERIFY(!w->close()); // it asks once
        QCOMPARE(w->findChildren<QMessageBox*>("unsaved").size(), 1);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        QVERIFY(w->isVisible());
        QVERIFY(!w->close());
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!w->isVisible());

        f->start(); // nothing changed, or nobody there to ask
        QVERIFY(f->window->close());
        f->start();
        f->window->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        f->window->setAsking(false);
        QVERIFY(f->window->close());
    }

    void oneQuestionNamesChangesAndFrames()
    {
        f->start();
        auto* w = f->window.get();
        const auto box = [w] { return w->findChild<QMessageBox*>("unsaved"); };
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 7777; });
        QVERIFY(!w->close());
        QVERIFY(box() != nullptr && !box()->text().contains("recorded frames"));
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        recordOnPurpose();
        QVERIFY(!w->close());
        QVERIFY(box() != nullptr);
        const QString text = box()->text();
        QVERIFY2(text.contains(QString("%1 recorded frames").arg(frames())), qPrintable(text));
        fake::chooseFile(dir.filePath("kept.json"));
        box()->button(QMessageBox::Save)->click(); // of the session: frames are asked about next
        QTRY_VERIFY(child<QMessageBox>("recorded") != nullptr);
        QVERIFY(w->isVisible() && QFile::exists(dir.filePath("kept.json")));
        child<QMessageBox>("recorded")->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(child<QMessageBox>("recorded") == nullptr);
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 7778; });
        QVERIFY(!w->close());
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!w->isVisible());
        QVERIFY(child<QMessageBox>("recorded") == nullptr);
    }

    /// Frames that nobody asked for, of a run of seconds, are neither named nor asked about.
    void framesOfAShortRunAreNotNamed()
    {
        f->start();
        auto* w = f->window.get();
        goOn();
        w->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 7777; });
        QVERIFY(frames() > 0);
        QVERIFY(!w->close());
        auto* box = child<QMessageBox>("unsaved");
        QVERIFY(box != nullptr && !box->text().contains("frames"));
        box->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!w->isVisible());
    }

    void recordedFramesAreNotLostUnasked()
    {
        f->start();
        auto* w = f->window.get();
        const auto box = [w] { return w->findChild<QMessageBox*>("recorded"); };
        auto* open = fake::action(*w, "Open the built-in heart");
        const auto another = [&](const std::function<void()>& ask) {
            const auto before = f->host->scene()->run;
            ask();
            QTRY_VERIFY_WITH_TIMEOUT(f->host->scene()->run > before && !f->host->isLoading(),
                                     20000);
        };
        // what is recorded by itself, of a short run, is not asked about
        f->host->play();
        QTRY_VERIFY(frames() > 3);
        another([&] { open->trigger(); });
        QVERIFY(box() == nullptr);
        // what somebody wanted is
        press("record"); // it is on: off and on
        press("record");
        f->host->play();
        QTRY_VERIFY(frames() > 3);
        f->host->pause();
        press("record"); // off, and a new one in its place
        QTRY_VERIFY(!f->host->status().recording);
        press("record");
        QVERIFY(box() != nullptr && !child<QToolButton>("record")->isChecked());
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        QVERIFY(frames() > 3);
        open->trigger();
        QVERIFY(box() != nullptr && box()->text().contains("recorded frames"));
        QVERIFY(!f->host->isLoading());
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        QVERIFY(!f->host->isLoading());
        QVERIFY(!w->close());
        QTRY_VERIFY(box() != nullptr);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr && w->isVisible());
        another([&] {
            open->trigger();
            box()->button(QMessageBox::Discard)->click();
        });
        press("record");
        press("record");
        f->host->play();
        QTRY_VERIFY(frames() > 3);
        w->setAsking(false); // nobody there
        another([&] { open->trigger(); });
        QVERIFY(box() == nullptr);
    }

    /// Nor are those that were recorded by themselves, by a recording that is begun by hand.
    void aRecordingByHandReplacesNoFramesUnasked()
    {
        f->start();
        const auto box = [this] { return child<QMessageBox>("recorded"); };
        const auto recordsAgain = [&](double from, double to) { // after these frames, and an end
            QTRY_VERIFY(f->host->status().recording);           // begun by itself
            for (const double ms : {from, to})
                f->host->runUntil(ms);
            QTRY_VERIFY(frames() > 1 && f->host->recording()->time_of(frames() - 1) == to);
            press("record");
            QTRY_VERIFY(!f->host->status().recording);
            fake::action(*f->window, "Start or end a recording")->trigger();
        };
        recordsAgain(4, 25); // recorded by itself: nobody asked for those frames
        QVERIFY(box() == nullptr);
        QTRY_VERIFY(f->host->status().recording);
        goOn();
        press("record"); // off
        QTRY_VERIFY(!f->host->status().recording);
        press("record"); // in the place of frames that somebody asked for
        QVERIFY(box() != nullptr);
        QVERIFY2(box()->text().contains("recorded frames ("), qPrintable(box()->text()));
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        QVERIFY(!f->host->status().recording && frames() > 1);
        press("record"); // the button asks as well
        QVERIFY(box() != nullptr && !child<QToolButton>("record")->isChecked());
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(f->host->status().recording);
        QCOMPARE(frames(), std::size_t(0));
        f->start();
        recordsAgain(4, 23);
        QVERIFY(box() == nullptr);
        f->start();
        f->window->setAsking(false); // nobody there
        recordsAgain(4, 50);
        QVERIFY(box() == nullptr);
    }

    void backToTheStartAsksWhereFramesAreRecorded()
    {
        f->start();
        const auto resets = [this] { return f->posted<simulation::Reset>().size(); };
        const auto box = [this] { return child<QMessageBox>("recorded"); };
        goOn(); // recorded by itself, of a short run: nobody wants it
        press("reset");
        QVERIFY(box() == nullptr);
        QTRY_COMPARE(resets(), 1U);
        recordOnPurpose();
        press("reset"); // they would begin anew
        QVERIFY(box() != nullptr);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box() == nullptr);
        QVERIFY(frames() > 3 && f->host->status().time_ms > 0);
        press("record"); // off: what was recorded stays
        QTRY_VERIFY(!f->host->status().recording);
        press("reset");
        QVERIFY(box() == nullptr);
        QTRY_COMPARE(resets(), 2U);
        QVERIFY(asksAboutFrames()); // and is still asked about
        press("record");            // in their place
        box()->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(f->host->status().recording);
        goOn();
        press("reset");
        QVERIFY(box() != nullptr);
        QCOMPARE(resets(), 2U);
        box()->button(QMessageBox::Discard)->click();
        QTRY_COMPARE(resets(), 3U);
    }
};

int main(int argc, char** argv)
{
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    return fake::run<TestLeaving>(argc, argv);
}
#include "test_leaving.moc"
