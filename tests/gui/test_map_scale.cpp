// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a map of which nothing is known yet; which beat's maps a report has.
#include "app/export_controller.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QFile>

#include <limits>

using namespace tawara;

class TestMapScale : public QObject
{
    Q_OBJECT
    fake::WindowFixture f;

  private Q_SLOTS:
    void init()
    {
        f.shared = std::make_shared<fake::FakeEngine::Shared>(); // that holds nothing
        f.start();
    }
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
        QTRY_VERIFY(!arrived.isEmpty()); // the engine's own: then none but these
        {
            std::lock_guard also(f.shared->mutex);
            f.shared->hold_maps = true;
        }
        const auto n = f.host->scene()->surface->vertices.size();
        // software OpenGL has its texts in a widget; elsewhere they are in the picture
        const bool software = f.window->view()->softwareRendering();
        const auto bar = [&] { return f.window->view()->texts()->shown().bar; };
        const auto barOfScene = [&] { return f.window->view()->scene().written().bar; };
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
        QVERIFY(!barOfScene());
        if (software)
            QTRY_VERIFY(!bar());
        m.apd90.assign(n, 250);
        views->showMaps(std::make_shared<const simulation::MapFrame>(m));
        QVERIFY(!views->noteOf(Quantity::apd).contains("whole"));
        QVERIFY(barOfScene());
        if (software)
            QTRY_VERIFY(bar());
    }

    /// What is asked for while the maps are held counts when they are released.
    void heldMapsStay()
    {
        const auto posts = [this] { return f.posted<simulation::WatchMaps>().size(); };
        const auto newest = [this] { return f.posted<simulation::WatchMaps>().back(); };
        const auto before = posts();
        f.host->holdMaps(2);
        QCOMPARE(posts(), before + 1);
        QVERIFY(newest().on && newest().beat == 2);
        f.host->watchMaps(true, 3);
        f.host->watchMaps(true, 1);
        QCOMPARE(posts(), before + 1);
        f.host->holdMaps({});
        QCOMPARE(posts(), before + 2);
        QVERIFY(newest().on && newest().beat == 1);
        f.host->holdMaps(1); // as they are
        f.host->watchMaps(false);
        QCOMPARE(posts(), before + 2);
        f.host->holdMaps({});
        QCOMPARE(posts(), before + 3);
        QVERIFY(!newest().on);
    }

    /// Whatever the views want meanwhile, and without maps of that beat rather none than another's.
    void aReportIsOfOneBeat_data()
    {
        QTest::addColumn<bool>("arrive");
        QTest::newRow("maps arrive") << true;
        QTest::newRow("they do not") << false;
    }
    void aReportIsOfOneBeat()
    {
        QFETCH(bool, arrive);
        const QTemporaryDir dir;
        f.host->runUntil(300); // all is activated
        QTRY_COMPARE(f.host->status().time_ms, 300.0);
        auto* views = f.window->viewController();
        auto* panel = f.window->findChild<ViewPanel*>();
        auto s = panel->settings();
        s.shown[0] = Quantity::apd;
        Q_EMIT panel->changed(s);
        QTRY_VERIFY(views->maps() && views->maps()->beat == 2); // the newest
        const auto with = [this](const auto& change) {
            std::lock_guard also(f.shared->mutex);
            change(*f.shared);
        };
        with([&](auto& e) {
            e.export_text = simulation::to_html({});
            e.hold_exports = true;
            e.hold_maps = !arrive;
        });
        const auto newest = [this] { return f.posted<simulation::WatchMaps>().back(); };
        const QString file = dir.filePath("r.html");
        f.window->exporting()->makeReport(file);
        QCOMPARE(newest().beat, simulation::WatchMaps::newest_repolarised);
        s.beat = 3;
        Q_EMIT panel->changed(s); // the views' wish
        QTRY_VERIFY_WITH_TIMEOUT(f.host->exporting(), 20000);
        QCOMPARE(newest().beat, arrive ? 1 : simulation::WatchMaps::newest_repolarised);
        with([](auto& e) { e.hold_exports = e.hold_maps = false; });
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), 20000);
        QTRY_COMPARE(newest().beat, 3);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray html = written.readAll();
        QCOMPARE(html.count("data:image/png;base64,"), arrive ? 3 : 1);
        QCOMPARE(html.contains("beat 1 of 3"), arrive);
        QVERIFY(!html.contains("beat 2") && !html.contains("beat 3"));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestMapScale>(argc, argv);
}
#include "test_map_scale.moc"
