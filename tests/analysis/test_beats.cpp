// SPDX-License-Identifier: GPL-3.0-or-later
// Activation, repolarisation and beats of potentials.
#include "engine/analysis/activation_tracker.hpp"
#include "engine/analysis/beats.hpp"
#include "engine/mesh/check.hpp"

#include <QtTest>
#include <cmath>
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

} // namespace

class TestBeats : public QObject
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
};

QTEST_GUILESS_MAIN(TestBeats)
#include "test_beats.moc"
