// SPDX-License-Identifier: GPL-3.0-or-later
// Slips on the command line of single cells.
#include "tests/several.hpp"
#include "tests/simulation/bad_sessions.hpp"
#include "tests/simulation/command_line.hpp"
#include "tests/slowdown.hpp"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace tawara;
using test::Result;
using test::run;

class TestCellSlips : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return dir_.filePath(name).toStdString(); }
    Result run_with(const std::vector<std::string>& sets) const
    {
        return test::run_with(path("good.json"), path("out"), sets);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        QFile f(dir_.filePath("good.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(bad_sessions::good.data());
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

    /// Ctrl-C: rows and beats until then.
    void cellRunsThatAreStopped()
    {
        for (const char* scheme : {"rush_larsen_light", "cvode"}) {
            std::stop_source stop;
            std::jthread later([&, from = std::clock()] {
                while (std::clock() - from <
                       tawara::test::slowdown * CLOCKS_PER_SEC) // of work, however busy the host is
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
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
            for (const auto& folder : {path("folder.mmt"), path("folder")}) {
                std::filesystem::create_directories(folder);
                r = run({"cell", command, folder});
                QVERIFY2(r.says("error: " + folder + ": is a folder; name a file"), r.err.c_str());
            }
            const auto pipe = path("pipe.mmt");
            QVERIFY(::mkfifo(pipe.c_str(), 0600) == 0 || errno == EEXIST);
            r = run({"cell", command, pipe});
            QVERIFY2(r.says("error: " + pipe +
                            ": is a pipe or a device, not a file; copy its "
                            "content into a file"),
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
};
static const tawara::test::Further<TestCellSlips> further;
#include "test_cell_slips.moc"
