// SPDX-License-Identifier: GPL-3.0-or-later
// Cells paced for many beats: schemes keep them right, and what leaves its range ends the run.
#include "engine/cell/numerics_error.hpp"
#include "engine/cell/prepacing.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>

using namespace tawara;
using namespace tawara::cell;

namespace {

SingleCellOptions paced(const char* model, const char* variant, Scheme scheme, double dt_ms,
                        long beats, double cycle_ms = 1000)
{
    SingleCellOptions o;
    o.type = make_cell_type(model, variant, {}, {});
    o.scheme = scheme;
    o.dt_ms = dt_ms;
    o.stimulus_period_ms = cycle_ms;
    o.end_ms = static_cast<double>(beats) * cycle_ms;
    o.sample_from_ms = o.end_ms - 10 * cycle_ms;
    return o;
}

/// How a step that is too long ends a run: what leaves its range first, sodium or V, and where to,
/// depends on the last bits of the processor's vectors.
const QRegularExpression diverged("^(a concentration left its range|the solution stopped being "
                                  "finite) at 27\\d(\\.\\d)? ms .*, model courtemanche_1998");

QString message(const SingleCellOptions& o)
{
    try {
        run_single_cell(o);
    } catch (const NumericsError& e) {
        return e.what();
    }
    return {};
}

} // namespace

