// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a report: its charts, its tables of regions, beats and velocities.
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/charts.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "tests/several.hpp"
#include "tests/simulation/plane_wave.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
namespace fs = std::filesystem;

class TestExportReport : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    ExportSource source_;

    fs::path in(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }

  private Q_SLOTS:
    void initTestCase() { source_ = slab(diffusion::Scheme::fvm); }

    /// The newest two seconds, or those around the beat that is measured.
    void chartOfAnEarlierBeat()
    {
        Ecg e;
        e.leads = {"II"};
        e.mV.resize(1);
        for (double t = 0; t <= 9000; t += 2) {
            e.time_ms.push_back(t);
            e.mV[0].push_back(std::abs(t - 6300) < 20 ? 1 : 0);
        }
        const auto chart = [&](double beat_ms) {
            return QString::fromStdString(ecg_chart(e, 860, 200, "", beat_ms));
        };
        QVERIFY(chart(std::nan("")).contains("7000 to 9000 ms"));
        QVERIFY(chart(7500).contains("7000 to 9000 ms"));
        QVERIFY(chart(6300).contains("5800 to 7800 ms"));
        QVERIFY(chart(100).contains("0 to 1600 ms"));
    }

    /// In a report, too, an electrode near the heart does not flatten the twelve.
    void chartOfOwnLeads()
    {
        Ecg e;
        e.leads = {"I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"};
        e.time_ms = {0, 500, 1000};
        e.mV.assign(12, {0, 0.5F, 0});
        const auto twelve = ecg_chart(e, 860, 200);
        e.leads.emplace_back("E1");
        e.mV.push_back({std::nanf(""), 20, 0}); // it came later
        const auto with = QString::fromStdString(ecg_chart(e, 860, 264));
        QVERIFY(with.contains(">E1<") && !with.contains("nan"));
        QVERIFY2(with.contains("by 0.5 mV, of own electrodes by 10 mV"),
                 qPrintable(with.right(400)));
        QVERIFY(!QString::fromStdString(twelve).contains("own"));
        QCOMPARE(own_leads(e.leads), std::size_t{1});
        std::swap(e.leads[0], e.leads[1]); // a list of somebody's
        QCOMPARE(own_leads(e.leads), std::size_t{0});
    }

    /// Every region has a row; where there are more than a page has room for, others are counted.
    void reportOfRegions()
    {
        auto s = source_;
        auto scene = std::make_shared<Scene>(*s.scene);
        auto& list = scene->session.regions;
        list[0].variant = "epi";
        list[0].conductivity_S_per_m = {0.2, 0.1, 0.05};
        Region r;
        r.model.clear();
        r.name = "Scar";
        r.kind = "border_zone";
        r.where = Sphere{{1, 2, 3}, 4};
        r.conductivity_scale = 0.25;
        r.scale = {{"g_Na", 0.38}};
        r.parameters = {{"g_Kr", 0.1}};
        r.initial = {{"V", -80}};
        list.push_back(r);
        s.scene = scene;
        const auto table = [&] {
            const auto wide = report_page(s).wide;
            return *std::find_if(wide.begin(), wide.end(),
                                 [](const auto& t) { return t.title == "Regions"; });
        };
        auto t = table();
        QCOMPARE(t.rows.size(), std::size_t{2});
        QCOMPARE(t.rows[0], (std::vector<std::string>{"region 1", "all tissue", "ten_tusscher_2006",
                                                      "epi", "0.2 / 0.1 / 0.05", ""}));
        QCOMPARE(t.rows[1],
                 (std::vector<std::string>{
                     "Scar", "border zone, ball around (1, 2, 3), radius 4 mm", "as beneath", "",
                     "× 0.25", "g_Kr = 0.1; g_Na × 0.38; V = -80 at the start"}));
        list.resize(40, r);
        QCOMPARE(table().rows.size(), std::size_t{40});
        QVERIFY(!table().rows.back()[0].starts_with("and "));
        list.resize(43, r);
        t = table();
        QCOMPARE(t.rows.size(), std::size_t{41});
        QCOMPARE(t.rows.back()[0], std::string("and 3 more"));
    }

    /// The session's scheme does not step cells with dyads.
    void reactionIsThatOfTheCells()
    {
        auto s = source_;
        auto scene = std::make_shared<Scene>(*s.scene);
        scene->session.reaction = cell::Scheme::rush_larsen;
        auto& list = scene->session.regions;
        s.scene = scene;
        const auto said = [&] {
            for (const auto& t : report_page(s).settings)
                for (const auto& row : t.rows)
                    if (row.at(0) == "Reaction")
                        return row.at(1);
            return std::string();
        };
        QCOMPARE(said(), std::string("rush_larsen"));
        list.push_back(list.front());
        list.back().model = "ohara_rudy_dyads_2011";
        QCOMPARE(said(), std::string("rush_larsen; cells with dyads: the dyads' own scheme"));
        list.front().insulating = true;
        QCOMPARE(said(), std::string("the dyads' own scheme"));
        list.erase(list.begin());
        QCOMPARE(said(), std::string("the dyads' own scheme"));
    }

    void velocity_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::newRow("fvm") << static_cast<int>(diffusion::Scheme::fvm);
        QTest::newRow("p1") << static_cast<int>(diffusion::Scheme::p1);
    }

    void velocity()
    {
        QFETCH(int, scheme);
        const auto s = slab(static_cast<diffusion::Scheme>(scheme));
        const auto& m = *s.scene->mesh;
        std::vector<double> a(s.maps.activation_ms.size());
        for (std::size_t u = 0; u < a.size(); ++u) {
            const Vec3 p = s.on_vertices ? m.vertex(u) : m.centroid(u);
            a[u] = (0.6 * p[0] + 0.8 * p[1]) / 0.7 + 3;
        }
        for (double cv : conduction_velocity(m, s.on_vertices, a))
            QVERIFY(std::fabs(cv - 0.7) < 1e-6);
        for (std::size_t u = 0; u < a.size(); ++u)
            a[u] = 5 + 1e-9 * static_cast<double>(u % 7); // all at once: no wave
        QVERIFY(std::isnan(conduction_velocity(m, s.on_vertices, a)[1]));
        std::fill(a.begin(), a.end(), static_cast<double>(never));
        QVERIFY(std::isnan(conduction_velocity(m, s.on_vertices, a)[1]));
    }

    /// What a pulse activates itself, nearly at once, is no wave: the report's velocity leaves it
    /// out, in maps of the run and in those of a beat, whose times count from its pulse.
    void velocityWithoutStimulated()
    {
        auto s = slab(diffusion::Scheme::p1);
        const auto& m = *s.scene->mesh;
        constexpr double site_mm = 2.25, early_ms = 0.4, late_ms = 3.5;
        for (std::size_t u = 0; u < m.vertex_count(); ++u)
            s.maps.activation_ms[u] =
                m.x[u] < site_mm ? early_ms + 0.2 * m.x[u] : late_ms + (m.x[u] - site_mm) / 0.6;
        const auto note = [](const ExportSource& of) {
            for (const auto& f : report_page(of).key)
                if (f.name == "conduction velocity, median")
                    return QString::fromStdString(f.value + "; " + f.note);
            return QString();
        };
        const QString with_site = note(s); // nobody knows of a pulse
        QVERIFY2(with_site.contains("to 5;"), qPrintable(with_site));
        Pulse pulse;
        pulse.site = "S1";
        pulse.duration_ms = 2;
        s.pulses = {pulse};
        const QString waves = note(s);
        QVERIFY2(waves.startsWith("0.6 m/s; 5 to 95 %: 0.6 to 0.6;"), qPrintable(waves));
        // the same of a beat at 350 ms
        s.pulses.push_back(pulse);
        s.pulses.back().time_ms = 350;
        s.beat_label = "beat 2 of 2, since the pulse at 350.0 ms";
        s.beat.activation.assign(s.maps.activation_ms.begin(), s.maps.activation_ms.end());
        s.beat.apd90.assign(s.beat.activation.size(), 250);
        QCOMPARE(note(s), waves);
    }

    void report()
    {
        export_results(source_, ExportKind::report_html, in("r.html"));
        const QString html = text_of(in("r.html"));
        for (const char* wanted : {"<h1>plane &lt;wave&gt;</h1>", "Tawara ", "100 %", "0.6 m/s",
                                   "250 ms", "blocker", "g_Kr × 0.5", "a, b", "<td>memory</td>",
                                   "ten_tusscher_2006", "fvm", "20 %", "6.67 times"})
            QVERIFY2(html.contains(wanted), wanted);
        QVERIFY(html.contains("data:image/svg+xml;base64,")); // the probes' curves
        QVERIFY(html.contains("No electrodes: "));            // what would fill it
        QVERIFY(html.contains("<td>label 1 (100 % of the volume)") || html.contains("1, 100 %"));
        QVERIFY(!html.contains("not measured"));
        auto slow = source_;
        slow.kernels = {{"step", "cpu", 10, 20, 4e7, 2e7, 0, 0, 0, ""}};
        const auto unmeasured = report_page(slow).wide.back();
        QCOMPARE(unmeasured.rows[0][6], std::string("not measured"));
        QVERIFY(unmeasured.note.find("Measure ceilings") != std::string::npos);
        slow.kernels = {{"step", "cpu", 10, 20, 4e7, 2e7, 10, 20, 1.6, "arithmetic"}};
        QVERIFY(report_page(slow).wide.back().note.find("measure again") != std::string::npos);
        auto scene = std::make_shared<Scene>(*source_.scene);
        scene->notices = {{Notice::Level::info, "taken as mm"},
                          {Notice::Level::warning, "as a picture only"}};
        slow.scene = scene; // how far figures can be trusted stands right below them
        const QString noted = QString::fromStdString(to_html(report_page(slow)));
        for (const char* notice : {"taken as mm", "as a picture only"}) {
            QVERIFY2(noted.indexOf(notice) > noted.indexOf("total activation time"), notice);
            QVERIFY2(noted.indexOf(notice) < noted.indexOf("Action potentials"), notice);
        }
        // only warnings stand out by their colour
        QVERIFY(noted.contains("<p class=\"remark\">taken as mm</p>"));
        QVERIFY(noted.contains("<p class=\"warning\">as a picture only</p>"));
        QVERIFY(noted.contains("p.warning { color:") && !noted.contains("p.remark { color:"));
        auto page = report_page(source_);
        page.pictures.push_back({"a & b", "PNG?", 100});
        const QString with = QString::fromStdString(to_html(page));
        QVERIFY(with.contains("data:image/png;base64,UE5HPw=="));
        QVERIFY(with.contains("a &amp; b"));
    }

    /// A probe's row: the newest beat that has repolarised, with its intervals.
    void reportOfBeats()
    {
        auto s = source_;
        s.traces = {paced_every_350_ms("apex", 750)}; // the third beat has no end yet
        const auto section = report_page(s).sections.at(0);
        QVERIFY(section.svg.find("<path") != std::string::npos);
        QVERIFY(section.svg.find(">apex<") != std::string::npos);
        const auto& row = section.table.rows.at(0);
        QCOMPARE(row[0], std::string("apex"));
        QCOMPARE(row[1], std::string("3"));
        const auto value = [&](std::size_t k) { return QString::fromStdString(row[k]).toDouble(); };
        QVERIFY2(std::fabs(value(2) - 370.5) < 1, row[2].c_str());
        QVERIFY2(std::fabs(value(3) - 115) < 2, row[3].c_str());
        QVERIFY2(std::fabs(value(8) - 207) < 2, row[8].c_str());
        QVERIFY2(std::fabs(value(9) - (350 - 207)) < 3, row[9].c_str());
        s.traces.clear();
        QVERIFY(report_page(s).sections.at(0).table.note.find("No probes") != std::string::npos);
    }

    /// Beats of before and after a change of the tissue are told apart.
    void reportOfBeatsOfTwoTissues()
    {
        auto s = source_;
        s.traces = {paced_every_350_ms("apex", 1100)}; // at 20, 370, 720, 1070 ms
        auto scene = std::make_shared<Scene>(*s.scene);
        scene->tissue_edits = {{500, "drug Dofetilide given"}};
        s.scene = scene;
        const auto plain = report_page(source_).sections.at(0).svg;
        auto section = report_page(s).sections.at(0);
        QCOMPARE(section.table.head.at(1), std::string("tissue"));
        QCOMPARE(section.table.rows.size(), std::size_t{2});
        const auto& before = section.table.rows[0];
        const auto& after = section.table.rows[1];
        QCOMPARE(before.size(), section.table.head.size());
        QCOMPARE(before[1] + "|" + before[2], std::string("1|2"));
        // 500 ms is in the second beat: the first is the newest that was of that tissue alone
        QVERIFY(before[3].starts_with("20") && after[3].starts_with("72"));
        QCOMPARE(after[1] + "|" + after[2], std::string("2|2"));
        const QString note = QString::fromStdString(section.table.note);
        QVERIFY2(note.contains("tissue 1 until 500 ms; 2 from 500 ms on (drug Dofetilide given)"),
                 qPrintable(note));
        QVERIFY(section.svg.find("stroke-dasharray=\"4 2\"") != std::string::npos);
        scene = std::make_shared<Scene>(*scene);
        scene->tissue_edits[0].time_ms = 120; // in the first
        s.scene = scene;
        section = report_page(s).sections.at(0);
        QCOMPARE(section.table.rows.at(0).at(1), std::string("1*"));
        QVERIFY(plain.find("stroke-dasharray=\"4 2\"") == std::string::npos);
    }
};
static const tawara::test::Further<TestExportReport> further;
#include "test_export_report.moc"
