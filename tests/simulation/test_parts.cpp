// SPDX-License-Identifier: GPL-3.0-or-later
// A run over ranks that each read their part of a mesh gives what one process gives of the whole.
#include "engine/core/larger.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/simulation/parts_bar.hpp"

#include "tests/several.hpp"

#include <QtTest>
#include <new>
#include <sstream>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::test;
namespace fs = std::filesystem;

class TestParts : public QObject, PartsBar
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { make(); }

    void ranksGiveTheBitsOfOneProcess_data()
    {
        QTest::addColumn<int>("way");
        for (int k = 0; k < static_cast<int>(std::size(ways)); ++k)
            QTest::newRow(ways[k].name) << k;
    }
    void ranksGiveTheBitsOfOneProcess()
    {
        QFETCH(int, way);
        auto s = session(ways[way]);
        s.end_ms = 3;
        const auto alone = run_session(s, options("alone"));
        QVERIFY(alone.activated > 50);
        const int n = way % 2 == 0 ? 8 : 3;
        const auto r = over_ranks(n, in_parts(s, n), options("parts"));
        QCOMPARE(r.error, std::string());
        QCOMPARE(r.report.activated, alone.activated);
        QVERIFY2(same("parts", "alone"), std::to_string(n).c_str());
        QVERIFY2(r.said.find(ways[way].says) != std::string::npos, r.said.c_str());
    }

    void frameAndMapsAreInPieces()
    {
        auto s = session(ways[2]);
        s.end_ms = 1.5;
        s.output->frames_every_ms = 1;
        const auto r = over_ranks(3, in_parts(s, 3), options("frames"));
        QCOMPARE(r.error, std::string());
        const auto out = path("frames");
        QVERIFY(content(out / "frames.pvd").find("frames/000000050.pvtu") != std::string::npos);
        const auto list = content(out / "frames/000000050.pvtu");
        std::size_t tets = 0;
        for (const char* piece : {"0000.vtu", "0001.vtu", "0002.vtu"}) {
            QVERIFY(list.find(std::string("Source=\"000000050/") + piece) != std::string::npos);
            const auto m = mesh::io::read(out / "frames/000000050" / piece, LengthUnit::mm).mesh;
            tets += m.tetrahedron_count();
            const auto* v = m.field("V_mV");
            QVERIFY(v != nullptr && v->values.size() == m.vertex_count());
            QVERIFY(fs::exists(out / "activation" / piece));
        }
        QCOMPARE(tets, mesh::io::read(path("bar.vtu"), LengthUnit::mm).mesh.tetrahedron_count());
        QVERIFY(content(out / "report.json").find("\"unknowns_taken\"") != std::string::npos);
    }

    /// Leads of electrodes around the tissue and of the twelve on a torso, within rounding.
    void leadsAreThoseOfTheWhole_data()
    {
        QTest::addColumn<int>("way");
        QTest::addColumn<bool>("torso");
        QTest::newRow("p1") << 2 << false;
        QTest::newRow("fvm") << 0 << false;
        QTest::newRow("p1 in a torso") << 2 << true;
    }
    void leadsAreThoseOfTheWhole()
    {
        QFETCH(int, way);
        QFETCH(bool, torso);
        auto s = session(ways[way]);
        s.end_ms = 3;
        s.ecg_every_ms = 0.5;
        if (torso)
            s.leads.kind = Leads::Kind::twelve_lead;
        else
            s.electrodes = {{"A", {20, 2, 2}}, {"B", {5, -9, 4}}};
        run_session(s, options("leads"));
        auto in = in_parts(s, 3);
        in.output->checkpoint_every_ms = 2;
        const auto r = over_ranks(3, in, options("parts"));
        QCOMPARE(r.error, std::string());
        auto o = options("parts-on"); // rows before a checkpoint are kept with it
        o.resume = path("parts/checkpoint-00000002.000ms-0of3.tcp");
        QCOMPARE(over_ranks(3, in, o).error, std::string());
        QCOMPARE(content(path("parts-on/ecg.csv")), content(path("parts/ecg.csv")));
        std::istringstream a(content(path("leads/ecg.csv"))), b(content(path("parts/ecg.csv")));
        std::string x, y;
        int rows = 0;
        double most = 0, off = 0;
        for (; std::getline(a, x) && std::getline(b, y); ++rows) {
            const auto of_whole = QString::fromStdString(x).split(','),
                       of_parts = QString::fromStdString(y).split(',');
            QCOMPARE(of_parts.size(), of_whole.size());
            for (int k = 0; rows > 0 && k < of_whole.size(); ++k) {
                if (k > 0)
                    most = larger_or_nan(most, std::abs(of_whole[k].toDouble()));
                off = larger_or_nan(off, std::abs(of_whole[k].toDouble() - of_parts[k].toDouble()));
            }
        }
        QCOMPARE(rows, 8);
        QVERIFY(!std::getline(b, y) && most > 1e-3);
        QVERIFY2(off < (torso ? 1e-3 : 1e-6) * most, std::to_string(off / most).c_str());
    }

    void checkpointsGoOn()
    {
        auto s = session(ways[0]);
        s.output->checkpoint_every_ms = 1;
        s.output->checkpoints_kept = 2;
        run_session(s, options("whole"));
        const auto first = over_ranks(3, in_parts(s, 3), options("kept"));
        QCOMPARE(first.error, std::string());
        auto o = options("on");
        o.resume = path("kept/checkpoint-00000004.000ms-0of3.tcp");
        s.output->frames_every_ms = 4;
        const auto r = over_ranks(3, in_parts(s, 3), o);
        QCOMPARE(r.error, std::string());
        QCOMPARE(r.report.steps, std::int64_t(50));
        QVERIFY(content(path("on") / "frames.pvd").find("frames/000000200.pvtu") !=
                std::string::npos); // that of the checkpoint's time
        for (const char* rank : {"0of3", "1of3", "2of3"}) {
            const auto of = [&](const char* ms) {
                return path(std::string("kept/checkpoint-0000000") + ms + ".000ms-" + rank +
                            ".tcp");
            };
            QVERIFY(fs::exists(of("4")) && fs::exists(of("5")) && !fs::exists(of("3")));
        }
        QVERIFY(same("on", "whole"));
        s.regions[0].parameters = {{"g_Na", 10}};
        const auto other = over_ranks(3, in_parts(s, 3), o);
        QVERIFY2(other.error.find("is of another run") != std::string::npos, other.error.c_str());
    }

    /// A checkpoint is one of all ranks or none, and an end for whatever reason says how to go on.
    void endsSayHowToGoOn()
    {
        auto s = session(ways[2]);
        s.output->checkpoint_every_ms = 2;
        const auto of = [&](int ms, int rank) {
            return path("ends/checkpoint-0000000" + std::to_string(ms) + ".000ms-" +
                        std::to_string(rank) + "of3.tcp");
        };
        fs::create_directories(of(2, 1)); // there no file can be
        Progress memory_ends;             // in the first rank, behind the second checkpoint
        memory_ends.report = [](double fraction, std::string_view stage) {
            if (stage == "running" && fraction > 0.798)
                throw std::bad_alloc();
        };
        const auto r = over_ranks(3, in_parts(s, 3), options("ends"), memory_ends);
        QVERIFY2(r.error.find("bad_alloc") != std::string::npos, r.error.c_str());
        QVERIFY(content(path("ends/report.json")).find("not enough memory") != std::string::npos);
        QVERIFY(content(path("ends/probes.csv")).starts_with("time_ms,first,far,out\n"));
        QVERIFY2(r.said.find("a checkpoint could not be written, and the run goes on") !=
                     std::string::npos,
                 r.said.c_str());
        QVERIFY(!fs::exists(of(2, 0)) && !fs::exists(of(2, 2)));
        QVERIFY2(r.said.find("the last checkpoint is " + of(4, 0).string()) != std::string::npos,
                 r.said.c_str());
        QVERIFY(fs::exists(of(4, 1)) && fs::exists(of(4, 2)));
        s.output->checkpoint_every_ms = 0;
        const auto none = over_ranks(3, in_parts(s, 3), options("none"), memory_ends);
        QVERIFY2(none.said.find("there is no checkpoint to go on from") != std::string::npos,
                 none.said.c_str());
    }

    void whatFailsIsOneLineOfTheFirst()
    {
        const auto s = session(ways[2]);
        const auto fails = [&](auto&& change, const std::string& says, int ranks = 3) {
            auto bad = in_parts(s, 3);
            change(bad);
            const auto r = over_ranks(ranks, bad, options("no"));
            if (r.error.find(says) == std::string::npos || r.error.find('\n') != std::string::npos)
                qWarning("%s", r.error.c_str());
            return r.error.find(says) != std::string::npos;
        };
        QVERIFY(fails([](Session&) {}, "has 3 parts for 2 ranks; start mpirun -n 3", 2));
        QVERIFY(fails([](Session& b) { b.stepping = Stepping::newton; }, "/diffusion/stepping"));
        QVERIFY(fails([](Session& b) { b.currents = IonicCurrents::interpolated; },
                      "/diffusion/currents"));
        QVERIFY(fails([](Session& b) { b.regions[1].labels = {7}; }, "no label 7; it has 1, 2"));
        // it lies in one part alone, and the others wait for nothing
        QVERIFY(fails([](Session& b) { b.regions[0].labels = {1}; }, "no region covers"));
        QVERIFY(fails([](Session& b) { b.stimuli[0].region = Label{{9}}; },
                      "/stimuli/0/region: the mesh has no label 9; it has 1, 2"));
        QVERIFY(fails([](Session& b) { b.stimuli[0].region = Nodes{{9999}}; }, "no node 9999"));
        QVERIFY(fails(
            [](Session& b) {
                b.stimuli[1].region = Box{{90, 0, 0}, {91, 1, 1}};
            },
            "/stimuli/1/region: the region holds no tissue"));
        QVERIFY(fails(
            [](Session& b) {
                b.probes[1].position_mm = {90, 0, 0};
            },
            "/probes/1/position_mm: the probe 'far' lies"));
        QVERIFY(fails(
            [](Session& b) {
                b.regions[2].where = Box{{90, 0, 0}, {91, 1, 1}};
            },
            "/tissue/regions/2/where: holds no tissue"));
        // in one part alone, and known to all
        QVERIFY(fails([](Session& b) { b.stimuli[0].amplitude_pA_per_pF = 1e6; },
                      "stopped being finite"));
    }

    /// Elsewhere such a mesh is no mesh.
    void oneProcessAloneSaysSo()
    {
        try {
            run_session(in_parts(session(ways[2]), 3), options("no"));
            QFAIL("it was run");
        } catch (const InputError& e) {
            QVERIFY(e.reason.find("is a mesh in parts") != std::string::npos);
        }
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestParts>(argc, argv);
}
#include "test_parts.moc"
