// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/activation_tracker.hpp"
#include "engine/analysis/beats.hpp"
#include "engine/analysis/lead_field.hpp"
#include "engine/analysis/phase.hpp"
#include "engine/analysis/velocity.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/topology.hpp"

#include <Eigen/Dense>
#include <QtTest>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

using namespace tawara;
using namespace tawara::analysis;

namespace {

/// V of beats every `cycle` ms: up within a millisecond, flat for `apd`, down within 40 ms.
double beat_mV(double t, double cycle, double apd)
{
    if (t < 0)
        return -85;
    const double s = std::fmod(t, cycle);
    if (s < 1)
        return -85 + 115 * s;
    if (s < apd)
        return 30;
    return std::max(-85.0, 30 - (s - apd) / 40 * 115);
}

/// A rigidly turning spiral about the z axis through (x0, y0): V and V a little earlier.
void spiral(const mesh::TetMesh& m, double x0, double y0, int sense, double turned,
            std::vector<float>& now, std::vector<float>& before)
{
    now.resize(m.vertex_count());
    before.resize(m.vertex_count());
    for (std::size_t v = 0; v < m.vertex_count(); ++v) {
        const Vec3 p = m.vertex(v);
        const double r = std::hypot(p[0] - x0, p[1] - y0);
        const double a = sense * std::atan2(p[1] - y0, p[0] - x0) - 0.2 * r;
        const double rise = std::min(1.0, r / 3); // the core does not fire
        now[v] = static_cast<float>(-30 + 50 * rise * std::cos(turned - a));
        before[v] = static_cast<float>(-30 + 50 * rise * std::cos(turned - 0.7 - a));
    }
}

} // namespace

