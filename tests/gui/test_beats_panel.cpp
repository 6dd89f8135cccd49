// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of beats: what its plot is labelled with.
#include "tests/gui/several.hpp"
#include "widgets/plots/scatter_plot.hpp"

#include <QApplication>
#include <QtTest>

using namespace tawara;

class TestBeatsPanel : public QObject
{
    Q_OBJECT
    static ScatterPlot::Series seriesOf(const QString& name)
    {
        return {name, QColor(Qt::red), {QPointF(100, 200), QPointF(200, 250)}, false};
    }

  private Q_SLOTS:
    /// A title that is cut at both ends tells nothing.
    void titlesOfTheRestitutionPlotFit()
    {
        ScatterPlot plot("diastolic interval (ms)", "action potential duration (ms)", "none");
        plot.setShortTitles("DI (ms)", "APD90");
        plot.setSeries({seriesOf("A")});
        plot.resize(600, 300);
        QCOMPARE(plot.shownXTitle(), QString("diastolic interval (ms)"));
        QCOMPARE(plot.shownYTitle(), QString("action potential duration (ms)"));
        plot.resize(plot.minimumSizeHint());
        QCOMPARE(plot.shownXTitle(), QString("DI (ms)"));
        QCOMPARE(plot.shownYTitle(), QString("APD90"));
        constexpr int beside = 58 + 12; // of the axes
        QVERIFY(plot.fontMetrics().horizontalAdvance(plot.shownXTitle()) <= plot.width() - beside);
    }

    /// It names the series where there are several, and says how many have no room.
    void theLegendNamesTheProbes()
    {
        ScatterPlot plot("x", "y", "none");
        plot.resize(800, 400);
        plot.setSeries({seriesOf("A"), seriesOf("A")}); // of two tissues
        QCOMPARE(plot.legend(), QStringList());
        auto without = seriesOf("C");
        without.points.clear();
        plot.setSeries({seriesOf("A"), seriesOf("B"), without});
        QCOMPARE(plot.legend(), (QStringList{"A", "B"}));
        std::vector<ScatterPlot::Series> many;
        QStringList names;
        for (int k = 0; k < 30; ++k) {
            names << QStringLiteral("P%1").arg(k);
            many.push_back(seriesOf(names.back()));
        }
        plot.setSeries(many);
        QCOMPARE(plot.legend(), names);
        plot.resize(plot.minimumSizeHint());
        const QStringList shown = plot.legend();
        QVERIFY2(shown.size() >= 2 && shown.size() < 30, qPrintable(shown.join(' ')));
        QCOMPARE(shown.mid(0, shown.size() - 1), names.mid(0, shown.size() - 1));
        QCOMPARE(shown.back(), QStringLiteral("+%1").arg(names.size() - shown.size() + 1));
        const QImage with = plot.grab().toImage();
        plot.setSeries({seriesOf("P0")});
        QVERIFY2(plot.grab().toImage() != with, "it is drawn");
    }
};

static const fake::Further<TestBeatsPanel> further;
#include "test_beats_panel.moc"
