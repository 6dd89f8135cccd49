// SPDX-License-Identifier: GPL-3.0-or-later
// The program `tawara` itself: arguments, unattended pictures, exit status.
#include "tests/movie/movie_reader.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/stat.h>

class TestProgram : public QObject
{
    Q_OBJECT
    struct Outcome
    {
        int status;
        QString out, error;
    };
    QTemporaryDir home;

    /// @param variables  of the environment, set (or gone where null)
    Outcome tawara(const QStringList& arguments, const QMap<QString, QString>& variables = {})
    {
        QProcess p;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("HOME", home.path());
        environment.insert("XDG_CONFIG_HOME", home.path());
        for (auto v = variables.begin(); v != variables.end(); ++v) {
            if (v->isNull())
                environment.remove(v.key());
            else
                environment.insert(v.key(), *v);
        }
        p.setProcessEnvironment(environment);
        p.start(TAWARA_PROGRAM, arguments);
        if (!p.waitForFinished(120000))
            p.kill();
        return {p.exitStatus() == QProcess::NormalExit ? p.exitCode() : -1,
                QString::fromUtf8(p.readAllStandardOutput()),
                QString::fromUtf8(p.readAllStandardError())};
    }
    /// The line of an error, without Qt's own remarks.
    static QStringList errors(const Outcome& o)
    {
        return o.error.split('\n', Qt::SkipEmptyParts).filter(QRegularExpression("^error: "));
    }

  private Q_SLOTS:
    void helpAndVersion()
    {
        const auto help = tawara({"--help"});
        QCOMPARE(help.status, 0);
        for (const char* word : {"--screenshot", "--at", "--devices", "--precision", "--threads",
                                 "--movie", "--until", "--fps", "--transparent"})
            QVERIFY2(help.out.contains(word), word);
        QVERIFY(tawara({"--version"}).out.startsWith("tawara "));
    }

