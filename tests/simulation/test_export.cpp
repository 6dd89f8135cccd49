// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/charts.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/igb_reader.hpp"
#include "tests/simulation/tissue_scene.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkXMLPolyDataReader.h>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

const float never = std::numeric_limits<float>::quiet_NaN();

QString text_of(const fs::path& file)
{
    QFile f(QString::fromStdString(file.string()));
    return f.open(QIODevice::ReadOnly) ? QString::fromUtf8(f.readAll()) : QString();
}

/// Beats that rise within 1 ms and fall along a line of 230 ms.
Trace paced_every_350_ms(const std::string& name, int end_ms)
{
    Trace t{3, name, {}, {}, {}};
    for (int k = 0; k <= 10 * end_ms; ++k) {
        const double ms = 0.1 * k, since = std::fmod(ms, 350) - 20;
        t.time_ms.push_back(ms);
        t.V_mV.push_back(static_cast<float>(since < 0     ? -85
                                            : since < 1   ? -85 + 115 * since
                                            : since < 231 ? 30 - 0.5 * (since - 1)
                                                          : -85));
    }
    return t;
}

} // namespace

class TestExport : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    ExportSource source_;

    fs::path in(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }

    /// A slab in which a plane wave at 0.6 mm/ms came from x = 0; the last tetrahedron never saw
    /// it.
    static ExportSource slab(diffusion::Scheme scheme)
    {
        Session s;
        s.name = "plane <wave>";
        s.mesh = MeshSlab{{4, 2, 1}, 0.5};
        s.scheme = scheme;
        s.probes = {{"a, b", {1, 1, 0.5}}};
        s.stimuli.push_back({"S1", Box{{0, 0, 0}, {0.5, 2, 1}}, 0, 2, 50, {}, 0, 1, true, {}});
        s.drugs.push_back({"blocker", {{"g_Kr", 0.5}}});
        const Tissue t = build_tissue(s);
        auto scene = test::scene_of(s, t, "CPU");
        ExportSource out;
        out.scene = scene;
        out.on_vertices = t.on_vertices();
        out.time_ms = 300;
        for (const auto& p : t.problem.position_mm) {
            out.potential.push_back(-80 + p[0]);
            out.maps.activation_ms.push_back(p[0] / 0.6);
            out.maps.repolarisation_ms.push_back(p[0] / 0.6 + 250);
        }
        out.traces.push_back({1, "a, b", {}, {0, 1, 2}, {-85, -84, 20}});
        out.traces.push_back({2, "late", {}, {2, 3}, {-85, -80}});
        out.kernels.push_back({"step", "cpu", 10, 20, 4e7, 2e7, 10, 20, 0.2, "memory"});
        out.wall_s = 2;
        out.steps = 15000;
        return out;
    }

  private Q_SLOTS:
    void initTestCase()
    {
        source_ = slab(diffusion::Scheme::fvm);
        RecordingOptions o;
        o.folder = in("recordings");
        o.every_ms = 2.5;
        auto recording = std::make_shared<Recording>(source_.scene->surface->vertices.size(), o);
        for (int k = 0; k < 9; ++k) {
            std::vector<float> v;
            for (auto i : source_.scene->surface->vertices)
                v.push_back(static_cast<float>(
                    -80 + 3 * k + source_.scene->mesh->x[static_cast<std::size_t>(i)]));
            recording->append(10 + 2.5 * k, v);
        }
        recording->flush();
        source_.recording = recording;
    }

    void names()
    {
        QCOMPARE(export_choices().size(), std::size_t{14});
        int at = 0;
        for (const auto& c : export_choices()) {
            QCOMPARE(static_cast<int>(c.kind), at++); // in the order of the enumeration
            QVERIFY(export_kind(c.name) == c.kind);
            QVERIFY(c.extension.starts_with('.'));
        }
        QVERIFY(!export_kind("movies"));
    }

    void igb()
    {
        const auto files = export_results(source_, ExportKind::frames_igb, in("v.igb"));
        QCOMPARE(files.size(), std::size_t{3});
        const auto igb = test::read_igb(in("v.igb").string());
        QCOMPARE(igb.x, static_cast<std::int64_t>(source_.scene->surface->vertices.size()));
        QCOMPARE(igb.t, 9);
        QCOMPARE(igb.org_t, 10.0);
        QCOMPARE(igb.inc_t, 2.5);
        QCOMPARE(igb.header.at("dim_t"), std::string("20"));
        QCOMPARE(igb.header.at("unites_t"), std::string("ms"));
        QCOMPARE(igb.header.at("unites"), std::string("mV"));
        for (std::size_t k = 0; k < 9; ++k)
            for (std::size_t i = 0; i < igb.frames[k].size(); ++i) {
                const auto v = static_cast<std::size_t>(source_.scene->surface->vertices[i]);
                const double wanted = -80 + 3 * static_cast<double>(k) + source_.scene->mesh->x[v];
                QVERIFY(std::fabs(igb.frames[k][i] - wanted) < 0.021);
            }
        // points beside it, in CARP's um, and as many triangles as the surface has
        const auto pts = text_of(in("v.pts")).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(pts.size(), 1 + static_cast<qsizetype>(igb.x));
        QCOMPARE(pts[0].toLongLong(), igb.x);
        const auto first = static_cast<std::size_t>(source_.scene->surface->vertices[0]);
        QCOMPARE(pts[1].split(' ')[0].toDouble(), 1e3 * source_.scene->mesh->x[first]);
        QCOMPARE(text_of(in("v.elem")).split('\n')[0].toULongLong(),
                 source_.scene->surface->triangles.size());
    }

    void igbOfOneFrameAndMany()
    {
        IgbWriter one(in("one.igb"), 3, 5, 1, "mV");
        QVERIFY_THROWS_EXCEPTION(InputError, one.finish());
        one.add(std::vector<float>{1, 2, 3});
        QVERIFY_THROWS_EXCEPTION(Error, one.add(std::vector<float>{1, 2}));
        QVERIFY(!fs::exists(in("one.igb")));
        one.finish();
        auto r = test::read_igb(in("one.igb").string());
        QCOMPARE(r.t, 1);
        QCOMPARE(r.header.at("dim_t"), std::string("0"));
        QCOMPARE(r.frames[0][2], 3.0f);
        IgbWriter many(in("many.igb"), 1, 0.125, 1e-3, "mV");
        for (int k = 0; k < 123457; ++k)
            many.add(std::vector<float>{static_cast<float>(k)});
        many.finish();
        r = test::read_igb(in("many.igb").string());
        QCOMPARE(r.t, 123457);
        QVERIFY(std::fabs(r.inc_t - 1e-3) < 1e-12);
        QCOMPARE(r.frames.back()[0], 123456.0f);
    }

    void paraviewFrames()
    {
        const auto files = export_results(source_, ExportKind::frames_pvd, in("run.pvd"));
        QCOMPARE(files.size(), std::size_t{10});
        const QString list = text_of(in("run.pvd"));
        QCOMPARE(list.count("<DataSet"), 9);
        QVERIFY(list.contains("timestep=\"12.5\" part=\"0\" file=\"run_frames/000001.vtp\""));
        const auto named = export_results(source_, ExportKind::frames_pvd, in("a-frames.pvd"));
        QCOMPARE(named.at(1), std::filesystem::path(in("a-frames/000000.vtp"))); // said once
        vtkNew<vtkXMLPolyDataReader> reader;
        reader->SetFileName(in("run_frames/000004.vtp").c_str());
        reader->Update();
        auto* poly = reader->GetOutput();
        const auto& surface = *source_.scene->surface;
        QCOMPARE(static_cast<std::size_t>(poly->GetNumberOfPoints()), surface.vertices.size());
        QCOMPARE(static_cast<std::size_t>(poly->GetNumberOfCells()), surface.triangles.size());
        auto* v = vtkFloatArray::SafeDownCast(poly->GetPointData()->GetArray("V_mV"));
        QVERIFY(v);
        double p[3];
        poly->GetPoint(7, p);
        QVERIFY(std::fabs(v->GetValue(7) - (-80 + 12 + p[0])) < 0.021);
        auto* number = vtkIntArray::SafeDownCast(poly->GetPointData()->GetArray("mesh_vertex"));
        QVERIFY(number);
        QCOMPARE(number->GetValue(7), surface.vertices[7]);
    }

    void maps_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::newRow("fvm") << static_cast<int>(diffusion::Scheme::fvm);
        QTest::newRow("p1") << static_cast<int>(diffusion::Scheme::p1);
    }
    void maps()
    {
        QFETCH(int, scheme);
        auto s = slab(static_cast<diffusion::Scheme>(scheme));
        s.maps.activation_ms.back() = s.maps.repolarisation_ms.back() = never;
        export_results(s, ExportKind::maps_csv, in("m.csv"));
        const auto rows = text_of(in("m.csv")).split('\n', Qt::SkipEmptyParts);
        const double within = s.on_vertices ? 1e-5 : 0.65; // fvm: of the tetrahedra around it
        const auto& nodes = *s.scene->mesh;
        QCOMPARE(static_cast<std::size_t>(rows.size()), 1 + nodes.vertex_count());
        const auto cells = rows[5].split(',');
        QVERIFY(std::fabs(cells[4].toDouble() - cells[1].toDouble() / 0.6) < within);
        QVERIFY(std::fabs(cells[6].toDouble() - 250) < 1e-4);
        QVERIFY(cells[7].isEmpty() && cells.mid(9).join(',') == ",0,,,"); // no period, no beat
        QVERIFY(std::fabs(cells[8].toDouble() - 0.6) < (s.on_vertices ? 1e-4 : 0.1)); // m/s
        if (s.on_vertices)
            QVERIFY(rows.back().endsWith(",,,,,,,0,,,")); // never: empty
        auto told = s;                                    // of which cells, at vertices too
        told.cells = {{{3, "", "", "own, of a file", "epi"}}, {}};
        told.cells.of_unknown.assign(s.maps.activation_ms.size(), 0);
        export_results(told, ExportKind::maps_csv, in("told.csv"));
        for (const auto& row : text_of(in("told.csv")).split('\n', Qt::SkipEmptyParts).mid(1))
            QVERIFY2(row.endsWith(",0,3,\"own, of a file\",epi"), qPrintable(row));
        // of a beat: the same columns and rows
        auto later = s;
        later.beat_label = "beat 2 of 2, since the pulse at 350.0 ms";
        later.beat_span.number = 2;
        later.beat_span.pulse_ms = 350;
        const std::vector<float> field(nodes.vertex_count(), 12.5F);
        later.beat = {field, field, field, field};
        export_results(later, ExportKind::maps_csv, in("later.csv"));
        const auto of_beat = text_of(in("later.csv")).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(rows[0], QString("id,x_mm,y_mm,z_mm,activation_ms,repolarisation_ms,apd90_ms,"
                                  "period_ms,velocity_m_per_s,beat,time_zero_ms,"
                                  "region,model,variant"));
        QCOMPARE(of_beat[0], rows[0]);
        QCOMPARE(of_beat.size(), rows.size());
        for (qsizetype k = 1; k < rows.size(); ++k) {
            QCOMPARE(of_beat[k].section(',', 0, 3), rows[k].section(',', 0, 3));
            QCOMPARE(rows[k].count(','), 13);
        }
        QCOMPARE(of_beat[5].section(',', 4), QString("12.5,12.5,12.5,12.5,,2,350,,,"));
        export_results(s, ExportKind::maps_vtu, in("m.vtu"));
        const auto back = mesh::io::read(in("m.vtu"));
        const auto* a = back.mesh.field("activation_ms");
        QVERIFY(a);
        QVERIFY(a->on == mesh::Field::On::vertices); // before the first beat too
        QCOMPARE(a->values.size(), nodes.vertex_count());
        export_results(later, ExportKind::maps_vtu, in("later.vtu"));
        const auto of_second = mesh::io::read(in("later.vtu"));
        const auto* b = of_second.mesh.field("activation_ms_beat_2_since_350");
        QVERIFY(b && b->on == mesh::Field::On::vertices);
        QVERIFY(of_second.mesh.field("period_ms_beat_2") &&
                of_second.mesh.field("velocity_m_per_s_beat_2"));
        // per vertex, in CARP's way
        export_results(s, ExportKind::repolarisation_dat, in("rep.dat"));
        export_results(s, ExportKind::activation_dat, in("act.dat"));
        QVERIFY(text_of(in("rep.dat")) != text_of(in("act.dat")));
        const auto values = text_of(in("act.dat")).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(static_cast<std::size_t>(values.size()), s.scene->mesh->vertex_count());
        const auto& m = *s.scene->mesh;
        double worst = 0;
        int missing = 0;
        for (std::size_t v = 0; v < m.vertex_count(); ++v) {
            const double got = values[static_cast<qsizetype>(v)].toDouble();
            QVERIFY(got == -1 ? !std::isfinite(a->values[v])
                              : std::fabs(a->values[v] - got) < 1e-3);
            if (got == -1)
                ++missing;
            else
                worst = std::max(worst, std::fabs(got - m.x[v] / 0.6));
        }
        QVERIFY(missing <= 1); // fvm: every vertex has another tetrahedron, but for a corner's
        QVERIFY(worst < (s.on_vertices ? 1e-5 : 0.65));
        export_results(s, ExportKind::apd90_dat, in("apd.dat"));
        QVERIFY(text_of(in("apd.dat")).startsWith("250"));
        export_results(s, ExportKind::potential_vtu, in("v.vtu"));
        QVERIFY(mesh::io::read(in("v.vtu")).mesh.field("V_mV"));
        export_results(s, ExportKind::potential_dat, in("v.dat"));
        QCOMPARE(static_cast<std::size_t>(text_of(in("v.dat")).count('\n')), m.vertex_count());
    }

    void curves()
    {
        auto s = source_;
        export_results(s, ExportKind::traces_csv, in("t.csv"));
        QCOMPARE(text_of(in("t.csv")),
                 QString("time_ms,\"a, b\",late\n0,-85,\n1,-84,\n2,20,-85\n3,,-80\n"));
        s.ecg.leads = {"I", "V1"};
        s.ecg.time_ms = {0, 1};
        s.ecg.mV = {{0.5f, -0.25f}, {0, 1}};
        export_results(s, ExportKind::ecg_csv, in("e.csv"));
        QCOMPARE(text_of(in("e.csv")), QString("time_ms,I,V1\n0,0.5,0\n1,-0.25,1\n"));
    }

    void beats()
    {
        auto s = source_;
        s.traces = {paced_every_350_ms("apex, left", 700)};
        export_results(s, ExportKind::beats_csv, in("b.csv"));
        const auto rows = text_of(in("b.csv")).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 3);
        QVERIFY(rows[0].startsWith("probe,beat,activation_ms,upstroke_mV_per_ms,rest_mV,peak_mV,"
                                   "amplitude_mV,apd30_ms,apd50_ms,apd90_ms,diastolic_ms,cycle_ms,"
                                   "tissue,tissue_since_ms,tissue_changed_ms,stimulus,pulse,"));
        QVERIFY(rows[1].startsWith("\"apex, left\",1,") && rows[2].startsWith("\"apex, left\",2,"));
        const auto second = rows[2].mid(rows[2].indexOf(",2,") + 3).split(',');
        const auto near = [&](int column, double wanted, double within) {
            return std::fabs(second[column].toDouble() - wanted) < within;
        };
        QVERIFY2(near(0, 370.5, 1), qPrintable(rows[2]));
        QVERIFY2(near(1, 115, 2), qPrintable(rows[2]));
        QVERIFY2(near(4, 115, 1), qPrintable(rows[2]));
        QVERIFY2(near(7, 207, 2), qPrintable(rows[2]));       // 0.9 * 115 mV at 0.5 mV/ms
        QVERIFY2(near(8, 350 - 207, 3), qPrintable(rows[2])); // of the beat before to this one
        QVERIFY2(near(9, 350, 0.2), qPrintable(rows[2]));
        QVERIFY2(rows[2].endsWith(",1,0,,,,,,,"), qPrintable(rows[2])); // one tissue, all the time
    }

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

    /// A table of beats says which tissue each ran with, and of what it was changed during.
    void beatsOfSeveralTissues()
    {
        auto s = source_;
        s.traces = {paced_every_350_ms("P", 1100)}; // at 20, 370, 720, 1070 ms; 207 ms long
        auto scene = std::make_shared<Scene>(*s.scene);
        scene->tissue_edits = {{450, "drug given"}, {600.5, "region changed"}, {1090, "scar"}};
        s.scene = scene;
        export_results(s, ExportKind::beats_csv, in("t.csv"));
        const auto rows = text_of(in("t.csv")).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 5);
        const char* ends[] = {",1,0,", ",1,0,450", ",3,600.5,", ",3,600.5,1090"};
        for (int k = 0; k < 4; ++k) // the last beat has not repolarised yet
            QVERIFY2(rows[k + 1].endsWith(QString(ends[k]) + ",,,,,,"), qPrintable(rows[k + 1]));
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

    void velocity_data() { maps_data(); }
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

    void whatOfTheTissueIsAnother()
    {
        Region base, scar;
        base.name = "Wall";
        scar.name = "Scar";
        const Drug dof{"Dofetilide", {{"g_Kr", 0.5}}}, weak{"Dofetilide", {{"g_Kr", 0.9}}},
            other{"Verapamil", {{"g_CaL", 0.5}}};
        const std::vector<Region> one{base}, two{base, scar};
        const auto words = [](const std::vector<Region>& r0, const std::vector<Drug>& d0,
                              const std::vector<Region>& r1, const std::vector<Drug>& d1) {
            return tissue_difference(r0, d0, r1, d1);
        };
        QCOMPARE(words(one, {}, one, {}), std::string());
        QCOMPARE(words(one, {}, one, {dof}), std::string("drug Dofetilide given"));
        QCOMPARE(words(one, {dof}, one, {weak}), std::string("drug Dofetilide changed"));
        QCOMPARE(words(one, {dof}, one, {other}),
                 std::string("drug Verapamil in place of Dofetilide"));
        QCOMPARE(words(one, {dof}, two, {}),
                 std::string("drug Dofetilide taken away, region Scar added"));
        auto stiff = two;
        stiff[1].conductivity_scale = 0.1;
        QCOMPARE(words(two, {}, stiff, {}), std::string("region Scar changed"));
        QCOMPARE(words(two, {}, one, {}), std::string("region Scar removed"));
        auto other_model = two;
        other_model[0].model = "luo_rudy_1991"; // of one, while another comes
        QCOMPARE(words(one, {}, other_model, {}),
                 std::string("region Wall changed, region Scar added"));
        QCOMPARE(words({base, base}, {}, one, {}), std::string("regions changed"));
        const std::vector<TissueEdit> edits{{10, "a"}, {20, "b"}, {30, "a"}};
        QCOMPARE(edits_until(edits, 9.9), std::size_t{0});
        QCOMPARE(edits_until(edits, 20), std::size_t{2});
        QCOMPARE(edits_until(edits, 99), std::size_t{3});
        QCOMPARE(what_of(edits), std::string("a, b"));
    }

    void lacking()
    {
        ExportSource nothing;
        for (const auto& c : export_choices())
            QVERIFY_THROWS_EXCEPTION(InputError, export_results(nothing, c.kind, in("no.x")));
        ExportSource bare;
        bare.scene = source_.scene;
        const auto reason = [&](ExportKind kind) {
            try {
                export_results(bare, kind, in("no.x"));
            } catch (const InputError& e) {
                return QString(e.what());
            }
            return QString();
        };
        QVERIFY(reason(ExportKind::frames_igb).contains("start a recording"));
        QVERIFY(reason(ExportKind::traces_csv).contains("place one"));
        QVERIFY(reason(ExportKind::beats_csv).contains("place one"));
        QVERIFY(reason(ExportKind::ecg_csv).contains("electrodes"));
        QVERIFY(reason(ExportKind::maps_csv).contains("run it"));
        QVERIFY(!fs::exists(in("no.x")));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, export_results(source_, ExportKind::frames_igb,
                                                           in("c.igb"), {{}, stop.get_token()}));
        QVERIFY(!fs::exists(in("c.igb")));
    }
};

QTEST_APPLESS_MAIN(TestExport)
#include "test_export.moc"
