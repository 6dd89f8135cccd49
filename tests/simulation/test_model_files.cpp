// SPDX-License-Identifier: GPL-3.0-or-later
// Model files that change on disk while a session is open.
#include "engine/core/resource.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/provenance_read.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/live_bar.hpp"

#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>
#include <utility>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

class TestModelFiles : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;
    QString file;
    QByteArray original;

    void write(const QByteArray& text) const
    {
        QFile f(file);
        QVERIFY(f.open(QIODevice::WriteOnly));
        QCOMPARE(f.write(text), text.size());
    }
    /// A bar of that file's cells whose end is paced at 5 ms.
    Session paced() const
    {
        auto s = bar(200);
        s.reaction = cell::Scheme::rush_larsen_light;
        s.regions[0].model = file.toStdString();
        s.regions[0].variant.clear();
        s.stimuli = {end_of_bar(5)};
        return s;
    }
    static QString digest(const QByteArray& text)
    {
        return QString::fromStdString(sha256(text.toStdString()));
    }
    static double highest(const Engine& e, std::size_t probe)
    {
        const std::vector<float> v = e.traces().at(probe).V_mV;
        return v.empty() ? std::nan("") : *std::max_element(v.begin(), v.end());
    }
    static std::vector<std::string> edits(Inbox& in)
    {
        std::vector<std::string> out;
        for (const auto& x : in.all())
            if (const auto* c = std::get_if<SceneChanged>(&x)) {
                out.clear();
                for (const auto& t : c->scene->tissue_edits)
                    out.push_back(t.what);
            }
        return out;
    }

  private Q_SLOTS:
    void initTestCase()
    {
        file = dir.filePath("own.mmt");
        QFile f(
            QString::fromStdString(resource("resources/models/beeler_reuter_1977.mmt").string()));
        QVERIFY(f.open(QIODevice::ReadOnly));
        original = f.readAll();
        QVERIFY(original.contains("g_Na = 4 [mS/cm^2]"));
    }
    void init() { write(original); }

    void sameTextIsTheSameModel()
    {
        const auto& before = cell::model_info(file.toStdString());
        write(original); // another time of change
        QCOMPARE(&cell::model_info(file.toStdString()), &before);
        auto other = original;
        write(other.replace("g_Na = 4 ", "g_Na = 5 "));
        const auto& after = cell::model_info(file.toStdString());
        QVERIFY(&after != &before);
        const auto g_Na = [](const cell::ModelInfo& m) {
            for (const auto& p : m.parameters)
                if (p.name == "g_Na")
                    return p.value;
            return -1.0;
        };
        QCOMPARE(g_Na(before), 4.0); // who has it keeps it
        QCOMPARE(g_Na(after), 5.0);
    }
    void theRunTakesItsNewText()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        const auto s = paced();
        QVERIFY(in.answer(e.post(Load{s})).applied);
        run_to(e, in, 2);
        auto text = original;
        write(text.replace("g_Na = 4 ", "g_Na = 0 ").replace("g_s = 0.09 ", "g_s = 0 "));
        in.clear();
        QVERIFY(in.answer(e.post(SetTissue{s.regions, {}})).applied);
        QCOMPARE(edits(in), std::vector<std::string>{"own.mmt read anew"});
        run_to(e, in, 60);
        QVERIFY2(highest(e, 1) < -60, qPrintable(QString::number(highest(e, 1))));
        // and back, together with a parameter: both are said
        write(original);
        auto regions = s.regions;
        regions[0].parameters = {{"g_K1", 0.3}};
        in.clear();
        QVERIFY(in.answer(e.post(SetTissue{regions, {}})).applied);
        QCOMPARE(edits(in).size(), 2U);
        QCOMPARE(edits(in).back(), std::string("own.mmt read anew, region 1 changed"));
    }
    void aParameterMeansTheSameAfterANewOneCameBeforeIt()
    {
        // parameters are kept by their order: cells of the old text must not be given the new one's
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = paced();
        QVERIFY(in.answer(e.post(Load{s})).applied);
        run_to(e, in, 2);
        auto text = original;
        text.replace("g_NaC = 0.003 [mS/cm^2] in [mS/cm^2]\n",
                     "g_NaC = 0.003 [mS/cm^2] in [mS/cm^2]\nE_more = 0 [mV] in [mV]\n");
        write(text.replace("E_Na = 50 [mV] in [mV]\n", "")
                  .replace("* (V - E_Na)", "* (V - 50 [mV] - E_more)"));
        s.regions[0].parameters = {{"g_Na", 0}, {"g_s", 0}};
        QVERIFY(in.answer(e.post(SetTissue{s.regions, {}})).applied);
        run_to(e, in, 60);
        QVERIFY2(highest(e, 1) < -60, qPrintable(QString::number(highest(e, 1))));
    }
    void aSpoiltTextIsRefused()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        const auto s = paced();
        QVERIFY(in.answer(e.post(Load{s})).applied);
        run_to(e, in, 2);
        auto text = original;
        write(text.replace("g_Na = 4 [", "g_Na = four ["));
        const auto a = in.answer(e.post(SetTissue{s.regions, {}}));
        QVERIFY(!a.applied);
        QVERIFY2(QString::fromStdString(a.reason).contains("own.mmt"), a.reason.c_str());
        run_to(e, in, 60);
        QVERIFY(highest(e, 1) > 0); // with the model that was read
    }
    /// Also what is found after the tissue is made refuses a session as a whole.
    void whatWasLoadedStaysWhereAnElectrodeIsRefused()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        QVERIFY(in.answer(e.post(Load{paced()})).applied);
        run_to(e, in, 2);
        const auto run = e.status().run;
        auto s = bar();
        s.electrodes = {{"inside", {6, 1, 1}}};
        const auto a = in.answer(e.post(Load{s}));
        QVERIFY(!a.applied);
        QVERIFY2(QString::fromStdString(a.reason).contains("inside"), a.reason.c_str());
        QCOMPARE(e.status().run, run);
        QCOMPARE(e.status().time_ms, 2.0);
        run_to(e, in, 60);
        QVERIFY(highest(e, 1) > 0);
    }
    /// The digests of a run are of the text that it ran with, though the file has another by its
    /// end.
    void digestsAreOfTheTextThatRan()
    {
        auto s = paced();
        s.folder = dir.path().toStdString();
        s.end_ms = 2;
        RunOptions o;
        o.out = dir.filePath("run").toStdString();
        o.device.devices = device::Devices("cpu");
        bool edited = false;
        Progress progress;
        progress.report = [&](double, std::string_view stage) {
            if (stage == "running" && !std::exchange(edited, true))
                write(original + "\n# edited\n");
        };
        const auto report = run_session(s, o, progress);
        QVERIFY(edited);
        const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(report.json)).object();
        const auto kept = json["reproduction"].toObject()["models_sha256"].toObject();
        QCOMPARE(kept["own.mmt"].toString(), digest(original));
        const auto map = find_provenance(o.out / "activation.vtu").text;
        const auto carried = QJsonDocument::fromJson(QByteArray::fromStdString(map)).object();
        QCOMPARE(carried["models_sha256"].toObject()["own.mmt"].toString(), digest(original));
    }
    void theWindowsDigestsAreOfTheTextThatRuns()
    {
        Inbox in;
        Engine e(in.handler(), one_thread());
        auto s = paced();
        s.folder = dir.path().toStdString();
        QVERIFY(in.answer(e.post(Load{s})).applied);
        const auto shown = [&] {
            std::shared_ptr<const Scene> scene;
            for (const auto& x : in.all())
                if (const auto* loaded = std::get_if<Loaded>(&x))
                    scene = loaded->scene;
                else if (const auto* changed = std::get_if<SceneChanged>(&x))
                    scene = changed->scene;
            const auto text = QByteArray::fromStdString(provenance_of(*scene).text);
            return QJsonDocument::fromJson(text)
                .object()["models_sha256"]
                .toObject()["own.mmt"]
                .toString();
        };
        auto text = original;
        write(text.replace("g_Na = 4 ", "g_Na = 5 "));
        QCOMPARE(shown(), digest(original));
        QVERIFY(in.answer(e.post(SetTissue{s.regions, {}})).applied);
        QCOMPARE(shown(), digest(text));
    }
    void checkpointsAreOfTheText()
    {
        const auto print = [&] {
            return fingerprint(build_tissue(paced()).problem, paced(), Precision::double_);
        };
        const auto before = print();
        QCOMPARE(print(), before);
        auto text = original;
        write(text.replace("0.2 * (V + 23)", "0.21 * (V + 23)")); // no parameter's value
        QVERIFY(print() != before);
    }
};

QTEST_GUILESS_MAIN(TestModelFiles)
#include "test_model_files.moc"
