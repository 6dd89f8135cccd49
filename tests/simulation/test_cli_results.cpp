// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the command line in other programs' formats.
#include "engine/cli/cli.hpp"
#include "tests/simulation/igb_reader.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <sstream>

using namespace tawara;

namespace {

struct Result
{
    int status;
    std::string out, err;
};

Result run(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false});
    return {status, out.str(), err.str()};
}

QStringList lines(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly)
               ? QString::fromUtf8(f.readAll()).split('\n', Qt::SkipEmptyParts)
               : QStringList();
}

constexpr const char* session = R"({"schema": 1, "name": "slab & wave",
  "mesh": {"slab_mm": [3, 2, 1], "spacing_mm": 0.5},
  "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
    "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176, "normal": 0.0176}}]},
  "diffusion": {"scheme": "SCHEME"}, "time": {"dt_ms": 0.02, "end_ms": 12},
  "stimuli": [{"name": "S1", "region": {"box_mm": [[0, 0, 0], [0.6, 2, 1]]}, "start_ms": 0,
               "duration_ms": 2, "amplitude_pA_per_pF": 50}],
  "probes": [{"name": "far", "position_mm": [3, 2, 1]}],
  "output": {"frames_every_ms": 3, "frames": "vtu"}})";

} // namespace

class TestCliResults : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const QString& name) const { return (dir_.path() + "/" + name).toStdString(); }

  private Q_SLOTS:
    void carpFormats_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::newRow("fvm") << "fvm";
        QTest::newRow("p1") << "p1";
    }
    void carpFormats()
    {
        QFETCH(QString, scheme);
        QFile f(QString::fromStdString(path("s.json")));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(QByteArray(session).replace("SCHEME", scheme.toUtf8()));
        f.close();
        auto r = run({"run", path("s.json"), "--out", path("vtu"), "--report", path("r.html")});
        QVERIFY2(r.status == 0, r.err.c_str());
        r = run({"run", path("s.json"), "--out", path("igb"), "--set", "output.frames=igb"});
        QVERIFY2(r.status == 0, r.err.c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(path("igb/frames"))));
        // a mesh of 7 x 5 x 3 vertices, and as many values a frame
        const auto a = test::read_igb(path("igb/frames.igb"));
        QCOMPARE(a.x, 105);
        QCOMPARE(a.t, 5);
        QCOMPARE(a.org_t, 0.0);
        QCOMPARE(a.inc_t, 3.0);
        QCOMPARE(lines(QString::fromStdString(path("igb/frames.pts"))).size(), 106);
        for (float v : a.frames[0])
            QVERIFY(std::fabs(v + 85.23) < 0.5);
        QVERIFY(a.frames[4][0] > -20); // under the stimulus
        // what was written as VTU converts to the same
        r = run({"export", path("vtu"), "--to", "frames-igb"});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto b = test::read_igb(path("vtu/frames.igb"));
        QCOMPARE(b.t, a.t);
        for (std::size_t k = 0; k < a.frames.size(); ++k)
            for (std::size_t i = 0; i < a.frames[k].size(); ++i)
                QVERIFY(std::fabs(a.frames[k][i] - b.frames[k][i]) < 1e-3);
        r = run({"export", path("vtu"), "--to", "activation-dat", "--out", path("act.dat")});
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto values = lines(QString::fromStdString(path("act.dat")));
        QCOMPARE(values.size(), 105);
        QVERIFY(values[0].toDouble() > 0 && values[0].toDouble() < 2);
        r = run({"export", path("vtu"), "--to", "apd90-dat", "--out", path("apd.dat")});
        QCOMPARE(r.status, 0);
        QCOMPARE(lines(QString::fromStdString(path("apd.dat")))[3], QString("-1")); // not yet
        const QString html = lines(QString::fromStdString(path("r.html"))).join('\n');
        for (const char* wanted : {"slab &amp; wave", "Activated", "mm/ms", "V at far", "Kernels"})
            QVERIFY2(html.contains(wanted), wanted);
    }

    void refuses()
    {
        const auto line = [](const Result& r) { return QString::fromStdString(r.err); };
        auto r = run({"export", path("nowhere"), "--to", "apd90-dat"});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains("no folder"));
        r = run({"export", dir_.path().toStdString(), "--to", "wav"});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains("frames-igb"));
        r = run({"export", dir_.path().toStdString(), "--to", "frames-igb"});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains("frames.pvd"));
        r = run({"run", path("s.json"), "--out", path("x"), "--report", path("r.doc")});
        QCOMPARE(r.status, 2);
        QVERIFY(line(r).contains(".html"));
    }
};

QTEST_GUILESS_MAIN(TestCliResults)
#include "test_cli_results.moc"
