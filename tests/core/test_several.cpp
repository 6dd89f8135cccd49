// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of several test classes: this one calls itself, so that its second class crashes.
#include "tests/several.hpp"

#include <QProcess>

constexpr const char* wanted = "TAWARA_TEST_CRASHES"; ///< set: the second class crashes

class TestSeveral : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void aCrashInAFurtherClassEndsTheProgram()
    {
        if (qEnvironmentVariableIsSet(wanted))
            return; // here it is called by itself
        QProcess p;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(wanted, "1");
        environment.insert("QTEST_DISABLE_STACK_DUMP", "1");
        p.setProcessEnvironment(environment);
        p.setProcessChannelMode(QProcess::MergedChannels);
        p.start(QCoreApplication::applicationFilePath(), QStringList());
        const bool ended = p.waitForFinished(20'000);
        if (!ended)
            p.kill(), p.waitForFinished();
        const auto said = p.readAll();
        QVERIFY2(ended, "it does not end");
        QCOMPARE(p.exitStatus(), QProcess::CrashExit);
        QVERIFY2(said.contains("crashes() Caught unhandled exception"), said.constData());
    }
};

class TestCrash : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void crashes()
    {
        if (qEnvironmentVariableIsSet(wanted))
            throw 1;
    }
};

static const tawara::test::Further<TestCrash> further;

int main(int argc, char** argv)
{
    return tawara::test::run<TestSeveral>(argc, argv);
}
#include "test_several.moc"
