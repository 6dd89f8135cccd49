// SPDX-License-Identifier: GPL-3.0-or-later
// Each session and each study that comes with the program is run, shortened. The folders are
// listed: a file that nobody has said how to run fails.
#include "tests/simulation/command_line.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>
#include <map>

using namespace tawara;

namespace {

struct Shipped
{
    const char* file;
    std::vector<std::string> words; ///< of the command line, which make it short
};

const std::string sigma = R"({"fibre": 0.3, "sheet": 0.1, "normal": 0.1})";

/// Half a second to three seconds each on one core.
const Shipped sessions[] = {
    {"bundle_activation", {"--until", "1"}},
    {"drug_apd", {"--until", "1"}},
    // The whole cube has 1.4e8 dyads, for which a GPU has the memory: test_examples reads it and
    // makes its tissue. Here a corner of it is run.
    {"dyads_in_a_cube",
     {"--until", "0.5", "--set", "mesh.slab_mm=[1, 1, 1]", "--set", "probes=[]"}},
    {"dyads_in_a_slab", {"--until", "1"}},
    {"left_bundle_branch_block", {"--until", "1"}},
    // A coarser heart with conductivities: those for the wanted velocities take minutes.
    {"left_ventricle",
     {"--until", "1", "--set", "mesh.heart.edge_mm=5", "--set",
      "tissue.regions.0.velocity_m_per_s=null", "--set", "tissue.regions.1.velocity_m_per_s=null",
      "--set", "tissue.regions.0.conductivity_S_per_m=" + sigma, "--set",
      "tissue.regions.1.conductivity_S_per_m=" + sigma}},
    {"niederer_slab", {"--until", "1", "--set", "mesh.spacing_mm=0.5"}},
    {"normal_beat", {"--until", "1"}},
    {"paced_heart", {"--until", "1"}},
    {"reentry_around_scar", {"--until", "1"}},
    {"spontaneous_beat", {"--until", "1"}},
};

const std::vector<std::string> first{"--part", "1/1000"};
const std::vector<std::string> none{"--part", "1000/1000"}; ///< planned, and left to other parts

/// The first run of each, where that takes below 10 s; else it is planned.
const Shipped studies[] = {
    {"bundle_branch_block", none}, // half a second of a whole heart
    {"dose_response", {"--part", "1/1000", "--set", "tissue.prepacing.beats=2"}},
    {"population", first},
    {"restitution", first},
    {"scar_risk", none}, // seconds of a whole heart
    {"velocity_by_conductivity", first},
};

/// A row for each file of a folder, by the table's words for it, or by none.
template <std::size_t n>
void rows(const QString& folder, const Shipped (&known)[n])
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("words");
    const QDir in(QStringLiteral(TAWARA_SOURCE_DIR "/resources/") + folder);
    for (const auto& name : in.entryList({"*.json"}, QDir::Files, QDir::Name)) {
        QStringList words;
        for (const auto& s : known)
            if (name == s.file + QStringLiteral(".json"))
                for (const auto& w : s.words)
                    words << QString::fromStdString(w);
        QTest::newRow(qPrintable(name)) << in.filePath(name) << words;
    }
    for (const auto& s : known)
        QVERIFY2(in.exists(s.file + QStringLiteral(".json")), s.file);
}

} // namespace

class TestShipped : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;

    test::Result run(QStringList words, const QString& file, const QString& out,
                     const QStringList& more) const
    {
        words << file << "--devices"
              << "cpu"
              << "--threads"
              << "1"
              << "--out" << out << more;
        std::vector<std::string> args;
        for (const auto& w : words)
            args.push_back(w.toStdString());
        return test::run(args);
    }

  private Q_SLOTS:
    void sessionsRun_data() { rows("sessions", sessions); }
    void sessionsRun()
    {
        QFETCH(QString, file);
        QFETCH(QStringList, words);
        QVERIFY2(!words.empty(), "nobody says how to run it: tests/simulation/test_shipped.cpp");
        const auto out = dir_.filePath(QFileInfo(file).baseName());
        const auto r = run({"run"}, file, out, words);
        QVERIFY2(r.status == 0, r.err.c_str());
        QFile f(out + "/report.json");
        QVERIFY(f.open(QIODevice::ReadOnly));
        const auto report = QJsonDocument::fromJson(f.readAll()).object();
        QCOMPARE(report["ended"].toString(), QString("end"));
        QCOMPARE(report["time_ms"].toDouble(), words[words.indexOf("--until") + 1].toDouble());
    }

    void studiesRun_data() { rows("studies", studies); }
    void studiesRun()
    {
        QFETCH(QString, file);
        QFETCH(QStringList, words);
        QVERIFY2(!words.empty(), "nobody says how to run it: tests/simulation/test_shipped.cpp");
        const auto out = dir_.filePath(QFileInfo(file).baseName() + "-study");
        const auto r = run({"study", "run"}, file, out, QStringList{"--at-once", "1"} + words);
        QVERIFY2(r.status == 0, r.err.c_str());
        const auto now = test::run({"study", "status", out.toStdString(), "--json"});
        QVERIFY2(now.status == 0, now.err.c_str());
        std::map<QString, int> count;
        for (const auto& one : now.json()["runs"].toArray())
            ++count[one.toObject()["state"].toString()];
        QCOMPARE(count["done"], words.contains("1/1000") ? 1 : 0);
        QVERIFY2(count["planned"] > 0 && count["failed"] == 0, now.out.c_str());
        QVERIFY(QFile::exists(out + "/results.csv"));
    }
};

QTEST_GUILESS_MAIN(TestShipped)
#include "test_shipped.moc"
