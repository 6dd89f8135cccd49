// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of the sites' pulses while the sites are edited.
#include "app/document.hpp"
#include "app/site_pulses.hpp"
#include "engine/simulation/session/session_json.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/slowdown.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/site_words.hpp"

#include <QComboBox>
#include <QLabel>
#include <QTreeWidget>

using namespace tawara;
using simulation::Protocol;
using simulation::Stimulus;

namespace {

Stimulus site(const char* name, double start_ms, double radius_mm = 3)
{
    Stimulus s;
    s.name = name;
    s.region = simulation::Sphere{{0, 0, -60}, radius_mm};
    s.start_ms = start_ms;
    s.protocol = Protocol{};
    s.protocol->kind = Protocol::Kind::single;
    return s;
}

Stimulus burst(Stimulus s)
{
    s.protocol->kind = Protocol::Kind::burst;
    s.protocol->cycle_ms = 200;
    s.protocol->count = 8;
    return s;
}

QString plain(QString text)
{
    return text.replace(QChar(0x202f), ' ');
}

} // namespace

class TestSitePulses : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// A protocol that a site has got later has given none of the pulses that lie before that.
    void theLastPulseIsOneThatWasGiven()
    {
        SitePulses p;
        const SitePulses::Stimuli two{site("S1", 0), site("S2", 275)};
        p.open(two);
        QVERIFY(!p.lastPulse(0));
        QCOMPARE(p.lastPulse(100), std::optional(0.0));
        QCOMPARE(p.lastPulse(6000), std::optional(275.0));
        SitePulses::Stimuli changed{two[0], burst(two[1])};
        p.edited(two, changed, 6000);
        QCOMPARE(p.lastPulse(6000), std::optional(275.0));
        p.edited(changed, two, 6000); // undone
        QCOMPARE(p.lastPulse(6000), std::optional(275.0));
        changed[1].start_ms = 6100;
        p.edited(two, changed, 6000);
        QCOMPARE(p.lastPulse(6050), std::optional(275.0));
        QCOMPARE(p.lastPulse(6350), std::optional(6300.0));
        p.edited(changed, {}, 6400); // what was given was given
        QCOMPARE(p.lastPulse(9000), std::optional(6300.0));
        p.atOnce(7000);
        p.atOnce(9000); // clicked while the run stands there
        QCOMPARE(p.lastPulse(9000), std::optional(7000.0));
        p.restart(two);
        QVERIFY(!p.lastPulse(0));
    }

    void aChangedSiteKnowsWhatItGaveBefore()
    {
        SitePulses p;
        const SitePulses::Stimuli before{burst(site("A", 0)), site("B", 0)};
        p.open(before);
        auto& first = p.states()[0];
        first.pulses = first.captured = 8;
        first.last = CaptureState::Last::captured;
        first.decidedMs = 1400;
        auto later = before;
        later[0].start_ms = 3000;
        p.edited(before, later, 2000);
        QCOMPARE(p.states()[0].pulses, 0);
        QCOMPARE(p.states()[0].formerPulses, 8);
        const auto said = siteStateText(later[0], p.states()[0], 2000, 5000);
        QVERIFY2(said.startsWith("No pulse of the site as it is now was given yet.\nBefore the "
                                 "change: 8 of 8 pulses captured.\n"),
                 qPrintable(said));
        QCOMPARE(p.states()[1].formerPulses, 0);
        p.edited(later, before, 2100); // undone
        QCOMPARE(p.states()[0].pulses, 8);
        QCOMPARE(p.states()[0].last, CaptureState::Last::captured);
        QCOMPARE(p.states()[0].formerPulses, 0);
        auto named = before;
        named[0].name = "apex"; // a name changes no pulse
        p.edited(before, named, 2200);
        QCOMPARE(p.states()[0].pulses, 8);
        p.edited(named, {named[1]}, 2300);
        p.edited({named[1]}, named, 2400); // removed and brought back
        QCOMPARE(p.states()[0].pulses, 8);
        p.restart(named);
        QCOMPARE(p.states()[0].pulses, 0);
        p.edited(named, later, 100);
        QCOMPARE(p.states()[0].formerPulses, 0);
    }

    /// The run before's refractory period is said to be that, and the failure that a search ends
    /// with has not the colour of a site that does not capture.
    void aRefractoryPeriodIsOfARun()
    {
        Stimulus s = site("A", 0);
        s.protocol->kind = Protocol::Kind::s1s2;
        s.protocol->extra_ms = {400};
        SitePulses p;
        p.open({s});
        auto& known = p.states()[0];
        known.pulses = 4, known.captured = 3;
        known.last = CaptureState::Last::failed;
        const QColor red = captureColor(s, known);
        known.refractory = {"S2", 340, 330};
        QCOMPARE(captureColor(s, known), red); // another pulse than those of the search
        known.told = true;
        QVERIFY(captureColor(s, known) != red);
        QVERIFY2(!siteStateText(s, known, 900, 1000).contains("In the run before"),
                 qPrintable(siteStateText(s, known, 900, 1000)));
        PacingPanel panel;
        simulation::Session session;
        session.stimuli = {s};
        panel.setSession(session);
        panel.setCapture(p.states());
        const auto* list = panel.findChild<QTreeWidget*>("sites");
        QCOMPARE(list->topLevelItem(0)->text(2), QString("period found"));
        p.restart({s});
        const QString said = plain(siteStateText(s, p.states()[0], 0, 1000));
        QVERIFY2(
            said.startsWith("No pulse was given yet.\nIn the run before: S2 at 340 ms captured, "
                            "at 330 ms not: effective refractory period"),
            qPrintable(said));
        auto shorter = s;
        shorter.protocol->extra_ms = {335}; // the same search goes on
        p.edited({s}, {shorter}, 0);
        QVERIFY(
            plain(siteStateText(shorter, p.states()[0], 0, 1000)).contains("In the run before"));
        p.forgetRefractory();
        QVERIFY(!p.states()[0].refractoryBefore);
    }

    /// Who chooses S1-S2 gets a search, and is told when that has ended.
    void anS1S2SiteSearchesAndSaysWhenItHasEnded()
    {
        using Kind = Protocol::Kind;
        simulation::Session s;
        s.stimuli = {site("A", 0)};
        s.stimuli[0].protocol = Protocol{Kind::train, 800, 0, {}, 0, 1, 1000};
        PacingPanel panel;
        panel.setSession(s);
        connect(&panel, &PacingPanel::edited, this,
                [&](const QString&, const SessionChange& change) {
                    change(s);
                    panel.setSession(s);
                });
        auto* kind = panel.findChild<QComboBox*>("siteProtocol");
        Q_EMIT kind->activated(int(Kind::s1s2));
        Protocol& p = *s.stimuli[0].protocol;
        QCOMPARE(p, (Protocol{Kind::s1s2, 800, 8, {440}, 10, 10, 1000}));
        s.end_ms = 1e5;
        CaptureState c;
        c.last = CaptureState::Last::captured;
        c.pulses = c.captured = 20;
        c.refractory = {"S2", 430, 400};
        const auto said = [&](double now_ms) {
            panel.setSession(s);
            panel.setCapture({c});
            panel.setTime(now_ms, 1);
            return panel.findChild<QLabel*>("siteState")->text();
        };
        const auto* list = panel.findChild<QTreeWidget*>("sites");
        // one interval between the two is still to come
        QVERIFY2(!said(1).contains("The search has ended"), qPrintable(said(1)));
        QCOMPARE(list->topLevelItem(0)->text(2), QString("captures"));
        c.refractory.captured_ms = 410;
        QVERIFY2(said(1).contains("The search has ended: pulses to come tell no more of it. "
                                  "Untick the site to stop them."),
                 qPrintable(said(1)));
        QCOMPARE(list->topLevelItem(0)->text(2), QString("period found"));
        p.extra_ms = {405}; // nearer
        QVERIFY(!said(1).contains("The search has ended"));
        p.extra_ms = {440};
        QVERIFY2(said(99999).contains("No more pulses in this run."), qPrintable(said(99999)));
        // the last interval between the two was given and is not decided: a verdict is waited for
        c.refractory = {"S2", 420, 400};
        p.repeats = 4;
        const double at = 3 * (7 * 800 + 1000) + 440 + 430 + 420 + 7 * 800 + 410;
        c.decidedMs = at - 410;
        const QString waits = plain(said(at + 10));
        QVERIFY2(waits.contains("whether it captures shows by") && !waits.contains("has ended"),
                 qPrintable(waits));
        QCOMPARE(list->topLevelItem(0)->text(2), QString("captures"));
        c.decidedMs = at;
        c.refractory.captured_ms = 410;
        said(at + 61);
        QCOMPARE(list->topLevelItem(0)->text(2), QString("period found"));
        p.repeats = 10;
        c.decidedMs = -1;
        c.refractoryBefore = true;
        QVERIFY(!said(1).contains("The search has ended"));
        Q_EMIT kind->activated(int(Kind::burst)); // which ends, as bursts did
        QCOMPARE(p.repeats, 1);
        QCOMPARE(p.decrement_ms, 0.0);
        p = {Kind::train, 20, 0, {}, 0, 1, 1000};
        panel.setSession(s);
        Q_EMIT kind->activated(int(Kind::s1s2)); // each interval is one
        QCOMPARE(p, (Protocol{Kind::s1s2, 20, 8, {11}, 1, 10, 1000}));
    }

    /// On whatever way one comes to a protocol, it is one that a session file may hold; neither
    /// repeats of a burst nor of a search leak into the other, and a search that somebody has set
    /// up is as it was.
    void protocolsDoNotLeakIntoOneAnother()
    {
        using Kind = Protocol::Kind;
        const Protocol search{Kind::s1s2, 600, 8, {330}, 10, 10, 1000};
        const auto by = [](Protocol p, std::initializer_list<Kind> way) {
            for (const Kind k : way)
                turnInto(p, k);
            return p;
        };
        const Protocol bursts{Kind::burst, 200, 8, {}, 5, 3, 1000};
        for (const auto& way : {std::initializer_list<Kind>{Kind::s1s2},
                                {Kind::train, Kind::s1s2},
                                {Kind::single, Kind::train, Kind::s1s2}}) {
            const Protocol p = by(bursts, way);
            QCOMPARE(p, (Protocol{Kind::s1s2, 200, 8, {110}, 10, 10, 1000}));
            simulation::Session s;
            s.stimuli = {site("A", 0)};
            s.stimuli[0].protocol = p;
            QCOMPARE(simulation::parse_session(simulation::to_json(s), "s").stimuli[0].protocol,
                     std::optional(p));
        }
        for (const auto& way : {std::initializer_list<Kind>{Kind::burst},
                                {Kind::train, Kind::burst},
                                {Kind::single, Kind::burst}}) {
            const Protocol p = by(search, way);
            QCOMPARE(p.repeats, 1);
            QCOMPARE(p.decrement_ms, 0.0);
            QCOMPARE(by(p, {Kind::s1s2}).repeats, 10);
        }
        const Protocol own{Kind::s1s2, 600, 8, {400, 320}, 0, 1, 1000};
        QCOMPARE(by(own, {Kind::train, Kind::s1s2}), own);
        QCOMPARE(by(own, {Kind::s1s2}), own);
    }

    /// A search of a million repeats is looked through in a moment: it is at each redraw.
    void longSearchesAreNoBurden()
    {
        Stimulus s = site("A", 0);
        s.protocol = Protocol{Protocol::Kind::s1s2, 600, 8, {330}, 1e-4, 1000000, 1000};
        CaptureState c;
        c.refractory = {"S2", 320, 300};
        const test::ProcessorClock timer;
        QVERIFY(!searchEnded(s, c, 1));
        QVERIFY2(timer.elapsed() < 2000 * test::slowdown,
                 qPrintable(QString::number(timer.elapsed())));
    }

    /// Without tissue around it a site's pulses are given and never judged.
    void aPulseOfAllTissueIsSaidToBeGiven()
    {
        fake::WindowFixture f;
        f.start();
        f.window->document()->edits().edit("all", [](simulation::Session& s) {
            s.stimuli = {site("all", 10, 500), site("some", 10)};
        });
        const auto* list = f.window->findChild<QTreeWidget*>("sites");
        const auto state = [&](int i) { return list->topLevelItem(i)->text(2); };
        {
            const auto& states = f.window->document()->captures();
            QVERIFY(!states[0].surrounded && states[1].surrounded);
        }
        QTRY_COMPARE(state(1), QString("captures")); // the fake engine says so of all
        Q_EMIT f.host->samplesCleared();
        QCOMPARE(state(0), QString("waiting"));
        f.host->runUntil(100);
        QTRY_COMPARE(state(0), QString("given"));
        QCOMPARE(state(1), QString("waiting"));
        const auto& known = f.window->document()->captures().at(0);
        const auto said = plain(siteStateText(site("all", 10, 500), known, 100, 900));
        QVERIFY2(said.startsWith("The pulse at 10 ms was given. Capture cannot be judged: no "
                                 "tissue lies outside the site."),
                 qPrintable(said));
        f.stop();
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestSitePulses>(argc, argv);
}
#include "test_site_pulses.moc"
