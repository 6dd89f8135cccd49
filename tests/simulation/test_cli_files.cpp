// SPDX-License-Identifier: GPL-3.0-or-later
// Where the command line reads from and writes to: streams, folders, files that are there already.
#include "engine/cli/cli.hpp"
#include "tests/simulation/bad_sessions.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <filesystem>
#include <sstream>

using namespace tawara;

namespace {

struct Result
{
    int status;
    std::string out, err;
    bool says(const std::string& line) const
    {
        return ("\n" + err).find("\n" + line + "\n") != std::string::npos;
    }
};

/// @param in  what the standard input holds
Result run(const std::vector<std::string>& args, const std::string& in = {})
{
    std::ostringstream out, err;
    std::istringstream input(in);
    const int status = cli::run(args, {out, err, {}, false, &input});
    return {status, out.str(), err.str()};
}

bool write_text(const QString& file, const QByteArray& text)
{
    QFile f(file);
    return f.open(QIODevice::WriteOnly) && f.write(text) == text.size();
}

QByteArray content(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

/// A mesh without fibres.
constexpr const char* bare = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                             "POINTS 4 float\n0 0 0 30 0 0 0 30 0 0 0 30\nCELLS 1 5\n4 0 1 2 3\n"
                             "CELL_TYPES 1\n10\n";

const QString program = QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli");

} // namespace

class TestCliFiles : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const QString& name) const { return dir_.filePath(name).toStdString(); }

  private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(write_text(dir_.filePath("good.json"), bad_sessions::good.data()));
    }

    /// Results that nobody gets are an error.
    void outputThatCannotBeWritten()
    {
        if (!QFile::exists(program) || !QFile::exists("/dev/full"))
            QSKIP("tawara-cli is not built, or there is no /dev/full");
        const QString s = dir_.path() + "/good.json";
        for (const auto& args : {QStringList{"cell", "list"},
                                 {"cell", "list", "--json"},
                                 {"run", "--help"},
                                 {"-v"},
                                 {"run", s, "--out", dir_.path() + "/full", "--devices", "cpu"}}) {
            QProcess p;
            p.setStandardOutputFile("/dev/full");
            p.start(program, args);
            QVERIFY(p.waitForFinished(60000));
            const QByteArray err = p.readAllStandardError();
            QVERIFY2(p.exitCode() == 2 && err.count("error: ") == 1 &&
                         err.contains("error: standard output: cannot be written: No space left "
                                      "on device; send it elsewhere\n"),
                     err.constData());
        }
        QVERIFY(QFile::exists(dir_.path() + "/full/report.json"));
        QProcess closed;
        closed.start("/bin/sh", {"-c", "exec '" + program + "' cell list >&-"});
        QVERIFY(closed.waitForFinished(60000));
        QCOMPARE(closed.exitCode(), 2);
        QVERIFY(closed.readAllStandardError().startsWith("error: standard output: cannot be "));
    }

    /// What it names is relative to the working folder, and so is where the outputs go.
    void sessionsFromThePipe()
    {
        const auto before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(dir_.path()));
        const auto r = run({"run", "-", "--devices", "cpu"}, bad_sessions::good);
        const auto bad = run({"run", "-"}, "{\"schema\": 1, \"mash\": 2}");
        const auto none = run({"run", "-"});
        QVERIFY(QDir::setCurrent(before));
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(QFile::exists(dir_.filePath("session-out/probes.csv")));
        QVERIFY2(bad.status == cli::bad_input &&
                     bad.err.starts_with("error: standard input:/mash: unknown key 'mash'"),
                 bad.err.c_str());
        QVERIFY2(none.status == cli::bad_input &&
                     none.err.starts_with("error: standard input: is empty"),
                 none.err.c_str());
    }

    /// A slip in a path makes a folder: that is said.
    void newFoldersAreSaid()
    {
        const auto made = [&](const char* folder) {
            return "note: makes the folder " + path(folder) + ", which is not there yet";
        };
        const std::vector<std::string> short_run{"run", path("good.json"), "--until",
                                                 "0.1", "--devices",       "cpu"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), short_run.begin(), short_run.end());
            return run(more);
        };
        auto r = with({"--out", path("n1/deep/out/"), "--report", path("n2/r.html")});
        QVERIFY2(r.status == 0 && r.says(made("n1/deep")) && r.says(made("n2")), r.err.c_str());
        r = with({"--out", path("plain"), "--report", path("plain/r.html")});
        QVERIFY2(r.status == 0 && r.err.find("makes the folder") == std::string::npos,
                 r.err.c_str());
        r = run({"export", path("plain"), "--to", "activation-dat", "--out", path("n3/a.dat")});
        QVERIFY2(r.status == 0 && r.says(made("n3")), r.err.c_str());
        r = run({"cell", "run", "luo_rudy_1991", "--until", "1", "--out", path("n4/t.csv")});
        QVERIFY2(r.status == 0 && r.says(made("n4")), r.err.c_str());
        r = run({"session", path("n5/s.json")});
        QVERIFY2(r.status == 0 && r.says(made("n5")), r.err.c_str());
        QVERIFY(write_text(dir_.filePath("h.json"), R"({"shape": "lv", "edge_mm": 5})"));
        r = run({"mesh", "heart", path("h.json"), path("n6/h.vtu")});
        QVERIFY2(r.status == 0 && r.says(made("n6")), r.err.c_str());
    }

    /// Each file by its name, and what would be taken for a part of the new mesh.
    void replacedMeshesAreSaid()
    {
        QVERIFY(write_text(dir_.filePath("r.json"), R"({"shape": "lv", "edge_mm": 5})"));
        QVERIFY(write_text(dir_.filePath("bare.vtk"), bare));
        const auto replaced = [&](const char* stem) {
            return "note: replaced " + path(QString(stem) + ".pts") + ", " +
                   path(QString(stem) + ".elem") + " and " + path(QString(stem) + ".lon");
        };
        for (const char* out : {"r.vtu", "r.pts"}) {
            const auto r = run({"mesh", "heart", path("r.json"), path(out)});
            QVERIFY2(r.status == 0 && r.err.find("replaced") == std::string::npos, r.err.c_str());
        }
        auto r = run({"mesh", "heart", path("r.json"), path("r.vtu")});
        QVERIFY2(r.status == 0 && r.says("note: replaced " + path("r.vtu")), r.err.c_str());
        r = run({"mesh", "convert", path("r.vtu"), path("r.elem")});
        QVERIFY2(r.status == 0 && r.says(replaced("r")), r.err.c_str());
        r = run({"mesh", "refine", path("bare.vtk"), path("r.pts"), "--length-unit", "mm"});
        QVERIFY2(
            r.status == 0 && r.says("note: replaced " + path("r.pts") + " and " + path("r.elem")) &&
                r.says("note: removed " + path("r.lon") + ", which would be taken for this mesh's"),
            r.err.c_str());
        QVERIFY(!QFile::exists(dir_.filePath("r.lon")));
        QVERIFY(!QFile::exists(dir_.filePath("r.lon.provenance.json")));
    }

    /// A link is replaced by the file; what it leads to stays.
    void meshesFollowNoLink()
    {
        QVERIFY(QDir().mkpath(dir_.filePath("l")));
        QVERIFY(write_text(dir_.filePath("l/h.json"), R"({"shape": "lv", "edge_mm": 5})"));
        QVERIFY(write_text(dir_.filePath("precious"), "precious"));
        for (const char* name : {"l/h.vtu", "l/h.elem", "l/h.pts.provenance.json"})
            std::filesystem::create_symlink("../precious", path(name));
        std::filesystem::create_symlink("nothing", path("l/h.lon"));
        const auto unfinished = path("l/.frames.part-0123456789abcdef.igb"); // of a killed run
        QVERIFY(write_text(QString::fromStdString(unfinished), "frames"));
        for (const char* out : {"l/h.vtu", "l/h.pts"}) {
            const auto r = run({"mesh", "heart", path("l/h.json"), path(out)});
            QVERIFY2(r.status == 0 && r.err.find("replaced ") != std::string::npos, r.err.c_str());
        }
        for (const char* name : {"l/h.vtu", "l/h.elem", "l/h.lon", "l/h.pts.provenance.json"})
            QVERIFY2(!std::filesystem::is_symlink(path(name)) &&
                         std::filesystem::file_size(path(name)) > 8,
                     name);
        QCOMPARE(content(dir_.filePath("precious")), QByteArray("precious"));
        QVERIFY(!std::filesystem::exists(path("l/nothing")));
        QVERIFY(std::filesystem::exists(unfinished)); // which goes on with it
    }

    /// By another name of the same file, too; and where one file cannot be written none is.
    void sourcesOfMeshesStay()
    {
        namespace fs = std::filesystem;
        QVERIFY(QDir().mkpath(dir_.filePath("s")));
        const QByteArray parameters = R"({"shape": "lv", "edge_mm": 5})";
        QVERIFY(write_text(dir_.filePath("s/h.json"), parameters));
        fs::create_hard_link(path("s/h.json"), path("s/same.vtu"));
        const auto refused = [&](const char* command, const char* in, const char* out,
                                 const char* replaced) {
            const auto r = run({"mesh", command, path(in), path(out)});
            return r.status == cli::bad_input &&
                   r.err == "error: " + path(out) + ": would replace " + path(replaced) +
                                ", which the mesh is read from; give another name\n";
        };
        QVERIFY(refused("heart", "s/h.json", "s/same.vtu", "s/h.json"));
        QCOMPARE(content(dir_.filePath("s/h.json")), parameters);
        QCOMPARE(run({"mesh", "heart", path("s/h.json"), path("s/h.pts")}).status, 0);
        QCOMPARE(run({"mesh", "convert", path("s/h.pts"), path("s/h.node")}).status, 0);
        fs::create_hard_link(path("s/h.lon"), path("s/other.lon"));
        fs::create_hard_link(path("s/h.ele"), path("s/third.ele"));
        QVERIFY(refused("convert", "s/h.pts", "s/other.pts", "s/h.lon"));
        QVERIFY(refused("refine", "s/h.node", "s/third.node", "s/h.ele"));
        QVERIFY(!QFile::exists(dir_.filePath("s/other.pts")));
        QVERIFY(QDir().mkpath(dir_.filePath("s/f.elem/full")));
        const auto r = run({"mesh", "convert", path("s/h.node"), path("s/f.pts")});
        QVERIFY2(r.status == cli::bad_input &&
                     r.err ==
                         "error: " + path("s/f.elem") + ": is a folder; give the name of a file\n",
                 r.err.c_str());
        QVERIFY(!QFile::exists(dir_.filePath("s/f.pts")));
        QVERIFY(!QFile::exists(dir_.filePath("s/f.pts.provenance.json")));
    }

    /// CARP's files have no place for what made them: it lies beside them.
    void carpMeshesSayWhatMadeThem()
    {
        QVERIFY(write_text(dir_.filePath("p.vtk"), bare));
        const std::vector<std::string> words{"mesh",        "convert",       path("p.vtk"),
                                             path("p.pts"), "--length-unit", "mm"};
        QCOMPARE(run(words).status, 0);
        for (const char* file : {"p.pts", "p.elem"}) {
            const auto j =
                QJsonDocument::fromJson(content(dir_.filePath(QString(file) + ".provenance.json")))
                    .object();
            QCOMPARE(j["program"].toString(), QString("tawara"));
            QVERIFY(!j["version"].toString().isEmpty() && j.contains("built_from"));
            QCOMPARE(static_cast<std::size_t>(j["command"].toArray().size()), words.size());
            QCOMPARE(j["command"].toArray()[1].toString(), QString("convert"));
            QCOMPARE(j["sources_sha256"].toObject()[dir_.filePath("p.vtk")].toString(),
                     QString(QCryptographicHash::hash(bare, QCryptographicHash::Sha256).toHex()));
            QCOMPARE(run({"provenance", path(file)}).status, 0);
        }
        QVERIFY(!QFile::exists(dir_.filePath("p.lon.provenance.json")));
        QVERIFY(write_text(dir_.filePath("p.elem"), "1\nTt 0 1 2 3 9\n"));
        QCOMPARE(run({"provenance", path("p.elem")}).status, static_cast<int>(cli::bad_input));
    }

    /// Before anything is computed.
    void linksToNothingAreRefused()
    {
        std::filesystem::create_symlink("nothing", path("link"));
        const auto says = "link: is a symbolic link to nothing: there is no " + path("nothing") +
                          "; choose another folder\n";
        for (const auto& args :
             {std::vector<std::string>{"run", path("good.json"), "--devices", "cpu", "--out"},
              {"verify", "--only", "cells.order", "--out"}}) {
            auto words = args;
            words.push_back(path("link"));
            const auto r = run(words);
            QCOMPARE(r.status, static_cast<int>(cli::bad_input));
            QVERIFY2(r.err.ends_with(says) && r.out.empty(), r.err.c_str());
        }
        const auto r = run({"cell", "run", "luo_rudy_1991", "--out", path("link/t.csv")});
        QCOMPARE(r.status, static_cast<int>(cli::bad_input));
        QVERIFY2(r.says("error: " + path("link/t.csv") + ": " + path("link") +
                        says.substr(5, says.size() - 6)),
                 r.err.c_str());
        QVERIFY(!std::filesystem::exists(path("nothing")));
    }

    /// Ctrl-C ends a run also while it waits for a session that nobody types.
    void interruptEndsWaitingForASession()
    {
        if (!QFile::exists(program))
            QSKIP("tawara-cli is not built");
        QProcess p;
        p.start(program, {"run", "-", "--out", dir_.path() + "/waits"});
        QVERIFY(p.waitForStarted());
        QVERIFY(!p.waitForFinished(500)); // its input stays open
        ::kill(static_cast<pid_t>(p.processId()), SIGINT);
        QVERIFY(p.waitForFinished(5000));
        QCOMPARE(p.exitCode(), 130);
        QCOMPARE(p.readAllStandardError(), QByteArray("stopped\n"));
        QVERIFY(!QFile::exists(dir_.path() + "/waits"));
        p.start(program, {"run", "-", "--out", dir_.path() + "/waits"}); // in pieces
        QVERIFY(p.waitForStarted());
        p.write("{\"schema\": ");
        QVERIFY(!p.waitForFinished(200));
        p.write("7}");
        p.closeWriteChannel();
        QVERIFY(p.waitForFinished(5000));
        QCOMPARE(p.exitCode(), 2);
        QVERIFY(p.readAllStandardError().contains("/schema"));
    }

    /// Where its terminal goes a run ends as by Ctrl-C, with what it has reached.
    void endOfTheTerminalKeepsWhatWasReached()
    {
        if (!QFile::exists(program))
            QSKIP("tawara-cli is not built");
        const auto before = std::signal(SIGHUP, SIG_DFL); // nohup ignores it, and so would it
        QProcess p;
        p.start(program, {"run", dir_.filePath("good.json"), "--out", dir_.filePath("hangs"),
                          "--devices", "cpu", "--set", "time.end_ms=1e6", "--json"});
        QVERIFY(p.waitForStarted());
        std::signal(SIGHUP, before);
        QTRY_VERIFY_WITH_TIMEOUT(QDir(dir_.filePath("hangs")).exists(), 60000);
        QVERIFY(!p.waitForFinished(2000));
        ::kill(static_cast<pid_t>(p.processId()), SIGHUP);
        QVERIFY(p.waitForFinished(60000));
        QCOMPARE(p.exitStatus(), QProcess::NormalExit);
        QCOMPARE(p.exitCode(), 130);
        for (const char* f : {"probes.csv", "activation.csv", "report.json"})
            QVERIFY2(QFile::exists(dir_.filePath("hangs") + "/" + f), f);
    }

    /// Names of files are bytes: those that are no UTF-8 lose no report.
    void namesNeedNotBeUtf8()
    {
        namespace fs = std::filesystem;
        const std::string session = path("sl") + "\xe9" + "b.json", out = path("o") + "\xe9";
        fs::copy_file(path("good.json"), session);
        const auto r = run({"run", session, "--out", out, "--devices", "cpu", "--until", "0.2"});
        QVERIFY2(r.status == 0, r.err.c_str());
        for (const char* f : {"probes.csv", "activation.csv", "report.json"})
            QVERIFY2(fs::exists(fs::path(out) / f), f);
    }

    /// Files that no run has written are replaced, and that is said; a run's own are only counted.
    void replacedFilesAreSaid()
    {
        QVERIFY(QDir().mkpath(dir_.filePath("mine")));
        for (const char* name : {"mine/probes.csv", "mine/beats.csv", "mine/ecg.csv"})
            QVERIFY(write_text(dir_.filePath(name), "mine"));
        const auto again = [&] {
            return run({"run", path("good.json"), "--out", path("mine"), "--devices", "cpu"});
        };
        auto r = again();
        QVERIFY2(r.status == 0 && r.says("warning: " + path("mine") +
                                         ": will be replaced, although no report.json lists them: "
                                         "probes.csv, beats.csv"),
                 r.err.c_str());
        r = again();
        QVERIFY2(r.status == 0 && r.err.find("will be replaced") == std::string::npos &&
                     r.says("note: replaces the 5 files of an earlier run in " + path("mine")),
                 r.err.c_str());
        QFile kept(dir_.filePath("mine/ecg.csv"));
        QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll() == "mine");
    }

    /// Frames, checkpoints and the report for people, too.
    void otherReplacedFilesAreSaid()
    {
        QVERIFY(QDir().mkpath(dir_.filePath("more/frames")));
        for (const char* name :
             {"more/frames/000000000.vtu", "more/frames/000000001.vtu", "more/frames/mine.vtu",
              "more/r.html", "more/checkpoint-00000000.100ms.tcp",
              "more/checkpoint-00000000.150ms.tcp", "more/checkpoint-00007000.000ms.tcp"})
            QVERIFY(write_text(dir_.filePath(name), "mine"));
        const auto again = [&](std::vector<std::string> set) {
            std::vector<std::string> args{"run",
                                          path("good.json"),
                                          "--out",
                                          path("more"),
                                          "--devices",
                                          "cpu",
                                          "--report",
                                          path("more/r.html"),
                                          "--set",
                                          "time.dt_ms=0.02",
                                          "time.end_ms=0.2"};
            args.insert(args.end(), set.begin(), set.end());
            return run(args);
        };
        auto r = again({"output.frames_every_ms=0.1", "output.checkpoint_every_ms=0.1"});
        QVERIFY2(r.status == 0 &&
                     r.says("warning: " + path("more") +
                            ": will be replaced, although no report.json lists them: "
                            "frames/000000000.vtu") &&
                     r.says("warning: " + path("more/r.html") +
                            ": is not a report of a run, and will be replaced") &&
                     r.says("note: 1 checkpoint of an earlier run in " + path("more") +
                            " will be replaced") &&
                     r.says("note: 2 checkpoints of an earlier run stayed in " + path("more")),
                 r.err.c_str());
        r = again({"output.frames_every_ms=0.1"});
        QVERIFY2(r.status == 0 && r.err.find("will be replaced") == std::string::npos &&
                     r.says("note: 4 checkpoints of an earlier run stayed in " + path("more")),
                 r.err.c_str());
        QFile kept(dir_.filePath("more/frames/mine.vtu"));
        QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll() == "mine");
    }
};

QTEST_GUILESS_MAIN(TestCliFiles)
#include "test_cli_files.moc"
