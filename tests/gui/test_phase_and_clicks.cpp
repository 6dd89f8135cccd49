// SPDX-License-Identifier: GPL-3.0-or-later
// The plane of the phase in the window and in sessions; what a click gives and is told.
#include "app/settings.hpp"
#include "app/view_controller.hpp"
#include "engine/mesh/measure.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/models/view_settings.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/phase_row.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QJsonObject>
#include <QLabel>

using namespace tawara;
using simulation::PhasePlane;
using simulation::WatchPhase;

class TestPhaseAndClicks : public QObject
{
    Q_OBJECT
    fake::WindowFixture f;
    template <class T>
    T* child(const char* name)
    {
        return f.window->findChild<T*>(name);
    }

  private Q_SLOTS:
    void cleanup() { f.stop(); }

    void thePlaneIsKeptWithTheSession()
    {
        ViewSettings s;
        QCOMPARE(s.plane, (PhasePlane{PhasePlane::Kind::delayed, 25}));
        s.plane = {PhasePlane::Kind::recovery, 7};
        QCOMPARE(ViewSettings::fromJson(s.toJson()), s);
        QCOMPARE(viewChange(ViewSettings{}, s), QString("Plane of the phase"));
        QCOMPARE(ViewSettings::fromJson({}).plane, PhasePlane{}); // sessions of before
        const auto read = [](const QJsonObject& phase) {
            return ViewSettings::fromJson({{"phase", phase}}).plane;
        };
        QCOMPARE(read({{"delay_ms", 500}}).delay_ms, PhasePlane::longest_ms);
        QCOMPARE(read({{"delay_ms", -3}}).delay_ms, PhasePlane::shortest_ms);
        QCOMPARE(read({{"plane", "no such"}}).kind, PhasePlane::Kind::delayed);
    }

    void thePlaneIsChosenInTheViewPanel()
    {
        f.start();
        f.window->raisePanel("viewDock");
        auto* row = f.window->findChild<PhaseRow*>();
        QVERIFY(row->isVisible() && !row->isEnabled()); // of what is not shown
        auto* quantity = child<QComboBox>("quantity");
        quantity->setCurrentIndex(static_cast<int>(Quantity::phase));
        Q_EMIT quantity->activated(static_cast<int>(Quantity::phase));
        QTRY_VERIFY(row->isEnabled());
        QTRY_VERIFY(!f.posted<WatchPhase>().empty());
        QVERIFY(f.posted<WatchPhase>().back().on);
        QCOMPARE(f.posted<WatchPhase>().back().plane, PhasePlane{});
        child<QDoubleSpinBox>("phaseDelay")->setValue(20);
        QTRY_COMPARE(f.posted<WatchPhase>().back().plane.delay_ms, 20.0);
        auto* plane = child<QComboBox>("phasePlane");
        plane->setCurrentIndex(1);
        Q_EMIT plane->activated(1);
        QTRY_COMPARE(f.posted<WatchPhase>().back().plane.kind, PhasePlane::Kind::recovery);
        QVERIFY(!child<QDoubleSpinBox>("phaseDelay")->isEnabled());
    }

    /// The command line's plane, whatever the session's view says.
    void thePlaneOfTheCommandLine()
    {
        f.start();
        f.window->showPhase({PhasePlane::Kind::delayed, 30});
        f.host->open({});
        QTRY_VERIFY(!f.posted<WatchPhase>().empty() && f.posted<WatchPhase>().back().on);
        QTRY_COMPARE(f.posted<WatchPhase>().back().plane.delay_ms, 30.0);
        QCOMPARE(f.window->viewController()->settings().shown[0], Quantity::phase);
    }

    /// On a coarse mesh a click takes the larger ball; a radius that the user chose stays.
    void aClicksRadiusFollowsTheMesh()
    {
        QCOMPARE(simulation::capturing_radius_mm(0.3), 3.0);
        QCOMPARE(simulation::capturing_radius_mm(2.7), 5.5);
        StimulusPanel panel;
        const auto hint = [&] { return panel.findChild<QLabel*>("clickHint")->text(); };
        panel.setCapturing(5.5);
        QCOMPARE(panel.settings().radius_mm, 5.5);
        QVERIFY(!panel.ownRadius() && !hint().contains("On this mesh"));
        panel.setCapturing(3);
        QCOMPARE(panel.settings().radius_mm, 3.0);
        panel.setSettings({2, 50, 2});
        QVERIFY(panel.ownRadius());
        QVERIFY2(hint().contains("On this mesh 50 pA/pF for 2 ms within 3 mm capture"),
                 qPrintable(hint()));
        panel.setCapturing(5.5);
        QCOMPARE(panel.settings().radius_mm, 2.0);
        QVERIFY2(hint().contains("within 5.5 mm"), qPrintable(hint()));
    }

    /// In the window: that of the mesh that is opened, and it is not kept as the user's.
    void theWindowTakesTheMeshsRadius()
    {
        f.shared = std::make_shared<fake::FakeEngine::Shared>();
        f.shared->slab = true;
        const auto bowl = qScopeGuard([this] { f.stop(), f.shared.reset(); });
        f.start();
        auto* panel = f.window->findChild<StimulusPanel*>();
        const double edge_mm = mesh::mean_edge_mm(*f.host->scene()->mesh);
        const double wanted_mm = simulation::capturing_radius_mm(edge_mm);
        QVERIFY(wanted_mm > 3); // more than it is without a mesh
        QTRY_COMPARE_WITH_TIMEOUT(panel->settings().radius_mm, wanted_mm, 60000);
        f.window->close();
        QVERIFY(!openSettings()->contains("stimulus/radius_mm"));
    }

    void aClickIsAlwaysAnswered()
    {
        f.start(); // paused
        auto* bar = f.window->findChild<MessageBar*>();
        f.host->stimulate({{0, 0, -60}, 3, 2, 50});
        QTRY_VERIFY2(bar->text().contains("paused"), qPrintable(bar->text()));
        simulation::CaptureEvent e;
        e.time_ms = 505;
        e.captured = true;
        Q_EMIT f.host->captureKnown(e);
        QCOMPARE(bar->text(), QString("The pulse at 505 ms captured."));
        e.captured = false;
        e.around_mV = 12;
        Q_EMIT f.host->captureKnown(e);
        QVERIFY2(bar->text().contains("not back at rest"), qPrintable(bar->text()));
        e.overtaken = true;
        Q_EMIT f.host->captureKnown(e);
        QVERIFY2(bar->text().contains("a wave from elsewhere"), qPrintable(bar->text()));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestPhaseAndClicks>(argc, argv);
}
#include "test_phase_and_clicks.moc"
