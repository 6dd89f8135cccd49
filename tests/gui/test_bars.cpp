// SPDX-License-Identifier: GPL-3.0-or-later
// The bars around the views: whatever they say, nothing moves, nothing is cut, and the window fits
// a small screen.
#include "app/settings.hpp"
#include "app/window_place.hpp"
#include "tests/gui/run_status.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/steady_label.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QHelpEvent>
#include <QLayout>
#include <QLineEdit>
#include <QScreen>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QToolTip>

using namespace tawara;
using fake::status;
using State = simulation::Status::State;

namespace {

/// Where a widget and all that it holds stand in their window; what is hidden is left out.
QMap<QString, QRect> places(QWidget& top)
{
    QMap<QString, QRect> out;
    for (auto* w : top.findChildren<QWidget*>())
        if (w->isVisible() && !w->objectName().isEmpty())
            out[w->objectName()] = QRect(w->mapTo(w->window(), QPoint()), w->size());
    return out;
}

QString difference(const QMap<QString, QRect>& a, const QMap<QString, QRect>& b)
{
    QString out;
    for (auto i = a.begin(); i != a.end(); ++i)
        if (const QRect r = b.value(i.key()); r != i.value())
            QDebug(&out) << i.key() << i.value() << r;
    return out;
}

} // namespace

class TestBars : public fake::WindowTest
{
    Q_OBJECT
    QMap<QString, QRect> barPlaces()
    {
        QApplication::processEvents();
        auto out = places(*child<TransportBar>());
        out.insert(places(*f->window->statusBar()));
        out["right dock"] = child<QDockWidget>("pacingDock")->geometry();
        out["views"] = f->window->views()->geometry();
        out["window"] = f->window->rect();
        return out;
    }
    /// What the bars say that stands there with a "…", by name.
    QStringList cutTexts()
    {
        QStringList out;
        for (auto* l : f->window->findChildren<SteadyLabel*>())
            if (l->isVisible() && l->shownText() != l->text())
                out << l->objectName();
        out.sort();
        return out;
    }
    QToolButton* tool(ClickMode mode)
    {
        auto* bar = child<QToolBar>("tools");
        for (QAction* a : bar->actions())
            if (a->objectName().startsWith("mode") && a->data().toInt() == static_cast<int>(mode))
                return qobject_cast<QToolButton*>(bar->widgetForAction(a));
        return nullptr;
    }
    void longNames()
    {
        child<StatusStrip>()->setDevice("CPU, 128 threads, AVX-512, double precision");
        child<StatusStrip>()->setRenderPath("host copy: OpenGL is not the GPU's · software OpenGL",
                                            "Values reach the picture through the host's memory.");
    }

  private Q_SLOTS:
    void init()
    {
        WindowTest::init();
        f->start();
    }

