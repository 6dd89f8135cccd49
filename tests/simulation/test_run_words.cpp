// SPDX-License-Identifier: GPL-3.0-or-later
// What a run says at its end, and where it goes on.
#include "engine/core/error.hpp"
#include "engine/simulation/results/run_notices.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/several.hpp"
#include "tests/simulation/fault_runs.hpp"

#include <QtTest>
#include <limits>
#include <vector>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

class TestRunWords : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// A pulse that excited nothing is told from a conductivity that carried its current away.
    void whatKeptAPulseFromExciting()
    {
        auto s = slab_session(20);
        const auto said = [&] {
            const auto notices = what_pulses_did(s, {}, false, s.end_ms);
            return notices.size() == 1 ? notices[0].text : std::string();
        };
        QVERIFY2(said().find("raise it or enlarge its region") != std::string::npos,
                 said().c_str());
        s.regions[0].conductivity_S_per_m = {133.4, 17.6, 17.6};
        QVERIFY2(said().find("a conductivity of 133.4 S/m, far above tissue (0.01 to 1 S/m), "
                             "may carry its current away; else raise it") != std::string::npos,
                 said().c_str());
    }

    void wavesFasterThanAnyHearts()
    {
        auto s = slab_session();
        const auto tissue_of = [&s](const Vec3& size_mm) {
            s.mesh = MeshSlab{size_mm, 2};
            return build_tissue(s);
        };
        const auto rod = tissue_of({20, 4, 4});
        const auto moved = [](const Tissue& t, std::size_t axis, double ms_per_mm) {
            std::vector<double> at;
            for (const auto& p : t.problem.position_mm)
                at.push_back(3 + ms_per_mm * p[axis]);
            return at;
        };
        const auto said = where_waves_are_too_fast(rod, moved(rod, 0, 0.1 / 20));
        QCOMPARE(said.size(), std::size_t(1));
        QVERIFY2(said[0].text.find(" mm from end to end, was so within ") != std::string::npos,
                 said[0].text.c_str());
        QVERIFY(where_waves_are_too_fast(rod, moved(rod, 0, 0)).size() == 1); // all at once
        QVERIFY(where_waves_are_too_fast(rod, moved(rod, 0, 1 / 19.0)).size() == 1);
        QVERIFY(where_waves_are_too_fast(rod, moved(rod, 0, 1 / 8.0)).empty());
        const double none = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(where_waves_are_too_fast(rod, std::vector(rod.problem.size(), none)).empty());
        // of what is so small, a pulse excites all
        const auto small = tissue_of({2, 2, 2});
        QVERIFY(where_waves_are_too_fast(small, moved(small, 0, 0)).empty());
        // a wall of which one side was paced as a whole: the wave goes 4 mm in 7 ms
        const auto wall = tissue_of({60, 60, 4});
        QVERIFY(where_waves_are_too_fast(wall, moved(wall, 2, 1 / 0.6)).empty());
    }

    /// What is no UTF-8, or goes on behind a byte 0, is told before anything is computed.
    void textsThatAreNoSession()
    {
        const auto text = to_json(slab_session());
        const auto refused = [](const std::string& json, const std::vector<std::string>& set) {
            try {
                parse_session(json, "s.json", set);
            } catch (const InputError& e) {
                return std::string(e.what());
            }
            return std::string();
        };
        QCOMPARE(refused(text, {"name=b\xc3\xa4r"}), std::string());
        QVERIFY(refused(text, {"name=b\xff"}).find("is not UTF-8") != std::string::npos);
        QVERIFY(refused(text + '\0' + " {{{", {}).find(": holds a byte 0") != std::string::npos);
    }

    /// What stands in the way of an output is told before the results that are there are touched.
    void whatStandsInTheWay_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("says");
        QTest::newRow("a folder") << "probes.csv"
                                  << "is a folder, and the run writes a file";
        QTest::newRow("a file") << "frames"
                                << "is no folder, and the run writes its frames";
        QTest::newRow("a link") << "frames -> elsewhere"
                                << "is a symbolic link; results";
    }
    void whatStandsInTheWay()
    {
        QFETCH(QString, name);
        QFETCH(QString, says);
        Runs r;
        auto s = slab_session(2);
        s.output->frames = FrameFormat::vtu;
        s.output->frames_every_ms = 0.5;
        run_session(s, r.o);
        const auto before = content(r.o.out / "activation.csv");
        const auto at = r.o.out / name.section(' ', 0, 0).toStdString();
        fs::remove_all(at);
        if (name == "probes.csv")
            fs::create_directory(at);
        else if (name == "frames")
            fs::copy_file(r.o.out / "beats.csv", at);
        else
            fs::create_directory_symlink(r.o.out / "..", at);
        const auto report = content(r.o.out / "report.json");
        s.output->probes_every_ms = 1; // other results
        try {
            run_session(s, r.o);
            QFAIL("nothing stood in the way");
        } catch (const InputError& e) {
            QVERIFY2(std::string(e.what()).find(says.toStdString()) != std::string::npos, e.what());
        }
        QCOMPARE(content(r.o.out / "report.json"), report);
        QCOMPARE(content(r.o.out / "activation.csv"), before);
    }

    /// Frames of a run that was killed before it could list them are its own.
    void framesOfAKilledRun()
    {
        Runs r;
        auto s = slab_session(2);
        s.output->frames = FrameFormat::vtu;
        s.output->frames_every_ms = 0.5;
        run_session(s, r.o);
        const auto killed = [&] {
            for (const char* file : {"report.json", "frames.pvd", "probes.csv", "activation.csv",
                                     "activation.vtu", "beats.csv"})
                QVERIFY(fs::remove(r.o.out / file));
        };
        const auto speaks = [&] { return r.was_said("no report.json lists them: frames/"); };
        killed();
        r.said.clear();
        r.o.resume = r.o.out / checkpoint_name(1);
        run_session(s, r.o);
        QVERIFY(!speaks());
        killed();
        const auto elsewhere = r.o.out / ".." / checkpoint_name(1);
        fs::copy_file(r.o.resume, elsewhere);
        r.o.resume = elsewhere;
        run_session(s, r.o);
        QVERIFY(speaks()); // of a run in another folder, though there are checkpoints here
        killed();
        r.said.clear();
        for (const auto& entry : fs::directory_iterator(r.o.out))
            if (entry.path().extension() == ".tcp")
                fs::remove(entry.path());
        r.o.resume.clear();
        run_session(s, r.o);
        QVERIFY(speaks()); // nothing tells whose they are
    }
};
static const tawara::test::Further<TestRunWords> further;
#include "test_run_words.moc"
