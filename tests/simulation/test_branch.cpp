// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that go on from another one's checkpoint with another tissue.
#include "engine/core/error.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

/// A small slab, paced at one end, with checkpoints.
Session slab_session(double end_ms)
{
    Session s;
    s.name = "slab";
    s.mesh = MeshSlab{{3, 1, 1}, 0.5};
    s.regions[0].variant = "epi";
    s.end_ms = end_ms;
    s.dt_ms = 0.05;
    s.output->checkpoint_every_ms = 20;
    Stimulus st;
    st.name = "S1";
    st.region = Box{{0, 0, 0}, {1, 2, 2}};
    s.stimuli.push_back(st);
    s.probes.push_back({"near, left", {0.5, 1, 0.5}});
    s.probes.push_back({"far", {2.5, 0.5, 0.5}});
    return s;
}

std::vector<Drug> blocker()
{
    return {{"blocker", {{"g_Kr", 0.1}, {"g_Ks", 0.1}, {"g_CaL", 1.5}}}};
}

QByteArray content(const fs::path& f)
{
    QFile file(QString::fromStdString(f.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

fs::path path(const QTemporaryDir& d)
{
    return d.path().toStdString();
}

/// Runs of a session, each into a folder of its own.
struct Runs
{
    QTemporaryDir dir;
    RunOptions o;
    std::string said; ///< by the last one
    Runs()
    {
        o.notice = [this](const Notice& n) { said += n.text + '\n'; };
    }
    void operator()(const Session& s, const char* name)
    {
        said.clear();
        o.out = path(dir) / name;
        run_session(s, o);
    }
    /// Of run `name` at that time.
    fs::path checkpoint(const char* name, double time_ms) const
    {
        return path(dir) / name / checkpoint_name(time_ms);
    }
    QByteArray file(const char* name, const char* of) const
    {
        return content(path(dir) / name / of);
    }
    QJsonObject report(const char* name) const
    {
        return QJsonDocument::fromJson(file(name, "report.json")).object();
    }
    /// The error of a run, or nothing.
    QString error(const Session& s, const char* name)
    {
        try {
            (*this)(s, name);
        } catch (const InputError& e) {
            return e.what();
        }
        return {};
    }
};

} // namespace

class TestBranch : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void runsBranchOffFromACheckpoint()
    {
        QTemporaryDir dir;
        auto s = slab_session(60);
        RunOptions o;
        std::string said;
        o.notice = [&said](const Notice& n) { said += n.text + '\n'; };
        const auto run = [&](const char* name) {
            said.clear();
            o.out = path(dir) / name;
            run_session(s, o);
            return content(o.out / "probes.csv").split('\n');
        };
        const auto whole = run("whole");
        o.resume = path(dir) / "whole" / "checkpoint-00000020.000ms.tcp";
        const Session control = s;
        s.drugs = blocker();
        s.regions[0].conductivity_S_per_m = {0.1, 0.1, 0.1};
        QVERIFY_THROWS_EXCEPTION(InputError, run("refused"));
        try {
            run("refused");
        } catch (const InputError& e) {
            QVERIFY2(QString(e.what()).contains("With --branch, parameters, drugs"), e.what());
        }
        o.branch = true;
        const auto drug = run("drug");
        QVERIFY2(said.find("branches off at 20 ms from another run: tissue, conductivities, "
                           "parameters, drugs, mass, tables, rest tolerance or the Purkinje "
                           "network differ; maps begin there") != std::string::npos,
                 said.c_str());
        QCOMPARE(drug.size(), whole.size());
        const auto V = [](const QByteArray& row) { return row.split(',')[1].toDouble(); };
        for (int k = 1; k < 400; ++k) // up to the checkpoint
            QCOMPARE(drug[k], whole[k]);
        QVERIFY(std::abs(V(drug[420]) - V(whole[420])) < 1); // from the same state on
        QVERIFY(std::abs(V(drug[1199]) - V(whole[1199])) > 1);
        const auto beats = content(o.out / "beats.csv").split('\n');
        const auto columns = beats[0].split(','), first = beats[1].split(',');
        QCOMPARE(first[columns.indexOf("tissue_changed_ms") + 1], QByteArray("20")); // "near, left"
        const auto maps = content(o.out / "activation.csv").split('\n');
        for (int k = 1; k < maps.size() - 1; ++k)
            QVERIFY2(maps[k].split(',')[4].isEmpty(), maps[k]); // all fired before it
        s = control;
        QCOMPARE(run("control"), whole);
        QVERIFY(said.find("nothing differs") != std::string::npos);
        s.reaction = cell::Scheme::rush_larsen; // other stepping, single precision
        o.device.precision = Precision::single;
        QVERIFY(std::abs(V(run("single")[1199]) - V(whole[1199])) < 0.5);
        // what cannot be another
        o.device.precision = Precision::double_;
        const auto refused = [&](const char* what) {
            try {
                run("refused");
            } catch (const InputError& e) {
                return QString(e.what()).contains("these differ: ") &&
                       QString(e.what()).endsWith(what);
            }
            return false;
        };
        s = control;
        s.dt_ms = 0.025;
        QVERIFY(refused("time step"));
        s = control;
        s.mesh = MeshSlab{{3.3, 1.1, 1.1}, 0.55};
        QVERIFY(refused("mesh"));
        s = control;
        s.regions[0].model = "luo_rudy_1991";
        s.regions[0].variant.clear();
        QVERIFY(refused("cell models"));
    }

    /// A branch's own checkpoints hold where it branched off and where its maps begin.
    void branchGoesOnFromItsOwnCheckpoint()
    {
        Runs run;
        auto s = slab_session(80);
        Stimulus again = s.stimuli[0];
        again.name = "again"; // so that the maps hold something
        again.start_ms = 50;
        again.amplitude_pA_per_pF = 200;
        s.stimuli.push_back(again);
        run(s, "control");
        run.o.resume = run.checkpoint("control", 20);
        run.o.branch = true;
        const Session control = s;
        s.drugs = blocker();
        s.activation_threshold_mV = 20; // the plateau is below
        run(s, "branch");
        QCOMPARE(run.report("branch")["maps_from_ms"].toDouble(), 20.0);
        QVERIFY(run.report("branch")["activated"].toInt() > 0);
        run.o.branch = false;
        run.o.resume = run.checkpoint("branch", 40);
        run(s, "on");
        for (const char* f : {"beats.csv", "activation.csv", "probes.csv"})
            QVERIFY2(run.file("on", f) == run.file("branch", f), f);
        const auto on = run.report("on");
        QCOMPARE(on["maps_from_ms"].toDouble(), 20.0);
        QCOMPARE(on["branched_at_ms"].toDouble(), 20.0);
        QVERIFY2(run.said.find("maps begin at 20 ms, as the checkpoint's do") != std::string::npos,
                 run.said.c_str());
        run.o.branch = true;
        run(control, "twice"); // back to the first tissue
        QCOMPARE(run.report("twice")["branched_at_ms"].toDouble(), 40.0);
        const auto c = read_checkpoint(run.checkpoint("twice", 60));
        QCOMPARE(c.branches, (std::vector<TissueEdit>{branch_at(20), branch_at(40)}));
        QCOMPARE(c.maps_from_ms, 40.0);
        s.output->maps_from_ms = 55; // later than the branch
        run.o.resume = run.checkpoint("control", 20);
        run(s, "late");
        QVERIFY2(run.said.find("; maps begin at 55 ms") != std::string::npos, run.said.c_str());
        const auto before = read_checkpoint(run.checkpoint("late", 40));
        QCOMPARE(before.maps_from_ms, 0.0);
        QCOMPARE(read_checkpoint(run.checkpoint("late", 60)).maps_from_ms, 55.0);
        run.o.resume = run.checkpoint("late", 40);
        run.o.branch = false;
        run(s, "late on");
        QVERIFY(run.file("late on", "activation.csv") == run.file("late", "activation.csv"));
    }

    /// It would replace what the run that it branches off from has written.
    void branchNeedsAFolderOfItsOwn()
    {
        Runs run;
        auto s = slab_session(40);
        run(s, "control");
        const auto before = run.file("control", "probes.csv");
        fs::create_directory_symlink(path(run.dir) / "control", path(run.dir) / "link");
        s.drugs = blocker();
        run.o.branch = true;
        run.o.resume = run.checkpoint("link", 20);
        for (const char* folder : {"control", "link", "control/../control/"}) {
            const auto e = run.error(s, folder);
            QVERIFY2(e.startsWith("--out: is ") && e.endsWith("Give the branch another folder") &&
                         !e.contains('\n'),
                     qPrintable(e));
        }
        QCOMPARE(run.file("control", "probes.csv"), before);
        QVERIFY(fs::exists(run.checkpoint("control", 40)));
        run(s, "branch");
        run.o.resume = run.checkpoint("branch", 40); // also where nothing is another
        s.end_ms = 45;
        QVERIFY(run.error(s, "branch").startsWith("--out: is "));
    }

    /// A control is a branch, too: its maps begin where those of the others do.
    void branchWithoutAChangeIsAControl()
    {
        Runs run;
        auto s = slab_session(40);
        run(s, "paced");
        run.o.resume = run.checkpoint("paced", 20);
        run.o.branch = true;
        run(s, "control");
        QVERIFY2(run.said.find("branches off at 20 ms from another run: nothing differs; "
                               "maps begin there") != std::string::npos,
                 run.said.c_str());
        QCOMPARE(run.report("control")["branched_at_ms"].toDouble(), 20.0);
        QCOMPARE(run.report("control")["maps_from_ms"].toDouble(), 20.0);
        QCOMPARE(run.file("control", "probes.csv"), run.file("paced", "probes.csv"));
        QVERIFY(run.file("control", "activation.csv") != run.file("paced", "activation.csv"));
    }

    void reportsSayThatTheRunBranchedOff()
    {
        Runs run;
        auto s = slab_session(40);
        run.o.html = path(run.dir) / "report.html";
        run(s, "control");
        QVERIFY(!run.report("control").contains("resumed_from"));
        QVERIFY(!content(run.o.html).contains("branch"));
        run.o.resume = run.checkpoint("control", 20);
        run(s, "on");
        QCOMPARE(run.report("on")["resumed_from"].toString().toStdString(), run.o.resume.string());
        QVERIFY(!run.report("on").contains("branched_at_ms"));
        run.o.branch = true;
        s.drugs = blocker();
        run(s, "branch");
        const auto report = run.report("branch");
        QCOMPARE(report["resumed_from"].toString().toStdString(), run.o.resume.string());
        QCOMPARE(report["branched_at_ms"].toDouble(), 20.0);
        QStringList notices;
        for (const auto& n : report["notices"].toArray())
            notices += n.toString();
        QCOMPARE(notices.filter("branches off at 20 ms from another run: ").size(), 1);
        QVERIFY2(notices.contains("nothing was activated after the branch at 20 ms"),
                 qPrintable(notices.join('\n')));
        const auto page = content(run.o.html);
        QVERIFY(page.contains("branches off at 20 ms from another run: "));
        QVERIFY(page.contains("2 from 20 ms on (the run branched off)"));
    }

    /// Both schemes have 12 unknowns on this mesh.
    void diffusionSchemeCannotBeAnother()
    {
        Runs run;
        auto s = slab_session(30);
        s.mesh = MeshSlab{{0.5, 0.5, 1}, 0.5};
        s.probes.clear();
        run(s, "fvm");
        run.o.resume = run.checkpoint("fvm", 20);
        run.o.branch = true;
        s.scheme = diffusion::Scheme::p1;
        const auto e = run.error(s, "p1");
        QVERIFY2(e.endsWith("these differ: diffusion.scheme"), qPrintable(e));
    }
};

QTEST_GUILESS_MAIN(TestBranch)
#include "test_branch.moc"
