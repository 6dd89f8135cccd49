// SPDX-License-Identifier: GPL-3.0-or-later
// What the linker and the compiler are asked to do for programs that read files from others.
#include <QFile>
#include <QProcess>
#include <QtTest>

namespace {

const QString program = QStringLiteral(TAWARA_BINARY_DIR "/engine/cli/tawara-cli");

/// What readelf says of the program; empty: there is no readelf.
QString readelf(const QStringList& what)
{
    QProcess p;
    p.start("readelf", QStringList(what) << program);
    return p.waitForFinished(60000) ? QString::fromUtf8(p.readAllStandardOutput()) : QString();
}

} // namespace

class TestHardening : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void programIsHardened()
    {
        if (!QFile::exists(program))
            QSKIP("tawara-cli is not built");
        const auto head = readelf({"-hW"});
        if (head.isEmpty())
            QSKIP("there is no readelf");
        QVERIFY2(head.contains(QRegularExpression("Type:\\s+DYN")), "position independent");
        QVERIFY2(readelf({"-lW"}).contains("GNU_RELRO"), "tables read-only");
        QVERIFY2(readelf({"-dW"}).contains(QRegularExpression("BIND_NOW|FLAGS_1.*NOW")),
                 "bound at the start");
        const auto symbols = readelf({"--dyn-syms", "-W"});
        QVERIFY2(symbols.contains("__stack_chk_fail"), "stack protector");
#ifndef __clang__ // for which glibc 2.36 has no checked snprintf in C++
        QVERIFY2(symbols.contains(QRegularExpression("__\\w+_chk@")), "_FORTIFY_SOURCE");
#endif
    }
};
QTEST_GUILESS_MAIN(TestHardening)
#include "test_hardening.moc"
