// SPDX-License-Identifier: GPL-3.0-or-later
// What a run says at its end, and where it goes on.
#include "engine/mesh/check.hpp"
#include "engine/simulation/results/run_notices.hpp"
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
                             "carries its current away") != std::string::npos,
                 said().c_str());
        QVERIFY(said().find("raise it") == std::string::npos);
    }

    void wavesFasterThanAnyHearts()
    {
        const auto m = mesh::slab({20, 4, 4}, 2);
        const auto within = [&](double ms) {
            std::vector<double> at(m.vertex_count());
            for (std::size_t v = 0; v < at.size(); ++v)
                at[v] = 3 + ms * m.x[v] / 20;
            return where_waves_are_too_fast(m, at);
        };
        const auto said = within(0.1);
        QCOMPARE(said.size(), std::size_t(1));
        QVERIFY2(said[0].text.find("20.8 mm from end to end, was so within 0.1 ms") !=
                     std::string::npos,
                 said[0].text.c_str());
        QVERIFY(within(1).size() == 1); // 20.8 m/s
        QVERIFY(within(1.1).empty());
        const double none = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(where_waves_are_too_fast(m, std::vector<double>(m.vertex_count(), none)).empty());
        QVERIFY(where_waves_are_too_fast(m, {}).empty());
        // of what is so small, a pulse excites all
        const auto small = mesh::slab({2, 2, 2}, 1);
        QVERIFY(where_waves_are_too_fast(small, std::vector<double>(small.vertex_count(), 1.0))
                    .empty());
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
