// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/several.hpp"
#include "tests/simulation/bad_sessions.hpp"
#include "tests/simulation/command_line.hpp"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <unistd.h>

using namespace tawara;
using test::Result;
using test::run;

namespace {

void write(const QString& file, const std::string& text)
{
    QFile f(file);
    if (f.open(QIODevice::WriteOnly))
        f.write(text.data(), static_cast<qint64>(text.size()));
}

const char* const small_heart = R"({"shape": "lv", "edge_mm": 5, "lv_short_axis_mm": 12,
    "lv_long_axis_mm": 25, "base_plane_mm": 10})";
const QString program = QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli");
} // namespace

class TestCli : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return (dir_.path() + "/" + name).toStdString(); }
    /// Files that are in the folder, for "nothing is written".
    QStringList files() const
    {
        return QDir(dir_.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    }

  private Q_SLOTS:
    void initTestCase() { write(dir_.path() + "/good.json", bad_sessions::good); }

    void badSessionsGiveOneLineAndTwo_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t k = 0; k < bad_sessions::cases.size(); ++k)
            QTest::newRow(bad_sessions::cases[k].name) << static_cast<int>(k);
    }

    void badSessionsGiveOneLineAndTwo()
    {
        QFETCH(int, index);
        const auto& c = bad_sessions::cases[static_cast<std::size_t>(index)];
        const auto text = bad_sessions::text_of(c);
        QVERIFY2(!text.empty() && text != bad_sessions::good, "the case changes nothing");
        write(dir_.path() + "/bad.json", text);
        const auto before = files();
        const auto r = run({"run", path("bad.json"), "--devices", "cpu"});
        QVERIFY2(r.status == cli::bad_input, (std::to_string(r.status) + " " + r.err).c_str());
        const auto last = r.err.substr(r.err.rfind("error: "));
        QVERIFY2(last.find(c.says) != std::string::npos, last.c_str());
        QCOMPARE(std::count(last.begin(), last.end(), '\n'), 1);
        QCOMPARE(r.out, std::string());
        QCOMPARE(files(), before);
    }

    /// The program itself: its exit status and its streams.
    void programRefusesBadSessions()
    {
        if (!QFile::exists(program))
            QSKIP("tawara-cli is not built");
        int seen = 0;
        for (const auto& c : bad_sessions::cases) {
            write(dir_.path() + "/bad.json", bad_sessions::text_of(c));
            const auto before = files();
            QProcess p;
            p.start(program, {"run", dir_.path() + "/bad.json", "--devices", "cpu", "--json"});
            QVERIFY(p.waitForFinished(60000));
            QByteArray err = p.readAllStandardError();
            err.remove(0, err.lastIndexOf(" %\n") + 3 * err.contains(" %\n")); // slow: progress
            QVERIFY2(p.exitStatus() == QProcess::NormalExit && p.exitCode() == 2, c.name);
            QVERIFY2(err.startsWith("error: ") && err.count('\n') == 1, err.constData());
            QVERIFY2(p.readAllStandardOutput().isEmpty() && files() == before, c.name);
            ++seen;
        }
        QVERIFY(seen >= 25);
    }

    void badArgumentsGiveOneLineAndTwo_data()
    {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("says");
        const QString s = dir_.path() + "/good.json";
        QTest::newRow("nothing") << QStringList{} << "--help";
        QTest::newRow("no command of mesh")
            << QStringList{"mesh"}
            << "want one of info, convert, refine, heart, check or partition";
        QTest::newRow("option first")
            << QStringList{"--json", "run", s} << "give it after one, e.g. tawara-cli run --json";
        QTest::newRow("no mesh") << QStringList{"mesh", "info"} << "no FILE is given (mesh file";
        QTest::newRow("no kind") << QStringList{"export", dir_.path()} << "no --to KIND is given";
        QTest::newRow("a mesh run")
            << QStringList{"run", "heart.vtu"} << "tawara-cli session OUT.json --mesh heart.vtu";
        QTest::newRow("a model run") << QStringList{"run", "cell.mmt"} << "tawara-cli cell run";
        QTest::newRow("traces to a folder")
            << QStringList{"cell", "run", "luo_rudy_1991", "--out", dir_.path()} << "is a folder";
        QTest::newRow("command") << QStringList{"rum"} << "nearest known is run";
        QTest::newRow("command, far")
            << QStringList{"simulate", s} << "simulate: unknown command of tawara-cli; want run, ";
        QTest::newRow("program's option")
            << QStringList{"--verson"} << "nearest known is --version";
        QTest::newRow("subcommand") << QStringList{"mesh", "inof", "x"} << "nearest known is info";
        QTest::newRow("option") << QStringList{"run", s, "--divices", "cpu"} << "--devices";
        QTest::newRow("no session") << QStringList{"run"} << "session";
        QTest::newRow("absent session")
            << QStringList{"run", "/nowhere/s.json"} << "does not exist";
        QTest::newRow("folder") << QStringList{"run", dir_.path()} << "is a folder";
        QTest::newRow("two sessions") << QStringList{"run", s, s} << "one session too many";
        QTest::newRow("device") << QStringList{"run", s, "--devices", "tpu"} << "--devices";
        QTest::newRow("precision") << QStringList{"run", s, "--precision", "half"} << "--precision";
        QTest::newRow("until") << QStringList{"run", s, "--until", "-3"} << "--until";
        QTest::newRow("until text") << QStringList{"run", s, "--until", "1e9x"}
                                    << "error: --until: is '1e9x'; it should be a number of ms\n";
        QTest::newRow("twice") << QStringList{"run", s, "--until", "1", "--until", "2"}
                               << "error: --until: is given twice (1, 2); give it once\n";
        QTest::newRow("three times")
            << QStringList{"run", s, "--out", "x", "--out", "y", "--out", "z"}
            << "error: --out: is given 3 times (x, y, z); give it once\n";
        QTest::newRow("no value") << QStringList{"run", s, "--until"}
                                  << "error: --until: is given without a value; want a number of "
                                     "ms\n";
        QTest::newRow("value of a flag") << QStringList{"run", s, "--json=x"}
                                         << "error: --json: takes no value; give it alone\n";
        QTest::newRow("threads") << QStringList{"run", s, "--threads", "2000"}
                                 << "error: --threads: is '2000'; it should be a whole number from "
                                    "0 to 1024\n";
        QTest::newRow("too few") << QStringList{"mesh", "check", s, "--conductivity", "1", "2"}
                                 << "error: --conductivity: takes 3 values, and 2 are given\n";
        QTest::newRow("whole number") << QStringList{"bench", "step", "--size", "1e6"}
                                      << "--size: is '1e6'; it should be a whole number";
        QTest::newRow("help of no command")
            << QStringList{"mesh", "slab", "--help"}
            << "slab: unknown command of tawara-cli mesh; want info, ";
        QTest::newRow("help of no command, first")
            << QStringList{"help", "rum"} << "rum: unknown command of tawara-cli; the nearest";
        QTest::newRow("set") << QStringList{"run", s, "--set", "time.dt_ms"} << "PATH=VALUE";
        QTest::newRow("resume") << QStringList{"run", s, "--resume", "/nowhere.tcp"}
                                << "/nowhere.tcp";
        QTest::newRow("mesh") << QStringList{"mesh", "info", "/nowhere.vtu"} << "/nowhere.vtu";
        QTest::newRow("mesh format") << QStringList{"mesh", "heart", s, "x.stl"} << "x.stl";
        QTest::newRow("heart") << QStringList{"mesh", "heart", s, dir_.path() + "/x.vtu"}
                               << "unknown key";
        QTest::newRow("scheme") << QStringList{"mesh", "check", s, "--scheme", "fem"} << "--scheme";
        QTest::newRow("unit") << QStringList{"mesh", "info", s, "--length-unit", "ft"}
                              << "--length-unit";
        QTest::newRow("model") << QStringList{"cell", "info", "luo"} << "luo_rudy_1991";
        QTest::newRow("model, short") << QStringList{"cell", "run", "tt06"} << "ten_tusscher_2006";
        QTest::newRow("float") << QStringList{"run", s, "--precision", "float"}
                               << "nearest: single";
        QTest::newRow("brackets") << QStringList{"run", s, "--set", "tissue.regions[0].variant=epi"}
                                  << "tissue.regions.0.variant";
        QTest::newRow("absent points")
            << QStringList{"mesh", "info", "/nowhere.pts"} << "/nowhere.pts: ";
        QTest::newRow("parameter")
            << QStringList{"cell", "run", "ten_tusscher_2006", "--set", "g_Kss=1"}
            << "the nearest known is 'g_Ks'";
        QTest::newRow("parameter, far")
            << QStringList{"cell", "run", "ten_tusscher_2006", "--set", "foo=1"}
            << "tawara-cli cell info";
        QTest::newRow("variant") << QStringList{"cell", "run", "ten_tusscher_2006", "--variant",
                                                "foo"}
                                 << "known are";
        QTest::newRow("step") << QStringList{"run", s, "--dt", "0"} << "--dt";
        QTest::newRow("value") << QStringList{"cell", "run", "ten_tusscher_2006", "--set", "g_Ks=x"}
                               << "NAME=VALUE";
        QTest::newRow("cell step")
            << QStringList{"cell", "run", "ten_tusscher_2006", "--dt", "0"} << "--dt";
        QTest::newRow("tables") << QStringList{"cell", "run", "ten_tusscher_2006", "--tables", "5"}
                                << "--tables";
        QTest::newRow("tables, reference")
            << QStringList{"cell",     "run",  "ten_tusscher_2006", "--tables", "0.1",
                           "--scheme", "cvode"}
            << "--tables";
        QTest::newRow("tables on a GPU")
            << QStringList{"run", s, "--set", "reaction.tables_mV=0.1", "--devices", "cuda"}
            << s + ":/reaction/tables_mV: ";
        QTest::newRow("rest, Strang") << QStringList{"run",
                                                     s,
                                                     "--devices",
                                                     "cpu",
                                                     "--set",
                                                     "reaction.rest_tolerance_mV=0.1",
                                                     "diffusion.splitting=strang"}
                                      << s + ":/reaction/rest_tolerance_mV: ";
        QTest::newRow("bench cable") << QStringList{"bench", "cable", "oak"} << "'oak' is no tree";
        QTest::newRow("bench cable's systems")
            << QStringList{"bench", "cable", "chain:8", "--systems", "0"} << "--systems: is 0";
        QTest::newRow("bench steps") << QStringList{"bench", "step", "--steps", "0"} << "--steps";
    }

    void badArgumentsGiveOneLineAndTwo()
    {
        QFETCH(QStringList, args);
        QFETCH(QString, says);
        std::vector<std::string> line;
        for (const auto& a : args)
            line.push_back(a.toStdString());
        const auto before = files();
        const auto r = run(line);
        QVERIFY2(r.status == cli::bad_input, (std::to_string(r.status) + " " + r.err).c_str());
        QVERIFY2(r.err.rfind("error: ", 0) == 0 && r.error_lines() == 1, r.err.c_str());
        QVERIFY2(r.err.find(says.toStdString()) != std::string::npos, r.err.c_str());
        QCOMPARE(r.out, std::string());
        QCOMPARE(files(), before);
    }

    void runWritesOutputsAndReports()
    {
        const auto r = run({"run", path("good.json"), "--out", path("out"), "--json", "--devices",
                            "cpu", "--set", "time.dt_ms=0.01"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto j = r.json();
        QCOMPARE(j["steps"].toInt(), 100);
        QCOMPARE(j["dt_ms"].toDouble(), 0.01);
        QVERIFY(j["kernels"].toArray().size() > 0);
        QFile report(dir_.path() + "/out/report.json");
        QVERIFY(report.open(QIODevice::ReadOnly));
        QCOMPARE(QJsonDocument::fromJson(report.readAll()).object(), j);
        for (const char* f : {"probes.csv", "activation.csv", "activation.vtu"})
            QVERIFY2(QFile::exists(dir_.path() + "/out/" + f), f);
        // resources/sessions/README.md explains each
        QFile page(QStringLiteral(TAWARA_SOURCE_DIR "/resources/sessions/README.md"));
        QFile beats(dir_.path() + "/out/beats.csv");
        QVERIFY(page.open(QIODevice::ReadOnly) && beats.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        QFile maps(dir_.path() + "/out/activation.csv");
        QVERIFY(maps.open(QIODevice::ReadOnly));
        const auto region = j["regions"].toArray().at(0).toObject();
        for (const auto& key : j.keys() + QString::fromUtf8(beats.readLine()).trimmed().split(',') +
                                   QString::fromUtf8(maps.readLine()).trimmed().split(',') +
                                   region.keys() + region["apd90_ms"].toObject().keys())
            QVERIFY2(text.contains('`' + key + '`'), qPrintable(key));
    }

    void runTakesItsFolderFromTheSession()
    {
        const auto r = run({"run", path("good.json"), "--until", "0.2", "--devices", "cpu",
                            "--threads", "1", "--precision", "single"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(QFile::exists(dir_.path() + "/good-out/report.json"));
    }

    void divergenceIsThree()
    {
        const auto r = run({"run", path("good.json"), "--out", path("wild"), "--devices", "cpu",
                            "--set", "stimuli.0.amplitude_pA_per_pF=1e7", "time.dt_ms=0.5"});
        QVERIFY2(r.status == cli::not_finite, r.err.c_str());
        QVERIFY2(r.err.find("error: the solution stopped being finite at") != std::string::npos,
                 r.err.c_str());
    }

    void stoppingEndsCleanly()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto r = run({"run", path("good.json"), "--out", path("never")}, stop.get_token());
        QCOMPARE(r.status, static_cast<int>(cli::stopped));
    }

    /// Ctrl-C on the program: 130, and what was reached is on disk. That it comes twice, from a
    /// terminal and from a script in the same group, does not hasten it.
    void interruptKeepsWhatWasReached()
    {
        if (!QFile::exists(program))
            QSKIP("tawara-cli is not built");
        QProcess p;
        p.start(program, {"run", dir_.path() + "/good.json", "--out", dir_.path() + "/cut", "--set",
                          "time.end_ms=1e7", "--threads", "1", "--devices", "cpu", "--set",
                          "output.frames_every_ms=1"});
        QVERIFY(p.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(dir_.path() + "/cut/frames"), 30000);
        ::kill(static_cast<pid_t>(p.processId()), SIGINT);
        ::usleep(1000); // two at once would be one
        ::kill(static_cast<pid_t>(p.processId()), SIGINT);
        QVERIFY(p.waitForFinished(60000));
        QCOMPARE(p.exitCode(), 130);
        for (const char* f : {"probes.csv", "activation.csv", "report.json", "frames.pvd"})
            QVERIFY2(QFile::exists(dir_.path() + "/cut/" + f), f);
    }

    void meshCommands()
    {
        write(dir_.path() + "/heart.json", small_heart);
        auto r = run({"mesh", "heart", path("heart.json"), path("h.vtu"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        r = run({"mesh", "info", path("h.vtu"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        auto j = r.json();
        const int n = j["tetrahedra"].toInt();
        QVERIFY(n > 100);
        QVERIFY(j["vertices"].toInt() > 30);
        QVERIFY(j["volume_mm3"].toDouble() > 1e4);
        QVERIFY(j["fibres"].toBool());
        QCOMPARE(j["pieces"].toInt(), 1);
        QCOMPARE(j["turned"].toInt(), 0);
        const auto errors = j["velocity_errors"].toArray();
        QCOMPARE(errors.size(), 4);
        QCOMPARE(errors[1].toObject()["scheme"].toString(), QString("p1"));
        QCOMPARE(errors[1].toObject()["across_fibres"].toDouble(), -1.0);
        const auto box = j["bounding_box_mm"].toArray();
        QCOMPARE(box.size(), 2);
        QVERIFY(box[0].toArray()[2].toDouble() < box[1].toArray()[2].toDouble());
        int labelled = 0;
        for (const auto& count : j["regions"].toObject())
            labelled += count.toInt();
        QCOMPARE(labelled, n);

        r = run({"mesh", "refine", path("h.vtu"), path("h8.vtk"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(r.json()["tetrahedra"].toInt(), 8 * n);
        r = run({"mesh", "convert", path("h8.vtk"), path("h8.node"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(QFile::exists(dir_.path() + "/h8.ele"));

        for (const char* scheme : {"fvm", "p1"}) {
            r = run({"mesh", "check", path("h.vtu"), "--scheme", scheme, "--json"});
            QVERIFY2(r.status == 0, r.err.c_str());
            j = r.json();
            QCOMPARE(j["scheme"].toString(), QString(scheme));
            QVERIFY(j["stable"].toBool());
            QVERIFY(j["repaired_cells"].isDouble());
            QVERIFY(j["stable_dt_ms"].toDouble() > 0);
            QVERIFY(j["largest_growth"].toDouble() < 1e-6);
        }
    }

    /// What a mesh is read from is not written over, whatever name it is given by.
    void meshesAreNotReplacedByWhatIsMadeOfThem()
    {
        write(dir_.path() + "/s.json", small_heart);
        QCOMPARE(run({"mesh", "heart", path("s.json"), path("o/h.vtu")}).status, 0);
        for (const char* made : {"o/h.pts", "o/h.node", "o/h.bpts", "o/h.vtk"})
            QCOMPARE(run({"mesh", "convert", path("o/h.vtu"), path(made)}).status, 0);
        QVERIFY(QFile::link("h.vtu", dir_.path() + "/o/link.vtu"));
        const auto refused = [&](const char* command, const char* in, const char* out,
                                 const char* replaced) {
            const auto r = run({"mesh", command, path(in), path(out)});
            return r.status == cli::bad_input && r.error_lines() == 1 &&
                   r.err == "error: " + path(out) + ": would replace " + path(replaced) +
                                ", which the mesh is read from; give another name\n";
        };
        for (const char* command : {"convert", "refine"}) {
            QVERIFY(refused(command, "o/h.vtu", "o/h.vtu", "o/h.vtu"));
            QVERIFY(refused(command, "o/link.vtu", "o/h.vtu", "o/link.vtu"));
            QVERIFY(refused(command, "o/h.elem", "o/h.lon", "o/h.lon"));
            QVERIFY(refused(command, "o/h.node", "o/h.ele", "o/h.ele"));
        }
        QVERIFY(refused("convert", "o/h", "o/h.vtu", "o/h.vtu")); // by its stem
        QCOMPARE(run({"mesh", "convert", path("o/h.bpts"), path("o/h.pts")}).status, 0);
        QCOMPARE(run({"mesh", "convert", path("o/h.vtu"), path("o/h.vtk")}).status, 0); // another's
    }

    /// Temporary names stay inside.
    void filesThatCannotBeWrittenAreNamed()
    {
        write(dir_.path() + "/s.json", small_heart);
        for (const char* out : {"/proc/x.vtu", "/proc/x.vtk", "/proc/x.pts", "/proc/x.msh"}) {
            const auto r = run({"mesh", "heart", path("s.json"), out});
            QCOMPARE(r.status, static_cast<int>(cli::bad_input));
            QVERIFY2(r.err.find(std::string("error: ") + out + ": ") != std::string::npos &&
                         r.err.find(".x.") == std::string::npos,
                     r.err.c_str());
        }
    }

    void sessionFilesToStartFrom()
    {
        write(dir_.path() + "/s.json", small_heart);
        QCOMPARE(run({"mesh", "heart", path("s.json"), path("m/h.vtu")}).status, 0);
        auto r =
            run({"session", path("t/a.json"), "--mesh", path("m/h.vtu"), "--end", "1", "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(r.json()["mesh"].toObject()["file"].toString(), QString("../m/h.vtu"));
        r = run({"run", path("t/a.json"), "--devices", "cpu"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(QFile::exists(dir_.path() + "/t/a-out/report.json"));
        QCOMPARE(run({"session", path("t/b.json")}).status, 0);
        QCOMPARE(run({"session", path("t/b.txt")}).status, static_cast<int>(cli::bad_input));
    }

    void sessionFilesAreReplacedOnRequestAlone()
    {
        const QString file = dir_.path() + "/mine.json";
        write(file, "what somebody wrote");
        auto r = run({"session", file.toStdString()});
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
        QVERIFY2(r.err.find("mine.json: exists already") != std::string::npos &&
                     r.err.find("--force") != std::string::npos && r.error_lines() == 1,
                 r.err.c_str());
        QFile f(file);
        QVERIFY(f.open(QIODevice::ReadOnly) && f.readAll() == "what somebody wrote");
        r = run({"session", file.toStdString(), "--force", "--end", "7"});
        QVERIFY2(r.status == 0, r.err.c_str());
        r = run({"session", file.toStdString(), "--force", "--json"});
        QCOMPARE(r.json()["time"].toObject()["end_ms"].toDouble(), 500.0);
    }

    void devicesAndBenches()
    {
        auto r = run({"devices", "--json"});
        const auto list = r.json()["devices"].toArray();
        QVERIFY(!list.isEmpty());
        QCOMPARE(list[0].toObject()["id"].toString(), QString("cpu"));
        QVERIFY(list[0].toObject()["usable"].toBool());
        for (const char* bench : {"step", "reaction", "diffusion", "spmv", "scaling"}) {
            r = run(
                {"bench", bench, "--size", "3000", "--steps", "30", "--devices", "cpu", "--json"});
            QVERIFY2(r.status == 0, r.err.c_str());
            const auto j = r.json();
            QCOMPARE(j["bench"].toString(), QString(bench));
            QVERIFY(j["unknown_steps_per_s"].toDouble() > 1e4);
            for (const auto& k : j["kernels"].toArray())
                for (const char* key :
                     {"name", "ms", "bytes", "flops", "ceiling_GB_per_s", "fraction", "bound_by"})
                    QVERIFY2(k.toObject().contains(key), key);
            if (j["bench"] == "spmv")
                QVERIFY(j["nonzeros_per_row"].toDouble() > 10 &&
                        j["bytes_per_row"].toDouble() > 100);
            if (j["bench"] == "scaling") {
                const auto points = j["points"].toArray();
                QVERIFY(!points.isEmpty());
                QCOMPARE(points[0].toObject()["parts"].toInt(), 1);
                QCOMPARE(points[0].toObject()["efficiency"].toDouble(), 1.0);
            }
        }
    }

    void productsOfNamedMatrices()
    {
        {
            std::ofstream(path("four.mtx")) << "%%MatrixMarket matrix coordinate real symmetric\n"
                                               "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n4 1 -1\n";
        }
        auto r = run({"bench", "spmv", path("four.mtx"), "--devices", "cpu", "--threads", "2",
                      "--out", path("spmv.json"), "--page", path("spmv.html"), "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        std::ifstream file(path("spmv.html"));
        const auto page = QByteArray::fromStdString({std::istreambuf_iterator(file), {}});
        QByteArray pictures;
        for (const auto& part : page.split('"'))
            if (part.startsWith("data:image/svg+xml;base64,"))
                pictures += QByteArray::fromBase64(part.mid(part.indexOf(',') + 1));
        const auto count = [&](const char* what) { return pictures.count(what); };
        QCOMPARE(count("<svg"), 4);                // two numbers of threads, layout, rows
        QCOMPARE(count("<circle"), 8 + 4 + 4 + 4); // products, layouts, their legends
        QCOMPARE(count("<rect"), 2);               // rows of one entry, of two
        const auto m = r.json()["matrices"].toArray()[0].toObject();
        QCOMPARE(m["rows"].toInt(), 4);
        QCOMPARE(m["entries"].toInt(), 6);
        const auto products = m["products"].toArray();
        QCOMPARE(products.size(), 8); // two formats, two numbers of threads, two orders
        for (const auto& p : products) {
            QVERIFY(p.toObject()["GB_per_s"].toDouble() > 0);
            QVERIFY(p.toObject()["error"].toDouble() < 1e-14);
            QCOMPARE(p.toObject()["cache"].toString(), QString("hot")); // one after another
        }
        QVERIFY(std::filesystem::exists(path("spmv.json")));
        r = run({"bench", "spmv", "nosuchmatrix", "--devices", "cpu"});
        QVERIFY2(r.status == static_cast<int>(cli::bad_input) &&
                     r.err.find("'nosuchmatrix' is no matrix") != std::string::npos,
                 r.err.c_str());
        r = run({"bench", "spmv", "--out", path("s.json"), "--size", "3000", "--devices", "cpu"});
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
    }

    void helpAndVersion()
    {
        QCOMPARE(run({"--help"}).status, 0);
        QVERIFY(run({"run", "--help"}).out.find("--resume") != std::string::npos);
        QCOMPARE(run({"help", "run"}).out, run({"run", "--help"}).out);
        QVERIFY(run({"--version"}).out.rfind("tawara ", 0) == 0);
        // one session, one model, and they have to be given
        const auto has = [](const Result& r, const char* text) {
            return r.out.find(text) != std::string::npos;
        };
        QVERIFY(has(run({"run", "--help"}), "tawara-cli run [OPTIONS] session\n"));
        QVERIFY(has(run({"run", "--help"}), "session SESSION.json REQUIRED\n"));
        QVERIFY(has(run({"cell", "run", "--help"}), "tawara-cli cell run [OPTIONS] model\n"));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestCli>(argc, argv);
}
#include "test_cli.moc"
