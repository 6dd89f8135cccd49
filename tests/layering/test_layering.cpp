// SPDX-License-Identifier: GPL-3.0-or-later
// The arrows between folders: every #include against what CMake's link lists declare.
#include "tests/layering/sources.hpp"

#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

namespace {

/// Layers as CMake declared them: folder, and the closure of what may be included.
struct Layer
{
    QString folder;
    QSet<QString> uses;
};

QMap<QString, Layer> layers()
{
    QMap<QString, Layer> out;
    QFile file(QStringLiteral(TAWARA_BINARY_DIR "/layers.txt"));
    if (!file.open(QIODevice::ReadOnly))
        return out;
    for (const auto& line : QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)) {
        const auto parts = line.split('|');
        if (parts.size() != 3)
            continue;
        const auto uses = parts[2].split(';', Qt::SkipEmptyParts);
        out[parts[0]] = {parts[1], QSet<QString>(uses.begin(), uses.end())};
    }
    for (bool grown = true; grown;) {
        grown = false;
        for (auto& layer : out) {
            const auto before = layer.uses;
            for (const auto& used : before)
                layer.uses |= out.value(used).uses;
            grown |= layer.uses.size() != before.size();
        }
    }
    return out;
}

/// The layer of a file: that of the longest folder that holds it.
QString layer_of(const QMap<QString, Layer>& all, const QString& path)
{
    QString best;
    for (auto it = all.begin(); it != all.end(); ++it)
        if (path.startsWith(it->folder + "/") &&
            (best.isEmpty() || it->folder.size() > all[best].folder.size()))
            best = it.key();
    return best;
}

bool is_qt(const QString& include)
{
    static const QRegularExpression name("^(Qt[A-Z0-9].*/)?Q[A-Za-z0-9]+$|^Qt");
    return name.match(include).hasMatch();
}
bool is_vtk(const QString& include)
{
    return include.startsWith("vtk");
}
bool is_gl(const QString& include)
{
    return include.startsWith("GL/") || include.startsWith("EGL/") || include.startsWith("GLES");
}
bool is_cuda(const QString& include)
{
    return include.startsWith("cuda") || include.startsWith("nvrtc") ||
           include.startsWith("cusparse") || include.startsWith("nccl") ||
           include.startsWith("nvtx");
}

/// What passes over NaN among the largest or least of differences in a source's text.
QStringList passing_over_nan(const QString& text)
{
    // what gives a difference, and the start of a statement with one of its arguments
    static const QString of = R"re(\b\w*(?:abs|norm|ulps|off|off_percent|difference|error)\()re",
                         most = R"re((?<![\w.])([\w.\[\]]+)\s*=\s*std::max(?:<\w+>)?\(\s*)re",
                         same = R"re(\s*(?:\1\s*:\s*\2|\2\s*:\s*\1)\s*;)re";
    static const QRegularExpression patterns[] = {
        QRegularExpression(most + R"re(\1\s*,[^;]*?)re" + of),
        QRegularExpression(most + R"re([^;,]*?)re" + of + R"re([^;]*,\s*\1\s*\)\s*;)re"),
        // a variable that holds a difference
        QRegularExpression(R"re(\b(\w+)\s*=[^;=]*?)re" + of +
                           R"re([^;]*;[^}]{0,400}?(?<![\w.])([\w.\[\]]+)\s*=\s*)re"
                           R"re(std::max(?:<\w+>)?\(\s*(?:\2\s*,\s*\1|\1\s*,\s*\2)\s*\))re"),
        QRegularExpression(
            R"re((?<![\w.])([\w.\[\]]+)\s*=\s*std::min\(\s*\1\s*,[^;]*?\blog2?\()re"),
        QRegularExpression(
            R"re((?<![\w.])([\w.\[\]]+)\s*=\s*\(?\1\s*[<>](?!=?\s*-?\d)=?\s*([^;?]+?)\)?\s*\?)re" +
            same),
        QRegularExpression(R"re((?<![\w.])([\w.\[\]]+)\s*=\s*\(?)re"
                           R"re((?=([^;?<>=]+?)\s*[<>])\2\s*[<>]=?\s*\1\)?\s*\?)re" +
                           same),
        QRegularExpression(R"re(\*std::max_element\([^;]*?\babs\()re"),
    };
    QStringList found;
    for (const auto& pattern : patterns)
        for (auto at = pattern.globalMatch(text); at.hasNext();)
            found << at.next().captured().right(80);
    return found;
}

} // namespace

