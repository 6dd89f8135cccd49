// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps are good for which model: what its file says, and what is made of it.
#include "engine/cell/compiler/library.hpp"
#include "engine/cli/cli.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <sstream>

using namespace tawara;

namespace {

struct Result
{
    int status;
    QString out, err;
};

Result run(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false});
    return {status, QString::fromStdString(out.str()), QString::fromStdString(err.str())};
}

QJsonObject json(const Result& r)
{
    return QJsonDocument::fromJson(r.out.toUtf8()).object();
}

} // namespace

class TestCellSteps : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void filesSayWhatWasMeasured()
    {
        QFile file(TAWARA_SOURCE_DIR "/tests/bench/records/cell_accuracy.json");
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("the records are not here");
        const auto models = QJsonDocument::fromJson(file.readAll()).object()["models"].toObject();
        QFile paced(TAWARA_SOURCE_DIR "/tests/bench/records/cell_paced.json");
        QVERIFY(paced.open(QIODevice::ReadOnly));
        const auto verdict =
            QJsonDocument::fromJson(paced.readAll()).object()["verdict"].toObject();
        for (const auto& name : cell::model_names()) {
            std::map<QString, double> least; // of all variants; 0: one has none
            for (auto m = models.begin(); m != models.end(); ++m) {
                if (m.key().section(':', 0, 0).toStdString() != name)
                    continue;
                const auto schemes = m.value().toObject()["schemes"].toObject();
                for (auto s = schemes.begin(); s != schemes.end(); ++s) {
                    const double ms = s.value().toObject()["largest_step_ms"].toDouble(0);
                    const auto known = least.try_emplace(s.key(), ms).first;
                    known->second = std::min(known->second, ms);
                }
            }
            std::map<QString, double> said;
            for (const auto& [scheme, ms] : cell::model_info(name).largest_step_ms)
                said[QString::fromStdString(std::string(cell::name(scheme)))] = ms;
            // what pacing leaves of the steps of one beat (tests/bench/paced_verdict.py)
            std::map<QString, double> left;
            const auto schemes = verdict[QString::fromStdString(name)].toObject();
            for (auto s = schemes.begin(); s != schemes.end(); ++s) {
                left[s.key()] = s.value().toObject()["step_ms"].toDouble();
                QVERIFY2(least.empty() || left[s.key()] <= least[s.key()], name.c_str());
                const auto error = s.value().toObject()["paced_rrms_percent"];
                QVERIFY2(error.isNull() || error.toDouble() <= 1.5, name.c_str());
            }
            QVERIFY2(!left.empty() && said == left, name.c_str());
        }
    }
    void adviceIsGivenWhereItIsDue()
    {
        using cell::Scheme;
        const auto advice = [](const char* model, Scheme s, double ms) {
            return QString::fromStdString(cell::step_advice(cell::model_info(model), s, ms));
        };
        QCOMPARE(advice("ten_tusscher_2006", Scheme::rush_larsen_light, 0.02), QString());
        QCOMPARE(advice("grandi_bers_2010", Scheme::cvode, 1), QString());
        QCOMPARE(
            advice("grandi_bers_2010", Scheme::rush_larsen_light, 0.02),
            QString("grandi_bers_2010 by rush_larsen_light stays within 1.5 % of the reference "
                    "with steps up to 0.005 ms; a step of 0.02 ms has not been shown to; "
                    "backward_euler allows steps up to 0.05 ms"));
        QCOMPARE(
            advice("greenstein_2006", Scheme::rush_larsen, 0.001),
            QString("greenstein_2006 by rush_larsen has not been shown to stay within 1.5 % "
                    "of the reference with any step; backward_euler allows steps up to 0.02 ms"));
        cell::ModelInfo own; // of somebody's file that says nothing
        QCOMPARE(cell::step_advice(own, Scheme::forward_euler, 1), std::string());
    }
    void aSingleCellTakesAGoodStepByItself_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<double>("dt_ms");
        QTest::newRow("ten_tusscher_2006") << "rush_larsen_light" << 0.01;
        QTest::newRow("grandi_bers_2010") << "rush_larsen_light" << 0.005;
        QTest::newRow("shannon_bers_2004") << "rush_larsen_light" << 0.005;
        QTest::newRow("greenstein_2006") << "backward_euler" << 0.01;
        QTest::newRow("ohara_rudy_2011") << "grl1" << 0.01;
        QTest::newRow("ohara_rudy_2011_tissue") << "grl1" << 0.01;
        QTest::newRow("greenstein_2006_irvine") << "backward_euler" << 0.01;
    }
    void aSingleCellTakesAGoodStepByItself()
    {
        QFETCH(QString, scheme);
        QFETCH(double, dt_ms);
        const std::string model = QTest::currentDataTag();
        const auto r = run({"cell", "run", model, "--until", "300", "--json"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        const auto j = json(r);
        QCOMPARE(j["scheme"].toString(), scheme);
        QCOMPARE(j["dt_ms"].toDouble(), dt_ms);
        QVERIFY(!r.err.contains("has not been shown to"));
        const bool usual = scheme == "rush_larsen_light" && dt_ms == 0.01;
        QCOMPARE(r.err.contains("as its file says"), !usual);
        QCOMPARE(j["beats"].toArray().size(), 1);
    }
    void whatIsAskedForIsTaken()
    {
        auto r =
            run({"cell", "run", "grandi_bers_2010", "--dt", "0.0055", "--until", "1", "--json"});
        QVERIFY2(r.err.contains("up to 0.005 ms"), qPrintable(r.err));
        QCOMPARE(json(r)["dt_ms"].toDouble(), 0.0055);
        r = run({"cell", "run", "grandi_bers_2010", "--scheme", "backward_euler", "--until", "1",
                 "--json"});
        QCOMPARE(r.err.contains("known"), false);
        QCOMPARE(json(r)["scheme"].toString(), QString("backward_euler"));
        QCOMPARE(json(r)["dt_ms"].toDouble(), 0.01);
        r = run({"cell", "info", "greenstein_2006", "--json"});
        const auto steps = json(r)["largest_step_ms"].toObject();
        QCOMPARE(steps["backward_euler"].toDouble(), 0.02);
        QVERIFY(!steps.contains("grl2"));
        r = run({"cell", "info", "greenstein_2006"});
        QVERIFY2(r.out.contains("backward_euler 0.02"), qPrintable(r.out));
    }
    void rowsAndStimulusAreTold()
    {
        QTemporaryDir dir;
        const auto csv = dir.filePath("t.csv").toStdString();
        auto r =
            run({"cell", "run", "luo_rudy_1991", "--dt", "0.02", "--every", "0.25", "--bcl", "400",
                 "--until", "5", "--set", "g_K=0.3", "--amplitude", "40", "--out", csv, "--json"});
        QVERIFY2(r.status == 0 && r.err.contains("come every 0.26 ms, in whole steps of 0.02 ms, "
                                                 "not 0.25"),
                 qPrintable(r.err));
        const auto j = json(r);
        QCOMPARE(j["stimulus_pA_per_pF"].toDouble(), 40.0);
        QVERIFY(j["stimulus_duration_ms"].toDouble() > 0);
        QCOMPARE(j["set"].toObject()["g_K"].toDouble(), 0.3);
        QCOMPARE(j["every_ms"].toDouble(), 0.25);
        r = run({"cell", "run", "luo_rudy_1991", "--dt", "0.02", "--every", "0.2", "--until", "5",
                 "--out", csv});
        QVERIFY2(!r.err.contains("whole steps"), qPrintable(r.err));
    }
    void tissueSaysSo()
    {
        simulation::Session s;
        s.mesh = simulation::MeshSlab{{2, 1, 1}, 0.5};
        s.dt_ms = 0.02;
        const auto said = [&] {
            int n = 0;
            for (const auto& notice : simulation::build_tissue(s).notices)
                if (notice.text.find("within 1.5 % of the reference") != std::string::npos)
                    n += notice.level == Notice::Level::warning;
            return n;
        };
        QCOMPARE(said(), 0);
        s.regions[0].model = "shannon_bers_2004";
        s.regions[0].variant.clear();
        QCOMPARE(said(), 1);
        s.reaction = cell::Scheme::backward_euler;
        QCOMPARE(said(), 0);
        s.regions[0].model = "ohara_rudy_2011_tissue"; // M cells are off by 7 % at 300 ms
        s.reaction = cell::Scheme::rush_larsen_light;
        QCOMPARE(said(), 1);
        s.reaction = cell::Scheme::grl1;
        s.dt_ms = 0.01;
        QCOMPARE(said(), 0);
    }
    void aModelThatConductsSlowlyIsSaid()
    {
        simulation::Session s;
        s.mesh = simulation::MeshSlab{{2, 1, 1}, 0.5};
        s.regions[0].variant.clear();
        const auto said = [&](const char* model) {
            s.regions[0].model = model;
            const auto notices = simulation::build_tissue(s).notices;
            return std::count_if(notices.begin(), notices.end(), [](const Notice& n) {
                return n.level == Notice::Level::warning &&
                       n.text.find("ohara_rudy_2011_tissue is the same model") != std::string::npos;
            });
        };
        QCOMPARE(said("ohara_rudy_2011"), 1);
        QCOMPARE(said("ohara_rudy_2011_tissue"), 0);
        QCOMPARE(said("ten_tusscher_2006"), 0);
    }
    void aCellCanBePacedUntilItIsSteady()
    {
        const std::vector<std::string> words{"cell",     "run",         "beeler_reuter_1977",
                                             "--scheme", "rush_larsen", "--dt",
                                             "0.05",     "--json",      "--until-steady"};
        auto r = run(words);
        QVERIFY2(r.status != 0 && r.err.contains("--bcl"), qPrintable(r.err));
        auto paced = words;
        paced.insert(paced.end(), {"--bcl", "500"});
        r = run(paced);
        QVERIFY2(r.status == 0, qPrintable(r.err));
        auto j = json(r);
        QVERIFY(j["settled"].toBool() && j["drift"].toObject()["steady"].toBool());
        const auto beats = j["beats"].toArray().size();
        QVERIFY2(beats >= 70 && beats < 500, qPrintable(QString::number(beats)));
        paced.insert(paced.end(), {"--beats", "20"});
        r = run(paced);
        j = json(r);
        QVERIFY(!j["settled"].toBool());
        QCOMPARE(j["beats"].toArray().size(), 20);
    }
    /// In tissue each cell meets the front at another time of its step. At 0.1 ms a wave crosses
    /// the slab, and by so much sooner as first order makes it.
    void implicitStepsCarryAWave_data()
    {
        QTest::addColumn<double>("dt_ms");
        for (const char* m :
             {"luo_rudy_1991", "courtemanche_1998", "ten_tusscher_2006", "grandi_bers_2010"})
            QTest::newRow(m) << 0.1;
    }
    void implicitStepsCarryAWave()
    {
        QFETCH(double, dt_ms);
        const QByteArray model = QTest::currentDataTag();
        const QTemporaryDir dir;
        const auto arrival = [&](double dt) {
            const QString path = dir.filePath("slab.json");
            QFile f(path);
            if (!f.open(QIODevice::WriteOnly))
                return -1.0;
            f.write(R"({"schema": 1, "mesh": {"slab_mm": [6, 1, 1], "spacing_mm": 0.25}, "tissue":
                {"surface_to_volume_per_mm": 140, "regions": [{"label": "*", "model": ")" +
                    model + R"(", "conductivity_S_per_m": {"fibre": 0.1334, "sheet": 0.0176,
                "normal": 0.0176}}]}, "diffusion": {"scheme": "p1", "mass": "lumped"},
                "reaction": {"scheme": "backward_euler"}, "time": {"end_ms": 30, "dt_ms": )" +
                    QByteArray::number(dt) +
                    R"(}, "stimuli": [{"name": "corner", "region": {"box_mm":
                [[0, 0, 0], [1.5, 1, 1]]}, "duration_ms": 2, "amplitude_uA_per_cm3": 50000}],
                "probes": [{"name": "far", "position_mm": [5, 0.5, 0.5]}]})");
            f.close();
            const auto out = dir.filePath(QString("out%1").arg(dt));
            const auto r =
                run({"run", path.toStdString(), "--out", out.toStdString(), "--devices", "cpu"});
            QFile beats(out + "/beats.csv");
            if (r.status != 0 || !beats.open(QIODevice::ReadOnly)) {
                qWarning("%s", qPrintable(r.err));
                return -1.0;
            }
            const auto lines = beats.readAll().split('\n');
            return lines.value(1).split(',').value(2).toDouble();
        };
        const double coarse = arrival(dt_ms), fine = arrival(0.01);
        qInfo("%.2f ms at %g, %.2f at 0.01", coarse, dt_ms, fine);
        QVERIFY(coarse > 2 && coarse < fine && coarse > 0.85 * fine);
    }
    void wrongStepsOfAFileAreRefused()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath("own.mmt");
        const auto read = [&](const QByteArray& line) {
            QFile f(path);
            if (!f.open(QIODevice::WriteOnly))
                return QString("?");
            f.write(
                "[[model]]\n" + line +
                "\ncell.V = -80\n\n[engine]\ntime = 0 bind time\n\n"
                "[cell]\ndot(V) = -0.1 * (V + 80)\n    in [mV]\n    label membrane_potential\n");
            f.close();
            return run({"cell", "info", path.toStdString()}).err;
        };
        QCOMPARE(read("largest_step_ms: grl1 = 0.05"), QString());
        QVERIFY2(read("largest_step_ms: grl9 = 0.05").contains("own.mmt:2: unknown scheme 'grl9'"),
                 qPrintable(read("largest_step_ms: grl9 = 0.05")));
        QVERIFY2(read("largest_step_ms: grl1 0.05").contains("own.mmt:2"),
                 qPrintable(read("largest_step_ms: grl1 0.05")));
        QVERIFY2(read("largest_step_ms: grl1 = -1").contains("own.mmt:2"),
                 qPrintable(read("largest_step_ms: grl1 = -1")));
    }
};

QTEST_GUILESS_MAIN(TestCellSteps)
#include "test_cell_steps.moc"
