// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says, and where: ranges, messages, titles.
#include "app/examples.hpp"
#include "app/saving_controller.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QToolButton>

#include <array>
#include <new>

using namespace tawara;

class TestWindowWords : public fake::WindowTest
{
    Q_OBJECT
  private Q_SLOTS:
    /// A range that was found while another view was spoken of is there when that one is.
    void foundRangesAreOfTheirQuantity()
    {
        ViewPanel panel;
        auto* low = panel.findChild<QDoubleSpinBox*>("rangeLow");
        auto* high = panel.findChild<QDoubleSpinBox*>("rangeHigh");
        ViewSettings s = panel.settings();
        s.shown[1] = Quantity::activation;
        panel.setSettings(s);
        panel.setCurrentView(1);
        panel.setFoundRange(Quantity::activation, 1710, 2000, 50);
        QVERIFY(low->value() == 1710 && high->value() == 2000);
        panel.setCurrentView(0);
        panel.setFoundRange(Quantity::activation, 0, 150, 20);
        panel.setCurrentView(1);
        QVERIFY(low->value() == 0 && high->value() == 150);
        // the wrong way round: told, and nothing is taken
        s.style(Quantity::activation).automatic = false;
        s.style(Quantity::activation).low = 20;
        s.style(Quantity::activation).high = 90;
        panel.setSettings(s);
        low->setValue(200);
        QCOMPARE(low->value(), 20.0);
        QCOMPARE(panel.settings().style(Quantity::activation).low, 20.0);
    }

    /// Qt calls the window's event() before the window has its parts: what its memory held before
    /// it must not matter.
    void beginsInMemoryThatWasUsed()
    {
        EngineHost host(fake::maker(std::make_shared<fake::FakeEngine::Shared>()), nullptr);
        alignas(MainWindow) std::array<std::byte, sizeof(MainWindow)> memory;
        memory.fill(std::byte{0xa5});
        auto* window = new (memory.data()) MainWindow(&host);
        QVERIFY(window->document() != nullptr);
        window->~MainWindow();
    }

    /// A warning that nobody closes does not lie over the apex for ever.
    void warningsFoldAfterAWhile()
    {
        f->start();
        f->window->resize(1280, 800);
        auto* bar = child<MessageBar>();
        auto* unfold = bar->findChild<QToolButton*>("messageUnfold");
        const auto* text = bar->findChild<QLabel*>("messageText");
        QCursor::setPos(f->window->mapToGlobal(QPoint(5, 5))); // under a pointer nothing folds
        bar->setPatience(200);
        bar->showMessage(MessageBar::Level::warning, "coarse mesh");
        const int wide = bar->width();
        QTRY_VERIFY(bar->folded() && unfold->isVisible() && !text->isVisible());
        QCOMPARE(unfold->text(), QString("1 warning"));
        QVERIFY(unfold->toolTip().startsWith("coarse mesh"));
        QVERIFY(bar->width() < std::max(wide, 160) && bar->isVisible());
        // a note does not bring it back, a new warning does
        bar->showMessage(MessageBar::Level::note, "a remark");
        QVERIFY(!bar->folded() && text->isVisible());
        bar->showMessage(MessageBar::Level::warning, "another");
        QTRY_VERIFY(bar->folded());
        QCOMPARE(unfold->text(), QString("2 warnings"));
        unfold->click();
        QVERIFY(!bar->folded() && text->isVisible());
        QCOMPARE(bar->text(), QString("another"));
        // what waits for an answer stays, and so does an error
        bar->showMessage(MessageBar::Level::warning, "changed on disk", {}, "x", {"Read", [] {}});
        QTest::qWait(500);
        QVERIFY(!bar->folded());
        bar->settle("x");
        QTRY_VERIFY(bar->folded());
        bar->showMessage(MessageBar::Level::error, "not finite");
        QTest::qWait(500);
        QVERIFY(!bar->folded());
        bar->clear();
        QVERIFY(!bar->isVisible());
    }

