// SPDX-License-Identifier: GPL-3.0-or-later
// The command line on cables.
#include "engine/core/folder_lock.hpp"
#include "tests/several.hpp"
#include "tests/simulation/command_line.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace tawara;
using test::run;

class TestCliCables : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return (dir_.path() + "/" + name).toStdString(); }
    std::string file(const char* name, const QByteArray& text) const
    {
        QFile f(QString::fromStdString(path(name)));
        if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size())
            return {};
        return path(name);
    }
    std::string neuron() const
    {
        return file("neuron.swc", "1 1 0 0 0 8 -1\n2 3 8 0 0 1 1\n3 3 208 0 0 1 2\n4 2 0 -8 0 0.5 "
                                  "1\n5 2 0 -308 0 0.5 4\n");
    }

  private Q_SLOTS:
    void info()
    {
        const auto swc = neuron();
        auto r = run({"cable", "info", swc, "--space-step", "50", "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto tree = r.json()["trees"].toArray()[0].toObject();
        QCOMPARE(r.json()["format"].toString(), QString("SWC"));
        QCOMPARE(tree["points"].toInt(), 7); // a soma of one point has two more
        QCOMPARE(tree["compartments"].toInt(), 1 + 2 + 4 + 6);
        QVERIFY(std::abs(tree["length_um"].toDouble() - 516) < 1e-6);
        QVERIFY(r.err.find("note: the soma at id 1 is one point") != std::string::npos);
        r = run({"cable", "info", swc});
        QVERIFY(r.out.find("axon                   2 points, length 300 um") != std::string::npos);
        const std::vector<std::pair<std::vector<std::string>, const char*>> bad{
            {{path("no.swc")}, "there is no such file"},
            {{swc, "--unit", "inch"}, "--unit: is 'inch'; it should be nm, um"},
            {{swc, "--space-step", "0"}, "--space-step: is 0"},
            {{file("z.swc", "1 3 0 0 0 0 -1\n2 3 1 0 0 1 1\n")},
             "z.swc:1: the radius of id 1 is 0"},
            {{swc, "--root", "9"}, "has no id 9"},
            {{swc, "--space-step", "1e-9"}, "--space-step: is 1e-09 um, of which 516 um of cable"},
        };
        for (const auto& [more, what] : bad) {
            std::vector<std::string> line{"cable", "info"};
            line.insert(line.end(), more.begin(), more.end());
            r = run(line);
            QVERIFY2(r.status == static_cast<int>(cli::bad_input) && r.error_lines() == 1 &&
                         r.err.find(what) != std::string::npos,
                     r.err.c_str());
        }
    }

    /// A hundred thousand trees of a point each are counted, and told in part.
    void manyTrees()
    {
        const auto many = file("many.csv", QByteArray("0,0,0,1,-1\n").repeated(100'000));
        auto r = run({"cable", "info", many, "--json"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(r.json()["tree_count"].toInt(), 100'000);
        QCOMPARE(r.json()["trees"].toArray().size(), 1000);
        QVERIFY2(r.err.find("99000 more trees are counted and not listed") != std::string::npos,
                 r.err.c_str());
        r = run({"cable", "info", many});
        QVERIFY(r.out.find("100000 trees that are not joined") != std::string::npos);
        QVERIFY(r.out.find("tree 999, root 999:") != std::string::npos);
        QVERIFY(r.out.find("tree 1000,") == std::string::npos);
    }

    /// Links under the names of outputs are replaced; another run's folder is left alone.
    void writesIntoItsOwnFolderAlone()
    {
        namespace fs = std::filesystem;
        const fs::path out = path("guarded"), other = file("other.txt", "precious");
        fs::create_directory(out);
        for (const char* name : {"traces.csv", "spikes.csv", "report.json"})
            fs::create_symlink(other, out / name);
        const std::vector<std::string> line{
            "cable", "run",        neuron(),    "--model", "hodgkin_huxley_1952", "--until", "1",
            "--out", out.string(), "--threads", "1"};
        const auto fails = [&](const char* what) {
            const auto r = run(line);
            return r.status == static_cast<int>(cli::bad_input) &&
                   r.err.find(what) != std::string::npos;
        };
        {
            FolderLock of_another;
            of_another.take(out);
            QVERIFY(fails("another run is writing into this folder"));
            QVERIFY(fs::is_symlink(out / "report.json"));
        }
        const auto r = run(line);
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(fs::file_size(other), std::uintmax_t{8});
        for (const char* name : {"traces.csv", "spikes.csv", "report.json"})
            QVERIFY(!fs::is_symlink(out / name) && fs::is_regular_file(out / name));
        fs::remove(out / "spikes.csv");
        fs::create_directory(out / "spikes.csv");
        const auto before = fs::last_write_time(out / "traces.csv");
        QVERIFY(fails("is a folder, and the run writes a file of that name"));
        fs::remove(out / "spikes.csv");
        QCOMPARE(mkfifo((out / "spikes.csv").c_str(), 0600), 0);
        QVERIFY(fails("is a device or a pipe, and the run writes a file of that name"));
        QVERIFY(fs::last_write_time(out / "traces.csv") == before);
    }

    /// More current, more spikes: copies of one neuron; tables and a report.
    void runs()
    {
        const std::vector<std::string> line{"cable",
                                            "run",
                                            neuron(),
                                            "--model",
                                            "hodgkin_huxley_1952",
                                            "--membrane",
                                            "dendrite=hodgkin_huxley_1952,g_Na=60",
                                            "--copies",
                                            "20",
                                            "--stimulus",
                                            "at=root,amplitude=0,to=0.4,start=2,duration=20",
                                            "--probe",
                                            "root",
                                            "--probe",
                                            "5",
                                            "--until",
                                            "25",
                                            "--traces",
                                            "2",
                                            "--every",
                                            "0.5",
                                            "--out",
                                            path("out"),
                                            "--json"};
        auto r = run(line);
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto cable = r.json()["cables"].toArray()[0].toObject();
        const auto at = cable["probes"].toArray()[1].toObject();
        QCOMPARE(at["probe"].toString(), QString("5"));
        QVERIFY(at["copies_that_fired"].toInt() > 10 && at["copies_that_fired"].toInt() < 20);
        QVERIFY(at["first_of_copy_0_ms"].isNull()); // it has no current
        QVERIFY(r.json()["node_steps_per_s"].toDouble() > 0);
        QFile traces(dir_.path() + "/out/traces.csv"), spikes(dir_.path() + "/out/spikes.csv");
        QVERIFY(traces.open(QIODevice::ReadOnly) && spikes.open(QIODevice::ReadOnly));
        const auto rows = traces.readAll().trimmed().split('\n');
        QCOMPARE(rows[0], QByteArray("time_ms,neuron.0.root_mV,neuron.0.5_mV,neuron.1.root_mV,"
                                     "neuron.1.5_mV"));
        QCOMPARE(rows.size(), 52);
        const auto table = spikes.readAll();
        QVERIFY(table.startsWith("cable,copy,probe,time_ms\n"));
        QCOMPARE(table.trimmed().split('\n').size(),
                 1 + at["spikes"].toInt() +
                     cable["probes"].toArray()[0].toObject()["spikes"].toInt());
        QVERIFY(QFile::exists(dir_.path() + "/out/report.json"));
        // whatever the threads, and another precision or order fires as many
        auto again = line;
        again.insert(again.end(), {"--threads", "2"});
        QCOMPARE(run(again).status, 0);
        QVERIFY(spikes.seek(0));
        QCOMPARE(spikes.readAll(), table);
        again.insert(again.end(), {"--precision", "single", "--second-order"});
        r = run(again);
        QVERIFY2(r.status == 0, r.err.c_str());
        QCOMPARE(r.json()["order_in_time"].toInt(), 2);
        QCOMPARE(r.json()["scheme"].toString(), QString("grl2"));
        QVERIFY(std::abs(r.json()["cables"]
                             .toArray()[0]
                             .toObject()["probes"]
                             .toArray()[1]
                             .toObject()["copies_that_fired"]
                             .toInt() -
                         at["copies_that_fired"].toInt()) <= 1);
    }
    void stops()
    {
        std::stop_source stop;
        const std::jthread later([&] {
            while (!QFile::exists(dir_.path() + "/stopped"))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            stop.request_stop();
        });
        QVERIFY(QDir(dir_.path()).mkdir("stopped"));
        const auto r = run({"cable", "run", neuron(), "--model", "hodgkin_huxley_1952", "--until",
                            "100000", "--every", "100", "--out", path("stopped")},
                           stop.get_token());
        QCOMPARE(r.status, 130);
        QVERIFY2(r.out.find("stopped at ") != std::string::npos, r.out.c_str());
        QVERIFY(QFile::exists(dir_.path() + "/stopped/traces.csv"));
    }
    void slips()
    {
        const std::string model = "hodgkin_huxley_1952";
        const std::vector<std::pair<std::vector<std::string>, const char*>> bad{
            {{"--model", "hodgkin_huxley"}, "hodgkin_huxley_1952"},
            {{"--model", model, "--set", "gNa=1"}, "the nearest known is 'g_Na'"},
            {{"--model", model, "--stimulus", "at=root"}, "has no amplitude"},
            {{"--model", model, "--stimulus", "at=77,amplitude=1"}, "'77' is no point of neuron"},
            {{"--model", model, "--stimulus", "volts=3"}, "'volts=3' is not known"},
            {{"--model", model, "--membrane", "axon"}, "KIND=MODEL"},
            {{"--model", model, "--membrane", "apical=" + model}, "has no apical dendrite"},
            {{"--model", model, "--membrane", "tail=" + model}, "no kind of branch"},
            {{"--model", model, "--scheme", "backward_euler"}, "steps V together"},
            {{"--model", model, "--scheme", "cvode"}, "cvode"},
            {{"--model", model, "--copies", "0"}, "--copies: is 0"},
            {{"--model", model, "--precision", "mixed"}, "double or single"},
            {{"--model", model, "--resistivity", "-1"}, "--resistivity"},
            {{"--model", "ohara_rudy_dyads_2011"}, "no compiled model"},
        };
        for (const auto& [more, what] : bad) {
            std::vector<std::string> line{"cable", "run", neuron()};
            line.insert(line.end(), more.begin(), more.end());
            const auto r = run(line);
            QVERIFY2(r.status == static_cast<int>(cli::bad_input) && r.error_lines() == 1 &&
                         r.err.find(what) != std::string::npos,
                     (std::string(what) + ": " + r.err).c_str());
        }
    }
};
static const tawara::test::Further<TestCliCables> further_cables;
#include "test_cli_cables.moc"
