// SPDX-License-Identifier: GPL-3.0-or-later
// The report with its pictures of the heart.
#include "app/export/report_painter.hpp"
#include "app/export/report_writer.hpp"
#include "engine/simulation/results/charts.hpp"
#include "tests/gui/results_test.hpp"
#include "widgets/scene/overlays.hpp"

#include <QTextDocument>

#include <cmath>

using namespace tawara;
using fake::values;

class TestReportPage : public fake::ResultsTest
{
    Q_OBJECT
    /// The heart as reports show it.
    static QImage painted(HeartView& v)
    {
        ReportPainter::Shot shot;
        shot.values = values(fake::bowl(40), 60);
        shot.colors = scene::color_map({});
        shot.low = -85, shot.high = 30;
        shot.title = "V [mV]";
        shot.caption = "60 ms";
        ReportPainter painter(v, {shot}, {840, 720}, 2.2);
        QSignalSpy drawn(&painter, &ReportPainter::drawn);
        painter.start();
        if (!drawn.wait(20000) || drawn[0][1].toString() != QString())
            return {};
        return drawn[0][0].value<std::vector<QImage>>().at(0);
    }

  private Q_SLOTS:
    void heartForPrint()
    {
        HeartView v;
        show(v);
        const QImage before = v.finePicture(), heart = painted(v);
        QCOMPARE(heart.size(), QSize(840, 720));
        keep(heart, "print.png");
        int white = 0, colored = 0;
        for (int y = 0; y < heart.height(); ++y)
            for (int x = 0; x < heart.width(); ++x) {
                const QColor c(heart.pixel(x, y));
                white += c.red() > 250 && c.green() > 250 && c.blue() > 250;
                colored += c.saturation() > 90;
            }
        const int all = heart.width() * heart.height();
        QVERIFY2(white > all / 3, qPrintable(QString::number(white)));
        QVERIFY2(colored > all / 10, qPrintable(QString::number(colored)));
        QVERIFY(fake::difference(before, v.finePicture()) < 0.5); // the screen is as it was
    }

    void report()
    {
        HeartView v;
        show(v);
        simulation::ReportPage page;
        page.title = "A paced bowl";
        page.subtitle = "bowl · today";
        page.key = {{"88 ms", "total activation time", "from 2 to 90 ms"}};
        page.settings = {{"Mesh", {}, {{"Mesh", "bowl"}, {"Time step", "0.02 ms"}}, {}}};
        page.wide = {{"Kernels", {"kernel", "ms"}, {{"step", "0.1"}}, "as measured"}};
        page.foot = "Tawara";
        std::vector<simulation::Trace> traces{{1, "apex", {}, {}, {}}};
        simulation::Ecg ecg;
        ecg.leads = {"I", "II", "V1"};
        ecg.mV.resize(3);
        for (int k = 0; k < 300; ++k) {
            ecg.time_ms.push_back(k);
            for (std::size_t l = 0; l < 3; ++l)
                ecg.mV[l].push_back(static_cast<float>((1.0 - 0.6 * static_cast<double>(l)) *
                                                       std::exp(-std::pow((k - 80) / 12.0, 2))));
            traces[0].time_ms.push_back(k);
            traces[0].V_mV.push_back(k < 20 ? -85.0F : 20.0F - 0.35F * static_cast<float>(k));
        }
        page.sections = {
            {"Action potentials", simulation::trace_chart(traces, {}, page.width, 170), {}},
            {"Electrocardiogram", simulation::ecg_chart(ecg, page.width, 200), {}}};
        const QImage heart = painted(v).scaled(840, 720); // three pixels for one of the page
        for (const char* caption : {"V at 60 ms", "Activation"})
            page.pictures.push_back(reportPicture(heart, caption, 280));
        auto bare = page; // as the engine makes it; the window adds its pictures
        bare.pictures.clear();
        const std::string whole = simulation::with_pictures(to_html(bare), page.pictures);
        QCOMPARE(whole, to_html(page));
        QVERIFY_THROWS_EXCEPTION(Error, simulation::with_pictures("<p>", {}));
        const QString html = dir.filePath("r.html"), pdf = dir.filePath("r.pdf");
        QCOMPARE(writeReport(whole, "A bowl", html), QString());
        QCOMPARE(writeReport(whole, "A bowl", pdf), QString());
        QVERIFY(writeReport(whole, "A bowl", dir.filePath("r.doc")).contains(".pdf"));
        QVERIFY(
            writeReport(whole, "A bowl", dir.filePath("none/r.pdf")).contains("cannot be written"));
        QFile file(pdf);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY(bytes.startsWith("%PDF"));
        QVERIFY(bytes.size() > 20000);             // the pictures are in it
        QCOMPARE(bytes.count("/Type /Page\n"), 1); // and it is one page
        QFile text(html);
        QVERIFY(text.open(QIODevice::ReadOnly));
        const QByteArray source = text.readAll();
        QCOMPARE(source.count("data:image/png;base64,"), 2);
        QCOMPARE(source.count("data:image/svg+xml;base64,"), 2);
        QCOMPARE(source.count("width=\"280\" height=\"240\""), 2); // the shape is kept in print
        QCOMPARE(source.count("width=\"860\" height=\"170\""), 1);
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty()) {
            QFile::copy(pdf, folder + "/report.pdf");
            QFile::copy(html, folder + "/report.html");
        }
    }
};

static const fake::Further<TestReportPage> further;
#include "test_report_page.moc"