    /// Messages lie beside the axes and the colour bar, below the time and what a view shows.
    void messagesCoverNothingThatIsWritten()
    {
        f->start();
        f->window->resize(1280, 800);
        auto* bar = child<MessageBar>();
        const auto in_window = [&](const QWidget* w, const QRect& r) {
            return QRect(w->mapTo(f->window.get(), r.topLeft()), r.size());
        };
        for (const int count : {1, 2, 4}) {
            f->window->views()->setCount(count);
            QTRY_VERIFY(f->window->views()->view(count - 1)->isVisible());
            for (const char* text : {"short",
                                     "The mesh is coarse for this scheme: waves will be "
                                     "slower than they should be; refine it (Mesh, "
                                     "Refine) or take fvm.",
                                     "Of what was recorded, 12 frames (100 to 220 ms) were not "
                                     "written, since the disk is full: /home/user/somewhere/else "
                                     "has 3 MB left, and 212 MB are needed. Free some room there, "
                                     "or choose another folder; until then nothing is lost, since "
                                     "all frames stay in memory as long as the program runs. What "
                                     "was recorded before 100 ms is in the file already."}) {
                bar->showMessage(MessageBar::Level::warning, text);
                QApplication::processEvents();
                const QRect message = in_window(bar, bar->rect());
                for (int i = 0; i < count; ++i) {
                    const auto* v = f->window->views()->view(i);
                    const int w = v->width(), h = v->height();
                    const QMargins sides = ViewTexts::sides();
                    QVERIFY(sides.left() > 60 && sides.right() > 40);
                    const QRect written[] = {{0, 0, w, count > 1 ? h - 96 : 56}, // time, remark
                                             {0, h - 92, sides.left(), 92},      // axes
                                             {w - sides.right(), 0, sides.right(),
                                              count > 1 ? ViewTexts::barFoot(h) : h}};
                    for (const QRect& r : written)
                        QVERIFY2(!message.intersects(in_window(v, r)),
                                 qPrintable(QString("%1 views, view %2: %3 x %4 at %5, %6 on %7 x "
                                                    "%8")
                                                .arg(count)
                                                .arg(i)
                                                .arg(message.width())
                                                .arg(message.height())
                                                .arg(message.x() - in_window(v, v->rect()).x())
                                                .arg(message.y() - in_window(v, v->rect()).y())
                                                .arg(w)
                                                .arg(h)));
                }
                QVERIFY(f->window->rect().contains(message));
                QVERIFY(message.height() >= bar->heightForWidth(message.width()));
                const auto* said = bar->findChild<QLabel*>("messageText");
                QCOMPARE(bar->text(), QString(text));
                if (said->text() != text) { // no room: the whole of it is in its tip
                    QCOMPARE(said->toolTip(), QString(text));
                    QVERIFY(said->text().endsWith("…"));
                }
            }
            bar->clear();
        }
    }

    void namesOfMarkersStayOffTheTitleOfTheBar()
    {
        ViewTexts texts(nullptr);
        texts.resize(442, 219);
        scene::Annotations a;
        a.shown = a.bar = true;
        a.title = "Repolarisation (ms)";
        const auto picture = [&] {
            texts.set(a);
            QImage image(texts.size(), QImage::Format_RGB32);
            image.fill(QColor(90, 90, 90));
            texts.render(&image, {}, {}, QWidget::DrawChildren);
            return image;
        };
        const QImage bare = picture();
        a.names = {{"Right end", 360.0 / 442, 58.0 / 219}};
        const QImage named = picture();
        QVERIFY(named != bare);
        const QRect title(290, 38, 150, 19); // and its ground
        QVERIFY(bare.copy(title) == named.copy(title));
    }

    void anExampleHasItsTitle()
    {
        f->start();
        f->window->showStart(true);
        auto* page = child<StartPage>();
        auto* card = page->findChild<QPushButton*>("example");
        QVERIFY(card != nullptr);
        const QString title = card->accessibleName(), file = card->property("file").toString();
        QVERIFY(!title.isEmpty());
        card->click(); // the page is filled anew
        QTRY_COMPARE(f->window->windowTitle(), title + "[*] – Tawara");
        const QTemporaryDir dir; // a file of one's own with such a name is that file
        const QString own = dir.filePath(QFileInfo(file).fileName());
        QVERIFY(exampleTitle(own).isEmpty());
        QVERIFY(QFile::copy(file, own));
        QVERIFY(exampleTitle(own).isEmpty());
    }

    void theTitleIsTheFile()
    {
        f->start();
        const QString before = f->window->windowTitle();
        QVERIFY2(before.endsWith("[*] – Tawara"), qPrintable(before));
        const QTemporaryDir dir;
        child<QTabWidget>("tissueTabs")->setCurrentIndex(1);
        child<QToolButton>("showElectrodes")->setChecked(true);
        QCOMPARE(f->window->saving()->save(dir.filePath("mine.json")), QString());
        QCOMPARE(f->window->windowTitle(), QString("mine.json[*] – Tawara"));
        f->window->document()->edits().edit("end", [](simulation::Session& s) { s.end_ms = 77; });
        QVERIFY(f->window->isWindowModified());
        // what was open in the panels comes back with the session
        child<QTabWidget>("tissueTabs")->setCurrentIndex(0);
        child<QToolButton>("showElectrodes")->setChecked(false);
        f->host->load(simulation::read_session(dir.filePath("mine.json").toStdString()));
        QTRY_COMPARE(child<QTabWidget>("tissueTabs")->currentIndex(), 1);
        QVERIFY(child<QToolButton>("showElectrodes")->isChecked());
    }
};

static const fake::Further<TestWindowWords> further;
#include "test_window_words.moc"
