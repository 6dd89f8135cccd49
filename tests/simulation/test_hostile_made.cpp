// SPDX-License-Identifier: GPL-3.0-or-later
//
// Files and folders that somebody has made to harm whoever opens them, as the command line meets
// them: each ends with status 2 and one line, soon, with little memory, and nothing outside
// changed.
#include "engine/core/error.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "tests/simulation/bad_sessions.hpp"
#include "tests/simulation/hostile_run.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sys/stat.h>

using namespace tawara;
using namespace tawara::simulation;
using tawara::test::ran;
namespace fs = std::filesystem;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void put(const fs::path& f, const std::string& bytes)
{
    fs::create_directories(f.parent_path());
    std::ofstream(f, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string repeated(const std::string& text, std::size_t n)
{
    std::string out;
    while (n-- > 0)
        out += text;
    return out;
}

/// A session that says nothing but what is wrong.
std::string session(const std::string& key = "", const std::string& value = "")
{
    auto s = bad_sessions::good;
    if (!key.empty())
        s.insert(s.find("\"mesh\""), "\"" + key + "\": " + value + ", ");
    return s;
}

/// A tetrahedron whose arrays a test changes.
std::string vtu(const std::string& points_attributes, const std::string& points,
                const std::string& connectivity, const std::string& offsets,
                const std::string& more = "")
{
    return "<?xml version=\"1.0\"?>\n" + more +
           "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
           "header_type=\"UInt64\"><UnstructuredGrid><Piece " +
           points_attributes + "><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" " +
           points +
           "</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" "
           "format=\"ascii\">" +
           connectivity +
           "</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">" + offsets +
           "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray>"
           "</Cells></Piece></UnstructuredGrid></VTKFile>\n";
}

const std::string one_cell = "NumberOfPoints=\"4\" NumberOfCells=\"1\"";
const std::string corners = "format=\"ascii\">0 0 0 30 0 0 0 30 0 0 0 30";

std::string cellml(const std::string& inside)
{
    return "<model name=\"m\" xmlns=\"http://www.cellml.org/cellml/1.1#\" "
           "xmlns:x=\"http://www.w3.org/1999/xlink\">" +
           inside + "<component name=\"c\"/></model>";
}

std::string pvd(const std::string& file, const std::string& time = "0")
{
    return "<VTKFile type=\"Collection\"><Collection>\n<DataSet timestep=\"" + time + "\" file=\"" +
           file + "\"/>\n</Collection></VTKFile>\n";
}

} // namespace

class TestHostileMade : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    Checkpoint good_;
    fs::path at(const std::string& name) const
    {
        return fs::path(dir_.path().toStdString()) / name;
    }
    /// A checkpoint of the session, spoilt, with the checksum of what it has become.
    void checkpoint(const std::string& name, const std::function<void(Checkpoint&)>& spoil)
    {
        auto c = good_;
        spoil(c);
        write_checkpoint(c, at(name));
        resumes_ << QString::fromStdString(name);
    }
    void refuses(const QStringList& words, const QString& name)
    {
        const auto e = ran(words, dir_.path());
        QVERIFY2(e.refused(), e.told(name));
    }
    QStringList resumes_;
    double base_cpu_s_ = 0; ///< what the run that is not refused takes

  private Q_SLOTS:
    void initTestCase()
    {
        put(at("base.json"), session());
        const auto e =
            ran({"run", "base.json", "--out", "base", "--set", "output.checkpoint_every_ms=0.5"},
                dir_.path());
        QVERIFY2(e.status == 0, e.told("base"));
        base_cpu_s_ = e.cpu_seconds;
        for (const auto& f : fs::directory_iterator(at("base")))
            if (f.path().extension() == ".tcp")
                good_ = read_checkpoint(f.path());
        QVERIFY(good_.state.step > 0);
    }

