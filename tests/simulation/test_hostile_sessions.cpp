// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sessions that were made to overflow a stack, to fill memory or to take for ever: each is refused
// by one line, soon, and with little memory.
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/simulation/session/json_fault.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_json.hpp"
#include "engine/simulation/session/session_paths.hpp"
#include "tests/slowdown.hpp"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <ctime>
#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

/// A session that runs, with one part replaced and one added.
std::string session(const std::string& region = {}, const std::string& protocol = {},
                    const std::string& more = {})
{
    return R"({"schema":1,"mesh":{"slab_mm":[2,2,2],"spacing_mm":0.5},"tissue":{"regions":[
        {"label":"*","model":"ten_tusscher_2006","conductivity_S_per_m":
         {"fibre":0.1,"sheet":0.1,"normal":0.1}})" +
           region + R"(]},"time":{"dt_ms":0.02,"end_ms":2},"stimuli":[{"name":"S1","region":
        {"box_mm":[[0,0,0],[1,1,1]]},"start_ms":0,"duration_ms":1,
         "amplitude_uA_per_cm3":50000)" +
           protocol + "}]" + more + "}";
}

std::string repeated(const std::string& s, int times)
{
    std::string r;
    for (int i = 0; i < times; ++i)
        r += s;
    return r;
}

/// Elements 0 to n - 1 of a list.
std::string numbered(int n, const std::function<std::string(int)>& element)
{
    std::string r;
    for (int k = 0; k < n; ++k)
        r += (k > 0 ? "," : "") + element(k);
    return r;
}

