// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that took long to compute are not lost unasked, whatever would lose them; how long a run is.
#include "app/length_dialog.hpp"
#include "engine/simulation/recording.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QRadioButton>
#include <QToolButton>

using namespace tawara;
using State = simulation::Status::State;

class TestLongRuns : public QObject
{
    Q_OBJECT
    std::unique_ptr<fake::WindowFixture> f;
    QTemporaryDir dir;

    QMessageBox* box(const char* name = "recorded")
    {
        return f->window->findChild<QMessageBox*>(name);
    }
    void cancel(const char* name = "recorded")
    {
        QVERIFY(box(name) != nullptr);
        box(name)->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(box(name) == nullptr);
    }
    void trigger(const char* text) { fake::action(*f->window, text)->trigger(); }
    /// Computes for a while, a long one by this window's measure where asked for.
    void compute(bool lengthy)
    {
        f->window->setLongRun(lengthy ? 100 : 600'000);
        const double from = f->host->status().time_ms;
        f->host->play();
        QTest::qWait(400); // of wall time, which is what counts
        f->host->pause();
        QTRY_COMPARE(f->host->status().state, State::paused);
        QVERIFY(f->host->status().time_ms > from);
    }
    /// How many resets the engine was given.
    std::size_t resets() { return f->posted<simulation::Reset>().size(); }

  private Q_SLOTS:
    void init()
    {
        f = std::make_unique<fake::WindowFixture>();
        f->start();
    }
    void cleanup()
    {
        const std::string text = f->errors->text;
        f.reset();
        QVERIFY2(text.empty(), text.c_str());
    }

    void allWaysOfLosingItAsk()
    {
        compute(false);
        trigger("Back to the start"); // a short one goes unasked
        QVERIFY(box() == nullptr);
        QTRY_COMPARE(resets(), 1U);
        compute(true);
        trigger("Back to the start");
        QVERIFY(box() != nullptr);
        const QString text = box()->text();
        QVERIFY2(text.contains("recorded frames (") && text.contains(" of computing") &&
                     text.contains("maps"),
                 qPrintable(text));
        cancel();
        QCOMPARE(resets(), 1U);
        trigger("Open the built-in heart");
        cancel();
        QVERIFY(!f->window->close());
        cancel();
        // one question where the session's edits are asked about anyway
        f->window->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 7777; });
        QVERIFY(!f->window->close());
        QVERIFY2(box("unsaved")->text().contains(text), qPrintable(box("unsaved")->text()));
        box("unsaved")->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!f->window->isVisible());
        QVERIFY(box() == nullptr);
    }

    /// Without frames there are curves and maps to lose.
    void withoutARecordingItAsksAsWell()
    {
        trigger("Start or end a recording"); // it records by itself: off, before the first frame
        QTRY_VERIFY(!f->host->status().recording);
        compute(true);
        trigger("Back to the start");
        QVERIFY(box() != nullptr && !box()->text().contains("frames"));
        box()->button(QMessageBox::Discard)->click();
        QTRY_COMPARE(resets(), 1U);
        QTRY_COMPARE(f->host->status().time_ms, 0.0);
        trigger("Back to the start"); // nothing is there now
        QVERIFY(box() == nullptr);
        compute(true);
        QSignalSpy exported(f->host.get(), &EngineHost::exported);
        f->host->exportResults("maps-csv", dir.filePath("maps.csv"));
        QTRY_COMPARE(exported.count(), 1);
        trigger("Back to the start"); // somebody has what was wanted of it
        QVERIFY(box() == nullptr);
    }

    void aSavedSessionSaysOnceWhatIsNotInIt()
    {
        compute(false);
        const auto* bar = f->window->findChild<MessageBar*>();
        const auto save = [&](const QString& path) {
            QTimer::singleShot(20, this, [path] {
                auto* d = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(d != nullptr);
                d->findChild<QLineEdit*>("fileNameEdit")->setText(path);
                static_cast<QDialog*>(d)->accept();
            });
            trigger("Save session as…");
            QVERIFY(QFile::exists(path));
        };
        save(dir.filePath("one.json"));
        QVERIFY2(bar->text().contains("recorded frames") && bar->text().contains("Export"),
                 qPrintable(bar->text()));
        save(dir.filePath("two.json"));
        QVERIFY2(bar->text().contains("two.json") && !bar->text().contains("Export"),
                 qPrintable(bar->text()));
    }

    void theLengthSaysWhatIsWrong()
    {
        f->host->runUntil(20);
        QTRY_COMPARE(f->host->status().time_ms, 20.0);
        QTRY_COMPARE(f->host->status().state, State::paused);
        trigger("Length of the run…");
        auto* d = f->window->findChild<LengthDialog*>();
        QVERIFY(d != nullptr && d->isVisible());
        auto* field = d->findChild<QLineEdit*>("runEnd");
        auto* ok = d->findChild<QPushButton*>();
        for (auto* b : d->findChildren<QPushButton*>())
            if (b->isDefault() || b->text().contains("OK"))
                ok = b;
        const auto type = [&](const char* text) {
            field->setFocus();
            field->selectAll();
            QTest::keyClicks(field, text);
            return d->findChild<QLabel*>("lengthNote")->text();
        };
        for (const char* wrong : {"-3", "0", "nine", "10"}) {
            const QString note = type(wrong);
            QCOMPARE(field->text(), QString(wrong));
            QVERIFY2(!ok->isEnabled() && !note.isEmpty(), wrong);
        }
        QVERIFY2(type("10").contains("20 ms"), qPrintable(type("10")));
        QVERIFY2(type("-3").contains("at least"), qPrintable(type("-3")));
        QVERIFY(type("1 600").isEmpty());
        QVERIFY(ok->isEnabled());
        ok->click();
        QTRY_VERIFY(f->window->findChild<LengthDialog*>() == nullptr);
        QCOMPARE(f->window->document()->session().end_ms, 1600.0);
        trigger("Length of the run…");
        d = f->window->findChild<LengthDialog*>();
        QCOMPARE(d->findChild<QLineEdit*>("runEnd")->text(), QString("1600"));
        d->findChild<QRadioButton*>("noEnd")->click();
        QCOMPARE(d->fault(), QString());
        d->accept();
        QTRY_COMPARE(f->window->document()->session().end_ms, LengthDialog::no_end_ms);
    }
};

int main(int argc, char** argv)
{
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    return fake::run<TestLongRuns>(argc, argv);
}
#include "test_long_runs.moc"
