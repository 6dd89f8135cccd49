// SPDX-License-Identifier: GPL-3.0-or-later
// Studies of populations: how members are drawn, which of them are accepted, what is told of them.
#include "engine/cli/cli.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/results/curve_chart.hpp"
#include "engine/study/population_results.hpp"
#include "engine/study/study.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <sqlite3.h>
#include <sstream>

using namespace tawara;
using namespace tawara::study;

namespace {

const QByteArray strip =
    R"({"schema": 1, "name": "strip", "mesh": {"slab_mm": [2, 0.5, 0.5], "spacing_mm": 0.5},
 "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
  "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.2, "normal": 0.2}}]},
 "diffusion": {"scheme": "p1"}, "time": {"dt_ms": 0.02, "end_ms": 450},
 "stimuli": [{"name": "end", "region": {"box_mm": [[0, 0, 0], [0.5, 0.5, 0.5]]}, "start_ms": 0,
  "duration_ms": 2, "amplitude_pA_per_pF": 60}]})";

struct Result
{
    int status;
    std::string out, err;
};
Result run_cli(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false, nullptr, nullptr, {2}});
    return {status, out.str(), err.str()};
}

QByteArray content(const std::string& file)
{
    QFile f(QString::fromStdString(file));
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

std::vector<std::map<QByteArray, QByteArray>> rows_of(const std::string& file)
{
    std::vector<std::map<QByteArray, QByteArray>> out;
    const auto lines = content(file).trimmed().split('\n');
    const auto head = lines.value(0).split(',');
    for (qsizetype r = 1; r < lines.size(); ++r) {
        auto& row = out.emplace_back();
        const auto cells = lines[r].split(',');
        for (qsizetype c = 0; c < head.size(); ++c)
            row[head[c]] = cells.value(c);
    }
    return out;
}

Population even(int size, bool latin)
{
    Population p;
    p.size = size;
    p.seed = 7;
    p.latin_hypercube = latin;
    for (const char* name : {"g_Kr", "g_CaL"}) {
        Vary v;
        v.parameter = name;
        v.low = 0, v.high = 1;
        p.vary.push_back(v);
    }
    return p;
}

/// The factors of one parameter.
std::vector<double> column(const Population& p, std::size_t parameter)
{
    const auto all = sampled_factors(p);
    std::vector<double> out;
    for (std::size_t k = parameter; k < all.size(); k += p.vary.size())
        out.push_back(all[k]);
    return out;
}

} // namespace

