// SPDX-License-Identifier: GPL-3.0-or-later
// The verification table: verdicts, order, what is said of rows that fail; and some of its groups.
#include "engine/cell/model.hpp"
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/verify/problems/chi_square.hpp"
#include "engine/verify/problems/deflection.hpp"
#include "engine/verify/tissue_run.hpp"
#include "engine/verify/verify.hpp"
#include "tests/several.hpp"
#include "tests/simulation/command_line.hpp"
#include "tests/verify/decay_model.hpp"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

using namespace tawara;
using namespace tawara::verify;

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

/// Checks of every outcome, in this order.
std::vector<Group> made_up()
{
    return {
        {"sums",
         "sums that are known",
         {{"right", "2 + 2", true,
           [](Bench& b) {
               b.row({"right", "2 + 2", "arithmetic", within(4, 4)}, 2.0 + 2);
           },
           "Peano"},
          {"wrong", "2 + 2 by a wrong rule", true,
           [](Bench& b) {
               b.row({"wrong",
                      "2 + 2",
                      "arithmetic",
                      within(4, 4),
                      "apples",
                      {{"sums", "x", "y", {{"sum", {{0, 1}, {1, 5}}}}}}},
                     2.0 * 2 + 1);
           }},
          {"long", "takes long", false,
           [](Bench& b) {
               b.row({"long", "a long one", "none", at_least(0)}, 1.0);
           }}}},
        {"faults",
         "what can go wrong",
         {{"no_figure", "makes no figure", true,
           [](Bench& b) {
               b.row({"no_figure", "0 / 0", "finite", at_most(1)}, none);
           }},
          {"row_fails", "a row's work fails", true,
           [](Bench& b) {
               b.row({"row_fails", "fails", "none", at_most(1)},
                     std::function<double()>([]() -> double { throw Error("broken"); }));
           }},
          {"skips", "cannot be made", true, [](Bench&) { throw Skip("there is no GPU"); }},
          {"fails", "fails as a whole", true, [](Bench&) { throw Error("the mesh is empty"); }}}}};
}

const Row& row_of(const Table& t, const std::string& id)
{
    for (const auto& r : t.rows)
        if (r.id == id)
            return r;
    throw Error("no row " + id);
}

} // namespace

