// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that took long to compute are not lost unasked, whatever would lose them; how long a run is.
#include "app/export_controller.hpp"
#include "app/length_dialog.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "engine/simulation/results/report_page.hpp"
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
    void recordOff()
    {
        if (f->host->status().recording)
            trigger("Start or end a recording");
        QTRY_VERIFY(!f->host->status().recording);
    }
    /// By the menu; the file is not there yet.
    void exportAs(const char* kind, const char* file)
    {
        auto* menu = f->window->findChild<QMenu*>("exports");
        Q_EMIT menu->aboutToShow();
        fake::chooseFile(dir.filePath(file));
        for (QAction* a : menu->actions())
            if (a->data().toString() == kind)
                return a->trigger();
        QFAIL(kind);
    }
    /// When the window knows.
    void backAtTheStart(const std::function<void()>& by)
    {
        QSignalSpy cleared(f->host.get(), &EngineHost::samplesCleared);
        by();
        QTRY_COMPARE(cleared.count(), 1);
        QTRY_COMPARE(f->host->status().time_ms, 0.0);
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
        backAtTheStart([this] { // a short one goes unasked
            trigger("Back to the start");
            QVERIFY(box() == nullptr);
        });
        QCOMPARE(resets(), 1U);
        compute(true);
        trigger("Back to the start");
        QVERIFY(box() != nullptr);
        const QString text = box()->text();
        QVERIFY2(text.contains(" of computing") && text.contains("maps"), qPrintable(text));
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
        QTRY_VERIFY(f->host->status().recording); // by itself: off, before the first frame
        trigger("Start or end a recording");
        QTRY_VERIFY(!f->host->status().recording);
        compute(true);
        trigger("Back to the start");
        QVERIFY(box() != nullptr && !box()->text().contains("frames"));
        backAtTheStart([this] { box()->button(QMessageBox::Discard)->click(); });
        backAtTheStart([this] { // nothing is there now
            trigger("Back to the start");
            QVERIFY(box() == nullptr);
        });
        compute(true);
        exportAs("maps-csv", "maps.csv");
        QTRY_VERIFY(!f->host->exporting());
        trigger("Back to the start"); // somebody has what was wanted of it
        QVERIFY(box() == nullptr);
    }

    /// What an export has written is kept, no more: not what was computed while it was written, nor
    /// what a new start computes.
    void whatIsKeptIsOfWhenItWasAskedFor()
    {
        const auto hold = [this](bool on) {
            std::lock_guard also(f->shared->mutex);
            f->shared->hold_exports = on;
        };
        const auto asks = [this] {
            trigger("Open the built-in heart");
            if (box() == nullptr)
                return false;
            cancel();
            return true;
        };
        recordOff();
        compute(true);
        hold(true);
        exportAs("maps-csv", "early.csv");
        compute(true);
        hold(false);
        QTRY_VERIFY(!f->host->exporting());
        QVERIFY(asks());
        exportAs("maps-csv", "late.csv");
        QTRY_VERIFY(!f->host->exporting());
        backAtTheStart([this] {
            trigger("Back to the start");
            QVERIFY(box() == nullptr);
        });
        compute(true);
        hold(true);
        exportAs("maps-csv", "before.csv");
        trigger("Back to the start");
        QVERIFY(box() != nullptr);
        backAtTheStart([this] { box()->button(QMessageBox::Discard)->click(); });
        compute(true);
        f->host->runUntil(5); // not past the time of that export
        QTRY_COMPARE(f->host->status().time_ms, 5.0);
        hold(false);
        QTRY_VERIFY(!f->host->exporting());
        QVERIFY(asks());
    }

    /// A report has files of its own on its way, which nobody has seen.
    void aReportThatFailsKeepsNothing()
    {
        recordOff();
        compute(true);
        const auto* bar = f->window->findChild<MessageBar*>();
        QSignalSpy exported(f->host.get(), &EngineHost::exported);
        f->window->exporting()->makeReport(
            dir.filePath("none.html")); // the engine's page is not there
        QTRY_COMPARE(exported.count(), 1);
        QVERIFY(!bar->text().contains("Saved"));
        QTRY_VERIFY2(bar->text().contains("cannot be read"), qPrintable(bar->text()));
        trigger("Back to the start");
        cancel();
        {
            std::lock_guard also(f->shared->mutex);
            f->shared->export_text = simulation::to_html({});
        }
        const QString file = dir.filePath("whole.html");
        f->window->exporting()->makeReport(file);
        QTRY_VERIFY(bar->text().contains("whole.html"));
        QVERIFY(QFile::exists(file));
        trigger("Back to the start");
        QVERIFY(box() == nullptr);
        for (const char* name : {"two.html", "three.html"}) // one after the other
            f->window->exporting()->makeReport(dir.filePath(name));
        for (const char* name : {"two.html", "three.html"})
            QTRY_VERIFY(QFile::exists(dir.filePath(name)));
    }

    /// Frames of before the last start are not this run's results.
    void framesOfBeforeKeepNothing()
    {
        compute(true); // it records by itself
        recordOff();
        trigger("Back to the start"); // frames stay
        QVERIFY(box() != nullptr && !box()->text().contains("frames"));
        backAtTheStart([this] { box()->button(QMessageBox::Discard)->click(); });
        compute(true);
        QVERIFY(f->host->recording()->frame_count() > 3);
        QSignalSpy exported(f->host.get(), &EngineHost::exported);
        exportAs("frames-pvd", "before.pvd");
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, 20000);
        QVERIFY(QFile::exists(dir.filePath("before.pvd")));
        trigger("Back to the start");
        QVERIFY(box() != nullptr);
        cancel();
    }

    void aSavedSessionSaysOnceWhatIsNotInIt()
    {
        compute(false);
        const auto* bar = f->window->findChild<MessageBar*>();
        const auto save = [&](const QString& path) {
            fake::chooseFile(path);
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

    /// OK alone changes nothing, and no end is never an earlier one.
    void anEndThatWasNotChangedStays()
    {
        const auto noEnd = [](LengthDialog& d) { d.findChild<QRadioButton*>("noEnd")->click(); };
        const auto type = [](LengthDialog& d, const char* text) {
            auto* field = d.findChild<QLineEdit*>("runEnd");
            field->selectAll();
            QTest::keyClicks(field, text);
        };
        LengthDialog far(5e6, 20, 0.02);
        QVERIFY(far.findChild<QRadioButton*>("noEnd")->isChecked());
        QCOMPARE(far.end(), 5e6);
        type(far, "600");
        QCOMPARE(far.end(), 600.0);
        noEnd(far);
        QCOMPARE(far.end(), 5e6);
        far.setNow(5e6); // it is over: on it goes
        QVERIFY(far.end() > 5e6);
        constexpr double third = 1000.0 / 3;
        LengthDialog near(third, 20, 0.02);
        QCOMPARE(near.fault(), QString());
        QVERIFY(near.end() == third); // every digit
        noEnd(near);
        QCOMPARE(near.end(), LengthDialog::no_end_ms);
        type(near, "400");
        QCOMPARE(near.end(), 400.0);
    }
};

int main(int argc, char** argv)
{
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    return fake::run<TestLongRuns>(argc, argv);
}
#include "test_long_runs.moc"
