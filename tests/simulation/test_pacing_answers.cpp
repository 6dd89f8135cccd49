// SPDX-License-Identifier: GPL-3.0-or-later
// What pulses tell of the tissue, refractory periods, and which of them made a beat.
#include "engine/simulation/observe/beat_pulses.hpp"
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <vector>

using namespace tawara;
using namespace tawara::simulation;

namespace {

/// Four S1 every 500 ms, then S2: at first after first_ms, each time 10 ms less; 1000 ms of pause.
Stimulus search(double first_ms, int repeats)
{
    Stimulus s;
    s.name = "Apex";
    s.region = Sphere{{0, 0, 0}, 2};
    s.protocol = Protocol{Protocol::Kind::s1s2, 500, 4, {first_ms}, 10, repeats, 1000};
    return s;
}

/// All pulses of a stimulus that begin before then; S2 captures after erp_ms and more.
void decide(PulseLog& log, std::uint64_t number, const Stimulus& s, double from_ms, double to_ms,
            double erp_ms)
{
    for (const double at : pulse_times(s, to_ms))
        if (at >= from_ms)
            log.decided({0, number, 0, at, searched_coupling(s, at).value_or(500) > erp_ms + 1e-6});
}

/// Pulses of one site at these times; those below 0 failed, at the time without the sign.
std::vector<Pulse> pulses_at(const char* site, const std::vector<double>& ms)
{
    std::vector<Pulse> out;
    for (const double at : ms) {
        Pulse p;
        p.site = site;
        p.time_ms = std::fabs(at);
        p.coupling_ms = out.empty() ? 0 : p.time_ms - out.back().time_ms;
        p.captured = at >= 0;
        p.duration_ms = 2;
        out.push_back(p);
    }
    return out;
}

/// "A 0, -, B 700": what made beats at those times.
QString makers(const std::vector<double>& beats_ms, const std::vector<Pulse>& pulses,
               const std::optional<Vec3>& place = {})
{
    std::vector<Beat> beats;
    for (const double at : beats_ms) {
        beats.emplace_back();
        beats.back().activation_ms = at;
    }
    QStringList out;
    for (const auto& m : pulses_behind(beats, pulses, place))
        out << (m.pulse == nullptr ? QString("-")
                                   : QString("%1 %2")
                                         .arg(QString::fromStdString(m.stimulus))
                                         .arg(m.pulse->time_ms));
    return out.join(", ");
}

QStringList lines_of(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly)
               ? QString::fromUtf8(f.readAll()).split('\n', Qt::SkipEmptyParts)
               : QStringList();
}

/// A bar with S1 at 0, S2 280 ms later, which fails, and so on with 400.
Session searched_bar()
{
    auto s = test::bar(900);
    s.stimuli = {test::end_of_bar(0)};
    s.stimuli[0].name = "base, left";
    s.stimuli[0].protocol = Protocol{Protocol::Kind::s1s2, 600, 1, {200}, -250, 2, 200};
    return s;
}

} // namespace

