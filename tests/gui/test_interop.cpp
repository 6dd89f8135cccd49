// SPDX-License-Identifier: GPL-3.0-or-later
// Frames from the GPU straight into OpenGL's buffers, against the same frames by the host. Skipped
// without a GPU that both computes and draws. The first test needs neither.
#include "app/real_engine.hpp"
#include "engine/core/larger.hpp"
#include "engine/core/resource.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/view_panel.hpp"

#include <QLabel>

#include <cmath>

using namespace tawara;

namespace {

/// Writes a number that counts up into the buffer's first values, by OpenGL.
class CountingSource : public scene::DisplaySource
{
  public:
    struct Log
    {
        int writes = 0, releases = 0;
        std::size_t size = 0;
        std::string fail;
    };
    explicit CountingSource(std::shared_ptr<Log> log) : log_(std::move(log)) {}
    std::optional<double> write(unsigned int, std::span<const std::int32_t> vertex, float) override
    {
        log_->size = vertex.size();
        if (!log_->fail.empty())
            return {};
        return ++log_->writes;
    }
    void release() noexcept override { ++log_->releases; }
    const std::string& error() const override { return log_->fail; }

  private:
    std::shared_ptr<Log> log_;
};

} // namespace

class TestInterop : public QObject
{
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> settings_;
    std::unique_ptr<EngineHost> host;
    std::unique_ptr<MainWindow> window;

    /// Largest difference between a view's buffer and the host's values of the same frame [mV].
    double difference(HeartView* view)
    {
        auto& scene = view->scene();
        const auto source = scene.gl_buffer_sources();
        view->makeCurrent();
        const auto got = interop::read_buffer(scene.gl_buffer(), source.size());
        view->doneCurrent();
        const auto& values = host->frame()->values;
        double largest = 0, high = -1e9;
        for (std::size_t i = 0; i < got.size(); ++i) {
            largest =
                larger_or_nan(largest, std::abs(static_cast<double>(
                                           got[i] - values[static_cast<std::size_t>(source[i])])));
            high = std::max(high, static_cast<double>(got[i]));
        }
        return high > -80 ? largest : 1e9; // nothing but rest proves nothing
    }
    void hostToo()
    {
        host->pause();
        QTRY_COMPARE(host->status().state, EngineHost::State::paused);
        window->displayPath()->needHost(true);
        QTRY_VERIFY(host->frame() && !host->frame()->values.empty());
        window->views()->each([](HeartView& v, int) { v.grabFramebuffer(); });
    }

  private Q_SLOTS:
    void cleanup()
    {
        window.reset();
        host.reset();
    }

    void sourcesAreAskedReleasedAndTheirFailuresTold()
    {
        const auto b = fake::bowl(12);
        auto log = std::make_shared<CountingSource::Log>();
        auto view = std::make_unique<HeartView>();
        view->resize(300, 200);
        view->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
        view->setSurface(*b.mesh, *b.surface);
        view->scene().set_live(); // has no source yet
        view->grabFramebuffer();
        view->scene().set_source(std::make_unique<CountingSource>(log));
        QCOMPARE(log->writes, 0);
        view->setLive();
        view->grabFramebuffer();
        QVERIFY(log->writes > 0);
        QCOMPARE(log->size, view->scene().gl_buffer_sources().size());
        QVERIFY(view->scene().live_time().has_value());

        // the host's values take the buffer back, and nobody writes it then
        const int writes = log->writes, releases = log->releases;
        view->setValues(std::vector<float>(b.surface->vertices.size(), 0.0F), 1);
        view->grabFramebuffer();
        QCOMPARE(log->writes, writes);
        QVERIFY(log->releases > releases);
        QVERIFY(!view->scene().live_time().has_value());

        // another wall has another buffer
        view->setLive();
        const auto other = fake::bowl(8);
        const int before = log->releases;
        view->setSurface(*other.mesh, *other.surface);
        view->setLive();
        view->grabFramebuffer();
        QVERIFY(log->releases > before);
        QCOMPARE(log->size, view->scene().gl_buffer_sources().size());

        QSignalSpy failed(view.get(), &HeartView::sourceFailed);
        log->fail = "no way";
        view->grabFramebuffer();
        QTRY_VERIFY(!failed.isEmpty());
        QCOMPARE(failed.front().front().toString(), QString("no way"));
        log->fail.clear();

        const int last = log->releases;
        view.reset();
        QVERIFY(log->releases > last);
    }