class TestLayering : public QObject
{
    Q_OBJECT
    const QStringList code_{"*.cpp", "*.hpp", "*.cu", "*.cuh"};
    const QStringList product_{"engine", "widgets", "app"};
    /// What is compared there is no difference of computed numbers.
    const QStringList may_pass_{"tests/gui/test_bars.cpp",
                                "tests/render/test_scene.cpp",
                                "tests/sparse/test_order.cpp",
                                "tests/gui/test_painting.cpp",
                                "tests/cell_compiler/test_schemes.cpp", // NaN is what it looks for
                                "tests/layering/test_layering.cpp"};

    static void report(const QStringList& wrong)
    {
        QVERIFY2(wrong.isEmpty(), ("\n  " + wrong.join("\n  ")).toUtf8().constData());
    }
    static QString place(const Source& s, const Include& i, const QString& why)
    {
        return QString("%1:%2: includes %3: %4").arg(s.path).arg(i.line).arg(i.what, why);
    }

  private Q_SLOTS:
    void includesFollowTheLinkLists()
    {
        const auto all = layers();
        QVERIFY2(all.size() >= 8, "layers.txt is missing or short");
        QStringList wrong;
        int checked = 0;
        for (const auto& s : sources(product_, code_)) {
            const auto own = layer_of(all, s.path);
            if (own.isEmpty()) {
                if (s.path.startsWith("engine/") &&
                    !s.path.startsWith("engine/movie/")) // a layer where there is a window alone
                    wrong << s.path + ": belongs to no layer";
                continue; // widgets and app are no layers of a build without a window
            }
            for (const auto& i : s.includes) {
                if (!i.what.startsWith("engine/") && !i.what.startsWith("widgets/") &&
                    !i.what.startsWith("app/"))
                    continue;
                if (!QFile::exists(root + i.what)) {
                    wrong << place(s, i, "no such file");
                    continue;
                }
                const auto other = layer_of(all, i.what);
                ++checked;
                if (other != own && !all[own].uses.contains(other))
                    wrong << place(s, i, own + " may not use " + other);
            }
        }
        QVERIFY(checked > 100);
        report(wrong);
    }

    /// Inside a layer: which of its folders (or files) a folder may include beside itself.
    void foldersInsideLayersFollowTheirOrder()
    {
        const QMap<QString, QStringList> may{
            {"engine/cell/compiler/graph", {}},
            {"engine/cell/compiler/parse",
             {"engine/cell/compiler/graph", "engine/cell/model.hpp", "engine/cell/imports.hpp"}},
            {"engine/cell/compiler/equations",
             {"engine/cell/compiler/graph", "engine/cell/compiler/parse"}},
            {"engine/cell/compiler/optimise",
             {"engine/cell/compiler/graph", "engine/cell/compiler/equations"}},
            {"engine/cell/compiler/schemes",
             {"engine/cell/compiler/graph", "engine/cell/compiler/equations",
              "engine/cell/compiler/optimise"}},
            {"engine/cell/compiler",
             {"engine/cell/compiler/graph", "engine/cell/compiler/equations",
              "engine/cell/compiler/optimise", "engine/cell/compiler/schemes"}},
            {"engine/cell/compiler/emit/llvm",
             {"engine/cell/compiler/graph", "engine/cell/compiler/optimise", "engine/cell/compiler",
              "engine/cell/cpu_kernel.hpp"}},
            {"engine/cell/compiler/emit/cuda", {"engine/cell/compiler"}},
            {"engine/cell/compiler/reference",
             {"engine/cell/compiler/equations", "engine/cell/compiler/emit/llvm",
              "engine/cell/cell_error.hpp"}},
            {"engine/cell",
             {"engine/cell/compiler", "engine/cell/compiler/equations",
              "engine/cell/compiler/reference", "engine/cell/compiler/emit/llvm"}},
            {"engine/device/cpu", {"engine/device"}},
            {"engine/device/cuda", {"engine/device"}},
            {"engine/device/ranks", {"engine/device", "engine/device/cpu"}},
            {"engine/device/factory.cpp",
             {"engine/device/cpu", "engine/device/cuda", "engine/device/ranks"}},
            {"engine/device/ceilings.cpp", {"engine/device/cuda"}},
            {"engine/device", {}},
        };
        const auto folder = [](const QString& path) { return path.section('/', 0, -2); };
        QStringList wrong;
        int checked = 0;
        for (const auto& s : sources({"engine/cell", "engine/device"}, code_)) {
            const QString own = folder(s.path), rule = may.contains(s.path) ? s.path : own;
            if (!may.contains(rule)) {
                wrong << s.path + ": its folder has no rule";
                continue;
            }
            const QString top = own.section('/', 0, 1) + "/";
            for (const auto& i : s.includes) {
                if (!i.what.startsWith(top) || folder(i.what) == own)
                    continue;
                ++checked;
                if (!may[rule].contains(folder(i.what)) && !may[rule].contains(i.what))
                    wrong << place(s, i, rule + " may not use it");
            }
        }
        QVERIFY(checked > 60);
        report(wrong);
    }

