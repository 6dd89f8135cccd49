// SPDX-License-Identifier: GPL-3.0-or-later
// The command line on cell models.
#include "tests/several.hpp"
#include "tests/simulation/command_line.hpp"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace tawara;
using test::run;

namespace {

void write(const QString& file, const std::string& text)
{
    QFile f(file);
    if (f.open(QIODevice::WriteOnly))
        f.write(text.data(), static_cast<qint64>(text.size()));
}

} // namespace

class TestCliCells : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return (dir_.path() + "/" + name).toStdString(); }

  private Q_SLOTS:
    void cellCommands()
    {
        auto r = run({"cell", "list", "--json"});
        QVERIFY(r.json()["models"].toArray().size() >= 10);
        for (const auto& m : r.json()["models"].toArray())
            QVERIFY(m.toObject()["states"].toInt() >= 2 &&
                    !m.toObject()["source"].toString().isEmpty());
        r = run({"cell", "info", "ten_tusscher_2006", "--json"});
        auto j = r.json();
        QCOMPARE(j["states"].toArray().size(), 19);
        for (const char* key : {"parameters", "gates", "variants"})
            QVERIFY2(!j[key].toArray().isEmpty(), key);
        QVERIFY(j["operations"].isDouble());
        r = run({"cell", "run", "ten_tusscher_2006", "--variant", "epi", "--until", "500", "--dt",
                 "0.02", "--out", path("t.csv"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const double apd90 = r.json()["beats"].toArray()[0].toObject()["apd90_ms"].toDouble();
        QVERIFY2(apd90 > 250 && apd90 < 350, std::to_string(apd90).c_str());
        QFile t(dir_.path() + "/t.csv");
        QVERIFY(t.open(QIODevice::ReadOnly));
        const auto lines = t.readAll().trimmed().split('\n');
        QVERIFY(lines[0].startsWith("time_ms,membrane.V,"));
        QCOMPARE(lines[0].split(',').size(), 20);
        QCOMPARE(lines.size(), 502); // head, 0 to 500 ms
    }

    void optimiserReports()
    {
        const auto r = run({"cell", "info", "ten_tusscher_2006", "--optimise", "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto o = r.json()["optimise"].toObject();
        QVERIFY(o["passes"].toArray().size() >= 5);
        QVERIFY(o["after"].toObject()["instructions"].toInt() <
                0.65 * o["before"].toObject()["instructions"].toInt());
        QVERIFY(r.json()["compile_ms"].toDouble() > 0);
    }

    /// Equal runs say the same of themselves, though the first may have had to make machine code.
    void whatMadeATableIsNotWhatWasMeasured()
    {
        const auto run_to = [&](const char* table) {
            return run({"cell", "run", "mitchell_schaeffer_2003", "--bcl", "500", "--beats", "3",
                        "--out", path(table), "--json"});
        };
        const auto made = [&](const char* table) {
            QFile f(QString::fromStdString(path(table)) + ".provenance.json");
            return f.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(f.readAll()).object()
                                               : QJsonObject();
        };
        const auto r = run_to("first.csv");
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(run_to("second.csv").status, 0);
        const auto options = made("first.csv")["options"].toObject();
        QCOMPARE(options["bcl_ms"].toDouble(), 500.0);
        QCOMPARE(options["until_steady"].toBool(true), false);
        for (const char* measured : {"compile_ms", "drift", "beats", "final_state"})
            QVERIFY2(r.json().contains(measured) && !options.contains(measured), measured);
        QCOMPARE(made("second.csv"), made("first.csv"));
    }

    /// A model that somebody wrote: found by its path, its unclear potential by an option.
    void modelFiles()
    {
        write(dir_.path() + "/two.mmt", R"([[model]]
cell.V = -80
other.V = -70
[engine]
time = 0 [ms] in [ms] bind time
pace = 0 bind pace
[cell]
i_push = -25 * engine.pace
dot(V) = -0.1 * (V + 80) - i_push in [mV]
[other]
dot(V) = 0.1 * (cell.V - V) in [mV]
[[protocol]]
1 10 2 500 0
)");
        auto r = run({"cell", "run", path("two.mmt"), "--until", "30", "--json"});
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
        QVERIFY2(r.err.find("cell.V, other.V") != std::string::npos &&
                     r.err.find("--membrane-potential cell.V") != std::string::npos,
                 r.err.c_str());
        // 25 mV/ms for 2 ms from 10 ms on, in both ways of stepping: 250 (1 - exp(-0.2)) mV
        for (const char* scheme : {"rk4", "cvode"}) {
            r = run({"cell", "run", path("two.mmt"), "--v", "cell.V", "--until", "12", "--dt",
                     "0.05", "--scheme", scheme, "--json"});
            QVERIFY2(r.status == 0, r.err.c_str());
            QCOMPARE(r.json()["stimulus"].toString(), QString("own"));
            const double v = r.json()["final_state"].toObject()["cell.V"].toDouble();
            QVERIFY2(std::abs(v + 80 - 250 * (1 - std::exp(-0.2))) < 1e-4,
                     qPrintable(QString::number(v, 'g', 10)));
        }
        r = run({"cell", "info", path("two.mmt"), "--membrane-potential", "other.V", "--json"});
        QCOMPARE(r.json()["membrane_potential"].toString(), QString("other.V"));
        QCOMPARE(r.json()["pace"].toObject()["variable"].toString(), QString("engine.pace"));
        QCOMPARE(r.json()["pace"].toObject()["drives"].toArray(), QJsonArray({"cell.i_push"}));
        r = run({"cell", "info", path("two.mmt"), "--v", "cell.V"});
        for (const char* said :
             {"two\n", "stimulus current: none", "pace: engine.pace drives cell.i_push\n",
              "own stimulus: 25 pA/pF over 2 ms from 10 ms, every 500 ms\n"})
            QVERIFY2(r.out.find(said) != std::string::npos, r.out.c_str());
        r = run({"cell", "run", path("two.mmt"), "--v", "cell.V", "--until", "5"});
        QVERIFY2(r.out.find("no action potential by 5 ms; cell.V ends at") == 0, r.out.c_str());
        QCOMPARE(run({"cell", "info", path("none.mmt")}).status, static_cast<int>(cli::bad_input));
    }

    /// Beats are counted as the cell has them: paced by two events of a protocol whose times are in
    /// seconds, as the model's are, or firing by itself.
    void beatsOfModelFiles()
    {
        write(dir_.path() + "/s.mmt", R"([[model]]
cell.V = -80
[engine]
time = 0 [s] in [s] bind time
pace = 0 bind pace
[cell]
i_stim = -100000 [A/F] * engine.pace in [A/F]
dot(V) = -50 [1/s] * (V + 80 [mV]) - i_stim * 1 [mV*F/A/s] in [mV]
[[protocol]]
1 0.01 0.001 0.5 2
1 0.7 0.001 0 0
)");
        for (const char* scheme : {"rk4", "cvode"}) {
            auto r = run({"cell", "run", path("s.mmt"), "--until", "1200", "--dt", "0.05",
                          "--scheme", scheme, "--json"});
            QVERIFY2(r.status == 0, r.err.c_str());
            const auto beats = r.json()["beats"].toArray();
            QCOMPARE(beats.size(), 3);
            for (int k = 0; k < 3; ++k)
                QVERIFY(std::abs(beats[k].toObject()["activation_ms"].toDouble() -
                                 std::array{10, 510, 700}[static_cast<std::size_t>(k)]) < 0.2);
        }
        auto r = run({"cell", "run", "stewart_2009", "--until", "1500", "--json"});
        const auto beats = r.json()["beats"].toArray(); // nobody stimulates it
        QCOMPARE(beats.size(), 2);
        QVERIFY(std::abs(beats[0].toObject()["apd90_ms"].toDouble() - 297) < 3);
        QVERIFY(std::abs(beats[1].toObject()["rest_mV"].toDouble() + 75.6) < 0.3);

        write(dir_.path() + "/inf.mmt", "[[model]]\ncell.V = -80\ncell.y = 0\n[cell]\n"
                                        "dot(V) = -0.1 * (V + 80) in [mV]\ndot(y) = 1 / 0\n");
        r = run({"cell", "run", path("inf.mmt"), "--until", "1"});
        QVERIFY2(r.status == static_cast<int>(cli::not_finite) &&
                     r.err.find("cell.y is infinite") != std::string::npos,
                 r.err.c_str());
        r = run({"cell", "run", path("s.mmt"), "--until", "1", "--out", path("s.mmt")});
        QVERIFY2(r.status == static_cast<int>(cli::bad_input) &&
                     r.err.find("the model's own file") != std::string::npos,
                 r.err.c_str());
        QCOMPARE(run({"cell", "info", path("s.mmt")}).status, 0); // still a model
    }

    void cellsWithDyads()
    {
        const std::string model = "ohara_rudy_dyads_2011";
        auto r = run({"cell", "info", model, "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(r.json()["parameters"].toArray().size() > 60);
        QCOMPARE(r.json()["variants"].toArray().size(), 5);
        const std::vector<std::string> few{"cell",    "run",         model,
                                           "--dyads", "20,5,1",      "--until",
                                           "70",      "--set",       "sums_over_all=0",
                                           "--out",   path("d.csv"), "--json"};
        r = run(few);
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(r.err.find("100 dyads take 0.01 MB") != std::string::npos);
        const auto beat = r.json()["beats"].toArray()[1].toObject();
        QVERIFY(beat["v_most_mV"].toDouble() > 35 && beat["c_myo_peak_uM"].toDouble() > 0.3);
        const auto rows = [&] {
            QFile t(dir_.path() + "/d.csv");
            return t.open(QIODevice::ReadOnly) ? t.readAll() : QByteArray();
        };
        const auto first = rows();
        QVERIFY(first.startsWith("time_ms,membrane.V,"));
        QCOMPARE(first.trimmed().split('\n').size(), 72);
        auto again = few;
        again.insert(again.end(), {"--threads", "3"});
        QCOMPARE(run(again).status, 0);
        QCOMPARE(rows(), first); // whatever the threads
        again.insert(again.end(), {"--seed", "2"});
        QCOMPARE(run(again).status, 0);
        QVERIFY(rows() != first);
        r = run({"cell", "run", model, "--dyads", "10,1,1", "--force-open", "5,10", "--amplitude",
                 "0", "--until", "10", "--precision", "mixed", "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(r.json()["beats"].toArray()[0].toObject()["largest_c_d_uM"].toDouble() > 200);
        r = run({"cell", "run", model, "--dyads", "10,4,1", "--until", "60", "--set",
                 "sums_over_all=0", "--sparks", path("sparks.csv"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto sparks = r.json()["sparks"].toObject();
        QVERIFY(sparks["count"].toInt() >= 1 && sparks["observed_ms"].toDouble() == 60);
        QFile table(dir_.path() + "/sparks.csv");
        QVERIFY(table.open(QIODevice::ReadOnly));
        const auto lines = table.readAll().trimmed().split('\n');
        QVERIFY(lines[0].startsWith("number,start_ms,end_ms,x,y,z,dyads,"));
        QCOMPARE(lines.size(), 1 + sparks["count"].toInt());
        for (const auto& line : lines)
            QCOMPARE(line.count(','), lines[0].count(','));
        const std::vector<std::pair<std::vector<std::string>, const char*>> bad{
            {{"--sparks", path("d.csv") + "/x.csv"}, "d.csv"},
            {{"--set", "RyRs=90"}, "the nearest known is 'RyR'"},
            {{"--set", "RyR=300"}, "from 0 to 255"},
            {{"--variant", "isoproterenoll"}, "'isoproterenol'"},
            {{"--start", "pacd"}, "'paced'"},
            {{"--dt", "0.5"}, "at most"},
            {{"--dyads", "10,0,1"}, "three whole numbers"},
            {{"--dyads", "150"}, "multiple of 100"},
            {{"--dyads", "10,10"}, "has 2 numbers"},
            {{"--force-open", "50,20"}, "a later one"},
            {{"--scheme", "cvode"}, "does not go with"},
            {{"--precision", "single"}, "double or mixed"},
        };
        for (const auto& [more, what] : bad) {
            std::vector<std::string> line{"cell", "run", model};
            line.insert(line.end(), more.begin(), more.end());
            r = run(line);
            QVERIFY2(r.status == static_cast<int>(cli::bad_input) &&
                         r.err.find(what) != std::string::npos,
                     (more[1] + ": " + r.err).c_str());
        }
        r = run({"bench", "calcium", "--dyads", "100", "--steps", "50", "--precision", "mixed",
                 "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(r.json()["unknown_steps_per_s"].toDouble() > 0);
        QCOMPARE(run({"bench", "calcium", "--devices", "cuda"}).status,
                 static_cast<int>(cli::bad_input));
        r = run({"cell", "run", "ten_tusscher_2006", "--seed", "3"});
        QVERIFY2(r.status == static_cast<int>(cli::bad_input) &&
                     r.err.find("alone") != std::string::npos,
                 r.err.c_str());
    }

    /// Implicit steps beside explicit ones on a slab: both waves cross it, at about the same time.
    void aWaveByNewtonsMethodIsMeasured()
    {
        const auto r = run({"bench", "newton", "--size", "2000", "--end", "15", "--devices", "cpu",
                            "--longest", "0.2", "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto j = r.json();
        QCOMPARE(j["model"].toString(), QString("aliev_panfilov_1996"));
        QCOMPARE(j["steps"].toInt(), 150);
        QVERIFY(j["steps_solved"].toInt() > 0 && j["steps_solved"].toInt() <= 150);
        QVERIFY(j["newton_iterations"].toInt() > j["steps_solved"].toInt());
        QVERIFY(j["linear_iterations"].toInt() > j["newton_iterations"].toInt());
        QCOMPARE(j["activated"].toInt(), j["unknowns"].toInt());
        QStringList kernels;
        for (const auto& k : j["kernels"].toArray()) {
            kernels << k.toObject()["name"].toString();
            QVERIFY(k.toObject()["ms"].toDouble() > 0);
        }
        QVERIFY2(kernels.contains("conjugate gradients"), qPrintable(kernels.join(", ")));
        QCOMPARE(j["explicit"].toObject()["activated"].toInt(), j["unknowns"].toInt());
        const auto differ = j["activation_difference"].toObject();
        QCOMPARE(differ["unknowns"].toInt(), j["unknowns"].toInt());
        QVERIFY(differ["rms_ms"].toDouble() > 0 && differ["rms_ms"].toDouble() < 0.3);
        for (const auto& [option, value] :
             {std::pair("--longest", "0.01"), {"--explicit-dt", "-1"}, {"--end", "0.05"}}) {
            const auto bad = run({"bench", "newton", option, value, "--devices", "cpu"});
            QVERIFY2(bad.status == static_cast<int>(cli::bad_input) &&
                         bad.err.find(option) != std::string::npos,
                     bad.err.c_str());
        }
    }
};
static const tawara::test::Further<TestCliCells> further;
#include "test_cli_cells.moc"