    /// Lengths and values that fit each other, and not the tissue.
    void checkpoints()
    {
        checkpoint("longer.tcp", [](Checkpoint& c) {
            auto& s = c.state;
            s.v.push_back(-80);
            for (auto& list : s.states)
                list.push_back(0);
            for (auto* list : {&s.activation_ms, &s.repolarisation_ms, &s.peak_mV, &s.rest_mV})
                list->push_back(0);
        });
        checkpoint("empty.tcp", [](Checkpoint& c) {
            auto& s = c.state;
            for (auto* list :
                 {&s.v, &s.activation_ms, &s.repolarisation_ms, &s.peak_mV, &s.rest_mV})
                list->clear();
            for (auto& list : s.states)
                list.clear();
        });
        checkpoint("fewer_states.tcp", [](Checkpoint& c) { c.state.states.pop_back(); });
        checkpoint("no_number.tcp", [](Checkpoint& c) { c.state.v[3] = not_a_number; });
        checkpoint("huge.tcp", [](Checkpoint& c) { c.state.v[3] = 1e300; });
        checkpoint("backwards.tcp", [](Checkpoint& c) {
            c.probes.time_ms.assign({0.4, 0.2}), c.probes.V_mV = {1, 1};
        });
        checkpoint("uneven_traces.tcp", [](Checkpoint& c) {
            c.traces.V_mV = {{1, 2, 3}, {1}, {}};
        });
        checkpoint("pulse.tcp", [](Checkpoint& c) {
            c.pulses.resize(1);
            c.pulses[0].watch.assign(60, 1e300);
        });
        checkpoint("late_maps.tcp", [](Checkpoint& c) { c.maps_from_ms = not_a_number; });
        checkpoint("late_branch.tcp", [](Checkpoint& c) { c.branches = {branch_at(1e12)}; });
        for (const auto& name : std::as_const(resumes_))
            refuses({"run", "base.json", "--out", "out", "--resume", name}, name);
    }

