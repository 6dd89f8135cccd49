// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the window opens and saves, and what it says where something failed.
#include "app/saving_controller.hpp"
#include "app/settings.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QLabel>
#include <QMimeData>
#include <QPushButton>

using namespace tawara;
using State = simulation::Status::State;

class TestWindowFiles : public fake::WindowTest
{
    Q_OBJECT
  private Q_SLOTS:
    void loadingIsShownAndCancelled()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->hold_loading = true;
        f->start(false, false);
        auto* overlay = child<Overlay>();
        QVERIFY(overlay->isVisible()); // the empty state
        QVERIFY(!overlay->loading());
        f->window->open({});
        QTRY_VERIFY(overlay->loading());
        QTRY_COMPARE(child<QLabel>("overlayText")->text(), QString("Reading the mesh"));
        QTest::mouseClick(child<QPushButton>("cancelLoading"), Qt::LeftButton);
        QTRY_VERIFY(!overlay->loading());
        QVERIFY(overlay->isVisible()); // says what to do next
        QVERIFY(!child<MessageBar>()->isVisible());
        QVERIFY(f->host->scene() == nullptr);
        QCOMPARE(f->posted<simulation::CancelLoad>().size(), 1U);
    }

    void badFileIsSaidAndWhatWasOpenStays()
    {
        f->start(true);
        f->opener_error = "line 3: want three numbers, got \"x\"";
        f->window->open("/nowhere/broken.pts");
        auto* bar = child<MessageBar>();
        QTRY_VERIFY(bar->isVisible());
        QCOMPARE(bar->level(), MessageBar::Level::error);
        QVERIFY(bar->text().contains("/nowhere/broken.pts: line 3: want three numbers"));
        QVERIFY(f->host->scene() != nullptr);
        QTRY_VERIFY(!child<Overlay>()->isVisible());
        QTRY_COMPARE(f->host->status().state, State::running);
        press("messageClose");
        QVERIFY(!bar->isVisible());
    }

    void refusedLoadIsSaid()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->refuse_load = "heart.vtu: no tetrahedra";
        f->start(false, false);
        f->window->open({});
        QTRY_VERIFY(child<MessageBar>()->isVisible());
        QVERIFY(child<MessageBar>()->text().startsWith("heart.vtu: no tetrahedra"));
        QTRY_VERIFY(child<Overlay>()->isVisible() && !child<Overlay>()->loading());
    }

    void failedRunIsSaid()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->fail_on_play = "at 12.3 ms V is not finite";
        f->start();
        press("play");
        QTRY_VERIFY(child<MessageBar>()->isVisible());
        QVERIFY(child<MessageBar>()->text().contains("at 12.3 ms V is not finite"));
        QTRY_COMPARE(f->host->status().state, State::failed);
    }

    /// Steps that were taken to count bytes and could not be taken back.
    void aLostStateIsSaid()
    {
        f->start();
        f->shared->lose_state = "The run's state is no longer the one at 3 ms.";
        auto* bar = child<MessageBar>();
        f->host->measureCeilings();
        QTRY_VERIFY(bar->isVisible());
        QCOMPARE(bar->level(), MessageBar::Level::warning);
        QVERIFY2(bar->text().startsWith("The run's state is no longer the one at 3 ms.") &&
                     bar->text().contains("Ctrl+R"),
                 qPrintable(bar->text()));
        QCOMPARE(bar->waiting(), 1);
        f->host->reset(); // it is the run's own again
        QTRY_COMPARE(bar->waiting(), 0);
        f->shared->lose_state.clear();
        f->host->measureCeilings();
        QSignalSpy measured(f->host.get(), &EngineHost::ceilingsMeasured);
        QTRY_COMPARE(measured.count(), 1);
        QCOMPARE(bar->waiting(), 0);
    }

    void refusedCommandIsSaid()
    {
        f->start();
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_all = "nothing runs that could be stimulated";
        }
        f->host->stimulate({});
        QTRY_VERIFY(child<MessageBar>()->isVisible());
        QCOMPARE(child<MessageBar>()->text(), QString("nothing runs that could be stimulated"));
    }

    void droppedFileIsOpened()
    {
        f->start();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile("/tmp/some.vtu")});
        QDragEnterEvent enter({300, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(f->window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QSignalSpy started(f->host.get(), &EngineHost::loadingStarted);
        QApplication::sendEvent(f->window.get(), &drop);
        QVERIFY(started.size() > 0);
        QTRY_VERIFY(!f->host->isLoading());
        QCOMPARE(openSettings()->value("files/recent").toStringList(),
                 QStringList("/tmp/some.vtu"));
    }

    /// Into the file that is open, without a question; an example is no such file.
    void savingAgainAsksNothing()
    {
        f->start();
        const QTemporaryDir dir;
        const QString file = dir.filePath("mine.json");
        QCOMPARE(f->window->saving()->save(file), QString());
        f->window->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        QVERIFY(f->window->isWindowModified());
        child<QAction>("save")->trigger();
        QVERIFY(!f->window->isWindowModified());
        QCOMPARE(simulation::read_session(file.toStdString()).end_ms, 77.0);
        QVERIFY(QFile::setPermissions(file, QFileDevice::ReadOwner));
        QCOMPARE(f->window->saving()->own(), QFileInfo(file).isWritable()); // root may write all
        QVERIFY(QFile::remove(file));
        QVERIFY(!f->window->saving()->own());
    }

    void settingsComeBack()
    {
        f->start();
        child<StimulusPanel>()->setSettings({7, 30, 3});
        f->window->close();
        f->start();
        QCOMPARE(child<StimulusPanel>()->settings(), (StimulusSettings{7, 30, 3}));
    }

    void secondLoadReplacesTheFirst()
    {
        f->start(true);
        f->host->addProbe("A", {0, 0, -60});
        QTRY_COMPARE(f->window->probes()->rowCount(), 1);
        const auto run = f->host->scene()->run;
        f->window->open({});
        QTRY_VERIFY(f->host->scene()->run > run);
        QTRY_COMPARE(f->window->probes()->rowCount(), 0);
        QCOMPARE(f->window->plot()->curveCount(), 0);
        QTRY_COMPARE(f->host->status().state, State::running);
    }
};

static const fake::Further<TestWindowFiles> further;
#include "test_window_files.moc"