class TestAnalysis : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void trackerFollowsBeats()
    {
        ActivationTracker tracker(3, 0);
        std::vector<float> v(3);
        for (double t = 0; t <= 1300; t += 1) {
            v[0] = static_cast<float>(beat_mV(t - 10.25, 400, 200));
            v[1] = static_cast<float>(beat_mV(t - 50, 400, 150));
            v[2] = -85;
            tracker.sample(t, v);
        }
        QCOMPARE(tracker.count[0], 4);
        QCOMPARE(tracker.count[2], 0);
        QCOMPARE(tracker.beats().size(), std::size_t(4));
        QCOMPARE(tracker.beats()[3].number, 4);
        const auto newest = tracker.times(4), before = tracker.times(3);
        QVERIFY(std::isnan(newest.activation[2]) && std::isnan(newest.period[2]));
        const float at = 1210.25F + 85.0F / 115.0F;
        QVERIFY(std::abs(newest.activation[0] - at) < 0.5F);
        QVERIFY(std::abs(newest.period[0] - 400) < 0.5F);
        QVERIFY(std::isnan(newest.repolarisation[0])); // 1300: the newest beat has not ended
        const auto apd = [&](std::size_t i) {
            return before.repolarisation[i] - before.activation[i];
        };
        QVERIFY(std::abs(apd(0) - (200 + 36 - 0.74F)) < 1);
        QVERIFY(std::abs(apd(1) - (150 + 36 - 0.74F)) < 1);
        tracker.sample(1300, v); // the same time again
        QCOMPARE(tracker.count[0], 4);
        tracker.sample(5, v); // an earlier time: the run was set back
        QCOMPARE(tracker.count[0], 0);
    }

    /// A wave over ten places, then one place alone, then another wave before the first of them
    /// has ended everywhere.
    void beatsBeginAfterSilence()
    {
        constexpr std::size_t n = 10;
        ActivationTracker tracker(n, 0);
        std::vector<float> v(n);
        const auto pulse = [](double t) { return t < 0 || t > 230 ? -85.0F : 15.0F; };
        for (double t = 0; t <= 1000; t += 1) {
            for (std::size_t i = 0; i < n; ++i) {
                const double wave = 6.0 * static_cast<double>(i);
                v[i] = std::max({pulse(t - 10 - wave), i == 9 ? pulse(t - 420) : -85.0F,
                                 pulse(t - 610 - wave)});
            }
            tracker.sample(t, v);
        }
        QCOMPARE(tracker.beats().size(), std::size_t(3));
        const auto &first = tracker.beats()[0], &local = tracker.beats()[1],
                   &last = tracker.beats()[2];
        QCOMPARE(first.places, n);
        QCOMPARE(first.turns, std::size_t(0));
        QVERIFY(first.from_ms > 9 && first.from_ms <= 10 && first.last_ms > first.from_ms + 50);
        QCOMPARE(local.places, std::size_t(1));
        const auto patch = tracker.times(2);
        for (std::size_t i = 0; i < n; ++i) { // every map of it is of the same places
            QCOMPARE(std::isnan(patch.activation[i]), i != 9);
            QCOMPARE(std::isnan(patch.repolarisation[i]), i != 9);
            QCOMPARE(std::isnan(patch.period[i]), i != 9);
        }
        QVERIFY(patch.repolarisation[9] > 645 &&
                patch.repolarisation[9] < 655); // after `last` began
        QVERIFY(last.from_ms > 609 && last.from_ms <= 610);
        QVERIFY(std::abs(tracker.times(3).period[0] - 600) < 1);
    }

    /// Re-entry: some place is activated at any time.
    void reentryIsOneBeat()
    {
        constexpr std::size_t n = 20;
        ActivationTracker tracker(n, 0);
        std::vector<float> v(n);
        for (double t = 0; t <= 1500; t += 1) {
            for (std::size_t i = 0; i < n; ++i) {
                const double at = t - 10 - 12.0 * static_cast<double>(i);
                v[i] = at < 0 || std::fmod(at, 240) > 130 ? -85.0F : 15.0F;
            }
            tracker.sample(t, v);
        }
        QCOMPARE(tracker.beats().size(), std::size_t(1));
        const auto& b = tracker.beats()[0];
        QCOMPARE(b.places, n);
        QVERIFY(b.turns > 4 * n);
        const auto times = tracker.times(1);
        for (std::size_t i = 0; i < n; ++i)
            QVERIFY(times.activation[i] > 1500 - 242 && std::abs(times.period[i] - 240) < 1);
    }

    /// The same while samples were lost: one beat still, whose places show no time that is not
    /// known. What is silent after a hole is silent all the same.
    void holesInSamplesAreNoSilence_data()
    {
        QTest::addColumn<int>("until");
        QTest::newRow("longer than silence") << 860;
        QTest::newRow("longer than an action potential") << 1010;
    }
    void holesInSamplesAreNoSilence()
    {
        QFETCH(int, until);
        constexpr std::size_t n = 20;
        ActivationTracker tracker(n, 0);
        std::vector<float> v(n);
        const auto sample = [&](double t) {
            for (std::size_t i = 0; i < n; ++i) {
                const double at = t - 10 - 12.0 * static_cast<double>(i), s = std::fmod(at, 240);
                v[i] = at < 0 || t > 1500 + s ? -85.0F // the turns begun before 1500 are the last
                       : s > 130              ? -85.0F
                                              : 15.0F;
            }
            tracker.sample(t, v);
        };
        for (double t = 0; t <= 1900; t += 1) {
            if (t <= 800 || t >= until)
                sample(t);
            if (t == until) {
                QCOMPARE(tracker.beats().size(), std::size_t(1));
                const auto b = tracker.times(1);
                int unknown = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    unknown += std::isnan(b.activation[i]);
                    QVERIFY(std::isnan(b.activation[i]) || b.activation[i] <= 800);
                    QCOMPARE(std::isnan(b.period[i]),
                             std::isnan(b.activation[i]) || tracker.count[i] == 1);
                }
                QVERIFY(unknown >= 2);
            }
        }
        QCOMPARE(tracker.beats().size(), std::size_t(1));
        QCOMPARE(tracker.beats()[0].places, n);
        for (std::size_t i = 0; i < n; ++i) // turns after the hole are as exact as ever
            QVERIFY(tracker.times(1).activation[i] > 1258 &&
                    std::abs(tracker.times(1).period[i] - 240) < 1);
        std::fill(v.begin(), v.end(), 15.0F);
        tracker.sample(1901, v);
        QCOMPARE(tracker.beats().size(), std::size_t(2));
    }

    /// V falls far below rest for two milliseconds just ahead of each upstroke, as on a coarse
    /// mesh.
    void undershootIsNotRest()
    {
        ActivationTracker tracker(1, 0);
        std::vector<double> t;
        std::vector<float> v;
        for (double x = 0; x < 1200; x += 0.1) {
            const double s = std::fmod(x + 380, 400); // up at 20, 420, 820
            t.push_back(x);
            v.push_back(s >= 398 || s < 0 ? -138.0F : static_cast<float>(beat_mV(s, 400, 200)));
            if (t.size() % 10 == 1)
                tracker.sample(x, std::span(&v.back(), 1));
        }
        const auto beats = find_beats(t, v);
        QCOMPARE(beats.size(), std::size_t(3));
        for (const auto& b : beats) {
            QVERIFY2(std::abs(b.rest_mV + 85) < 0.1, qPrintable(QString::number(b.rest_mV)));
            QVERIFY2(std::abs(b.apd90_ms - 236) < 1.5, qPrintable(QString::number(b.apd90_ms)));
        }
        QCOMPARE(tracker.beats().size(), std::size_t(3));
        for (const auto& b : tracker.beats()) {
            const auto times = tracker.times(b.number);
            const auto apd = times.repolarisation[0] - times.activation[0];
            QVERIFY2(std::abs(apd - 236) < 2.5F, qPrintable(QString::number(double(apd))));
        }
    }

    /// Beside a scar the plateau lies about the threshold and crosses it again; a wave that comes
    /// before the one ahead has repolarised is one of its own.
    void aPlateauAboutTheThresholdIsOneActivation()
    {
        const std::vector<std::pair<double, double>> course = {
            {0, -85},  {10, -85},  {12, 20},   {30, -3},  {60, -3},   {65, 4},
            {200, -5}, {250, -60}, {260, -60}, {262, 10}, {400, -86}, {500, -86}};
        ActivationTracker tracker(1, 0);
        for (std::size_t k = 1; k < course.size(); ++k) {
            const auto [t0, v0] = course[k - 1];
            const auto [t1, v1] = course[k];
            for (double t = t0; t < t1; t += 1) {
                const auto v = static_cast<float>(v0 + (v1 - v0) * (t - t0) / (t1 - t0));
                tracker.sample(t, std::span(&v, 1));
            }
        }
        QCOMPARE(tracker.count[0], 2);
        const auto first = tracker.times(1), second = tracker.times(2);
        QVERIFY(std::abs(first.activation[0] - 11.6F) < 0.1F);
        QVERIFY(std::abs(second.activation[0] - 261.7F) < 0.1F);
        QVERIFY(std::abs(second.period[0] - 250.1F) < 0.1F);
        QVERIFY(std::isnan(first.repolarisation[0]) && second.repolarisation[0] > 380);
    }

    /// However many there are, only so many are kept.
    void oldBeatsAreForgotten()
    {
        ActivationTracker tracker(1, 0);
        double t = 0;
        for (int k = 0; k < 300; ++k) {
            for (const float v : {-85.0F, 15.0F, -85.0F, -85.0F}) {
                tracker.sample(t, std::vector<float>{v});
                t += 30; // less than what counts as silence: nothing hides between two samples
            }
        }
        QCOMPARE(tracker.beats().size(), ActivationTracker::most_beats);
        QCOMPARE(tracker.beats().back().number, 300);
        QCOMPARE(tracker.beats().front().number, 101);
    }

    /// A beat shows the same when it is packed, also at a place whose potential ends after that.
    void packedBeatsAreTheSame()
    {
        constexpr std::size_t n = 500;
        ActivationTracker tracker(n, 0);
        std::vector<float> v(n);
        BeatTimes first;
        for (double t = 0; t <= 2500; t += 1) {
            for (std::size_t i = 0; i < n; ++i) {
                const double at = t - 10 - 0.1237 * static_cast<double>(i);
                v[i] = i == 7 ? (at < 0 || t > 2400 ? -85.0F : 15.0F)
                              : static_cast<float>(i % 5 == 4 ? -85 : beat_mV(at, 400, 200));
            }
            tracker.sample(t, v);
            if (t == 500)
                first = tracker.times(1);
        }
        QCOMPARE(tracker.beats().size(), std::size_t(7));
        QVERIFY(tracker.packed_bytes() > 0 && tracker.packed_bytes() < 4 * n * 12 / 2);
        const auto now = tracker.times(1);
        for (std::size_t i = 0; i < n; ++i) {
            const auto same = [](float a, float b) { return a == b || (a != a && b != b); };
            QVERIFY(same(first.activation[i], now.activation[i]));
            QVERIFY(same(first.period[i], now.period[i]));
            QVERIFY(i == 7 || same(first.repolarisation[i], now.repolarisation[i]));
            QCOMPARE(std::isnan(now.activation[i]), i % 5 == 4);
        }
        QVERIFY(std::isnan(first.repolarisation[7]) && now.repolarisation[7] > 2400);
        for (const float t : {0.0F, -3.5F, 1e-3F, 12345.678F, 130000.1F, 3.6e6F})
            for (const float u : {-1e5F, 7.25F, 3.6e6F}) {
                const std::vector<float> some{PackedTimes::whole(t), std::nanf(""),
                                              PackedTimes::whole(u)};
                const auto back = PackedTimes(some).unpack();
                QCOMPARE(back[0], some[0]);
                QVERIFY(std::isnan(back[1]));
                QCOMPARE(back[2], some[2]);
            }
        QVERIFY(PackedTimes(std::vector<float>()).unpack().empty());
    }

    void beatsOfATrace()
    {
        std::vector<double> t;
        std::vector<float> v;
        for (double x = 0; x < 1500; x += 0.1) {
            t.push_back(x);
            v.push_back(static_cast<float>(x < 700 ? beat_mV(x - 20, 500, 250)
                                                   : beat_mV(x - 820, 500, 200)));
        }
        const auto beats = find_beats(t, v);
        QCOMPARE(beats.size(), std::size_t(4)); // 20, 520 (cut off at 700), 820, 1320
        QVERIFY(std::abs(beats[0].activation_ms - 20.5) < 0.6);
        QVERIFY(std::abs(beats[0].apd90_ms - 285.5) < 1);
        QVERIFY(std::abs(beats[0].apd50_ms - (230 + 40 * 0.5 - 0.5 + 20)) < 1);
        QVERIFY(std::abs(beats[2].apd90_ms - 235.5) < 1);
        QVERIFY(std::abs(beats[0].upstroke_mV_per_ms - 115) < 2);
        QVERIFY(std::abs(beats[0].peak_mV - beats[0].rest_mV - 115) < 0.1);
        QVERIFY(find_beats(t, std::vector<float>(t.size(), -85)).empty());
        std::vector<float> end; // of a beat: the probe came on its plateau
        for (const double ms : t)
            end.push_back(
                static_cast<float>(ms < t.front() + 100 ? 20 - 0.1 * (ms - t.front()) : -85));
        QVERIFY(find_beats(t, end).empty());
    }

    /// Right after a strong pulse V may fall below the middle of its span and rise again: one beat.
    void aNotchIsNoBeat()
    {
        std::vector<double> t;
        std::vector<float> v;
        for (double x = 0; x < 400; x += 0.1) {
            t.push_back(x);
            v.push_back(static_cast<float>(beat_mV(x - 20, 1000, 250)));
            if (x > 40 && x < 60)
                v.back() = -30; // the span is -85 to 30 mV: below its middle
        }
        QCOMPARE(find_beats(t, v).size(), std::size_t(1));
        for (std::size_t k = 0; k < t.size(); ++k)
            if (t[k] > 40 && t[k] < 60)
                v[k] = -70; // nearly at rest: another beat
        QCOMPARE(find_beats(t, v).size(), std::size_t(2));
    }

    /// Between vertices V is a mean of places that fire one after the other: activation is the mean
    /// of their times, and not that of the one which happens to be the steepest.
    void betweenVerticesActivationIsTheMean()
    {
        std::vector<double> t;
        std::vector<float> v, one;
        for (double x = 0; x < 400; x += 0.01) {
            t.push_back(x);
            const auto at = [x](double first) {
                return -85 + 115 / (1 + std::exp((first - x) / 0.1)) -
                       115 / (1 + std::exp((first + 250 - x) / 8));
            };
            v.push_back(static_cast<float>(0.52 * at(20) + 0.48 * at(21.6)));
            one.push_back(static_cast<float>(at(20)));
        }
        const auto place = find_beats(t, one), between = find_beats(t, v);
        QCOMPARE(between.size(), std::size_t(1));
        const double later = between[0].activation_ms - place[0].activation_ms;
        QVERIFY2(std::abs(later - 0.48 * 1.6) < 0.03, qPrintable(QString::number(later)));
        QVERIFY(between[0].upstroke_mV_per_ms < 0.55 * place[0].upstroke_mV_per_ms);
        QVERIFY(std::abs(between[0].apd90_ms - place[0].apd90_ms) < 0.3);
        // near one place it is that one's; a strong pulse upon the plateau is no step
        for (std::size_t k = 0; k < t.size(); ++k) {
            const auto at = [&](double first) {
                return -85 + 115 / (1 + std::exp((first - t[k]) / 0.1));
            };
            v[k] = static_cast<float>(0.8 * at(20) + 0.2 * at(21.6));
            const double pulse = std::clamp((t[k] - 24) / 0.5, 0.0, 1.0);
            one[k] += static_cast<float>(100 * pulse * std::exp(-std::max(0.0, t[k] - 24.5)));
        }
        const auto near = find_beats(t, v), pulsed = find_beats(t, one);
        QVERIFY(std::abs(near[0].activation_ms - place[0].activation_ms) < 0.03);
        QVERIFY2(std::abs(pulsed[0].activation_ms - place[0].activation_ms) < 0.03,
                 qPrintable(QString::number(pulsed[0].activation_ms)));
    }

    /// A pulse that meets the plateau is neither its upstroke nor its peak, however steep and high;
    /// nor does one that lifts V to 300 mV hide the beats.
    void aPulseOnThePlateauIsNoUpstroke()
    {
        for (const double height : {60., 300.})
            for (const double at : {36., 150.}) {
                std::vector<double> t;
                std::vector<float> v;
                for (double x = 0; x < 1000; x += 0.1) {
                    t.push_back(x);
                    double mV = beat_mV(x - 20, 500, 250);
                    if (x > at && x < at + 6) // up within 0.2 ms, back within 4
                        mV += height * std::min((x - at) / 0.2, 1.0) *
                              std::min((at + 6 - x) / 4, 1.0);
                    v.push_back(static_cast<float>(mV));
                }
                const auto beats = find_beats(t, v);
                QCOMPARE(beats.size(), std::size_t(2));
                for (const auto& b : beats) {
                    const double since = b.activation_ms - (&b == &beats[0] ? 20.5 : 520.5);
                    QVERIFY2(std::abs(since) < 0.6, qPrintable(QString::number(since)));
                    QVERIFY(std::abs(b.upstroke_mV_per_ms - 115) < 2);
                    QVERIFY2(std::abs(b.peak_mV - 30) < 0.1,
                             qPrintable(QString::number(b.peak_mV)));
                    QVERIFY(std::abs(b.apd90_ms - 285.5) < 1);
                }
            }
    }

    void velocityOfAPlaneWave()
    {
        const auto m = mesh::slab({10, 6, 3}, 0.7);
        const Vec3 n = normalized(Vec3{2, 1, 0.5});
        std::vector<float> times(m.vertex_count());
        for (std::size_t v = 0; v < times.size(); ++v)
            times[v] = static_cast<float>(5 + dot(m.vertex(v), n) / 0.6);
        times[7] = std::nanf("");
        std::vector<std::int32_t> at(m.vertex_count());
        std::iota(at.begin(), at.end(), 0);
        const auto found = conduction_velocity(m, mesh::vertex_stars(m), times, at);
        QVERIFY(std::isnan(found[7][0]));
        for (std::size_t v = 0; v < found.size(); ++v)
            if (v != 7)
                for (std::size_t k = 0; k < 3; ++k)
                    QVERIFY(std::abs(found[v][k] - 0.6 * n[k]) < 1e-3);
    }

    /// Of a curved front the fit depends on the neighbours' weights: each counts once, in however
    /// many tetrahedra it is met.
    void aNeighbourCountsOnce()
    {
        const auto m = mesh::slab({3, 3, 3}, 1);
        const auto stars = mesh::vertex_stars(m);
        std::vector<float> times;
        for (std::size_t v = 0; v < m.vertex_count(); ++v)
            times.push_back(static_cast<float>(norm(m.vertex(v) - Vec3{-0.7, 0.2, -0.4}) / 0.6));
        std::vector<std::int32_t> at(m.vertex_count());
        std::iota(at.begin(), at.end(), 0);
        const auto found = conduction_velocity(m, stars, times, at);
        double wrong = 0, counted_twice = 0;
        for (std::size_t v = 0; v < at.size(); ++v) {
            std::multiset<std::int32_t> around;
            for (auto s = stars.first[v]; s < stars.first[v + 1]; ++s)
                for (auto c :
                     m.corners(static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(s)])))
                    if (c != at[v])
                        around.insert(c);
            const auto fitted = [&](const auto& neighbours) {
                Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
                Eigen::Vector3d b = Eigen::Vector3d::Zero();
                for (auto c : neighbours) {
                    const auto j = static_cast<std::size_t>(c);
                    const Vec3 r = m.vertex(j) - m.vertex(v);
                    const Eigen::Vector3d d(r[0], r[1], r[2]);
                    a += d * d.transpose() / d.squaredNorm();
                    b += static_cast<double>(times[j] - times[v]) * d / d.squaredNorm();
                }
                const Eigen::Vector3d g = a.ldlt().solve(b);
                return (g / g.squaredNorm()).norm();
            };
            const double speed = std::hypot(found[v][0], found[v][1], found[v][2]);
            if (!std::isfinite(speed))
                continue; // three neighbours nearly in a plane, at a corner
            const std::set<std::int32_t> once(around.begin(), around.end());
            wrong = std::max(wrong, std::abs(speed / fitted(once) - 1));
            counted_twice = std::max(counted_twice, std::abs(fitted(around) / fitted(once) - 1));
        }
        qInfo("each once: %.1e; as often as it is met: %.1f %%", wrong, 100 * counted_twice);
        QVERIFY(wrong < 1e-4);
        QVERIFY(counted_twice > 0.01);
    }

    void newBeatsFrontIsNoWave()
    {
        const auto m = mesh::slab({10, 3, 3}, 1);
        std::vector<float> times(m.vertex_count());
        for (std::size_t v = 0; v < times.size(); ++v) // the left half has fired again
            times[v] = static_cast<float>(m.vertex(v)[0] / 0.5 + (m.vertex(v)[0] < 4.5 ? 300 : 0));
        std::vector<std::int32_t> at(m.vertex_count());
        std::iota(at.begin(), at.end(), 0);
        for (const auto& v : conduction_velocity(m, mesh::vertex_stars(m), times, at))
            QVERIFY(std::isnan(v[0]) || std::abs(v[0] - 0.5F) < 0.01F);
    }

    void oneSpiralHasOneFilament()
    {
        const auto m = mesh::slab({20, 20, 2}, 1);
        const auto neighbours = mesh::face_neighbours(m);
        std::vector<float> now, before, phase(m.vertex_count());
        for (int sense : {1, -1})
            for (int k = 0; k < 40; ++k) {
                spiral(m, 9.3, 11.2, sense, 0.31 * k, now, before);
                phases(now, before, -30, phase);
                const auto f = filaments(m, neighbours, phase, now, before, -30);
                QCOMPARE(f.lines.size(), std::size_t(1));
                QCOMPARE(f.ends.size(), std::size_t(2));
                for (const auto& p : f.lines[0])
                    QVERIFY(std::hypot(p[0] - 9.3, p[1] - 11.2) < 1.5);
                // from below to above, or the other way round
                QVERIFY(std::abs(f.lines[0].front()[2] - f.lines[0].back()[2]) > 1.9);
                for (std::size_t e = 0; e < 2; ++e) {
                    const int from_above =
                        f.ends[e][2] > 1 ? 1 : -1; // seen from below it turns otherwise
                    QCOMPARE(f.turn[e], sense * from_above);
                }
            }
    }

    void planeWaveAndHoleHaveNone()
    {
        auto m = mesh::slab({20, 20, 2}, 1);
        std::vector<float> now(m.vertex_count()), before(now), phase(now);
        for (std::size_t v = 0; v < now.size(); ++v) {
            now[v] = static_cast<float>(-30 + 50 * std::cos(m.vertex(v)[0]));
            before[v] = static_cast<float>(-30 + 50 * std::cos(m.vertex(v)[0] - 0.7));
        }
        phases(now, before, -30, phase);
        auto f = filaments(m, mesh::face_neighbours(m), phase, now, before, -30);
        QVERIFY(f.lines.empty() && f.ends.empty());
    }

    void twoSpiralsTurnAgainstEachOther()
    {
        const auto m = mesh::slab({30, 15, 1}, 1);
        std::vector<float> now(m.vertex_count()), before(now), phase(now);
        for (std::size_t v = 0; v < now.size(); ++v) {
            const Vec3 p = m.vertex(v);
            const double a =
                std::atan2(p[1] - 7.3, p[0] - 8.2) - std::atan2(p[1] - 7.3, p[0] - 21.7);
            now[v] = static_cast<float>(-30 + 50 * std::cos(1 - a));
            before[v] = static_cast<float>(-30 + 50 * std::cos(0.3 - a));
        }
        phases(now, before, -30, phase);
        const auto f = filaments(m, mesh::face_neighbours(m), phase, now, before, -30);
        QCOMPARE(f.lines.size(), std::size_t(2));
        int sum = 0, above = 0;
        for (std::size_t e = 0; e < f.ends.size(); ++e)
            if (f.ends[e][2] > 0.5) {
                sum += f.turn[e];
                ++above;
            }
        QCOMPARE(above, 2);
        QCOMPARE(sum, 0);
    }

    void leadFieldAgreesWithDirectSummation()
    {
        const auto m = mesh::slab({20, 10, 5}, 1);
        std::vector<ConductivityTensor> sigma(m.tetrahedron_count());
        for (std::size_t t = 0; t < sigma.size(); ++t)
            sigma[t] = {0.13, 0.02 + 0.001 * m.centroid(t)[0], 0.02, 0.01, 0, 0.002};
        std::vector<double> v(m.vertex_count());
        for (const Vec3 electrode : {Vec3{60, 5, 2}, Vec3{10, -40, 20}, Vec3{-30, -20, 40}})
            for (double front : {4.0, 10.0, 15.0}) {
                const auto w = lead_field(m, sigma, electrode, 0.2);
                for (std::size_t k = 0; k < v.size(); ++k)
                    v[k] = -85 + 110 / (1 + std::exp((m.vertex(k)[0] - front) / 0.8));
                double phi = 0, sum = 0;
                for (std::size_t k = 0; k < v.size(); ++k)
                    phi += w[k] * v[k], sum += w[k];
                const double direct = direct_sum(m, sigma, v, electrode, 0.2);
                QVERIFY2(std::abs(phi - direct) < 0.01 * std::abs(direct),
                         qPrintable(QString("%1 %2").arg(phi).arg(direct)));
                QVERIFY(std::abs(sum) < 1e-12);
            }
    }

    void frontTowardsTheElectrodeIsPositive()
    {
        const auto m = mesh::slab({20, 10, 5}, 1);
        const std::vector<ConductivityTensor> sigma(m.tetrahedron_count(),
                                                    {0.1, 0.1, 0.1, 0, 0, 0});
        std::vector<double> v(m.vertex_count());
        for (std::size_t k = 0; k < v.size(); ++k)
            v[k] = m.vertex(k)[0] < 10 ? 20 : -85; // runs to +x
        QVERIFY(direct_sum(m, sigma, v, {60, 5, 2}, 0.2) > 0);
        QVERIFY(direct_sum(m, sigma, v, {-40, 5, 2}, 0.2) < 0);
        // A solid angle: a plane front of area A far away acts as a dipole sigma dV A.
        const double d = 200, expected = 0.1 * 105 * 50 / (4 * std::numbers::pi * 0.2 * d * d);
        const double found = direct_sum(m, sigma, v, {10 + d, 5, 2.5}, 0.2);
        QVERIFY2(std::abs(found / expected - 1) < 0.02,
                 qPrintable(QString::number(found / expected)));
    }

    /// Millivolts, not their shape alone: a cube with an even gradient is a dipole of the moment
    /// -sigma grad V volume, whose potential is p . r / (4 pi sigma_b r^3); of a cube the next term
    /// is of the fourth power of size over distance.
    void potentialOfADipole()
    {
        const auto m = mesh::slab({6, 6, 6}, 1);
        const ConductivityTensor sigma{0.17, 0.02, 0.05, 0.03, 0, 0.01}; // [S/m]
        const std::vector<ConductivityTensor> tensors(m.tetrahedron_count(), sigma);
        const Vec3 slope{20, -7, 4}; // [mV/mm]
        const Vec3 p = -216.0 * Vec3{0.17 * slope[0] + 0.03 * slope[1],
                                     0.03 * slope[0] + 0.02 * slope[1] + 0.01 * slope[2],
                                     0.01 * slope[1] + 0.05 * slope[2]};
        for (const double far : {30.0, 60.0, 250.0})
            for (const Vec3 to : {Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0.6, -0.8, 0}}) {
                const auto w = lead_field(m, tensors, Vec3{3, 3, 3} + far * to, 0.2);
                double phi = 0;
                for (std::size_t k = 0; k < w.size(); ++k)
                    phi += w[k] * dot(slope, m.vertex(k));
                const double expected = dot(p, to) / (4 * std::numbers::pi * 0.2 * far * far);
                QVERIFY2(std::abs(phi - expected) < 2e-3 * norm(p) / (far * far),
                         qPrintable(QString("%1 mm: %2, not %3").arg(far).arg(phi).arg(expected)));
            }
    }

    void nearElectrodeIsIntegratedFinely()
    {
        const auto coarse = mesh::slab({6, 6, 6}, 2), fine = mesh::slab({6, 6, 6}, 0.25);
        const auto phi = [](const mesh::TetMesh& m) {
            const std::vector<ConductivityTensor> sigma(m.tetrahedron_count(),
                                                        {0.1, 0.1, 0.1, 0, 0, 0});
            const auto w = lead_field(m, sigma, {7.5, 3, 3}, 0.2);
            double sum = 0;
            for (std::size_t k = 0; k < w.size(); ++k)
                sum += w[k] * 3 * m.vertex(k)[0]; // a linear field is the same on both
            return sum;
        };
        const double a = phi(coarse), b = phi(fine);
        QVERIFY2(std::abs(a - b) < 0.01 * std::abs(b), qPrintable(QString("%1 %2").arg(a).arg(b)));
    }
};
QTEST_GUILESS_MAIN(TestAnalysis)
#include "test_analysis.moc"
