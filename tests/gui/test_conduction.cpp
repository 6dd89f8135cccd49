// SPDX-License-Identifier: GPL-3.0-or-later
// The conduction system in the window: shown, grown, cut, joined, with undo.
#include "app/conduction_controller.hpp"
#include "app/grow_dialog.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/conduction_panel.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/scene/network_tubes.hpp"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

using namespace tawara;

class TestConduction : public fake::WindowTest
{
    Q_OBJECT
    using SetPurkinje = simulation::SetPurkinje;

    ConductionPanel* panel() { return child<ConductionPanel>(); }
    scene::NetworkTubes& tubes() { return f->window->view()->scene().network(); }
    const simulation::PurkinjeKeys& keys() { return *session().purkinje; }
    std::size_t asked() { return f->posted<SetPurkinje>().size(); }
    void undo() { f->window->document()->edits().stack().undo(); }

    /// A window with a network that was grown by the panel's button and dialog.
    void grown()
    {
        if (!f->shared)
            f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->free_running = false;
        f->start();
        f->window->raisePanel("conductionDock");
        QTest::mouseClick(child<QPushButton>("growFirst"), Qt::LeftButton);
        auto* dialog = child<GrowDialog>();
        QVERIFY(dialog != nullptr);
        dialog->findChild<NumberBox*>("seed")->setValue(7);
        dialog->accept();
        QTRY_VERIFY_WITH_TIMEOUT(tubes().model() != nullptr, 20000);
    }

  private Q_SLOTS:
    void aNetworkIsGrownAndUndone()
    {
        grown();
        QVERIFY(keys().wanted);
        QCOMPARE(keys().grow.seed, 7);
        QCOMPARE(asked(), 1U);
        QCOMPARE(panel()->fascicles()->rowCount(), 3);
        QTRY_VERIFY(child<QLabel>("networkSummary")->text().contains("seed 7"));
        undo();
        QVERIFY(!keys().wanted);
        QTRY_VERIFY(tubes().model() == nullptr);
        QTRY_VERIFY(child<QLabel>("noNetwork")->isVisible());
    }

    /// A session that has one is opened with it.
    void anOpenedSessionShowsItsNetwork()
    {
        f->opened = [](simulation::Session& s) { s.purkinje->wanted = true; };
        f->start();
        QTRY_VERIFY_WITH_TIMEOUT(tubes().model() != nullptr, 20000);
        QCOMPARE(panel()->junctions()->rowCount(), 2);
    }

