// SPDX-License-Identifier: GPL-3.0-or-later
// One heart over the ranks that mpirun starts: tawara-cli run --distributed.
#include "engine/mesh/io/vtu_file.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/types.h>

using namespace tawara;

namespace {

const QString program = QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli");

/// Tissue with a hole in it, so that some vertices have no cells.
constexpr const char* session = R"({"schema": 1,
  "mesh": {"slab_mm": [12, 4, 2], "spacing_mm": 0.5},
  "tissue": {"regions": [
    {"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
     "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}},
    {"name": "hole", "where": {"box_mm": [[5, 1, 0], [7, 3, 2]]}, "insulating": true}]},
  "diffusion": {"scheme": "p1", "currents": "interpolated"},
  "time": {"dt_ms": 0.02, "end_ms": 8},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [1, 4, 2]]},
               "start_ms": 0, "duration_ms": 2, "amplitude_pA_per_pF": 50}],
  "probes": [{"name": "P1", "position_mm": [3, 2, 1]}, {"name": "P2", "position_mm": [10, 2, 1]}],
  "output": {"checkpoint_every_ms": 2, "frames": "vtu", "frames_every_ms": 4}})";

struct Ended
{
    int status;
    QByteArray out, err;
};

} // namespace

class TestDistributed : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    QString mpirun_;

    QString path(const QString& name) const { return dir_.filePath(name); }
    static QProcessEnvironment environment()
    {
        auto e = QProcessEnvironment::systemEnvironment();
        e.insert("OMPI_ALLOW_RUN_AS_ROOT", "1"); // as in containers
        e.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        return e;
    }
    QStringList over(int ranks, const QStringList& arguments) const
    {
        return QStringList{"--oversubscribe", "-n", QString::number(ranks), program, "run"} +
               arguments + QStringList{"--distributed"};
    }
    static Ended finished(QProcess& p)
    {
        if (!p.waitForFinished(240000))
            p.kill();
        return {p.exitCode(), p.readAllStandardOutput(), p.readAllStandardError()};
    }
    Ended start(const QString& what, const QStringList& arguments) const
    {
        QProcess p;
        p.setProcessEnvironment(environment());
        p.start(what, arguments);
        return finished(p);
    }
    /// Runs the session alone (0) or over ranks.
    Ended run(int ranks, const QString& out, QStringList more = {}) const
    {
        more = QStringList{path("s.json"), "--out", path(out), "--devices", "cpu"} + more;
        return ranks == 0 ? start(program, QStringList{"run"} + more)
                          : start(mpirun_, over(ranks, more));
    }
    QByteArray content(const QString& file) const
    {
        QFile f(path(file));
        return f.open(QIODevice::ReadOnly) ? f.readAll()
                                           : QByteArray("is not there: ") + file.toUtf8();
    }
    QJsonObject report(const QString& out) const
    {
        return QJsonDocument::fromJson(content(out + "/report.json")).object();
    }
    QString checkpoint(const QString& out, double ms) const
    {
        return path(out + QStringLiteral("/checkpoint-%1ms.tcp").arg(ms, 12, 'f', 3, QChar('0')));
    }
    /// The bytes of a file; of a VTU those of its arrays, without what it says of who made it.
    QByteArray results(const QString& file) const
    {
        if (!file.endsWith(".vtu") || !QFile::exists(path(file)))
            return content(file);
        const Progress progress;
        mesh::io::VtuFile vtu(path(file).toStdString(), progress);
        QByteArray out;
        for (const auto group : vtu.grid().child("Piece").children())
            for (const auto array : group.children("DataArray")) {
                const auto values = vtu.values<double>(array, {});
                out += array.attribute("Name").value();
                out += QByteArray(reinterpret_cast<const char*>(values.data()),
                                  static_cast<qsizetype>(values.size() * sizeof(double)));
            }
        return out;
    }
    bool same(const QString& a, const QString& b, const QStringList& files) const
    {
        for (const auto& f : files)
            if (const auto one = results(a + "/" + f);
                one.isEmpty() || one.startsWith("is not there") || one != results(b + "/" + f)) {
                qWarning("%s differs", qPrintable(f));
                return false;
            }
        return true;
    }

  private Q_SLOTS:
    void initTestCase()
    {
        mpirun_ = QStandardPaths::findExecutable("mpirun");
        if (mpirun_.isEmpty() || !QFile::exists(program))
            QSKIP("there is no mpirun, or tawara-cli is not built");
        QFile f(path("s.json"));
        QVERIFY(f.open(QIODevice::WriteOnly) && f.write(session) > 0);
        f.close();
        const auto alone = run(0, "alone");
        if (run(1, "one").err.contains("built without MPI"))
            QSKIP("the program was built without MPI");
        QVERIFY2(alone.status == 0, alone.err.constData());
    }

    void ranksWriteTheSameBits()
    {
        const QStringList files{"activation.csv", "probes.csv", "frames/000000200.vtu",
                                "frames/000000400.vtu"};
        for (const int n : {2, 3}) {
            const auto out = QStringLiteral("ranks%1").arg(n);
            const auto r = run(n, out);
            QVERIFY2(r.status == 0, r.err.constData());
            QVERIFY(r.err.contains("computing on " + QByteArray::number(n) + " ranks: CPU"));
            QVERIFY(same(out, "alone", files));
            QVERIFY(report(out)["devices"].toArray()[0].toString().startsWith(QString::number(n) +
                                                                              " ranks"));
        }
    }

    /// A checkpoint of three ranks is gone on from by two and by one program alone, across vertices
    /// without cells; and one of that by ranks.
    void checkpointsGoOnAnywhere()
    {
        const QStringList files{"activation.csv"};
        const auto of_three = checkpoint("ranks3", 4);
        QVERIFY2(QFile::exists(of_three), qPrintable(of_three));
        for (const int n : {0, 2}) {
            const auto out = QStringLiteral("resumed%1").arg(n);
            const auto r = run(n, out, {"--resume", of_three});
            QVERIFY2(r.status == 0, r.err.constData());
            QVERIFY(same(out, "alone", files));
        }
        const auto r = run(3, "resumed3", {"--resume", checkpoint("alone", 4)});
        QVERIFY2(r.status == 0, r.err.constData());
        QVERIFY(same("resumed3", "alone", files));
    }

    void oneRankAloneIsSaid()
    {
        const auto r = start(program, {"run", path("s.json"), "--out", path("single"),
                                       "--distributed", "--set", "time.end_ms=1"});
        QVERIFY2(r.status == 0, r.err.constData());
        QVERIFY(r.err.contains("warning: --distributed has one rank alone; mpirun -n 4"));
    }

    /// Each rank reads its part of a mesh file.
    void partsOfAMeshGiveTheSameBits()
    {
        const QString mesh = QStringLiteral(TAWARA_SOURCE_DIR "/meshes/default_heart.vtu");
        const auto made =
            start(program, {"mesh", "partition", mesh, "-n", "2", "-o", path("h.parts")});
        QVERIFY2(made.status == 0, made.err.constData());
        QFile f(path("heart.json"));
        QVERIFY(f.open(QIODevice::WriteOnly) &&
                f.write(QByteArray(R"({"schema": 1, "mesh": {"file": "MESH"},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
  "diffusion": {"scheme": "p1"}, "time": {"dt_ms": 0.02, "end_ms": 1},
  "stimuli": [{"name": "S1", "region": {"sphere_mm": {"centre": [-20, 0, -65], "radius": 12}},
    "start_ms": 0, "duration_ms": 1, "amplitude_pA_per_pF": 100}],
  "probes": [{"name": "P1", "position_mm": [-20, 0, -60]}]})")
                            .replace("MESH", mesh.toUtf8())) > 0);
        f.close();
        const QStringList session{path("heart.json"), "--devices", "cpu", "--out"};
        const auto whole =
            start(program, QStringList{"run"} + session + QStringList{path("whole")});
        QVERIFY2(whole.status == 0, whole.err.constData());
        const QStringList parts{"--set", "mesh.file=\"" + path("h.parts") + "\""};
        const auto r = start(mpirun_, over(2, session + QStringList{path("parts")} + parts));
        QVERIFY2(r.status == 0, r.err.constData());
        QVERIFY(same("parts", "whole", {"activation.csv", "probes.csv"}));
        QCOMPARE(report("parts")["ranks"].toArray().size(), 2);
        const auto three = start(mpirun_, over(3, session + QStringList{path("no")} + parts));
        QCOMPARE(three.status, 2);
        QCOMPARE(three.err.count("error: "), 1);
        QVERIFY(three.err.contains("has 2 parts for 3 ranks; start mpirun -n 2"));
    }

    /// Of a whole mesh and of one in parts, by the first rank, and all end.
    void sourcesAreToldFromOutputs()
    {
        const QStringList parts{"--set", "mesh.file=\"" + path("h.parts") + "\""};
        for (const auto& [name, more] :
             {std::pair{QString("s.json"), QStringList()}, {QString("heart.json"), parts}}) {
            const auto before = content(name);
            const auto own = path("own-" + name);
            QVERIFY(QDir().mkpath(own) && QFile::copy(path(name), own + "/report.json"));
            const auto r =
                start(mpirun_,
                      over(2, QStringList{own + "/report.json", "--out", own, "--devices", "cpu"} +
                                  more));
            QCOMPARE(r.status, 2);
            QVERIFY2(
                r.err.count("error: ") == 1 &&
                    r.err.contains("is the session of this run, which would replace or remove"),
                r.err.constData());
            QCOMPARE(content("own-" + name + "/report.json"), before);
        }
    }

    void whatRanksCannotDoIsRefused()
    {
        const auto gpus =
            start(mpirun_, over(2, {path("s.json"), "--out", path("no"), "--devices", "cuda:0"}));
        QCOMPARE(gpus.status, 2);
        QVERIFY2(gpus.err.contains("error: --devices: "), gpus.err.constData()); // no GPU, or:
        QVERIFY2(gpus.err.contains("cannot be used: ") ||
                     gpus.err.contains("interpolated currents are not computed on GPUs of several"),
                 gpus.err.constData());
        const auto newton = run(
            2, "no",
            {"--set", "diffusion.currents=\"nodal\"", "--set", "diffusion.stepping=\"newton\""});
        QCOMPARE(newton.status, 2);
        QCOMPARE(newton.err.count("error: "), 1);
        QVERIFY(newton.err.contains("error: --distributed: Newton's method is not stepped"));
        QVERIFY(!QFile::exists(path("no/report.json")));
    }

    /// One rank is killed: the others end, and what was reached is there.
    void aRankThatDiesEndsTheRun()
    {
        QProcess p;
        p.setProcessEnvironment(environment());
        p.start(mpirun_, QStringList{"--mca", "odls_base_sigkill_timeout", "6"} +
                             over(3, {path("s.json"), "--out", path("dies"), "--set",
                                      "time.end_ms=100000"}));
        QVERIFY(p.waitForStarted(10000));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(checkpoint("dies", 2)), 120000);
        QProcess children;
        children.start("ps", {"-o", "pid=", "--ppid", QString::number(p.processId())});
        QVERIFY(children.waitForFinished(10000));
        const auto pids =
            QString::fromLatin1(children.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(pids.size(), 3);
        QVERIFY(kill(static_cast<pid_t>(pids.last().trimmed().toInt()), SIGKILL) == 0);
        const auto r = finished(p);
        QVERIFY(r.status != 0);
        QVERIFY2(r.err.contains("does not answer") || r.err.contains("MPI"), r.err.constData());
        QVERIFY2(!report("dies")["ended"].toString().isEmpty() &&
                     report("dies")["ended"].toString() != "end",
                 r.err.constData());
        QVERIFY(!report("dies")["ceilings_not_measured"].toString().isEmpty()); // mpirun waits
        QVERIFY(content("dies/probes.csv").startsWith("time_ms"));
        QVERIFY(r.err.contains("the last checkpoint is "));
    }
};

QTEST_GUILESS_MAIN(TestDistributed)
#include "test_distributed.moc"
