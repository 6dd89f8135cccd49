// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line as a whole against files that were made to harm it: shared/data/hostile.tar.xz,
// where that is beside the checkout. What cannot be used ends with status 2 and one line.
#include "tests/simulation/hostile_run.hpp"
#include "tests/slowdown.hpp"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using tawara::test::ran;

class TestHostileSet : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void all()
    {
        const QString archive = QString(TAWARA_SOURCE_DIR "/../shared/data/hostile.tar.xz");
        if (!QFile::exists(archive))
            QSKIP("hostile files of the shared data are not beside the repository");
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
            const auto told = e.told(f.fileName());
            QVERIFY2(good.contains(f.fileName()) ? e.status == 0 && e.cheap() : e.refused(),
                     told.constData());
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
        const auto e = ran({"cell", "run", "long.mmt", "--scheme", "backward_euler"}, dir.path(),
                           300 * tawara::test::slowdown);
        QVERIFY2(e.status == 130, e.errors.constData());
        QVERIFY2(e.seconds < 8 * tawara::test::slowdown, qPrintable(QString::number(e.seconds)));
        QVERIFY2(e.errors.endsWith("stopped\n"), e.errors.constData());
    }
};

QTEST_GUILESS_MAIN(TestHostileSet)
#include "test_hostile_set.moc"