    /// Its colours follow V, and its junctions what they do.
    void theViewFollowsTheFrames()
    {
        grown();
        f->host->runUntil(12);
        QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms >= 12);
        QTRY_VERIFY(!tubes().values().empty() && tubes().values().front() == 20);
        QVERIFY(tubes().values().back() < -70);
        f->host->runUntil(25);
        QTRY_VERIFY(tubes().values().back() == 20);
        QCOMPARE(tubes().marks().size(), 2U);
        QTRY_COMPARE(panel()->junctions()->states()[0], simulation::JunctionState::antegrade);
    }

    void theMenuHidesIt()
    {
        grown();
        child<QAction>("networkOff")->trigger();
        QTRY_COMPARE(tubes().look(), scene::NetworkLook::off);
        child<QAction>("networkInside")->trigger();
        QTRY_COMPARE(tubes().look(), scene::NetworkLook::inside);
        QVERIFY(child<QAction>("networkInside")->isChecked());
        child<QAction>("networkTop")->trigger();
        QTRY_COMPARE(tubes().look(), scene::NetworkLook::top);
    }

    /// Buttons, a click on a branch and the undo stack.
    void branchesAreCutAndJoined()
    {
        grown();
        press("cutLeft");
        QCOMPARE(keys().cut, std::vector<std::string>{"left_bundle"});
        QTRY_VERIFY(child<QToolButton>("cutLeft")->isChecked());
        QCOMPARE(newest<SetPurkinje>().keys->cut, keys().cut);
        undo();
        QVERIFY(keys().cut.empty());
        QTRY_VERIFY(!child<QToolButton>("cutLeft")->isChecked());
        f->window->setMode(ClickMode::branch);
        QVERIFY(child<QToolButton>("cutTool")->isChecked());
        auto* view = f->window->view();
        view->finePicture();
        const auto middle = [&](int branch) {
            const auto& m = *tubes().model();
            std::vector<Vec3> on;
            for (std::size_t i = 0; i < m.point_mm.size(); ++i)
                if (m.branch[i] == branch)
                    on.push_back(m.point_mm[i]);
            return f->pixelOf(on[on.size() / 2]);
        };
        QTest::mouseClick(view, Qt::LeftButton, {}, middle(2));
        QTRY_COMPARE(keys().cut, std::vector<std::string>{"2"});
        QTRY_VERIFY(tubes().model()->cut.back() != 0);
        QTest::mouseClick(view, Qt::LeftButton, {}, middle(2));
        QTRY_VERIFY(keys().cut.empty());
        QTRY_VERIFY(tubes().model()->cut.back() == 0);
        QVERIFY(f->posted<simulation::Stimulate>().empty());
        const auto before = asked();
        QTest::mouseClick(view, Qt::LeftButton, {}, QPoint(3, view->height() / 2));
        QTRY_VERIFY(child<MessageBar>()->text().contains("missed the network"));
        QCOMPARE(asked(), before);
    }

    void whatTheEngineRefusesIsTakenBack()
    {
        grown();
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_network = "a network does not run there";
        }
        press("cutRight");
        QTRY_VERIFY(keys().cut.empty());
        QTRY_VERIFY(child<MessageBar>()->text().contains("a network does not run there"));
        QVERIFY(!child<QToolButton>("cutRight")->isChecked());
    }

    void aSearchIsCancelled()
    {
        grown();
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->hold_network = true;
        }
        child<QPushButton>("searchResistance")->click();
        QCOMPARE(keys().antegrade_ms, 4.0);
        QTRY_VERIFY(child<QWidget>("networkWork")->isVisible());
        QVERIFY(child<QLabel>("networkWorkText")->text().contains("4 ms"));
        press("cancelNetworkWork");
        QTRY_VERIFY(!child<QWidget>("networkWork")->isVisible());
        QCOMPARE(keys().antegrade_ms, 0.0);
        QVERIFY(f->posted<simulation::CancelChange>().size() == 1);
    }

    void theRhythmIsTheSessions()
    {
        grown();
        child<NumberBox>("hisPeriod")->setValue(700);
        QVERIFY(keys().his_protocol && keys().his_protocol->cycle_ms == 700);
        QTRY_VERIFY(newest<SetPurkinje>().keys->his_protocol.has_value());
        undo();
        QVERIFY(!keys().his_protocol);
        QTRY_COMPARE(child<NumberBox>("hisPeriod")->value(), 0.0);
    }

    /// The network of a recorded moment is that moment's.
    void aRecordedMomentHasItsNetwork()
    {
        grown();
        f->host->startRecording(1, 1 << 26);
        for (const double ms : {2.0, 12.0, 25.0}) {
            f->host->runUntil(ms);
            QTRY_VERIFY(f->host->frame() && f->host->frame()->time_ms >= ms);
        }
        f->host->stopRecording();
        QTRY_VERIFY(f->host->recording() && f->host->recording()->frame_count() > 2);
        const auto frame = f->host->recording()->frame(0);
        QVERIFY(frame->network.size() == tubes().model()->point_mm.size());
        f->window->viewController()->lookBack(frame);
        QTRY_VERIFY(tubes().values().back() < -70);
        QVERIFY(tubes().marks().empty());
        f->window->viewController()->lookBack(nullptr);
        QTRY_VERIFY(tubes().values().back() == 20);
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestConduction>(argc, argv);
}
#include "test_conduction.moc"
