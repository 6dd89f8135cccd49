// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the command line on input that was made to harm it, and measures what that costs.
#pragma once
#include "tests/slowdown.hpp"

#include <QElapsedTimer>
#include <QFile>
#include <QStringList>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tawara::test {

inline constexpr const char* cli = TAWARA_BINARY_DIR "/engine/cli/tawara-cli";

struct Ended
{
    int status = -1;        ///< 128 + signal where one ended it
    double seconds = 0;     ///< on the clock
    double cpu_seconds = 0; ///< of processors, its own and the system's for it
    long peak_MB = 0;
    QByteArray errors;

    /// What was refused as it should be: status 2 and one line, below 2 s and 500 MB. The time is
    /// that of processors: on a machine that does other things as well the clock tells of these.
    /// Nothing waits for what never comes either.
    bool refused() const
    {
        return status == 2 && said().count('\n') == 1 && said().startsWith("error: ") && cheap();
    }
    /// The errors without lines of progress, which are said once work takes long (in builds with
    /// sanitizers): "reading the mesh: 50 %".
    QByteArray said() const
    {
        if (tawara::test::slowdown == 1)
            return errors;
        QByteArray out;
        for (const auto& line : errors.split('\n'))
            if (!line.isEmpty() && (line.startsWith("error: ") || !line.contains(" %")))
                out += line + '\n';
        return out;
    }
    bool cheap() const
    {
        using tawara::test::slowdown, tawara::test::growth;
        return cpu_seconds < 2 * slowdown && seconds < 30 * slowdown && peak_MB < 500 * growth;
    }
    QByteArray told(const QString& name) const
    {
        return (name + ": status " + QString::number(status) + ", " + QString::number(cpu_seconds) +
                " s of processors, " + QString::number(seconds) + " s, " +
                QString::number(peak_MB) + " MB: " + errors.left(300))
            .toUtf8();
    }
};

/// Runs the command line in a folder.
/// @param after_ms  sends SIGTERM then; 0: never
inline Ended ran(const QStringList& words, const QString& folder, int after_ms = 0)
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
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    e.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    e.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    e.peak_MB = used.ru_maxrss / 1024;
    QFile f(errors);
    if (f.open(QIODevice::ReadOnly))
        e.errors = f.readAll();
    return e;
}

} // namespace tawara::test
