// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of the probes: which the window keeps, and that beats measured on them are those of a run
// without a window.
#include "engine/simulation/observe/probe_samples.hpp"
#include "engine/simulation/run/run.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

class TestProbeSamples : public QObject
{
    Q_OBJECT

    /// Rows of a table without its head.
    static std::vector<QStringList> rows(const std::filesystem::path& file)
    {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        std::vector<QStringList> out;
        for (const auto& line : QString::fromStdString(text.str()).split('\n', Qt::SkipEmptyParts))
            out.push_back(line.split(','));
        if (!out.empty())
            out.erase(out.begin());
        return out;
    }

  private Q_SLOTS:
    void slowSamplesAreThinnedFastOnesKept()
    {
        TraceThinner thinner(0.1);
        std::vector<double> times;
        std::vector<std::vector<double>> kept;
        const auto v = [](double t) { return -85 + (t < 5 ? 0.0 : std::min(t - 5, 1.0) * 100); };
        for (int k = 1; k <= 1000; ++k) {
            const double t = 0.01 * k;
            const std::vector<double> here{-85 + 0.01 * t, v(t)};
            thinner.feed(t, here, [&](double at, std::span<const double> values) {
                times.push_back(at);
                kept.emplace_back(values.begin(), values.end());
            });
        }
        // every 0.1 ms before 5 and after 6 ms, every 0.01 ms between
        QVERIFY2(times.size() > 180 && times.size() < 200,
                 qPrintable(QString::number(times.size())));
        double steepest = 0;
        for (std::size_t k = 1; k < times.size(); ++k) {
            QVERIFY(times[k] > times[k - 1] && times[k] - times[k - 1] < 0.1 + 1e-9);
            QCOMPARE(kept[k].size(), std::size_t(2));
            steepest =
                std::max(steepest, (kept[k][1] - kept[k - 1][1]) / (times[k] - times[k - 1]));
        }
        QVERIFY(std::abs(steepest - 100) < 1e-6);
        // time went back
        thinner.restart();
        int calls = 0;
        thinner.feed(0.01, std::vector<double>{-85, -85},
                     [&](double, std::span<const double>) { ++calls; });
        QCOMPARE(calls, 1);
    }

    /// A pulse in the first step: rest is the potential before it, and the steepest rise,
    /// activation and APD are the same with a window and without.
    void beatsAreThoseOfARun()
    {
        auto s = bar(360);
        s.regions[0].model = "ten_tusscher_2006";
        s.regions[0].variant = "epi";
        s.dt_ms = 0.04;
        s.stimuli = {end_of_bar(0)};
        s.probes = {{"stimulated", {0.5, 0.5, 0.5}}, {"far", {8, 0.5, 0.5}}};
        QTemporaryDir dir;
        RunOptions o;
        o.out = std::filesystem::path(dir.path().toStdString()) / "out";
        o.device.threads = 1;
        run_session(s, o);
        const auto table = rows(o.out / "beats.csv");
        QCOMPARE(table.size(), std::size_t(2));

        Inbox in;
        Engine e(in.handler(), one_thread());
        in.answer(e.post(Load{s}));
        run_to(e, in, 360);
        const auto traces = e.traces();
        QCOMPARE(traces.size(), std::size_t(2));
        for (std::size_t p = 0; p < 2; ++p) {
            const auto& row = table[p];
            QCOMPARE(traces[p].time_ms.front(), 0.0);
            QVERIFY(traces[p].time_ms.size() < 4500); // of 9000 steps
            const auto beats = e.beats(traces[p].probe);
            QCOMPARE(beats.size(), std::size_t(1));
            const auto& b = beats[0];
            qInfo("%s: activation %.4f, %.1f mV/ms, rest %.3f mV, APD90 %.2f; run %s, %s, %s, %s",
                  qPrintable(row[0]), b.activation_ms, b.upstroke_mV_per_ms, b.rest_mV, b.apd90_ms,
                  qPrintable(row[2]), qPrintable(row[3]), qPrintable(row[4]), qPrintable(row[9]));
            QVERIFY(std::abs(b.activation_ms - row[2].toDouble()) < 1e-6);
            QVERIFY(std::abs(b.upstroke_mV_per_ms - row[3].toDouble()) < 0.01);
            QVERIFY(std::abs(b.rest_mV - row[4].toDouble()) < 1e-3);
            QVERIFY(std::abs(b.apd90_ms - row[9].toDouble()) < 0.02);
            // where the current flows it makes the upstroke, and the values say so
            const QString by = p == 0 ? QString::fromStdString(s.stimuli[0].name) : QString();
            QVERIFY(p == 1 || !by.isEmpty());
            QCOMPARE(QString::fromStdString(b.driven_by), by);
            QCOMPARE(row.last(), by);
            QVERIFY2(p == 1 || std::abs(b.rest_mV + 85.23) < 0.01,
                     qPrintable(QString::number(b.rest_mV)));
        }
    }
};

QTEST_GUILESS_MAIN(TestProbeSamples)
#include "test_probe_samples.moc"
