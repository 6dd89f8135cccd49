// SPDX-License-Identifier: GPL-3.0-or-later
// The electrocardiogram beside the views.
#include "app/saving_controller.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/plots/ecg_plot.hpp"

#include <QComboBox>
#include <QTemporaryDir>
#include <QToolButton>

using namespace tawara;

class TestEcgViews : public fake::WindowTest
{
    Q_OBJECT
  private Q_SLOTS:
    void init()
    {
        WindowTest::init();
        f->start();
    }

    /// One gain for the leads on show, a standard one; what is hidden does not count.
    void gainOfTheElectrocardiogram()
    {
        EcgPlot plot;
        plot.resize(700, 220);
        plot.setLeads({"I", "V1"});
        const std::vector<double> t{0, 100, 200};
        plot.append(t, {{0.2F, 0.4F, 0}, {6, -6, 0}});
        const double both = plot.scale().gain;
        plot.setShown({"I"});
        const double small = plot.scale().gain;
        QVERIFY2(small >= 4 * both, qPrintable(QString::number(small)));
        plot.setShown({"V1"}); // it has the place to itself
        for (const double gain : {both, small, plot.scale().gain})
            QVERIFY2(std::set<double>({2.5, 5, 10, 20, 40}).contains(gain),
                     qPrintable(QString::number(gain)));
        const double half = plot.traceArea(1).height() / 2;
        const double tall = 6 * plot.scale().gain * plot.scale().pixelsPerMm;
        QVERIFY2(tall < half && tall > half / 3, qPrintable(QString::number(tall)));
        plot.setShown({});
        plot.setLeads({"I", "V1"});
        plot.append(t, {{200, 1, 0}, {6, -6, 0}}); // an electrode on the heart: smaller paper
        QCOMPARE(plot.scale().gain, 2.5);
        QVERIFY(200 * 2.5 * plot.scale().pixelsPerMm < plot.traceArea(0).height() / 2);
    }

    /// How the electrocardiogram is laid out goes with the session.
    void sheetGoesWithTheSession()
    {
        const QTemporaryDir dir;
        auto* panel = child<EcgPanel>();
        panel->setLeads({"I", "II", "V1", "V5"});
        auto* leads = panel->findChild<QComboBox*>("ecgLead");
        leads->setCurrentIndex(leads->findText("V5"));
        Q_EMIT leads->activated(leads->currentIndex());
        auto* sheet = panel->findChild<QToolButton*>("ecgSheet");
        sheet->setChecked(true);
        const QString saved = dir.filePath("sheet.json");
        QCOMPARE(f->window->saving()->save(saved), QString());
        sheet->setChecked(false);
        leads->setCurrentIndex(0);
        Q_EMIT leads->activated(0);
        f->host->load(simulation::read_session(saved.toStdString()));
        QTRY_VERIFY(sheet->isChecked());
        QCOMPARE(panel->plot()->ecgLayout(), EcgPlot::Layout::sheet);
        panel->setLeads({"I", "II", "V1", "V5"}); // they come with the first samples
        QCOMPARE(leads->currentText(), QString("V5"));
        sheet->setChecked(false);
    }

    void namesOfLeadsStandBesideTheTraces()
    {
        EcgPlot plot;
        plot.resize(700, 220);
        plot.setLeads({"I", "aVR", "V6"});
        QFont bold = plot.font();
        bold.setBold(true);
        for (int k = 0; k < 3; ++k)
            QVERIFY(plot.traceArea(k).left() >=
                    QFontMetricsF(bold).horizontalAdvance(plot.leads()[k]) + 6);
        std::vector<double> t;
        std::vector<float> high;
        for (int i = 0; i < 200; ++i) {
            t.push_back(i);
            high.push_back(1);
        }
        plot.append(t, {high, high, high});
        const QImage image = plot.grab().toImage();
        const QRectF r = plot.traceArea(0);
        // the trace begins at the edge of its own place, and nothing of it is in the names' column
        const auto differs = [&](int x) {
            std::set<QRgb> colors;
            for (int y = 4; y < static_cast<int>(r.bottom()) - 2; ++y)
                colors.insert(image.pixel(x, y));
            return colors.size() > 1;
        };
        QVERIFY(differs(static_cast<int>(r.left()) + 3));
        QVERIFY(!differs(3)); // the left margin of the names
    }
};

static const fake::Further<TestEcgViews> further;
#include "test_ecg_views.moc"
