// SPDX-License-Identifier: GPL-3.0-or-later
// QRS, QT and RR of leads whose intervals are known.
#include "engine/analysis/lead_sheet.hpp"
#include "tests/analysis/made_leads.hpp"

#include <QtTest>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

using namespace tawara::analysis;
using namespace tawara::test;

namespace {

QByteArray text(double x)
{
    return QByteArray::number(x);
}

} // namespace

class TestEcgIntervals : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void knownIntervals_data()
    {
        QTest::addColumn<double>("qrs");
        QTest::addColumn<double>("step");
        QTest::addColumn<double>("cycle");
        for (const double qrs : {8.0, 12.0, 25.0})
            for (const double step : {0.5, 1.0, 2.0})
                QTest::addRow("s %g ms, every %g ms", qrs, step) << qrs << step << 800.0;
        QTest::newRow("fast") << 10.0 << 1.0 << 520.0;
    }
    void knownIntervals()
    {
        QFETCH(double, qrs);
        QFETCH(double, step);
        QFETCH(double, cycle);
        std::vector<Beat> beats;
        for (int k = 0; k < 3; ++k)
            beats.push_back({150 + k * cycle, qrs});
        const auto found = record(beats, 0, 150 + 2 * cycle + 500, step).measured();
        QCOMPARE(found.step_ms, step);
        QCOMPARE(found.beats.size(), beats.size());
        for (std::size_t k = 0; k < beats.size(); ++k) {
            const auto& b = found.beats[k];
            const Beat& known = beats[k];
            // to within sampling; the slopes' window widens the narrowest by 0.6 ms a side
            QVERIFY2(std::abs(b.onset_ms - known.onset()) < step, text(b.onset_ms - known.onset()));
            QVERIFY2(std::abs(b.end_ms - known.end()) < step, text(b.end_ms - known.end()));
            QVERIFY2(std::abs(b.t_end_ms - known.t_end()) < step, text(b.t_end_ms - known.t_end()));
            QVERIFY(k == 0 ? !b.no_rr.empty() : std::abs(b.rr_ms - cycle) < step);
            QVERIFY(b.no_qrs.empty() && b.no_qt.empty());
            if (k > 0) { // Fridericia: the same at 60 beats a minute, longer above
                const double ratio = b.qtc_ms() / b.qt_ms();
                QVERIFY(std::abs(ratio * ratio * ratio * b.rr_ms - 1000) < 1e-6);
                QVERIFY((cycle < 1000) == (ratio > 1));
            } else
                QVERIFY(std::isnan(b.qtc_ms()));
        }
    }

    /// T waves that are a third to nearly half as steep as QRS are no beats, whatever comes after
    /// them; a beat that a pulse brought is one, however flat.
    void steepTWavesAreNoBeats()
    {
        const std::vector<Beat> beats{{150, 25, 280, 20}, {950, 25, 280, 17}};
        for (const double to : {520.0, 1600.0}) {
            const auto found = record(beats, 0, to).measured().beats;
            QCOMPARE(found.size(), to > 1000 ? 2U : 1U);
            for (std::size_t k = 0; k < found.size(); ++k) {
                QVERIFY(std::abs(found[k].end_ms - beats[k].end()) < 1);
                QVERIFY2(std::abs(found[k].t_end_ms - beats[k].t_end()) < 2,
                         text(found[k].t_end_ms - beats[k].t_end()));
            }
        }
        // S2 whose QRS is as steep as such a T wave
        Record r = record({{150, 24, 330, 20}}, 0, 1400);
        QCOMPARE(r.measured().beats.size(), 1U);
        const std::vector<double> pulse{425};
        const auto paced = ecg_intervals(r.t, r.mV, false, pulse).beats;
        QCOMPARE(paced.size(), 2U);
        QVERIFY(std::isnan(paced[0].t_end_ms)); // it has none before that
        // a tachycardia that nobody paces, less than half as steep as the beat that began it
        const auto fast = record(
            {{150, 10}, {450, 24, 130, 90}, {750, 24, 130, 90}, {1050, 24, 130, 90}}, 0, 1200);
        const auto found = fast.measured().beats;
        QCOMPARE(found.size(), 4U);
        QVERIFY(std::abs(found[3].rr_ms - 300) < 1);
        const std::vector<double> before{100};
        QCOMPARE(ecg_intervals(r.t, r.mV, false, before).beats.size(), 1U);
    }

    /// Slopes are seen early by half of their window, but no QRS begins before its pulse.
    void noQrsBeginsBeforeItsPulse()
    {
        Record r;
        r.mV.resize(1);
        for (int t = 0; t <= 400; ++t) {
            r.t.push_back(t);
            r.mV[0].push_back(static_cast<float>(std::max(0.0, 1 - std::abs(t - 130) / 30.0)));
        }
        QVERIFY(r.measured().beats.at(0).onset_ms < 99);
        const auto onset = [&](double pulse) {
            return ecg_intervals(r.t, r.mV, false, std::vector{pulse}).beats.at(0).onset_ms;
        };
        QCOMPARE(onset(100), 100.0);
        QCOMPARE(ecg_intervals(r.t, r.mV, false, std::vector{100.5, 99.5, 100.0}).beats[0].onset_ms,
                 99.5);
        QCOMPARE(onset(90), r.measured().beats[0].onset_ms);
        QCOMPARE(onset(110), r.measured().beats[0].onset_ms); // another's
    }

    /// Onset and end without a run-in: straight flanks. The slopes' window adds 2 ms a side at
    /// most.
    void abruptEnds()
    {
        Record r;
        r.mV.resize(1);
        for (int t = 0; t <= 800; ++t) {
            r.t.push_back(t);
            const double q = std::max(0.0, 1 - std::abs(t - 140) / 40.0); // 100 to 180 ms
            const double w = 0.3 * std::max(0.0, 1 - std::abs(t - 420) / 60.0);
            r.mV[0].push_back(static_cast<float>(q + w));
        }
        const auto b = r.measured().beats.at(0);
        QVERIFY2(b.onset_ms <= 100 && b.onset_ms >= 98, text(b.onset_ms));
        QVERIFY2(b.end_ms >= 180 && b.end_ms <= 182, text(b.end_ms));
        QVERIFY2(std::abs(b.t_end_ms - 480) < 1.5, text(b.t_end_ms));
    }

    void withNoise_data()
    {
        QTest::addColumn<double>("noise");
        QTest::addColumn<double>("qrs_within");
        QTest::addColumn<double>("qt_within");
        QTest::newRow("1 uV") << 0.001 << 2.0 << 2.0;
        QTest::newRow("5 uV") << 0.005 << 5.0 << 5.0;
        QTest::newRow("10 uV") << 0.010 << 8.0 << 8.0;
    }
    void withNoise()
    {
        QFETCH(double, noise);
        QFETCH(double, qrs_within);
        QFETCH(double, qt_within);
        const std::vector<Beat> beats{{150}, {950}, {1750}};
        const auto found = record(beats, 0, 2500, 1, noise).measured();
        QCOMPARE(found.beats.size(), beats.size());
        for (std::size_t k = 0; k < beats.size(); ++k) {
            const auto& b = found.beats[k];
            const double qrs = beats[k].end() - beats[k].onset(),
                         qt = beats[k].t_end() - beats[k].onset();
            QVERIFY2(std::abs(b.qrs_ms() - qrs) < qrs_within, text(b.qrs_ms() - qrs));
            QVERIFY2(std::abs(b.qt_ms() - qt) < qt_within, text(b.qt_ms() - qt));
            QVERIFY(k == 0 || std::abs(b.rr_ms - 800) < qrs_within);
        }
    }
    void tooMuchNoiseIsRefused()
    {
        const auto found = record({{150}, {950}}, 0, 1600, 1, 0.15).measured();
        QVERIFY(found.beats.empty() && found.none.find("noise") != std::string::npos);
    }

    void incompleteBeats_data()
    {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<QString>("no_qrs"); // of the last beat
        QTest::addColumn<QString>("no_qt");
        const Beat b{950};
        const double onset = b.onset(), end = b.end(), t_end = b.t_end();
        QTest::newRow("in QRS") << 0.0 << 960.0 << "QRS is not over yet"
                                << "QRS is not over yet";
        QTest::newRow("right after QRS") << 0.0 << end + 10 << "QRS is not over yet"
                                         << "QRS is not over yet";
        QTest::newRow("ST") << 0.0 << end + 60 << ""
                            << "no repolarisation yet";
        QTest::newRow("T rises") << 0.0 << 950.0 + 290 << ""
                                 << "no repolarisation yet";
        QTest::newRow("T falls") << 0.0 << 950.0 + 345 << ""
                                 << "T is not over yet";
        QTest::newRow("over") << 0.0 << t_end + 5 << ""
                              << "";
        QTest::newRow("begins in QRS") << 950.0 << 1500.0 << "it began before the record"
                                       << "it began before the record";
        QTest::newRow("begins right before") << onset - 10 << 1500.0 << "it began before the record"
                                             << "it began before the record";
        QTest::newRow("begins before") << onset - 25 << 1500.0 << ""
                                       << "";
    }
    void incompleteBeats()
    {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(QString, no_qrs);
        QFETCH(QString, no_qt);
        const auto found = record({{150}, {950}}, from, to).measured();
        QVERIFY(!found.beats.empty());
        const auto& b = found.beats.back();
        QCOMPARE(QString::fromStdString(b.no_qrs), no_qrs);
        QCOMPARE(QString::fromStdString(b.no_qt), no_qt);
        QCOMPARE(std::isfinite(b.qrs_ms()), no_qrs.isEmpty());
        QCOMPARE(std::isfinite(b.qt_ms()), no_qt.isEmpty());
        if (from == 0) { // the beat before is complete, whatever became of this one
            QVERIFY(std::abs(found.beats[0].qt_ms() - (Beat{150}.t_end() - Beat{150}.onset())) < 1);
            QVERIFY(std::abs(b.rr_ms - 800) < 1);
        }
    }

    /// A pulse with the run's first step: rest is what was before.
    void aRunBeginsAtRest()
    {
        auto r = record({{36.5}}, 0, 600);
        for (auto& lead : r.mV)
            for (float& v : lead)
                v -= 0.2F;
        QVERIFY(!r.measured().beats.at(0).no_qrs.empty());
        const auto b = r.measured(true).beats.at(0);
        QVERIFY2(std::abs(b.onset_ms) < 1.5, text(b.onset_ms));
        // the first sample is 1 % up the flank
        QVERIFY2(std::abs(b.t_end_ms - Beat{36.5}.t_end()) < 3, text(b.t_end_ms));
    }

    /// A plane wave runs between its start and its end without a change of any lead: one QRS. The
    /// same after a pulse, or from the baseline, is another one.
    void anEvenWaveIsOneQrs()
    {
        const auto found = [](double level, std::span<const double> pulses_ms) {
            Record r;
            r.mV.resize(1);
            for (int t = 0; t <= 500; ++t) {
                const auto ramp = [t](double from, double to) {
                    return std::clamp((t - from) / (to - from), 0.0, 1.0);
                };
                r.t.push_back(t);
                r.mV[0].push_back(static_cast<float>(ramp(100, 105) - (1 - level) * ramp(110, 112) +
                                                     (1 - level) * ramp(145, 147) -
                                                     ramp(150, 155)));
            }
            return ecg_intervals(r.t, r.mV, false, pulses_ms).beats;
        };
        const auto one = found(0.5, {});
        QCOMPARE(one.size(), std::size_t(1));
        QVERIFY2(std::abs(one[0].onset_ms - 100) < 3, text(one[0].onset_ms));
        QVERIFY2(std::abs(one[0].end_ms - 155) < 3, text(one[0].end_ms));
        const double pulses[]{140};
        QCOMPARE(found(0.5, pulses).size(), std::size_t(2));
        QCOMPARE(found(0.0, {}).size(), std::size_t(2));
    }

    void theNextBeatMayComeBeforeTheEndOfT()
    {
        const auto found = record({{150}, {500}, {850}}, 0, 1500).measured();
        QCOMPARE(found.beats.size(), std::size_t(3));
        for (const auto& b : found.beats)
            QVERIFY(!std::isfinite(b.t_end_ms));
        QVERIFY(found.beats[0].no_qt.find("next beat") != std::string::npos);
        QVERIFY(found.beats[2].no_qt.find("before was not over") != std::string::npos);
        QVERIFY(std::abs(found.beats[2].rr_ms - 350) < 2);
    }

    /// A rhythm without rests has cycles: RR is known, QRS and QT are not, and that is no noise.
    void aRhythmWithoutRestsHasCycles_data()
    {
        QTest::addColumn<double>("cycle"); // of the first; each is 2 ms longer than the one before
        QTest::addColumn<double>("noise");
        for (const double cycle : {180.0, 285.0, 400.0})
            for (const double noise : {0.0, 0.01})
                QTest::addRow("%g ms, %g mV", cycle, noise) << cycle << noise;
    }
    void aRhythmWithoutRestsHasCycles()
    {
        QFETCH(double, cycle);
        QFETCH(double, noise);
        Record r;
        r.mV.resize(3);
        std::mt19937 random(5);
        std::normal_distribution<double> normal(0, noise);
        double phase = 0, turn = cycle;
        for (int t = 0; t <= 3000; ++t) {
            phase += 2 * std::numbers::pi / turn;
            turn = cycle + 2 * std::floor(phase / (2 * std::numbers::pi));
            r.t.push_back(t);
            r.mV[0].push_back(static_cast<float>(std::sin(phase) + normal(random)));
            r.mV[1].push_back(static_cast<float>(std::cos(phase) + normal(random)));
            r.mV[2].push_back(static_cast<float>(0.4 * std::sin(2 * phase + 1) + normal(random)));
        }
        const auto found = r.measured();
        QVERIFY2(found.none.empty(), found.none.c_str());
        QVERIFY2(found.beats.size() >= 5, text(static_cast<double>(found.beats.size())));
        const auto& last = found.beats.back();
        QVERIFY2(std::abs(last.rr_ms - turn) < 4, text(last.rr_ms - turn));
        for (const auto& b : found.beats) {
            QVERIFY(std::isnan(b.qrs_ms()) && b.no_qrs.find("come to rest") != std::string::npos);
            QVERIFY(&b == found.beats.data() ? !b.no_rr.empty()
                                             : b.rr_ms > cycle - 4 && b.rr_ms < turn + 4);
        }
    }

    /// Two steep beats bring on the turns. What is quiet by the steepest beat is not by the others.
    void aRhythmThatSteepBeatsBringOnHasCycles()
    {
        Record r;
        r.mV.resize(2);
        double angle = 0;
        for (int t = 0; t <= 1600; ++t) {
            const double first = std::tanh((t - 100) / 5.0), second = std::tanh((t - 400) / 5.0);
            r.t.push_back(t);
            r.mV[0].push_back(static_cast<float>(6.2 * std::cos(angle)));
            r.mV[1].push_back(static_cast<float>(6.2 * std::sin(angle) + 4 * first + 5.2 * second));
            const int in_turn = (t + 40) % 285; // S of a turn: 0.43, 0.10, 0.044 mV/ms
            angle += in_turn < 40 ? 0.07 : in_turn < 240 ? 0.01582 : 0.0071;
        }
        const auto found = r.measured();
        QVERIFY2(found.beats.size() >= 4, text(static_cast<double>(found.beats.size())));
        for (std::size_t k = found.beats.size() - 2; k < found.beats.size(); ++k)
            QVERIFY2(std::abs(found.beats[k].rr_ms - 285) < 2, text(found.beats[k].rr_ms));
    }

    /// What does not repeat has no cycle: the sum of unrelated rhythms, as in fibrillation.
    void whatNeverRepeatsHasNoCycle()
    {
        Record r;
        r.mV.resize(3);
        for (int t = 0; t <= 3000; ++t) {
            r.t.push_back(t);
            for (std::size_t k = 0; k < 3; ++k) {
                double v = 0;
                for (const double period : {97.0, 131.0, 173.0, 229.0, 311.0, 419.0})
                    v += std::sin(2 * std::numbers::pi * t / period +
                                  period * static_cast<double>(k + 1) * static_cast<double>(k));
                r.mV[k].push_back(static_cast<float>(v));
            }
        }
        for (const auto& b : r.measured().beats)
            QVERIFY(std::isnan(b.qrs_ms()) && std::isnan(b.rr_ms) && std::isnan(b.qt_ms()));
    }

    /// A run that ends before the tissue repolarises holds little but QRS. That is no noise.
    void aRunThatEndsEarlyIsNoNoise()
    {
        for (const double to : {40.0, 60.0, 75.0, 100.0, 150.0}) {
            auto r = record({{36.5}}, 0, to);
            for (auto& lead : r.mV)
                for (float& v : lead)
                    v -= 0.2F;
            const auto found = r.measured(true);
            QVERIFY2(found.none.empty() && found.beats.size() == 1, found.none.c_str());
            const auto& b = found.beats[0];
            const bool over = to > Beat{36.5}.end() + 20;
            QCOMPARE(b.no_qrs, over ? "" : "QRS is not over yet");
            QCOMPARE(b.no_qt, over ? "no repolarisation yet" : "QRS is not over yet");
            QVERIFY2(!over || std::abs(b.end_ms - Beat{36.5}.end()) < 1,
                     text(b.end_ms - Beat{36.5}.end()));
        }
    }

    /// The left ventricle at once, then the right one slowly: the leads hardly move (1 to 2 % of
    /// the first part's velocity), but they are away from their baseline until 140 ms. ST that
    /// stays raised is no QRS.
    void aSlowEndOfQrs_data()
    {
        QTest::addColumn<double>("left");  // of the leads by the quick part
        QTest::addColumn<double>("stays"); // of them after the slow one
        QTest::addColumn<double>("ends");
        QTest::newRow("slow end") << 0.45 << 0.0 << 140.0;
        QTest::newRow("raised ST") << 0.45 << 0.45 << 30.0;
        QTest::newRow("slow end after a very quick part") << 0.15 << 0.0 << 140.0;
        QTest::newRow("ST a little raised") << 0.15 << 0.15 << 30.0;
    }
    void aSlowEndOfQrs()
    {
        QFETCH(double, left);
        QFETCH(double, stays);
        QFETCH(double, ends);
        Record r;
        r.mV.resize(2);
        for (int t = 0; t <= 500; ++t) {
            const double fast = t < 15   ? t / 15.0
                                : t < 30 ? 1 - (1 - left) * (t - 15) / 15.0
                                         : left;
            const double down = std::clamp((t - 30) / 110.0, 0.0, 1.0);
            const double slow = fast + (stays - left) * down;
            const double w = 0.2 * std::exp(-std::pow((t - 300) / 40.0, 2) / 2);
            const double dies = t < 300 ? slow : slow * std::exp(-std::pow((t - 300) / 40.0, 2));
            r.t.push_back(t);
            r.mV[0].push_back(static_cast<float>(dies + w));
            r.mV[1].push_back(static_cast<float>(-0.7 * dies + 0.5 * w));
        }
        const auto b = r.measured(true).beats.at(0);
        QVERIFY2(std::abs(b.end_ms - ends) < 4, text(b.end_ms));
        int known_at = 0; // the first end: ending later QRS is the same, earlier it is not over
        for (int to = 500; to >= 20; to -= 3) {
            const auto early = r.first(to).measured(true).beats.at(0);
            known_at = early.no_qrs.empty() ? to : known_at;
            QVERIFY(early.no_qrs.empty() ? std::abs(early.end_ms - b.end_ms) < 1
                                         : std::isnan(early.end_ms));
        }
        QVERIFY2(known_at > ends && known_at < 320, text(known_at));
    }

    /// A wide QRS and a T wave that lasts until the record's end leave little rest: slopes of T are
    /// no noise, and T is no beat.
    void aRecordThatEndsInTKeepsItsQrs()
    {
        constexpr double pi = 3.14159265358979, qrs_ms = 150, t_from_ms = 230, t_ms = 240;
        for (int end = 340; end <= 480; end += 10) {
            Record r;
            r.mV.resize(2);
            for (int t = 0; t <= end; ++t) {
                const double w = t < qrs_ms ? 1 - std::cos(2 * pi * t / qrs_ms) : 0;
                const double u = std::clamp((t - t_from_ms) / t_ms, 0.0, 1.0);
                const double wave = 0.35 * (1 - std::cos(2 * pi * u));
                r.t.push_back(t);
                r.mV[0].push_back(static_cast<float>(w + wave));
                r.mV[1].push_back(static_cast<float>(0.6 * w * std::sin(t / 9.0) + 0.5 * wave));
            }
            const auto found = r.measured(true);
            QCOMPARE(found.beats.size(), std::size_t(1));
            const auto& b = found.beats[0];
            QVERIFY2(
                b.no_qrs.empty() && std::abs(b.qrs_ms() - qrs_ms) < 8,
                (std::to_string(end) + ": " + std::to_string(b.qrs_ms()) + " " + b.no_qrs).c_str());
        }
    }

    void recordsThatCannotBeMeasured()
    {
        QVERIFY(record({{150}, {950}}, 0, 1600, 4).measured().none.find("2 ms") !=
                std::string::npos);
        QVERIFY(!ecg_intervals({}, {}).none.empty());
        const std::vector<double> few{0, 1, 2};
        const std::vector<std::vector<float>> short_lead{{0, 0, 0}};
        QCOMPARE(ecg_intervals(few, short_lead).none, "fewer than 8 samples");
        const std::vector<double> coarse{0, 10, 20}; // which more of them would not mend
        QCOMPARE(ecg_intervals(coarse, short_lead).none, "samples are further apart than 2 ms");
        QCOMPARE(ecg_intervals({}, std::vector<std::vector<float>>(1)).none, "no samples yet");
        Record flat = record({}, 0, 500); // nothing has happened
        QVERIFY(flat.measured().beats.empty() && flat.measured().none.empty());
        std::mt19937 random(3);
        for (auto& lead : flat.mV)
            for (float& v : lead) // nor has it by rounding
                v += 1e-6F * static_cast<float>(random() % 3);
        QVERIFY(flat.measured().beats.empty());
    }

    /// A lead that came later is left out; a gap is the end of a record.
    void leadsAndSamplesThatLack()
    {
        auto r = record({{150}, {950}}, 0, 1600);
        const auto whole = r.measured();
        for (std::size_t i = 0; i < 400; ++i)
            r.mV[4][i] = std::numeric_limits<float>::quiet_NaN();
        const auto less = r.measured();
        QCOMPARE(less.beats.size(), std::size_t(2));
        QVERIFY(std::abs(less.beats[1].qt_ms() - whole.beats[1].qt_ms()) < 1);
        auto gap = record({{150}, {950}}, 0, 1600);
        const auto cut = [](auto& v) { v.erase(v.begin() + 160, v.begin() + 600); };
        cut(gap.t);
        for (auto& lead : gap.mV)
            cut(lead);
        const auto parts = gap.measured();
        QCOMPARE(parts.beats.size(), std::size_t(2));
        QVERIFY(!parts.beats[0].no_qrs.empty() && parts.beats[1].no_qt.empty());
        QVERIFY2(!parts.beats[1].no_rr.empty(), "a beat may have been between");
    }

    /// The twelve stay where they are read, however many leads follow them.
    void leadsOnASheet()
    {
        const auto places = [](std::size_t n) {
            const tawara::LeadSheet sheet(n);
            std::set<std::pair<std::size_t, std::size_t>> all;
            for (std::size_t k = 0; k < n; ++k) {
                const auto p = sheet.at(k);
                if (p.column < sheet.columns && p.row < sheet.rows)
                    all.emplace(p.column, p.row);
            }
            return all.size(); // each has one of its own
        };
        for (std::size_t n = 0; n < 40; ++n)
            QCOMPARE(places(n), n);
        for (const std::size_t n : {12, 13, 17}) {
            const tawara::LeadSheet sheet(n);
            QCOMPARE(sheet.columns, std::size_t(4));
            QCOMPARE(sheet.rows, std::size_t(n == 12 ? 3 : n == 13 ? 4 : 5));
            QVERIFY(sheet.at(5).column == 1 && sheet.at(5).row == 2);   // aVF
            QVERIFY(sheet.at(11).column == 3 && sheet.at(11).row == 2); // V6
        }
        QVERIFY(tawara::LeadSheet(14).at(13).column == 1 && tawara::LeadSheet(14).at(13).row == 3);
        QVERIFY(tawara::LeadSheet(3).columns == 1 && tawara::LeadSheet(3).rows == 3);
    }
};

QTEST_GUILESS_MAIN(TestEcgIntervals)
#include "test_ecg_intervals.moc"