class TestVerify : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const QString& name) const { return dir_.filePath(name).toStdString(); }
    static QByteArray content(const std::string& file)
    {
        QFile f(QString::fromStdString(file));
        return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
    }

  private Q_SLOTS:
    void verdicts()
    {
        QCOMPARE(judged(1.9, at_least(1.9)), Verdict::passed);
        QCOMPARE(judged(1.8999, at_least(1.9)), Verdict::missed);
        QCOMPARE(judged(0.3, at_most(0.3)), Verdict::passed);
        QCOMPARE(judged(0.3001, at_most(0.3)), Verdict::missed);
        QCOMPARE(judged(-2.1, within(-2, 2)), Verdict::missed);
        QCOMPARE(judged(none, at_most(1)), Verdict::missed);
        QCOMPARE(judged(-INFINITY, at_most(1)), Verdict::missed);
        QCOMPARE(judged(INFINITY, at_least(1)), Verdict::missed);
        QCOMPARE(text(at_least(1.9), ""), std::string("at least 1.9"));
        QCOMPARE(text(within(42.5, 43.2), "ms"), std::string("42.5 to 43.2 ms"));
        QCOMPARE(text(within(0, 0), ""), std::string("exactly 0"));
    }

    /// A wrong figure is missed, an error is a missed row, and what follows is made all the same.
    void rowsOfAllOutcomes()
    {
        const auto groups = made_up();
        std::vector<std::string> told;
        Settings settings;
        set_program_commit("0123abc");
        const auto t =
            make_table(settings, groups, {}, [&](const Row& r) { told.push_back(r.id); });
        QCOMPARE(told, (std::vector<std::string>{"sums.right", "sums.wrong", "sums.long",
                                                 "faults.no_figure", "faults.row_fails",
                                                 "faults.skips", "faults.fails"}));
        QVERIFY(!t.stopped);
        QCOMPARE(row_of(t, "sums.right").verdict, Verdict::passed);
        QCOMPARE(row_of(t, "sums.right").source, std::string("Peano"));
        QCOMPARE(row_of(t, "sums.wrong").verdict, Verdict::missed);
        QCOMPARE(row_of(t, "sums.wrong").figure, 5.0);
        QCOMPARE(row_of(t, "faults.no_figure").verdict, Verdict::missed);
        QCOMPARE(row_of(t, "faults.row_fails").verdict, Verdict::missed);
        QCOMPARE(row_of(t, "faults.row_fails").reason, std::string("broken"));
        QCOMPARE(row_of(t, "faults.skips").verdict, Verdict::skipped);
        QCOMPARE(row_of(t, "faults.skips").reason, std::string("there is no GPU"));
        QCOMPARE(row_of(t, "faults.fails").verdict, Verdict::missed);
        QCOMPARE(t.count(Verdict::missed), std::size_t(4));
        QVERIFY(line(row_of(t, "sums.wrong")).find("exactly 4 apples") != std::string::npos);
        QVERIFY(line(row_of(t, "faults.fails")).find("the mesh is empty") != std::string::npos);

        write(t, path("table"));
        const auto j = QJsonDocument::fromJson(content(path("table/verify.json"))).object();
        QCOMPARE(j["missed"].toInt(), 4);
        QCOMPARE(j["built_from"].toString(), QString("0123abc"));
        QCOMPARE(j["rows"].toArray().size(), 7);
        QCOMPARE(j["rows"].toArray().at(1).toObject()["figure"].toDouble(), 5.0);
        QVERIFY(j["rows"].toArray().at(3).toObject()["figure"].isNull());
        const auto page = content(path("table/verify.html"));
        QVERIFY(page.contains("missed: sums.wrong, 5 apples, exactly 4 apples is required"));
        QVERIFY(page.contains("data:image/svg+xml")); // the chart of a row
    }

    void theShortFormLeavesOut()
    {
        Settings s;
        s.short_form = true;
        const auto groups = made_up();
        const auto t = make_table(s, groups);
        QCOMPARE(t.rows.size(), std::size_t(6));
        QVERIFY_THROWS_EXCEPTION(Error, row_of(t, "sums.long"));
    }

    /// A check whose rows the whole table has elsewhere is no row of it, but can be named.
    void theWholeTableLeavesOutWhatItHasElsewhere()
    {
        auto groups = made_up();
        groups[0].checks[0].in_whole = false;
        const auto without = make_table({}, groups);
        QCOMPARE(without.rows.size(), std::size_t(6));
        QVERIFY_THROWS_EXCEPTION(Error, row_of(without, "sums.right"));
        Settings s;
        s.only = {"sums.right"};
        const auto named = make_table(s, chosen(groups, s.only));
        QCOMPARE(named.rows.size(), std::size_t(1));
        s.only.clear();
        s.short_form = true;
        QCOMPARE(row_of(make_table(s, groups), "sums.right").verdict, Verdict::passed);
        for (const auto& g : verify::groups())
            for (const auto& c : g.checks)
                QVERIFY2(c.in_whole || c.in_short, c.id.c_str());
    }

    void aCheckThatMakesNoRowIsMissed()
    {
        const std::vector<Group> groups{
            {"none", "nothing", {{"empty", "makes no row", true, [](Bench&) {}}}}};
        QCOMPARE(row_of(make_table({}, groups), "none.empty").verdict, Verdict::missed);
    }

    /// A lead that is absent, flat or not a number is no T wave.
    void deflectionsOfLeads()
    {
        const std::vector<double> t{0, 1, 2, 3, 4};
        const std::vector<float> mV{9.0F, 0.1F, -0.3F, 0.2F, 9.0F};
        QVERIFY(std::abs(largest_deflection("I", t, mV, 1, 4) + 0.3) < 1e-6);
        auto broken = mV;
        broken[3] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(std::isnan(largest_deflection("I", t, broken, 1, 4)));
        QVERIFY(largest_deflection("I", t, broken, 1, 3) < 0);
        QVERIFY_THROWS_EXCEPTION(Error, largest_deflection("I", t, std::vector<float>(5), 1, 4));
        QVERIFY_THROWS_EXCEPTION(Error, largest_deflection("I", t, std::vector<float>(), 1, 4));
    }

    /// Quantiles are those of printed tables; classes of few are joined.
    void chiSquares()
    {
        const std::pair<int, double> printed[]{
            {1, 10.828}, {2, 13.816}, {3, 16.266}, {10, 29.588}, {100, 149.449}};
        for (const auto& [freedom, x] : printed) {
            QVERIFY(std::abs(chi_square_quantile(1e-3, freedom) - x) < 1e-3);
            QVERIFY(std::abs(chi_square_tail(x, freedom) - 1e-3) < 1e-6);
        }
        QVERIFY(std::abs(chi_square_quantile(0.95, 10) - 3.940) < 1e-3);
        const double counts[]{10, 20, 30}, even[]{1 / 3.0, 1 / 3.0, 1 / 3.0};
        const auto three = chi_square(counts, even);
        QVERIFY(std::abs(three.value - 10) < 1e-9 && three.freedom == 2);
        const double few[]{4, 3, 93}, rare[]{0.03, 0.03, 0.94}, rare_last[]{0.94, 0.03, 0.03};
        const auto joined = chi_square(few, rare);
        QVERIFY(std::abs(joined.value - (1 / 6.0 + 1 / 94.0)) < 1e-9 && joined.freedom == 1);
        const double many[]{93, 3, 4};
        QVERIFY(std::abs(chi_square(many, rare_last).value - joined.value) < 1e-9);
        const auto law = binomial_law(2, 0.25);
        QVERIFY(std::abs(law[0] - 0.5625) < 1e-12 && std::abs(law[1] - 0.375) < 1e-12);
        QVERIFY(std::abs(law[2] - 0.0625) < 1e-12 && law.size() == 3);
    }

    /// What was made stays; the rest is skipped.
    void aStopKeepsWhatIsThere()
    {
        std::stop_source stop;
        const auto groups = made_up();
        const auto t = make_table({}, groups, {{}, stop.get_token()}, [&](const Row& r) {
            if (r.id == "sums.wrong")
                stop.request_stop();
        });
        QVERIFY(t.stopped);
        QCOMPARE(t.rows.size(), std::size_t(7));
        QCOMPARE(row_of(t, "sums.wrong").verdict, Verdict::missed);
        QCOMPARE(row_of(t, "sums.long").verdict, Verdict::skipped);
        QCOMPARE(row_of(t, "faults.fails").verdict, Verdict::skipped);
    }

    void groupsAndChecksByName()
    {
        const std::string both[]{"faults.skips", "sums"};
        const auto some = chosen(made_up(), both);
        QCOMPARE(some.size(), std::size_t(2));
        QCOMPARE(some[0].checks.size(), std::size_t(3));
        QCOMPARE(some[1].checks.size(), std::size_t(1));
        const std::string unknown[]{"sum"};
        try {
            chosen(made_up(), unknown);
            QFAIL("an unknown group is accepted");
        } catch (const InputError& e) {
            QVERIFY2(std::string(e.what()).find("nearest known is sums") != std::string::npos,
                     e.what());
        }
    }

    /// Ids are one row's alone, and begin with their group's name.
    void realGroupsPass()
    {
        const std::string names[]{"conservation",    "stability",
                                  "ecg.lead_field",  "implicit.linear",
                                  "implicit.solver", "cable.rall",
                                  "cable.swc",       "cable.lu",
                                  "cable.squid",     "calcium.conservation",
                                  "calcium.channels"};
        Settings s;
        s.short_form = true;
        const auto groups = chosen(verify::groups(), names);
        const auto t = make_table(s, groups, {{}, {}, {.threads = 2}});
        QVERIFY(t.rows.size() >= 50);
        std::set<std::string> ids;
        for (const auto& r : t.rows) {
            QVERIFY2(r.verdict == Verdict::passed, line(r).c_str());
            QVERIFY2(ids.insert(r.id).second, r.id.c_str());
            QVERIFY2(r.id.starts_with(r.group + "."), r.id.c_str());
            QVERIFY2(!r.what.empty() && !r.requirement.empty() && !r.source.empty(), r.id.c_str());
        }
        for (const auto& g : verify::groups())
            for (const auto& c : g.checks)
                QVERIFY2(!c.source.empty(), c.id.c_str());
    }

    /// What is in the way of the files is said before anything is checked, and nothing is left.
    void placesThatCannotBeWrittenAreRefusedAtOnce()
    {
        QVERIFY(QDir(dir_.path()).mkpath("taken/verify.html"));
        std::ofstream(path("plain")) << "a file";
        const auto all = QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot;
        const auto before = QDir(dir_.path()).entryList(all);
        const std::vector<std::pair<std::string, std::string>> places{
            {"/proc/none", "/proc/none: cannot be written: "},
            {path("plain"), path("plain") + ": is a file, not a folder"},
            {path("plain/deep"), path("plain") + " is a file, not a folder"},
            {path("taken"), path("taken/verify.html") + ": is a folder"}};
        for (const auto& [out, says] : places) {
            const auto r = test::run({"verify", "--only", "conservation", "--out", out});
            QCOMPARE(r.status, 2);
            QVERIFY2(r.out.empty() && r.error_lines() == 1 && r.err.find(says) != std::string::npos,
                     (r.out + r.err).c_str());
        }
        QCOMPARE(QDir(dir_.path()).entryList(all), before);
        QCOMPARE(QDir(dir_.filePath("taken")).entryList(all), QStringList("verify.html"));
    }

    void commandLine()
    {
        const auto listed = test::run({"verify", "--list", "--json"});
        QCOMPARE(listed.status, 0);
        QVERIFY(listed.json()["groups"].toArray().size() >= 15);

        const auto r = test::run({"verify", "--short", "--only", "conservation",
                                  "partitions.shards", "--devices", "cpu", "--out", path("cli")});
        QVERIFY2(r.status == 0, (r.out + r.err).c_str());
        QVERIFY(r.out.find("no GPU is looked at") != std::string::npos);
        QVERIFY(r.out.find("6 passed, 0 missed, 4 skipped") != std::string::npos);
        const auto page = content(path("cli/verify.html"));
        QVERIFY(page.contains("of the short form only conservation partitions.shards, 6 passed"));
        const auto json = QJsonDocument::fromJson(content(path("cli/verify.json"))).object();
        QCOMPARE(json["only"].toArray().size(), 2);
        QVERIFY(json["machine"].toArray()[0].toString().startsWith("CPU, ") &&
                page.contains(json["machine"].toArray()[0].toString().toUtf8()));
        QCOMPARE(QJsonDocument::fromJson(content(path("cli/verify.json"))).object()["passed"], 6);

        QCOMPARE(json["rows"].toArray()[0].toObject()["check"].toString(),
                 QString("conservation.sum"));
        QVERIFY(QDateTime::fromString(json["begun"].toString(), Qt::ISODate).isValid());
        const auto made_by = test::run({"provenance", path("cli/verify.json"), "--json"});
        QVERIFY2(made_by.status == 0, made_by.err.c_str());
        QCOMPARE(made_by.json()["begun"], json["begun"]);
        QCOMPARE(made_by.json()["machine"], json["machine"]);

        const auto skipped =
            test::run({"verify", "--only", "partitions.shards", "--devices", "cpu"});
        QCOMPARE(skipped.status, 5);
        QVERIFY(skipped.out.find("nothing was checked: every row was skipped") !=
                std::string::npos);
        const auto both = test::run(
            {"verify", "--only", "conservation.linear", "niederer.short", "--list", "--json"});
        QCOMPARE(both.json()["groups"].toArray().size(), 2);
        const auto row = test::run({"verify", "--only", "cells.cvode.luo_rudy_1991"});
        QCOMPARE(row.status, 2);
        QVERIFY2(row.err.find("a row of that name is made by one of cells.cvode, cells.order") !=
                     std::string::npos,
                 row.err.c_str());

        const auto none = test::run({"verify", "--short", "--only", "ecg.heart"});
        QCOMPARE(none.status, 2);
        QVERIFY2(none.err.find("--only ecg.heart: has nothing in the short form") !=
                     std::string::npos,
                 none.err.c_str());
        const auto unknown = test::run({"verify", "--only", "conversation"});
        QCOMPARE(unknown.status, 2);
        QCOMPARE(unknown.error_lines(), std::size_t(1));
        const auto no_folder = test::run({"verify", "--data", path("nowhere")});
        QCOMPARE(no_folder.status, 2);
    }

    /// Traces lie in the sources; one that the library's model does not follow is missed.
    /// Each model has a row, if only one that says that no trace of it is known.
    void theLibraryFollowsTracesOfAnotherProgram()
    {
        const auto figure = [](const test::Result& r, const QString& id) {
            for (const auto& row : r.json()["rows"].toArray())
                if (row.toObject()["id"] == id)
                    return row.toObject()["figure"].toDouble(-1);
            return -2.0;
        };
        const QString luo = "cells.library.luo_rudy_1991";
        const auto here = test::run({"verify", "--only", "cells.library", "--json"});
        QVERIFY2(here.status == 0, (here.out + here.err).c_str());
        int untraced = 0;
        QStringList ids;
        for (const auto& row : here.json()["rows"].toArray()) {
            const auto r = row.toObject();
            ids << r["id"].toString();
            if (r["reason"].toString().startsWith("no trace of an independent program"))
                ++untraced;
        }
        QCOMPARE(here.json()["passed"].toInt(), 14);
        QCOMPARE(here.json()["skipped"].toInt(), untraced);
        for (const auto& model : cell::model_names()) {
            const auto id = "cells.library." + QString::fromStdString(model);
            const auto is = [&](const QString& x) { return x == id || x.startsWith(id + "."); };
            QVERIFY2(std::any_of(ids.begin(), ids.end(), is), model.c_str());
        }
        // without a variant it is the epicardial cell, which has a trace
        QVERIFY(ids.contains("cells.library.ten_tusscher_2006.endo") &&
                !ids.contains("cells.library.ten_tusscher_2006"));
        QVERIFY(std::set<QString>(ids.begin(), ids.end()).size() == std::size_t(ids.size()));
        QVERIFY(figure(here, "cells.library.hodgkin_huxley_1952") > 0);
        QVERIFY(figure(here, luo) > 0 && figure(here, luo) < 0.001);

        const std::string folder = path("other/cellml_reference/luo_rudy_1991/GraphState");
        std::filesystem::create_directories(folder);
        {
            std::ifstream in(TAWARA_SOURCE_DIR "/tests/verify/traces/luo_rudy_1991.csv");
            std::ofstream out(folder + "/outputs_state.csv");
            int rows = 0;
            for (std::string line; std::getline(in, line); ++rows) // V of a row in the plateau
                out << (rows == 9 ? "-80" + line.substr(line.find(',')) : line) << "\n";
            QCOMPARE(rows, 52);
        }
        const auto wrong =
            test::run({"verify", "--only", "cells.library", "--data", path("other"), "--json"});
        QCOMPARE(wrong.status, 5);
        QCOMPARE(wrong.json()["missed"].toInt(), 1);
        QVERIFY(figure(wrong, luo) > 1);
    }

    /// V that is no number is not the same in both of two runs; a place that was never activated
    /// is.
    void whatDiffersBetweenRuns()
    {
        TissueRun a;
        a.v_mV = {-80, 20, -79};
        a.maps.activation_ms = {none, 3, 4};
        auto b = a;
        QCOMPARE(differing(a, b), 0.0);
        b.v_mV[1] = 19;
        b.maps.activation_ms[2] = none;
        QCOMPARE(differing(a, b), 2.0);
        b = a;
        a.v_mV[0] = b.v_mV[0] = none;
        QCOMPARE(differing(a, b), 1.0);
        b.v_mV.pop_back();
        QCOMPARE(differing(a, b), 2.0);
    }

    /// Shards lie on the GPUs that --devices names, whether or not one is there.
    void shardsAreOnTheGpusAskedFor()
    {
        using device::Devices;
        QCOMPARE(gpus_of_shards("cuda:1", 1), Devices::cuda({1}));
        QCOMPARE(gpus_of_shards("cuda:1", 4), Devices::cuda({1, 1, 1, 1}));
        QCOMPARE(gpus_of_shards("cuda:2,0", 4), Devices::cuda({2, 0, 2, 0}));
        QCOMPARE(gpus_of_shards("cuda", 2).numbers.size(), std::size_t(2));
    }

    /// A trace that is not the model's is missed, which the exit status says; so is one with a
    /// column that no state of the model fits.
    void aWrongTraceIsMissed()
    {
        const std::string name = "noble_model_1962";
        std::filesystem::create_directories(path("data/cellml/chaste"));
        std::filesystem::create_directories(path("data/cellml_reference/") + name + "/GraphState");
        std::ofstream(path("data/cellml/chaste/") + name + ".cellml") << test::decay_model;
        for (const double tau : {10.0, 11.0}) {
            {
                std::ofstream table(path("data/cellml_reference/") + name +
                                    "/GraphState/outputs_state.csv");
                table.precision(17);
                for (int t = 0; t <= 100; ++t)
                    table << -80 * std::exp(-t / tau) << "\n";
            }
            const auto r =
                test::run({"verify", "--only", "cells.traces", "--data", path("data"), "--json"});
            const auto j = r.json();
            QVERIFY2(r.status == (tau == 10.0 ? 0 : 5), (r.out + r.err).c_str());
            QCOMPARE(j["passed"].toInt(), tau == 10.0 ? 1 : 0);
            QCOMPARE(j["missed"].toInt(), tau == 10.0 ? 0 : 1);
            QCOMPARE(j["skipped"].toInt(), 11); // whose files are not there
        }
        {
            std::ofstream table(path("data/cellml_reference/") + name +
                                "/GraphState/outputs_state.csv");
            for (int t = 0; t <= 100; ++t)
                table << -80 * std::exp(-t / 10.0) << ",0.5\n";
        }
        const auto r =
            test::run({"verify", "--only", "cells.traces", "--data", path("data"), "--json"});
        QVERIFY2(r.status == 5, (r.out + r.err).c_str());
        QCOMPARE(r.json()["missed"].toInt(), 1);
        QVERIFY2(r.out.find("1 of the trace's 2 columns are no state of the model") !=
                     std::string::npos,
                 r.out.c_str());
    }
};

int main(int argc, char** argv)
{
    return test::run<TestVerify>(argc, argv);
}
#include "test_verify.moc"
