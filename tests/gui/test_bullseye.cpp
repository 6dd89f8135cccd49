// SPDX-License-Identifier: GPL-3.0-or-later
// The bull's-eye.
#include "tests/gui/several.hpp"
#include "widgets/plots/bullseye_plot.hpp"

#include <cmath>

using namespace tawara;

class TestBullseye : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void segmentsThatAreKnownInPartSaySo()
    {
        BullseyePlot plot;
        BullseyePlot::Values values, shares;
        values.fill(412);
        shares.fill(1);
        shares[3] = 0.4;
        shares[7] = 0.05;
        const auto grey = [](double) { return QColor(Qt::darkBlue); };
        plot.resize(240, 260);
        plot.setValues(values, "APD90", 0, grey, shares);
        QCOMPARE(plot.numberOf(1), QString("412"));
        QCOMPARE(plot.numberOf(4), QString("~412"));
        QCOMPARE(plot.numberOf(8), QString("–"));
        // hatched: more than one colour beside the number, in that segment alone
        const QImage image = plot.grab().toImage();
        const auto colorsIn = [&](int segment) {
            const QPainterPath path = plot.outline(segment);
            const QRectF number = plot.numberArea(segment).adjusted(-4, -4, 4, 4);
            int other = 0, all = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    const QRectF around(x - 3, y - 3, 7, 7);
                    if (!path.contains(around) || number.intersects(around))
                        continue;
                    ++all;
                    other += image.pixelColor(x, y) == QColor(Qt::darkBlue) ? 0 : 1;
                }
            return static_cast<double>(other) / std::max(1, all);
        };
        // a fifth of a metre per second known in part is not nought
        values.fill(0.23);
        shares.fill(0.5);
        plot.resize(270, 220);
        plot.setValues(values, "Velocity (m/s)", 2, grey, shares);
        for (int segment = 1; segment <= 17; ++segment)
            QVERIFY2(plot.numberOf(segment).contains("0.2"), qPrintable(plot.numberOf(segment)));
        values.fill(412);
        shares.fill(1);
        shares[3] = 0.4;
        plot.resize(240, 260);
        plot.setValues(values, "APD90", 0, grey, shares);
        QVERIFY2(colorsIn(4) > 0.1, qPrintable(QString::number(colorsIn(4))));
        QCOMPARE(colorsIn(5), 0.0);
    }

    void timesOfLateBeatsStandInEverySegment_data()
    {
        QTest::addColumn<double>("ms");
        QTest::addColumn<int>("decimals");
        QTest::addColumn<double>("share");
        QTest::newRow("second beat") << 1234.5 << 0 << 1.0;
        QTest::newRow("widest digits") << 8888.8 << 1 << 1.0;
        QTest::newRow("known in part") << 1234.5 << 0 << 0.5;
        QTest::newRow("before an event") << -1234.5 << 0 << 1.0;
        QTest::newRow("tenth beat") << 10234.5 << 0 << 1.0;
    }

    void timesOfLateBeatsStandInEverySegment()
    {
        QFETCH(double, ms);
        QFETCH(int, decimals);
        QFETCH(double, share);
        for (const int wide : {260, 300}) {
            BullseyePlot plot;
            plot.resize(wide, 220); // as in its panel
            QFont font = plot.font();
            font.setPixelSize(12);
            plot.setFont(font);
            BullseyePlot::Values values, shares;
            shares.fill(share);
            for (std::size_t k = 0; k < values.size(); ++k)
                values[k] = ms + static_cast<double>(k);
            plot.setValues(
                values, "Activation (ms)", decimals, [](double) { return QColor(Qt::darkBlue); },
                shares);
            const QImage image = plot.grab().toImage();
            font.setPixelSize(8);
            const double least = QFontMetricsF(font).tightBoundingRect("8").height();
            for (int segment = 1; segment <= 17; ++segment) {
                const QString text = plot.numberOf(segment);
                const double whole = values[static_cast<std::size_t>(segment - 1)];
                QVERIFY2(std::abs(QString(text).remove('~').toDouble() - whole) <= 0.5,
                         qPrintable(text));
                const QRectF area = plot.numberArea(segment);
                QVERIFY(area.height() >= least && plot.outline(segment).contains(area));
                int ink = 0;
                for (int y = qCeil(area.top()); y < qFloor(area.bottom()); ++y)
                    for (int x = qCeil(area.left()); x < qFloor(area.right()); ++x)
                        ink += image.pixelColor(x, y).lightness() > 190 ? 1 : 0;
                QVERIFY2(ink >= 3 * text.size(), qPrintable(QString::number(ink)));
            }
        }
    }

    void numbersStandOutFromTheirColours()
    {
        const auto luminance = [](const QColor& c) { // of WCAG 2
            const auto part = [](double v) {
                return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
            };
            return 0.05 + 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) +
                   0.0722 * part(c.blueF());
        };
        BullseyePlot plot;
        plot.resize(300, 240);
        BullseyePlot::Values values;
        values.fill(23);
        for (const QColor& fill :
             {QColor(0xe6, 0x61, 0x34), QColor(0x8d, 0x8d, 0x8d), QColor(0x6e, 0x6e, 0x6e),
              QColor(0x20, 0x80, 0xd0), QColor(0xfc, 0xff, 0xa4), QColor(0x30, 0x12, 0x3b)}) {
            plot.setValues(values, "V (mV)", 0, [fill](double) { return fill; });
            const QImage image = plot.grab().toImage();
            const QRect area = plot.numberArea(17).toRect();
            double most = 0;
            for (int y = area.top(); y <= area.bottom(); ++y)
                for (int x = area.left(); x <= area.right(); ++x) {
                    const double a = luminance(image.pixelColor(x, y)), b = luminance(fill);
                    most = std::max(most, std::max(a, b) / std::min(a, b));
                }
            QVERIFY2(most > 4, qPrintable(QStringLiteral("%1 on %2").arg(most).arg(fill.name())));
        }
    }

    void numbersFitTheirSegments()
    {
        BullseyePlot plot;
        BullseyePlot::Values values;
        const auto grey = [](double) { return QColor(Qt::darkBlue); };
        for (const QSize& size : {QSize(150, 150), QSize(240, 240), QSize(420, 300)})
            for (const double v : {8.25, -85.2, 1234.5, -12345.25}) {
                plot.resize(size);
                values.fill(v);
                plot.setValues(values, "V", 2, grey);
                for (int segment = 1; segment <= 17; ++segment)
                    QVERIFY2(plot.outline(segment).contains(plot.numberArea(segment)),
                             qPrintable(QStringLiteral("%1 in %2 of %3")
                                            .arg(v)
                                            .arg(segment)
                                            .arg(size.width())));
                if (size.width() >= 240 && std::abs(v) < 100)
                    QCOMPARE(plot.numberOf(1).replace("−", "-").toDouble(), v);
            }
    }
};

static const fake::Further<TestBullseye> further;
#include "test_bullseye.moc"
