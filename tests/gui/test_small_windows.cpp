// SPDX-License-Identifier: GPL-3.0-or-later
// Windows with little room: everything can be reached, and nothing lies on the heart.
#include "tests/gui/overlap.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/hint_card.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QScrollArea>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

using namespace tawara;

class TestSmallWindows : public QObject
{
    Q_OBJECT
    fake::WindowFixture f;

    void resized(const QSize& size)
    {
        f.window->resize(size);
        QApplication::processEvents();
        QTest::qWait(50);
        QCOMPARE(f.window->size(), size); // no larger: it would be cut off by a small screen
    }
    void show(int views)
    {
        auto* panel = f.window->findChild<ViewPanel*>();
        auto s = panel->settings();
        s.setCount(views);
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
    }
    static bool scrolls(const QWidget* w, const QWidget* top)
    {
        for (; w != nullptr && w != top; w = w->parentWidget())
            if (qobject_cast<const QAbstractScrollArea*>(w) != nullptr)
                return true;
        return false;
    }
    /// The first visible part of a widget that lies outside of the window; empty: none.
    QString outside(const QWidget* top)
    {
        QApplication::processEvents();
        for (const auto* area : top->findChildren<QScrollArea*>())
            if (area->isVisible() && area->widget() != nullptr &&
                area->widget()->width() > area->viewport()->width())
                return QString("%1 in %2 pixels holds %3")
                    .arg(top->objectName())
                    .arg(area->viewport()->width())
                    .arg(area->widget()->width());
        const QRect room = f.window->rect();
        for (const auto* w : top->findChildren<QWidget*>()) {
            if (!w->isVisible() || w->isWindow() ||
                qobject_cast<QAbstractItemView*>(w->parentWidget()) != nullptr ||
                (w->parentWidget()->parentWidget() != nullptr &&
                 qobject_cast<QAbstractItemView*>(w->parentWidget()->parentWidget()) != nullptr))
                continue;
            QRect at(w->mapTo(f.window.get(), QPoint()), w->size());
            if (scrolls(w, top))
                at.setTop(0), at.setBottom(0);
            if (!room.contains(at))
                return QString("%1: %2 %3 at %4, %5, %6 wide")
                    .arg(top->objectName(), w->metaObject()->className(), w->objectName())
                    .arg(at.x())
                    .arg(at.y())
                    .arg(at.width());
        }
        return {};
    }

  private Q_SLOTS:
    void cleanup()
    {
        QVERIFY2(f.errors->text.empty(), f.errors->text.c_str());
        f.stop();
    }