    void nothingMovesWhileItRuns_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("small") << QSize(1024, 700);
        QTest::newRow("usual") << QSize(1280, 800);
    }
    /// Also not when it has run, is looked back at, or has ended.
    void nothingMovesWhileItRuns()
    {
        QFETCH(QSize, size);
        f->window->resize(size);
        longNames();
        const auto least = [this] { return f->window->minimumSizeHint().width(); };
        QTRY_COMPARE(f->window->size(), size);
        QTRY_VERIFY(child<QLabel>("memory")->text().contains("B"));
        const auto before = barPlaces();
        const int atFirst = least();
        QVERIFY2(atFirst <= 1024, qPrintable(QString::number(atFirst)));
        const auto unmoved = [&](const char* when) {
            const QString moved = difference(before, barPlaces());
            QVERIFY2(moved.isEmpty(), qPrintable(QLatin1String(when) + moved));
            QCOMPARE(least(), atFirst);
        };
        f->host->startRecording(1, 1 << 26);
        f->host->play();
        QTRY_COMPARE(f->host->status().state, State::running);
        QTRY_VERIFY(child<QLabel>("speed")->text().contains("ms/s") &&
                    child<QLabel>("steps")->text().contains("steps/s"));
        unmoved("running");
        QTRY_VERIFY(f->host->status().time_ms > 12); // another digit
        unmoved("later");
        f->host->pause();
        QTRY_COMPARE(child<QLabel>("speed")->text(), QString("paused"));
        unmoved("paused");
        QTRY_VERIFY(f->host->recording() && f->host->recording()->frame_count() > 3);
        auto* timeline = child<TransportBar>()->timeline();
        Q_EMIT timeline->scrubbed(4);
        QTRY_VERIFY(child<QLabel>("weak")->text().startsWith("replay"));
        unmoved("replay");
        f->host->play();
        QTRY_COMPARE(f->host->status().state, State::running);
        QTRY_VERIFY(child<QLabel>("speed")->text().contains("ms/s"));
        unmoved("replay while it runs");
        Q_EMIT timeline->followRequested();
        unmoved("following");
    }

    void nothingMovesOrIsCutWhateverIsSaid()
    {
        f->window->resize(1024, 700);
        longNames();
        QTRY_COMPARE(f->window->size(), QSize(1024, 700));
        auto before = barPlaces();
        auto* transport = child<TransportBar>();
        auto* strip = child<StatusStrip>();
        for (const auto& s :
             {status(State::running, 3, 0, 0.02), status(State::running, 312.4, 2400, 11.4),
              status(State::running, 99999.9, 99999, 1000), status(State::paused, 7.5, 80, 0),
              status(State::running, 123456, 1e6, 88888), status(State::finished, 2400, 2400, 0),
              status(State::failed, 987654, 1e7, 0), status(State::empty, 0, 0, 0),
              status(State::loading, 0, 0, 0)}) {
            for (const std::optional<double> shown : {std::optional<double>(), {99999.9}}) {
                transport->setStatus(s);
                transport->setTime(s.time_ms);
                transport->setReplay(shown);
                strip->setStatus(s, 88, 0.75);
                if (s.state == State::empty || s.state == State::loading)
                    for (const char* beside : {"state", "device", "renderPath"})
                        before.remove(beside); // the state's name is longer
                const QString moved = difference(before, barPlaces());
                const QString what = QStringLiteral("%1 at %2 ms, %3 ms/s: ")
                                         .arg(static_cast<int>(s.state))
                                         .arg(s.time_ms)
                                         .arg(s.ms_per_second);
                QVERIFY2(moved.isEmpty(), qPrintable(what + moved));
                QVERIFY(f->window->minimumSizeHint().width() <= 1024);
                const QStringList cut = cutTexts();
                QVERIFY2(cut.isEmpty() || cut == QStringList({"device", "renderPath"}),
                         qPrintable(what + cut.join(", ")));
            }
        }
        strip->setFilming(true);
        QApplication::processEvents();
        QVERIFY(child<QLabel>("filmed")->isVisible());
        QVERIFY(f->window->minimumSizeHint().width() <= 1024);
        QCOMPARE(f->window->width(), 1024);
        QCOMPARE(cutTexts(), QStringList({"device", "renderPath"}));
        strip->setFilming(false);
    }

    void whatIsTooLongEndsInDotsAndIsInTheTip()
    {
        f->window->resize(1024, 700);
        longNames();
        QTRY_COMPARE(f->window->size(), QSize(1024, 700));
        QApplication::processEvents();
        auto* path = child<SteadyLabel>("renderPath");
        QVERIFY(path->shownText().endsWith("…") && path->shownText().size() > 12);
        QHelpEvent help(QEvent::ToolTip, {5, 5}, path->mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(path, &help);
        QVERIFY2(QToolTip::text().startsWith(path->text() + '\n'), qPrintable(QToolTip::text()));
        QVERIFY(QToolTip::text().contains("through the host's memory"));
        // what is usual stands there in full
        auto* strip = child<StatusStrip>();
        strip->setDevice("CPU, 2 threads, AVX2, double");
        strip->setRenderPath("host copy: CPU back end · software OpenGL", {});
        f->window->resize(1280, 800);
        QTRY_COMPARE(f->window->size(), QSize(1280, 800));
        QApplication::processEvents();
        QCOMPARE(cutTexts(), QStringList());
    }

    void aWindowIsPlacedWhereItIsSeen()
    {
        const QMargins frame(4, 44, 4, 4);
        const QRect room(0, 0, 1024, 700), second(1920, 30, 1280, 770);
        const auto placed = [&](const QRect& r, const QRect& in) {
            return placedWithin(r, frame, in);
        };
        const QRect fits(100, 80, 800, 500);
        QCOMPARE(placed(fits, room), fits);
        QCOMPARE(placed({5, 51, 1272, 752}, room), QRect(4, 44, 1016, 652));
        QCOMPARE(placed({500, 400, 800, 500}, room), QRect(220, 196, 800, 500));
        QCOMPARE(placed({-300, -20, 800, 500}, room), QRect(4, 44, 800, 500));
        QCOMPARE(placed({1900, 500, 1400, 500}, second), QRect(1924, 296, 1272, 500));
        // the window itself, with what was saved of a larger screen
        const QRect all = QGuiApplication::primaryScreen()->availableGeometry();
        f->window.reset();
        const auto opened = [&](const QRect& saved) {
            QWidget as;
            as.setGeometry(saved);
            openSettings()->setValue("window/geometry", as.saveGeometry());
            return MainWindow(f->host.get()).geometry();
        };
        QCOMPARE(opened(all.adjusted(40, 60, 240, 160)), all.marginsRemoved(usual_frame));
        const QRect whole = all.adjusted(1, 20, -1, -1); // below a thin title
        QCOMPARE(opened(whole), whole);
    }

    /// Where a view is too low for its bar the bar's ends and the time stand above the view.
    void aViewWithoutABarSaysItsRange()
    {
        ViewTexts texts(nullptr);
        scene::Annotations a;
        a.shown = a.bar = true;
        a.time = "412.0 ms";
        a.title = "APD90 (ms)";
        a.low = 180, a.high = 330;
        texts.set(a);
        texts.resize(330, 240);
        QCOMPARE(texts.rangeText(), QString());
        texts.resize(330, 150);
        QCOMPARE(texts.rangeText(), QString("APD90 180 to 330 ms"));
        QCOMPARE(texts.rangeText(false), QString("180 to 330 ms"));
        QCOMPARE(texts.caption(), QString("180 to 330 ms · 412.0 ms"));
        QCOMPARE(texts.captionTip(), QString("412.0 ms\nAPD90 180 to 330 ms"));
        QImage over(texts.size(), QImage::Format_RGB32);
        over.fill(QColor(90, 90, 90));
        const QImage bare = over;
        texts.render(&over, {}, {}, QWidget::DrawChildren);
        QVERIFY(over == bare); // nothing lies on the heart
        a.bar = false;
        texts.set(a);
        QCOMPARE(texts.rangeText(), QString());
        QCOMPARE(texts.caption(), QString("412.0 ms"));
    }

    /// On a screen of 1024 x 700 with a title and borders.
    void fourViewsFitASmallScreen()
    {
        const QSize size(1016, 652);
        f->window->resize(size);
        QTRY_COMPARE(f->window->size(), size);
        for (int k = 0; k < 2; ++k)
            child<QAction>("viewsTool")->trigger();
        QCOMPARE(f->window->views()->count(), 4);
        f->window->views()->each([](HeartView& v, int) { QTRY_VERIFY(v.framesDrawn() > 0); });
        QCOMPARE(f->window->size(), size);
        const QSize least = f->window->minimumSizeHint();
        QVERIFY2(least.height() <= size.height(), qPrintable(QString::number(least.height())));
        // what each shows is still told from low to high, whole or in short, once it is known
        f->host->runUntil(400);
        f->window->views()->each([](HeartView& v, int i) {
            const auto* texts = v.findChild<ViewTexts*>();
            QTRY_VERIFY2(!texts->barHasRoom() && !texts->rangeText().isEmpty(),
                         qPrintable(QString::number(i)));
        });
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            f->window->picture(true).save(folder + "/four-views.png");
    }

    void theChosenToolLooksUnlikeOneUnderThePointer_data()
    {
        QTest::addColumn<bool>("light");
        QTest::newRow("dark") << false;
        QTest::newRow("light") << true;
    }
    /// Filled, and with a bar at its left, where the other has a thin line around it.
    void theChosenToolLooksUnlikeOneUnderThePointer()
    {
        QFETCH(bool, light);
        f->window->setTheme(light ? Theme::light : Theme::dark);
        f->window->setMode(ClickMode::rotate);
        QApplication::processEvents();
        const auto look = [this](ClickMode mode, bool touched) {
            auto* b = tool(mode);
            b->setAttribute(Qt::WA_UnderMouse, touched);
            const QImage image = b->grab().toImage();
            b->setAttribute(Qt::WA_UnderMouse, false);
            const int middle = image.height() / 2;
            return std::pair{image.pixelColor(1, middle), image.pixelColor(6, middle)};
        };
        const auto apart = [](const QColor& a, const QColor& b) {
            return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
                   std::abs(a.blue() - b.blue());
        };
        const auto plain = look(ClickMode::probe, false), touched = look(ClickMode::probe, true),
                   chosen = look(ClickMode::rotate, false), both = look(ClickMode::rotate, true);
        QCOMPARE(touched.second, plain.second); // not filled
        QVERIFY2(apart(chosen.second, plain.second) > 30, qPrintable(chosen.second.name()));
        QVERIFY2(apart(chosen.first, plain.first) > 200, qPrintable(chosen.first.name()));
        QCOMPARE(touched.first, plain.first);
        QCOMPARE(both, chosen);
        f->window->setTheme(Theme::dark);
    }

    void noToolLooksTouchedWhereThePointerIsNot()
    {
        QCursor::setPos(f->window->mapToGlobal(QPoint(600, 300)));
        QApplication::processEvents();
        auto* left = tool(ClickMode::probe);
        left->setAttribute(Qt::WA_UnderMouse); // a dialog came before the pointer went
        f->window->setMode(ClickMode::site);
        QVERIFY(!left->underMouse());
        left->setAttribute(Qt::WA_UnderMouse);
        QEvent back(QEvent::WindowActivate);
        QApplication::sendEvent(f->window.get(), &back);
        QVERIFY(!left->underMouse());
        // the pointer's own is left alone
        QCursor::setPos(left->mapToGlobal(left->rect().center()));
        QTRY_VERIFY(left->underMouse());
        f->window->setMode(ClickMode::rotate);
        QVERIFY(left->underMouse());
    }

    void buttonsOfDocksAreSeenAndOffTheEdge_data()
    {
        theChosenToolLooksUnlikeOneUnderThePointer_data();
    }
    void buttonsOfDocksAreSeenAndOffTheEdge()
    {
        QFETCH(bool, light);
        f->window->setTheme(light ? Theme::light : Theme::dark);
        QApplication::processEvents();
        auto* dock = child<QDockWidget>("pacingDock");
        const QImage image = dock->grab().toImage();
        QRect before(dock->rect().topRight() + QPoint(-6, 0), QSize());
        for (const char* name : {"qt_dockwidget_closebutton", "qt_dockwidget_floatbutton"}) {
            const QRect r = dock->findChild<QAbstractButton*>(QLatin1String(name))->geometry();
            QVERIFY2(r.right() < before.left(), name);
            before = r;
            const int ground = qGray(image.pixel(r.left() - 1, r.top() + 1));
            int most = 0;
            for (int y = r.top(); y < r.bottom(); ++y)
                for (int x = r.left(); x < r.right(); ++x)
                    most = std::max(most, std::abs(qGray(image.pixel(x, y)) - ground));
            QVERIFY2(most > 85, qPrintable(QString::number(most)));
        }
        f->window->setTheme(Theme::dark);
    }

    void theChosenRowOfAListIsRead_data() { theChosenToolLooksUnlikeOneUnderThePointer_data(); }
    void theChosenRowOfAListIsRead()
    {
        QFETCH(bool, light);
        f->window->setTheme(light ? Theme::light : Theme::dark);
        auto* limit = child<QComboBox>("limit");
        limit->showPopup();
        QTRY_VERIFY(limit->view()->isVisible());
        const QModelIndex second = limit->model()->index(1, 0);
        limit->view()->setCurrentIndex(second); // as keys do
        QApplication::processEvents();
        const QRect row = limit->view()->visualRect(second) & limit->view()->viewport()->rect();
        const QImage image = limit->view()->viewport()->grab(row).toImage();
        limit->hidePopup();
        const QRgb chosen = image.pixel(image.width() - 4, image.height() / 2);
        QCOMPARE(QColor(chosen).name(), QString(light ? "#d7e3f7" : "#33405a"));
        const int ground = qGray(chosen);
        int most = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width() / 2; ++x)
                most = std::max(most, std::abs(qGray(image.pixel(x, y)) - ground));
        QVERIFY2(most > 150, qPrintable(QString::number(most)));
        f->window->setTheme(Theme::dark);
    }

    /// Letters are the window's where the field that had them is no longer seen.
    void keysLeaveAPanelThatIsBehind()
    {
        f->window->raisePanel("tissueDock");
        auto* dock = child<QDockWidget>("tissueDock");
        QTRY_VERIFY(!dock->visibleRegion().isEmpty());
        QWidget* field = nullptr;
        for (auto* w : dock->findChildren<QLineEdit*>())
            if (w->isVisible() && w->focusPolicy() != Qt::NoFocus)
                field = w;
        if (field == nullptr)
            field = dock->findChild<QAbstractItemView*>();
        QVERIFY(field != nullptr);
        field->setFocus();
        QTRY_VERIFY(field->hasFocus());
        // a minimised window hides what is in front, too: it comes back as it was
        Q_EMIT dock->visibilityChanged(false);
        QVERIFY(field->hasFocus());
        f->window->raisePanel("viewDock");
        QTRY_VERIFY(f->window->view()->hasFocus());
    }

    /// A window that was small for a while has its panels as they were.
    void panelsAreWideAgain()
    {
        f->window->resize(1270, 740);
        f->window->raisePanel("viewDock");
        auto* dock = child<QDockWidget>("viewDock");
        QTRY_VERIFY(dock->width() >= 300);
        const int usual = dock->width();
        f->window->resize(750, 440);
        QTRY_VERIFY(f->window->width() < 1000);
        QCoreApplication::processEvents();
        f->window->resize(1270, 740);
        QTRY_COMPARE(f->window->width(), 1270);
        QTRY_COMPARE(dock->width(), usual);
    }

    /// Times of long runs stand whole beside the colours.
    void theBarsNumbersHaveRoom()
    {
        ViewTexts texts(nullptr);
        texts.resize(400, 400);
        scene::Annotations a;
        a.bar = true;
        for (const double high : {40.0, 58000.0, 950000.0, 1e6}) {
            a.low = 0.99 * high;
            a.high = high;
            texts.set(a);
            QVERIFY(texts.barHasRoom());
            QVERIFY2(texts.numbersEnd() <= texts.width() - 3, qPrintable(QString::number(high)));
        }
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestBars>(argc, argv);
}
#include "test_bars.moc"
