// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/provenance_read.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/several.hpp"
#include "tests/simulation/igb_reader.hpp"
#include "tests/simulation/plane_wave.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkXMLPolyDataReader.h>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;
namespace fs = std::filesystem;

class TestExport : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    ExportSource source_;

    fs::path in(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }

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
        QCOMPARE(files.size(), std::size_t{6}); // what made each is told in the last three
        for (std::size_t k = 0; k < 3; ++k) {
            QCOMPARE(files[3 + k].string(), files[k].string() + ".provenance.json");
            QCOMPARE(find_provenance(files[k]).unchanged_by.string(), files[3 + k].string());
        }
        const auto igb = tawara::test::read_igb(in("v.igb").string());
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
        auto r = tawara::test::read_igb(in("one.igb").string());
        QCOMPARE(r.t, 1);
        QCOMPARE(r.header.at("dim_t"), std::string("0"));
        QCOMPARE(r.frames[0][2], 3.0f);
        IgbWriter many(in("many.igb"), 1, 0.125, 1e-3, "mV");
        for (int k = 0; k < 123457; ++k)
            many.add(std::vector<float>{static_cast<float>(k)});
        many.finish();
        r = tawara::test::read_igb(in("many.igb").string());
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
                worst = larger_or_nan(worst, std::fabs(got - m.x[v] / 0.6));
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

int main(int argc, char** argv)
{
    return tawara::test::run<TestExport>(argc, argv);
}
#include "test_export.moc"
