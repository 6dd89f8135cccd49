// SPDX-License-Identifier: GPL-3.0-or-later
// Slips in sessions and options: what is said names the place, and what would be right.
#include "engine/cli/cli.hpp"
#include "tests/simulation/bad_sessions.hpp"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <sstream>
#include <thread>

using namespace tawara;

namespace {

struct Result
{
    int status;
    std::string err;
    bool says(const std::string& line) const
    {
        return ("\n" + err).find("\n" + line + "\n") != std::string::npos;
    }
};

Result run(const std::vector<std::string>& args, const std::stop_token& stop = {})
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, stop, false});
    return {status, err.str()};
}

} // namespace

class TestSlips : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return dir_.filePath(name).toStdString(); }
    /// Runs the good session with --set's, ended by who holds the token.
    Result run_with(const std::vector<std::string>& sets, const std::stop_token& stop = {}) const
    {
        std::vector<std::string> args{"run", path("good.json"), "--devices", "cpu", "--threads",
                                      "1",   "--out",           path("out")};
        for (const auto& s : sets)
            args.insert(args.end(), {"--set", s});
        return run(args, stop);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        QFile f(dir_.filePath("good.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(bad_sessions::good.data());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* what, const char* set, const char* says) {
            QTest::newRow(what) << set << says;
        };
        row("label of a stimulus", R"(stimuli.0.region={"label": 77})",
            "/stimuli/0/region: the mesh has no label 77; it has 1");
        row("one label of two", R"(stimuli.0.region={"label": [1, 77]})",
            "/stimuli/0/region: the mesh has no label 77; it has 1");
        row("surface", R"(stimuli.0.region={"surface": "endo_lv"})",
            "/stimuli/0/region: the mesh has no surface endo_lv; ");
        row("state", R"(tissue.regions.1={"where": {"label": 1}, "initial": {"Vxx": 1}})",
            "/tissue/regions/1/initial/Vxx: unknown state 'Vxx'");
        row("parameter", R"(tissue.regions.1={"where": {"label": 1}, "parameters": {"g_Qx": 1}})",
            "/tissue/regions/1/parameters/g_Qx: unknown parameter 'g_Qx'");
        row("conductivity", "tissue.regions.0.conductivity_S_per_m.fibre=1e30",
            "/tissue/regions/0/conductivity_S_per_m: gives 1e+30 S/m, with which diffusion would "
            "need more than 10000 stages inside one time step; tissue has 0.01 to 1 S/m");
        row("far from every key", "diffusion.typo=1",
            "/diffusion/typo: unknown key 'typo'; known are scheme, mass, mass_scaling, "
            "mass_scaling_largest, splitting, stepping");
        row("far from every region", R"(stimuli.0.region={"blob": 1})",
            "unknown key 'blob'; known are box_mm, sphere_mm, label, surface, nodes");
        row("near a key", "diffusion.shceme=1", "; the nearest known is 'scheme'");
    }
    void refused()
    {
        QFETCH(QString, set);
        QFETCH(QString, says);
        const auto r = run_with({set.toStdString()});
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
        const auto last = r.err.substr(r.err.rfind("error: "));
        QVERIFY2(last.find(says.toStdString()) != std::string::npos, last.c_str());
        QCOMPARE(std::count(last.begin(), last.end(), '\n'), 1);
    }

    /// Layers without a model take what the one beneath has, by any of its names.
    void layersAreChecked()
    {
        const auto r = run_with({R"(tissue.regions.1={"where": {"label": 1},)"
                                 R"( "parameters": {"g_Na": 10}, "initial": {"V": -85}})"});
        QCOMPARE(r.status, 0);
        QVERIFY(r.err.find("changes nothing") == std::string::npos);
    }

    void said()
    {
        auto r = run_with({"stimuli.0.amplitude_pA_per_pF=-50"});
        QVERIFY2(r.status == 0 &&
                     r.says("warning: stimulus 'S1' activated nothing: its amplitude is negative "
                            "(-50 pA/pF), and such a current lowers V; give a positive one, which "
                            "depolarises"),
                 r.err.c_str());
        r = run_with({R"(tissue.regions.1={"where": {"label": 1}})"});
        QVERIFY2(r.status == 0 &&
                     r.says("note: tissue.regions.1: does not change the tissue beneath it; "
                            "give parameters, initial, scale, conductivity_scale or a model"),
                 r.err.c_str());
        r = run_with({"tissue.regions.0.parameters.g_Na=-1"});
        QVERIFY2(r.status == 0 && r.says("warning: tissue.regions.0.parameters.g_Na: is -1, and a "
                                         "conductance below 0 drives V away from rest; it should "
                                         "be 0 or more"),
                 r.err.c_str());
        r = run_with({"tissue.regions.0.parameters.g_Na=1"});
        QVERIFY2(r.status == 0 && r.err.find("below 0") == std::string::npos, r.err.c_str());
    }

    /// Where V is on one side of the threshold all along, the stimulus is not blamed.
    void thresholdsThatAreNotCrossed()
    {
        const auto with = [&](const char* threshold) {
            return run_with({std::string("output.activation_threshold_mV=") + threshold,
                             "stimuli.0.duration_ms=2", "time.end_ms=5"});
        };
        auto r = with("190");
        QVERIFY2(
            r.says("warning: output.activation_threshold_mV: is 190 mV, and V of hardly any "
                   "cell crosses that, so nothing counts as activated; it should be from -100 to "
                   "60 mV (usual: 0)"),
            r.err.c_str());
        const std::string at = "warning: nothing was activated: output.activation_threshold_mV is ";
        QVERIFY2(r.err.find(at + "190 mV, and V rose to ") != std::string::npos &&
                     r.err.find(" mV at most; lower it (usual: 0)\n") != std::string::npos &&
                     r.err.find("raise it or") == std::string::npos,
                 r.err.c_str());
        r = with("-90");
        QVERIFY2(r.err.find(at + "-90 mV, and V was always above the threshold, from -85") !=
                     std::string::npos,
                 r.err.c_str());
        r = run_with(
            {"stimuli.0.amplitude_pA_per_pF=15", "stimuli.0.duration_ms=1", "time.end_ms=10"});
        QVERIFY2(r.err.find("did not reach threshold there; raise it or enlarge its region\n") !=
                     std::string::npos,
                 r.err.c_str());
    }

    void pacingThatPacesNothing()
    {
        const auto with = [&](const char* beats) {
            return run_with({std::string(R"(tissue.prepacing={"cycle_length_ms": 400, "beats": )") +
                             beats + "}"});
        };
        const std::string line = "warning: tissue.prepacing.beats: is 0, so no cell is paced "
                                 "before the run; give 1 or more, or take tissue.prepacing out";
        QVERIFY(with("0").says(line));
        QVERIFY(!with("1").says(line));
    }

    /// What consistent mass costs is said once, and kept.
    void consistentMass()
    {
        const std::string line = "diffusion.mass \"consistent\": every step solves a linear "
                                 "system, which takes several times as long as all else; "
                                 "\"lumped\" solves none";
        auto r = run_with({"diffusion.scheme=p1", "diffusion.mass=lumped"});
        QVERIFY2(r.status == 0 && !r.says("note: " + line), r.err.c_str());
        r = run_with({"diffusion.scheme=p1", "diffusion.mass=consistent"});
        QVERIFY2(r.status == 0 && r.says("note: " + line), r.err.c_str());
        QFile f(dir_.filePath("out/report.json"));
        QVERIFY(f.open(QIODevice::ReadOnly));
        const auto report = QJsonDocument::fromJson(f.readAll()).object();
        QVERIFY(report["notices"].toArray().contains(QString::fromStdString(line)));
        const auto diffusion = report["diffusion"].toObject();
        QCOMPARE(diffusion["stepping"].toString(), QString("explicit"));
        QCOMPARE(diffusion["linear_system"].toBool(), true);
        QCOMPARE(diffusion["substepping"].toString(), QString("euler"));
        const auto kernel = report["kernels"].toArray()[0].toObject();
        QCOMPARE(kernel["name"].toString(), QString("diffusion (linear system)"));
        for (const char* known : {"bytes", "flops", "GB_per_s", "fraction"})
            QVERIFY2(kernel[known].toDouble() > 0, known);
    }

    /// A run that would not end in a life is said to be one, before it stands there.
    void endlessRuns()
    {
        std::stop_source stop;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::seconds(2));
            stop.request_stop();
        });
        const auto r = run_with({"time.dt_ms=1e-9", "time.end_ms=1000"}, stop.get_token());
        QVERIFY2(r.says("warning: time.dt_ms: steps of 1e-09 ms make 1e+12 of them until "
                        "time.end_ms (1000 ms): was that meant? Usual is 0.02 ms"),
                 r.err.c_str());
        QVERIFY(run_with({}).err.find("time.dt_ms") == std::string::npos);
    }

    void cellRuns()
    {
        const auto cell = [](std::vector<std::string> more) {
            more.insert(more.begin(), {"cell", "run", "luo_rudy_1991"});
            return run(more);
        };
        auto r = cell({"--bcl", "100", "--duration", "150"});
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
        QVERIFY2(r.says("error: --bcl: is 100 ms; it should be at least as long as the stimulus, "
                        "150 ms (--duration)"),
                 r.err.c_str());
        QCOMPARE(cell({"--bcl", "100", "--duration", "100", "--amplitude", "1"}).status, 0);
        for (const char* wrong : {"inf", "nan"}) {
            r = cell({"--bcl", "100", "--amplitude", wrong});
            QCOMPARE(r.status, static_cast<int>(cli::bad_input));
            QVERIFY2(r.says(std::string("error: --amplitude: is ") + wrong +
                            "; it should be a finite number of pA/pF"),
                     r.err.c_str());
        }
        r = cell({"--bcl", "100", "--every", "0.015"});
        QVERIFY2(r.says("note: --every sets the interval of the traces; give --out TRACES.csv "
                        "as well"),
                 r.err.c_str());
        const std::string cut = "warning: --until holds: the run ends at 250 ms, before the end of "
                                "--beats 3 (300 ms)";
        QVERIFY(cell({"--bcl", "100", "--beats", "3", "--until", "250"}).says(cut));
        QVERIFY(!cell({"--bcl", "100", "--beats", "2", "--until", "250"}).says(cut));
        r = cell({"--bcl", "100", "--every", "0.015", "--out", path("x.csv")});
        QVERIFY2(r.err.find("come every 0.02 ms, in whole steps of 0.01 ms, not 0.015") !=
                     std::string::npos,
                 r.err.c_str());
    }

    /// The file's own stimulus under a name that is none: beside other pulses it is warned of.
    void ownStimulusThatStaysOn()
    {
        const auto text = [](const char* name) {
            return QString(R"([[model]]
cell.V = -80
[engine]
time = 0 [ms] in [ms] bind time
[cell]
g = 0.1 [1/ms] in [1/ms]
size = -50 [A/F] in [A/F]
i_ion = g * (V + 80 [mV]) in [mV/ms]
%1 = if((engine.time > 5 [ms]) and (engine.time < 7 [ms]), size, 0 [A/F]) in [A/F]
dot(V) = -(i_ion + 1 [mV*F/A/ms] * %1) in [mV]
)")
                .arg(name)
                .toUtf8();
        };
        for (const char* name : {"odd", "i_stim"}) {
            QFile f(dir_.filePath(QString(name) + ".mmt"));
            QVERIFY(f.open(QIODevice::WriteOnly));
            f.write(text(name));
        }
        const std::string odd = path("odd.mmt"), known = path("i_stim.mmt");
        const std::string line =
            "warning: " + odd +
            ": 'cell.odd' stimulates by itself (50 pA/pF over 2 ms from 5 ms) and stays on; "
            "pulses from outside come on top of it; if it is the stimulus current, name it: "
            "--stimulus cell.odd "
            "(in a session: the region's \"model_variables\": {\"stimulus\": \"cell.odd\"})";
        const auto cell = [](const std::string& file, std::vector<std::string> more) {
            more.insert(more.begin(), {"cell", "run", file, "--bcl", "100"});
            return run(more);
        };
        auto r = cell(odd, {});
        QVERIFY2(r.status == 0 && r.says(line), r.err.c_str());
        QVERIFY(run({"cell", "info", odd}).says(line));
        for (const auto& good :
             {cell(odd, {"--stimulus", "cell.odd"}), cell(odd, {"--set", "size=0"}),
              cell(known, {}), run({"cell", "run", odd}), run({"cell", "info", known})})
            QVERIFY2(good.status == 0 && good.err.find("by itself") == std::string::npos,
                     good.err.c_str());
        const auto region = [](const std::string& file, const char* more) {
            std::string set =
                "tissue.regions.0={'label': '*', 'model': '" + file +
                "', 'conductivity_S_per_m': {'fibre': 0.1, 'sheet': 0.1, 'normal': 0.1}" + more +
                "}";
            std::replace(set.begin(), set.end(), '\'', '"');
            return set;
        };
        r = run_with({region(odd, "")});
        QVERIFY2(r.status == 0 && r.says(line), r.err.c_str());
        for (const auto& set : {region(odd, ", 'model_variables': {'stimulus': 'cell.odd'}"),
                                region(odd, ", 'parameters': {'size': 0}"), region(known, "")}) {
            r = run_with({set});
            QVERIFY2(r.status == 0 && r.err.find("by itself") == std::string::npos, r.err.c_str());
        }
    }

    void endsThatCannotBe()
    {
        const auto until = [&](const char* ms) {
            return run({"run", path("good.json"), "--out", path("out"), "--until", ms});
        };
        auto r = until("1e300");
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
        QVERIFY2(r.says("error: --until: is 1e+300 ms; it should be earlier: the run would have "
                        "more than 1e15 steps"),
                 r.err.c_str());
        r = until("1e-5");
        QVERIFY2(r.status == static_cast<int>(cli::bad_input) &&
                     r.err.find("--until: is 1e-05 ms; it should be at least one time step") !=
                         std::string::npos,
                 r.err.c_str());
    }

    /// As a shell variable that is not set leaves it.
    void emptyTexts()
    {
        const std::string good = path("good.json");
        for (const auto& args : {std::vector<std::string>{"run", good, "--out", ""},
                                 {"cell", "run", "luo_rudy_1991", "--bcl", "100", "--out", ""},
                                 {"export", path("out"), "--to", "apd90-dat", "--out", ""}}) {
            const auto r = run(args);
            QCOMPARE(r.status, static_cast<int>(cli::bad_input));
            QVERIFY2(r.err.starts_with("error: --out: is given an empty text (a shell variable "
                                       "that is not set?); give "),
                     r.err.c_str());
            QCOMPARE(std::count(r.err.begin(), r.err.end(), '\n'), 1);
        }
        QVERIFY(!QFile::exists(dir_.filePath("good-out")));
        const auto r = run({"run", good, "--out", path("out"), "--resume", ""});
        QVERIFY2(r.err.starts_with("error: --resume: is given an empty text"), r.err.c_str());
    }

    void whatIsNotFinite_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("not_that");
        const QString check =
            "check the initial values, the units and the strength of the stimulus";
        QTest::newRow("first step")
            << QStringList{"--amplitude", "1e7"}
            << "error: the solution stopped being finite at 0.01 ms (step 1): V = 99915.6 mV, "
               "beyond +-1000 mV, model luo_rudy_1991; " +
                   check + "\n"
            << "step (";
        QTest::newRow("initial value") << QStringList{"--set", "V=-85000"} << check + "\n"
                                       << "try";
        QTest::newRow("later") << QStringList{"--amplitude", "3e4"}
                               << check + "; where these are right, try a smaller step (--dt) or "
                                          "another scheme (--scheme)\n"
                               << "time.dt_ms";
        QTest::newRow("reference")
            << QStringList{"--scheme", "cvode", "--amplitude", "3e4"} << check + "\n"
            << "smaller";
    }
    void whatIsNotFinite()
    {
        QFETCH(QStringList, more);
        QFETCH(QString, says);
        QFETCH(QString, not_that);
        std::vector<std::string> args{"cell", "run", "luo_rudy_1991", "--bcl", "100"};
        for (const auto& m : more)
            args.push_back(m.toStdString());
        const auto r = run(args);
        const auto line = QString::fromStdString(r.err.substr(r.err.rfind("error: ")));
        QCOMPARE(r.status, static_cast<int>(cli::not_finite));
        QVERIFY2(line.contains(says), r.err.c_str());
        for (const auto& wrong : {not_that, QString("unknown 0"), QString("(0, 0, 0)")})
            QVERIFY2(!line.contains(wrong), r.err.c_str());
    }
    void tissueThatIsNotFinite()
    {
        const auto r = run_with({"stimuli.0.amplitude_pA_per_pF=1e7"});
        QVERIFY2(r.status == static_cast<int>(cli::not_finite) &&
                     r.err.find(" mV, beyond +-1000 mV at unknown ") != std::string::npos &&
                     r.err.find("strength of the stimulus\n") != std::string::npos,
                 r.err.c_str());
    }

    void schemesThatTissueTakes()
    {
        const auto r = run_with({"reaction.scheme=foo"});
        QVERIFY2(r.status == static_cast<int>(cli::bad_input) &&
                     r.err.find("unknown scheme 'foo'; known are forward_euler, ") !=
                         std::string::npos &&
                     r.err.find("cvode") == std::string::npos,
                 r.err.c_str());
        std::ostringstream out, err;
        cli::run(std::vector<std::string>{"run", "--help"}, {out, err, {}, false});
        QVERIFY(out.str().find("mixed (on GPUs alone)") != std::string::npos);
    }

    /// Ctrl-C: rows and beats until then.
    void cellRunsThatAreStopped()
    {
        for (const char* scheme : {"rush_larsen_light", "cvode"}) {
            std::stop_source stop;
            std::jthread later([&] {
                std::this_thread::sleep_for(std::chrono::seconds(1));
                stop.request_stop();
            });
            std::ostringstream out, err;
            const int status =
                cli::run(std::vector<std::string>{"cell", "run", "luo_rudy_1991", "--bcl", "100",
                                                  "--beats", "100000", "--every", "10", "--scheme",
                                                  scheme, "--out", path("cut.csv")},
                         {out, err, stop.get_token(), false});
            QCOMPARE(status, static_cast<int>(cli::stopped));
            const auto said = QString::fromStdString(out.str());
            QVERIFY2(said.startsWith("beat at "), qPrintable(said));
            QVERIFY2(said.contains(" of 10000000 ms\n"), qPrintable(said.right(200)));
            QFile f(dir_.filePath("cut.csv"));
            QVERIFY(f.open(QIODevice::ReadOnly));
            QVERIFY(f.readAll().count('\n') > 10);
        }
    }

    void beatsThatBeginEarly()
    {
        std::ostringstream out, err;
        const auto beats = [&](std::vector<std::string> more) {
            more.insert(more.begin(), {"cell", "run", "ten_tusscher_2006", "--beats", "4"});
            out.str("");
            cli::run(more, {out, err, {}, false});
            return QString::fromStdString(out.str());
        };
        const QString mark = "; begins before the last one was over (APD90)\n";
        auto said = beats({"--bcl", "150"});
        QVERIFY2(said.contains(mark), qPrintable(said));
        QVERIFY(!said.section('\n', 0, 0).contains(mark.trimmed()));
        said = beats({"--bcl", "150", "--json"});
        QVERIFY(said.contains("\"begins_before_last_was_over\": true"));
        said = beats({"--bcl", "600"});
        QVERIFY2(said.count("beat at") == 4 && !said.contains("begins before"), qPrintable(said));
    }
    void cellsWithoutABeat()
    {
        std::ostringstream out, err;
        const auto said = [&](const char* pA_per_pF) {
            out.str("");
            cli::run(std::vector<std::string>{"cell", "run", "luo_rudy_1991", "--bcl", "100",
                                              "--amplitude", pA_per_pF},
                     {out, err, {}, false});
            return QString::fromStdString(out.str());
        };
        const QRegularExpression rounded("^no action potential by 100 ms; V ends at "
                                         "-8\\d(\\.\\d{1,4})? mV(.*)\n$");
        auto m = rounded.match(said("-20"));
        QVERIFY2(m.hasMatch(), out.str().c_str());
        QCOMPARE(m.captured(2), QString("; the stimulus (-20 pA/pF) hyperpolarises: it lowers V; "
                                        "give a positive --amplitude, which depolarises"));
        m = rounded.match(said("0.1"));
        QVERIFY2(m.hasMatch() && m.captured(2).isEmpty(), out.str().c_str());
    }
    void modelsThatAreNot()
    {
        for (const char* command : {"run", "info"}) {
            const auto none = path("none.mmt");
            auto r = run({"cell", command, none});
            QVERIFY2(r.says("error: " + none +
                            ": there is no such file; give a .mmt or .cellml file that is there, "
                            "or a name of tawara-cli cell list"),
                     r.err.c_str());
            r = run({"cell", command, "luo_rudy"});
            QVERIFY2(r.err.starts_with("error: tawara-cli cell: unknown cell model 'luo_rudy'"),
                     r.err.c_str());
        }
    }
    /// Parameters are listed as the file has them, not as the equations use them.
    void parametersAsInTheFile()
    {
        QFile f(dir_.filePath("order.mmt"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write("[[model]]\ncell.V = -80\n[cell]\nlast = 2\nfirst = 80\nmiddle = 0.1\n"
                "dot(V) = -middle * (V + first) - last in [mV]\n");
        f.close();
        std::ostringstream out, err;
        cli::run(std::vector<std::string>{"cell", "info", path("order.mmt"), "--json"},
                 {out, err, {}, false});
        QStringList names;
        for (const auto& p : QJsonDocument::fromJson(QByteArray::fromStdString(out.str()))
                                 .object()["parameters"]
                                 .toArray())
            names.push_back(p.toObject()["name"].toString());
        QCOMPARE(names, QStringList({"last", "first", "middle"}));
    }
    void oneSubStep()
    {
        QFile f(dir_.filePath("one.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write("{\"shape\": \"lv\", \"edge_mm\": 5}");
        f.close();
        QCOMPARE(run({"mesh", "heart", path("one.json"), path("one.vtu")}).status, 0);
        std::ostringstream out, err;
        const auto mesh = path("one.vtu");
        cli::run(std::vector<std::string>{"mesh", "check", mesh}, {out, err, {}, false});
        QVERIFY2(out.str().find("inside 0.02 ms: 1 sub-step\n") != std::string::npos,
                 out.str().c_str());
    }

    /// A session of a mesh whose edges are no tissue's asks for the unit, not for refinement.
    void sessionsAskForTheUnit()
    {
        QFile f(dir_.filePath("h.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(R"({"shape": "lv", "edge_mm": 5})");
        f.close();
        QCOMPARE(run({"mesh", "heart", path("h.json"), path("h.msh")}).status, 0);
        auto r = run({"session", path("um.json"), "--mesh", path("h.msh"), "--length-unit", "um"});
        QVERIFY2(r.status == 0 &&
                     r.err.find("Is the length unit right (--length-unit)?") != std::string::npos,
                 r.err.c_str());
        QVERIFY(r.err.find("refine the mesh") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSlips)
#include "test_slips.moc"
