// SPDX-License-Identifier: GPL-3.0-or-later
// A run over ranks that each read their part of a mesh gives what one process gives of the whole.
#include "engine/core/larger.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/parallel/files.hpp"
#include "engine/mesh/uneven_bar.hpp"
#include "engine/simulation/observe/torso.hpp"
#include "engine/simulation/parts/run_parts.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/device/rank_team.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <exception>
#include <fstream>
#include <new>
#include <sstream>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::test;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What a run over ranks ended with: its report or its error's line, and what was said.
struct Ended
{
    RunReport report;
    std::string error, said;
};

/// Each rank is a thread.
Ended over_ranks(int ranks, const Session& s, RunOptions o, const Progress& progress = {})
{
    Ended out;
    o.notice = [&](const Notice& n) { out.said += n.text + "\n"; };
    const auto mail = std::make_shared<Mail>(ranks);
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r)
        threads.emplace_back([&, r] {
            ThreadRank me(mail, r);
            try {
                auto report = parts::run_parts(s, o, me, r == 0 ? progress : Progress());
                if (r == 0)
                    out.report = std::move(report);
            } catch (const std::exception& e) {
                if (r == 0)
                    out.error = e.what();
            }
        });
    for (auto& t : threads)
        t.join();
    return out;
}

struct Way
{
    const char* name;
    diffusion::Scheme scheme;
    const char* says;                                         ///< so that the way is taken
    double dt_ms = 0.02, faster = 1, across = 1, rest_mV = 0; ///< times the conductivity
};
constexpr Way ways[]{
    {"fvm", diffusion::Scheme::fvm, "were repaired", 0.02, 3, 0.02},
    {"fvm, stages of RKL2", diffusion::Scheme::fvm, "RKL2 stages damp", 0.04, 80},
    {"p1", diffusion::Scheme::p1, "insulating tissue"},
    {"p1, stages of RKL2 at rest", diffusion::Scheme::p1, "RKL2 stages inside", 0.04, 120, 1, 0.02},
};

} // namespace

class TestParts : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;

    fs::path path(const std::string& name) const { return dir_.path().toStdString() + "/" + name; }
    fs::path parts_of(int n) const { return path("bar" + std::to_string(n) + ".parts"); }

    /// Tissue of two models with a hole, regions on regions, and probes of which one is outside.
    Session session(const Way& way) const
    {
        Session s;
        s.name = "bar";
        s.mesh = MeshFile{path("bar.vtu").string(), LengthUnit::mm, {}, {}};
        s.scheme = way.scheme;
        s.dt_ms = way.dt_ms;
        s.rest_tolerance_mV = way.rest_mV;
        s.end_ms = 5;
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {0.1334 * way.faster, 0.0176 * way.faster * way.across,
                                             0.0176 * way.faster * way.across};
        Region other = s.regions[0];
        other.labels = {2};
        other.variant = "endo";
        Region slow;
        slow.model.clear();
        slow.where = Sphere{{4, 2, 2}, 1.5};
        slow.conductivity_scale = {0.5, 0.5, 0.5};
        Region hole;
        hole.model.clear();
        hole.where = Box{{6, 1, 1}, {8, 3, 3}};
        hole.insulating = true;
        s.regions.insert(s.regions.end(), {other, slow, hole});
        s.stimuli = {stimulus("S1", Box{{-1, -1, -1}, {1, 9, 9}}, 0),
                     stimulus("S2", Sphere{{9.2, 3.1, 3.3}, 1e-3}, 1),
                     stimulus("S3", Nodes{{5, 400, 500}}, 2)};
        s.probes = {{"first", {2.1, 1.9, 2.2}}, {"far", {9.4, 3.3, 2.1}}, {"out", {-0.1, 2, 2}}};
        if (way.faster > 10) // much flows away
            for (auto& pulse : s.stimuli)
                pulse.amplitude_pA_per_pF *= 8;
        s.output->probes_every_ms = 0.2;
        return s;
    }
    static Stimulus stimulus(const char* name, StimulusRegion region, double start_ms)
    {
        Stimulus s;
        s.name = name;
        s.region = std::move(region);
        s.start_ms = start_ms;
        s.duration_ms = 1;
        s.amplitude_pA_per_pF = 60;
        return s;
    }
    Session in_parts(Session s, int n) const
    {
        s.mesh = MeshFile{parts_of(n).string(), {}, {}, {}};
        return s;
    }
    RunOptions options(const std::string& out) const
    {
        RunOptions o;
        o.out = path(out);
        o.session_file = "bar.json";
        o.device.devices = device::Devices("cpu");
        o.device.threads = 1;
        return o;
    }
    bool same(const std::string& a, const std::string& b) const
    {
        for (const char* f : {"activation.csv", "probes.csv"})
            if (content(path(a) / f).size() < 200 || content(path(a) / f) != content(path(b) / f)) {
                qWarning("%s differs", f);
                return false;
            }
        return true;
    }

  private Q_SLOTS:
    void initTestCase()
    {
        auto m = mesh::uneven_bar(12, 4, 0.8);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            m.region[t] = m.centroid(t)[0] > 8.8 ? 3 : m.centroid(t)[1] > 2 ? 2 : 1;
        mesh::io::write(m, path("bar.vtu"));
        m = mesh::io::read(path("bar.vtu"), LengthUnit::mm).mesh;
        const auto neighbours = mesh::face_neighbours(m);
        const auto surface = mesh::surface(m, neighbours);
        const auto f = torso_frame(m, surface);
        const mesh::parallel::Body body{f.origin_mm, f.left, f.posterior, f.superior, f.scale};
        for (const int n : {3, 8})
            mesh::parallel::write_parts(m, neighbours, surface, mesh::parallel::cut(m, n), "bar",
                                        body, parts_of(n));
    }

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

QTEST_GUILESS_MAIN(TestParts)
#include "test_parts.moc"
