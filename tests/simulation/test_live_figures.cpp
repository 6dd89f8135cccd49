// SPDX-License-Identifier: GPL-3.0-or-later
// What a run says of its own kernels, and beats of a probe, and what its report says of them.
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/simulation/session/csv.hpp"
#include "tests/simulation/live_bar.hpp"
#include "tests/simulation/tissue_scene.hpp"

#include <cmath>
#include <limits>
#include <utility>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

class TestLiveFigures : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Back to the start, another tissue and another session: counts are of the run that is shown.
    void kernelsAreOfTheRun()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{bar()})).applied);
        const auto calls = [&](double ms) -> std::int64_t {
            run_to(e, in, ms);
            const QString file = dir_.filePath("r.html");
            in.clear();
            e.post(Export{"report-html", file.toStdString()});
            if (!in.wait([](const Event& x) { return std::holds_alternative<Exported>(x); }))
                return -1;
            QFile f(file);
            if (!f.open(QIODevice::ReadOnly))
                return -1;
            static const QRegularExpression row("<td>reaction</td><td>CPU</td><td[^>]*>([^<]*)<");
            auto text = row.match(QString::fromUtf8(f.readAll())).captured(1);
            return text.remove(QChar(0x202f)).toLongLong();
        };
        const auto first = calls(10);
        QCOMPARE(first, std::int64_t(500)); // of 0.02 ms
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QCOMPARE(calls(4), std::int64_t(200));
        auto regions = bar().regions;
        regions[0].variant = "endo";
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QCOMPARE(calls(6), std::int64_t(300)); // the stepper is another one, the run the same
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QCOMPARE(calls(2), std::int64_t(100));
        QVERIFY(in.answer(e.post(Load{bar()})).applied);
        QCOMPARE(calls(3), std::int64_t(150));
    }

    /// The report counts pulses by site, also of a site that was changed since, and clicks.
    void pulsesInTheReport()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.stimuli = {end_of_bar(0), end_of_bar(30, 51)};
        s.stimuli[1].name = "early";
        QVERIFY(in.answer(e.post(Load{s})).applied);
        run_to(e, in, 70);
        QVERIFY(in.answer(e.post(SetStimuli{{s.stimuli[0]}})).applied);
        QVERIFY(in.answer(e.post(Stimulate{{6, 1, 1}, 1, 2, 50})).applied);
        run_to(e, in, 90);
        QVERIFY(in.answer(e.post(Stimulate{{0, 1, 1}, 1.5, 2, 50, "S1"})).applied);
        run_to(e, in, 160);
        const auto report = [&] {
            const QString file = dir_.filePath("pulses.html");
            in.clear();
            e.post(Export{"report-html", file.toStdString()});
            if (!in.wait([](const Event& x) { return std::holds_alternative<Exported>(x); }))
                return QString();
            QFile f(file);
            QString text = f.open(QIODevice::ReadOnly) ? QString::fromUtf8(f.readAll()) : QString();
            return text.remove(" class=\"number\" align=\"right\"");
        };
        const QString page = report();
        for (const char* row :
             {"<td>S1</td><td>50 pA/pF for 2 ms from 0 ms</td><td>1 of 1, 0 of 1 Pace now</td>"
              "</tr>\n<tr><td colspan=\"3\">not captured: Pace now at 90 ms (90 after the one "
              "before, V around ",
              "<td>early</td><td>51 pA/pF for 2 ms from 30 ms</td><td>0 of 1</td></tr>\n"
              "<tr><td colspan=\"3\">not captured: 30 ms (V around ",
              "<td>clicks on the wall</td><td>50 pA/pF for 2 ms</td><td>0 of 1</td></tr>\n"
              "<tr><td colspan=\"3\">not captured: 70 ms (V around "})
            QVERIFY2(page.contains(row),
                     qPrintable(QString(row) + page.mid(page.indexOf("Pacing<"), 900)));
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QVERIFY(report().contains("<td>none given</td>")); // the site's, none given
        QVERIFY(!report().contains("clicks"));
    }

    /// However short: what is told after a pause is of all steps, and while it runs of newer ones
    /// at every call.
    void kernelsAreTold()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{bar(100'000)})).applied);
        run_to(e, in, 10);
        const auto calls = [&] {
            for (const auto& k : e.kernels())
                if (k.name == "reaction")
                    return k.calls;
            return std::int64_t(-1);
        };
        QCOMPARE(calls(), std::int64_t(500));
        QVERIFY(in.answer(e.post(Play{})).applied);
        QTRY_VERIFY(calls() > 500);
        for (int k = 0; k < 8; ++k) { // as the panel asks, more often than twice a second
            const auto before = calls();
            QTRY_VERIFY_WITH_TIMEOUT(calls() > before, 400);
        }
    }

    /// What a kernel's counted bytes are to its computed ones stays when a run goes back to its
    /// start: the stepper's own sums go on.
    void countedBytesAreOfTheRun()
    {
        const std::vector<device::KernelRecord> before{{"reaction", 100, 50, 1e9, 1e8, 1.25e9},
                                                       {"diffusion", 100, 20, 4e8, 1e8, 0}};
        const auto start = added({}, before, -1);
        for (const auto& k : added(before, start)) { // nothing yet
            QCOMPARE(k.calls, std::int64_t(0));
            QCOMPARE(k.bytes, 0.0);
            QCOMPARE(k.counted_bytes, 0.0);
        }
        // twice as many steps again; the bytes of each counted as in the few that were
        const auto run =
            added({{"reaction", 300, 150, 3e9, 3e8, 3.75e9}, {"diffusion", 300, 60, 1.2e9, 3e8, 0}},
                  start);
        QCOMPARE(run.size(), std::size_t(2));
        QCOMPARE(run[0].calls, std::int64_t(200));
        QVERIFY(std::fabs(run[0].bytes - 2e9) < 1);
        QVERIFY(std::fabs(run[0].counted_bytes - 2.5e9) < 10);
        QCOMPARE(run[1].counted_bytes, 0.0); // was not counted
        const auto f = figure(run[0], "cuda:0", {}, false);
        QVERIFY(std::fabs(f.counted_bytes / f.bytes - 1.25) < 1e-9);
    }

    void fractionOfTheCeiling()
    {
        device::Ceilings c;
        c.triad_GB_per_s = 100;
        c.fp64_GFLOP_per_s = 80; // 40 G multiply-adds
        c.fp32_GFLOP_per_s = 160;
        const device::KernelRecord memory{"m", 10, 1000, 50e9, 4e9},
            arithmetic{"a", 10, 1000, 5e9, 30e9}, busy{"b", 10, 1000, 5e9, 60e9};
        for (const auto& k : {memory, arithmetic, busy}) {
            const auto f = figure(k, "CPU", c, false);
            const double seconds = k.ms / 1e3;
            QVERIFY(std::fabs(f.fraction -
                              std::max(k.bytes / 1e9 / seconds / f.ceiling_GB_per_s,
                                       k.flops / 1e9 / seconds / f.ceiling_GFLOP_per_s)) < 1e-12);
        }
        const auto m = figure(memory, "CPU", c, false), a = figure(arithmetic, "CPU", c, false);
        QVERIFY(m.bound_by == "memory" && std::fabs(m.fraction - 0.5) < 1e-12);
        QVERIFY(a.bound_by == "arithmetic" && std::fabs(a.fraction - 0.75) < 1e-12);
        QVERIFY(std::fabs(figure(arithmetic, "CPU", c, true).fraction - 0.375) < 1e-12);
        QVERIFY(remark_on(m).empty() && remark_on(a).empty());
        const auto b = figure(busy, "CPU", c, false);
        QVERIFY(std::fabs(b.fraction - 1.5) < 1e-12);
        QVERIFY(remark_on(b).find("busy machine; measure again") != std::string::npos);
        QVERIFY(remark_on(figure(memory, "CPU", {}, false)).empty());
    }

    void whatFellIntoABeat()
    {
        Beat b;
        b.activation_ms = 100;
        b.apd90_ms = 200;
        QVERIFY(!b.holds(99) && !b.holds(100) && b.holds(100.1) && b.holds(299) && !b.holds(300));
        QVERIFY(!b.over_by(299) && b.over_by(300));
        constexpr double never = std::numeric_limits<double>::infinity();
        QVERIFY(b.over_by(never));
        b.apd90_ms = std::nan(""); // it goes on
        QVERIFY(b.holds(1e6) && !b.holds(100) && !b.over_by(never));
    }

    /// Cells that take another model go on from their V with its gates at rest, and fire once more
    /// out of the plateau: that is no beat, of those under a probe.
    void otherModelIsNoBeat()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar();
        s.end_ms = 2000;
        s.stimuli = {end_of_bar(0, 60), end_of_bar(650, 60), end_of_bar(1150, 60)};
        QVERIFY(in.answer(e.post(Load{s})).applied);
        const auto near_mV = [&] { return e.traces()[0].V_mV.back(); };
        double ms = 220;
        for (run_to(e, in, ms); near_mV() > -48; run_to(e, in, ms += 2))
            QVERIFY(ms < 400);
        QVERIFY(near_mV() > -65); // it is not over yet
        auto regions = s.regions;
        Region half = regions[0];
        half.name = "half";
        half.model = "luo_rudy_1991";
        half.variant.clear();
        half.where = Box{{0, 0, 0}, {6, 2, 2}};
        regions.push_back(half);
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        run_to(e, in, ms + 6); // however little of it is known
        const auto id = [&](std::size_t p) { return e.traces()[p].probe; };
        QCOMPARE(e.beats(id(0)).size(), std::size_t(1));
        run_to(e, in, 1200);
        const auto t = e.traces()[0];
        QCOMPARE(beats_of(t.time_ms, t.V_mV).size(), std::size_t(4)); // it does fire
        const auto near = e.beats(id(0)), far = e.beats(id(1));
        QCOMPARE(near.size(), std::size_t(3));
        QVERIFY(near[0].activation_ms < 10 && std::isnan(near[0].apd90_ms) && near[0].holds(ms));
        QVERIFY(near[1].activation_ms > 650 && near[1].activation_ms < 660);
        QVERIFY(std::isnan(near[1].diastolic_ms) && std::isnan(near[1].cycle_ms));
        QVERIFY(near[1].apd90_ms > 100);
        QVERIFY(std::fabs(near[2].cycle_ms - 500) < 5 && near[2].diastolic_ms > 50);
        QVERIFY(far.size() > 1 && std::isfinite(far[0].apd90_ms)); // its cells are what they were
        QVERIFY(std::isfinite(far[1].cycle_ms) && std::isfinite(far[1].diastolic_ms));
        const auto file_of = [&](const char* kind) {
            const QString file = dir_.filePath(kind);
            in.clear();
            e.post(Export{kind, file.toStdString()});
            if (!in.wait([](const Event& x) { return std::holds_alternative<Exported>(x); }))
                return QString();
            QFile f(file);
            return f.open(QIODevice::ReadOnly) ? QString::fromUtf8(f.readAll()) : QString();
        };
        QCOMPARE(file_of("beats-csv").count("\nnear,"), 3);
        const QString page = file_of("report-html").remove(" class=\"number\" align=\"right\"");
        QVERIFY2(page.contains("<td>near</td><td>1*</td><td>1</td>") &&
                     page.contains("<td>near</td><td>2</td><td>2</td>"),
                 qPrintable(page.mid(page.indexOf("Action potentials<"), 1500)));
        QVERIFY(in.answer(e.post(Reset{})).applied);
        run_to(e, in, ms + 6);
        QVERIFY(std::isnan(e.beats(id(0)).at(0).apd90_ms)); // of Luo and Rudy from the start
        QVERIFY(e.beats(id(0)).at(0).holds(ms));
    }

    /// Beats name the pulses behind them, while the run goes on too: of S1, S2 (too early), S1, S2.
    void beatsKnowTheirPulses()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = bar(960);
        s.stimuli = {end_of_bar(0), end_of_bar(930, 0.1)};
        s.stimuli[0].name = "left";
        s.stimuli[0].protocol = Protocol{Protocol::Kind::s1s2, 600, 1, {200}, -250, 2, 200};
        s.stimuli[1].name = "late";
        QVERIFY(in.answer(e.post(Load{s})).applied);
        const auto traces = e.traces();
        in.clear();
        e.post(RunUntil{920});
        while (!in.wait_state(Status::State::paused, 20)) {
            QVERIFY(e.status().state != Status::State::failed);
            for (const auto& b : e.beats(traces[0].probe))
                QVERIFY(!b.paced_by || b.paced_by->stimulus == "left");
        }
        const auto check = [&](bool several) {
            for (const auto& t : traces) {
                const auto beats = e.beats(t.probe);
                QCOMPARE(beats.size(), std::size_t(3));
                constexpr std::pair<const char*, double> wanted[] = {
                    {"S1", 0}, {"S1", 200}, {"S2", 450}};
                for (std::size_t k = 0; k < 3; ++k) {
                    QVERIFY(beats[k].paced_by.has_value());
                    const auto& p = *beats[k].paced_by;
                    QCOMPARE(p.stimulus, std::string("left"));
                    QCOMPARE(p.kind, std::string(wanted[k].first));
                    QCOMPARE(p.coupling_ms, wanted[k].second);
                    QVERIFY(p.time_ms < beats[k].activation_ms);
                    QVERIFY(p.captured.value_or(false));
                    QCOMPARE(p.of_several, several);
                }
            }
        };
        check(false);
        run_to(e, in, 950);
        check(true);
        QVERIFY(in.answer(e.post(Reset{})).applied); // pulses begin anew
        QVERIFY(e.beats(traces[0].probe).empty());
        run_to(e, in, 100);
        const auto beats = e.beats(traces[0].probe);
        QVERIFY(beats.size() == 1 && beats[0].paced_by && !beats[0].paced_by->of_several);
        QCOMPARE(beats[0].paced_by->time_ms, 0.0);
        QVERIFY(in.answer(e.post(Load{bar()})).applied); // of another run
        QVERIFY(in.answer(e.post(Stimulate{{0, 1, 1}, 1.5, 2, 50})).applied);
        run_to(e, in, 100);
        const auto clicked = e.beats(e.traces()[0].probe);
        QVERIFY(clicked.size() == 1 && clicked[0].paced_by.has_value());
        QCOMPARE(clicked[0].paced_by->stimulus, std::string("click"));
    }

    /// V of a trace that rests, rises and falls in straight lines.
    void beatsAroundARenewal()
    {
        QVERIFY(simulation::beats_of({}, {}, std::vector{5.0}).empty());
        std::vector<double> t;
        std::vector<float> v;
        const auto to = [&](double ms, float mV) {
            const double from = t.empty() ? -1 : t.back();
            const float v0 = v.empty() ? mV : v.back();
            for (double x = from + 1; x <= ms; ++x) {
                t.push_back(x);
                v.push_back(v0 + static_cast<float>((x - from) / (ms - from)) * (mV - v0));
            }
        };
        to(50, -85), to(52, 30), to(200, -40), to(203, 20), to(300, -75); // anew at 200
        to(400, -75), to(402, 30), to(600, -75), to(700, -75), to(702, 30), to(900, -75);
        const double anew[] = {200}, twice[] = {200, 210}, rest[] = {350};
        QCOMPARE(beats_of(t, v).size(), std::size_t(4));
        for (const auto& renewed :
             {std::span<const double>(anew), std::span<const double>(twice)}) {
            const auto b = beats_of(t, v, renewed);
            QCOMPARE(b.size(), std::size_t(3));
            QVERIFY(std::isnan(b[0].apd90_ms) && b[0].apd30_ms > 0);
            QVERIFY(std::isnan(b[1].cycle_ms) && b[1].apd90_ms > 150);
            QVERIFY(std::fabs(b[2].cycle_ms - 300) < 2 && b[2].diastolic_ms > 50);
        }
        const auto quiet = beats_of(t, v, rest); // nothing jumped: all of them, apart
        QCOMPARE(quiet.size(), std::size_t(4));
        QVERIFY(std::isfinite(quiet[1].apd90_ms) && std::isnan(quiet[2].cycle_ms));
        // as long as it has not come back it is no beat either
        const std::span times(t), now = times.first(206);
        QCOMPARE(beats_of(now, std::span(std::as_const(v)).first(206), anew).size(),
                 std::size_t(1));
    }

    /// Places of a re-entry show their newest activation: how long a turn takes is said of them.
    void reportOfReentry()
    {
        const auto session = bar();
        const auto tissue = build_tissue(session);
        ExportSource s;
        s.scene = tawara::test::scene_of(session, tissue, "CPU");
        const auto n = s.scene->mesh->vertex_count();
        s.beat_label = "newest turn in beat 1 of 1, from 1.6 ms";
        s.beat.apd90.assign(n, 60);
        for (std::size_t k = 0; k < n; ++k)
            s.beat.activation.push_back(182 +
                                        1818 * static_cast<float>(k) / static_cast<float>(n - 1));
        const auto first = [&] { return report_page(s).key.front(); };
        QCOMPARE(first().value, std::string("1818 ms")); // one long wave
        QCOMPARE(first().name, std::string("total activation time"));
        s.beat_span.turns = true;
        QCOMPARE(first().value, std::string("2000 ms"));
        QCOMPARE(first().name, std::string("newest activation of the re-entry"));
        s.beat.period.assign(n, 285.2F);
        s.beat.period.front() = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(first().value, std::string("285 ms"));
        QCOMPARE(first().name, std::string("cycle length of the re-entry, median"));
        QCOMPARE(first().note, std::string("5 to 95 %: 285 to 285; newest turn, until 2000 ms"));
        s.beat.period.assign(n, 1234.4F);
        QCOMPARE(first().value, std::string("1234 ms"));
        QCOMPARE(number_text(999.6, 3), std::string("999.6"));
        QCOMPARE(number_text(-1e6, 4), std::string("-1000000"));
    }

  private:
    QTemporaryDir dir_;
};

QTEST_GUILESS_MAIN(TestLiveFigures)
#include "test_live_figures.moc"