class TestPopulation : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path(const char* name) const { return dir_.filePath(name).toStdString(); }
    std::string written(const char* name, const QByteArray& text) const
    {
        QFile f(dir_.filePath(name));
        if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size())
            qFatal("cannot write %s", name);
        return path(name);
    }
    std::string study(const char* name, const QByteArray& keys) const
    {
        return written(name, R"({"schema": 1, "session": "strip.json", "keep": [], )" + keys + "}");
    }

  private Q_SLOTS:
    void initTestCase() { written("strip.json", strip); }

    void aHypercubeHasOneMemberInEachPart()
    {
        constexpr int size = 50;
        const auto p = even(size, true);
        const auto a = column(p, 0), b = column(p, 1);
        for (const auto& of : {a, b}) {
            std::vector<int> hits(size);
            for (const double u : of)
                ++hits.at(static_cast<std::size_t>(u * size));
            QCOMPARE(std::count(hits.begin(), hits.end(), 1), std::ptrdiff_t(size));
            QVERIFY(!std::is_sorted(of.begin(), of.end()));
        }
        double together = 0; // orders of two parameters have nothing to do with each other
        for (std::size_t k = 0; k < a.size(); ++k)
            together += 12 * (a[k] - 0.5) * (b[k] - 0.5) / size;
        QVERIFY2(std::abs(together) < 0.4, qPrintable(QString::number(together)));
    }

    void membersAreOfSeedAndName()
    {
        for (const bool latin : {false, true}) {
            const auto p = even(20, latin);
            QCOMPARE(sampled_factors(p), sampled_factors(p));
            auto other_seed = p, fewer = p, longer = p;
            other_seed.seed = 8;
            QVERIFY(column(p, 0) != column(other_seed, 0));
            fewer.vary.erase(fewer.vary.begin());
            QCOMPARE(column(fewer, 0), column(p, 1)); // as it was with another one before it
            longer.size = 30;
            auto first = column(longer, 0);
            first.resize(20);
            QCOMPARE(first == column(p, 0), !latin);
        }
    }

    void distributionsAreAsAsked()
    {
        // Abramowitz and Stegun, table 26.5
        for (const auto& [u, z] : {std::pair(0.5, 0.0),
                                   {0.975, 1.959963984540054},
                                   {0.01, -2.326347874040841},
                                   {1e-6, -4.753424308822899}})
            QVERIFY(std::abs(normal_quantile(u) - z) < 1e-12 * std::max(1.0, std::abs(z)));
        auto p = even(2000, true);
        p.vary[0].kind = Vary::Kind::lognormal;
        p.vary[0].sd = 0.3;
        p.vary[1].kind = Vary::Kind::log_range;
        p.vary[1].low = 0.25, p.vary[1].high = 4;
        double mean = 0, square = 0, log_mean = 0;
        for (const double f : column(p, 0))
            mean += std::log(f) / 2000, square += std::log(f) * std::log(f) / 2000;
        QVERIFY(std::abs(mean) < 1e-3 && std::abs(std::sqrt(square) - 0.3) < 1e-3);
        for (const double f : column(p, 1)) {
            QVERIFY(f > 0.25 && f < 4);
            log_mean += std::log(f) / 2000;
        }
        QVERIFY(std::abs(log_mean) < 1e-3);
    }

    void membersMakeRuns()
    {
        const auto s = read_study(study("members.json", R"("axes": {"time.dt_ms": [0.02, 0.01]},
            "population": {"size": 3, "vary": {"g_Kr": {"range": [0.5, 2]}}},
            "doses": {"drugs": ["dofetilide"], "times_cmax": [0, 1]})"));
        QCOMPARE(s.runs.size(), std::size_t(12));
        QCOMPARE(s.paths, (std::vector<std::string>{"time.dt_ms", member_path, "doses.drug",
                                                    "doses.times_cmax"}));
        QCOMPARE(differences(s, s.runs[3])[1], Setting(member_path, "1"));
        QCOMPARE(differences(s, s.runs[3])[3], Setting("doses.times_cmax", "1.0"));
        QCOMPARE(setting_of(s.runs[6], "time.dt_ms"), std::string("0.01"));
        const auto drugs = session_of(s, s.runs[3]).drugs;
        QCOMPARE(drugs.size(), std::size_t(2));
        QCOMPARE(drugs[0].factors.at(0).second, s.population->factors[1]);
        QVERIFY(drugs[0].factors[0].second > 0.5 && drugs[0].factors[0].second < 2);
        // another seed is another study
        const auto t = read_study(study("members.json", R"("axes": {"time.dt_ms": [0.02, 0.01]},
            "population": {"size": 3, "seed": 2, "vary": {"g_Kr": {"range": [0.5, 2]}}},
            "doses": {"drugs": ["dofetilide"], "times_cmax": [0, 1]})"));
        QVERIFY(s.digest != t.digest);
    }

    void wrongPopulationsAreSaid_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* keys, const char* says) {
            QTest::newRow(name) << R"("population": )" + QByteArray(keys) << QString(says);
        };
        row("size", R"({"vary": {"g_Kr": {"range": [0.5, 2]}}})", "/population/size: is missing");
        row("vary", R"({"size": 3})", "/population/vary: must say what differs");
        row("kind", R"({"size": 3, "vary": {"g_Kr": {}}})",
            "/population/vary/g_Kr: wants one of range, log_range and lognormal_sd");
        row("order", R"({"size": 3, "vary": {"g_Kr": {"range": [2, 1]}}})",
            "/population/vary/g_Kr/range: [2,1] must be two numbers, the smaller one first");
        row("log", R"({"size": 3, "vary": {"g_Kr": {"log_range": [0, 1]}}})",
            "/population/vary/g_Kr/log_range: must begin above 0");
        row("name", R"({"size": 3, "vary": {"g_Krr": {"range": [1, 2]}}})",
            "/population/vary: unknown parameter 'g_Krr'");
        row("sampling", R"({"size": 3, "sampling": "latin", "vary": {"g_Kr": {"range": [1, 2]}}})",
            "/population/sampling: \"latin\" must be latin_hypercube or independent");
        row("limits", R"({"size": 3, "vary": {"g_Kr": {"range": [1, 2]}},
              "calibrate": {"apd90_ms.median": 300}})",
            "/population/calibrate/apd90_ms.median: 300 must be two numbers");
        row("doses", R"({"size": 3, "vary": {"g_Kr": {"range": [1, 2]}},
              "calibrate": {"apd90_ms.median": [1, 2]}},
              "doses": {"drugs": ["dofetilide"], "times_cmax": [1, 2]})",
            "/population/calibrate: is of members without a drug");
    }
    void wrongPopulationsAreSaid()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, says);
        const auto r = run_cli({"study", "run", study("wrong.json", keys), "--out", path("wrong")});
        QCOMPARE(r.status, 2);
        QVERIFY2(QString::fromStdString(r.err).contains(says), r.err.c_str());
        QCOMPARE(std::count(r.err.begin(), r.err.end(), '\n'), std::ptrdiff_t(1));
    }

    /// The less of the rapid delayed rectifier a member has, the longer its action potential; what
    /// its run without a drug is decides for all of its runs.
    void whoIsOutsideIsRejected()
    {
        const auto file = study("calibrated.json", R"("population": {"size": 4, "seed": 3,
            "vary": {"g_Kr": {"range": [0.3, 2]}}, "calibrate": {"apd90_ms.median": [290, 330]}},
            "doses": {"drugs": [{"name": "x", "blocks": {"g_Kr": {"ic50_nM": 10}}}],
            "concentration_nM": [0, 10]})");
        const auto out = path("calibrated");
        const auto r = run_cli({"study", "run", file, "--out", out, "--devices", "cpu"});
        QVERIFY2(r.status == 0, (r.err + r.out).c_str()); // rejected is not failed
        auto rows = rows_of(out + "/results.csv");
        QCOMPARE(rows.size(), std::size_t(8));
        int accepted = 0;
        std::vector<std::pair<double, double>> by_factor;
        for (std::size_t k = 0; k < rows.size(); k += 2) {
            const double apd = rows[k]["apd90_ms.median"].toDouble();
            const bool in = apd >= 290 && apd <= 330;
            accepted += in;
            QCOMPARE(rows[k]["accepted"], QByteArray(in ? "1" : "0"));
            QCOMPARE(rows[k + 1]["accepted"], rows[k]["accepted"]);
            QCOMPARE(rows[k]["population.member"], QByteArray::number(int(k / 2)));
            QVERIFY(rows[k + 1]["apd90_ms.median"].toDouble() > apd);
            by_factor.emplace_back(rows[k]["population.factor.g_Kr"].toDouble(), -apd);
        }
        QVERIFY(accepted > 0 && accepted < 4);
        std::sort(by_factor.begin(), by_factor.end());
        QVERIFY(std::is_sorted(by_factor.begin(), by_factor.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; }));
        const auto page = content(out + "/report.html");
        QVERIFY(page.contains("runs of accepted members"));
        QVERIFY(page.contains("Population"));
        // the same members in another folder
        QCOMPARE(run_cli({"study", "run", file, "--out", path("again"), "--devices", "cpu"}).status,
                 0);
        auto again = rows_of(path("again") + "/results.csv");
        for (std::size_t k = 0; k < rows.size(); ++k)
            QCOMPARE(again[k]["apd90_ms.median"], rows[k]["apd90_ms.median"]);
    }

    /// As somebody may have edited it.
    void aConcentrationThatIsNoNumberIsSaid()
    {
        LedgerRow row;
        row.name = "run-0";
        const std::vector<std::string> paths{"population.member", "doses.concentration_nM"};
        const auto dosed = [&](const char* concentration) {
            const std::vector<std::vector<std::string>> values{
                std::vector<std::string>{"0", concentration}};
            return member_runs(std::span(&row, 1), paths, values, "a/study.sqlite").at(0).dosed;
        };
        QVERIFY(dosed("10") && !dosed("0"));
        for (const char* wrong : {"\"ten\"", "null", "[1]", "ten"})
            try {
                dosed(wrong);
                QFAIL(wrong);
            } catch (const InputError& e) {
                const auto line = std::string("a/study.sqlite: has ") + wrong +
                                  " as doses.concentration_nM of run-0; want a number. ";
                QVERIFY2(std::string(e.what()).starts_with(line), e.what());
            }
        // by the command: one line
        const auto file = study("edited.json", R"("population": {"size": 2, "seed": 3,
            "vary": {"g_Kr": {"range": [0.3, 2]}}},
            "doses": {"drugs": [{"name": "x", "blocks": {"g_Kr": {"ic50_nM": 10}}}],
            "concentration_nM": [0, 10]})");
        const auto folder = path("edited");
        std::filesystem::create_directory(folder);
        Ledger(folder + "/study.sqlite", true).plan(read_study(file));
        sqlite3* db = nullptr;
        QCOMPARE(sqlite3_open((folder + "/study.sqlite").c_str(), &db), SQLITE_OK);
        QCOMPARE(sqlite3_exec(db,
                              "UPDATE runs SET settings = json_set(settings, "
                              "'$.\"doses.concentration_nM\"', 'ten') WHERE number = 1",
                              nullptr, nullptr, nullptr),
                 SQLITE_OK);
        sqlite3_close(db);
        const auto r = run_cli({"study", "report", folder});
        QCOMPARE(r.status, 2);
        QVERIFY2(r.err.starts_with("error: " + folder + "/study.sqlite: has \"ten\" as "),
                 r.err.c_str());
        QCOMPARE(std::count(r.err.begin(), r.err.end(), '\n'), std::ptrdiff_t(1));
    }

    void aResultThatNoRunHasIsSaid()
    {
        LedgerRow row;
        row.state = State::done;
        row.results = {{"apd90_ms.median", 300}};
        MemberRun m;
        m.row = &row;
        m.member = "0";
        simulation::ReportPage page;
        const Calibration c{{"apd90.median", 1, 2}};
        const auto in = accepted(std::span(&m, 1), c);
        QCOMPARE(in.at(0), std::optional(false));
        add_population(std::span(&m, 1), in, c, {}, page);
        QCOMPARE(page.remarks.size(), std::size_t(1));
        QVERIFY(page.remarks[0].text.find("'apd90.median'") != std::string::npos);
        // a histogram is of what differs
        LedgerRow other = row;
        const std::vector<MemberRun> two{m, {&other, "1", "", "", false}};
        const std::vector<std::pair<std::string, std::string>> told{{"apd90_ms.median", "APD90"}};
        const std::vector<std::optional<bool>> open(2);
        for (const auto& [apd, pictures] : {std::pair(300.1, 0), {320.0, 1}}) {
            other.results = {{"apd90_ms.median", apd}};
            simulation::ReportPage of;
            add_population(two, open, {}, told, of);
            QCOMPARE(of.sections.size(), static_cast<std::size_t>(pictures));
            QCOMPARE(of.wide.at(0).rows.at(0).at(2), std::string("2"));
        }
        QCOMPARE(percentile(std::vector<double>{1, 2, 3, 5}, 0.5), 2.5);
    }

    /// A ledger from elsewhere may hold any number. Lines a step apart were added one after the
    /// other without end where a step is less than the last digit of where they stand.
    void picturesEndWhateverIsInThem()
    {
        using simulation::curve_chart;
        using simulation::histogram;
        const auto chart = [](double a, double b, double y) {
            return curve_chart({{"", {{a, 0}, {b, y}}}}, "x");
        };
        QVERIFY(!chart(0, 1, 1).empty());
        QVERIFY(!chart(0x1p53, 0x1p53 + 2, 1).empty()); // two seeds
        QVERIFY(chart(0x1p53, 0x1p53 + 2, 1).size() < 10'000);
        QVERIFY(chart(1e16, 1e16 + 2, 1).size() < 10'000);
        QVERIFY(chart(-1e308, 1e308, 1).empty());
        QVERIFY(chart(0, 5e-324, 1).size() < 10'000);
        const auto bars = [](double a, double b) { return histogram(std::array{a, b}, {}, "x"); };
        QVERIFY(!bars(300, 320).empty());
        QVERIFY(!bars(1e17, 1e17).empty()); // a part was 0 wide, and their number none
        QVERIFY(!bars(1e300, std::nextafter(1e300, 2e300)).empty());
        const auto drawn = [&](double a, double b) {
            return QByteArray::fromStdString(bars(a, b)).count("<rect");
        };
        QCOMPARE(drawn(1e12, 1e12 + 100), drawn(0, 100)); // not taken for one value
        QCOMPARE(drawn(1e12, 1e12) + 1, drawn(0, 100));
        QVERIFY(bars(-1e308, 1e308).empty());
        QVERIFY(bars(0, 5e-324).empty());
    }
};

QTEST_GUILESS_MAIN(TestPopulation)
#include "test_population.moc"
