// SPDX-License-Identifier: GPL-3.0-or-later
// What a window keeps against a crash, and what the next one makes of it.
#include "app/keeping_controller.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <fstream>

using namespace tawara;
using State = simulation::Status::State;
namespace fs = std::filesystem;

class TestKeeping : public fake::WindowTest
{
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> dir;

    fs::path all() const { return dir->filePath("kept").toStdString(); }
    MessageBar* message() { return child<MessageBar>("message"); }
    QMessageBox* offer() { return child<QMessageBox>("kept"); }
    std::vector<fs::path> folders() const
    {
        std::vector<fs::path> out;
        std::error_code none;
        for (const auto& e : fs::directory_iterator(all(), none))
            out.push_back(e.path());
        return out;
    }
    void answer(const QString& button)
    {
        for (auto* b : offer()->buttons())
            if (b->text().remove('&') == button) {
                b->click();
                QTRY_VERIFY(offer() == nullptr);
                return;
            }
        QFAIL(qPrintable("there is no button " + button));
    }
    void start()
    {
        f->start();
        f->window->keeping()->begin(all());
    }
    /// A run with an edit that is kept; then the program ends as if it were killed.
    void crash()
    {
        start();
        f->window->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 7777; });
        computeSome();
        keepNow();
        reached = f->host->status().time_ms;
        f->stop();
    }
    void computeSome()
    {
        f->host->play();
        QTRY_VERIFY(f->host->status().time_ms > 5);
        f->host->pause();
        QTRY_COMPARE(f->host->status().state, State::paused);
    }
    void keepNow()
    {
        QSignalSpy kept(f->window->keeping(), &KeepingController::kept);
        f->window->keeping()->keep("by hand");
        QTRY_COMPARE(kept.size(), 1);
    }
    /// What such a program leaves, without it: a state of the fake engine at 12 ms.
    fs::path left(const std::string& title) const
    {
        const simulation::KeptFolder of(all());
        simulation::KeptState s;
        s.folder = of.path();
        s.number = 1;
        s.title = title;
        s.reason = "by hand";
        s.time_ms = 12;
        s.saved = std::chrono::system_clock::now();
        s.has_state = true;
        simulation::Session session;
        session.end_ms = 7777;
        simulation::write_session(session, s.session());
        std::ofstream(s.state()) << 12;
        simulation::write_kept(s);
        return of.path();
    }
    void failOnPlay(const std::string& why, const std::optional<Vec3>& at,
                    const std::string& device)
    {
        const std::lock_guard hold(f->shared->mutex);
        f->shared->fail_on_play = why;
        f->shared->fail_at = at;
        f->shared->fail_device = device;
    }
    double reached = 0;

  private Q_SLOTS:
    void init()
    {
        WindowTest::init();
        dir = std::make_unique<QTemporaryDir>();
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->mesh_n = 8; // windows come and go
    }

    void aCrashedWindowIsRestored()
    {
        crash();
        QCOMPARE(folders().size(), std::size_t(1));
        const auto left = folders().front();
        start();
        QVERIFY(offer() != nullptr);
        const QString text = offer()->text();
        QVERIFY2(text.contains("Fake bowl at ") && text.contains("by hand") &&
                     text.contains(QString("%1 ms").arg(reached)),
                 qPrintable(text));
        QTest::keyClicks(offer(), "discardlater"); // typed while the window opened
        QTest::qWait(300); // a button that a key presses is down for a moment first
        QVERIFY(offer() != nullptr && offer()->isVisible() && fs::exists(left));
        f->window->setAutoPlay(true); // what is restored waits all the same
        answer("Restore");
        QTRY_COMPARE(session().end_ms, 7777.0);
        QTRY_VERIFY(!f->host->isLoading());
        QCOMPARE(f->host->status().time_ms, reached);
        QCOMPARE(f->host->status().state, State::paused);
        QVERIFY(f->window->document()->edits().modified());
        QVERIFY(message()->text().startsWith("Restored: Fake bowl"));
        // it is kept in this window's folder before the other one goes
        QTRY_VERIFY(!fs::exists(left));
        QCOMPARE(folders().size(), std::size_t(1));
        QCOMPARE(simulation::read_kept(folders().front()).size(), std::size_t(1));
        QCOMPARE(simulation::read_kept(folders().front()).front().time_ms, reached);
    }

    /// What was being kept meanwhile is of another document: that it is there is no reason to
    /// remove what was restored, which is kept behind it.
    void whatIsRestoredIsKeptAfterWhatWasBeingKept()
    {
        const auto old = left("Left bowl");
        start();
        answer("Later");
        computeSome();
        const auto own = folders().front() == old ? folders().back() : folders().front();
        const auto hold = [&](bool held) {
            const std::lock_guard lock(f->shared->mutex);
            f->shared->hold_keeping = held;
        };
        hold(true);
        std::vector<bool> there; // the old folder, whenever something is kept
        connect(f->window->keeping(), &KeepingController::kept, this,
                [&] { there.push_back(fs::exists(old)); });
        auto* menu = child<QMenu>("keptStates");
        Q_EMIT menu->aboutToShow();
        for (auto* a : menu->actions())
            if (a->text().contains("Left bowl"))
                a->trigger();
        QTRY_COMPARE(session().end_ms, 7777.0);
        QTRY_VERIFY(!f->host->isLoading());
        QVERIFY(there.empty() && fs::exists(old));
        hold(false);
        QTRY_COMPARE(there.size(), std::size_t(2));
        QVERIFY(there[0] && !there[1]);
        const auto kept = simulation::read_kept(own).front();
        QCOMPARE(kept.reason, std::string("when it was restored"));
        QCOMPARE(kept.time_ms, 12.0);
        disconnect(f->window->keeping(), &KeepingController::kept, this, nullptr);
    }

    /// Of a state that this window cannot keep the one that was left stays.
    void aStateIsNotReplacedByNone()
    {
        const auto old = left("Left bowl");
        {
            const std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_keeping = "the state takes up to 5 GB";
        }
        start();
        QSignalSpy kept(f->window->keeping(), &KeepingController::kept);
        answer("Restore");
        QTRY_COMPARE(kept.size(), 1);
        QCOMPARE(f->host->status().time_ms, 12.0);
        QVERIFY(fs::exists(old / "1.state.tcp"));
    }

    void discardAndLater()
    {
        left("Left bowl");
        start();
        answer("Later");
        auto* menu = child<QMenu>("keptStates");
        Q_EMIT menu->aboutToShow();
        const auto named = [menu](const QString& part) {
            for (auto* a : menu->actions())
                if (a->text().contains(part))
                    return true;
            return false;
        };
        QVERIFY(named("(by hand)"));
        const auto gone =
            simulation::read_kept(folders().front()).empty() ? folders().back() : folders().front();
        QVERIFY(f->window->close());
        f->stop();
        start();
        answer("Discard");
        QCOMPARE(folders().size(), std::size_t(1)); // this window's
        QVERIFY(folders().front() != gone);
    }

    /// What a window opens by itself waits while it asks, and runs where nothing is restored.
    void nothingRunsBehindTheQuestion()
    {
        crash();
        f->start();
        f->window->setAutoPlay(true);
        f->window->open({});
        f->window->keeping()->begin(all());
        QTRY_VERIFY(offer() != nullptr && !f->host->isLoading());
        QTest::qWait(200);
        QVERIFY(f->host->status().state != State::running);
        const double at = f->host->status().time_ms;
        answer("Later");
        QTRY_VERIFY(f->host->status().time_ms > at);
    }

    /// A state is kept before the command that would lose it; where nothing is new, none is.
    void itIsKeptBeforeItIsLost()
    {
        start();
        QVERIFY(offer() == nullptr);
        computeSome();
        QSignalSpy reset(f->window->keeping(), &KeepingController::kept);
        f->host->reset();
        QTRY_COMPARE(reset.size(), 1);
        const auto before = simulation::read_kept(folders().front()).front();
        QVERIFY(before.has_state && before.time_ms > 5 && fs::exists(before.state()));
        QCOMPARE(before.reason, std::string("before the run went back to the start"));
        QTRY_COMPARE(f->host->status().time_ms, 0.0);
        computeSome();
        QSignalSpy kept(f->window->keeping(), &KeepingController::kept);
        f->window->open({});
        QTRY_COMPARE(kept.size(), 1);
        QTRY_VERIFY(!f->host->isLoading());
        std::size_t keep = 0, load = 0, at = 0;
        {
            const std::lock_guard hold(f->shared->mutex);
            for (const auto& c : f->shared->commands) {
                ++at;
                keep = std::holds_alternative<simulation::KeepState>(c) ? at : keep;
                load = std::holds_alternative<simulation::Load>(c) ? at : load;
            }
        }
        QVERIFY(keep > 0 && keep < load);
        f->window->keeping()->keep("by hand"); // nothing is computed or edited yet
        QTest::qWait(50);
        QCOMPARE(kept.size(), 1);
        // what the run before had reached is there, and can be taken
        auto* menu = child<QMenu>("keptStates");
        Q_EMIT menu->aboutToShow();
        QVERIFY(menu->actions().front()->text().contains("before another took its place"));
        const auto run = f->host->scene()->run;
        menu->actions().front()->trigger();
        QTRY_VERIFY(f->host->scene()->run > run && !f->host->isLoading());
        QVERIFY(f->host->status().time_ms > 5);
    }

    void aStateThatCannotBeKeptIsSaidOnce()
    {
        start();
        {
            const std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_keeping = "the state takes up to 5 GB";
        }
        f->window->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 7777; });
        f->host->play();
        QTRY_VERIFY(f->host->status().time_ms > 5);
        QSignalSpy kept(f->window->keeping(), &KeepingController::kept);
        f->window->keeping()->keep("by hand");
        QTRY_COMPARE(kept.size(), 1);
        QVERIFY2(message()->text().contains("is not kept against a crash: the state takes up to"),
                 qPrintable(message()->text()));
        const auto waiting = message()->waiting();
        const double now = f->host->status().time_ms;
        QTRY_VERIFY(f->host->status().time_ms > now + 5);
        f->window->keeping()->keep("by hand");
        QTRY_COMPARE(kept.size(), 2);
        QCOMPARE(message()->waiting(), waiting);
        const auto alone = simulation::read_kept(folders().front()).front();
        QVERIFY(!alone.has_state);
        QCOMPARE(simulation::read_session(alone.session()).end_ms, 7777.0);
        f->window->setAsking(false);
        QVERIFY(f->window->close()); // which leaves nothing
        QVERIFY(folders().empty());
    }

    /// A run that fails says what it can go back to, and shows where.
    void aFailedRunGoesBackToWhatWasKept()
    {
        start();
        computeSome();
        keepNow();
        const double at = f->host->status().time_ms;
        Vec3 behind{}; // the camera stands at -y
        for (const auto v : f->host->scene()->surface->vertices)
            if (const Vec3 p = f->host->scene()->mesh->vertex(static_cast<std::size_t>(v));
                p[1] > behind[1])
                behind = p;
        failOnPlay("the solution stopped being finite", behind, {});
        const auto marked = [&] { // and seen
            const auto names = f->window->view()->scene().written().names;
            return std::any_of(names.begin(), names.end(),
                               [](const auto& n) { return n.text == "Failed here"; });
        };
        QVERIFY(!marked());
        f->host->play();
        QTRY_VERIFY(marked());
        const auto pose = f->window->view()->scene().camera();
        QVERIFY(dot(behind, pose.position - pose.focal_point) > 0);
        auto* button = child<QToolButton>("messageOffer");
        QVERIFY(message()->text().contains("stopped being finite") && button->isVisible());
        QVERIFY2(button->text().contains(QString("Back to %1 ms").arg(at)),
                 qPrintable(button->text()));
        failOnPlay({}, {}, {});
        const auto run = f->host->scene()->run;
        button->click();
        QTRY_VERIFY(f->host->scene()->run > run && !f->host->isLoading());
        QCOMPARE(f->host->status().time_ms, at);
        QCOMPARE(f->host->status().state, State::paused);
        QTRY_VERIFY(!marked());
    }

    /// A device that fails: the run stops, or goes on without it where that was chosen.
    void aRunOutlivesItsDevice()
    {
        start();
        computeSome();
        keepNow();
        const double at = f->host->status().time_ms;
        failOnPlay("cuda:0: cudaStreamSynchronize: unspecified launch failure", {}, "cuda:0");
        auto* choice = child<QAction>("outliveDevices");
        QVERIFY(choice != nullptr && !choice->isChecked());
        f->host->play();
        QTRY_COMPARE(f->host->status().state, State::failed);
        QTest::qWait(50);
        QCOMPARE(f->posted<simulation::Load>().size(), std::size_t(1));
        choice->setChecked(true);
        connect(f->host.get(), &EngineHost::aboutToReplace, this,
                [this] { failOnPlay({}, {}, {}); });
        f->host->play(); // fails again
        QTRY_COMPARE(f->posted<simulation::Load>().size(), std::size_t(2));
        const auto load = newest<simulation::Load>();
        QVERIFY(load.plan && load.plan->devices.text() == "cpu" && !load.checkpoint.empty());
        QTRY_VERIFY(f->host->status().time_ms > at); // and goes on
    }

    void whatHasNoRoomIsOfferedOtherwise()
    {
        start();
        device::MemoryPlan plan;
        plan.precision = Precision::single;
        plan.devices = "cuda:0";
        plan.words = "single precision on cuda:0 (about 9 GB of 20 GB free)";
        {
            const std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_load = "cuda:0: cudaMalloc: out of memory";
            f->shared->plans = {plan};
        }
        const auto run = f->host->scene()->run;
        f->window->open({});
        auto* button = child<QToolButton>("messageOffer");
        QTRY_VERIFY(button->isVisible() && message()->text().contains("out of memory"));
        QVERIFY2(button->text().startsWith("Open it in single precision on cuda:0"),
                 qPrintable(button->text()));
        QCOMPARE(f->host->scene()->run, run);
        button->click();
        QTRY_VERIFY(f->host->scene()->run > run && !f->host->isLoading());
        QVERIFY(newest<simulation::Load>().plan == plan);
    }

    void whatIsDamagedIsRefusedAndStays()
    {
        const auto untold = left("Untold bowl"), cut = left("Cut bowl");
        std::ofstream(untold / "1.kept.json") << "{";
        std::ofstream(cut / "1.session.json") << "{\"schema\": 1, ";
        start();
        QVERIFY2(message()->text().contains("1.kept.json: is damaged"),
                 qPrintable(message()->text()));
        QVERIFY(fs::exists(untold / "1.state.tcp"));
        const auto before = f->host->scene()->run;
        QVERIFY(offer() != nullptr && offer()->text().contains("Cut bowl at 12 ms"));
        answer("Restore");
        QTRY_VERIFY2(message()->text().contains("What was kept cannot be restored: "),
                     qPrintable(message()->text()));
        QVERIFY(message()->text().contains("1.session.json:") &&
                message()->text().contains("What is open stays"));
        QCOMPARE(f->host->scene()->run, before);
        QVERIFY(fs::exists(cut / "1.state.tcp"));
    }
};

int main(int argc, char** argv)
{
    return tawara::fake::run<TestKeeping>(argc, argv);
}
#include "test_keeping.moc"
