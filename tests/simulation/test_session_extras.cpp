// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions beyond tissue and pulses: places, protocols, drugs, electrodes, the window's own
// settings.
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/simulation/session/late_pulses.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/full_session.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::simulation;
using full_session::full;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    if (at == std::string::npos)
        throw std::logic_error("nothing to replace: " + from);
    return text.replace(at, from.size(), to);
}

double parameter(const Region& r, const std::string& name)
{
    for (const auto& [n, v] : r.parameters)
        if (n == name)
            return v;
    return -1;
}

} // namespace

class TestSessionExtras : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void roundTrips()
    {
        const auto s = parse_session(full, "full");
        QVERIFY(s.regions[1].inherits() && s.regions[1].kind == "border_zone");
        QCOMPARE(std::get<Tetrahedra>(*s.regions[3].where).tetrahedra.size(), std::size_t(10));
        QVERIFY(!s.stimuli[0].on && s.stimuli[0].protocol->kind == Protocol::Kind::s1s2);
        QCOMPARE(s.leads.frame->left[0], 1.0); // unit length
        QVERIFY(s.leads.conductor == Leads::Conductor::torso);
        QCOMPARE(s.source_conductivity_S_per_m->sheet, 0.019);
        const auto text = to_json(s);
        QCOMPARE(QString::fromStdString(to_json(parse_session(text, "again"))),
                 QString::fromStdString(text));
        QVERIFY(text.find("\"map\": \"inferno\"") != std::string::npos);
        QVERIFY(parse_session(text, "again").view == s.view);
    }

    void errorsNameThePlace_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("says");
        for (const auto& c : full_session::cases)
            QTest::newRow(c.name) << c.from << c.to << c.says;
    }
    void errorsNameThePlace()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, says);
        try {
            parse_session(replaced(full, from.toStdString(), to.toStdString()), "full.json");
            QFAIL("was accepted");
        } catch (const InputError& e) {
            QVERIFY2(QString::fromUtf8(e.what()).contains(says), e.what());
        }
    }

    void regionsAreLaidOverOneAnother()
    {
        const auto s = parse_session(full, "full");
        const auto m = mesh::slab({4, 2, 2}, 0.5);
        auto p = lay_regions(s, m);
        const auto at = [&](const Vec3& x) -> const Region& {
            std::size_t best = 20; // not one of the painted ones
            for (std::size_t t = 20; t < m.tetrahedron_count(); ++t)
                if (norm(m.centroid(t) - x) < norm(m.centroid(best) - x))
                    best = t;
            return p.regions[static_cast<std::size_t>(p.of_tetrahedron[best])];
        };
        const auto& healthy = at({3.5, 1, 1});
        QCOMPARE(parameter(healthy, "g_Ks"), 0.4);
        QCOMPARE(parameter(healthy, "g_Kr"), 0.153 * 0.5); // the drug
        QCOMPARE(healthy.conductivity_S_per_m.fibre, 0.2);
        const auto& zone = at({0.1, 1.9, 1.9});
        QCOMPARE(parameter(zone, "g_Ks"), 0.2);
        QCOMPARE(parameter(zone, "g_Na"), 14.838 * 0.5);
        QCOMPARE(zone.conductivity_S_per_m.fibre, 0.1);
        const auto& ball = at({1, 1, 1});
        QCOMPARE(parameter(ball, "g_Ks"), 0.1); // both factors
        QCOMPARE(parameter(ball, "g_Kr"), 0.05);
        QCOMPARE(ball.kind, std::string());
        const auto& painted = p.regions[static_cast<std::size_t>(p.of_tetrahedron[5])];
        QVERIFY(painted.conductivity_S_per_m.fibre < 0.0021);
        auto other = s;
        other.drugs.clear();
        QVERIFY(same_places(s.regions, other.regions));
        lay_again(other, p);
        QCOMPARE(parameter(at({1, 1, 1}), "g_Kr"), 0.1);
        other.regions[3].where = Tetrahedra{{5000}};
        QVERIFY(!same_places(s.regions, other.regions));
        QVERIFY_THROWS_EXCEPTION(InputError, lay_regions(other, m));
        other.regions[3].where = Layer{Layer::Kind::mid}; // a slab has no layers
        QVERIFY_THROWS_EXCEPTION(InputError, lay_regions(other, m));
    }

    void pulsesOfProtocols()
    {
        Stimulus s;
        s.start_ms = 10;
        QCOMPARE(pulse_times(s, 1e6), (std::vector<double>{10}));
        s.period_ms = 100;
        s.count = 3;
        QCOMPARE(pulse_times(s, 1e6), (std::vector<double>{10, 110, 210}));
        QCOMPARE(pulse_times(s, 200), (std::vector<double>{10, 110}));
        s.count = 0;
        QCOMPARE(pulse_times(s, 1000).size(), std::size_t(10));
        s.protocol = Protocol{Protocol::Kind::s1s2, 500, 2, {300, 250}, 20, 2, 1000};
        QCOMPARE(pulse_times(s, 1e6),
                 (std::vector<double>{10, 510, 810, 1060, 2060, 2560, 2860, 3090}));
        s.protocol->decrement_ms = 249; // the second time the coupling is no longer than the pulse
        QCOMPARE(pulse_times(s, 1e6).size(), std::size_t(4));
        s.protocol = Protocol{Protocol::Kind::burst, 50, 3, {}, 10, 2, 400};
        QCOMPARE(pulse_times(s, 1e6), (std::vector<double>{10, 60, 110, 510, 550, 590}));
        s.on = false;
        QVERIFY(pulse_times(s, 1e6).empty());
    }

    void pulsesOfATimeAreNamed()
    {
        Stimulus s;
        s.start_ms = 10;
        QVERIFY(!pulse_before(s, 10));
        QCOMPARE(pulse_from(s, 10)->at_ms, 10.0);
        QVERIFY(!pulse_from(s, 10.02));
        QCOMPARE(pulse_before(s, 10.02)->name, std::string("the pulse"));
        for (const auto& p : {Protocol{Protocol::Kind::s1s2, 500, 2, {300, 250}, 20, 2, 1000},
                              Protocol{Protocol::Kind::burst, 50, 3, {}, 10, 2, 400},
                              Protocol{Protocol::Kind::train, 100, 0, {}}}) {
            s.protocol = p;
            const auto all = pulse_times(s, 3200);
            for (double t = 0; t < 3100; t += 10) {
                const auto next = std::lower_bound(all.begin(), all.end(), t);
                const auto from = pulse_from(s, t), before = pulse_before(s, t);
                QCOMPARE(from.has_value(), next != all.end());
                QCOMPARE(before.has_value(), next != all.begin());
                if (from)
                    QCOMPARE(from->at_ms, *next);
                if (before)
                    QCOMPARE(before->at_ms, *std::prev(next));
            }
        }
        QCOMPARE(pulse_before(s, 111)->name, std::string("pulse 2"));
        s.protocol = Protocol{Protocol::Kind::s1s2, 500, 2, {300, 250}};
        QCOMPARE(pulse_from(s, 511)->name, std::string("S2"));
        s.on = false;
        QVERIFY(!pulse_from(s, 0) && !pulse_before(s, 1000));
    }

    void pulsesAfterTheEndAreNamed()
    {
        Stimulus s;
        s.start_ms = 10;
        QVERIFY(!first_late_pulse(s, 100));
        QCOMPARE(first_late_pulse(s, 10)->name, std::string("the pulse"));
        s.protocol = Protocol{Protocol::Kind::s1s2, 500, 2, {300, 250}, 20, 2, 1000};
        const auto all = pulse_times(s, 1e6);
        for (double end : {5.0, 10.0, 400.0, 510.0, 811.0, 1060.0, 2000.0, 3090.0, 4000.0}) {
            const auto n = static_cast<std::int64_t>(all.size() - pulse_times(s, end).size());
            const auto late = first_late_pulse(s, end);
            QCOMPARE(late ? late->more + 1 : 0, n);
            if (late)
                QCOMPARE(late->at_ms, all[all.size() - static_cast<std::size_t>(n)]);
        }
        QCOMPARE(first_late_pulse(s, 400)->name, std::string("S1 pulse 2 of repeat 1"));
        QCOMPARE(first_late_pulse(s, 900)->name, std::string("S3 of repeat 1"));
        s.protocol = Protocol{Protocol::Kind::train, 100, 0, {}};
        QVERIFY2(!first_late_pulse(s, 1000), "it goes on for ever");
        QCOMPARE(first_late_pulse(s, 5)->at_ms, 10.0);
        s.protocol->count = 8;
        QCOMPARE(first_late_pulse(s, 500)->name, std::string("pulse 6"));
        QCOMPARE(first_late_pulse(s, 500)->more, 2);
        Session session;
        session.end_ms = 500;
        s.name = "apex";
        session.stimuli = {s};
        QCOMPARE(QString::fromStdString(late_pulses(session).at(0).text),
                 QString("stimulus apex: pulse 6 at 510 ms and 2 after it come after the end of "
                         "the run (500 ms)"));
        s.on = false;
        QVERIFY(!first_late_pulse(s, 5));
    }

    void drugsWithoutAnEffectAreNamed()
    {
        Session s;
        s.mesh = MeshSlab{{2, 2, 1}, 1};
        s.regions.resize(1);
        s.regions[0].model = "aliev_panfilov_1996";
        s.regions[0].variant.clear();
        s.drugs = {{"Dofetilide", {{"g_Kr", 0.5}}}};
        const auto warned = [&] {
            QString text;
            for (const auto& n : build_tissue(s).notices)
                if (n.text.starts_with("drug "))
                    text += (n.level == Notice::Level::warning ? "! " : "") +
                            QString::fromStdString(n.text);
            return text;
        };
        QVERIFY2(warned().startsWith("! drug Dofetilide: no model here has g_Kr;"),
                 qPrintable(warned()));
        s.regions[0].model = "ten_tusscher_2006";
        s.regions[0].variant = "epi";
        QCOMPARE(warned(), QString());
        s.drugs[0].factors.emplace_back("g_NaL", 0.5); // a class of drugs: one of its two acts
        QVERIFY2(warned().startsWith("drug Dofetilide: no model here has g_NaL;"),
                 qPrintable(warned()));
    }

    /// What a model lacks is no mistake: canonical names and other models' own are accepted.
    void factorsThatAModelLacksAreAccepted()
    {
        for (const char* name : {"g_NaL", "PR_NaK", "K_o"}) {
            const auto text = replaced(full, R"("factors": {"g_Kr": 0.5})",
                                       std::string(R"("factors": {")") + name + "\": 0.5}");
            QCOMPARE(parse_session(text, "s").drugs[0].factors[0].first, std::string(name));
        }
        const auto text = replaced(full, R"("model": "ten_tusscher_2006", "variant": "epi")",
                                   R"("model": "aliev_panfilov_1996")");
        const auto bare = replaced(text, R"("parameters": {"g_Ks": 0.4})", R"("kind": "")");
        QCOMPARE(parse_session(bare, "s").regions[1].scale.size(), std::size_t(2));
    }

    void presetsFitTheModels()
    {
        QCOMPARE(QString::fromStdString(parameter_name("ten_tusscher_2006", "g_Kr")),
                 QString("g_Kr"));
        QVERIFY(parameter_name("aliev_panfilov_1996", "g_Kr").empty());
        for (const auto& d : drug_presets()) {
            QVERIFY(!d.description.empty() && !d.source.empty());
            for (const auto& [name, factor] : d.drug.factors) {
                const auto& list = canonical_parameters();
                QVERIFY2(std::any_of(list.begin(), list.end(),
                                     [&](const auto& c) { return c.name == name; }),
                         name.c_str());
                QVERIFY(factor >= 0 && factor <= 1);
            }
        }
        Region r;
        const std::vector<Drug> half{{"x", {{"g_CaL", 0.5}, {"g_NaL", 0.5}}}};
        QCOMPARE(scaled_parameters(r, half).size(),
                 std::size_t(1)); // TT06 has no late sodium current
        for (const auto& t : tissue_presets())
            QVERIFY(t.region.inherits() && !t.source.empty());
    }
};
QTEST_GUILESS_MAIN(TestSessionExtras)
#include "test_session_extras.moc"
