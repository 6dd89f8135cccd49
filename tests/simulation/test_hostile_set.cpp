// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line as a whole against files that were made to harm it: shared/data/hostile.tar.xz,
// where that is beside the checkout. What cannot be used ends with status 2 and one line.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr const char* cli = TAWARA_BINARY_DIR "/engine/cli/tawara-cli";

struct Ended
{
    int status = -1; ///< 128 + signal where one ended it
    double seconds = 0;
    long peak_MB = 0;
    QByteArray errors;
};

/// Runs the command line in a folder.
/// @param after_ms  sends SIGTERM then; 0: never
Ended ran(const QStringList& words, const QString& folder, int after_ms = 0)
{
    const QByteArray errors = QFile::encodeName(folder + "/stderr");
    std::vector<QByteArray> args{cli};
    for (const auto& w : words)
        args.push_back(w.toLocal8Bit());
    std::vector<char*> argv;
    for (auto& a : args)
        argv.push_back(a.data());
    argv.push_back(nullptr);
    const QByteArray at = QFile::encodeName(folder);
    QElapsedTimer clock;
    clock.start();
    const pid_t pid = fork();
    if (pid == 0) {
        const int out = open("/dev/null", O_WRONLY),
                  err = open(errors.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 1);
        dup2(err, 2);
        if (chdir(at.constData()) == 0)
            execv(argv[0], argv.data());
        _exit(99);
    }
    Ended e;
    int status = 0;
    rusage used{};
    for (bool sent = after_ms == 0;;) {
        if (wait4(pid, &status, WNOHANG, &used) == pid)
            break;
        if (!sent && clock.elapsed() > after_ms) {
            kill(pid, SIGTERM);
            clock.restart(); // from there on
            sent = true;
        }
        if (clock.elapsed() > 60000)
            kill(pid, SIGKILL);
        usleep(2000);
    }
    e.seconds = double(clock.elapsed()) / 1000;
    e.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    e.peak_MB = used.ru_maxrss / 1024;
    QFile f(errors);
    if (f.open(QIODevice::ReadOnly))
        e.errors = f.readAll();
    return e;
}

} // namespace

class TestHostileSet : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void all()
    {
        const QString archive = QString(TAWARA_SOURCE_DIR "/../shared/data/hostile.tar.xz");
        if (!QFile::exists(archive))
            QSKIP("there is no shared/data/hostile.tar.xz beside the checkout");
        QTemporaryDir dir;
        QCOMPARE(QProcess::execute("tar", {"xJf", archive, "-C", dir.path()}), 0);
        // what is strange in these, and not wrong
        const QStringList good{"amb500.cellml", "enotation.cellml"};
        int seen = 0;
        for (const auto& f : QDir(dir.filePath("in")).entryInfoList(QDir::Files)) {
            const QString name = "in/" + f.fileName(), kind = f.suffix();
            const QStringList words =
                kind == "json"  ? QStringList{"run", name, "--out", "out"}
                : kind == "tcp" ? QStringList{"run", "base.json", "--out", "out", "--resume", name}
                : kind == "mmt" || kind == "cellml" ? QStringList{"cell", "info", name}
                                                    : QStringList{"mesh", "info", name};
            const auto e = ran(words, dir.path());
            const QString told = f.fileName() + ": status " + QString::number(e.status) + ", " +
                                 QString::number(e.seconds) + " s, " + QString::number(e.peak_MB) +
                                 " MB: " + e.errors.left(300);
            QVERIFY2(e.status == (good.contains(f.fileName()) ? 0 : 2), qPrintable(told));
            QVERIFY2(e.status == 0 || e.errors.count('\n') == 1, qPrintable(told));
            QVERIFY2(e.seconds < 5 && e.peak_MB < 500,
                     qPrintable(told)); // 2 s on a machine at rest
            ++seen;
        }
        QVERIFY(seen > 20);
    }

    /// A reader that is busy for long with a file does not outlive a request to end.
    void aRequestToEndEndsAReader()
    {
        QTemporaryDir dir;
        std::ofstream model(dir.filePath("long.mmt").toStdString());
        model << "[[model]]\ncell.V = -80\n[cell]\ntime = 0 bind time\ndot(V) = -k30000\n    in "
                 "[mV]\n    label membrane_potential\nk0 = V\n";
        for (int i = 1; i <= 19000; ++i)
            model << "k" << i << " = k" << i - 1 << " * " << i << " + sin(k" << i - 1 << ")\n";
        model << "k30000 = k19000\n";
        model.close();
        const auto e =
            ran({"cell", "run", "long.mmt", "--scheme", "backward_euler"}, dir.path(), 300);
        QVERIFY2(e.status == 130, e.errors.constData());
        QVERIFY2(e.seconds < 8, qPrintable(QString::number(e.seconds)));
        QVERIFY2(e.errors.endsWith("stopped\n"), e.errors.constData());
    }
};

QTEST_GUILESS_MAIN(TestHostileSet)
#include "test_hostile_set.moc"
