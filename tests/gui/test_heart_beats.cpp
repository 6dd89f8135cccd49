// SPDX-License-Identifier: GPL-3.0-or-later
// The window with the real engine and the embedded heart: from nothing to a wave, a click, a probe.
#include "app/real_engine.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/plots/trace_plot.hpp"

using namespace tawara;

class TestHeartBeats : public fake::HeartTest
{
    Q_OBJECT

  private Q_SLOTS:
    void beats()
    {
        const QTemporaryDir settings;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        vtkNew<fake::VtkErrors> errors;
        vtkOutputWindow::SetInstance(errors);
        QElapsedTimer clock;
        clock.start();
        EngineHost host(real_engine({}), session_opener());
        MainWindow window(&host);
        window.show();
        window.open({});
        double time = 0;
        connect(&host, &EngineHost::frameArrived, &window,
                [&](const EngineHost::FramePtr& f) { time = f->time_ms; });
        QTRY_VERIFY_WITH_TIMEOUT(time > 0 && window.viewController()->ready() &&
                                     window.view()->framesDrawn() > 1,
                                 60000);
        qInfo("first moving frame after %.2f s", static_cast<double>(clock.elapsed()) / 1e3);

        // somewhere on the wall that is seen, far from the pacing site
        auto* view = window.view();
        std::optional<scene::Pick> place;
        for (int y = view->height() / 5; !place && y < view->height() / 2; y += 5) {
            const QPointF d = view->toDisplay(QPointF(view->width() / 2.0, y));
            place = view->scene().pick(d.x(), d.y());
        }
        QVERIFY(place.has_value());
        host.addProbe("here", place->position_mm);
        QTRY_VERIFY_WITH_TIMEOUT(!window.probes()->entries().empty() &&
                                     window.probes()->entries().back().name == "here",
                                 20000);
        const quint64 id = window.probes()->entries().back().id;
        QTRY_VERIFY_WITH_TIMEOUT(window.plot()->sampleCount(id).value_or(0) > 3, 60000);
        QVERIFY2(*window.probes()->entries().back().V < -75, "at rest");
        QSignalSpy given(&host, &EngineHost::stimulated);
        window.setMode(ClickMode::stimulate);
        clock.restart();
        QTest::mouseClick(view, Qt::LeftButton, {}, fake::pixel_of(*view, place->position_mm));
        QTRY_COMPARE_WITH_TIMEOUT(given.size(), 1, 20000);
        qInfo("click answered after %lld ms", static_cast<long long>(clock.elapsed()));
        QTRY_VERIFY_WITH_TIMEOUT(*window.probes()->entries().back().V > 0,
                                 60000); // it has captured
        QCOMPARE(host.status().state, EngineHost::State::running);

        const auto before = view->framesDrawn();
        clock.restart();
        QTRY_VERIFY_WITH_TIMEOUT(view->framesDrawn() > before + 60, 60000);
        qInfo("%.1f frames a second while it computes %.1f ms/s",
              60e3 / static_cast<double>(clock.elapsed()), host.status().ms_per_second);
        host.pause();
        QTRY_COMPARE_WITH_TIMEOUT(host.status().state, EngineHost::State::paused, 20000);
        QVERIFY2(errors->text.empty(), errors->text.c_str());
        vtkOutputWindow::SetInstance(nullptr);
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestHeartBeats>(argc, argv);
}
#include "test_heart_beats.moc"
