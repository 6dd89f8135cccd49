// SPDX-License-Identifier: GPL-3.0-or-later
// When re-entry is said, of tissue that is computed: of a wave that has turned once and more, and
// of no wave that passes scars, an isthmus, or the cavities and valves of a heart.
#include "engine/device/stepper.hpp"
#include "engine/simulation/observe/phase_watch.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

using namespace tawara;
using namespace tawara::simulation;

namespace {

constexpr auto delayed = PhasePlane::Kind::delayed, recovery = PhasePlane::Kind::recovery;

Session example(const char* name)
{
    return read_session(std::string(TAWARA_SOURCE_DIR "/resources/sessions/") + name + ".json");
}

/// A thin sheet of cells that recover within some 100 ms.
Session sheet(double size_mm, double spacing_mm = 1)
{
    Session s;
    s.name = "sheet";
    s.mesh = MeshSlab{{size_mm, size_mm, 1}, spacing_mm};
    s.scheme = diffusion::Scheme::p1;
    s.regions[0].model = "aliev_panfilov_1996";
    s.regions[0].conductivity_S_per_m = {0.14, 0.14, 0.14};
    s.regions[0].parameters = {{"t_unit", 4}};
    s.dt_ms = 0.1;
    return s;
}

Stimulus pulses(const Vec3& from, const Vec3& to, double start_ms, long count = 1,
                double period_ms = 0)
{
    Stimulus s;
    s.name = "S";
    s.region = Box{from, to};
    s.start_ms = start_ms;
    s.duration_ms = 3;
    s.amplitude_pA_per_pF = 30;
    s.period_ms = period_ms;
    s.count = count;
    return s;
}

Region over(const Where& where, double conducts, bool insulates)
{
    Region r;
    r.model.clear();
    r.kind = "scar_core";
    r.name = "scar";
    r.where = where;
    r.conductivity_scale = conducts;
    r.insulating = insulates;
    return r;
}

struct Watched
{
    std::vector<double> t_ms;
    std::vector<std::size_t> centres; ///< of each moment
    double first_ms = -1;             ///< since when a centre is seen that stays, to the end
    double said_ms = -1;              ///< when re-entry was said for the first time
    std::size_t unsaid = 0;           ///< moments after that at which it was not said
    double again_ms = -1;             ///< when a place fired more often than there were pulses
    std::vector<int> fired;           ///< how often each vertex rose through -20 mV
    int most_fired() const { return *std::max_element(fired.begin(), fired.end()); }
    std::size_t most_centres() const { return *std::max_element(centres.begin(), centres.end()); }
    std::size_t moments_with() const
    {
        return centres.size() -
               static_cast<std::size_t>(std::count(centres.begin(), centres.end(), std::size_t(0)));
    }
};

/// A run of a p1 session in single precision, as the window has it, looked at each millisecond.
/// @param then  the delay once re-entry was said [ms]
Watched watched(const Session& s, double to_ms, PhasePlane::Kind plane = delayed,
                std::optional<double> then = {})
{
    constexpr float up_mV = -20;
    const auto t = build_tissue(s);
    const auto stepper = device::make_stepper(t.problem, {"cpu", Precision::single, 1});
    for (const auto& stimulus : s.stimuli)
        for (auto& source : sources_of(t, stimulus, "s", "/stimuli"))
            stepper->add_stimulus(std::move(source));
    PhaseWatch watch(t);
    watch.plane({plane, 25});
    watch.silent(silent_tissue(s, t));
    const auto every = std::llround(1 / s.dt_ms);
    std::vector<double> v(t.problem.size());
    std::vector<float> now(v.size(), 0), before;
    long pulses = 0;
    for (const auto& stimulus : s.stimuli)
        pulses += std::max<long>(1, stimulus.count);
    Watched out;
    out.fired.assign(v.size(), 0);
    std::vector<double> fired_ms(v.size(), -analysis::TurnWatch::blind_ms);
    for (;;) {
        before = now;
        stepper->potential(v);
        std::copy(v.begin(), v.end(), now.begin());
        const double at = stepper->time_ms();
        for (std::size_t k = 0; k < v.size() && at > 0; ++k) {
            if (!(before[k] < up_mV && now[k] >= up_mV) ||
                at - fired_ms[k] < analysis::TurnWatch::blind_ms)
                continue;
            fired_ms[k] = at;
            if (++out.fired[k] > pulses && out.again_ms < 0)
                out.again_ms = at;
        }
        std::vector<float> second;
        if (plane == recovery)
            for (const double r : recovery_now(t.problem, *stepper))
                second.push_back(static_cast<float>(r));
        if (const auto f = watch.sample(at, now, second, true)) {
            const auto n = f->singularities->centres();
            out.t_ms.push_back(at);
            out.centres.push_back(n);
            if (n == 0)
                out.first_ms = -1;
            else if (out.first_ms < 0)
                out.first_ms = at;
            if (out.said_ms >= 0 && f->singularities->turned == 0)
                ++out.unsaid;
            if (f->singularities->turned > 0 && out.said_ms < 0) {
                out.said_ms = at;
                if (then)
                    watch.plane({plane, *then});
            }
        }
        if (at >= to_ms)
            return out;
        stepper->advance(every);
    }
}

void tell(const Watched& w)
{
    qInfo("centres: %zu at most, in %zu of %zu moments; stay from %.0f ms; fired again at %.0f ms; "
          "said at %.0f ms; a place fired %d times",
          w.most_centres(), w.moments_with(), w.t_ms.size(), w.first_ms, w.again_ms, w.said_ms,
          w.most_fired());
}

} // namespace

