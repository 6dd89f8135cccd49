// SPDX-License-Identifier: GPL-3.0-or-later
// What runs on a mesh in parts find in their folder, and what they leave there.
#include "engine/core/folder_lock.hpp"
#include "tests/simulation/parts_bar.hpp"

#include "tests/several.hpp"

#include <QtTest>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::test;
namespace fs = std::filesystem;

class TestPartFolders : public QObject, PartsBar
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { make(); }

    /// Before the mesh is read: the first one looks, and all end.
    void placesAreLookedAtBeforeTheMeshIsRead()
    {
        auto s = in_parts(session(ways[2]), 3);
        s.output->frames_every_ms = 1;
        const auto refuses = [&](const Session& of, const RunOptions& o, const std::string& why) {
            const auto r = over_ranks(3, of, o);
            if (r.error.find(why) == std::string::npos || !r.said.empty())
                qWarning("%s; %s", r.error.c_str(), r.said.c_str());
            return r.error.find(why) != std::string::npos && r.said.empty();
        };
        const std::string replaces = "which would replace or remove it in the folder";
        auto o = options("places");
        o.session_file = path("places/activation/0002.vtu").string();
        put(o.session_file, "a session");
        QVERIFY(refuses(s, o, "is the session of this run, " + replaces));
        QCOMPARE(content(o.session_file), std::string("a session"));
        o = options("places");
        put(path("places/checkpoint-00000002.000ms-0of3.tcp"), "a checkpoint");
        o.resume = path("places/checkpoint-00000002.000ms-0of3.tcp");
        put(path("places/checkpoint-00000002.000ms-2of3.tcp"), "a checkpoint");
        const std::string ours = "{\"program\": \"tawara\", \"files\": [\"";
        put(path("places/report.json"), ours + "checkpoint-00000002.000ms-2of3.tcp\"]}");
        QVERIFY(refuses(s, o, "is of the checkpoint that this run goes on from, " + replaces));
        // the index of a mesh of which no part is there, so that it cannot be read
        auto other = s;
        other.mesh = MeshFile{path("places/bar3.parts").string(), {}, {}, {}};
        fs::copy_file(parts_of(3), path("places/bar3.parts"));
        put(path("places/report.json"), ours + "bar3.parts\"]}");
        QVERIFY(refuses(other, options("places"), "is a file that the session of this run names"));
        const auto part = mesh::parallel::read_index(parts_of(3)).parts[1].file;
        put(path("places") / part, "a part");
        put(path("places/report.json"), ours + part + "\"]}");
        QVERIFY(refuses(other, options("places"), "is a part of this run's mesh, " + replaces));
        QCOMPARE(content(path("places") / part), std::string("a part"));
        fs::create_directories(path("link"));
        fs::create_directory_symlink(path("places"), path("link/frames"));
        QVERIFY(refuses(s, options("link"), "link/frames: is a symbolic link"));
        FolderLock held;
        held.take(path("link"));
        QVERIFY(refuses(s, options("link"), "another run is writing into this folder"));
    }

    /// What a killed run left is removed; what has another name, or is whole, stays.
    void halvesOfAKilledRunAreSwept()
    {
        const auto out = path("killed");
        const std::vector<std::string> halves{".probes.part-00ff00ff00ff00ff.csv",
                                              "activation/.0001.part-00ff00ff00ff00ff.vtu",
                                              "activation/0001.vtu",
                                              "frames/000000150/0000.vtu",
                                              "frames/000000150/.0001.part-00ff00ff00ff00ff.vtu",
                                              "checkpoint-00000003.000ms-1of3.tcp"},
            others{"frames/000000150/mine.vtu",
                   "frames/000000150/1.vtu",
                   "frames/notes.txt",
                   "checkpoint-00000002.000ms-0of3.tcp",
                   "checkpoint-00000002.000ms-1of3.tcp",
                   "checkpoint-00000003.000ms-1of3.txt",
                   "checkpoint-3ms-1of3.tcp"},
            listed{"frames/000000100.pvtu", "frames/000000100/0000.vtu",
                   "frames/000000100/0002.vtu"};
        for (const auto* names : {&halves, &others, &listed})
            for (const auto& name : *names)
                put(out / name, "of a killed run");
        put(out / "frames.pvd", "<DataSet timestep=\"2\" file=\"frames/000000100.pvtu\"/>\n");
        auto s = in_parts(session(ways[2]), 3);
        s.end_ms = 0.2;
        const auto r = over_ranks(3, s, options("killed"));
        QCOMPARE(r.error, std::string());
        QVERIFY2(r.said.find("removed 6 files in " + out.string()) != std::string::npos,
                 r.said.c_str());
        QVERIFY2(r.said.find("checkpoint-00000002.000ms-0of3.tcp is of a run here that did not") !=
                     std::string::npos,
                 r.said.c_str());
        for (const auto& name : halves) // this run has written one of them
            QVERIFY2(!fs::exists(out / name) || name == "activation/0001.vtu", name.c_str());
        for (const auto& name : listed)
            QVERIFY2(!fs::exists(out / name), name.c_str());
        for (const auto& name : others)
            QCOMPARE(content(out / name), std::string("of a killed run"));
    }

    /// A frame that one rank cannot write ends all of them, with what was reached.
    void aFrameThatFailsLeavesWhatWasReached_data()
    {
        QTest::addColumn<QString>("in_the_way");
        QTest::newRow("a piece") << "frames/000000100/0001.vtu";
        QTest::newRow("the list") << "frames/000000100.pvtu";
    }
    void aFrameThatFailsLeavesWhatWasReached()
    {
        QFETCH(QString, in_the_way);
        auto s = in_parts(session(ways[2]), 3);
        s.output->frames_every_ms = 1;
        s.output->checkpoint_every_ms = 1.5;
        const auto name = "full" + std::to_string(in_the_way.size());
        fs::create_directories(path(name) / in_the_way.toStdString()); // there no file can be
        const auto r = over_ranks(3, s, options(name));
        QVERIFY2(r.error.find(in_the_way.toStdString() + ": cannot be written: it is a folder") !=
                     std::string::npos,
                 r.error.c_str());
        const auto report = content(path(name) / "report.json");
        for (const auto& part : {r.error, std::string("activation.csv"), std::string("probes.csv"),
                                 std::string("frames/000000050/0002.vtu")})
            QVERIFY2(report.find(part) != std::string::npos, report.c_str());
        QVERIFY(report.find("frames/000000100") == report.rfind("frames/000000100")); // of `ended`
        QVERIFY(content(path(name) / "probes.csv").find("\n2,") != std::string::npos);
        QVERIFY(content(path(name) / "activation.csv").size() > 200);
        const auto list = content(path(name) / "frames.pvd");
        QVERIFY(list.find("000000050.pvtu") != std::string::npos &&
                list.find("000000100.pvtu") == std::string::npos);
        QVERIFY(!fs::is_regular_file(path(name) / "frames/000000100/0000.vtu"));
        QVERIFY2(r.said.find("the last checkpoint is ") != std::string::npos, r.said.c_str());
    }

    /// Of a run that goes on, and ends before its next frame.
    void framesStayListedWhereNoneFollows()
    {
        auto s = in_parts(session(ways[2]), 3);
        s.output->frames_every_ms = 1;
        s.output->checkpoint_every_ms = 0.5;
        auto o = options("listed");
        o.until_ms = 1.5;
        QCOMPARE(over_ranks(3, s, o).error, std::string());
        o.resume = o.out / "checkpoint-00000001.500ms-0of3.tcp";
        o.until_ms = 1.8;
        QCOMPARE(over_ranks(3, s, o).error, std::string());
        const auto list = content(o.out / "frames.pvd");
        for (const char* name : {"frames/000000000.pvtu", "frames/000000050.pvtu"})
            QVERIFY2(list.find(name) != std::string::npos && fs::exists(o.out / name), name);
    }

    /// Of a table the same: all others are there.
    void aTableThatFailsLeavesTheOthers()
    {
        auto s = in_parts(session(ways[2]), 3);
        s.end_ms = 1;
        Progress late;
        late.report = [&](double fraction, std::string_view stage) {
            if (stage == "running" && fraction > 0) // there no file can be
                fs::create_directories(path("table/activation.csv"));
        };
        const auto r = over_ranks(3, s, options("table"), late);
        QVERIFY2(r.error.find("activation.csv: cannot be written") != std::string::npos,
                 r.error.c_str());
        const auto report = content(path("table/report.json"));
        QVERIFY2(report.find(r.error) != std::string::npos, report.c_str());
        for (const char* f : {"probes.csv", "activation.pvtu", "activation/0002.vtu"})
            QVERIFY2(fs::is_regular_file(path("table") / f), f);
    }
};
static const tawara::test::Further<TestPartFolders> further;
#include "test_part_folders.moc"
