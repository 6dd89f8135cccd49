// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of cell models compiled in process: their text, NVRTC, its cache. Needs no GPU; skipped
// where NVRTC is missing.
#include "engine/cell/compiler/emit/cuda/cuda_text.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/nvrtc.hpp"
#include "engine/device/cuda/reaction_text.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::device::cuda;
using cell::Scheme;
namespace cc = tawara::cell::compiler;

namespace {

cc::Program program(const std::string& model, Scheme scheme, bool single)
{
    cc::OptimiseOptions o;
    o.fractions = !single;
    return cc::compile(cc::load_model(model), scheme, o);
}

CudaSource source(const cc::Program& p, bool single, bool fused = false, bool many = false)
{
    return reaction_source(p, single, fused, {many ? 2U : 1U},
                           kernel_shape(p.next.size(), single, fused, 1'000'000));
}

/// Additions, multiplications and fused ones of doubles in PTX.
int count_fp64(const std::string& ptx)
{
    static const QRegularExpression instruction(R"(\b(add|sub|mul|fma)\.(rn\.)?f64\b)");
    int n = 0;
    for (auto i = instruction.globalMatch(QString::fromStdString(ptx)); i.hasNext(); i.next())
        ++n;
    return n;
}

} // namespace

class TestNvrtc : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init()
    {
        const auto why = nvrtc_missing_reason();
        if (!why.empty())
            QSKIP(why.c_str());
    }

    void textIsTheModelsOwnNumbersAlone()
    {
        const auto p = program("ten_tusscher_2006", Scheme::rush_larsen_light, false);
        const auto t = cc::cuda_text(p, false);
        QVERIFY(t.find("cell.store(18, ") != std::string::npos);
        QVERIFY(t.find("typedef double Real;") != std::string::npos);
        QVERIFY(t.find("g_Na") == std::string::npos);
        QVERIFY(cc::cuda_text(p, true).find("typedef float Real;") != std::string::npos);
    }

    void everyKindOfKernelCompiles_data()
    {
        QTest::addColumn<bool>("single");
        QTest::addColumn<bool>("fused");
        QTest::addColumn<bool>("many");
        QTest::addColumn<int>("architecture");
        for (const bool single : {false, true}) {
            const char* r = single ? "single" : "double";
            QTest::addRow("%s", r) << single << false << false << 90;
            QTest::addRow("%s, fused, many types", r) << single << true << true << 90;
            QTest::addRow("%s, compute capability 8.0", r) << single << true << false << 80;
        }
    }
    void everyKindOfKernelCompiles()
    {
        QFETCH(bool, single);
        QFETCH(bool, fused);
        QFETCH(bool, many);
        QFETCH(int, architecture);
        const auto p = program("beeler_reuter_1977", Scheme::rush_larsen, single);
        const auto b = compile_cuda(source(p, single, fused, many), architecture, {});
        QVERIFY(b.code.size() > 1000);
        QVERIFY2(b.log.empty(), b.log.c_str());
    }

    void everyModelAndSchemeCompiles()
    {
        double longest = 0;
        std::string which;
        for (const auto& model : cc::library_names()) {
            const auto p = program(model, Scheme::rush_larsen_light, true);
            const auto b = compile_cuda(source(p, true), 90, {});
            if (b.ms > longest)
                longest = b.ms, which = model;
        }
        qInfo("longest: %s, %.0f ms", which.c_str(), longest);
        QVERIFY(longest < 20000);
        for (const Scheme s : {Scheme::forward_euler, Scheme::rk4, Scheme::grl1, Scheme::grl2,
                               Scheme::backward_euler_single, Scheme::backward_euler}) {
            const auto p = program("mitchell_schaeffer_2003", s, false);
            QVERIFY(compile_cuda(source(p, false), 90, {}).code.size() > 1000);
        }
    }

    void kernelsAtRestCompile()
    {
        for (const bool single : {false, true})
            for (const bool many : {false, true}) {
                const auto p = program("luo_rudy_1991", Scheme::rush_larsen_light, single),
                           l = program("luo_rudy_1991", Scheme::grl1, single);
                const auto b = compile_cuda(
                    rest_source(p, l, single, {many ? 2U : 1U}, rest_shape(p.next.size(), single)),
                    90, {});
                QVERIFY(b.code.size() > 1000);
                QVERIFY2(b.log.empty(), b.log.c_str());
            }
    }

    void kernelsOfInterpolatedCurrentsCompile()
    {
        for (const char* model : {"luo_rudy_1991", "ten_tusscher_2006"})
            for (const bool single : {false, true})
                for (const int architecture : {80, 90}) {
                    const auto p = cc::compile_current(
                        cc::load_model(model),
                        cc::options_for(cc::load_model(model), cc::Target::gpu(single)));
                    const auto b =
                        compile_cuda(current_source(p, single, {architecture == 80 ? 2U : 1U},
                                                    current_shape(single)),
                                     architecture, {});
                    QVERIFY(b.code.size() > 1000);
                    QVERIFY2(b.log.empty(), b.log.c_str());
                }
    }

    /// Rush-Larsen where nothing but gates is fast, else exponential steps of all states.
    void longStepsAreOfASchemeThatBearsThem()
    {
        const auto of = [](const char* model, Scheme s) {
            return cc::scheme_of_long_steps(cc::load_model(model), s, 0.2);
        };
        QCOMPARE(of("ten_tusscher_2006", Scheme::rush_larsen_light), Scheme::rush_larsen);
        QCOMPARE(of("ten_tusscher_2006", Scheme::grl1), Scheme::grl1);
        QCOMPARE(of("greenstein_2006", Scheme::rush_larsen), Scheme::grl1);
    }

    /// Of several types' rows only what differs between them is looked up by index.
    void numbersThatTypesShareAreOperands()
    {
        const auto p = program("ten_tusscher_2006", Scheme::rush_larsen_light, false);
        TypeRows rows{3, std::vector<bool>(p.table.size(), false)};
        std::vector<std::vector<double>> row;
        for (const char* variant : {"epi", "endo", "m"})
            row.push_back(
                p.row(cell::make_cell_type("ten_tusscher_2006", variant, {}, {}).parameters));
        for (std::size_t k = 0; k < p.table.size(); ++k)
            rows.differ[k] = row[1][k] != row[0][k] || row[2][k] != row[0][k];
        const auto differing = std::count(rows.differ.begin(), rows.differ.end(), true);
        QVERIFY(differing > 0);
        const auto lookups = [&](const TypeRows& r) {
            static const QRegularExpression indexed(R"(ld\.const\.f64[^;]*\[%rd)");
            const auto ptx = compile_to_ptx(
                reaction_source(p, false, false, r, kernel_shape(p.next.size(), false, false, 1)),
                90);
            int n = 0;
            for (auto i = indexed.globalMatch(QString::fromStdString(ptx)); i.hasNext(); i.next())
                ++n;
            return n;
        };
        const int all = lookups({3}), some = lookups(rows), none = lookups({1});
        qInfo("%d of %d numbers differ; %d lookups, %d when all are looked up", int(differing),
              int(p.table.size()), some, all);
        QCOMPARE(none, 0);
        QCOMPARE(some, int(differing));
        QVERIFY(all > some);
    }

    void tenTusscherIsQuickAndShort()
    {
        const auto p = program("ten_tusscher_2006", Scheme::rush_larsen_light, false);
        const auto s = source(p, false);
        const auto b = compile_cuda(s, 90, {});
        const int n = count_fp64(compile_to_ptx(s, 90));
        qInfo("%.0f ms, %d fp64 instructions in PTX", b.ms, n);
        QVERIFY(b.ms < 3000);
        QVERIFY2(n <= 950, "more instructions a cell than there were (goal 1150)");
    }

    /// By another program, which not every machine has.
    void tenTusscherIsShortInMachineCode()
    {
        const auto tool = QStandardPaths::findExecutable("cuobjdump");
        const auto own = QStandardPaths::findExecutable("cuobjdump", {"/usr/local/cuda/bin"});
        if (tool.isEmpty() && own.isEmpty())
            QSKIP("cuobjdump is not installed");
        const auto p = program("ten_tusscher_2006", Scheme::rush_larsen_light, false);
        const auto b = compile_cuda(source(p, false), 90, {});
        QTemporaryDir dir;
        QFile file(dir.filePath("cell.cubin"));
        QVERIFY(file.open(QFile::WriteOnly));
        file.write(b.code.data(), static_cast<qint64>(b.code.size()));
        file.close();
        QProcess run;
        run.start(tool.isEmpty() ? own : tool, {"-sass", file.fileName()});
        if (!run.waitForFinished(60000) || run.exitCode() != 0)
            QSKIP("cuobjdump cannot read the machine code: it may be older");
        const QString sass = run.readAllStandardOutput();
        const int machine =
            static_cast<int>(sass.count(" DFMA ") + sass.count(" DMUL ") + sass.count(" DADD "));
        qInfo("%d fp64 instructions in machine code", machine);
        QVERIFY(machine > 100 && machine <= 1150);
    }

    void cacheKeepsMendsAndTellsApart()
    {
        QTemporaryDir dir;
        const std::filesystem::path cache = dir.filePath("a/b").toStdString();
        const auto p = program("beeler_reuter_1977", Scheme::rush_larsen_light, false);
        const auto s = source(p, false);
        const auto first = compile_cuda(s, 90, cache);
        QVERIFY(!first.from_cache);
        const auto again = compile_cuda(s, 90, cache);
        QVERIFY(again.from_cache);
        QVERIFY2(again.ms <= 50, std::to_string(again.ms).c_str());
        QVERIFY(again.code == first.code);
        const auto files = QDir(dir.filePath("a/b")).entryList(QDir::Files);
        QCOMPARE(files.size(), 1);
        const QString path = dir.filePath("a/b/" + files[0]);
        for (const int damage : {0, 1, 2}) {
            QFile f(path);
            QVERIFY(f.open(QFile::ReadWrite));
            if (damage == 0)
                f.resize(f.size() / 2);
            else if (damage == 1)
                f.resize(0);
            else {
                f.seek(f.size() - 100);
                f.write("X");
            }
            f.close();
            const auto mended = compile_cuda(s, 90, cache);
            QVERIFY(!mended.from_cache);
            QVERIFY(mended.code == first.code);
            QVERIFY(compile_cuda(s, 90, cache).from_cache);
        }
        QVERIFY(!compile_cuda(s, 80, cache).from_cache);
        auto other = s;
        other.options.push_back("--maxrregcount=64");
        QVERIFY(!compile_cuda(other, 90, cache).from_cache);
        other = s;
        other.headers[2].second += "\n";
        QVERIFY(!compile_cuda(other, 90, cache).from_cache);
        // a changed parameter is no other text
        auto system = cc::load_model("beeler_reuter_1977");
        system.parameters.at(2).value *= 1.5;
        const auto changed = cc::compile(std::move(system), Scheme::rush_larsen_light);
        QVERIFY(compile_cuda(source(changed, false), 90, cache).from_cache);
    }

    void wrongTextSaysWhere()
    {
        CudaSource s;
        s.name = "wrong";
        s.text = "__global__ void f() { g(); }\n";
        try {
            compile_cuda(s, 90, {});
            QFAIL("compiled");
        } catch (const Error& e) {
            QVERIFY2(QString(e.what()).contains("wrong.cu(1)"), e.what());
        }
    }
};

QTEST_GUILESS_MAIN(TestNvrtc)
#include "test_nvrtc.moc"
