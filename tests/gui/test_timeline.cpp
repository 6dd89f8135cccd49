// SPDX-License-Identifier: GPL-3.0-or-later
// The transport: speed and timeline.
#include "tests/gui/run_status.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/transport_bar.hpp"

#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QLayout>
#include <QToolTip>

using namespace tawara;
using fake::status;
using State = simulation::Status::State;

class TestTimeline : public fake::WindowTest
{
    Q_OBJECT
  private Q_SLOTS:
    void init()
    {
        WindowTest::init();
        f->start();
    }

    void theSpeedIsShortAndItsTipIsASentence()
    {
        TransportBar bar;
        bar.setStatus(status(State::running, 30, 2400, 11.4));
        auto* speed = bar.findChild<QLabel*>("speed");
        QCOMPARE(speed->text(), QString("11.4 ms/s"));
        QVERIFY(speed->toolTip().startsWith("11.4 ms/s  ·  88 × slower than real time\n"));
        QCOMPARE(bar.findChild<QLabel*>("weak")->text(), QString("of 2400 ms"));
        bar.setStatus(status(State::running, 30, 0, 0.04));
        QCOMPARE(speed->text(), QString("0.04 ms/s"));
        QVERIFY(speed->toolTip().contains("25000 × slower"));
        QCOMPARE(bar.findChild<QLabel*>("weak")->text(), QString("no end set"));
        bar.setStatus(status(State::paused, 30, 0, 0.04));
        QCOMPARE(speed->text(), QString("paused"));
        QVERIFY(!speed->toolTip().contains("slower"));
    }

    void aTimelineWithoutARunHasNoTimes()
    {
        TransportBar bar;
        bar.resize(700, bar.sizeHint().height());
        const auto below = [&bar] { // the groove
            bar.ensurePolished();
            bar.layout()->activate();
            const QImage image = bar.timeline()->grab().toImage();
            QSet<QRgb> colors;
            for (int y = 16; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    colors << image.pixel(x, y);
            return colors.size();
        };
        QCOMPARE(below(), 1);
        bar.setStatus(status(State::paused, 0, 100, 0));
        QVERIFY(below() > 1);
    }

    /// What was recorded before the run was set back looks unlike what is of the run.
    void aTimelineMarksWhatIsOfTheRunBefore()
    {
        Timeline line;
        line.resize(400, 30);
        line.setRun(51, 800);
        const auto groove = [&line] { // colours along it, where frames are recorded
            const QImage image = line.grab().toImage();
            QList<QRgb> colors;
            for (int x = 230; x < 320; ++x)
                if (const QRgb c = image.pixel(x, 9); colors.isEmpty() || colors.back() != c)
                    colors << c;
            return colors;
        };
        line.setRecorded(std::pair(456.0, 735.0));
        QCOMPARE(groove().size(), 1);
        QVERIFY(!line.toolTip().contains("run before"));
        line.setRecorded(std::pair(456.0, 735.0), true);
        QVERIFY(groove().size() > 20); // striped
        QVERIFY(line.toolTip().contains("recorded in the run before"));
        line.setRun(51, 0); // all of it is reached where the run has no end
        QSignalSpy scrubbed(&line, &Timeline::scrubbed);
        QTest::mousePress(&line, Qt::LeftButton, {}, {350, 9});
        QCOMPARE(scrubbed.size(), 1);
        QVERIFY2(std::abs(scrubbed[0][0].toDouble() - 687) < 3,
                 qPrintable(scrubbed[0][0].toString()));
        line.setRun(51, 800);
        line.setRecorded({}, true);
        QCOMPARE(groove().size(), 1);
        QVERIFY(!line.toolTip().contains("run before"));
    }

    void aNarrowTimelineHasTicksEnough()
    {
        Timeline line;
        for (const double end : {80.0, 1600.0, 12000.0}) {
            line.resize(202, 30);
            line.setRun(0, end);
            const QImage image = line.grab().toImage();
            const QRgb ground = image.pixel(2, 28);
            int ticks = 0, widest = 0, empty = 0;
            for (int x = 1; x < image.width(); ++x)
                ticks += image.pixel(x, 15) != ground && image.pixel(x - 1, 15) == ground ? 1 : 0;
            // between labels nothing is written
            for (int x = 20; x < image.width() - 20; ++x) {
                bool ink = false;
                for (int y = 18; y < image.height(); ++y)
                    ink = ink || image.pixel(x, y) != ground;
                empty = ink ? 0 : empty + 1;
                widest = std::max(widest, empty);
            }
            QVERIFY2(ticks >= 3, qPrintable(QStringLiteral("%1 up to %2").arg(ticks).arg(end)));
            QVERIFY2(widest >= 8, qPrintable(QStringLiteral("%1 up to %2").arg(widest).arg(end)));
        }
    }

    void theBoundOfTheSpeedHasAShortWordAndAWholeTip()
    {
        auto* limit = child<QComboBox>("limit");
        QVERIFY2(limit->width() <= 110, qPrintable(QString::number(limit->width())));
        QHelpEvent help(QEvent::ToolTip, {5, 5}, limit->mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(limit, &help);
        QVERIFY2(QToolTip::text().startsWith("As fast as possible\n"),
                 qPrintable(QToolTip::text()));
        // each choice has letters of its own, from the first to the last
        QSet<QByteArray> pictures;
        for (int k = 0; k < limit->count(); ++k) {
            limit->setCurrentIndex(k);
            const QImage image = limit->grab().toImage();
            pictures << QByteArray(reinterpret_cast<const char*>(image.constBits()),
                                   image.sizeInBytes());
        }
        QCOMPARE(pictures.size(), limit->count());
    }
};

static const fake::Further<TestTimeline> further;
#include "test_timeline.moc"
