// SPDX-License-Identifier: GPL-3.0-or-later
// What pulses tell of the tissue: refractory periods.
#include "engine/simulation/pulse_log.hpp"
#include "engine/simulation/refractory.hpp"

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

} // namespace

class TestPacingAnswers : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
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
};

QTEST_APPLESS_MAIN(TestPacingAnswers)
#include "test_pacing_answers.moc"