    void cudaStaysBehindPlainHeaders()
    {
        const QString cuda = "engine/device/cuda/";
        static const QRegularExpression text("^(kernel_values|rows|cell_[a-z]+)\\.cuh$");
        QStringList wrong;
        for (const auto& s : sources({"engine"}, code_))
            for (const auto& i : s.includes) {
                // sources of back ends that read .cuh are not built without CUDA
                const bool plain = s.path.endsWith(".hpp") ||
                                   (s.path.endsWith(".cpp") && !s.path.contains("/cuda/"));
                if (plain && (is_cuda(i.what) || i.what.endsWith(".cuh")))
                    wrong << place(s, i, "sources and headers without CUDA are built without it");
                if (is_cuda(i.what) && s.path != cuda + "runtime.cuh")
                    wrong << place(s, i, "the toolkit is included by runtime.cuh alone");
                if (text.match(s.path.section('/', -1)).hasMatch() && i.angled &&
                    i.what != "cstdint" && i.what != "cstddef")
                    wrong << place(s, i, "what NVRTC compiles has no other headers");
                if (i.what.startsWith("llvm/") &&
                    !s.path.startsWith("engine/cell/compiler/emit/llvm/") &&
                    !s.path.startsWith("engine/digest/"))
                    wrong << place(s, i, "LLVM is for the CPU's back end of the compiler");
            }
        report(wrong);
    }

    /// All text in CUDA C++ that the program writes is written in one folder.
    void cudaTextIsMadeInOnePlace()
    {
        QStringList wrong;
        for (const auto& s : sources({"engine"}, {"*.cpp", "*.hpp"}))
            for (int k = 0; k < s.lines.size(); ++k)
                if (!s.lines[k].startsWith("#define") &&
                    (s.lines[k].contains("__device__") || s.lines[k].contains("__global__")) &&
                    !s.path.startsWith("engine/cell/compiler/emit/cuda/"))
                    wrong << QString("%1:%2: holds CUDA text").arg(s.path).arg(k + 1);
        report(wrong);
    }

    /// A header is the first include of a source or of another header, which compile it alone, or
    /// has a source made for it (alone.txt): none is left out, in whichever folder it lies. What it
    /// needs of the standard library is precompiled: test_standard_includes looks for that.
    void everyHeaderIsCompiledAlone()
    {
        QFile list(QStringLiteral(TAWARA_BINARY_DIR "/tests/layering/alone.txt"));
        QVERIFY(list.open(QIODevice::ReadOnly));
        const auto lines = QString::fromUtf8(list.readAll()).split('\n', Qt::SkipEmptyParts);
        QSet<QString> covered(lines.begin(), lines.end());
        const auto all = sources(product_, code_);
        for (const auto& s : all)
            if (!s.includes.isEmpty())
                covered.insert(s.includes.first().what);
        const auto known = layers();
        QStringList wrong;
        int headers = 0;
        for (const auto& s : all) {
            if (!s.path.endsWith(".hpp") || layer_of(known, s.path).isEmpty())
                continue;
            ++headers;
            if (!covered.contains(s.path))
                wrong << s.path + ": is compiled alone nowhere";
        }
        QVERIFY(headers > 200);
        report(wrong);
    }

    void noArrowsTurnBack()
    {
        const auto all = layers();
        QStringList wrong;
        for (auto it = all.begin(); it != all.end(); ++it) {
            if (it->uses.contains(it.key()))
                wrong << it.key() + " uses itself by way of others";
            for (const auto& used : it->uses) {
                if (!all.contains(used))
                    wrong << it.key() + " uses " + used + ", which is declared nowhere";
                if (it->folder.startsWith("engine/") &&
                    !all.value(used).folder.startsWith("engine/"))
                    wrong << it.key() + " of the engine uses " + used;
            }
        }
        report(wrong);
    }

