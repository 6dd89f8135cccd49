// SPDX-License-Identifier: GPL-3.0-or-later
// `tawara-cli run` while memory ends, files cannot be written and the program is killed: each time
// it goes on or ends with one line, what lies under a final name is whole, and nothing is left
// behind.
//
// Each run is a fork of this program, so that thousands are quick. TAWARA_TORTURE=N makes N
// injected faults of each kind (0: each that there is), TAWARA_TORTURE_KILLS=N kills (torture.sh).
// With TAWARA_TORTURE_WARM the runs have the cells' machine code from a run before, so that no
// fault falls into the compiler's own work, and a run is six times as quick. With
// TAWARA_TORTURE_PART=K/N, one of N programs side by side, a program makes every Nth fault.
#include "engine/cli/cli.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "tests/fuzz/injected.hpp"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace tawara;
using test::Injected;
using test::injected;

constexpr const char* session = R"({"schema": 1, "name": "slab",
  "mesh": {"slab_mm": [2, 1, 1], "spacing_mm": 0.5},
  "tissue": {"regions": [{"label": "*", "model": "mitchell_schaeffer_2003",
    "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
  "time": {"dt_ms": 0.02, "end_ms": 4},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [1, 2, 1]]}, "start_ms": 0,
               "duration_ms": 1, "amplitude_pA_per_pF": 50}],
  "probes": [{"name": "near", "position_mm": [1, 0.5, 0.5]}],
  "ecg": {"electrodes": [{"name": "E", "position_mm": [5, 5, 5]}]},
  "output": {"checkpoint_every_ms": 1, "frames_every_ms": 2}})";

struct Ended
{
    int status = -1; ///< 128 + signal where one ended it
    QByteArray errors;
    QByteArray told(const QByteArray& what) const
    {
        return what + ": status " + QByteArray::number(status) + ": " + errors.left(500);
    }
};