    void fallsBackAndSaysWhy()
    {
        settings_ = std::make_unique<QTemporaryDir>();
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_->path());
        simulation::EngineOptions options;
        options.devices = "cpu";
        host = std::make_unique<EngineHost>(real_engine(options), session_opener());
        window = std::make_unique<MainWindow>(host.get());
        window->show();
        window->open({});
        QTRY_VERIFY_WITH_TIMEOUT(window->viewController()->ready() && host->frame(), 60000);
        QTRY_VERIFY(!host->frame()->values.empty());
        QVERIFY(!window->displayPath()->live());
        auto* label = window->findChild<QLabel*>("renderPath");
        QTRY_VERIFY2(label->text().startsWith("host copy: CPU back end"),
                     qPrintable(label->text()));
        QCOMPARE(window->view()->scene().live_writes(), std::uint64_t{0});
    }

    void buffersHoldWhatTheHostWouldHave_data()
    {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<Precision>("precision");
        QTest::newRow("one GPU, double") << "cuda:0" << Precision::double_;
        QTest::newRow("two parts on one GPU, single") << "cuda:0,0" << Precision::single;
        QTest::newRow("two GPUs, double") << "cuda:0,1" << Precision::double_;
        QTest::newRow("another GPU than the one that draws") << "cuda:1" << Precision::double_;
    }
    void buffersHoldWhatTheHostWouldHave()
    {
        QFETCH(QString, devices);
        QFETCH(Precision, precision);
        int gpus = 0;
        std::string reason;
        for (const auto& d : device::devices())
            if (d.id != "cpu") {
                gpus += d.usable;
                reason = d.reason;
            }
        if (gpus == 0)
            QSKIP(qPrintable(QString::fromStdString("no GPU: " + reason)));
        if (devices.contains('1') && gpus < 2)
            QSKIP("there is one GPU");
        settings_ = std::make_unique<QTemporaryDir>();
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_->path());
        simulation::EngineOptions options;
        options.devices = devices.toStdString();
        options.precision = precision;
        host = std::make_unique<EngineHost>(real_engine(options), session_opener());
        window = std::make_unique<MainWindow>(host.get());
        window->setAutoPlay(false);
        window->show();
        window->open({});
        QTRY_VERIFY_WITH_TIMEOUT(window->viewController()->ready() && host->frame(), 60000);
        window->view()->makeCurrent();
        const QString why = QString::fromStdString(interop::context_reason());
        window->view()->doneCurrent();
        if (!why.isEmpty())
            QSKIP(qPrintable(why));
        host->limitSpeed(50); // a wave is under way at all times
        host->play();
        QTRY_VERIFY2(window->displayPath()->live(), qPrintable(window->displayPath()->tip()));
        QTRY_VERIFY(host->frame()->time_ms > 5);
        QTRY_VERIFY(window->view()->scene().live_writes() > 10);
        QTRY_VERIFY(host->frame()->values.empty()); // nothing comes by the host any more
        qInfo("%s; %s", qPrintable(window->displayPath()->text()),
              qPrintable(window->displayPath()->tip()));
        hostToo();
        QCOMPARE(difference(window->view()), 0.0);

        // four views, each with a context and a buffer of its own
        window->displayPath()->needHost(false);
        ViewSettings four = window->viewController()->settings();
        four.count = 4;
        four.shown.fill(Quantity::potential);
        window->viewController()->setSettings(four);
        host->play();
        QTRY_VERIFY(window->views()->view(3)->scene().live_writes() > 3);
        hostToo();
        window->views()->each([this](HeartView& v, int) { QCOMPARE(difference(&v), 0.0); });

        // a map, by the host, then the potential again; then another context
        four.shown[0] = Quantity::activation;
        window->viewController()->setSettings(four);
        window->view()->grabFramebuffer();
        four.shown[0] = Quantity::potential;
        window->viewController()->setSettings(four);
        window->view()->grabFramebuffer();
        QCOMPARE(difference(window->view()), 0.0);
        auto* grid = window->views();
        grid->setParent(nullptr);
        grid->show();
        QVERIFY(QTest::qWaitForWindowExposed(grid));
        window->displayPath()->needHost(false);
        host->play();
        const auto written = window->view()->scene().live_writes();
        QTRY_VERIFY(window->view()->scene().live_writes() > written + 3);
        hostToo();
        QCOMPARE(difference(window->view()), 0.0);

        // not allowed: the host brings what it is, and the status bar says so
        window->displayPath()->setAllowed(false);
        QTRY_VERIFY(window->displayPath()->text().startsWith("host copy"));
        host->play();
        const auto step = host->frame()->step;
        QTRY_VERIFY(host->frame()->step > step && !host->frame()->values.empty() &&
                    !host->frame()->feed);
        grid->setParent(window.get());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestInterop>(argc, argv);
}
#include "test_interop.moc"