    void engineKnowsNoQtNoOpenGLAndVtkOnlyInMeshIo()
    {
        QStringList wrong;
        for (const auto& s : sources({"engine"}, code_))
            for (const auto& i : s.includes) {
                if (is_qt(i.what))
                    wrong << place(s, i, "the engine knows no Qt");
                if (is_gl(i.what))
                    wrong << place(s, i, "the engine knows no OpenGL");
                if (is_vtk(i.what) && !s.path.startsWith("engine/mesh/io/"))
                    wrong << place(s, i, "VTK is for engine/mesh/io alone");
                if (s.header() && is_vtk(i.what) && s.path == "engine/mesh/io/mesh_io.hpp")
                    wrong << place(s, i, "the public header of mesh/io hides VTK");
                if (is_cuda(i.what) && !s.path.startsWith("engine/device/cuda/"))
                    wrong << place(s, i, "CUDA is for engine/device/cuda alone");
            }
        report(wrong);
    }

    /// What work may use is handed down (core/context.hpp).
    void whatTheMachineHasIsAskedInTwoPlaces()
    {
        const QStringList may{"engine/core/context.cpp",    // for main()
                              "engine/device/factory.cpp"}; // to be shown
        QStringList wrong;
        for (const auto& s : sources(product_, code_))
            if (!may.contains(s.path) && s.lines.join('\n').contains("hardware_concurrency"))
                wrong << s.path + ": asks how many threads the machine has";
        for (const auto& s : sources({"engine", "widgets"}, code_))
            if (!s.path.startsWith("engine/core/context.") && !s.path.endsWith("/main.cpp") &&
                s.lines.join('\n').contains("whole_machine"))
                wrong << s.path + ": takes the whole machine";
        report(wrong);
    }

    void coreKnowsNothingOfHearts()
    {
        static const QRegularExpression word(
            "\\b(ecg|electrocardiogram|session|tissue|cell|mesh|tetrahedron|heart)s?\\b",
            QRegularExpression::CaseInsensitiveOption);
        QStringList wrong;
        for (const auto& s : sources({"engine/core"}, code_))
            for (int k = 0; k < s.lines.size(); ++k)
                if (const auto m = word.match(s.lines[k]); m.hasMatch())
                    wrong << QString("%1:%2: speaks of '%3', which is for layers above")
                                 .arg(s.path)
                                 .arg(k + 1)
                                 .arg(m.captured());
        report(wrong);
    }

    void widgetsKnowNoCudaAndScenesNoQt()
    {
        QStringList wrong;
        for (const auto& s : sources({"widgets", "app"}, code_))
            for (const auto& i : s.includes) {
                // CUDA and OpenGL meet in app/interop, by the toolkit's own headers
                if (s.path.startsWith("app/interop/") && !s.header() &&
                    !i.what.startsWith("engine/device/cuda"))
                    continue;
                if (is_cuda(i.what) || i.what.startsWith("engine/device/cuda"))
                    wrong << place(s, i, "CUDA is seen through app/interop alone");
                if (s.path.startsWith("app/interop/") && is_qt(i.what))
                    wrong << place(s, i, "interop knows no Qt");
                if (s.path.startsWith("app/") && is_gl(i.what))
                    wrong << place(s, i, "OpenGL is for widgets and app/interop");
                if (s.path.startsWith("widgets/scene/") && is_qt(i.what))
                    wrong << place(s, i, "scenes know no Qt");
                if (s.path.startsWith("widgets/") && i.what == "engine/simulation/live/engine.hpp")
                    wrong << place(s, i, "widgets know the engine's values, not its control");
            }
        report(wrong);
    }

    void guardsAndLicences()
    {
        QStringList wrong;
        for (const auto& s : sources({"engine", "widgets", "app", "tests", "shaders"},
                                     code_ + QStringList{"*.glsl", "*.sh"})) {
            const QString head = s.lines.mid(0, 3).join('\n');
            if (!head.contains("SPDX-License-Identifier: GPL-3.0-or-later"))
                wrong << s.path + ": has no SPDX line in its first three";
            if (s.header() && !s.lines.contains("#pragma once") &&
                !s.lines.join('\n').contains("HWY_TARGET_TOGGLE"))
                wrong << s.path + ": has no #pragma once";
        }
        report(wrong);
    }