QByteArray bytes_of(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

QStringList files_in(const QString& folder)
{
    QStringList out;
    for (QDirIterator i(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
         i.hasNext();)
        out << QDir(folder).relativeFilePath(i.next());
    out.sort();
    return out;
}

/// What is wrong with a file under a final name; empty: nothing.
QString not_whole(const QString& file)
{
    const QByteArray text = bytes_of(file);
    const auto path = file.toStdString();
    try {
        if (file.contains(".part-"))
            return "was left behind";
        if (file.endsWith(".json") && QJsonDocument::fromJson(text).isNull())
            return "is no JSON";
        if (file.endsWith(".tcp"))
            simulation::read_checkpoint(path);
        if (file.endsWith(".vtu"))
            mesh::io::read(path);
        if (file.endsWith(".pvd") && !text.contains("</VTKFile>"))
            return "has no end";
        if (file.endsWith(".csv") && !text.endsWith('\n'))
            return "ends within a line";
        if (file.endsWith(".csv"))
            for (const auto& line : text.trimmed().split('\n'))
                if (line.count(',') != text.left(text.indexOf('\n')).count(','))
                    return "has a line that is not whole";
    } catch (const std::exception& e) {
        return e.what();
    }
    return {};
}

/// What of two runs must be the same: all but times on the clock.
QJsonObject digests(const QString& folder)
{
    auto r = QJsonDocument::fromJson(bytes_of(folder + "/report.json"))
                 .object()["reproduction"]
                 .toObject();
    QJsonObject out;
    for (const auto& key : r.keys())
        if (key.endsWith("_sha256") && key != "resume_sha256")
            out[key] = r[key];
    return out;
}

} // namespace

class TestTorture : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    qint64 whole_ms_ = 0; ///< that a run takes
    QStringList whole_;   ///< its files

    QString at(const QString& name) const { return dir_.filePath(name); }

    std::vector<std::string> words_for(const QString& out) const
    {
        return {"run",       at("s.json").toStdString(),
                "--out",     at(out).toStdString(),
                "--devices", "cpu",
                "--threads", "1"};
    }
    QStringList checkpoints(const QString& out) const
    {
        return QDir(at(out)).entryList({"checkpoint-*.tcp"}, QDir::Files);
    }
    /// @param kill_us  the program is killed then; < 0: never
    Ended run(const QString& out, const QStringList& more = {}, long kill_us = -1)
    {
        const QByteArray errors = QFile::encodeName(at("errors"));
        auto words = words_for(out);
        for (const auto& w : more)
            words.push_back(w.toStdString());
        const pid_t pid = fork();
        if (pid == 0) {
            dup2(open("/dev/null", O_WRONLY), 1);
            dup2(open(errors.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
            for (const int ends : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
                std::signal(ends, SIG_DFL);
            const cli::Console console{std::cout, std::cerr, {}};
            injected().what = fails_;
            int status = 128 + SIGABRT; // as main() would end
            try {
                status = cli::run(words, console);
            } catch (...) {
                std::cerr << "an exception leaves cli::run()" << std::endl;
            }
            injected().what = Injected::What::nothing;
            _exit(status);
        }
        Ended e;
        int status = 0;
        QElapsedTimer clock;
        clock.start();
        constexpr qint64 too_long_ms = 60000;
        if (kill_us >= 0) {
            while (after_checkpoint_ && clock.elapsed() < 20000 && checkpoints(out).isEmpty())
                usleep(200);
            usleep(static_cast<useconds_t>(kill_us));
            kill(pid, SIGKILL);
        }
        while (waitpid(pid, &status, WNOHANG) != pid) {
            if (clock.elapsed() > too_long_ms)
                kill(pid, SIGKILL);
            usleep(500);
        }
        e.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        e.errors = bytes_of(at("errors"));
        return e;
    }

    void need_whole_files(const QString& folder, const QByteArray& what)
    {
        for (const auto& f : files_in(at(folder)))
            if (const auto why = not_whole(at(folder) + "/" + f); !why.isEmpty())
                QFAIL((what + ": " + f.toUtf8() + " " + why.toUtf8()).constData());
    }

    /// The n-th call fails; what is there then, and that the next run there succeeds.
    void fail_at(Injected::What what, long n, int error)
    {
        const QByteArray name =
            (what == Injected::What::memory ? "request for memory " : "call on files ") +
            QByteArray::number(qlonglong(n)) + " (" + strerror(error) + ")";
        QDir(at("out")).removeRecursively();
        auto& i = injected();
        i.error = error;
        i.left = n;
        i.hit = false;
        i.seen = 0;
        fails_ = what;
        const auto e = run("out");
        fails_ = Injected::What::nothing;
        const QByteArray told = e.told(name);
        ++statuses_[e.status];
        // 2: a file could not be written; 4: memory
        QVERIFY2(e.status == 0 || e.status == 2 || e.status == 4, told.constData());
        const auto lines = e.errors.split('\n');
        const auto said = std::count_if(lines.begin(), lines.end(), [](const QByteArray& line) {
            return line.startsWith("error: ");
        });
        QVERIFY2(said == (e.status == 0 ? 0 : 1), told.constData());
        QVERIFY2(!e.errors.contains("internal"), told.constData());
        need_whole_files("out", name);
    }

    /// @return how many calls of a kind a run makes
    long calls(Injected::What what)
    {
        auto& i = injected();
        i.left = -1;
        i.seen = 0;
        fails_ = what;
        const auto e = run("out");
        fails_ = Injected::What::nothing;
        if (e.status != 0)
            qWarning("%s", e.told("counted").constData());
        QDir(at("out")).removeRecursively();
        return i.seen;
    }

    /// Which of how many parts is this program's: TAWARA_TORTURE_PART=0/32.
    static std::pair<int, int> share()
    {
        const auto words = qEnvironmentVariable("TAWARA_TORTURE_PART", "0/1").split('/');
        return {words.value(0).toInt(), std::max(1, words.value(1).toInt())};
    }

    void torture(Injected::What what, std::initializer_list<int> errors, long few)
    {
        const long all = calls(what);
        bool given = false;
        const int asked = qEnvironmentVariableIntValue("TAWARA_TORTURE", &given);
        const long wanted = !given ? few : asked == 0 ? all : asked;
        const double every = std::max(1.0, double(all) / double(wanted));
        const auto [part, parts] = share();
        statuses_.clear();
        int done = 0, number = 0;
        for (double n = 0; n < double(all); n += every)
            if (number++ % parts == part) {
                fail_at(what, long(n), errors.begin()[number % int(errors.size())]);
                ++done;
            }
        QByteArray ends;
        for (const auto& [status, times] : statuses_)
            ends += " " + QByteArray::number(status) + ": " + QByteArray::number(times);
        qInfo("%d of %ld calls failed; runs by status:%s", done, all, ends.constData());
        const auto e = run("out"); // after all this
        QVERIFY2(e.status == 0, e.told("the next run"));
        QCOMPARE(files_in(at("out")), whole_);
        QCOMPARE(digests(at("out")), digests(at("whole")));
    }
    bool after_checkpoint_ = false;                  ///< run() waits for one before it kills
    Injected::What fails_ = Injected::What::nothing; ///< in the runs that begin now
    std::map<int, int> statuses_;

  private Q_SLOTS:
    void initTestCase()
    {
        injected();
        QFile f(at("s.json"));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(session);
        f.close();
        if (!qEnvironmentVariableIsSet("TAWARA_TORTURE") ||
            qEnvironmentVariableIsSet("TAWARA_TORTURE_WARM")) {
            // forks have the machine code of this run; LLVM takes most of the time without
            std::ostringstream out, err;
            QCOMPARE(cli::run(words_for("whole"), {out, err, {}}), 0);
            QVERIFY(QDir(at("whole")).removeRecursively());
        }
        QElapsedTimer clock;
        clock.start();
        const auto e = run("whole");
        whole_ms_ = clock.elapsed();
        QVERIFY2(e.status == 0, e.told("whole"));
        whole_ = files_in(at("whole"));
        need_whole_files("whole", "whole");
        QCOMPARE(digests(at("whole")).size(), 8);
    }

    void memoryEnds()
    {
        if (!test::memory_can_fail())
            QSKIP("the sanitizer has its own functions for memory");
        torture(Injected::What::memory, {ENOMEM}, 24);
    }

    /// zlib has its own word for it: frames and checkpoints are packed.
    void memoryEndsInZlib()
    {
        if (!test::memory_can_fail())
            QSKIP("the sanitizer has its own functions for memory");
        injected().within = "/libz.so";
        statuses_.clear();
        for (const long n : {0, 1, 4, 9})
            fail_at(Injected::What::memory, n, ENOMEM);
        injected().within = nullptr;
        QCOMPARE(statuses_[0] + statuses_[4], 4);
        QVERIFY(statuses_[4] > 1);
    }

    void filesCannotBeWritten() { torture(Injected::What::files, {ENOSPC, EIO}, 24); }

    /// Killed at any moment, the run goes on from its last checkpoint: all results have the bits of
    /// the run that was not killed, and nothing else is there.
    void killed()
    {
        bool given = false;
        const int asked = qEnvironmentVariableIntValue("TAWARA_TORTURE_KILLS", &given);
        const int kills = given ? asked : 3;
        std::mt19937 chance(20240914);
        int from_checkpoints = 0;
        for (int k = 0; k < kills; ++k) {
            const QByteArray what = "kill " + QByteArray::number(k);
            QDir(at("out")).removeRecursively();
            after_checkpoint_ = k % 2 == 1; // every second one finds a checkpoint
            const auto within_ms = double(after_checkpoint_ ? whole_ms_ / 4 : whole_ms_);
            run("out", {}, long(double(chance()) / 4294967296.0 * within_ms * 1000));
            for (const auto& f : files_in(at("out")))
                if (!f.contains(".part-"))
                    QVERIFY2(not_whole(at("out/") + f).isEmpty(), (what + f.toUtf8()).constData());
            const auto last = checkpoints("out");
            from_checkpoints += last.isEmpty() ? 0 : 1;
            const auto e =
                last.isEmpty() ? run("out") : run("out", {"--resume", at("out/") + last.last()});
            QVERIFY2(e.status == 0, e.told(what));
            QCOMPARE(files_in(at("out")), whole_);
            QCOMPARE(digests(at("out")), digests(at("whole")));
            for (const auto& f : whole_)
                if (!f.endsWith(".json"))
                    QVERIFY2(bytes_of(at("out/") + f) == bytes_of(at("whole/") + f),
                             (what + ": other bytes in " + f.toUtf8()).constData());
        }
        QVERIFY(from_checkpoints > 0);
        qInfo("%d kills, %d with a checkpoint to go on from", kills, from_checkpoints);
    }
};

QTEST_GUILESS_MAIN(TestTorture)
#include "test_torture.moc"