class TestLongPacing : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// The store of an M cell nearly empties in each beat, and the time constant of its release
    /// falls from 4.7 ms to 0.001 with it. Stepped explicitly, the release went to +-1000 mM/ms at
    /// the 79th beat, and the cell to another rhythm.
    void mCellsKeepTheirBeat_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<double>("dt_ms");
        QTest::addColumn<bool>("single");
        QTest::addRow("LRL, 0.01 ms") << "rush_larsen_light" << 0.01 << false;
        QTest::addRow("LRL, 0.02 ms") << "rush_larsen_light" << 0.02 << false;
        QTest::addRow("LRL, 0.02 ms, single") << "rush_larsen_light" << 0.02 << true;
        QTest::addRow("RL, 0.02 ms") << "rush_larsen" << 0.02 << false;
    }
    void mCellsKeepTheirBeat()
    {
        QFETCH(QString, scheme);
        QFETCH(double, dt_ms);
        QFETCH(bool, single);
        constexpr long beats = 110;
        auto o =
            paced("ohara_rudy_2011", "mid", scheme_by_name(scheme.toStdString()), dt_ms, beats);
        o.single_precision = single;
        const auto r = run_single_cell(o);
        QCOMPARE(r.beats.size(), static_cast<std::size_t>(beats));
        // CVODE at 1e-8 after as many beats: 347.6 ms
        const double apd = r.beats.back().apd90_ms;
        qInfo("APD90 of beat %ld: %.1f ms", beats, apd);
        QVERIFY2(std::abs(apd - 347.6) < 3, qPrintable(QString::number(apd)));
        const auto& states = model_info("ohara_rudy_2011").states;
        for (std::size_t s = 0; s < states.size(); ++s)
            if (states[s].unit == "mM")
                QVERIFY2(*std::min_element(r.states[s].begin(), r.states[s].end()) >
                             -1e-3 * states[s].initial,
                         states[s].name.c_str());
    }

    /// At fast rates the store empties in each beat: the release of 1 mM/ms ends within 0.001 ms
    /// then, and took more than the store held in any longer step; runs ended with an error after
    /// 25 to 47 s. Calcium by Rush-Larsen is a matter of its steps (CELL_MODELS.md).
    void mCellsKeepFastPacing_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<double>("apd_ms"); // from the reference
        QTest::addColumn<double>("calcium_percent");
        QTest::addRow("GRL1") << "grl1" << 0.5 << 3.;
        QTest::addRow("LRL") << "rush_larsen_light" << 1.5 << 20.;
    }
    void mCellsKeepFastPacing()
    {
        QFETCH(QString, scheme);
        QFETCH(double, apd_ms);
        QFETCH(double, calcium_percent);
        auto o =
            paced("ohara_rudy_2011", "mid", scheme_by_name(scheme.toStdString()), 0.02, 120, 500);
        o.sample_from_ms = 0;
        const auto r = run_single_cell(o);
        // CVODE at 1e-8 after as many beats: 315.3 ms, and 1.413 uM at the peak
        const double apd = r.beats.back().apd90_ms;
        QVERIFY2(std::abs(apd - 315.3) < apd_ms, qPrintable(QString::number(apd)));
        const auto of = [&](const char* name) {
            return r.states[static_cast<std::size_t>(state("ohara_rudy_2011", name))];
        };
        const auto stored = of("CaJSR"), calcium = of("Cai");
        QVERIFY(*std::min_element(stored.begin(), stored.end()) > 0);
        const double peak = *std::max_element(calcium.end() - 500, calcium.end());
        qInfo("APD90 %.1f ms, peak of Cai %.4g mM", apd, peak);
        QVERIFY2(std::abs(100 * (peak / 1.413e-3 - 1)) < calcium_percent,
                 qPrintable(QString::number(peak)));
    }

    /// What a slow exponential has left is told from its beats, and to a fifth.
    void whatIsLeftIsEstimated()
    {
        const auto type = make_cell_type("ten_tusscher_2006", "epi", {}, {});
        SteadinessMeter meter(type);
        const auto& states = model_info("ten_tusscher_2006").states;
        const auto slow = [&](std::size_t s, long beat) { // sodium, to 10 from 12 mM
            return states[s].name == "Na_i" || states[s].name == "Nai"
                       ? 10 + 2 * std::exp(-static_cast<double>(beat) / 300)
                       : states[s].initial;
        };
        long beat = 0;
        for (; beat < 100; ++beat)
            meter.beat([&](std::size_t s) { return slow(s, beat); });
        const auto d = meter.drift();
        QVERIFY2(d.state.find("Na") != std::string::npos, d.state.c_str());
        const double left = 100 * 2 * std::exp(-99. / 300) / (10 + 2 * std::exp(-99. / 300));
        QVERIFY2(std::abs(d.left_percent / left - 1) < 0.2, d.words().c_str());
        QVERIFY(!d.steady() && !meter.settled());
        QVERIFY2(d.words().find("% a beat") != std::string::npos, d.words().c_str());
        for (; beat < 1500; ++beat)
            meter.beat([&](std::size_t s) { return slow(s, beat); });
        QVERIFY(meter.drift().steady() && meter.settled());
    }

    /// From beat to beat APD90 changes by less than 1 ms, which was called steady.
    void driftShowsWhereBeatsLookAlike()
    {
        std::vector types{make_cell_type("ohara_rudy_2011", "", {}, {})};
        PaceOptions o;
        o.cycle_length_ms = 500;
        o.beats = 60;
        const auto p = pace_cells(types, o)[0];
        QVERIFY2(std::abs(p.apd90_change_ms) < 1, qPrintable(QString::number(p.apd90_change_ms)));
        qInfo("%s", p.drift.words().c_str());
        QVERIFY2(p.drift.known() && !p.drift.steady(), p.drift.words().c_str());
    }

    void concentrationsThatLeaveTheirRangeEndARun()
    {
        auto o = paced("courtemanche_1998", "", Scheme::forward_euler, 0.1, 3);
        o.sample_from_ms = 0;
        const auto euler = message(o);
        QVERIFY2(euler.contains(diverged) && euler.contains("try a smaller step"),
                 qPrintable(euler));
        o.single_precision = true;
        QVERIFY2(message(o).contains(diverged), qPrintable(message(o)));
        auto below = paced("courtemanche_1998", "", Scheme::rush_larsen_light, 0.01, 1);
        below.type.initial[static_cast<std::size_t>(state("courtemanche_1998", "CaUp"))] = -1;
        QVERIFY2(message(below).contains("CaUp is below 0 mM"), qPrintable(message(below)));
        for (const Scheme s : {Scheme::rush_larsen_light, Scheme::backward_euler, Scheme::cvode}) {
            auto given = paced("ohara_rudy_2011", "", s, 0.01, 1);
            given.type.initial[static_cast<std::size_t>(state("ohara_rudy_2011", "Ki"))] = 4000;
            const auto text = message(given);
            QVERIFY2(text.contains("potassium.Ki is above 1000 mM"), qPrintable(text));
            QVERIFY2(text.contains("check the initial values"), qPrintable(text));
        }
    }

    void theyEndPacingBeforeARunToo()
    {
        std::vector types{make_cell_type("courtemanche_1998", "", {}, {})};
        PaceOptions o;
        o.scheme = Scheme::forward_euler;
        o.dt_ms = 0.1;
        o.beats = 3;
        try {
            pace_cells(types, o);
            QFAIL("ran on");
        } catch (const NumericsError& e) {
            const QString text = e.what();
            QVERIFY2(text.contains(diverged) && text.contains(", paced alone"), e.what());
        }
    }

  private:
    static long state(const char* model, const char* name)
    {
        const auto& all = model_info(model).states;
        return std::find_if(all.begin(), all.end(), [&](auto& s) { return s.name == name; }) -
               all.begin();
    }
};

QTEST_GUILESS_MAIN(TestLongPacing)
#include "test_long_pacing.moc"