    /// A longer file holds two subjects. Tests of both may stay one program: tests/several.hpp.
    void filesHaveAtMost500Lines()
    {
        QStringList wrong;
        for (const auto& s : sources({"engine", "widgets", "app", "tests", "shaders"},
                                     code_ + QStringList{"*.glsl", "*.sh"}))
            if (const auto lines = s.lines.size() - 1; lines > 500) // nothing follows the last \n
                wrong << QString("%1: has %2 lines; split it").arg(s.path).arg(lines);
        report(wrong);
    }

    /// std::max(most, NaN) is most: a difference that is NaN would be passed over, and the test
    /// pass. So it is with std::min, std::max_element and `x > most ? x : most`.
    void largestDifferencesKeepNaN()
    {
        QStringList wrong;
        for (const auto& s : sources({"tests", "engine/verify"}, code_)) {
            if (s.path.startsWith("tests/bench/") || may_pass_.contains(s.path))
                continue;
            for (const auto& found : passing_over_nan(s.lines.join('\n')))
                wrong << QString("%1: '%2': larger_or_nan() of core/larger.hpp keeps NaN")
                             .arg(s.path, found);
        }
        report(wrong);
    }

    void recognisesWhatPassesOverNaN_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("found");
        const auto row = [](const char* text, int found) {
            QTest::newRow(qPrintable(QString(text).simplified())) << text << found;
        };
        row("d = std::max(d, std::abs(a - b));", 1);
        row("d.v_mV = std::max(d.v_mV, std::isfinite(b[u]) ? std::abs(a[u] - b[u]) : 1e300);", 1);
        row("worst =\n    std::max(worst, std::abs(F - r[0]) / (1 + std::abs(r[0])));", 1);
        row("worst = std::max(\n    worst, std::abs(at(i, k) - a[i][n]));", 1);
        row("error[1] = std::max(error[1], ulps(a[i], std::log(u)));", 1);
        row("worst = std::max(worst, off_percent(r.traces[0], due[p]));", 1);
        row("worst = std::max(\n    worst, largest_difference(a, b));", 1);
        row("most = std::max(most, 100 * std::fabs(a - b));", 1);
        row("most = std::max<double>(std::abs(a - b), most);", 1);
        row("const double d = std::abs(a - b);\ncheck(d);\nworst = std::max(worst, d);", 1);
        row("const double c = dipole_error(fine, p);\nworst = std::max(worst, c);", 1);
        row("order = std::min(order, std::log2(a / c));", 1);
        row("d = x > d ? x : d;", 1);
        row("away = d <= away ? away : d;", 1);
        row("worst = worst > x\n    ? worst\n    : x;", 1);
        row("worst = worst < off(k) ? off(k) : worst;", 1);
        row("*std::max_element(l.begin(), l.end(), [](double x, double y) {\n"
            "    return std::abs(x) < std::abs(y);\n});",
            1);
        row("d = larger_or_nan(d, std::abs(a - b));", 0);
        row("high = std::max(high, v[k]);", 0);
        row("const double d = a - b;\nmost = std::max(most, d);", 0);
        row("x = y > d ? y : d;", 0);
        row("x = x < -707.0 ? -707.0 : x;", 0);
        row("std::abs(*std::max_element(v.begin(), v.end()));", 0);
    }
    void recognisesWhatPassesOverNaN()
    {
        QFETCH(QString, text);
        QFETCH(int, found);
        QCOMPARE(passing_over_nan(text).size(), found);
    }

    /// The rules themselves can fail.
    void recognisesWhatItForbids()
    {
        QVERIFY(is_qt("QString") && is_qt("QtWidgets/QLabel") && is_qt("QtTest"));
        QVERIFY(!is_qt("queue") && !is_qt("Eigen/Core"));
        QVERIFY(is_vtk("vtkNew.h") && is_gl("GL/gl.h") && is_cuda("cuda_runtime.h"));
        QMap<QString, Layer> two{{"a", {"engine/a", {}}}, {"b", {"engine/a/b", {"a"}}}};
        QCOMPARE(layer_of(two, "engine/a/x.hpp"), QString("a"));
        QCOMPARE(layer_of(two, "engine/a/b/x.hpp"), QString("b"));
        QCOMPARE(layer_of(two, "engine/ab/x.hpp"), QString());
    }
};

QTEST_GUILESS_MAIN(TestLayering)
#include "test_layering.moc"
