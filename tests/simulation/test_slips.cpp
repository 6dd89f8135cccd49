// SPDX-License-Identifier: GPL-3.0-or-later
// Slips in sessions and options: what is said names the place, and what would be right.
#include "tests/several.hpp"
#include "tests/simulation/bad_sessions.hpp"
#include "tests/simulation/command_line.hpp"
#include "tests/slowdown.hpp"

#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <thread>

using namespace tawara;
using test::Result;
using test::run;

class TestSlips : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return dir_.filePath(name).toStdString(); }
    /// Runs the good session with --set's, ended by who holds the token.
    Result run_with(const std::vector<std::string>& sets, const std::stop_token& stop = {}) const
    {
        return test::run_with(path("good.json"), path("out"), sets, stop);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        QFile f(dir_.filePath("good.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(bad_sessions::good.data());
    }

    /// A step whose equations are not solved is no fault of the program, and no input's either.
    void aStepWithoutASolutionIsSaid()
    {
        const auto r = run_with({R"(diffusion={"scheme": "p1", "stepping": "newton",)"
                                 R"( "newton": {"iterations": 1, "tolerance_mV": 1e-12}})"});
        QCOMPARE(r.status, static_cast<int>(cli::not_finite));
        QVERIFY2(r.err.find("error: Newton's method did not converge at ") != std::string::npos &&
                     r.err.find("internal") == std::string::npos,
                 r.err.c_str());
    }

    /// Where V is what no cell reaches, the stimulus is suspected first.
    void aStimulusBeyondCellsIsSuspected()
    {
        const auto r = run_with({R"(diffusion={"scheme": "p1", "stepping": "newton"})",
                                 "stimuli.0.amplitude_pA_per_pF=1e7"});
        QCOMPARE(r.status, static_cast<int>(cli::not_finite));
        QVERIFY2(r.err.find("mV there, which no cell reaches by itself: check the amplitude and "
                            "the place of the stimulus first. Else a smaller time step") !=
                     std::string::npos,
                 r.err.c_str());
    }

    /// Time steps that long steps pass through are told from those that were solved.
    void solvedStepsAreToldApart()
    {
        const auto html = path("newton.html");
        const auto r =
            run({"run", path("good.json"), "--devices", "cpu", "--out", path("newton"), "--report",
                 html, "--set",
                 R"(diffusion={"scheme": "p1", "stepping": "newton", "mass_scaling": 0.01})",
                 "--set", "stimuli=[]", "--set", "time.dt_max_ms=0.3"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QFile file(dir_.filePath("newton/report.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto report = QJsonDocument::fromJson(file.readAll()).object(),
                   newton = report["newton"].toObject();
        const double steps = report["steps"].toDouble(), solved = newton["steps"].toDouble();
        QCOMPARE(steps, 50.0);
        QVERIFY(solved > 0 && solved < steps);
        QCOMPARE(newton["dt_max_ms"].toDouble(), 0.3);
        QVERIFY(std::fabs(newton["dt_max_used_ms"].toDouble() - 0.16) < 1e-12); // 8 time steps
        const double all = report["cell_steps_per_s"].toDouble();
        QVERIFY(std::fabs(report["cell_steps_solved_per_s"].toDouble() / all - solved / steps) <
                1e-12);
        const auto number = std::to_string(static_cast<int>(solved));
        QVERIFY2(r.out.find(" 50 steps (" + number + " solved) in ") != std::string::npos &&
                     r.out.find(" million solved)\n") != std::string::npos,
                 r.out.c_str());
        QVERIFY2(r.says("note: diffusion.mass_scaling is not used here: no volume is added, since "
                        "it lengthens explicit steps of diffusion alone"),
                 r.err.c_str());
        QFile page(QString::fromStdString(html));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const auto text = page.readAll();
        const auto row = [&](const char* name, const std::string& value) {
            return text.contains(
                ("<td class=\"name\">" + std::string(name) + "</td><td>" + value).c_str());
        };
        QVERIFY(row("Steps that were solved", number + " by Newton's method</td>"));
        QVERIFY(row("Newton's iterations", ""));
        QVERIFY(text.contains(
            QString("a step, %1 at most").arg(newton["most_newton_iterations"].toInt()).toUtf8()));
        QVERIFY(row("Conjugate gradients", ""));
        QVERIFY(
            row("Long steps refused", std::to_string(newton["rejected_steps"].toInt()) + "</td>"));
        QVERIFY(row("Time steps halved", std::to_string(newton["halvings"].toInt()) + " times"));
        const auto other = run_with({R"(diffusion={"scheme": "p1", "mass_scaling": 0.01})"});
        QVERIFY2(other.out.find(" solved)") == std::string::npos &&
                     other.err.find("is not used here") == std::string::npos,
                 other.err.c_str());
    }

    /// Where explicit steps would do, Newton's method is not taken without a word; nor are they
    /// where they need very many stages.
    void theFasterSteppingIsAdvised()
    {
        const auto r = run_with({R"(diffusion={"scheme": "p1", "stepping": "newton"})"});
        QCOMPARE(r.status, 0);
        QVERIFY2(r.err.find("stepping \"explicit\" is likely to be faster") != std::string::npos,
                 r.err.c_str());
        const auto other = run_with({R"(diffusion={"scheme": "p1"})"});
        QVERIFY(other.err.find("likely to be faster") == std::string::npos);
        const auto many = run_with(
            {R"(diffusion={"scheme": "p1", "mass_scaling": 0})",
             R"(tissue.regions.0.conductivity_S_per_m={"fibre": 4e4, "sheet": 4e4, "normal": 4e4})"});
        QVERIFY2(many.err.find("stepping \"newton\" is likely to be faster") != std::string::npos,
                 many.err.c_str());
    }

    /// What is no matrix is said at once, and not after ceilings and other matrices were measured.
    void matricesAreCheckedFirst()
    {
        const auto file = [&](const char* name, const char* text) {
            QFile f(dir_.filePath(name));
            if (f.open(QIODevice::WriteOnly))
                f.write(text);
            return path(name);
        };
        const std::string head = "%%MatrixMarket matrix coordinate integer general\n";
        const auto half = file("half.mtx", (head + "1 1 1\n1 1 1.5\n").c_str()),
                   none = file("none.mtx", (head + "0 0 0\n").c_str());
        const std::pair<std::string, std::string> cases[] = {
            {half, half + ":3: '1.5' must be an integer, as the first line announces; or write "
                          "real there"},
            {none, none + ": has 0 rows and 0 columns, so that there is nothing to multiply; a "
                          "matrix of 1 row and 1 column at least would be right"},
            {"qcb", "bench spmv: 'qcb' is no matrix; it should be heart, heart:1, heart:2, a .mtx "
                    "file, a mesh, stand-ins or one of them: circuit, economics, epidemiology, "
                    "fem_accelerator, fem_cantilever, fem_harbor, fem_ship, fem_spheres, protein, "
                    "qcd, webbase, wind_tunnel"}};
        for (const auto& [matrix, says] : cases) {
            const auto r = run({"bench", "spmv", "qcd", matrix, "--devices", "cpu"});
            QCOMPARE(r.status, static_cast<int>(cli::bad_input));
            QCOMPARE(QString::fromStdString(r.err),
                     QString::fromStdString("error: " + says + "\n"));
        }
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
        row("tables beside Newton's method",
            R"(diffusion={"scheme": "p1", "stepping": "newton"};reaction.tables_mV=0.1)",
            "/reaction/tables_mV: has no meaning with diffusion stepping \"newton\"; leave it out, "
            "or take another stepping");
        row("rest beside Newton's method",
            R"(diffusion={"scheme": "p1", "stepping": "newton"};reaction.rest_tolerance_mV=0.1)",
            "/reaction/rest_tolerance_mV: has no meaning with diffusion stepping \"newton\"; leave "
            "it out, or take another stepping");
        row("far from every key", "diffusion.typo=1",
            "/diffusion/typo: unknown key 'typo'; known are scheme, mass, currents, "
            "mass_scaling, mass_scaling_largest, splitting, stepping");
        row("far from every region", R"(stimuli.0.region={"blob": 1})",
            "unknown key 'blob'; known are box_mm, sphere_mm, label, surface, nodes");
        row("near a key", "diffusion.shceme=1", "; the nearest known is 'scheme'");
    }

    void refused()
    {
        QFETCH(QString, set);
        QFETCH(QString, says);
        std::vector<std::string> sets;
        for (const auto& one : set.split(';'))
            sets.push_back(one.toStdString());
        const auto r = run_with(sets);
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
                                 "\"lumped\" with explicit steps solves none";
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
            std::this_thread::sleep_for(std::chrono::seconds(2 * tawara::test::slowdown));
            stop.request_stop();
        });
        const auto r = run_with({"time.dt_ms=1e-9", "time.end_ms=1000"}, stop.get_token());
        QVERIFY2(r.says("warning: time.dt_ms: steps of 1e-09 ms make 1e+12 of them until "
                        "time.end_ms (1000 ms): was that meant? Usual is 0.02 ms"),
                 r.err.c_str());
        QVERIFY(run_with({}).err.find("time.dt_ms") == std::string::npos);
    }

    /// A parameter a thousand times the model's is told, one that blocks or doubles a current not.
    void valuesInAnotherUnit()
    {
        const auto with = [&](const char* parameters) {
            return run_with({std::string("tissue.regions.0.parameters=") + parameters});
        };
        auto r = with(R"({"K_o": 5400})");
        QVERIFY2(r.says("warning: tissue.regions.0.parameters.K_o: is 5400 mM, and the model has "
                        "5.4: is it in another unit?"),
                 r.err.c_str());
        r = with(R"({"K_o": 0.0054, "g_Na": -1})");
        QVERIFY2(r.says("warning: tissue.regions.0.parameters.K_o: is 0.0054 mM, and the model has "
                        "5.4: is it in another unit?"),
                 r.err.c_str());
        QVERIFY2(r.says("warning: tissue.regions.0.parameters.g_Na: is -1, and a conductance below "
                        "0 drives V away from rest; it should be 0 or more"),
                 r.err.c_str());
        r = with(R"({"K_o": 9, "g_Na": 0, "g_Ks": 1e-5, "g_Kr": 0.3})");
        QVERIFY2(r.err.find("another unit") == std::string::npos, r.err.c_str());
        r = with(R"({"T": 37})");
        QVERIFY2(r.says("warning: tissue.regions.0.parameters.T: is 37 K; is it in degrees "
                        "Celsius?"),
                 r.err.c_str());
        r = run_with({R"(tissue.regions.0.scale={"K_o": 1000})",
                      "tissue.regions.0.conductivity_S_per_m.fibre=1.3e-4"});
        QVERIFY2(r.says("warning: tissue.regions.0.scale.K_o: is 1000 times what the cells have: "
                        "is it the value itself?"),
                 r.err.c_str());
        QVERIFY2(r.says("warning: tissue.regions.0.conductivity_S_per_m.fibre: is 0.00013 S/m, far "
                        "below tissue (0.01 to 1 S/m); is it in S/mm?"),
                 r.err.c_str());
        r = run_with({"tissue.capacitance_uF_per_cm2=0.01"});
        QVERIFY2(r.says("warning: tissue.capacitance_uF_per_cm2: is 0.01 uF/cm2; usual is 1 "
                        "uF/cm2: is it in another unit?"),
                 r.err.c_str());
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
        out.str({});
        cli::run(std::vector<std::string>{"mesh", "check", mesh, "--dt", "2"},
                 {out, err, {}, false});
        QVERIFY2(out.str().find("inside 2 ms: ") != std::string::npos, out.str().c_str());
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

int main(int argc, char** argv)
{
    return tawara::test::run<TestSlips>(argc, argv);
}
#include "test_slips.moc"