    void meshes()
    {
        const std::string lol = "<!DOCTYPE V [<!ENTITY a \"" + std::string(1000, 'x') +
                                "\"><!ENTITY b \"" + repeated("&a;", 1000) + "\"><!ENTITY c \"" +
                                repeated("&b;", 1000) + "\">]>";
        const std::vector<std::pair<const char*, std::string>> files{
            {"points.vtu", vtu("NumberOfPoints=\"18446744073709551615\" NumberOfCells=\"1\"",
                               corners, "0 1 2 3", "4")},
            {"cells.vtu", vtu("NumberOfPoints=\"4\" NumberOfCells=\"4611686018427387904\"", corners,
                              "0 1 2 3", "4")},
            {"minus.vtu", vtu(one_cell, corners, "0 1 2 -1", "4")},
            {"far.vtu", vtu(one_cell, corners, "0 1 2 9223372036854775807", "4")},
            {"offsets.vtu", vtu(one_cell, corners, "0 1 2 3", "-4")},
            {"nan.vtu",
             vtu(one_cell, "format=\"ascii\">nan 0 0 inf 0 0 0 30 0 0 0 1e999", "0 1 2 3", "4")},
            {"entities.vtu", vtu(one_cell, corners, "&c; 1 2 3", "4", lol)},
            {"appended.vtu",
             vtu(one_cell, "format=\"appended\" offset=\"18446744073709551000\">", "0 1 2 3", "4")},
            {"blocks.vtu", // as many bytes as no memory has
             vtu(one_cell,
                 "format=\"binary\">" +
                     QByteArray("\xff\xff\xff\xff\xff\xff\xff\x7f", 8).toBase64().toStdString(),
                 "0 1 2 3", "4")},
            {"nested.vtu", vtu(one_cell, corners, repeated("<DataArray>", 200'000), "4")},
            {"cells.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                          "POINTS 4 double\n0 0 0 30 0 0 0 30 0 0 0 30\nCELLS -1 -5\n4 0 1 2 3\n"
                          "CELL_TYPES 1\n10\n"},
            {"size.msh", "$MeshFormat\n4.1 1 2147483647\n\x01\n$EndMeshFormat\n$Nodes\n"
                         "99999999999999 99999999999999 1 99999999999999\n$EndNodes\n"},
        };
        for (const auto& [name, text] : files) {
            put(at(name), text);
            refuses({"mesh", "info", name}, name);
        }
        put(at("carp.pts"), "4\n0 0 0\n30 0 0\n0 30 0\n0 0 30\n");
        put(at("carp.elem"), "1\nTt 0 1 2 9223372036854775808 1\n");
        refuses({"mesh", "info", "carp.pts"}, "carp");
        put(at("tet.node"), "1000000000000 3 0 0\n0 0 0 0\n");
        put(at("tet.ele"), "1 4 0\n0 0 1 2 3\n");
        refuses({"mesh", "info", "tet.node"}, "tetgen");
    }

    void sessions()
    {
        const std::vector<std::pair<const char*, std::string>> files{
            {"deep.json", repeated("[", 1'000'000)},
            {"deep_objects.json",
             session("view", repeated("{\"a\":", 50'000) + "1" + repeated("}", 50'000))},
            {"huge_number.json", session("prepacing", "{\"beats\": 1e999}")},
            {"slab.json", session("mesh", R"({"slab_mm": [1e9, 1e9, 1e9], "spacing_mm": 1e-9})")},
            {"nul.json", session("name", std::string("\"a\0b\"", 5))},
            {"no_utf8.json", session("name", "\"\xff\xfe\xfd\"")},
            {"keys.json", session("view", "{" + repeated("\"a\": 1, ", 300'000) + "\"b\": 1}")},
        };
        for (const auto& [name, text] : files) {
            put(at(name), text);
            refuses({"run", name, "--out", "out"}, name);
        }
        QCOMPARE(mkfifo(at("pipe.json").c_str(), 0600), 0);
        for (const char* name : {"pipe.json", "/dev/zero", "/dev/stdout", "."})
            refuses({"run", name, "--out", "out"}, name);
        QVERIFY(!fs::exists(at("out/report.json")));
    }

    void models()
    {
        put(at("secret.cellml"), cellml(""));
        put(at("in/up.cellml"), cellml("<import x:href=\"../secret.cellml\"/>"));
        put(at("in/absolute.cellml"),
            cellml("<import x:href=\"" + at("secret.cellml").string() + "\"/>"));
        put(at("in/url.cellml"),
            cellml("<import x:href=\"file://" + at("secret.cellml").string() + "\"/>"));
        put(at("in/round.cellml"), cellml("<import x:href=\"round.cellml\"/>"));
        fs::create_symlink(at("."), at("in/away"));
        put(at("in/linked.cellml"), cellml("<import x:href=\"away/secret.cellml\"/>"));
        QCOMPARE(mkfifo(at("in/pipe.cellml").c_str(), 0600), 0);
        put(at("in/waits.cellml"), cellml("<import x:href=\"pipe.cellml\"/>"));
        put(at("in/brackets.mmt"),
            "[[model]]\ncell.V = -80\n[cell]\ntime = 0 bind time\ndot(V) = " +
                repeated("(", 300'000) + "1" + repeated(")", 300'000) +
                "\n    label membrane_potential\n");
        for (const auto& f : fs::directory_iterator(at("in")))
            if (f.is_regular_file())
                refuses({"cell", "info", QString::fromStdString(f.path().string())},
                        QString::fromStdString(f.path().filename().string()));
    }

    /// A folder of results that somebody has sent, given to `export`.
    void foldersToExport_data()
    {
        QTest::addColumn<QByteArray>("list"); // frames.pvd
        QTest::newRow("up") << QByteArray::fromStdString(pvd("../frame.vtu"));
        QTest::newRow("round about") << QByteArray::fromStdString(pvd("a/../../frame.vtu"));
        QTest::newRow("absolute") << QByteArray::fromStdString(pvd(at("frame.vtu").string()));
        QTest::newRow("linked") << QByteArray::fromStdString(pvd("link.vtu"));
        QTest::newRow("linked folder") << QByteArray::fromStdString(pvd("away/frame.vtu"));
        QTest::newRow("a pipe") << QByteArray::fromStdString(pvd("pipe.vtu"));
        QTest::newRow("no times") << QByteArray::fromStdString(pvd("a.vtu", "nan") +
                                                               pvd("a.vtu", "nan"));
        std::string often;
        for (int k = 0; k < 100'000; ++k)
            often += pvd(k % 2 == 0 ? "a.vtu" : "./a.vtu", std::to_string(k));
        QTest::newRow("one frame, often") << QByteArray::fromStdString(often);
    }
    void foldersToExport()
    {
        QFETCH(QByteArray, list);
        fs::remove_all(at("results"));
        put(at("frame.vtu"), vtu(one_cell, corners, "0 1 2 3", "4"));
        put(at("results/a.vtu"), content(at("frame.vtu")));
        put(at("results/frames.pvd"), list.toStdString());
        fs::create_symlink(at("frame.vtu"), at("results/link.vtu"));
        fs::create_symlink(at("."), at("results/away"));
        QCOMPARE(mkfifo(at("results/pipe.vtu").c_str(), 0600), 0);
        const auto e = ran({"export", "results", "--to", "frames-igb"}, dir_.path());
        QVERIFY2(e.refused(), e.told("export"));
        const bool read = e.errors.contains("has no array V_mV"); // the file elsewhere was
        QVERIFY2(!read, e.errors.constData());
        QVERIFY(!fs::exists(at("results/frames.igb")) && !fs::exists(at("results/frames.pts")));
    }

    void pipesToExport()
    {
        fs::create_directories(at("piped"));
        QCOMPARE(mkfifo(at("piped/frames.igb").c_str(), 0600), 0);
        refuses({"export", "piped", "--to", "frames-igb", "--out", "copy.igb"}, "frames.igb");
        QCOMPARE(mkfifo(at("piped/activation.vtu").c_str(), 0600), 0);
        refuses({"export", "piped", "--to", "activation-dat"}, "activation.vtu");
        QVERIFY(!fs::exists(at("copy.igb")));
    }

    /// What an export cannot list in a report stays as it is, and is said.
    void reportsThatAreNone_data()
    {
        QTest::addColumn<QByteArray>("report");
        QTest::newRow("deep") << QByteArray(5'000'000, '[');
        QTest::newRow("deep, a run's")
            << QByteArray("{\"program\": \"tawara\", \"files\": [], \"x\": ") +
                   QByteArray(100'000, '[') + QByteArray(100'000, ']') + "}";
        QTest::newRow("another program's") << QByteArray("{\"files\": []}");
        QTest::newRow("a list") << QByteArray("[1, 2]");
    }
    void reportsThatAreNone()
    {
        QFETCH(QByteArray, report);
        fs::remove_all(at("sent"));
        fs::copy(at("base"), at("sent"), fs::copy_options::recursive);
        put(at("sent/report.json"), report.toStdString());
        const auto e = ran({"export", "sent", "--to", "activation-dat"}, dir_.path());
        QVERIFY2(e.status == 0 && e.cheap(), e.told("report"));
        QVERIFY2(e.errors.contains("is no run's"), e.errors.constData());
        QCOMPARE(QByteArray::fromStdString(content(at("sent/report.json"))), report);
    }

    /// Links and pipes where results are to be. They are found once the tissue is there: no later,
    /// so that the run takes about as long as one that is not refused, not without end.
    void foldersToWriteTo()
    {
        put(at("elsewhere/mine"), "mine");
        fs::create_directories(at("linked"));
        fs::create_symlink(at("elsewhere"), at("linked/frames"));
        fs::create_directories(at("pipes"));
        QCOMPARE(mkfifo(at("pipes/probes.csv").c_str(), 0600), 0);
        QCOMPARE(mkfifo(at("pipes/report.json").c_str(), 0600), 0);
        for (const char* out : {"linked", "pipes"}) {
            const auto e =
                ran({"run", "base.json", "--out", out, "--set", "output.frames_every_ms=0.5"},
                    dir_.path());
            QVERIFY2(e.status == 2 && e.errors.contains("error: "), e.told(out));
            QVERIFY2(e.cpu_seconds < 2 * base_cpu_s_ + 1 && e.peak_MB < 500 * tawara::test::growth,
                     e.told(out));
        }
        QCOMPARE(std::distance(fs::directory_iterator(at("elsewhere")), fs::directory_iterator()),
                 1);
    }
};

QTEST_GUILESS_MAIN(TestHostileMade)
#include "test_hostile_made.moc"
