// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a map of which nothing is known yet.
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <limits>

using namespace tawara;

class TestMapScale : public QObject
{
    Q_OBJECT
    fake::WindowFixture f;

  private Q_SLOTS:
    void init() { f.start(); }
    void cleanup()
    {
        f.stop();
        QVERIFY2(f.errors->text.empty(), f.errors->text.c_str());
    }

    /// No scale, and which beat has values.
    void aMapOfNothingHasNoScale()
    {
        auto* views = f.window->viewController();
        auto* panel = f.window->findChild<ViewPanel*>();
        auto s = panel->settings();
        s.shown[0] = Quantity::apd;
        panel->setSettings(s);
        QSignalSpy arrived(f.host.get(), &EngineHost::mapsArrived);
        Q_EMIT panel->changed(s);
        QTRY_VERIFY(!arrived.isEmpty()); // the engine's own; no others come while it stands
        const auto n = f.host->scene()->surface->vertices.size();
        // software OpenGL has its texts in a widget; elsewhere they are in the picture
        const bool software = f.window->view()->softwareRendering();
        const auto bar = [&] { return f.window->view()->texts()->shown().bar; };
        simulation::MapFrame m;
        m.run = f.host->status().run;
        m.beats = {{1, 0, 400, 1, false}, {2, 800, 850, 1, false}};
        m.beats[0].repolarised = 1;
        m.beat = 2;
        m.activation.assign(n, 20);
        m.repolarisation.assign(n, std::numeric_limits<float>::quiet_NaN());
        m.apd90 = m.period = m.repolarisation;
        views->showMaps(std::make_shared<const simulation::MapFrame>(m));
        const QString said = views->noteOf(Quantity::apd);
        QVERIFY2(said.contains("not repolarised yet") && said.contains("beat 1 is whole"),
                 qPrintable(said));
        if (software)
            QTRY_VERIFY(!bar());
        m.apd90.assign(n, 250);
        views->showMaps(std::make_shared<const simulation::MapFrame>(m));
        QVERIFY(!views->noteOf(Quantity::apd).contains("whole"));
        if (software)
            QTRY_VERIFY(bar());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestMapScale>(argc, argv);
}
#include "test_map_scale.moc"