class TestReentrySaid : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void aRotorIsSaidWithinTwoTurns_data()
    {
        QTest::addColumn<bool>("byRecovery");
        QTest::newRow("V and V before") << false;
        QTest::newRow("V and recovery") << true;
    }
    /// S2 in half of a sheet, in the tail of S1: a rotor that turns once in some 160 ms.
    void aRotorIsSaidWithinTwoTurns()
    {
        QFETCH(bool, byRecovery);
        auto s = sheet(60);
        s.stimuli = {pulses({0, 0, 0}, {3, 60, 1}, 0), pulses({0, 0, 0}, {60, 30, 1}, 210)};
        const auto w = watched(s, 700, byRecovery ? recovery : delayed);
        tell(w);
        constexpr double turn_ms = 160;
        QVERIFY(w.first_ms > 205 && w.first_ms < 320);
        QVERIFY(w.said_ms > w.again_ms && w.again_ms > 0); // it has come back
        QVERIFY(w.said_ms < w.first_ms + 1.5 * turn_ms);
    }

    /// What has been said stays true in another plane.
    void anotherPlaneForgetsNothing()
    {
        auto s = sheet(60);
        s.stimuli = {pulses({0, 0, 0}, {3, 60, 1}, 0), pulses({0, 0, 0}, {60, 30, 1}, 210)};
        const auto w = watched(s, 520, delayed, 20);
        tell(w);
        QVERIFY(w.said_ms > 0 && w.said_ms < 500);
        QCOMPARE(w.unsaid, std::size_t{0});
    }

    /// The same in a sheet in which the wave's end runs out at a side before it comes back.
    void aCurlThatRunsOutIsNone()
    {
        auto s = sheet(13);
        s.stimuli = {pulses({0, 0, 0}, {3, 13, 1}, 0), pulses({0, 0, 0}, {13, 6.5, 1}, 150)};
        const auto w = watched(s, 450);
        tell(w);
        QVERIFY(w.moments_with() > 40); // else this tells nothing
        QCOMPARE(w.most_fired(), 2);
        QCOMPARE(w.said_ms, -1.0);
    }

    void wavesThatMeetBehindAScar_data()
    {
        QTest::addColumn<bool>("insulates");
        QTest::addColumn<bool>("bothSides");
        for (const bool insulates : {false, true})
            for (const bool both : {false, true})
                QTest::addRow("%s, from %s", insulates ? "an insulator" : "weakly conducting",
                              both ? "both sides" : "the left")
                    << insulates << both;
    }
    /// A train past a scar that lies nearer to one side of the sheet: one wave comes around later.
    void wavesThatMeetBehindAScar()
    {
        QFETCH(bool, insulates);
        QFETCH(bool, bothSides);
        auto s = sheet(40);
        s.regions.push_back(over(Sphere{{22, 16, 0.5}, 8}, insulates ? 1 : 0.001, insulates));
        constexpr long beats = 3;
        s.stimuli = {pulses({0, 0, 0}, {3, 40, 1}, 0, beats, 260)};
        if (bothSides)
            s.stimuli.push_back(pulses({37, 0, 0}, {40, 40, 1}, 12, beats, 260));
        const auto w = watched(s, 780);
        tell(w);
        QCOMPARE(w.most_fired(), static_cast<int>(beats));
        QCOMPARE(w.most_centres(), std::size_t(0));
        QCOMPARE(w.said_ms, -1.0);
    }

    /// Two insulators with 1 mm between them.
    void aWaveThroughAnIsthmus_data()
    {
        QTest::addColumn<bool>("fromSideToSide");
        QTest::newRow("the one way there is") << true;
        QTest::newRow("one of three ways") << false;
    }
    void aWaveThroughAnIsthmus()
    {
        QFETCH(bool, fromSideToSide);
        auto s = sheet(24, 0.5);
        const double rim = fromSideToSide ? 0 : 4;
        s.regions.push_back(over(Box{{9, rim, 0}, {14, 11.5, 1}}, 1, true));
        s.regions.push_back(over(Box{{9, 12.5, 0}, {14, 24 - rim, 1}}, 1, true));
        constexpr long beats = 2;
        s.stimuli = {pulses({0, 0, 0}, {3, 24, 1}, 0, beats, 260)};
        const auto w = watched(s, 520);
        tell(w);
        QCOMPARE(w.fired.back(), static_cast<int>(beats)); // it came through
        QCOMPARE(w.most_fired(), static_cast<int>(beats));
        QCOMPARE(w.most_centres(), std::size_t(0));
        QCOMPARE(w.said_ms, -1.0);
    }

    /// Around the cavities, and around the valves' ring.
    void aBeatOfAHeart_data()
    {
        QTest::addColumn<bool>("fromTheBase");
        QTest::newRow("from the apex") << false;
        QTest::newRow("from a place at the valves") << true;
    }
    void aBeatOfAHeart()
    {
        QFETCH(bool, fromTheBase);
        auto s = example("reentry_around_scar");
        s.regions.resize(1);
        s.stimuli.resize(1);
        s.stimuli[0].count = 2;
        s.stimuli[0].period_ms = 350;
        if (fromTheBase)
            s.stimuli[0].region = Sphere{{28, 0, 0}, 8};
        const auto w = watched(s, 700);
        tell(w);
        QCOMPARE(w.most_fired(), 2);
        QCOMPARE(w.said_ms, -1.0);
    }
    void theNormalBeat()
    {
        auto s = example("bundle_activation"); // the same from the bundles' ends
        QVERIFY(s.scheme == diffusion::Scheme::p1);
        const auto w = watched(s, 450);
        tell(w);
        QCOMPARE(w.most_fired(), 1);
        QCOMPARE(w.said_ms, -1.0);
    }

    /// In the example the wave turns through the isthmus, which conducts half as well, once in some
    /// 285 ms from S2 (275 ms) on.
    void theExampleIsSaidWithinTwoTurns()
    {
        const auto w = watched(example("reentry_around_scar"), 900);
        tell(w);
        constexpr double s2_ms = 275, turn_ms = 285;
        QVERIFY(w.first_ms > s2_ms);
        QVERIFY(w.said_ms > w.again_ms && w.again_ms > s2_ms);
        QVERIFY(w.said_ms < w.first_ms + 1.5 * turn_ms);
    }
};

QTEST_GUILESS_MAIN(TestReentrySaid)
#include "test_reentry_said.moc"
