// SPDX-License-Identifier: GPL-3.0-or-later
// Where the command line reads from and writes to: streams, folders, files that are there already.
#include "engine/cli/cli.hpp"
#include "tests/simulation/bad_sessions.hpp"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
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

Result run(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false});
    return {status, out.str(), err.str()};
}

bool write_text(const QString& file, const QByteArray& text)
{
    QFile f(file);
    return f.open(QIODevice::WriteOnly) && f.write(text) == text.size();
}

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
    }
};

QTEST_GUILESS_MAIN(TestCliFiles)
#include "test_cli_files.moc"