class TestPacingAnswers : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// A cable of 40 mm with sites at both ends, the right one 6 ms later: the newest pulse is not
    /// the one whose wave was there first.
    void theNearerSiteMadeTheBeat()
    {
        auto both = pulses_at("left", {0, 500});
        for (auto& p : both)
            p.extent = extent_of(Sphere{{0, 0, 0}, 1});
        for (auto& p : pulses_at("right", {6, 506})) {
            both.push_back(p);
            both.back().extent = extent_of(Box{{39, -1, -1}, {40, 1, 1}});
        }
        QCOMPARE(both.back().extent->distance_mm({36, 0, 5}), 5.0);
        QCOMPARE(both.front().extent->distance_mm({0.5, 0, 0}), 0.0);
        // 33 mm in 1.2 ms; 25 mm in 18.7 ms; and what is the right one's
        QCOMPARE(makers({7.2, 507.2}, both, Vec3{5, 0, 0}), QString("left 0, left 500"));
        QCOMPARE(makers({24.7, 524.7}, both, Vec3{15, 0, 0}), QString("left 0, left 500"));
        QCOMPARE(makers({30.2, 530.2}, both, Vec3{25, 0, 0}), QString("right 6, right 506"));
        QCOMPARE(makers({7.2}, both), QString("right 6")); // the newest: nobody knows where
        // a wave that has been blocked is not taken for slow
        QCOMPARE(makers({540}, both, Vec3{15, 0, 0}), QString("right 506"));
        // what no wave can reach came from elsewhere
        for (auto& p : both)
            p.time_ms += 100;
        QCOMPARE(makers({101}, both, Vec3{20, 0, 0}), QString("-"));
    }
    void couplingOfWhatSearches()
    {
        auto s = search(310, 3);
        QCOMPARE(searched_kind(s), std::string("S2"));
        QCOMPARE(searched_coupling(s, 1810).value_or(0), 310.0);
        QCOMPARE(searched_coupling(s, 2810 + 1500 + 300).value_or(0), 300.0);
        QVERIFY(!searched_coupling(s, 1500) && !searched_coupling(s, 1811)); // S1; none
        s.protocol->extra_ms = {320, 280};
        QCOMPARE(searched_kind(s), std::string("S3"));
        QVERIFY(!searched_coupling(s, 1820));
        QCOMPARE(searched_coupling(s, 2100).value_or(0), 280.0);
        s.protocol->kind = Protocol::Kind::train;
        QVERIFY(searched_kind(s).empty() && !searched_coupling(s, 1820));
        // what is searched with may change, the rest may not
        const auto a = search(310, 3);
        auto b = search(250, 1);
        b.start_ms = 70;
        b.protocol->pause_ms = 5;
        QVERIFY(same_search(a, b));
        QVERIFY(!search_key(a).empty() && search_key(a) == search_key(b));
        b.protocol->cycle_ms = 400;
        QVERIFY(!same_search(a, b));
        b = a;
        b.amplitude_pA_per_pF += 1;
        QVERIFY(!same_search(a, b));
        b = a;
        b.region = Sphere{{0, 0, 1}, 2};
        QVERIFY(!same_search(a, b));
    }

    void isTheLongestIntervalThatFails()
    {
        PulseLog log;
        const auto s = search(330, 5); // 330, 320, 310, 300, 290
        const auto number = log.set({&s, 1}, 0);
        decide(log, number, s, 0, 7000, 300);
        auto found = refractory(log.until(7000)); // two S2 by then
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].found, (Refractory{"S2", 320, 0}));
        QVERIFY(!found[0].found.effective_ms());
        QCOMPARE(refractory_text(found[0].found),
                 std::string("below 320 ms (S2 at 320 ms captured)"));
        decide(log, number, s, 7000, 1e5, 300);
        found = refractory(log.until(1e5));
        QCOMPARE(found[0].found, (Refractory{"S2", 310, 300}));
        QCOMPARE(found[0].found.effective_ms().value_or(0), 300.0);
        QCOMPARE(found[0].site, std::string("Apex"));
        const auto notices = refractory_notices(log.until(1e5));
        QCOMPARE(notices.size(), std::size_t{1});
        QCOMPARE(notices[0].text, std::string("site 'Apex': effective refractory period 300 ms (S2 "
                                              "at 310 ms captured, at 300 ms not)"));
        // of another tissue since then
        QCOMPARE(refractory(log.until(1e5), 7800).at(0).found, (Refractory{"S2", 0, 300}));
        QVERIFY(refractory(log.until(1e5), 1e5).empty());
    }

    /// One who tries intervals by hand gets the same answer; another amplitude is another question.
    void goesOnOverEditsOfTheInterval()
    {
        PulseLog log;
        const auto first = search(310, 1);
        auto second = search(300, 1);
        second.start_ms = 4000;
        decide(log, log.set({&first, 1}, 0), first, 0, 4000, 300);
        decide(log, log.set({&second, 1}, 4000), second, 4000, 8000, 300);
        auto found = refractory(log.until(8000));
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].found.effective_ms().value_or(0), 300.0);
        QCOMPARE(found[0].protocol, protocol_text(second));
        auto third = second;
        third.start_ms = 8000;
        third.amplitude_pA_per_pF = 90;
        decide(log, log.set({&third, 1}, 8000), third, 8000, 12000, 250);
        found = refractory(log.until(12000));
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].found, (Refractory{"S2", 300, 0})); // the newest list comes first
    }

    void pulsesThatTellNothing()
    {
        const auto s = search(300, 1); // S1 at 0, 500, 1000, 1500, S2 at 1800
        const auto with = [&](auto change) {
            PulseLog log;
            const auto number = log.set({&s, 1}, 0);
            decide(log, number, s, 0, 3000, 300);
            auto pulses = log.until(3000);
            change(log, pulses, number);
            return refractory(pulses);
        };
        const auto none = [](auto&, auto&, auto) {};
        QCOMPARE(with(none).at(0).found, (Refractory{"S2", 0, 300}));
        QCOMPARE(refractory_text(with(none)[0].found),
                 std::string("300 ms or longer (S2 at 300 ms did not capture)"));
        const auto overtaken = [](auto&, auto& p, auto) { p.at(4).overtaken = true; };
        QVERIFY(with(overtaken).empty());
        const auto weak = [](auto&, auto& p, auto) { p.at(3).captured = false; }; // S1 before it
        QVERIFY(with(weak).empty());
        const auto unknown = [](auto&, auto& p, auto) { p.at(4).captured.reset(); };
        QVERIFY(with(unknown).empty());
        const auto clicked = [](bool captured) {
            return [captured](auto&, auto& p, auto) {
                Pulse click;
                click.click = true;
                click.time_ms = 1650;
                click.captured = captured;
                p.push_back(click);
            };
        };
        QVERIFY(with(clicked(true)).empty()); // its wave came between
        QCOMPARE(with(clicked(false)).size(), std::size_t{1});
    }

    void whatContradictsIsSaid()
    {
        Refractory r;
        QCOMPARE(refractory_text(r), std::string());
        r.add("S3", 290, true);
        r.add("S3", 300, false);
        QVERIFY(r.contradicts() && !r.effective_ms());
        QCOMPARE(refractory_text(r),
                 std::string("not the same each time (S3 at 290 ms captured, at 300 ms not)"));
    }

    void aBeatIsOfTheNewestPulse()
    {
        const auto train = pulses_at("A", {0, 600, 900});
        QCOMPARE(makers({50, 650, 960}, train), QString("A 0, A 600, A 900"));
        QCOMPARE(makers({50, 650, 960, 1150, 1340}, train), // it goes round
                 QString("A 0, A 600, A 900, -, -"));
        QCOMPARE(makers({30, 650}, pulses_at("A", {50, 600})), QString("-, A 600")); // none before
        QCOMPARE(makers({}, train), QString());
        QCOMPARE(makers({50}, {}), QString("-"));
    }

    void wavesTakeTheirTime()
    {
        // the second wave does not arrive; the third takes as long as the first did
        QCOMPARE(makers({80, 1290}, pulses_at("A", {0, 600, 1200})), QString("A 0, A 1200"));
        // S2 is given before S1's wave is there
        QCOMPARE(makers({320, 3320, 3650}, pulses_at("A", {0, 3000, 3300})),
                 QString("A 0, A 3000, A 3300"));
        // too soon for the wave, or too late
        QCOMPARE(makers({80, 605}, pulses_at("A", {0, 600})), QString("A 0, -"));
        QCOMPARE(makers({80, 900}, pulses_at("A", {0, 600})), QString("A 0, -"));
        QCOMPARE(makers({501}, pulses_at("A", {0})), QString("-"));
    }

    /// A premature wave is slow; those after it are as quick as those before it.
    void wavesAreQuickAgainAfterASlowOne()
    {
        const auto pulses = pulses_at("A", {0, 600, 920, 1720, 2320});
        QCOMPARE(makers({8.2, 608.1, 940.3, 1728.1, 2328.1}, pulses),
                 QString("A 0, A 600, A 920, A 1720, A 2320"));
    }

    void severalSites()
    {
        auto both = pulses_at("A", {0, 1000});
        for (const auto& p : pulses_at("B", {500, 1000}))
            both.push_back(p);
        QCOMPARE(makers({80, 520, 1020}, both), QString("A 0, B 500, B + A 1000"));
    }

    void failedPulses()
    {
        QCOMPARE(makers({50, 650}, pulses_at("A", {0, -300, 600})), QString("A 0, A 600"));
        // within the site V rises by the current itself
        const auto local = pulses_at("A", {0, -300});
        QCOMPARE(makers({1, 301}, local), QString("A 0, A 300"));
        QCOMPARE(makers({1, 310}, local), QString("A 0, -"));
        auto overtaken = local;
        overtaken[1].overtaken = true;
        QCOMPARE(makers({1, 301}, overtaken), QString("A 0, -"));
        auto unknown = local; // decided too late
        unknown[1].captured.reset();
        QCOMPARE(makers({1, 301}, unknown), QString("A 0, A 300"));
    }

    void whatATableSays()
    {
        Pulse p;
        p.kind = "S2";
        p.time_ms = 1810, p.coupling_ms = 310, p.captured = true;
        QCOMPARE(pulse_fields({&p, "Apex, left"}), std::string("\"Apex, left\",S2,1810,310,1"));
        p.captured = false, p.coupling_ms = 0;
        QCOMPARE(pulse_fields({&p, "Apex"}), std::string("Apex,S2,1810,,0"));
        p.captured.reset();
        QCOMPARE(pulse_fields({&p, "Apex"}), std::string("Apex,S2,1810,,"));
        QCOMPARE(pulse_fields({}), std::string(",,,,"));
    }

    /// A checkpoint knows what captured, and follows pulses that are not decided yet.
    void resumedRunsKnowTheirPulses_data()
    {
        QTest::addColumn<QString>("at");
        QTest::newRow("S1 is given") << "00000001.000";
        QTest::newRow("S2 begins") << "00000200.000";
        QTest::newRow("S2 is followed") << "00000230.000";
        QTest::newRow("all is decided") << "00000300.000";
    }
    void resumedRunsKnowTheirPulses()
    {
        QFETCH(QString, at);
        const QTemporaryDir dir;
        auto s = searched_bar();
        s.end_ms = 320;
        s.output->checkpoint_every_ms = at.startsWith("00000001") ? 1 : 10;
        s.output->checkpoints_kept = 0;
        const auto pulses = [&](const char* folder, const RunOptions& with = {}) {
            auto o = with;
            o.out = (dir.path() + '/' + folder).toStdString();
            run_session(s, o);
            const QString report =
                lines_of(dir.filePath(QString("%1/report.json").arg(folder))).join('\n');
            return report.section("\"pulses\"", 1).section("\"seconds\"", 0, 0);
        };
        const QString whole = pulses("whole");
        QVERIFY2(whole.count("\"captured\": true") == 1 &&
                     whole.count("\"captured\": false") == 1 &&
                     whole.contains("\"longest_failed_ms\": 200.0"),
                 qPrintable(whole));
        RunOptions o;
        o.resume = dir.filePath("whole/checkpoint-" + at + "ms.tcp").toStdString();
        QCOMPARE(pulses("resumed", o), whole);
        QCOMPARE(lines_of(dir.filePath("resumed/beats.csv")),
                 lines_of(dir.filePath("whole/beats.csv")));
    }

    /// On a fine mesh of fvm: S2 lifts the tissue beside the site through the threshold, and no
    /// wave leaves.
    void aResponseThatStaysLocalIsNoCapture_data()
    {
        QTest::addColumn<double>("coupling_ms");
        QTest::addColumn<bool>("captures");
        QTest::newRow("270") << 270.0 << false;
        QTest::newRow("280") << 280.0 << false;
        QTest::newRow("350") << 350.0 << true;
    }
    void aResponseThatStaysLocalIsNoCapture()
    {
        QFETCH(double, coupling_ms);
        QFETCH(bool, captures);
        QTemporaryDir dir;
        Session s;
        s.mesh = MeshSlab{{10, 1, 1}, 0.5};
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {0.1334, 0.0176, 0.0176};
        s.end_ms = coupling_ms + 70;
        s.probes = {{"mid", {5, 0.5, 0.5}}};
        s.output->frames = FrameFormat::none;
        Stimulus x;
        x.region = Box{{0, 0, 0}, {1, 1, 1}};
        x.protocol = Protocol{Protocol::Kind::s1s2, 600, 1, {coupling_ms}, 0, 1, 100};
        s.stimuli = {x};
        RunOptions o;
        o.out = dir.filePath("o").toStdString();
        o.device = {"cpu", Precision::double_, 1};
        const auto report =
            QJsonDocument::fromJson(QByteArray::fromStdString(run_session(s, o, {}).json));
        const auto pulses = report["pulses"].toArray();
        QCOMPARE(pulses.size(), 2);
        QVERIFY(pulses[0]["captured"].toBool());
        QCOMPARE(pulses[1]["captured"].toBool(), captures);
        const auto beats = lines_of(dir.filePath("o/beats.csv")).size() - 1;
        QCOMPARE(beats, captures ? 2 : 1); // what the tissue says
    }

    /// A wave has swept the site, and is still on its way through the tissue around when the pulse
    /// comes: nothing of what it reaches is the pulse's doing.
    void aWaveThatHasPassedIsNoCapture_data()
    {
        QTest::addColumn<double>("at_ms");
        for (const double at : {42.0, 42.5, 43.0, 43.5, 44.0})
            QTest::addRow("%g", at) << at;
    }
    void aWaveThatHasPassedIsNoCapture()
    {
        QFETCH(double, at_ms);
        Session s;
        s.mesh = MeshSlab{{30, 10, 3}, 1};
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {0.3528, 0.1669, 0.1162};
        s.dt_ms = 0.05;
        s.end_ms = at_ms + 5;
        s.output->frames = FrameFormat::none;
        Stimulus wave, late;
        wave.name = "wave";
        wave.region = Sphere{{3, 5, 1.5}, 2};
        late.name = "late";
        late.region = Sphere{{25, 5, 1.5}, 2};
        late.start_ms = at_ms;
        s.stimuli = {wave, late};
        const QTemporaryDir dir;
        RunOptions o;
        o.out = dir.filePath("o").toStdString();
        o.device = {"cpu", Precision::double_, 1};
        const auto report =
            QJsonDocument::fromJson(QByteArray::fromStdString(run_session(s, o, {}).json));
        const auto pulses = report["pulses"].toArray();
        QCOMPARE(pulses.size(), 2);
        QVERIFY(pulses[0]["captured"].toBool());
        QVERIFY(!pulses[1]["captured"].toBool(true));
    }

    /// The same of a run of the command line and of the window's export.
    void tablesOfRuns()
    {
        const QTemporaryDir dir;
        const auto s = searched_bar();
        RunOptions o;
        o.out = dir.path().toStdString();
        std::vector<std::string> said;
        o.notice = [&](const Notice& n) { said.push_back(n.text); };
        run_session(s, o);
        const auto table = lines_of(dir.filePath("beats.csv"));
        QCOMPARE(table.size(), 1 + 3 + 3); // S1, S1, S2 at each probe
        QVERIFY(table[0].endsWith(
            ",tissue_changed_ms,stimulus,pulse,pulse_ms,coupling_ms,captured,driven_by"));
        const QString name = QStringLiteral("\"base, left\"");
        for (int k : {1, 4}) {
            QVERIFY2(table[k].endsWith(',' + name + ",S1,0,,1,"), qPrintable(table[k]));
            QVERIFY2(table[k + 1].endsWith(',' + name + ",S1,400,200,1,"),
                     qPrintable(table[k + 1]));
            QVERIFY2(table[k + 2].endsWith(',' + name + ",S2,850,450,1,"),
                     qPrintable(table[k + 2]));
        }
        const std::string answer = "site 'base, left': effective refractory period 200 ms (S2 at "
                                   "450 ms captured, at 200 ms not)";
        QVERIFY(std::find(said.begin(), said.end(), answer) != said.end());

        Inbox in;
        Engine e(in.handler(), test::one_thread());
        QVERIFY(in.answer(e.post(Load{s})).applied);
        test::run_to(e, in, 300);
        const auto table_of = [&](const char* kind, QString* error = nullptr) {
            const QString file = dir.filePath(QString("window-%1.csv").arg(kind));
            in.clear();
            e.post(Export{kind, file.toStdString()});
            in.wait([](const Event& x) { return std::holds_alternative<Exported>(x); });
            for (const auto& x : in.all())
                if (const auto* done = std::get_if<Exported>(&x);
                    done != nullptr && error != nullptr)
                    *error = QString::fromStdString(done->error);
            return lines_of(file);
        };
        QString error; // nothing is written then
        QVERIFY(table_of("restitution-csv", &error).empty());
        QVERIFY2(error.contains("no probe has a whole beat after another one yet"),
                 qPrintable(error));
        QVERIFY(!QFile::exists(dir.filePath("window-restitution-csv.csv")));
        test::run_to(e, in, 899);
        const auto exported = table_of("beats-csv");
        QCOMPARE(exported.size(), table.size());
        QCOMPARE(exported[0], table[0]);
        for (int k = 1; k < table.size(); ++k)
            QCOMPARE(exported[k].section(name, 1), table[k].section(name, 1));
        // S2's beat goes on, S1's second one is the only point of each probe
        const auto points = table_of("restitution-csv", &error);
        QVERIFY2(error.isEmpty() && points.size() == 1 + 2, qPrintable(error));
        QCOMPARE(points[0], QString("probe,beat,activation_ms,diastolic_ms,apd90_ms,tissue,") +
                                QString::fromStdString(pulse_columns()));
        for (int p = 0; p < 2; ++p) {
            const auto all = exported[3 * p + 2].split(','), row = points[1 + p].split(',');
            QCOMPARE(row.mid(0, 3), all.mid(0, 3));
            QCOMPARE(row[3], all[10]); // diastolic interval
            QCOMPARE(row[4], all[9]);  // APD90
            QVERIFY2(points[1 + p].endsWith(",1," + name + ",S1,400,200,1"), qPrintable(points[1]));
        }
    }
};

QTEST_APPLESS_MAIN(TestPacingAnswers)
#include "test_pacing_answers.moc"
