// SPDX-License-Identifier: GPL-3.0-or-later
// A Purkinje network in sessions and runs: a bar of tissue with one junction at its left face.
#include "engine/cable/growth/network.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/session_purkinje.hpp"
#include "engine/simulation/tissue/purkinje.hpp"
#include "tests/several.hpp"
#include "tests/simulation/inbox.hpp"
#include "tests/simulation/purkinje_bar.hpp"
#include "tests/simulation/slab_run.hpp"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::bar;
using tawara::simulation::test::content;
namespace fs = std::filesystem;

namespace {

int passages(const QJsonObject& j, const char* kind)
{
    return j["passages"].toObject()[kind].toInt();
}

double delay(const QJsonObject& j, const char* kind)
{
    return j[kind].toObject()["median"].toDouble(-1);
}

Stimulus ectopic()
{
    Stimulus s;
    s.name = "ectopic";
    s.region = Box{{bar_mm - 1, 0, 0}, {bar_mm, 2, 2}};
    return s;
}

} // namespace

class TestPurkinje : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void keysAreReadAndWritten()
    {
        const std::string keys = R"({"grow": {"seed": 3, "branch_mm": 6, "moderator_band": false},
  "model": "stewart_2009", "conductivity_S_per_m": 1.5, "radius_um": 30, "fibres": 100,
  "space_step_mm": 0.2, "his_ms": {"start_ms": 5, "protocol": {"kind": "train", "cycle_ms": 600,
  "count": 3}}, "junctions": {"radius_mm": 0.7, "antegrade_ms": 5},
  "cut": ["left_bundle", 17], "probes": [{"name": "his", "position_mm": [1, 2, 3]}]})";
        const auto s = parse_session(session_text(keys), "keys");
        const auto& p = *s.purkinje;
        QVERIFY(p.wanted && p.files.empty() && p.grow.seed == 3 && p.grow.branch_mm == 6);
        QVERIFY(!p.grow.moderator_band && p.radius_um == 30 && p.fibres == 100);
        QVERIFY(p.antegrade_ms == 5 && p.junction_radius_mm == 0.7 && p.his_ms == 5);
        QCOMPARE(p.cut, (std::vector<std::string>{"left_bundle", "17"}));
        QCOMPARE(p.his_pulses().size(), std::size_t{1});
        QCOMPARE(p.his_pulses()[0].count, std::int64_t{3});
        QCOMPARE(to_json(parse_session(to_json(s), "again")), to_json(s));
        QVERIFY(purkinje_text(s) !=
                purkinje_text(parse_session(session_text(R"({"grow": {}})"), "x")));
    }

    void whatIsWrongIsSaid_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<QString>("says");
        const std::pair<const char*, const char*> cases[] = {
            {"{}", "/purkinje: names no network"},
            {R"({"grow": {}, "file": "a.vtu"})", "has both \"file\" and \"grow\""},
            {R"({"grow": {"brunch_mm": 3}})", "nearest known is 'branch_mm'"},
            {R"({"grow": {"branch_mm": -3}})", "/purkinje/grow/branch_mm"},
            {R"({"grow": {}, "length_unit": "mm"})", "/purkinje/length_unit"},
            {R"({"grow": {}, "his_ms": "never"})", "/purkinje/his_ms"},
            {R"({"grow": {}, "cut": [1.5]})", "/purkinje/cut/0"},
            {R"({"grow": {}, "model": "stewart"})", "/purkinje/model"},
            {R"({"grow": {}, "junctions": {"resistance_kOhm": 1, "antegrade_ms": 3}})",
             "/purkinje/junctions"},
            {R"({"grow": {}, "junctions": {"radius_mm": 0}})", "/purkinje/junctions/radius_mm"},
        };
        for (const auto& [keys, says] : cases)
            QTest::addRow("%s", keys) << keys << says;
    }
    void whatIsWrongIsSaid()
    {
        QFETCH(QString, keys);
        QFETCH(QString, says);
        try {
            (void)parse_session(session_text(keys.toStdString()), "bad");
            QFAIL("nothing was said");
        } catch (const InputError& e) {
            QVERIFY2(QString(e.what()).contains(says), e.what());
        }
    }

    /// What the tissue is given follows Ohm's law with the resistance of the session.
    void aJunctionsResistanceIsThatOfTheSession()
    {
        Bar bar;
        const auto t = build_tissue(bar.session(R"(, "junctions": {"resistance_kOhm": 2})", 1));
        const auto& d = t.network->description;
        const auto part = cable::make_cpu_network(d);
        const auto law = part->law();
        QVERIFY(!d.junctions.empty());
        for (std::size_t k = 0; k < d.junctions.size(); ++k) {
            double node_mV = 0;
            part->potentials({&d.junctions[k].node, 1}, {&node_mV, 1});
            for (const double tissue_mV : {-40.0, 30.0}) {
                const double uA = law.current(k, tissue_mV) * d.junctions[k].tissue_uF;
                QCOMPARE(2 * uA, node_mV - tissue_mV); // kOhm uA = mV
            }
        }
    }

    /// From the end of the cable into the bar, with a delay that grows with the resistance, up to a
    /// block.
    void aJunctionConductsWithADelay()
    {
        Bar bar;
        double before = 0;
        for (const double kOhm : {0.3, 1.0}) {
            const auto j = bar.run(
                bar.session(R"(, "junctions": {"resistance_kOhm": )" + std::to_string(kOhm) + "}"),
                "out");
            QCOMPARE(passages(j, "antegrade"), 1);
            const double ms = delay(j, "antegrade_delay_ms");
            qInfo("%.1f kOhm: %.2f ms", kOhm, ms);
            QVERIFY(ms > before && ms < 20);
            before = ms;
        }
        const auto blocked =
            bar.run(bar.session(R"(, "junctions": {"resistance_kOhm": 10000})"), "out");
        QCOMPARE(passages(blocked, "blocked"), 1);
        QVERIFY(content(bar.folder / "out/junctions.csv").contains(",blocked"));
        // the wall may still follow where the run ends sooner
        const auto sooner =
            bar.run(bar.session(R"(, "junctions": {"resistance_kOhm": 10000})", 30), "out");
        QCOMPARE(passages(sooner, "blocked"), 0);
        QCOMPARE(passages(sooner, "waiting"), 1);
    }

    /// What flows through junctions that do not conduct moves a lead, and is no beat.
    void aBlockedBeatHasNoQrs()
    {
        Bar bar;
        for (const auto& [kOhm, beats] : {std::pair{"1", 1}, {"20", 0}}) {
            auto s =
                bar.session(R"(, "junctions": {"resistance_kOhm": )" + std::string(kOhm) + "}");
            s.electrodes = {{"near", {bar_mm / 2, 4, 1}}};
            bar.run(s, "out");
            if (beats > 0) { // a map that begins after the beat says nothing against it
                auto later = s;
                later.output->maps_from_ms = 50;
                bar.run(later, "out");
            }
            const auto report =
                QJsonDocument::fromJson(content(bar.folder / "out/report.json")).object();
            const auto ecg = report["ecg"].toObject();
            QCOMPARE(ecg["beats"].toArray().size(), beats);
            if (beats > 0)
                continue;
            QCOMPARE(ecg["no_beats"].toString(), QString("no tissue was activated"));
            QVERIFY(content(bar.folder / "out/report.json")
                        .contains("no junction of the Purkinje network excited the tissue"));
        }
    }

    /// A beat that begins in the wall enters the network, and sooner than it is left.
    void anEctopicBeatGoesBackwards()
    {
        Bar bar;
        auto s = bar.session(R"(, "his_ms": "none", "junctions": {"resistance_kOhm": 1})", 40);
        s.stimuli.push_back(ectopic());
        const auto j = bar.run(s, "out");
        QCOMPARE(passages(j, "retrograde"), 1);
        const double ms = delay(j, "retrograde_delay_ms");
        qInfo("retrograde after %.2f ms", ms);
        QVERIFY(ms > 0 && ms < 4);
        QVERIFY(j["nodes_activated"].toInt() == j["nodes"].toInt());
    }

    void aBranchThatIsCutDoesNotConduct()
    {
        Bar bar;
        const auto j = bar.run(bar.session(R"(, "cut": [0])", 40), "out");
        QCOMPARE(passages(j, "silent"), 1);
        QVERIFY(j["nodes_activated"].toInt() < j["nodes"].toInt() / 2);
        try {
            bar.run(bar.session(R"(, "cut": ["left_bundel"])"), "out");
            QFAIL("nothing was said");
        } catch (const InputError& e) {
            QVERIFY2(QString(e.what()).contains("/purkinje/cut/0"), e.what());
        }
    }

    /// The search's delay is that of the run.
    void aWantedDelayIsFound()
    {
        Bar bar;
        const auto j = bar.run(bar.session(R"(, "junctions": {"antegrade_ms": 3})"), "out");
        const double found = j["resistance_search"].toObject()["delay_ms"].toDouble(),
                     ms = delay(j, "antegrade_delay_ms");
        qInfo("%.3f kOhm: %.2f ms by the search, %.2f ms in the run",
              j["resistance_kOhm"].toDouble(), found, ms);
        QVERIFY(std::abs(found - 3) < 0.45);
        QVERIFY(std::abs(ms - found) < 0.3);
        QVERIFY_THROWS_EXCEPTION(
            InputError, bar.run(bar.session(R"(, "junctions": {"antegrade_ms": 49})"), "out"));
    }

    void aProbeFarFromTheNetworkIsSaid()
    {
        Bar bar;
        const auto warned = [&](const char* place) {
            const auto keys = QString(R"(, "probes": [{"name": "middle", "position_mm": %1}])");
            const auto t = build_tissue(bar.session(keys.arg(place).toStdString(), 1));
            return std::any_of(t.notices.begin(), t.notices.end(), [](const Notice& n) {
                return n.text.find("probe \"middle\" of the Purkinje network is 1000 mm from its "
                                   "nearest node") != std::string::npos;
            });
        };
        QVERIFY(!warned("[-6, 0.75, 0.75]"));
        QVERIFY(warned("[-6, 1000.75, 0.75]"));
    }

    void aCheckpointGoesOnBitForBit()
    {
        Bar bar;
        auto s = bar.session(R"(, "junctions": {"resistance_kOhm": 1},
  "probes": [{"name": "middle", "position_mm": [-6, 0.75, 0.75]}])",
                             16);
        bar.run(s, "whole");
        s.output->checkpoint_every_ms = 6;
        s.end_ms = 8;
        bar.run(s, "first");
        s.end_ms = 16;
        s.output->checkpoint_every_ms = 0;
        bar.run(s, "second", bar.folder / "first" / checkpoint_name(6));
        for (const char* file : {"purkinje.csv", "junctions.csv", "purkinje_probes.csv",
                                 "activation.csv", "purkinje.vtu"}) {
            const auto whole = content(bar.folder / "whole" / file);
            QVERIFY2(whole.size() > 60, file);
            QVERIFY2(content(bar.folder / "second" / file) == whole, file);
        }
        auto other = s;
        other.purkinje->resistance_kOhm = 2;
        QVERIFY_THROWS_EXCEPTION(
            InputError, bar.run(other, "third", bar.folder / "first" / checkpoint_name(6)));
    }

    /// What is no tree is refused with its pieces, what is only untidy is mended aloud; a network
    /// somewhere else is refused.
    void filesAreChecked()
    {
        Bar bar;
        const auto why = [&](const char* text, const char* keys = "") -> QString {
            std::ofstream(bar.folder / "wire.vtk") << text;
            auto s = bar.session(keys, 1);
            s.purkinje->files = {"wire.vtk"};
            try {
                bar.run(s, "out");
            } catch (const InputError& e) {
                return e.what();
            }
            return "";
        };
        const QString head = "# vtk DataFile Version 3.0\nnetwork\nASCII\nDATASET POLYDATA\n";
        const auto lines = [&](const char* points, const char* pieces) {
            return (head + points + pieces).toStdString();
        };
        const auto cycle = why(lines("POINTS 4 float\n-6 1 1 -3 0 1 -3 1 1 0 1 1\n",
                                     "LINES 4 12\n2 0 1\n2 1 3\n2 0 2\n2 2 3\n")
                                   .c_str());
        QVERIFY2(cycle.contains("closes a cycle"), qPrintable(cycle));
        const auto doubled = why(lines("POINTS 5 float\n-6 1 1 -3 1 1 -3 1 1 0 1 1 50 50 50\n",
                                       "LINES 3 9\n2 0 1\n2 2 3\n2 0 1\n")
                                     .c_str());
        QCOMPARE(doubled, "");
        const auto report = content(bar.folder / "out/report.json");
        QVERIFY(report.contains("points are on no line"));
        QVERIFY(report.contains("taken as one"));
        const auto away =
            why(lines("POINTS 2 float\n90 1 1 99 1 1\n", "LINES 1 3\n2 0 1\n").c_str());
        QVERIFY2(away.contains("no end of the network lies within"), qPrintable(away));
    }

    /// The built-in heart's network has a junction at every end, and as many nodes as its length
    /// asks for.
    void theBuiltInHeartIsJoinedEverywhere()
    {
        auto s = default_session();
        s.purkinje->wanted = true;
        s.rest_tolerance_mV = 0;
        const auto t = build_tissue(s);
        QVERIFY(t.network);
        const auto& n = *t.network;
        QVERIFY(n.unjoined.empty());
        QVERIFY(n.junction_at.size() > 800);
        QCOMPARE(n.ports.size(), n.junction_at.size());
        const auto nodes = n.description.cables.compartments.nodes();
        QVERIFY(nodes > 14'000 && nodes < 20'000);
        for (std::size_t k = 0; k < n.ports.size(); ++k) {
            double sum = 0;
            for (auto i = n.ports.potential.first[k]; i < n.ports.potential.first[k + 1]; ++i)
                sum += static_cast<double>(n.ports.potential.weight[static_cast<std::size_t>(i)]);
            QVERIFY(std::abs(sum - 1) < 1e-5);
            QVERIFY(n.description.junctions[k].tissue_uF > 0);
        }
    }

    /// The trees that belong to a measured heart, in its coordinates, where the data are there.
    void sharedTreesMeetTheirHeart()
    {
        const fs::path data = fs::path(TAWARA_SOURCE_DIR).parent_path() / "shared/data";
        if (!fs::exists(data / "purkinje/True_LVtree.vtu"))
            QSKIP("trees of the shared data are not beside the repository");
        Bar bar;
        auto s = bar.session("", 1);
        for (const char* file : {"True_LVtree.vtu", "True_RVtree.vtu"}) {
            s.purkinje->files = {(data / "purkinje" / file).string()};
            Tissue none;
            Notices notices;
            const auto trees = network_trees(s, none, notices);
            QCOMPARE(trees.size(), std::size_t{1});
            qInfo("%s: %zu points, %zu ends", file, trees[0].points(),
                  cable::ends_of(trees[0]).size());
            QVERIFY(cable::ends_of(trees[0]).size() > 50);
        }
    }

    /// The window's engine: a network goes on when the tissue is edited, and begins anew.
    void theTissueChangesUnderANetwork()
    {
        const Bar bar;
        auto s = bar.session(R"(, "fibres": 4000, "junctions": {"resistance_kOhm": 0.3})", 80);
        s.probes.push_back({"right", {bar_mm - 0.5, 0.75, 0.75}});
        const auto peak = [](const Engine& e) {
            const auto traces = e.traces();
            return *std::max_element(traces[0].V_mV.begin(), traces[0].V_mV.end());
        };
        Inbox in;
        Engine e(in.handler());
        QVERIFY(in.answer(e.post(Load{s})).applied);
        QVERIFY(in.answer(e.post(StepOnce{50})).applied); // 1 ms: nothing has come to the wall
        auto regions = s.regions;
        regions[0].variant = "endo";
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QVERIFY(in.answer(e.post(Play{})).applied);
        QTRY_COMPARE_WITH_TIMEOUT(int(e.status().state), int(Status::State::finished), 30000);
        QVERIFY2(peak(e) > 0, qPrintable(QString::number(peak(e)))); // it excited the new tissue
        QVERIFY(in.answer(e.post(Reset{})).applied);
        QCOMPARE(e.status().step, std::int64_t(0));
        QVERIFY(in.answer(e.post(Play{})).applied);
        QTRY_COMPARE_WITH_TIMEOUT(int(e.status().state), int(Status::State::finished), 30000);
        QVERIFY2(peak(e) > 0, qPrintable(QString::number(peak(e))));
        // where the junction has no tissue any more nothing is driven
        QVERIFY(in.answer(e.post(Reset{})).applied);
        auto scar = regions[0];
        scar.where = Box{{-1, -1, -1}, {2.2, 2, 2}};
        scar.insulating = true;
        regions.push_back(scar);
        const auto a = in.answer(e.post(SetTissue{regions, {}}));
        QVERIFY2(a.applied, a.reason.c_str());
        QVERIFY(in.answer(e.post(Play{})).applied);
        QTRY_COMPARE_WITH_TIMEOUT(int(e.status().state), int(Status::State::finished), 30000);
        QVERIFY2(peak(e) < -80, qPrintable(QString::number(peak(e))));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestPurkinje>(argc, argv);
}
#include "test_purkinje.moc"