    void everythingCanBeReached_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("753 x 573") << QSize(753, 573);
        QTest::newRow("1000 x 600") << QSize(1000, 600);
        QTest::newRow("1000 x 700") << QSize(1000, 700);
        QTest::newRow("1280 x 800") << QSize(1280, 800);
    }
    void everythingCanBeReached()
    {
        QFETCH(QSize, size);
        f.start();
        resized(size);
        for (auto* dock : f.window->findChildren<QDockWidget*>()) {
            f.window->raisePanel(dock->objectName());
            QVERIFY2(outside(dock).isEmpty(), qPrintable(outside(dock)));
            for (auto* tabs : dock->findChildren<QTabWidget*>())
                for (int k = tabs->count(); k-- > 0;) {
                    tabs->setCurrentIndex(k);
                    QVERIFY2(outside(dock).isEmpty(), qPrintable(outside(dock)));
                }
            QCOMPARE(f.window->size(), size);
        }
        auto* place = f.window->findChild<QComboBox*>("regionPlace");
        f.window->raisePanel("tissueDock");
        for (int k = 0; k < place->count(); ++k) { // a box, a ball, ...
            place->setCurrentIndex(k);
            Q_EMIT place->activated(k);
            auto* dock = f.window->findChild<QDockWidget*>("tissueDock");
            QVERIFY2(outside(dock).isEmpty(), qPrintable(place->currentText() + outside(dock)));
        }
        const auto* tools = f.window->findChild<QToolBar*>("tools");
        for (const auto* a : tools->actions())
            if (const auto* b = tools->widgetForAction(const_cast<QAction*>(a)))
                QVERIFY2(b->isVisible(), qPrintable(a->text()));
        auto* bar = f.window->findChild<QWidget*>("transport");
        QVERIFY2(test::anyOverlap(*bar).isEmpty(), qPrintable(test::anyOverlap(*bar)));
        QVERIFY2(outside(f.window->centralWidget()).isEmpty(),
                 qPrintable(outside(f.window->centralWidget())));
    }

    /// Whatever the window's height: words give way before a tool does. What there is no room for
    /// even then opens by an arrow that can be seen.
    void noToolIsMissing()
    {
        f.start();
        auto* tools = f.window->findChild<QToolBar*>("tools");
        const auto missing = [&] {
            QString out;
            for (auto* a : tools->actions())
                if (const auto* b = tools->widgetForAction(a); b != nullptr && !b->isVisible())
                    out += a->text() + ' ';
            return out;
        };
        for (int height = 573; height <= 900; height += 12) {
            resized({1000, height});
            QVERIFY2(missing().isEmpty(),
                     qPrintable(QStringLiteral("%1: %2").arg(height).arg(missing())));
        }
        QCOMPARE(tools->toolButtonStyle(), Qt::ToolButtonTextUnderIcon);
        auto* arrow = tools->findChild<QToolButton*>("qt_toolbar_ext_button");
        QVERIFY(arrow != nullptr && !arrow->isVisible());
        tools->setMaximumHeight(200);
        QTRY_VERIFY(arrow->isVisible());
        QVERIFY2(!missing().isEmpty(), "else there is nothing to open");
        const QImage drawn = tools->grab(arrow->geometry()).toImage();
        int least = 255, most = 0;
        for (int y = 0; y < drawn.height(); ++y)
            for (int x = 0; x < drawn.width(); ++x) {
                least = std::min(least, qGray(drawn.pixel(x, y)));
                most = std::max(most, qGray(drawn.pixel(x, y)));
            }
        QVERIFY2(most - least > 60, qPrintable(QStringLiteral("%1 to %2").arg(least).arg(most)));
    }

    void theHeartHasRoom()
    {
        f.start();
        resized({753, 573});
        QVERIFY(f.window->view()->width() >= 350);
        QVERIFY2(f.window->view()->height() >= 180,
                 qPrintable(QString::number(f.window->view()->height())));
        f.window->raisePanel("ecgDock");
        QApplication::processEvents();
        QVERIFY2(f.window->view()->height() >= 180,
                 qPrintable(QString::number(f.window->view()->height())));
        QVERIFY2(f.window->view()->width() >= 350,
                 qPrintable(QString::number(f.window->view()->width())));
    }

    /// Four views: what each would write over its heart stands above it.
    void captionsStandAboveSmallViews()
    {
        f.start();
        show(4);
        resized({753, 573});
        QTRY_VERIFY(f.window->views()->view(3)->isVisible());
        for (int k = 0; k < 4; ++k) {
            auto* v = f.window->views()->view(k);
            auto* caption = f.window->findChild<QWidget*>(QStringLiteral("caption%1").arg(k + 1));
            QTRY_VERIFY2(!caption->accessibleName().isEmpty(), qPrintable(QString::number(k)));
            QVERIFY(caption->toolTip().contains(QString::fromStdString(v->texts()->shown().time)));
            QVERIFY(!QRect(caption->mapTo(f.window.get(), QPoint()), caption->size())
                         .intersects(QRect(v->mapTo(f.window.get(), QPoint()), v->size())));
            QTRY_VERIFY(v->texts()->shown().letters.empty()); // the axes are not drawn
        }
        QVERIFY2(outside(f.window->centralWidget()).isEmpty(),
                 qPrintable(outside(f.window->centralWidget())));
        resized({1280, 800});
        show(1);
        auto* first = f.window->findChild<QWidget*>("caption1");
        QTRY_VERIFY(first->accessibleName().isEmpty());
        QTRY_VERIFY(!f.window->view()->texts()->shown().letters.empty());
    }

    void hintsFold()
    {
        qApp->setProperty("noHints", false);
        const auto back = qScopeGuard([] { qApp->setProperty("noHints", true); });
        f.start();
        QTRY_VERIFY(f.window->findChild<HintCard*>() != nullptr);
        auto* card = f.window->findChild<HintCard*>();
        const auto at = [&](const QWidget* w) {
            return QRect(w->mapTo(f.window.get(), QPoint()), w->size());
        };
        QVERIFY(!card->folded());
        for (const QSize& size : {QSize(753, 573), QSize(1000, 600)}) {
            resized(size);
            QVERIFY(card->isVisible() && card->folded());
            QVERIFY(!at(card).intersects(at(f.window->view())));
            QVERIFY(f.window->rect().contains(at(card)));
        }
        QTest::mouseClick(card->findChild<QToolButton*>("hintsUnfold"), Qt::LeftButton);
        QVERIFY(!card->folded());
        QVERIFY(card->parentWidget()->rect().contains(card->geometry()));
        resized({1280, 800});
        QVERIFY(!card->folded());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestSmallWindows>(argc, argv);
}
#include "test_small_windows.moc"
