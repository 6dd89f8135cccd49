// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions that the command line makes around a mesh, with what the user says of it.
#include "engine/cli/cli.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/generator/heart.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/tissue/mesh_session.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QtTest>

#include <fstream>
#include <sstream>

using namespace tawara;

class TestMeshSession : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;

    struct Result
    {
        int status;
        QString out, err;
    };
    static Result run(const std::vector<std::string>& args)
    {
        std::ostringstream out, err;
        const int status = cli::run(args, {out, err, {}, false});
        return {status, QString::fromStdString(out.str()), QString::fromStdString(err.str())};
    }
    std::string path(const char* name) const { return dir.filePath(name).toStdString(); }

  private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", dir.path().toUtf8());
        auto m = mesh::slab({20, 7, 3}, 1);
        mesh::io::write(m, path("slab.pts"));
        std::ofstream lon(path("across.lon"));
        lon << "1\n";
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            lon << "0 1 0\n";
    }
    /// Fibres by rule take angles; by those of a generated heart they are that heart's.
    void anglesOfFibresAreTaken()
    {
        mesh::generator::HeartParameters p;
        p.shape = mesh::generator::HeartShape::lv;
        p.edge_mm = 4;
        p.helix_endo_deg = 80;
        p.helix_epi_deg = -25;
        const auto heart = mesh::generator::generate_heart(p);
        auto bare = heart;
        bare.fibre = bare.sheet = bare.normal = {};
        mesh::io::write(bare, path("bare.vtu"));
        const auto alike = [&](const std::string& session) { // mean |cosine|
            Notices notices;
            const auto m = simulation::load_mesh(simulation::read_session(session), notices).mesh;
            double sum = 0;
            for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
                sum += std::abs(dot(m.fibre[t], heart.fibre[t]));
            return sum / static_cast<double>(m.tetrahedron_count());
        };
        auto r = run(
            {"session", path("a.json"), "--mesh", path("bare.vtu"), "--fibre-angles", "80,-25"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        QVERIFY2(r.err.contains("by rule (helix +80 to -25 degrees"), qPrintable(r.err));
        const auto s = simulation::read_session(path("a.json"));
        QVERIFY((std::get<simulation::MeshFile>(s.mesh).rule ==
                 mesh::generator::FibreRules{80, -25, -65, 25}));
        r = run({"session", path("b.json"), "--mesh", path("bare.vtu")});
        QVERIFY2(r.err.contains("by rule (helix +60 to -60 degrees"), qPrintable(r.err));
        const double own = alike(path("a.json")), usual = alike(path("b.json"));
        QVERIFY2(own > 0.99 && usual < 0.97, qPrintable(QString("%1 %2").arg(own).arg(usual)));
        r = run(
            {"mesh", "convert", path("bare.vtu"), path("turned.vtu"), "--fibre-angles", "80,-25"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        const auto turned = mesh::io::read(path("turned.vtu"), LengthUnit::mm).mesh;
        QVERIFY(std::abs(dot(turned.fibre[5], heart.fibre[5])) > 0.99);
    }
    void anglesThatCannotBeAreRefused()
    {
        for (const char* bad : {"80", "80,", "80,-25,3", "100,0", "a,b"}) {
            const auto r = run({"session", path("c.json"), "--mesh", path("slab.pts"),
                                std::string("--fibre-angles=") + bad});
            QCOMPARE(r.status, 2);
            QVERIFY2(r.err.contains("two helix angles from -90 to 90"), qPrintable(r.err));
        }
        const auto r = run({"session", path("c.json"), "--mesh", path("slab.pts"), "--fibres",
                            path("across.lon"), "--fibre-angles", "60,-60"});
        QVERIFY2(r.status == 2 && r.err.contains("give one of them"), qPrintable(r.err));
        const auto read = [](const std::string& mesh) {
            simulation::parse_session(R"({"schema": 1, "mesh": )" + mesh +
                                          R"(, "tissue": {"regions": [{"label": "*",
                "model": "ten_tusscher_2006", "conductivity_S_per_m":
                {"fibre": 0.1, "sheet": 0.1, "normal": 0.1}}]}, "time": {"dt_ms": 0.02,
                "end_ms": 1}})",
                                      "s.json");
        };
        read(R"({"file": "a.vtu", "fibres": "rule-based", "fibre_rule": {"helix_endo_deg": 70}})");
        for (const char* mesh :
             {R"({"file": "a.vtu", "fibres": "f.lon", "fibre_rule": {"helix_endo_deg": 70}})",
              R"({"file": "a.vtu", "fibres": "rule-based", "fibre_rule": {"helix_endo_deg": 91}})",
              R"({"file": "a.vtu", "fibres": "rule-based", "fibre_rule": {"helix": 60}})"})
            QVERIFY_THROWS_EXCEPTION(InputError, read(mesh));
    }
    void fibresModelAndUnitAreTaken()
    {
        auto r = run({"session", path("own.json"), "--mesh", path("slab.pts"), "--fibres",
                      path("across.lon"), "--model", "luo_rudy_1991", "--length-unit", "um"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        QVERIFY2(r.err.contains("across.lon, one for each tetrahedron"), qPrintable(r.err));
        QVERIFY2(r.err.contains("waves will run at about"), qPrintable(r.err));
        const auto s = simulation::read_session(path("own.json"));
        const auto& file = std::get<simulation::MeshFile>(s.mesh);
        QCOMPARE(file.fibres, std::string("across.lon"));
        QCOMPARE(file.file, std::string("slab.pts"));
        QCOMPARE(s.regions[0].model, std::string("luo_rudy_1991"));
        Notices notices;
        const auto loaded = simulation::load_mesh(s, notices);
        QVERIFY(std::abs(loaded.mesh.fibre[7][1]) > 0.999);
        QVERIFY(std::any_of(notices.begin(), notices.end(), [](const Notice& n) {
            return n.text.find("across.lon") != std::string::npos;
        }));
    }
    void convertAndInfoTakeFibresToo()
    {
        auto r = run({"mesh", "convert", path("slab.pts"), path("with.vtu"), "--fibres",
                      path("across.lon")});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        const auto m = mesh::io::read(path("with.vtu")).mesh;
        QVERIFY(std::abs(m.fibre[3][1]) > 0.999);
        r = run({"mesh", "info", path("slab.pts"), "--fibres", path("none.lon")});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.contains("none.lon") && r.err.contains("missing"), qPrintable(r.err));
        QVERIFY(QDir(dir.path()).mkdir("folder.lon"));
        r = run({"mesh", "info", path("slab.pts"), "--fibres", path("folder.lon")});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.contains("folder.lon: is a folder; name a file"), qPrintable(r.err));
    }
    /// Models that the usual step is too long for, and one that the mesh is coarse for.
    void schemeAndStepSuitTheModel()
    {
        const auto made = [&](const std::string& model) {
            const auto r = run({"session", path("fit.json"), "--force", "--mesh", path("slab.pts"),
                                "--model", model});
            return r.status == 0 ? r.err : QString("failed: ") + r.err;
        };
        for (const char* model :
             {"grandi_bers_2010", "greenstein_2006", "ohara_rudy_2011_tissue"}) {
            simulation::MeshChoice choice{path("slab.pts")};
            choice.model = model;
            choice.tune = false; // takes these a minute
            const auto s = simulation::session_for_mesh(choice);
            const auto info = cell::model_info(model);
            QVERIFY2(cell::largest_step(info, s.reaction) >= s.dt_ms, model);
        }
        // conductivities of tissue would let its waves stop across the fibres
        const auto said = made("luo_rudy_1991");
        QVERIFY2(said.contains("were found for waves of 0.6, 0.3, 0.2 m/s"), qPrintable(said));
        QVERIFY2(said.contains("waves will run at about 0.60, 0.30 and 0.20 m/s"),
                 qPrintable(said));
    }
    /// --velocity: conductivities are found, for a mesh and for the built-in heart.
    void velocitiesAreTaken()
    {
        auto r = run({"session", path("v.json"), "--mesh", path("slab.pts"), "--velocity", "0.5"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        QVERIFY2(r.err.contains("were found for waves of 0.5, 0.5, 0.5 m/s"), qPrintable(r.err));
        auto s = simulation::read_session(path("v.json"));
        QVERIFY((s.regions[0].velocity_m_per_s == simulation::ConductionVelocity{0.5, 0.5, 0.5}));
        r = run({"session", path("own.json"), "--force", "--velocity", "0.6,0.3,0.2"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        s = simulation::read_session(path("own.json"));
        QVERIFY(s.regions[2].velocity_m_per_s == simulation::ConductionVelocity{});
        // by --set, the key that excludes it is to be taken out
        r = run(
            {"run", path("v.json"), "--set", "tissue.regions.0.conductivity_S_per_m.fibre=0.1"});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.contains("has both \"conductivity_S_per_m\" and \"velocity_m_per_s\"") &&
                     r.err.contains("leave out by --set tissue.regions.0.velocity_m_per_s=null"),
                 qPrintable(r.err));
        for (const char* bad : {"0", "0.6,0.3", "0.6,0.3,0.2,0.1", "fast", "0.6,,0.2", "9"}) {
            r = run({"session", path("w.json"), "--mesh", path("slab.pts"), "--velocity", bad});
            QCOMPARE(r.status, 2);
            QVERIFY2(r.err.contains("--velocity: is '") && r.err.contains("from 0.05 to 5 m/s"),
                     qPrintable(r.err));
        }
        r = run({"session", path("w.json"), "--mesh", path("slab.pts"), "--velocity", "5"});
        QCOMPARE(r.status, 2);
        QVERIFY2(
            r.err.contains("--velocity: 5 m/s along the fibres cannot be reached on this mesh"),
            qPrintable(r.err));
        QVERIFY(!QFile::exists(dir.filePath("w.json")));
    }
    /// Slow, low waves: the usual site is too small for them, and the usual threshold too high.
    void pacingSuitsTheModel()
    {
        auto r = run({"session", path("slow.json"), "--mesh", path("slab.pts"), "--model",
                      "fitzhugh_nagumo_1994", "--length-unit", "mm", "--end", "60"});
        QVERIFY2(r.status == 0 && r.err.contains("waves of this model reach no more than"),
                 qPrintable(r.err));
        const auto s = simulation::read_session(path("slow.json"));
        const double radius = std::get<simulation::Sphere>(s.stimuli[0].region).radius;
        QVERIFY2(s.activation_threshold_mV < -30 && radius > 2,
                 qPrintable(QString::number(radius)));
        const auto run_to = [&](const std::string& end_ms) {
            r = run({"run", path("slow.json"), "--out", path("slow"), "--devices", "cpu", "--set",
                     "time.end_ms=" + end_ms, "--json"});
            const auto report = QJsonDocument::fromJson(r.out.toUtf8()).object();
            return report["activated"].toInt();
        };
        const int paced = run_to("3"), later = run_to("60");
        QVERIFY2(paced > 0 && later > paced + paced / 2,
                 qPrintable(QString("%1, then %2").arg(paced).arg(later)));
    }
    void wrongChoicesAreRefused_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("says");
        QTest::newRow("unit") << QStringList{"--length-unit", "inch"} << "um, mm, cm or m";
        QTest::newRow("fibres") << QStringList{"--fibres", "nowhere.lon"} << "nowhere.lon";
        QTest::newRow("model") << QStringList{"--model", "luo"} << "luo_rudy_1991";
    }
    void wrongChoicesAreRefused()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, says);
        std::vector<std::string> args{"session", path("no.json"), "--mesh", path("slab.pts")};
        for (const auto& o : options)
            args.push_back(o.toStdString());
        auto r = run(args);
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.contains(says), qPrintable(r.err));
        QVERIFY(!QFile::exists(dir.filePath("no.json")));
        args.erase(args.begin() + 2, args.begin() + 4); // of no mesh
        r = run(args);
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.contains("--mesh"), qPrintable(r.err));
    }
};

QTEST_GUILESS_MAIN(TestMeshSession)
#include "test_mesh_session.moc"