    void badArguments_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown") << QStringList{"--colour"}
                                 << "--colour: unknown option of tawara; tawara --help";
        QTest::newRow("misspelt") << QStringList{"--scrnshot", "a.png"}
                                  << "--scrnshot: unknown option of tawara; the nearest known is "
                                     "--screenshot";
        QTest::newRow("misspelt, with a value") << QStringList{"--untl=5"} << "known is --until";
        QTest::newRow("two files")
            << QStringList{"a.json", "b.json"} << "b.json: is one file too many";
        QTest::newRow("precision") << QStringList{"--precision", "half"} << "--precision";
        QTest::newRow("negative") << QStringList{"--screenshot", "a.png", "--at", "-3"} << "--at";
        QTest::newRow("size") << QStringList{"--size", "big"} << "--size big";
        QTest::newRow("movie") << QStringList{"--movie", "a.mp4"} << "--until";
        QTest::newRow("both") << QStringList{"--movie", "a.mp4", "--screenshot", "a.png"}
                              << "want one";
        QTest::newRow("rate") << QStringList{"--movie", "a.mp4", "--fps", "0"} << "--fps";
        QTest::newRow("every") << QStringList{"--movie", "a.mp4", "--every", "0"}
                               << "--every: want a number above 0, not '0'";
        QTest::newRow("words") << QStringList{"--movie", "a.mp4", "--until", "noon"}
                               << "--until: want a number above 0, not 'noon'";
    }
    void badArguments()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const auto o = tawara(arguments);
        QCOMPARE(o.status, 2);
        QCOMPARE(errors(o).size(), 1);
        QVERIFY2(errors(o)[0].contains(says), qPrintable(o.error));
    }

    void noDisplay_data()
    {
        QTest::addColumn<QString>("display");
        QTest::addColumn<QString>("platform");
        QTest::addColumn<QString>("says");
        QTest::newRow("none") << QString() << QString() << "DISPLAY is not set";
        QTest::newRow("none, X asked for") << QString() << "xcb"
                                           << "DISPLAY is not set";
        QTest::newRow("dead") << ":987" << QString() << "nothing answers at DISPLAY ':987'";
        QTest::newRow("nonsense") << "nonsense" << QString() << "DISPLAY 'nonsense'";
        QTest::newRow("plugin") << QString() << "vulkan"
                                << "no platform plugin 'vulkan'";
    }
    /// One line and 2: Qt by itself would abort.
    void noDisplay()
    {
        QFETCH(QString, display);
        QFETCH(QString, platform);
        QFETCH(QString, says);
        const auto o = tawara({}, {{"DISPLAY", display},
                                   {"QT_QPA_PLATFORM", platform},
                                   {"WAYLAND_DISPLAY", {}},
                                   {"XDG_SESSION_TYPE", {}}});
        QVERIFY2(o.status == 2, qPrintable(QString::number(o.status) + " " + o.error));
        QCOMPARE(o.error.count('\n'), 1);
        QVERIFY2(o.error.startsWith("error: no display: ") && o.error.contains(says) &&
                     o.error.contains("set DISPLAY, use xvfb-run -a, or tawara-cli"),
                 qPrintable(o.error));
    }

    void pictureOfTheHeart()
    {
        const QTemporaryDir dir;
        const QString file = dir.filePath("heart.png");
        const auto o = tawara({"--screenshot", file, "--at", "3", "--size", "800x600"});
        QVERIFY2(o.status == 0, qPrintable(o.error));
        const QImage image(file);
        QCOMPARE(image.size(), QSize(800, 600));
        const QColor middle = image.pixelColor(image.width() / 2, image.height() / 2);
        QVERIFY2(middle.red() > middle.blue() + 30, "resting muscle");
    }

    /// A first start shows hints over the heart; in a picture they would be in the way.
    void pictureOfTheWindowHasNoHints()
    {
        const QTemporaryDir dir;
        const QString file = dir.filePath("window.png");
        const auto o =
            tawara({"--screenshot", file, "--at", "1", "--whole-window", "--size", "1280x800"});
        QVERIFY2(o.status == 0, qPrintable(o.error));
        const QImage image(file);
        QCOMPARE(image.size(), QSize(1280, 800));
        int bright = 0; // left of the heart, between the time and the axes
        for (int y = 140; y < 380; ++y)
            for (int x = 100; x < 260; ++x)
                bright += image.pixelColor(x, y).lightness() > 120;
        QVERIFY2(bright < 20, qPrintable(QString::number(bright)));
    }

    void pictureWithNothingBehind()
    {
        const QTemporaryDir dir;
        const QString file = dir.filePath("heart.png");
        const auto o = tawara({"--screenshot", file, "--at", "1", "--size", "333x251",
                               "--transparent", "--no-annotations"});
        QVERIFY2(o.status == 0, qPrintable(o.error));
        const QImage image(file);
        QCOMPARE(image.size(), QSize(333, 251));
        QVERIFY(image.hasAlphaChannel());
        QCOMPARE(qAlpha(image.pixel(2, 2)), 0);
        QCOMPARE(qAlpha(image.pixel(image.width() / 2, image.height() / 2)), 255);
        const auto jpeg = tawara({"--screenshot", dir.filePath("a.jpg"), "--transparent"});
        QCOMPARE(jpeg.status, 2);
        QVERIFY(errors(jpeg)[0].contains(".png"));
    }

    void movie_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("mp4") << "wave.mp4";
        QTest::newRow("webm") << "wave.webm";
    }
    void movie()
    {
        QFETCH(QString, file);
        const QTemporaryDir dir;
        const QString path = dir.filePath(file);
        const auto o = tawara(
            {"--movie", path, "--until", "20", "--every", "2", "--fps", "25", "--size", "320x240"});
        QVERIFY2(o.status == 0, qPrintable(o.error));
        const auto m = tawara::test::decode_movie(path.toStdString());
        QCOMPARE(m.frames.size(), std::size_t{11}); // 0, 2, .. 20 ms
        QCOMPARE(m.width, 320);
        QCOMPARE(m.height, 240);
        QVERIFY(std::abs(m.frames_per_second - 25) < 0.01);
        double change = 0;
        for (std::size_t i = 0; i < m.frames[0].size(); ++i)
            change += std::abs(m.frames[0][i] - m.frames[10][i]);
        QVERIFY2(change / static_cast<double>(m.frames[0].size()) > 0.3, "the wave moved");
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden), QStringList{file});
    }

    void moviesThatCannotBe()
    {
        const QTemporaryDir dir;
        const auto kind = tawara({"--movie", dir.filePath("a.avi"), "--until", "4"});
        QCOMPARE(kind.status, 2);
        QCOMPARE(errors(kind).size(), 1);
        QVERIFY(errors(kind)[0].contains(".mp4"));
    }

    void requestsToEnd_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<bool>("movie");
        for (const bool movie : {false, true}) {
            const char* what = movie ? "a movie" : "a recording";
            QTest::addRow("SIGTERM, %s", what) << SIGTERM << movie;
            QTest::addRow("SIGHUP, %s", what) << SIGHUP << movie;
            QTest::addRow("SIGINT, %s", what) << SIGINT << movie;
        }
    }
    /// In the middle of a run: the window ends by itself, with the status of that signal; no movie
    /// lies there that lacks its end, and nothing half made either.
    void requestsToEnd()
    {
        QFETCH(int, signal);
        QFETCH(bool, movie);
        const QTemporaryDir dir, cache;
        QProcess p;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("HOME", home.path());
        environment.insert("XDG_CONFIG_HOME", home.path());
        environment.insert("XDG_CACHE_HOME", cache.path());
        p.setProcessEnvironment(environment);
        p.setChildProcessModifier([] { std::signal(SIGHUP, SIG_DFL); }); // under nohup too
        p.start(TAWARA_PROGRAM, movie ? QStringList{"--movie", dir.filePath("wave.mp4"), "--until",
                                                    "5000", "--size", "320x240"}
                                      : QStringList());
        const auto begun = [&] {
            const auto all = QDir::Files | QDir::Hidden;
            return movie ? !QDir(dir.path()).entryList(all).isEmpty()
                         : !QDir(cache.filePath("tawara/recordings"))
                                .entryList({"*.lock"}, all)
                                .isEmpty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(begun(), 60000);
        QTest::qWait(500);
        QCOMPARE(p.state(), QProcess::Running);
        ::kill(static_cast<pid_t>(p.processId()), signal);
        if (!p.waitForFinished(60000))
            p.kill();
        QVERIFY2(p.exitStatus() == QProcess::NormalExit && p.exitCode() == 128 + signal,
                 qPrintable(QString::number(p.exitCode()) + " " + p.readAllStandardError()));
        QVERIFY(errors({0, {}, QString::fromUtf8(p.readAllStandardError())}).isEmpty());
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden), QStringList());
        QCOMPARE(QDir(cache.filePath("tawara/recordings")).entryList({"*-*"}), QStringList());
    }

    void namesThatAreNoUtf8_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("session") << QByteArray("h\351art.json");
        QTest::newRow("mesh") << QByteArray("h\351art.vtu");
        QTest::newRow("picture") << QByteArray("h\351art.png");
    }
    /// One line in place of a file that seems not to be there.
    void namesThatAreNoUtf8()
    {
        QFETCH(QByteArray, name);
        const QTemporaryDir dir;
        const QByteArray path = dir.path().toUtf8() + "/" + name;
        // QProcess would write the name as UTF-8
        const QByteArray line =
            "exec \"$0\" " + QByteArray(name.endsWith("png") ? "--screenshot" : "") +
            " \"$(printf '" + QByteArray(path).replace("\351", "\\351") + "')\"";
        QProcess p;
        p.start("/bin/sh", {"-c", QString::fromLatin1(line), TAWARA_PROGRAM});
        QVERIFY(p.waitForFinished(60000));
        const auto said = QString::fromUtf8(p.readAllStandardError());
        QVERIFY2(p.exitCode() == 2, qPrintable(said));
        QCOMPARE(said.count('\n'), 1);
        QVERIFY2(said.contains("h\u00e9art") && said.contains("no UTF-8"), qPrintable(said));
    }

    void picturesThatCannotBe()
    {
        const QTemporaryDir dir;
        const auto missing =
            tawara({dir.filePath("no.vtu"), "--screenshot", dir.filePath("a.png")});
        QCOMPARE(missing.status, 2);
        QCOMPARE(errors(missing).size(), 1);
        QVERIFY(errors(missing)[0].contains("no.vtu"));
        QVERIFY(!QFile::exists(dir.filePath("a.png")));
        const auto nowhere = tawara({"--screenshot", dir.filePath("no/such/a.png")});
        QCOMPARE(nowhere.status, 2);
        QVERIFY(errors(nowhere)[0].contains("no/such/a.png"));
        const QString pipe = dir.filePath("pipe.png");
        QCOMPARE(mkfifo(qPrintable(pipe), 0600), 0);
        for (const auto& [file, says] : {std::pair(pipe, "is a device or a pipe"),
                                         std::pair(dir.filePath("bare"), "want .png or .jpg"),
                                         std::pair(dir.filePath("a.xyz"), "want .png or .jpg")}) {
            const auto o = tawara({"--screenshot", file});
            QCOMPARE(o.status, 2);
            QCOMPARE(errors(o).size(), 1);
            QVERIFY2(errors(o)[0].contains(file) && errors(o)[0].contains(says),
                     qPrintable(o.error));
        }
        struct stat there
        {
        };
        QVERIFY(stat(qPrintable(pipe), &there) == 0 && S_ISFIFO(there.st_mode));
        QVERIFY(!QFile::exists(dir.filePath("bare")));
    }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "test_program.moc"
