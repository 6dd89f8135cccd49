// SPDX-License-Identifier: GPL-3.0-or-later
// run.sh of the bundle, around a program that is a script here.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <unistd.h>

class TestBundleScript : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;

    void write(const QString& name, const QByteArray& text) const
    {
        QFile f(dir_.filePath(name));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(text);
        f.close();
        QVERIFY(f.setPermissions(f.permissions() | QFile::ExeOwner));
    }
    void start(QProcess& p, const QStringList& arguments) const
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("TMPDIR", dir_.filePath("tmp"));
        p.setProcessEnvironment(environment);
        p.start("bash", QStringList{dir_.filePath("run.sh"), "tawara-cli"} + arguments);
        QVERIFY(p.waitForStarted());
    }
    QStringList scratch() const
    {
        return QDir(dir_.filePath("tmp")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        for (const char* folder : {"bin", "lib/desktop", "tmp"})
            QVERIFY(QDir(dir_.path()).mkpath(folder));
        QVERIFY(QFile::copy(TAWARA_SOURCE_DIR "/.cmake/bundle_run.sh", dir_.filePath("run.sh")));
        // what it is asked, then a while to put things in order
        write("bin/tawara-cli", R"(#!/bin/bash
[ "$1" != status ] || exit "$2"
trap 'echo TERM; sleep 0.5; echo over; exit 42' TERM
trap 'echo INT; sleep 0.5; echo over; exit 43' INT
read -r line
echo "read $line"
for k in $(seq 100); do sleep 0.1; done
)");
    }

    void statusIsTheProgramsOwn()
    {
        for (const int status : {0, 3, 130}) {
            QProcess p;
            start(p, {"status", QString::number(status)});
            QVERIFY(p.waitForFinished());
            QCOMPARE(p.exitCode(), status);
            QCOMPARE(scratch(), QStringList());
        }
    }
    void signalsReachTheProgram_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("status");
        QTest::newRow("TERM") << SIGTERM << 42;
        QTest::newRow("INT") << SIGINT << 43;
    }
    void signalsReachTheProgram()
    {
        QFETCH(int, signal);
        QFETCH(int, status);
        QProcess p;
        start(p, {});
        p.write("a line\n");
        QTRY_VERIFY(p.bytesAvailable() >= 12); // the program has read it: its traps are set
        QCOMPARE(scratch().size(), 1);
        ::kill(static_cast<pid_t>(p.processId()), signal);
        QVERIFY(p.waitForFinished(8000));
        QCOMPARE(p.exitStatus(), QProcess::NormalExit);
        QCOMPARE(p.exitCode(), status);
        QCOMPARE(QString::fromUtf8(p.readAllStandardOutput()),
                 QString("read a line\n%1\nover\n").arg(QTest::currentDataTag()));
        QCOMPARE(scratch(), QStringList());
    }
    /// As `kill -- -GROUP` or a batch system does: to the script and the program at once.
    void signalsToTheWholeGroup_data() { signalsReachTheProgram_data(); }
    void signalsToTheWholeGroup()
    {
        QFETCH(int, signal);
        QFETCH(int, status);
        QProcess p;
        p.setChildProcessModifier([] { ::setpgid(0, 0); });
        start(p, {});
        p.write("a line\n");
        QTRY_VERIFY(p.bytesAvailable() >= 12);
        ::kill(-static_cast<pid_t>(p.processId()), signal);
        QVERIFY(p.waitForFinished(8000));
        QCOMPARE(p.exitCode(), status);
        QVERIFY(p.readAllStandardOutput().endsWith("\nover\n"));
        QCOMPARE(scratch(), QStringList());
    }
};

QTEST_GUILESS_MAIN(TestBundleScript)
#include "test_bundle_script.moc"
