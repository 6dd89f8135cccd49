// SPDX-License-Identifier: GPL-3.0-or-later
// How the views look is undone in its turn with the edits of the session.
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QSlider>

using namespace tawara;

class TestViewUndo : public QObject
{
    Q_OBJECT
    fake::WindowFixture f;

    QUndoStack& stack() { return f.window->document()->edits().stack(); }
    const ViewSettings& shown() { return f.window->viewController()->settings(); }

  private Q_SLOTS:
    void init()
    {
        if (f.shared) // of the test before
            f.shared->refuse_all.clear();
        f.start();
    }
    void cleanup()
    {
        f.stop();
        QVERIFY2(f.errors->text.empty(), f.errors->text.c_str());
    }
    void dragsAreOneStep()
    {
        auto* panel = f.window->findChild<ViewPanel*>();
        const ViewSettings before = shown();
        auto* opacity = panel->findChild<QSlider*>("opacity");
        for (int v = 95; v >= 40; v -= 5)
            opacity->setValue(v);
        QCOMPARE(shown().opacity, 0.4);
        QCOMPARE(stack().count(), 1);
        QVERIFY(f.window->findChild<QAction*>("undo")->text().contains("Opacity"));
        // another setting is another step
        panel->findChild<QCheckBox*>("depolarised")->setChecked(true);
        QCOMPARE(stack().count(), 2);
        stack().undo();
        QVERIFY(!shown().depolarised);
        QVERIFY(!panel->findChild<QCheckBox*>("depolarised")->isChecked());
        QCOMPARE(shown().opacity, 0.4);
        stack().undo();
        QVERIFY(shown() == before);
        QCOMPARE(opacity->value(), 100);
        stack().redo();
        QCOMPARE(opacity->value(), 40);
        QCOMPARE(shown().opacity, 0.4);
        // views are no part of what has to be saved
        QVERIFY(!f.window->document()->edits().modified());
        QVERIFY(!f.window->isWindowModified());
    }
    void everySettingIsAStep()
    {
        auto* panel = f.window->findChild<ViewPanel*>();
        const auto choose = [&](const char* name, int i) {
            auto* box = panel->findChild<QComboBox*>(name);
            box->setCurrentIndex(i);
            Q_EMIT box->activated(i);
        };
        const ViewSettings before = shown();
        choose("viewCount", 1);
        choose("quantity", static_cast<int>(Quantity::activation));
        choose("colorMap", 2);
        choose("cut", 1);
        choose("fibres", 1);
        QCOMPARE(stack().count(), 5);
        QCOMPARE(f.window->views()->count(), 2);
        const ViewSettings after = shown();
        while (stack().canUndo())
            stack().undo();
        QVERIFY(shown() == before);
        QCOMPARE(f.window->views()->count(), 1);
        while (stack().canRedo())
            stack().redo();
        QVERIFY(shown() == after);
        QVERIFY(panel->settings() == after);
        // another session: nothing of this one can be undone
        f.window->setAsking(false);
        const auto run = f.host->scene()->run;
        f.window->open({});
        QTRY_VERIFY(f.host->scene()->run > run && !f.host->isLoading());
        QCOMPARE(stack().count(), 0);
    }
    /// A failed run takes no change: what an undo would have changed stays, and so does what was
    /// changed before.
    void aRefusedUndoIsTakenBack()
    {
        auto& edits = f.window->document()->edits();
        const auto session = [this]() -> const simulation::Session& {
            return f.window->document()->session();
        };
        edits.edit("first", [](simulation::Session& s) { s.end_ms = 700; });
        edits.edit("second",
                   [](simulation::Session& s) { s.regions.at(0).conductivity_scale = 0.5; });
        QSignalSpy applied(f.host.get(), &EngineHost::editApplied);
        QTRY_VERIFY(applied.size() >= 2);
        {
            std::lock_guard hold(f.shared->mutex);
            f.shared->refuse_all = "the run failed";
        }
        QSignalSpy refused(f.window->document(), &Document::refused);
        stack().undo();
        QTRY_COMPARE(refused.size(), 1);
        QCOMPARE(session().regions.at(0).conductivity_scale.fibre, 0.5);
        QCOMPARE(stack().index(), 2);
        edits.edit("third", [](simulation::Session& s) { s.end_ms = 900; });
        QTRY_COMPARE(refused.size(), 2);
        QTest::qWait(200); // what the engine says to that being taken back
        QCOMPARE(refused.size(), 2);
        QCOMPARE(session().end_ms, 700.0);
        QCOMPARE(session().regions.at(0).conductivity_scale.fibre, 0.5);
        QCOMPARE(stack().count(), 2);
    }

    /// An end that the run is past cannot come back; the edits before it can be undone.
    void undoPassesOverAnEndThatIsPast()
    {
        auto& edits = f.window->document()->edits();
        const auto session = [this]() -> const simulation::Session& {
            return f.window->document()->session();
        };
        const double scale = session().regions.at(0).conductivity_scale.fibre;
        edits.edit("short", [](simulation::Session& s) { s.end_ms = 5; });
        edits.edit("tissue",
                   [](simulation::Session& s) { s.regions.at(0).conductivity_scale = 0.5; });
        edits.edit("length", [](simulation::Session& s) { s.end_ms = 2000; });
        QSignalSpy applied(f.host.get(), &EngineHost::editApplied);
        QTRY_VERIFY(applied.size() >= 3);
        f.host->runUntil(20);
        QTRY_VERIFY(f.host->status().time_ms >= 20);
        {
            std::lock_guard hold(f.shared->mutex);
            f.shared->refuse_all = "the run is past that time already";
        }
        QSignalSpy passed(f.window->document(), &Document::steppedOver);
        QSignalSpy refused(f.window->document(), &Document::refused);
        stack().undo();
        QTRY_COMPARE(passed.size(), 1);
        QTest::qWait(200); // the engine, which has the end that stays, is not asked again
        QCOMPARE(passed.size(), 1);
        {
            std::lock_guard hold(f.shared->mutex);
            f.shared->refuse_all.clear();
        }
        QCOMPARE(session().end_ms, 2000.0);
        QCOMPARE(stack().index(), 2);
        stack().undo();
        QCOMPARE(session().regions.at(0).conductivity_scale.fibre, scale);
        QCOMPARE(session().end_ms, 2000.0);
        stack().redo();
        stack().redo();
        QCOMPARE(session().end_ms, 2000.0);
        QCOMPARE(refused.size(), 0);
        QVERIFY(edits.modified());
    }

    void refusedEditLeavesTheViews()
    {
        auto& edits = f.window->document()->edits();
        edits.edit("kept", [](simulation::Session& s) { s.end_ms = 700; });
        const double kept = f.window->document()->session().end_ms;
        edits.edit("refused", [](simulation::Session& s) { s.end_ms = 900; });
        f.window->findChild<ViewPanel*>()->findChild<QSlider*>("opacity")->setValue(50);
        QCOMPARE(stack().count(), 3);
        edits.revert(); // as when the engine says no, later
        QCOMPARE(f.window->document()->session().end_ms, kept);
        QCOMPARE(shown().opacity, 0.5);
        QCOMPARE(stack().count(), 2);
        stack().undo();
        QCOMPARE(shown().opacity, 1.0);
        QVERIFY(edits.modified() && f.window->isWindowModified());
        stack().undo();
        QVERIFY(!edits.modified() && !f.window->isWindowModified());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestViewUndo>(argc, argv);
}
#include "test_view_undo.moc"