long peak_kB()
{
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

std::string why(const std::function<void()>& f)
{
    try {
        f();
    } catch (const InputError& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

class TestHostileSessions : public QObject
{
    Q_OBJECT
    static void row(const char* name, const std::string& text, const char* says)
    {
        QTest::newRow(name) << QByteArray(text.data(), qsizetype(text.size())) << QString(says);
    }

  private Q_SLOTS:
    void theGoodOneIsAccepted() { parse_session(session(), "s.json"); }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const auto lists = [](int n) { return repeated("[", n) + repeated("]", n); };
        row("deep view", session("", "", ",\"view\":{\"a\":" + lists(100000) + "}"),
            "nested more than 100 deep");
        row("deep objects", session("", "", ",\"view\":" + repeated("{\"a\":", 100000)),
            "nested more than 100 deep");
        row("never closed", "{\"" + std::string(1000000, 'k') + "\":" + repeated("[", 20000),
            "nested more than 100 deep");
        row("long key in a fault",
            "{\"" + std::string(10000000, 'k') + "\":" + repeated("[", 90) + "x", "is not JSON");
        row("many values", "{\"a\":[" + repeated("[],", 5000000) + "1]}", "more than 4000000");
        std::string keys = "{";
        for (int i = 0; i < 100000; ++i)
            keys += "\"k" + std::to_string(i) + "\":1,";
        row("many keys", keys + "\"z\":1}", "more than 2000 keys");
        std::string large = "{";
        for (int i = 0; i < 1900; ++i)
            large += "\"k" + std::to_string(i) + "\":1,";
        large += "\"z\":1}";
        row("large objects",
            session("", "", ",\"view\":{\"a\":[" + repeated(large + ",", 50) + "1]}"),
            "more than 20000 keys in objects of more than 64");
        for (const char* of : {"view", "probes", "stimuli", "x"}) {
            const std::string many = "{\"schema\":1,\"" + std::string(of) + "\":[" +
                                     repeated("{},", 100000) + "{}],\"x\":1}";
            row(of, many, *of == 'x' ? "given twice in one object" : "unknown key 'x'");
        }
        row("a long key", session("", "", ",\"" + std::string(20000000, 'k') + "\":1"),
            "unknown key 'kkk");
        row("a key that is cut between letters",
            session("", "", ",\"" + std::string(56, 'k') + "éééé\":1"), "kéé...'");
        row("long", "{\"a\":\"" + std::string(34 << 20, ' ') + "\"}", "more than 32 MB");
        row("a run of tetrahedra",
            session(",{\"where\":{\"tetrahedra\":[[0,2147483647]]},\"conductivity_scale\":0.5}"),
            "names more than 25000000");
        row("many runs",
            session(repeated(",{\"where\":{\"tetrahedra\":[[0,9999999]]},\"conductivity_scale\":"
                             "0.5}",
                             10)),
            "25000000 tetrahedra in all");
        const auto probe = [](int k) {
            return "{\"name\":\"" + std::to_string(k) + "\",\"position_mm\":[1,1,1]}";
        };
        row("probes", session("", "", ",\"probes\":[" + numbered(20001, probe) + "]"),
            ":/probes: is a list of 20001; it should be a list of at most 20000 probes");
        row("electrodes",
            session("", "", ",\"ecg\":{\"electrodes\":[" + numbered(5001, probe) + "]}"),
            ":/ecg/electrodes: is a list of 5001; it should be a list of at most 5000 electrodes");
        row("leads", session("", "", ",\"ecg\":{\"leads\":[" + numbered(5001, probe) + "]}"),
            ":/ecg/leads: is a list of 5001; it should be a list of at most 5000 leads");
        row("probes of a network",
            session("", "",
                    ",\"purkinje\":{\"grow\":{},\"probes\":[" + numbered(20001, probe) + "]}"),
            ":/purkinje/probes: is a list of 20001; it should be a list of at most 20000 probes");
        row("stimuli", session("", "}" + repeated(",{}", 19999) + ",{"),
            ":/stimuli: is a list of 20001; it should be a list of at most 20000 stimuli");
        row("regions", session(repeated(",{\"label\":1,\"conductivity_scale\":0.5}", 20000)),
            ":/tissue/regions: is a list of 20001; it should be a list of at most 20000 regions");
        row("extra pulses",
            session("", ",\"protocol\":{\"kind\":\"s1s2\",\"cycle_ms\":2,\"count\":1,\"extra_ms\":"
                        "[" +
                            repeated("2,", 5000) + "2],\"repeats\":1000000}"),
            "give fewer");
    }
    void refused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const std::string t(text.data(), std::size_t(text.size()));
        const long before = peak_kB();
        const std::clock_t began = std::clock(); // the processor's time: others may use it, too
        const QString what = QString::fromStdString(why([&] { parse_session(t, "s.json"); }));
        QVERIFY2(what.contains(says) && what.size() < 2100 && !what.contains('\n'),
                 qPrintable(what.left(300)));
        const double took_s = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
        QVERIFY2(took_s < 3 * tawara::test::slowdown, qPrintable(QString::number(took_s)));
        QVERIFY2(peak_kB() - before < 450000, qPrintable(QString::number(peak_kB() - before)));
    }

    /// A vertex that is listed again and again counts once, where it is first.
    void nodesAreEachOnce()
    {
        std::string text = session();
        const std::string box = "{\"box_mm\":[[0,0,0],[1,1,1]]}";
        const auto nodes = [&](const std::string& list) {
            auto t = text;
            t.replace(t.find(box), box.size(), "{\"nodes\":[" + list + "]}");
            return std::get<Nodes>(parse_session(t, "s.json").stimuli.at(0).region).nodes;
        };
        using List = std::vector<std::int64_t>;
        QCOMPARE(nodes(repeated("7,", 100000) + "7"), List{7});
        QCOMPARE(nodes("9,2,9,5,2"), (List{9, 2, 5}));
        QCOMPARE(nodes("5,4,3"), (List{5, 4, 3}));
    }

    void overridesToo()
    {
        const auto with = [&](const std::string& set) {
            const std::string overrides[] = {set};
            return why([&] { parse_session(session(), "s.json", overrides); });
        };
        QVERIFY(with("view=" + repeated("[", 50000) + repeated("]", 50000)).find("100 deep") !=
                std::string::npos);
        QVERIFY(with("view" + repeated(".a", 50000) + "=1").find("100 parts") != std::string::npos);
        // of what is long a message tells the beginning
        for (const auto& set :
             {"time." + std::string(400000, 'k') + "=1", "name=" + std::string(400000, 'k'),
              "time.dt_ms=" + std::string(400000, 'k'), std::string(400000, 'k') + "=null"})
            QVERIFY2(with(set).size() < 700, with(set).c_str());
    }

    /// What is long is no slip of what is known: it was compared with it, letter by letter.
    void longWordsAreNoSlips()
    {
        const test::ProcessorClock clock;
        const std::vector<std::string> known(100, "conductivity_S_per_m");
        QCOMPARE(likely(std::string(50'000'000, 'c'), known), std::string());
        QVERIFY(clock.elapsed() < 500 * tawara::test::slowdown);
        QCOMPARE(likely("conductivity", known), known[0]);
    }

    void pipesAndDevices()
    {
        QTemporaryDir dir;
        const auto pipe = dir.filePath("p.json").toStdString();
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        QElapsedTimer clock;
        clock.start();
        for (const auto& file : {pipe, std::string("/dev/zero")})
            QVERIFY(why([&] { read_session(file); }).find("a pipe or a device") !=
                    std::string::npos);
        QVERIFY(clock.elapsed() < 10000);
    }

    void filesElsewhere()
    {
        QTemporaryDir dir;
        const fs::path folder = fs::canonical(dir.path().toStdString());
        fs::create_directories(folder / "in" / "below");
        Session s;
        s.folder = folder / "in";
        MeshFile m{"below/heart.vtu", {}, "../fibres.vtk"};
        s.mesh = m;
        QCOMPARE(files_elsewhere(s), std::vector<std::string>{(folder / "fibres.vtk").string()});
        m = {
            (folder / "in/heart.vtu").string(), {}, std::string(rule_based)}; // absolute, but there
        s.mesh = m;
        s.regions[0].model = (folder / "cell.mmt").string();
        s.regions.push_back(s.regions[0]);
        QCOMPARE(files_elsewhere(s), std::vector<std::string>{(folder / "cell.mmt").string()});
        s.regions.resize(1);
        s.regions[0].model = "ten_tusscher_2006";
        fs::create_symlink(folder, folder / "in" / "link");
        s.mesh = MeshFile{"link/secret.vtu", {}, ""};
        QCOMPARE(files_elsewhere(s), std::vector<std::string>{(folder / "secret.vtu").string()});
    }
};

QTEST_GUILESS_MAIN(TestHostileSessions)
#include "test_hostile_sessions.moc"
